//! Manifests with mistakes that a check must refuse: a check that lets these pass checks nothing.

use anyhow::{Result, bail};

/// A manifest that is known to be right or wrong.
pub struct Planted<'a> {
    /// What is wrong with it.
    pub what: &'static str,
    pub manifest: &'a str,
    /// What the refusal has to name.
    pub named: &'static str,
}

/// Right for every Kubernetes that the chart supports.
pub const RIGHT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: right, namespace: agon}
spec:
  selector: {matchLabels: {app: right}}
  template:
    metadata: {labels: {app: right}}
    spec: {containers: [{name: agon, image: agon}]}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: right}
spec: {scaleTargetRef: {name: right}, triggers: [{type: nats-jetstream, metadata: {stream: AGON_JOB}}]}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: right}
spec: {selector: {matchLabels: {app: right}}, endpoints: [{port: admin}]}
";

/// Wrong for all of them.
pub const WRONG: &[Planted<'_>] = &[
    Planted {
        what: "an unknown field of a container",
        manifest: "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: wrong}
spec:
  selector: {matchLabels: {app: wrong}}
  template:
    metadata: {labels: {app: wrong}}
    spec: {containers: [{name: agon, image: agon, imagePolicy: Always}]}
",
        named: "imagePolicy",
    },
    Planted {
        what: "a text in place of a number",
        manifest: "\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: wrong}
spec: {maxReplicas: many, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: wrong}}
",
        named: "maxReplicas",
    },
    Planted {
        what: "an unknown field of a ScaledObject",
        manifest: "\
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: wrong}
spec: {scaleTargetRef: {name: wrong}, maxReplicas: 3, triggers: [{type: nats-jetstream, metadata: {a: b}}]}
",
        named: "maxReplicas",
    },
    Planted {
        what: "an unknown field of a ServiceMonitor",
        manifest: "\
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: wrong}
spec: {selector: {}, endpoints: [{port: admin, route: /metrics}]}
",
        named: "route",
    },
    Planted {
        what: "an unknown field of a PrometheusRule",
        manifest: "\
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: wrong}
spec: {groups: [{name: agon, rules: [{alert: Wrong, expression: up}]}]}
",
        named: "expression",
    },
    Planted {
        what: "a kind that nobody described",
        manifest: "apiVersion: example.org/v1\nkind: Debate\nmetadata: {name: wrong}\n",
        named: "example.org/v1",
    },
    Planted {
        what: "the same key twice",
        manifest: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: wrong}\ndata: {a: b}\ndata: {c: d}\n",
        named: "data",
    },
];

/// Right for the newest Kubernetes and not for the oldest: the two checks are two.
pub const NEW: Planted<'_> = Planted {
    what: "a field that the oldest Kubernetes does not have",
    manifest: "\
apiVersion: v1
kind: Pod
metadata: {name: new}
spec: {hostnameOverride: new, containers: [{name: agon, image: agon}]}
",
    named: "hostnameOverride",
};

/// Whether the check `validate`, which takes a name and a manifest, lets pass what is right, and refuses each mistake for what it is.
pub fn are_refused(right: &str, wrong: &[Planted<'_>], validate: &dyn Fn(&str, &str) -> Result<()>) -> Result<()> {
    validate("right", right)?;
    for mistake in wrong {
        match validate("wrong", mistake.manifest) {
            Ok(()) => bail!("{} was let pass", mistake.what),
            Err(error) if error.to_string().contains(mistake.named) => {}
            Err(error) => bail!("{} was refused for something else: {error:#}", mistake.what),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_lets_mistakes_pass_is_not_trusted() {
        let error = are_refused(RIGHT, WRONG, &|_, _| Ok(())).unwrap_err().to_string();
        assert!(error.contains("was let pass"), "{error}");
    }

    #[test]
    fn a_check_that_refuses_everything_is_not_trusted_either() {
        assert!(are_refused(RIGHT, WRONG, &|_, _| bail!("no")).is_err());
        let only_wrong = |name: &str, _: &str| if name == "right" { Ok(()) } else { bail!("no schema at all") };
        let error = are_refused(RIGHT, WRONG, &only_wrong).unwrap_err().to_string();
        assert!(error.contains("for something else"), "{error}");
    }

    #[test]
    fn a_check_that_names_each_mistake_is_trusted() {
        let names = |name: &str, manifest: &str| if name == "right" { Ok(()) } else { bail!("{manifest}") };
        are_refused(RIGHT, WRONG, &names).unwrap();
    }
}
