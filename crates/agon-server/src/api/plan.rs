//! What a debate would take, and who would serve it.
use super::Api;
use agon_core::{CallPlan, DebateSpec, ModelName};
use agon_proto::HostAlive;
use agon_proto::pb::debate::v1::PhaseName;
use agon_proto::pb::v1 as pb;

impl Api {
    /// The plan of a debate; `warnings` come from its file, `unserved` are the tools and verifiers that no live host has.
    pub(super) fn plan(
        &self,
        spec: &DebateSpec,
        rehearsal: bool,
        mut warnings: Vec<String>,
        mut unserved: Vec<pb::Unserved>,
    ) -> pb::Plan {
        let counted = CallPlan::of(spec);
        let mut models = Vec::new();
        for (model, calls) in counted.models {
            let hosts = self.hosts_of(&model, rehearsal);
            if hosts.is_empty() {
                let kind = if rehearsal { "rehearsing host" } else { "host" };
                unserved.push(pb::Unserved {
                    kind: pb::unserved::Kind::Model.into(),
                    name: model.to_string(),
                    offered: self.models_served(rehearsal),
                    warning: format!(
                        "no live {kind} serves {model} ({}); its turns would fail after 30 s and `timeout_per_turn` without one",
                        self.served(rehearsal)
                    ),
                });
            }
            // scripted speakers are as slow as they are told to be
            let slow = if rehearsal { None } else { too_slow(spec, &model, &hosts) };
            let hosts = hosts.iter().map(|alive| alive.host.to_string()).collect();
            models.push(pb::PlannedModel { model: model.to_string(), hosts, calls, slow });
        }
        warnings.extend(models.iter().filter_map(|model| model.slow.clone()));
        warnings.extend(unserved.iter().map(|unserved| unserved.warning.clone()));
        let phase = |(phase, calls)| pb::PlannedPhase { phase: PhaseName::from(phase).into(), calls };
        pb::Plan {
            calls: counted.calls,
            max_completion_tokens: Some(counted.max_completion_tokens),
            models,
            warnings,
            unserved,
            phases: counted.phases.into_iter().map(phase).collect(),
        }
    }
}

/// Why a model may be too slow for the debate even at the fastest of its hosts, as far as their speeds are known.
fn too_slow(spec: &DebateSpec, model: &ModelName, hosts: &[HostAlive]) -> Option<String> {
    let speed = |alive: &HostAlive| alive.listed(model)?.millitokens_per_second;
    let known = hosts.iter().filter_map(|alive| Some((speed(alive)?, &alive.host)));
    let (speed, host) = known.max_by_key(|(speed, _)| *speed)?;
    let overlong = spec.overlong(model, f64::from(speed) / 1000.0)?;
    let fastest = if hosts.len() > 1 { ", its fastest known host" } else { "" };
    Some(format!("{model} at {host}{fastest}: {}", overlong.warning()))
}
