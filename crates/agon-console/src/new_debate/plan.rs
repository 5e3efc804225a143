//! What a debate would take, as far as its plan can say it.
use crate::words::{duration, number};
use agon_core::DebateSpec;
use agon_proto::pb::debate::v1::PhaseName;
use agon_proto::pb::v1 as pb;
use agon_report::one_line;

/// Models that are named where the wanted one is not served.
const MOST_OFFERED: usize = 8;

/// A model of the plan.
pub(super) struct PlannedModelRow {
    pub model: String,
    pub calls: String,
    pub hosts: Vec<String>,
    pub slow: Option<String>,
}

/// Something that no host offers.
pub(super) struct MissingRow {
    pub what: &'static str,
    pub name: String,
    pub offered: Vec<String>,
}

/// The plan of a debate.
pub(super) struct PlanView {
    pub calls: String,
    pub phases: Vec<(String, String)>,
    pub tokens: Option<String>,
    pub models: Vec<PlannedModelRow>,
    pub missing: Vec<MissingRow>,
    /// What a reader could not see in the file.
    pub notes: Vec<String>,
    /// The bounds that the file sets.
    pub budget_tokens: Option<String>,
    pub budget_time: Option<String>,
    /// Scripted speakers play it, which model it names does not matter.
    pub rehearsal: bool,
}

impl PlanView {
    pub fn of(plan: pb::Plan, spec: &DebateSpec, rehearsal: bool) -> Self {
        let phase = |phase: &pb::PlannedPhase| (phase_name(phase.phase()), number(phase.calls));
        let model = |model: &pb::PlannedModel| PlannedModelRow {
            model: one_line(&model.model),
            calls: number(model.calls),
            hosts: model.hosts.iter().map(|host| one_line(host)).collect(),
            slow: model.slow.as_deref().map(one_line),
        };
        Self {
            calls: number(plan.calls),
            phases: plan.phases.iter().map(phase).collect(),
            tokens: plan.max_completion_tokens.map(number),
            models: plan.models.iter().map(model).collect(),
            missing: plan.unserved.iter().map(missing).collect(),
            notes: agon_spec::notes(spec).iter().map(|note| one_line(note)).collect(),
            budget_tokens: spec.budget.tokens.map(number),
            rehearsal,
            budget_time: spec.budget.seconds.map(|seconds| duration(seconds.saturating_mul(1000))),
        }
    }
}

fn missing(unserved: &pb::Unserved) -> MissingRow {
    use pb::unserved::Kind;
    let what = match unserved.kind() {
        Kind::Model => "model",
        Kind::Tool => "tool",
        Kind::Verifier => "verifier",
        Kind::Unspecified => "part",
    };
    let offered = unserved.offered.iter().take(MOST_OFFERED).map(|name| one_line(name)).collect();
    MissingRow { what, name: one_line(&unserved.name), offered }
}

fn phase_name(phase: PhaseName) -> String {
    let name = phase.as_str_name();
    name.strip_prefix("PHASE_NAME_").unwrap_or(name).to_lowercase().replace('_', " ")
}
