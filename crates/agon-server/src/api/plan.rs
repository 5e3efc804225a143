//! What a debate would take, and who would serve it.
use super::Api;
use agon_core::{CallPlan, DebateSpec};
use agon_proto::pb::bus::v1::PhaseName;
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
            models.push(pb::PlannedModel { model: model.to_string(), hosts, calls });
        }
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
