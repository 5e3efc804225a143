//! What valid files come to, and that they survive a round trip.
#![expect(clippy::panic, clippy::unwrap_used, reason = "helpers of tests fail loudly")]
use agon_spec::{CAST, DebateSpec, Defaults, Edition, MaxTokens, Source, Syntax, normalize, notes, parse, render};
use std::path::{Path, PathBuf};

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

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let (folders, files): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| path.is_dir());
    files.into_iter().chain(folders.iter().flat_map(|folder| files_below(folder))).collect()
}

#[test]
fn every_example_is_valid_without_any_warning() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let listed = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let mut formats = std::collections::BTreeSet::new();
    for path in files_below(&folder) {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name == "README.md" || ![".md", ".yaml", ".json"].iter().any(|ending| name.ends_with(ending)) {
            continue;
        }
        // as an eval fills it in, where it is a template of one
        let text = std::fs::read_to_string(&path).unwrap().replace("{{question}}", "Is 91 a prime?");
        let source = Source::new(name.clone(), text);
        if agon_spec::is_eval_file(&source) {
            continue;
        }
        let parsed = parse(&source, &Defaults::default());
        assert!(parsed.diagnostics.is_empty(), "{}", render(&parsed.diagnostics));
        let spec = parsed.spec.unwrap();
        assert_eq!(read("normal.yaml", &normalize(&spec)), spec);
        let outside = spec.personas.iter().any(|persona| persona.voice.model.is_external());
        assert!(outside || spec.context.is_some_and(|context| context.chars().any(|c| c.is_ascii_digit())), "{name}");
        let below = path.strip_prefix(&folder).unwrap().to_str().unwrap();
        assert!(outside || listed.contains(&format!("({below})")), "the list of examples has no {below}");
        formats.insert(spec.debate_format);
    }
    assert_eq!(formats, agon_core::DebateFormat::ALL.into());
}

#[test]
fn a_type_of_moderator_is_a_set_of_duties_and_each_can_be_switched() {
    let duties = |block: &str| {
        let spec = read("a.yaml", &format!("topic: t\nmodel: m\nmoderator: {block}\n"));
        let duties = serde_json::to_value(spec.moderator.unwrap()).unwrap();
        let on = duties.as_object().unwrap().iter().filter(|(_, value)| **value == serde_json::json!(true));
        on.map(|(name, _)| name.clone()).collect::<Vec<_>>().join(" ")
    };
    for (block, expected) in [
        ("true", "opens closes"),
        ("{scores: true}", "opens closes scores"),
        ("{closes: false}", "opens"),
        ("{type: silent}", "concludes"),
        ("{type: active}", "interjects warns clarifies"),
        ("{type: active, warns: false, opens: true}", "opens interjects clarifies"),
        ("{type: judge}", "scores"),
        ("{type: consensus}", "reconciles"),
        ("{type: reflector}", "reflects"),
        ("{type: tool_agent}", "researches"),
    ] {
        assert_eq!(duties(block), expected, "{block}");
    }
}

#[test]
fn in_british_parliamentary_debates_the_place_in_the_file_is_the_team() {
    let spec = read("a.yaml", "topic: t\nmodel: m\ndebate_format: bp_style\n");
    assert_eq!(spec.stances(), agon_core::Bench::TEAMS);
    assert_eq!((spec.max_rounds, spec.phases.opening_statements, spec.phases.final_statements), (1, false, false));
    assert_eq!(
        spec.consensus_strategy,
        agon_core::ConsensusStrategy::RankedReasons,
        "it ends with a ranking of the teams"
    );
    assert_eq!(notes(&spec)[0], "advocate speaks for Opening Government: Prime Minister and Deputy Prime Minister");
    let eight = read("a.yaml", "topic: t\nmodel: m\ndebate_format: bp_style\npersona_count: 8\n");
    assert_eq!(notes(&eight)[7], "scientist speaks for Closing Opposition: Opposition Whip");
    assert_eq!(eight.stances(), agon_core::Bench::TEAMS);
    assert_eq!(read("normal.yaml", &normalize(&eight)), eight);
}

#[test]
fn what_a_format_needs_is_filled_in() {
    let of = |text: &str| read("a.yaml", &format!("topic: t\nmodel: m\nmode: deliberative\n{text}\n"));
    assert_eq!(of("debate_format: fishbowl\npersona_count: 5").format.inner_circle, 3);
    assert_eq!(of("debate_format: socratic").visibility, agon_core::Visibility::Sequential);
    let star = of("debate_format: critique_revision\ntopology: star");
    assert_eq!(star.format.hub.unwrap().as_str(), "advocate");
    assert_eq!(of("memory: summarize_past").windows.summarize_every, 1);
    assert_eq!(of("memory: summarize_past\nmax_rounds: 4").windows.summarize_every, 2);
}

#[test]
fn debaters_with_assigned_stances_know_each_other_by_these_unless_the_file_says_otherwise() {
    let names = |keys: &str| {
        let spec = read("a.yaml", &format!("topic: t\nmodel: m\n{keys}\n"));
        assert_eq!(read("normal.yaml", &agon_spec::normalize(&spec)), spec);
        spec.visible.names
    };
    for stances in ["", "debate_format: bp_style", "mode: deliberative\nvisible: {names: false}"] {
        assert!(!names(stances), "{stances}");
    }
    for answers in ["mode: deliberative", "debate_format: poll", "visible: {names: true}"] {
        assert!(names(answers), "{answers}");
    }
}

#[test]
fn a_file_that_an_eval_recorded_keeps_the_defaults_of_its_edition() {
    let source = Source::new("a.yaml", "topic: t\nmodel: m\nmemory: rolling_window\nmemory_window: 5\n");
    let spec = |edition| parse(&source, &Defaults { edition, ..Defaults::default() }).spec.unwrap();
    let (old, new) = (spec(Edition::First), spec(Edition::NEWEST));
    assert_eq!((old.windows.window_step, old.visible.names), (2, true));
    assert_eq!((new.windows.window_step, new.visible.names), (1, false));
    assert_eq!([&old, &new].map(|spec| read("normal.yaml", &agon_spec::normalize(spec))), [old, new]);
}

#[test]
fn a_full_window_shows_the_last_speeches_exactly_unless_the_file_says_otherwise() {
    let step = |keys: &str| {
        let spec = read("a.yaml", &format!("topic: t\nmodel: m\n{keys}\n"));
        // the normal form is read as the same, whatever was said
        let written = agon_spec::normalize(&spec);
        assert_eq!(read("normal.yaml", &written).windows, spec.windows, "{written}");
        spec.windows.window_step
    };
    assert_eq!(step("memory: rolling_window"), 1);
    assert_eq!(step("context_scope: last_n_turns\ncontext_turns: 8\nmemory: rolling_window"), 1);
    assert_eq!(step("memory: rolling_window\nwindow_step: 6"), 6);
    assert_eq!(step("memory: append_all"), 1);
}

#[test]
fn a_summarizer_and_a_judge_are_there_exactly_where_somebody_needs_them() {
    let of = |text: &str| read("a.yaml", &format!("topic: t\nmodel: m\n{text}\n"));
    assert_eq!(of("").summarizer, None);
    assert_eq!(of("memory: summarize_past").summarizer.unwrap().voice.max_tokens, 600);
    assert!(of("context_scope: summary_only").summarizer.is_some());
    assert!(of("consensus_strategy: ranked_reasons").judge.is_some());
    assert!(of("consensus_strategy: vote\nvoting: {voters: judges}").judge.is_some());
    assert!(of("consensus_strategy: vote\njudge: {ends_rounds: true}").judge.is_some());
    assert!(of("consensus_strategy: vote").judge.is_none());
    assert_eq!(of("synthesizer: true").synthesizer.unwrap().voice.max_tokens, 1500);
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
    assert_eq!(count, 3);
}
