use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::schema::tests::{schema, with_defs};

pub fn text() -> Value {
    json!({ "type": "string", "minLength": 1 })
}

pub fn list(item: Value) -> Value {
    json!({ "type": "array", "items": item })
}

pub fn maybe(item: Value) -> Value {
    json!({ "anyOf": [item, { "type": "null" }] })
}

pub fn names() -> Value {
    json!({ "type": "string", "enum": ["Ada", "Ben", "Cleo"] })
}

pub fn mark() -> Value {
    json!({ "type": "integer", "minimum": 0, "maximum": 10 })
}

/// An object with exactly these members.
pub fn object(members: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    let properties: serde_json::Map<String, Value> =
        members.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({ "type": "object", "properties": properties, "required": names, "additionalProperties": false })
}

fn marks(who: &str, schema: Value) -> Value {
    let of = |name| (name, mark());
    object(&[(
        "scores",
        list(object(&[(who, schema), of("clarity"), of("evidence"), of("originality"), of("on_topic")])),
    )])
}

fn urge() -> Value {
    object(&[("urgency", mark()), ("to", maybe(names())), ("reason", maybe(text()))])
}

/// The answer of a seat to a task in a round of a debate.
fn answer_in(debate: &ScriptedDebate, seat: usize, task: &str, round: u32, schema: &Value) -> Value {
    let (name, stance) = CAST[seat];
    let tail = format!(
        "You are {name}.\nYou argue for this position: \"{stance}\".\n{}\nThis is round {round} of 6.\nYou speak to Ben.\n",
        words_of(task)
    );
    let value = debate.structured(&tail, schema, None);
    assert!(jsonschema::is_valid(schema, &value), "{task}: {value:#}");
    value
}

fn answer(seed: u64, seat: usize, task: &str, round: u32, schema: &Value) -> Value {
    answer_in(&ScriptedDebate::whole(seed), seat, task, round, schema)
}

/// The answers of all seats in three rounds of many debates.
fn answers(task: &str, schema: &Value) -> Vec<Value> {
    let turns = || (0..3).flat_map(|seat| (1..4).map(move |round| (seat, round)));
    let of = |debate: ScriptedDebate| {
        turns().map(move |(seat, round)| answer_in(&debate, seat, task, round, schema)).collect()
    };
    (0..12).map(ScriptedDebate::whole).flat_map(|debate| -> Vec<Value> { of(debate) }).collect()
}

fn urgencies(task: &str) -> Vec<u64> {
    answers(task, &urge()).iter().map(|bid| bid["urgency"].as_u64().unwrap()).collect()
}

#[test]
fn bids_and_reactions_are_of_all_strengths_and_some_want_nothing() {
    for task in ["bid", "reaction"] {
        let urgencies = urgencies(task);
        let kinds: BTreeSet<u64> = urgencies.iter().copied().collect();
        let none = urgencies.iter().filter(|urgency| **urgency == 0).count();
        assert!(kinds.len() >= 7 && (8..80).contains(&none), "{task}: {urgencies:?}");
    }
}

#[test]
fn interruptions_are_rare() {
    let urgencies = urgencies("interruption");
    let strong = urgencies.iter().filter(|urgency| **urgency == 9).count();
    assert!(
        (3..40).contains(&strong) && urgencies.iter().all(|urgency| *urgency == 9 || *urgency < 5),
        "{urgencies:?}"
    );
}

#[test]
fn nobody_bids_against_itself_and_who_wants_nothing_gives_no_reason() {
    for (seat, (name, _)) in CAST.iter().enumerate() {
        for seed in 0..10 {
            let bid = answer(seed, seat, "bid", 2, &urge());
            assert_ne!(bid["to"], *name, "{bid}");
            assert_eq!(bid["urgency"] == 0, bid["reason"].is_null(), "{bid}");
        }
    }
}

#[test]
fn points_of_information_are_questions_and_some_are_taken() {
    let schema = object(&[("urgency", mark()), ("point", maybe(text()))]);
    let points = answers("point of information", &schema);
    let offered: Vec<&str> = points.iter().filter_map(|point| point["point"].as_str()).collect();
    assert!(offered.len() > 30 && offered.len() < points.len() && offered.iter().all(|point| point.ends_with('?')));
    let schema = object(&[("accept", maybe(names())), ("reply", maybe(text()))]);
    let replies = answers("answer points", &schema);
    let taken = replies.iter().filter(|reply| reply["accept"].is_string()).count();
    assert!(
        (40..100).contains(&taken) && replies.iter().all(|r| r["accept"].is_null() == r["reply"].is_null()),
        "{taken}"
    );
}

#[test]
fn critiques_differ_in_severity_and_get_milder() {
    let schema = object(&[("severity", mark()), ("issues", list(text())), ("suggestions", list(text()))]);
    let severity = |round| -> u64 {
        (0..20).map(|seed| answer(seed, 0, "critique", round, &schema)["severity"].as_u64().unwrap()).sum()
    };
    assert!(severity(1) > severity(3) && severity(3) > severity(6));
    let kinds: BTreeSet<u64> =
        answers("critique", &schema).iter().map(|critique| critique["severity"].as_u64().unwrap()).collect();
    assert!(kinds.len() > 6, "{kinds:?}");
}

#[test]
fn a_revision_accepts_or_declines_each_critic_once() {
    let declined = object(&[("critic", names()), ("why", text())]);
    let schema = object(&[("text", text()), ("accepted", list(names())), ("declined", list(declined))]);
    let (mut takes, mut leaves) = (0, 0);
    for revision in answers("revision", &schema) {
        let accepted = revision["accepted"].as_array().unwrap();
        let declined: Vec<&Value> = revision["declined"].as_array().unwrap().iter().map(|one| &one["critic"]).collect();
        assert!(
            accepted.len() + declined.len() == 2 && accepted.iter().all(|name| !declined.contains(&name)),
            "{revision}"
        );
        takes += accepted.len();
        leaves += declined.len();
    }
    assert!(takes > 50 && leaves > 30, "{takes} {leaves}");
}

#[test]
fn notes_fill_whatever_members_are_asked_for() {
    let all = [
        ("position", text()),
        ("changed_by", maybe(text())),
        ("contradictions", list(text())),
        ("worked", text()),
        ("did_not_work", text()),
        ("next", text()),
    ];
    let whole = answers("reflection", &object(&all));
    assert!(
        whole.iter().any(|note| note["contradictions"] != json!([]))
            && whole.iter().any(|note| note["contradictions"] == json!([]))
    );
    answers("reflection", &object(&all[..3]));
    answers("reflection", &object(&all[3..]));
}

#[test]
fn a_moderator_interjects_now_to_one_and_now_to_nobody() {
    let words = || list(object(&[("name", names()), ("text", text())]));
    let schema = object(&[("comment", text()), ("warnings", words()), ("questions", words()), ("revisions", words())]);
    let all = answers("interject", &schema);
    for kind in ["warnings", "questions", "revisions"] {
        let spoken = all.iter().filter(|one| one[kind] != json!([])).count();
        assert!(spoken > 20 && spoken < all.len() - 10, "{kind}: {spoken}");
    }
}

#[test]
fn each_speech_that_is_listed_gets_its_marks() {
    let speeches = json!({ "type": "integer", "enum": [4, 5, 6] });
    for scores in answers("score speeches", &marks("speech", speeches)) {
        let listed: Vec<u64> =
            scores["scores"].as_array().unwrap().iter().map(|s| s["speech"].as_u64().unwrap()).collect();
        assert_eq!(listed, [4, 5, 6]);
    }
    let schema = marks("speech", json!({ "type": "integer", "minimum": 1 }));
    let tail = "You are the moderator.\nYou moderate and take no side. Score now each speech\nThis is round 2 of 3.\n";
    let numbers = |tail: &str| -> Vec<u64> {
        let value = ScriptedDebate::whole(1).structured(tail, &schema, None);
        value["scores"].as_array().unwrap().iter().map(|score| score["speech"].as_u64().unwrap()).collect()
    };
    assert_eq!(numbers(&format!("{tail}Speech 1 is T2, by Ada.\nSpeech 2 is T3, by Ben.\n")), [2, 3]);
    assert_eq!(numbers(tail), [7, 8, 9], "without a list, the latest of each");
}

#[test]
fn each_debater_gets_marks_that_differ() {
    let mut seen = BTreeSet::new();
    for scores in answers("score debaters", &marks("name", names())) {
        let scores = scores["scores"].as_array().unwrap();
        let listed: BTreeSet<&str> = scores.iter().map(|score| score["name"].as_str().unwrap()).collect();
        assert!(listed.len() == 3 && scores.len() == 3, "{scores:?}");
        seen.extend(scores.iter().map(|score| score["clarity"].as_u64().unwrap()));
    }
    assert!(seen.len() >= 5, "{seen:?}");
}

#[test]
fn rankings_hold_every_candidate_once_and_agree_with_the_ballot() {
    let stances: Vec<&str> = CAST.iter().map(|(_, stance)| *stance).collect();
    let candidate = json!({ "enum": stances });
    let rank = object(&[("ranking", list(object(&[("candidate", candidate.clone()), ("reason", text())])))]);
    let vote = object(&[("ranking", list(candidate.clone())), ("reasons", list(text()))]);
    let approve = object(&[("approved", list(candidate)), ("reasons", list(text()))]);
    for ranking in answers("rank", &rank) {
        let listed: BTreeSet<&str> =
            ranking["ranking"].as_array().unwrap().iter().map(|place| place["candidate"].as_str().unwrap()).collect();
        assert_eq!(listed.len(), 3);
    }
    for seed in 0..10 {
        let ranking = answer(seed, 0, "ranked vote", 3, &vote)["ranking"].clone();
        let unique: BTreeSet<&str> = ranking.as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
        assert!(unique.len() == 3 && ranking.as_array().unwrap().len() == 3);
        assert_eq!(ranking[0], final_ballot(&ScriptedDebate::whole(seed), 0, None));
    }
    let approved: Vec<usize> =
        answers("approval vote", &approve).iter().map(|vote| vote["approved"].as_array().unwrap().len()).collect();
    assert!(
        approved.iter().all(|n| (1..=2).contains(n)) && approved.contains(&1) && approved.contains(&2),
        "{approved:?}"
    );
}

#[test]
fn enough_is_said_late_and_never_early() {
    let schema = object(&[("enough", json!({ "type": "boolean" })), ("reasoning", text())]);
    for seed in 0..10 {
        let enough = |round| answer(seed, 0, "enough", round, &schema)["enough"].as_bool().unwrap();
        assert!(!enough(1) && !enough(2) && enough(6));
    }
}

#[test]
fn a_judge_names_objections_that_stand_in_some_debates() {
    let schema = object(&[("verdict", text()), ("reasoning", text()), ("open_objections", list(text()))]);
    let open = (0..30).filter(|seed| answer(*seed, 0, "judge", 3, &schema)["open_objections"] != json!([])).count();
    assert!((3..27).contains(&open), "{open}");
    answers("mediator decision", &object(&[("verdict", text()), ("reasoning", text())]));
}

#[test]
fn a_synthesis_fills_a_users_schema_from_the_topic_and_the_result() {
    let schema = json!({
        "type": "object",
        "properties": {
            "title": { "type": "string" },
            "recommendation": { "type": "string", "enum": ["keep", "move", "wait"] },
            "confidence": { "type": "number", "minimum": 0, "maximum": 1 },
            "ticket": { "type": "string", "pattern": "^ADR-[0-9]{4}$" },
            "arguments": { "type": "array", "minItems": 2, "items": {
                "type": "object",
                "properties": { "speaker": { "type": "string" }, "quote": { "type": "string" }, "weight": { "type": "integer", "minimum": 1, "maximum": 5 } },
                "required": ["speaker", "quote", "weight"], "additionalProperties": false } },
            "risks": { "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 3 },
            "dissent": { "type": ["string", "null"] },
        },
        "required": ["title", "recommendation", "confidence", "ticket", "arguments", "risks", "dissent"],
        "additionalProperties": false,
    });
    let debate = ScriptedDebate::whole(3);
    let tail = "Verdict: The team should keep what it has.\n---\nYou are the synthesizer.\nWrite now what the author\n";
    let value = debate.structured(tail, &schema, None);
    assert!(jsonschema::is_valid(&schema, &value), "{value:#}");
    assert_eq!((&value["title"], &value["recommendation"]), (&json!(TOPIC), &json!("keep")));
    let quote = value["arguments"][0]["quote"].as_str().unwrap();
    assert!(debate.entries.iter().any(|(_, _, text)| text.contains(quote)), "{value:#}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn whatever_schema_a_user_writes_the_synthesis_is_valid(schema in schema().prop_map(with_defs), seed in 0..4_u64) {
        let debate = ScriptedDebate::new(seed);
        let value = debate.structured("You are the synthesizer.\nWrite now what the author\n", &schema, None);
        let valid = jsonschema::draft202012::new(&schema).unwrap().is_valid(&value);
        prop_assert!(valid, "{schema:#}\n{value:#}");
    }
}

/// Every task line there is, and two that there are not.
pub const LINES: [&str; 40] = [
    "opening statement",
    "argument",
    "closing statement",
    "private ballot (initial)",
    "private ballot (final)",
    "open the round",
    "close the round",
    "judge",
    "vote",
    "proposal",
    "question",
    "answer",
    "follow-up",
    "clarification",
    "rebuttal",
    "argument in steps",
    "speech as MEMBER OF GOVERNMENT",
    "research",
    "reconcile",
    "closing summary",
    "summarise",
    "revision",
    "critique",
    "bid",
    "reaction",
    "interruption",
    "point of information",
    "answer points",
    "reflection",
    "interject",
    "score speeches",
    "score debaters",
    "mediator decision",
    "enough",
    "rank",
    "ranked vote",
    "approval vote",
    "synthesise",
    "",
    "sing a song",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_prompt_however_odd_leaves_a_task_without_an_answer(
        shown in "(# Question\n|# Debaters\n|- Ada: for\n|### T[0-9]{1,3} \\| (Ada|moderator|\\PC{0,3})\n|My answer: x\n|[0-9]\\. Claim: .\n|\\PC{0,40}\n){0,12}",
        asked in "(You are (Ada|Ben).\n|This is round [0-9] of [0-9].\n|You speak to \\PC{0,6}.\n|You speak as \\PC{0,9}.\n|\\PC{0,40}\n){0,8}",
        line in 0..LINES.len(),
        behaviour in prop::sample::select(vec![None, Some(Fault::Hostile), Some(Fault::Sycophant), Some(Fault::Stubborn)]),
    ) {
        let user = format!("{shown}\n=== YOUR TURN ===\n{}\n{asked}", words_of(LINES[line]));
        let brief = Brief::read([("user", user.as_str())].into_iter());
        let scene = Scene::new(&brief, 1, behaviour);
        prop_assert!(!super::super::speak(&scene).trim().is_empty(), "{user}");
        let schema = object(&[("text", text()), ("urgency", mark()), ("ranking", list(names()))]);
        let value = schema::fit(&schema, &wish_for(&scene, &schema), KeyedDice::new(0, &[]), vec!["Text.".into()]);
        prop_assert!(jsonschema::is_valid(&schema, &value), "{user}{value}");
    }
}
