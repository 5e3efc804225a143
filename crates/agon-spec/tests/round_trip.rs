//! The normal form of any file parses back to the same spec.
use agon_spec::{Defaults, Severity, Source, normalize, normalize_json, parse, render};
use proptest::prelude::*;
use serde_json::{Value, json};

// Boxed, because generators of this many parts do not fit the stack of a test thread.
fn text() -> BoxedStrategy<String> {
    let kinds = prop_oneof!["[a-z]{1,8}( [a-z]{1,8}){0,3}", "\\PC{1,20}", "(?s).{1,40}", "[a-z:#\\-\\n ]{1,30}"];
    kinds.prop_filter("texts hold something", |text| !text.trim().is_empty()).boxed()
}

fn line() -> BoxedStrategy<String> {
    "\\PC{1,20}".prop_filter("lines hold something", |text| !text.trim().is_empty()).boxed()
}

fn set(file: &mut Value, key: &str, value: Option<impl serde::Serialize>) {
    if let (Some(value), Some(map)) = (value, file.as_object_mut()) {
        map.insert(key.to_owned(), json!(value));
    }
}

fn voice() -> BoxedStrategy<Value> {
    let think = prop_oneof![Just(json!(true)), Just(json!(false)), Just(json!("high"))];
    (line(), prop::option::of(0.0..=2.0), prop::option::of(1..5000_u32), prop::option::of(think))
        .prop_map(|(model, temperature, max_tokens, think)| {
            let mut voice = json!({"model": model});
            set(&mut voice, "temperature", temperature);
            set(&mut voice, "max_tokens", max_tokens);
            set(&mut voice, "think", think);
            set(&mut voice, "num_ctx", (max_tokens.unwrap_or_default() % 2 == 1).then_some(8192));
            voice
        })
        .boxed()
}

prop_compose! {
    fn persona(at: usize)(
        mut persona in voice(), stance in line(), role in prop::option::of(text()), tone in prop::option::of(line()),
        prompt in prop::option::of(text().prop_filter("no variables", |text| !text.contains("{{"))), priority in any::<i64>(), fallback in line(),
    ) -> Value {
        set(&mut persona, "name", Some(format!("p{at}")));
        set(&mut persona, "stance", Some(format!("{at} {stance}")));
        set(&mut persona, "role", role);
        set(&mut persona, "tone", tone);
        set(&mut persona, "system_prompt", prompt);
        set(&mut persona, "priority", Some(priority));
        set(&mut persona, "fallback_models", Some(json!([fallback])));
        persona
    }
}

/// Lays one file over another.
fn merge(file: &mut Value, over: Value) {
    match (file, over) {
        (Value::Object(file), Value::Object(over)) => {
            for (key, value) in over {
                merge(file.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Array(file), Value::Array(over)) if over.iter().all(Value::is_object) => {
            file.iter_mut().zip(over).for_each(|(file, over)| merge(file, over));
        }
        (file, over) => *file = over,
    }
}

fn one_of(options: Vec<Value>) -> BoxedStrategy<Value> {
    prop::sample::select(options).boxed()
}

fn formats() -> BoxedStrategy<Value> {
    one_of(vec![
        json!({"debate_format": "round_robin", "turn_mode": "random"}),
        json!({"turn_mode": "moderator", "moderator": {"opens": true}}),
        json!({"debate_format": "socratic", "turn_mode": "priority_order"}),
        json!({"debate_format": "fishbowl", "inner_circle": 3}),
        json!({"debate_format": "chain_of_thought", "turn_mode": "reaction_triggered"}),
        json!({"debate_format": "open_fight", "interruptions": "mid_speech", "interruption_threshold": 5}),
        json!({"debate_format": "critique_revision", "topology": "star", "hub": "p1", "direction": "critique_hub"}),
        json!({"debate_format": "critique_revision", "topology": "sparse", "density": 0.3}),
    ])
}

fn memories() -> BoxedStrategy<Value> {
    one_of(vec![
        json!({"context_scope": "last_n_turns", "context_turns": 5}),
        json!({"context_scope": "persona_scoped", "memory": "rolling_window", "memory_window": 7}),
        json!({"memory": "summarize_past", "summarize_every": 1, "summarizer": {"model": "s", "max_tokens": 300}}),
        json!({"context_scope": "summary_only", "summarizer": {"model": "s", "instructions": "Be brief."}}),
        json!({"memory": "persona_masking", "personas": [{"sees": ["p1", "openings"]}, {"hidden_from": ["p2"]}]}),
        json!({"personas": [{"reflection": true}, {"evolution": true, "tools": ["docs"]}], "tools": {"timeout": "5s"}}),
    ])
}

fn decisions() -> BoxedStrategy<Value> {
    one_of(vec![
        json!({"judge": {"model": "j", "panel": 3, "panel_models": ["k", "l"], "ends_rounds": true}}),
        json!({"consensus_strategy": "ranked_reasons", "judge": {"model": "j", "orders": 1}}),
        json!({"consensus_strategy": "vote", "voting": {"rule": "borda", "self_votes": "allow"}}),
        json!({"consensus_strategy": "vote", "voting": {"rule": "approval", "every_round": true}}),
        json!({"consensus_strategy": "vote", "voting": {"rule": "weighted"}, "personas": [{"weight": 2.5}, {"elo": 1600.5}, {"calibration": 0.7}]}),
        json!({"consensus_strategy": "vote", "voting": {"voters": "judges"}, "judge": {"model": "j", "panel": 2}}),
        json!({"consensus_strategy": "vote", "voting": {"rule": "anonymous_scoring"}}),
        json!({"consensus_strategy": "mediator_summary", "moderator": {"model": "m", "summary_style": "critical"}}),
        json!({"consensus_strategy": "agent_closing", "phases": {"rebuttals": true}}),
        json!({"consensus_strategy": "no_consensus", "judge": {"model": "j", "ends_rounds": true}}),
    ])
}

fn moderators() -> BoxedStrategy<Value> {
    let types = ["silent", "active", "judge", "consensus", "reflector", "tool_agent"];
    let mut all: Vec<Value> =
        types.map(|kind| json!({"moderator": {"model": "m", "type": kind, "closes": true}})).into();
    all.push(json!({"moderator": {"model": "m", "type": "active", "interject": "final_only", "tools": ["search"]}}));
    all.push(json!({"moderator": {"model": "m", "warns": true, "interject": "midpoint"}}));
    all.push(json!({}));
    one_of(all)
}

fn endings() -> BoxedStrategy<Value> {
    let schema = json!({
        "type": "object", "required": ["answer"], "additionalProperties": false,
        "properties": {"answer": {"enum": ["yes", null, 1.5, [{"a: b": "# c"}]]}, "on": {"type": ["string", "null"]}},
    });
    one_of(vec![
        json!({"end_condition": ["rounds_exhausted", "consensus_reached", "impasse"], "similarity_threshold": 0.7}),
        json!({"end_condition": ["no_new_arguments"], "embedding_model": "nomic-embed-text"}),
        json!({"synthesizer": {"model": "y", "output_schema": schema, "instructions": "Plain words."}}),
        json!({"synthesizer": {"model": "y"}, "outputs": ["visual_tree", "html"]}),
        json!({"feeds": ["news", "x_2"]}),
        json!({"verifiers": ["smt", "sum-2"]}),
        json!({"visible": {"judge": {"client": false}, "debaters": {"history": false}}}),
    ])
}

prop_compose! {
    fn debate()(
        topic in text(), context in prop::option::of(text()), deliberative in any::<bool>(), rounds in 2..=100_u32,
        first in persona(0).boxed(), second in persona(1).boxed(), third in persona(2).boxed(), fourth in persona(3).boxed(),
        millis in 1..200_000_u64, seed in prop::option::of(any::<u64>()), labels in prop::collection::btree_map(text(), text(), 0..3),
        quorum in prop_oneof![Just(json!("all")), (1..17_u32).prop_map(Into::into)],
        parts in (moderators(), formats(), memories(), decisions(), endings()),
    ) -> Value {
        let mut file = json!({
            "topic": topic, "max_rounds": rounds, "personas": [first, second, third, fourth], "labels": labels, "model": "general",
            "timeout_per_turn": format!("{millis}ms"), "quorum": quorum, "mode": if deliberative { "deliberative" } else { "adversarial" },
        });
        set(&mut file, "context", context);
        set(&mut file, "seed", seed);
        for part in [parts.0, parts.1, parts.2, parts.3, parts.4] {
            merge(&mut file, part);
        }
        file
    }
}

/// Specs come from elsewhere too, and are read as the file that they stand for.
#[test]
fn what_a_debate_would_not_read_stands_in_its_normal_form_and_is_refused() {
    let source = Source::new("a.yaml", "topic: t\nmodel: m\nmoderator: {type: judge}\n");
    let spec = parse(&source, &Defaults::default()).spec.unwrap();
    type Change = fn(&mut agon_spec::DebateSpec);
    let changes: [(&str, Change); 7] = [
        ("inner_circle", |spec| spec.format.inner_circle = 3),
        ("points_of_information", |spec| spec.format.points_of_information = false),
        ("hub", |spec| spec.format.hub = Some("advocate".into())),
        ("memory_window", |spec| spec.windows.memory_window = 4),
        ("similarity_threshold", |spec| spec.similarity.similarity_threshold = 0.5),
        ("moderator.interject", |spec| spec.moderator.as_mut().unwrap().interject = agon_core::Interject::Midpoint),
        ("personas[0].sees", |spec| spec.personas[0].sees = Some(Vec::new())),
    ];
    for (key, change) in changes {
        let mut changed = spec.clone();
        change(&mut changed);
        let found = parse(&Source::new("b.json", normalize_json(&changed).to_string()), &Defaults::default());
        let errors = found.diagnostics.iter().filter(|found| found.severity == Severity::Error);
        assert_eq!(errors.map(|error| error.field.as_str()).collect::<Vec<_>>(), [key]);
    }
}

proptest! {
    #[test]
    fn the_normal_form_parses_back_to_the_same_spec(file in debate().boxed()) {
        let source = Source::new("a.json", file.to_string());
        let parsed = parse(&source, &Defaults::default());
        let Some(spec) = parsed.spec else { return Err(TestCaseError::fail(render(&parsed.diagnostics))) };
        let yaml = normalize(&spec);
        let again = parse(&Source::new("b.yaml", yaml.clone()), &Defaults::default());
        prop_assert_eq!(again.spec.as_ref(), Some(&spec), "{}\n{}", yaml, render(&again.diagnostics));
        let json = parse(&Source::new("c.json", normalize_json(&spec).to_string()), &Defaults::default());
        prop_assert_eq!(json.spec, Some(spec));
        prop_assert!(again.diagnostics.iter().all(|found| found.severity == Severity::Warning));
    }
}
