//! What valid files come to, and that they survive a round trip.
#![expect(clippy::panic, reason = "helpers of tests fail loudly")]
use agon_spec::{
    CAST, DebateSpec, Defaults, MaxTokens, Severity, Source, Syntax, normalize, normalize_json, parse, render,
};
use proptest::prelude::*;

fn read(name: &str, text: &str) -> DebateSpec {
    let parsed = parse(&Source::new(name, text), &Defaults::default());
    parsed.spec.unwrap_or_else(|| panic!("{}", render(&parsed.diagnostics)))
}

#[test]
fn plain_text_and_a_model_make_a_whole_debate() {
    let defaults = Defaults { model: Some("m".to_owned()), ..Defaults::default() };
    let spec = parse(&Source::new("-", "Tea or coffee?\n\nWe have a kettle."), &defaults).spec.unwrap();
    insta::assert_snapshot!(normalize(&spec));
}

#[test]
fn all_four_ways_to_write_a_debate_give_one_spec() {
    let yaml = "topic: Tea?\ncontext: We drink.\nmodel: m\nmax_rounds: 3\n";
    let json = r#"{"topic": "Tea?", "context": "We drink.", "model": "m", "max_rounds": 3}"#;
    let front = "---\nmodel: m\nmax_rounds: 3\n---\n# Tea?\n\nWe drink.\n";
    let mixed = "---\ntopic: Tea?\nmodel: m\nmax_rounds: 3\n---\n\nWe drink.\n";
    let spec = read("a.yaml", yaml);
    assert_eq!(read("a.json", json), spec);
    assert_eq!(read("a.md", front), spec);
    assert_eq!(read("a.md", mixed), spec);
    assert_eq!(read("-", &format!("\u{feff}{}", front.replace('\n', "\r\n"))), spec);
}

#[test]
fn a_seat_for_a_process_outside_takes_no_model_from_the_file() {
    let spec = read("debate.yaml", include_str!("../../../examples/external-participant/debate.yaml"));
    let outside: Vec<bool> = spec.personas.iter().map(|persona| persona.voice.model.is_external()).collect();
    assert_eq!(outside, [false, true]);
    assert_eq!(read("again.yaml", &normalize(&spec)), spec);
}

#[test]
fn a_rich_file_keeps_every_value() {
    insta::assert_snapshot!(normalize(&read("rich.yaml", include_str!("rich.yaml"))));
}

#[test]
fn a_deliberative_debate_has_simultaneous_speech_and_a_cast_without_stances() {
    let spec = read("a.yaml", "topic: Tea?\nmode: deliberative\nmodel: m\npersona_count: 16\n");
    assert_eq!(spec.visibility, agon_core::Visibility::Simultaneous);
    assert_eq!(spec.personas.len(), CAST.len());
    assert!(spec.personas.iter().all(|persona| persona.stance.is_none() && persona.role.is_some()));
}

#[test]
fn models_come_from_the_role_then_the_configuration_for_it_then_the_file_then_the_general_default() {
    let defaults = Defaults {
        model: Some("general".to_owned()),
        judge_model: Some("for-judges".to_owned()),
        max_tokens: MaxTokens { debater: 1, moderator: 2, judge: 3 },
        ..Defaults::default()
    };
    let models = |text: &str| {
        let spec = parse(&Source::new("a.yaml", text), &defaults).spec.unwrap();
        let moderator = spec.moderator.unwrap().voice;
        [spec.personas[0].voice.model.clone(), moderator.model, spec.judge.unwrap().voice.model]
            .map(|model| model.to_string())
    };
    assert_eq!(models("topic: t\nmoderator: true\n"), ["general", "general", "for-judges"]);
    assert_eq!(models("topic: t\nmodel: file\nmediator: true\n"), ["file", "file", "for-judges"]);
    assert_eq!(models("topic: t\nuse_mediator: true\njudge: {model: own}\n"), ["general", "general", "own"]);
}

#[test]
fn with_two_sides_a_vote_lets_everybody_vote_for_any() {
    let vote = |count: usize| {
        read("a.yaml", &format!("topic: t\nmodel: m\npersona_count: {count}\nconsensus_strategy: vote\n"))
    };
    assert_eq!(vote(2).voting.unwrap().self_votes, agon_core::SelfVotes::Allow);
    assert_eq!(vote(3).voting.unwrap().self_votes, agon_core::SelfVotes::Exclude);
}

#[test]
fn shared_stances_take_the_first_spelling() {
    let text = "topic: t\nmodel: m\nallow_shared_stance: true\npersonas:\n  - {name: a, stance: Tea}\n  - {name: b, stance: tea}\n  - {name: c, stance: milk}\n";
    assert_eq!(read("a.yaml", text).stances(), ["Tea", "milk"]);
}

#[test]
fn an_alias_stands_for_the_value_of_its_anchor() {
    let text = "topic: t\nmodel: m\npersonas:\n  - {name: a, stance: x, role: &r a cook}\n  - {name: b, stance: y, role: *r}\n";
    assert_eq!(read("a.yaml", text).personas[1].role.as_deref(), Some("a cook"));
}

#[test]
fn the_reference_page_is_the_one_in_the_docs() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/debate-file.md");
    let page = agon_spec::reference_markdown();
    if std::env::var_os("AGON_WRITE_REFERENCE").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(path).unwrap(),
        page,
        "AGON_WRITE_REFERENCE=1 cargo test -p agon-spec writes the page anew"
    );
}

#[test]
fn every_example_is_valid_without_any_warning() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name == "README.md" || ![".md", ".yaml", ".json"].iter().any(|ending| name.ends_with(ending)) {
            continue;
        }
        count += 1;
        let parsed = parse(&Source::new(name, std::fs::read(&path).unwrap()), &Defaults::default());
        assert!(parsed.diagnostics.is_empty(), "{}", render(&parsed.diagnostics));
        let spec = parsed.spec.unwrap();
        assert_eq!(read("normal.yaml", &normalize(&spec)), spec);
        assert!(spec.context.is_some_and(|context| context.chars().any(|c| c.is_ascii_digit())));
    }
    assert!(count >= 6, "{count} examples");
}

#[test]
fn every_whole_file_of_the_guide_is_valid() {
    let guide = include_str!("../../../docs/guide/debate-files.md");
    let mut count = 0;
    for block in guide.split("\n````").skip(1).step_by(2) {
        let (language, text) = block.split_once('\n').unwrap();
        let syntax = match language {
            "markdown" => Syntax::Markdown,
            "yaml" => Syntax::Yaml,
            other => panic!("a block in {other:?}"),
        };
        let parsed = parse(&Source::new("guide", text).with_syntax(syntax), &Defaults::default());
        assert!(parsed.diagnostics.is_empty(), "{}", render(&parsed.diagnostics));
        count += 1;
    }
    assert_eq!(count, 2);
}

// Boxed, because generators of this many parts do not fit the stack of a test thread.
fn text() -> BoxedStrategy<String> {
    let kinds = prop_oneof!["[a-z]{1,8}( [a-z]{1,8}){0,3}", "\\PC{1,20}", "(?s).{1,40}", "[a-z:#\\-\\n ]{1,30}"];
    kinds.prop_filter("texts hold something", |text| !text.trim().is_empty()).boxed()
}

fn line() -> BoxedStrategy<String> {
    "\\PC{1,20}".prop_filter("lines hold something", |text| !text.trim().is_empty()).boxed()
}

fn set(file: &mut serde_json::Value, key: &str, value: Option<impl serde::Serialize>) {
    if let (Some(value), Some(map)) = (value, file.as_object_mut()) {
        map.insert(key.to_owned(), serde_json::json!(value));
    }
}

fn voice() -> BoxedStrategy<serde_json::Value> {
    let think =
        prop_oneof![Just(serde_json::json!(true)), Just(serde_json::json!(false)), Just(serde_json::json!("high"))];
    (line(), prop::option::of(0.0..=2.0), prop::option::of(1..5000_u32), prop::option::of(think))
        .prop_map(|(model, temperature, max_tokens, think)| {
            let mut voice = serde_json::json!({"model": model});
            set(&mut voice, "temperature", temperature);
            set(&mut voice, "max_tokens", max_tokens);
            set(&mut voice, "think", think);
            voice
        })
        .boxed()
}

prop_compose! {
    fn persona(at: usize)(
        mut persona in voice(), stance in line(), role in prop::option::of(text()), tone in prop::option::of(line()),
        prompt in prop::option::of(text().prop_filter("no variables", |text| !text.contains("{{"))), priority in any::<i64>(), fallback in line(),
    ) -> serde_json::Value {
        set(&mut persona, "name", Some(format!("p{at}")));
        set(&mut persona, "stance", Some(format!("{at} {stance}")));
        set(&mut persona, "role", role);
        set(&mut persona, "tone", tone);
        set(&mut persona, "system_prompt", prompt);
        set(&mut persona, "priority", Some(priority));
        set(&mut persona, "fallback_models", Some(serde_json::json!([fallback])));
        persona
    }
}

prop_compose! {
    fn debate()(
        topic in text(), context in prop::option::of(text()), deliberative in any::<bool>(), rounds in 1..=100_u32,
        first in persona(0).boxed(), second in persona(1).boxed(), third in persona(2).boxed(), judge in voice(), vote in any::<bool>(), moderator in prop::option::of(voice()),
        turns in prop::sample::select(vec!["round_robin", "random", "priority_order"]), millis in 1..200_000_u64, seed in prop::option::of(any::<u64>()),
        quorum in prop_oneof![Just(serde_json::json!("all")), (1..17_u32).prop_map(Into::into)], labels in prop::collection::btree_map(text(), text(), 0..3),
    ) -> serde_json::Value {
        let mut file = serde_json::json!({
            "topic": topic, "max_rounds": rounds, "personas": [first, second, third], "turn_mode": turns, "labels": labels,
            "timeout_per_turn": format!("{millis}ms"), "quorum": quorum, "mode": if deliberative { "deliberative" } else { "adversarial" },
        });
        set(&mut file, "context", context);
        set(&mut file, "moderator", moderator);
        set(&mut file, "seed", seed);
        if vote { set(&mut file, "consensus_strategy", Some("vote")) } else { set(&mut file, "judge", Some(judge)) }
        file
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
