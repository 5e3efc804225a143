//! Whether the hosts of the cluster have the tools and verifiers that a debate names.
use super::Api;
use crate::error::{MissingKind, MissingTool, Problem};
use agon_core::{DebateSpec, MODERATOR, ParticipantId};
use agon_proto::HostAlive;
use agon_proto::pb::v1 as pb;
use std::collections::{BTreeMap, BTreeSet};

/// What no host that takes turns says it has.
#[derive(Debug, Default, PartialEq, Eq)]
struct Lacking {
    missing: Vec<MissingTool>,
    /// Every host that takes turns says what it has, and there is one.
    known: bool,
}

impl Api {
    /// Refuses a debate whose tools or verifiers no live host has; where that is unknown, warns. A gateway that has just started hears
    /// all hosts first.
    pub(super) async fn offered(&self, spec: &DebateSpec, rehearsal: bool) -> Result<Vec<pb::Unserved>, Problem> {
        let mut hosts = self.playing(rehearsal);
        let mut lacking = lacking(spec, &hosts);
        if !lacking.missing.is_empty() && self.ports.node.hear_all_hosts().await {
            hosts = self.playing(rehearsal);
            lacking = self::lacking(spec, &hosts);
        }
        match lacking.known && !lacking.missing.is_empty() {
            true => Err(Problem::NotOffered(lacking.missing)),
            false => Ok(lacking.missing.into_iter().map(|missing| unserved(missing, hosts.is_empty())).collect()),
        }
    }

    /// The hosts that take turns in such debates.
    fn playing(&self, rehearsal: bool) -> Vec<HostAlive> {
        let hosts = self.live().into_iter().map(|known| known.alive);
        hosts.filter(|host| host.rehearsal == rehearsal && !host.draining).collect()
    }
}

fn unserved(missing: MissingTool, nobody: bool) -> pb::Unserved {
    let warning = warning(&missing, nobody);
    let kind = match missing.kind {
        MissingKind::Tool => pb::unserved::Kind::Tool,
        MissingKind::Verifier => pb::unserved::Kind::Verifier,
    };
    pb::Unserved { kind: kind.into(), name: missing.name, offered: missing.offered, warning }
}

fn warning(missing: &MissingTool, nobody: bool) -> String {
    let why = if nobody { "no live host could have" } else { "no live host reports" };
    let (what, setting) = (missing.what(), missing.setting());
    format!("{why} {what}; turns that need it fail if the host's settings have no [{setting}]")
}

fn lacking(spec: &DebateSpec, hosts: &[HostAlive]) -> Lacking {
    let known = !hosts.is_empty() && hosts.iter().all(|host| host.tools.is_some());
    let missing = needs(spec).into_iter().filter_map(|((kind, name), wanted_by)| {
        let told = hosts.iter().filter_map(|host| host.tools.as_ref());
        let offered: BTreeSet<&String> = match kind {
            MissingKind::Tool => told.flat_map(|told| &told.tools).collect(),
            MissingKind::Verifier => told.flat_map(|told| &told.verifiers).collect(),
        };
        (!offered.contains(name)).then(|| MissingTool {
            kind,
            name: name.clone(),
            wanted_by,
            offered: offered.into_iter().cloned().collect(),
        })
    });
    Lacking { missing: missing.collect(), known }
}

/// What has to run at hosts, and who wants it. Processes outside Agon bring tools and verifiers of their own.
fn needs(spec: &DebateSpec) -> BTreeMap<(MissingKind, &String), Vec<String>> {
    let everybody = std::iter::once(ParticipantId::from(MODERATOR));
    let everybody = everybody.chain(spec.personas.iter().map(|persona| persona.name.clone()));
    let mut needs: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for who in everybody {
        let Some(role) = spec.role(&who) else { continue };
        if role.models().iter().all(|model| model.is_external()) {
            continue;
        }
        let verifiers: &[String] = if who.as_str() == MODERATOR { &[] } else { &spec.verifiers };
        let tools = role.tools().iter().map(|name| (MissingKind::Tool, name));
        for need in tools.chain(verifiers.iter().map(|name| (MissingKind::Verifier, name))) {
            needs.entry(need).or_default().push(who.to_string());
        }
    }
    needs
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_proto::HostTools;
    use agon_spec::{Defaults, Source, parse};

    const FILE: &str = "---
model: m:1
moderator: {type: tool_agent, tools: [docs, search]}
verifiers: [smt]
personas:
  - {name: ada, stance: Build it, tools: [docs]}
  - {name: bob, stance: Leave it}
  - {name: eve, stance: Wait, endpoint: nats}
---
# Should the town build a bridge?
";

    fn spec(text: &str) -> DebateSpec {
        let parsed = parse(&Source::new("bridge.md", text), &Defaults::default());
        parsed.spec.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics))
    }
    fn host(tools: Option<(&[&str], &[&str])>) -> HostAlive {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        HostAlive {
            host: "gpu".into(),
            node: "n".into(),
            agon_version: "1".into(),
            serves_any: true,
            serves_prefix: None,
            draining: false,
            rehearsal: false,
            models: Vec::new(),
            server: String::new(),
            tools: tools.map(|(tools, verifiers)| HostTools { tools: names(tools), verifiers: names(verifiers) }),
        }
    }
    fn names(lacking: &Lacking) -> Vec<String> {
        lacking.missing.iter().map(MissingTool::setting).collect()
    }

    #[test]
    fn what_no_host_has_is_missing_with_who_wants_it_and_what_is_offered() {
        let lacking = lacking(&spec(FILE), &[host(Some((&["search"], &[]))), host(Some((&["echo"], &["sum"])))]);
        assert!(lacking.known);
        assert_eq!(names(&lacking), ["tools.docs", "verifiers.smt"]);
        assert_eq!(lacking.missing[0].wanted_by, ["moderator", "ada"]);
        assert_eq!(lacking.missing[0].offered, ["echo", "search"]);
        assert_eq!(lacking.missing[1].wanted_by, ["ada", "bob"], "eve brings her own");
        assert_eq!(lacking.missing[1].offered, ["sum"]);
    }

    #[test]
    fn tools_may_be_at_different_hosts() {
        let lacking = lacking(&spec(FILE), &[host(Some((&["search"], &["smt"]))), host(Some((&["docs"], &[])))]);
        assert_eq!(lacking, Lacking { missing: Vec::new(), known: true });
    }

    #[test]
    fn a_host_that_does_not_say_may_have_it() {
        let lacking = lacking(&spec(FILE), &[host(Some((&["search"], &["smt"]))), host(None)]);
        assert!(!lacking.known && names(&lacking) == ["tools.docs"], "{lacking:?}");
        let told = warning(&lacking.missing[0], false);
        assert!(told.contains("no live host reports the tool \"docs\"") && told.contains("[tools.docs]"), "{told}");
    }

    #[test]
    fn without_a_host_nothing_is_known() {
        let lacking = lacking(&spec(FILE), &[]);
        assert!(!lacking.known && lacking.missing.len() == 3, "{lacking:?}");
    }
}
