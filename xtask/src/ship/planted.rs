//! Manifests with mistakes that the check of schemas must refuse: a check that lets these pass checks nothing.

/// A manifest that is known to be right or wrong.
pub struct Planted {
    /// What is wrong with it.
    pub what: &'static str,
    pub manifest: &'static str,
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
pub const WRONG: &[Planted] = &[
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
pub const NEW: Planted = Planted {
    what: "a field that the oldest Kubernetes does not have",
    manifest: "\
apiVersion: v1
kind: Pod
metadata: {name: new}
spec: {hostnameOverride: new, containers: [{name: agon, image: agon}]}
",
    named: "hostnameOverride",
};
