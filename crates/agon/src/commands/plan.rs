//! What a debate would take, as the server plans it.
use agon_proto::pb::bus::v1::PhaseName;
use agon_proto::pb::v1::Plan;
use agon_report::one_line;
use anyhow::Context as _;
use serde_json::json;
use std::fmt::Write;

/// What becomes of a model's turns while no host serves it.
const UNSERVED: &str = "no live host serves it: its turns fail after 30 s and `timeout_per_turn`, unless one appears";

/// A warning for each model that no host serves, and for each tool and verifier that none may have.
pub fn unserved(plan: &Plan) -> impl Iterator<Item = String> {
    let models = plan.models.iter().filter(|model| model.hosts.is_empty());
    let tools = plan.warnings.iter().filter(|told| told.contains("[tools.") || told.contains("[verifiers."));
    let models = models.map(|model| {
        // the server's own words say what is served instead
        let told = plan.warnings.iter().find(|told| told.contains(&format!(" serves {} ", model.model)));
        told.map_or_else(|| format!("model {}: {UNSERVED}", one_line(&model.model)), |told| one_line(told))
    });
    models.chain(tools.map(|told| one_line(told)))
}

/// The plan for a person.
pub fn text(plan: &Plan) -> String {
    let mut text = format!("calls: {} at most, if every one succeeds at first\n", plan.calls);
    let tokens = plan.max_completion_tokens.map_or("not limited".to_owned(), |tokens| format!("{tokens} at most"));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "generated tokens: {tokens}");
    for phase in &plan.phases {
        let _ = writeln!(text, "phase {}: {} calls", phase_name(phase.phase()), phase.calls);
    }
    for model in &plan.models {
        let hosts: Vec<String> = model.hosts.iter().map(|host| one_line(host)).collect();
        let place = match hosts.is_empty() {
            true => UNSERVED.to_owned(),
            false => format!("on {}", hosts.join(", ")),
        };
        let _ = writeln!(text, "model {}: {} calls, {place}", one_line(&model.model), model.calls);
    }
    for warning in &plan.warnings {
        let _ = writeln!(text, "warning: {}", one_line(warning));
    }
    text
}

fn phase_name(phase: PhaseName) -> String {
    phase.as_str_name().trim_start_matches("PHASE_NAME_").to_lowercase()
}

/// The plan for a program.
pub fn json(plan: &Plan) -> anyhow::Result<String> {
    let models: Vec<_> = plan
        .models
        .iter()
        .map(|model| json!({"model": model.model, "hosts": model.hosts, "calls": model.calls}))
        .collect();
    let phases: Vec<_> =
        plan.phases.iter().map(|phase| json!({"phase": phase_name(phase.phase()), "calls": phase.calls})).collect();
    let mut value = json!({"calls": plan.calls, "phases": phases, "models": models, "warnings": plan.warnings});
    if let (Some(members), Some(tokens)) = (value.as_object_mut(), plan.max_completion_tokens) {
        members.insert("max_completion_tokens".to_owned(), json!(tokens));
    }
    serde_json::to_string_pretty(&value).context("the plan cannot be written")
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_proto::pb::v1::PlannedModel;

    #[test]
    fn a_model_that_nobody_serves_stands_out() {
        let model = |model: &str, hosts: &[&str]| PlannedModel {
            model: model.to_owned(),
            hosts: hosts.iter().map(ToString::to_string).collect(),
            calls: 3,
        };
        let models = vec![model("a:1", &["gpu1", "gpu2"]), model("b:1", &[])];
        let plan =
            Plan { calls: 6, max_completion_tokens: None, models, warnings: vec!["odd\x07".into()], ..Plan::default() };
        let text = text(&plan);
        assert!(text.contains("model a:1: 3 calls, on gpu1, gpu2\n"), "{text}");
        assert!(text.contains("model b:1: 3 calls, no live host"), "{text}");
        assert!(text.contains("tokens: not limited") && !text.contains('\x07'), "{text}");
        assert!(!json(&plan).unwrap().contains("max_completion_tokens"));
    }
}
