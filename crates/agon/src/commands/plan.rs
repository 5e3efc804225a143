//! What a debate would take, as the server plans it.
use agon_proto::pb::debate::v1::PhaseName;
use agon_proto::pb::v1::Plan;
use agon_proto::pb::v1::unserved::Kind;
use agon_report::{count, one_line};
use serde_json::{Value, json};
use std::fmt::Write;

/// What becomes of a model's turns while no host serves it.
const UNSERVED: &str = "no live host serves it: its turns fail after 30 s and `timeout_per_turn`, unless one appears";

/// A warning for each model, tool and verifier that no live host offers.
pub fn unserved(plan: &Plan) -> Vec<String> {
    if !plan.unserved.is_empty() {
        return plan.unserved.iter().map(|unserved| one_line(&unserved.warning)).collect();
    }
    // a server of an earlier version says it of models alone
    let models = plan.models.iter().filter(|model| model.hosts.is_empty());
    models.map(|model| format!("model {}: {UNSERVED}", one_line(&model.model))).collect()
}

/// A warning for each model that may be too slow for the debate.
pub fn slow(plan: &Plan) -> Vec<String> {
    plan.models.iter().filter_map(|model| model.slow.as_deref().map(one_line)).collect()
}

/// The plan for a person.
pub fn text(plan: &Plan) -> String {
    let mut text = format!("calls: {} at most, if every one succeeds at first\n", plan.calls);
    let tokens = plan.max_completion_tokens.map_or("not limited".to_owned(), |tokens| format!("{tokens} at most"));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "generated tokens: {tokens}");
    for phase in &plan.phases {
        let _ = writeln!(text, "phase {}: {}", phase_name(phase.phase()), count(phase.calls, "call"));
    }
    for model in &plan.models {
        let hosts: Vec<String> = model.hosts.iter().map(|host| one_line(host)).collect();
        let place = match hosts.is_empty() {
            true => UNSERVED.to_owned(),
            false => format!("on {}", hosts.join(", ")),
        };
        let _ = writeln!(text, "model {}: {}, {place}", one_line(&model.model), count(model.calls, "call"));
    }
    for warning in &plan.warnings {
        let _ = writeln!(text, "warning: {}", one_line(warning));
    }
    text
}

fn phase_name(phase: PhaseName) -> String {
    phase.as_str_name().trim_start_matches("PHASE_NAME_").to_lowercase()
}

fn kind_name(kind: Kind) -> String {
    kind.as_str_name().trim_start_matches("KIND_").to_lowercase()
}

/// The plan for a program.
pub fn json(plan: &Plan) -> Value {
    let models: Vec<_> = plan
        .models
        .iter()
        .map(|model| json!({"model": model.model, "hosts": model.hosts, "calls": model.calls}))
        .collect();
    let phases: Vec<_> =
        plan.phases.iter().map(|phase| json!({"phase": phase_name(phase.phase()), "calls": phase.calls})).collect();
    let unserved: Vec<_> = plan
        .unserved
        .iter()
        .map(|unserved| json!({"kind": kind_name(unserved.kind()), "name": unserved.name, "offered": unserved.offered}))
        .collect();
    let mut value = json!({
        "calls": plan.calls, "phases": phases, "models": models, "unserved": unserved, "warnings": plan.warnings,
    });
    if let (Some(members), Some(tokens)) = (value.as_object_mut(), plan.max_completion_tokens) {
        members.insert("max_completion_tokens".to_owned(), json!(tokens));
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_proto::pb::v1::{PlannedModel, Unserved};

    #[test]
    fn what_no_host_offers_is_read_from_its_field_and_from_no_words() {
        let lacks = |kind: Kind, name: &str| Unserved {
            kind: kind.into(),
            name: name.to_owned(),
            offered: vec!["other".to_owned()],
            warning: format!("nobody has {name}\n"),
        };
        let idle = PlannedModel { model: "b:1".to_owned(), hosts: Vec::new(), calls: 1, slow: None };
        let plan = Plan {
            models: vec![idle],
            warnings: vec!["no live host serves b:1 [tools.x]".to_owned()],
            unserved: vec![lacks(Kind::Model, "b:1"), lacks(Kind::Tool, "docs")],
            ..Plan::default()
        };
        assert_eq!(unserved(&plan), ["nobody has b:1", "nobody has docs"]);
        let json = json(&plan);
        assert_eq!(json["unserved"][1], json!({"kind": "tool", "name": "docs", "offered": ["other"]}));
        let earlier = Plan { unserved: Vec::new(), ..plan };
        assert_eq!(unserved(&earlier), [format!("model b:1: {UNSERVED}")]);
    }

    #[test]
    fn a_model_that_nobody_serves_stands_out() {
        let model = |model: &str, hosts: &[&str]| PlannedModel {
            model: model.to_owned(),
            hosts: hosts.iter().map(ToString::to_string).collect(),
            calls: 3,
            slow: Some(format!("{model} crawls\n")),
        };
        let models = vec![model("a:1", &["gpu1", "gpu2"]), model("b:1", &[])];
        let plan =
            Plan { calls: 6, max_completion_tokens: None, models, warnings: vec!["odd\x07".into()], ..Plan::default() };
        let text = text(&plan);
        assert_eq!(slow(&plan), ["a:1 crawls", "b:1 crawls"]);
        assert!(text.contains("model a:1: 3 calls, on gpu1, gpu2\n"), "{text}");
        assert!(text.contains("model b:1: 3 calls, no live host"), "{text}");
        assert!(text.contains("tokens: not limited") && !text.contains('\x07'), "{text}");
        assert!(json(&plan).get("max_completion_tokens").is_none());
    }
}
