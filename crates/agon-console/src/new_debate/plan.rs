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

/// The plan of a debate.
pub(super) struct PlanView {
    pub calls: String,
    pub phases: Vec<(String, String)>,
    pub tokens: Option<String>,
    pub models: Vec<PlannedModelRow>,
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
            notes: agon_spec::notes(spec).iter().map(|note| one_line(note)).collect(),
            budget_tokens: spec.budget.tokens.map(number),
            rehearsal,
            budget_time: spec.budget.seconds.map(|seconds| duration(seconds.saturating_mul(1000))),
        }
    }
}

/// What no live host offers, each in words with what to do. Which model a rehearsal names does not matter.
pub(super) fn missing(plan: &pb::Plan, rehearsal: bool) -> Vec<(String, String)> {
    use pb::unserved::Kind;
    let mut all: Vec<(String, String)> = Vec::new();
    for unserved in &plan.unserved {
        let name = one_line(&unserved.name);
        let (message, todo) = match unserved.kind() {
            Kind::Model if rehearsal => ("No live host rehearses".to_owned(), "start a host that rehearses"),
            Kind::Model => (format!("No live host serves {name}"), "choose Rehearsal, or start a host"),
            Kind::Tool => (format!("No live host has the tool {name}"), "start a host that has it"),
            Kind::Verifier => (format!("No live host has the verifier {name}"), "start a host that has it"),
            Kind::Unspecified => (format!("No live host has {name}"), "start a host that has it"),
        };
        let offered: Vec<String> = unserved.offered.iter().take(MOST_OFFERED).map(|name| one_line(name)).collect();
        let offered =
            if rehearsal || offered.is_empty() { String::new() } else { format!("Offered: {}", offered.join(", ")) };
        let said = (format!("{message}: the debate would wait or fail; {todo}"), offered);
        if !all.contains(&said) {
            all.push(said);
        }
    }
    all
}

fn phase_name(phase: PhaseName) -> String {
    let name = phase.as_str_name();
    name.strip_prefix("PHASE_NAME_").unwrap_or(name).to_lowercase().replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pb::unserved::Kind;

    fn plan_without(models: &[&str]) -> pb::Plan {
        let one = |name: &&str| pb::Unserved {
            kind: Kind::Model.into(),
            name: (*name).to_owned(),
            offered: vec!["m:1".to_owned(), "n\u{202e}:2".to_owned()],
            ..pb::Unserved::default()
        };
        pb::Plan { unserved: models.iter().map(one).collect(), ..pb::Plan::default() }
    }

    #[test]
    fn a_missing_model_is_named_with_what_to_do_and_what_there_is() {
        let said = missing(&plan_without(&["llama3.2"]), false);
        let message = "No live host serves llama3.2: the debate would wait or fail; choose Rehearsal, or start a host";
        assert_eq!(said, [(message.to_owned(), "Offered: m:1, n:2".to_owned())]);
    }

    #[test]
    fn a_rehearsal_that_nobody_plays_is_said_once_and_names_no_model() {
        let said = missing(&plan_without(&["a", "b"]), true);
        assert_eq!(said.len(), 1);
        assert!(said[0].0.starts_with("No live host rehearses: ") && said[0].1.is_empty(), "{said:?}");
    }
}
