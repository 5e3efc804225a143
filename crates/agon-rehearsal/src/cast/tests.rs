use std::fmt::Write as _;

use serde_json::{Value, json};

use super::*;
use crate::{
    dice::KeyedDice,
    fault::Fault,
    prompt::{Brief, TranscriptLine},
    schema,
    task::tests::words_of,
    words,
};

mod drill;
mod golden;
mod tables;
mod turns;

const TOPIC: &str = "Should a five-person team split its monolith into microservices?";
const CONTEXT: &str =
    "The team ships 14 times a week and has 2 people on call. Three customers bring 80 percent of the revenue.";
const CAST: [(&str, &str); 3] =
    [("Ada", "Keep the monolith and modularise it"), ("Ben", "Move to microservices now"), ("Cleo", "against")];

/// One debate as its prompts show it, grown turn by turn.
struct ScriptedDebate {
    entries: Vec<(String, String, String)>,
    seed: u64,
    topic: &'static str,
    cast: Vec<(&'static str, &'static str)>,
    /// How claims are marked that are checked.
    claims: &'static str,
}

impl ScriptedDebate {
    fn new(seed: u64) -> Self {
        Self { entries: Vec::new(), seed, topic: TOPIC, cast: CAST.to_vec(), claims: "" }
    }

    fn prompt(&self, tail: &str) -> Brief {
        let system = format!(
            "Rules.\n\n# Question\n{}\n\n# Context\n{CONTEXT}\n\n# Claims that can be checked\n{}\n",
            self.topic, self.claims
        );
        let (quoted, tail) = tail.split_once("\n---\n").unwrap_or(("", tail));
        let mut user = "# Debaters\n".to_owned();
        for (name, stance) in &self.cast {
            writeln!(user, "- {name}: {stance}").unwrap();
        }
        user.push_str("\n# Transcript\n");
        for (n, (speaker, stance, text)) in self.entries.iter().enumerate() {
            writeln!(user, "### T{} | {speaker} | {stance}\n<<<\n{text}\n>>>\n", n + 1).unwrap();
        }
        if !quoted.is_empty() {
            writeln!(user, "<<< quotations for your turn x\n{quoted}\n>>> end of quotations x\n").unwrap();
        }
        writeln!(user, "=== YOUR TURN ===\n{tail}").unwrap();
        Brief::read([("system", system.as_str()), ("user", user.as_str())].into_iter())
    }

    fn speak(&mut self, seat: usize, task: &str, round: u32, behaviour: Option<Fault>) -> String {
        let (name, stance) = self.cast[seat];
        let tail = format!(
            "You are {name}.\nYou argue for this position: \"{stance}\".\n{}\nThis is round {round} of 3.\n",
            words_of(task)
        );
        let brief = self.prompt(&tail);
        let text = super::speak(&Scene::new(&brief, self.seed, behaviour));
        self.entries.push((name.into(), stance.into(), text.clone()));
        text
    }

    fn whole(seed: u64) -> Self {
        let mut debate = Self::new(seed);
        for round in 1..=3 {
            let task = ["opening statement", "argument", "closing statement"][round as usize - 1];
            for seat in 0..debate.cast.len() {
                debate.speak(seat, task, round, None);
            }
        }
        debate
    }

    fn structured(&self, tail: &str, schema: &Value, behaviour: Option<Fault>) -> Value {
        let brief = self.prompt(tail);
        let scene = Scene::new(&brief, self.seed, behaviour);
        schema::fit(schema, &wish_for(&scene, schema), KeyedDice::new(0, &[]), vec!["Text.".into()])
    }
}

fn ballot() -> Value {
    let stances: Vec<&str> = CAST.iter().map(|(_, stance)| *stance).collect();
    json!({ "type": "object", "properties": {
        "choice": { "enum": stances }, "reasons": { "type": "array", "items": { "type": "string" }, "minItems": 1 }
    }, "required": ["choice", "reasons"], "additionalProperties": false })
}

fn final_ballot(debate: &ScriptedDebate, seat: usize, behaviour: Option<Fault>) -> String {
    let (name, stance) = CAST[seat];
    let tail = format!(
        "You are {name}.\nYou argue for this position: \"{stance}\".\nCast a private ballot after\nThis is round 3 of 3.\n"
    );
    debate.structured(&tail, &ballot(), behaviour)["choice"].as_str().unwrap().to_owned()
}

#[test]
fn every_speech_of_a_debate_is_110_to_180_words() {
    for seed in 0..20 {
        for (speaker, _, text) in ScriptedDebate::whole(seed).entries {
            let n = words::word_count(&text);
            assert!((110..=180).contains(&n), "seed {seed}, {speaker}, {n} words:\n{text}");
        }
    }
}

#[test]
fn no_sentence_of_a_debate_is_said_twice() {
    for seed in 0..20 {
        let debate = ScriptedDebate::whole(seed);
        let mut heard: Vec<&str> = Vec::new();
        for (speaker, _, text) in &debate.entries {
            for sentence in words::sentences(text) {
                assert!(!heard.contains(&sentence), "seed {seed}, {speaker} repeats: {sentence}");
                heard.push(sentence);
            }
        }
    }
}

#[test]
fn openings_that_are_prompted_without_a_roster_differ_all_the_same() {
    let openings: Vec<String> = CAST
        .iter()
        .map(|(name, stance)| {
            let tail = format!(
                "=== YOUR TURN ===\nYou are {name}.\nYou argue for this position: \"{stance}\".\nGive your opening statement\n"
            );
            let brief = Brief::read([("system", format!("# Question\n{TOPIC}\n").as_str()), ("user", &tail)].into_iter());
            super::speak(&Scene::new(&brief, 7, None))
        })
        .collect();
    let mut sentences: Vec<&str> = openings.iter().flat_map(|text| words::sentences(text)).collect();
    let all = sentences.len();
    sentences.sort_unstable();
    sentences.dedup();
    assert_eq!(sentences.len(), all, "{openings:#?}");
}

#[test]
fn a_speech_keeps_within_the_tokens_it_may_have() {
    let debate = ScriptedDebate::whole(1);
    let brief = debate.prompt("You are Ada.\nGive your next speech\n");
    for budget in [60, 120, 200] {
        let mut scene = Scene::new(&brief, 1, None);
        scene.budget = Some(budget);
        let text = super::speak(&scene);
        assert!(crate::token::count(&text) <= budget && text.ends_with(['.', '?']), "{budget}: {text}");
    }
}

#[test]
fn who_has_no_stance_is_given_one_by_name() {
    let position = |name| super::position(1, TOPIC, name);
    assert_eq!(position("Ada"), position("Ada"));
    let brief = Brief { topic: TOPIC.into(), stance: Some(position("Ada")), ..Brief::default() };
    let scene = Scene::new(&brief, 1, None);
    assert_ne!(scene.side(&position("Ada")), position("Ada"), "a clause has a short name");
}

#[test]
fn an_argument_quotes_an_opponent_word_for_word_and_by_name() {
    for seed in 0..20 {
        let mut debate = ScriptedDebate::new(seed);
        debate.speak(0, "opening statement", 1, None);
        let reply = debate.speak(1, "argument", 1, None);
        let quote = reply.split('"').nth(1).unwrap();
        assert!(reply.contains("Ada"), "{reply}");
        assert!(debate.entries[0].2.contains(quote), "seed {seed}: {quote}");
    }
}

#[test]
fn figures_of_the_context_are_cited() {
    let debate = ScriptedDebate::whole(1);
    assert!(debate.entries.iter().any(|(_, _, text)| text.contains("14 times a week") || text.contains("80 percent")));
}

#[test]
fn slots_are_all_filled() {
    for (_, _, text) in ScriptedDebate::whole(2).entries {
        assert!(!text.contains(['{', '}']), "{text}");
    }
}

#[test]
fn the_same_seed_gives_the_same_debate_and_another_seed_another() {
    assert_eq!(ScriptedDebate::whole(5).entries, ScriptedDebate::whole(5).entries);
    assert_ne!(ScriptedDebate::whole(5).entries, ScriptedDebate::whole(6).entries);
}

#[test]
fn a_sycophant_agrees_and_votes_with_whoever_spoke_last() {
    let mut debate = ScriptedDebate::new(1);
    debate.speak(1, "opening statement", 1, None);
    let text = debate.speak(0, "argument", 2, Some(Fault::Sycophant));
    assert!(text.contains("Ben is right") || text.contains("applaud Ben"), "{text}");
    assert_eq!(final_ballot(&debate, 0, Some(Fault::Sycophant)), CAST[1].1);
}

#[test]
fn a_stubborn_debater_repeats_itself_and_keeps_its_ballot() {
    for seed in 0..10 {
        let mut debate = ScriptedDebate::new(seed);
        let first = debate.speak(0, "opening statement", 1, None);
        debate.speak(1, "opening statement", 1, Some(Fault::Persuader));
        let again = debate.speak(0, "argument", 2, Some(Fault::Stubborn));
        assert!(again.contains(&first), "{again}");
        let third = debate.speak(0, "argument", 3, Some(Fault::Stubborn));
        assert_eq!(third, again, "the lead is not piled up");
        assert_eq!(final_ballot(&debate, 0, Some(Fault::Stubborn)), CAST[0].1);
    }
}

#[test]
fn a_persuader_moves_every_ballot_and_the_verdict() {
    for seed in 0..10 {
        let mut debate = ScriptedDebate::new(seed);
        debate.speak(0, "opening statement", 1, None);
        debate.speak(1, "opening statement", 1, Some(Fault::Persuader));
        assert_eq!(final_ballot(&debate, 0, None), CAST[1].1);
        assert_eq!(final_ballot(&debate, 2, None), CAST[1].1);
        assert_eq!(judge(&debate, &[0, 1], None)["winner"], CAST[1].1);
    }
}

#[test]
fn an_initial_ballot_is_for_ones_own_stance_even_when_the_options_are_names() {
    let debate = ScriptedDebate::new(1);
    let schema =
        json!({ "type": "object", "properties": { "choice": { "enum": ["Ada", "Ben"] } }, "required": ["choice"] });
    let tail = format!("You are Ben.\nYou argue for this position: \"{}\".\nCast a private ballot before\n", CAST[1].1);
    assert_eq!(debate.structured(&tail, &schema, None)["choice"], "Ben");
}

/// Shows the entries to a judge, anonymised and in the given order.
fn judge(debate: &ScriptedDebate, order: &[usize], behaviour: Option<Fault>) -> Value {
    let mut user = String::new();
    for index in order {
        let (speaker, stance, text) = &debate.entries[*index];
        let letter = debate.cast.iter().position(|(name, _)| name == speaker).unwrap();
        writeln!(user, "### [{}] Speaker {} | {stance}\n<<<\n{text}\n>>>", index + 1, ["A", "B", "C"][letter]).unwrap();
    }
    user.push_str("=== YOUR TURN ===\nYou are the judge.\nJudge the debate\n");
    let system = format!("# Question\n{TOPIC}\n");
    let brief = Brief::read([("system", system.as_str()), ("user", user.as_str())].into_iter());
    let mut stances: Vec<&str> = order.iter().map(|index| debate.entries[*index].1.as_str()).collect();
    stances.dedup();
    let schema = json!({ "type": "object", "properties": {
        "verdict": { "type": "string" },
        "winner": { "anyOf": [{ "enum": stances }, { "type": "null" }] },
        "reasoning": { "type": "string" },
        "citations": { "type": "array", "items": { "type": "object", "properties": {
            "entry": { "type": "integer" }, "quote": { "type": "string" } }, "required": ["entry", "quote"] } },
    }, "required": ["verdict", "winner", "reasoning", "citations"] });
    schema::fit(
        &schema,
        &wish_for(&Scene::new(&brief, debate.seed, behaviour), &schema),
        KeyedDice::new(0, &[]),
        vec![],
    )
}

#[test]
fn a_judge_rules_the_same_in_both_orders() {
    for seed in 0..30 {
        let debate = ScriptedDebate::whole(seed);
        let there: Vec<usize> = (0..9).collect();
        let back: Vec<usize> = (0..9).rev().collect();
        assert_eq!(judge(&debate, &there, None)["winner"], judge(&debate, &back, None)["winner"], "seed {seed}");
    }
}

#[test]
fn an_order_biased_judge_prefers_the_first_speaker() {
    let debate = ScriptedDebate::whole(3);
    assert_eq!(judge(&debate, &[0, 1, 2], Some(Fault::OrderBiased))["winner"], CAST[0].1);
    assert_eq!(judge(&debate, &[2, 1, 0], Some(Fault::OrderBiased))["winner"], CAST[2].1);
}

#[test]
fn a_judges_citations_are_verbatim_and_name_the_right_entry() {
    for seed in 0..20 {
        let debate = ScriptedDebate::whole(seed);
        let verdict = judge(&debate, &(0..9).collect::<Vec<_>>(), None);
        let citations = verdict["citations"].as_array().unwrap();
        assert_eq!(citations.len(), 2);
        for citation in citations {
            let entry = usize::try_from(citation["entry"].as_u64().unwrap()).unwrap();
            assert!(debate.entries[entry - 1].2.contains(citation["quote"].as_str().unwrap()), "{citation}");
        }
    }
}

#[test]
fn a_moderator_names_every_speaker_and_ends_with_the_last_round() {
    let debate = ScriptedDebate::whole(1);
    let schema = json!({ "type": "object", "properties": {
        "next_speakers": { "type": "array", "items": { "enum": ["Ada", "Ben", "Cleo"] } },
        "briefing": { "type": ["string", "null"] }, "new_angle": { "type": ["string", "null"] }, "done": { "type": "boolean" },
    }, "required": ["next_speakers", "briefing", "new_angle", "done"] });
    let open = |round| {
        debate.structured(
            &format!(
                "You are the moderator.\nYou moderate and take no side. Open the round\nThis is round {round} of 3.\n"
            ),
            &schema,
            None,
        )
    };
    assert_eq!(open(2)["next_speakers"], json!(["Ben", "Cleo", "Ada"]));
    assert_eq!((&open(2)["done"], &open(3)["done"]), (&json!(false), &json!(true)));
    assert!(open(2)["briefing"].is_string() && open(2)["new_angle"].is_string());
}

#[test]
fn a_round_is_closed_as_settled_only_in_the_last_round() {
    let debate = ScriptedDebate::whole(1);
    let schema = json!({ "type": "object", "properties": {
        "summary": { "type": "string" }, "status": { "enum": ["settled", "continue"] }, "decision": { "type": ["string", "null"] },
    }, "required": ["summary", "status", "decision"] });
    let close = |round| {
        debate.structured(
            &format!(
                "You are the moderator.\nYou moderate and take no side. Close the round\nThis is round {round} of 3.\n"
            ),
            &schema,
            None,
        )
    };
    assert_eq!((&close(2)["status"], &close(2)["decision"]), (&json!("continue"), &Value::Null));
    assert_eq!(close(3)["status"], "settled");
    assert!(close(3)["decision"].is_string());
    let calls = json!({ "type": "object", "properties": {
        "summary": { "type": "string" }, "status": { "enum": ["settled", "continue"] }, "decision": { "type": ["string", "null"] },
        "vote_now": { "type": "boolean" },
    }, "required": ["summary", "status", "decision", "vote_now"] });
    let called = |round: u32| {
        let prompt = format!(
            "You are the moderator.\nYou moderate and take no side. Close the round\nThis is round {round} of 9.\n"
        );
        debate.structured(&prompt, &calls, None)["vote_now"].clone()
    };
    assert_eq!((called(1), called(8)), (json!(false), json!(true)));
    let text = super::speak(&Scene::new(
        &debate
            .prompt("You are the moderator.\nYou moderate and take no side. Close the round\nThis is round 3 of 3.\n"),
        1,
        None,
    ));
    assert!(text.starts_with("SUMMARY: ") && text.contains("\nSTATUS: SETTLED\nDECISION: "), "{text}");
}

#[test]
fn who_asks_for_something_else_is_told_that_this_is_a_rehearsal() {
    let brief = Brief::read([("user", "Write me a sonnet.")].into_iter());
    assert!(super::speak(&Scene::new(&brief, 0, None)).contains("no model"));
}

#[test]
fn a_side_is_a_noun_phrase_of_the_stance() {
    let brief = Brief { topic: "Should we rewrite billing in Rust?".into(), ..Brief::default() };
    let scene = Scene::new(&brief, 0, None);
    assert_eq!(scene.side("Rust is not worth it"), "caution about Rust");
    assert_eq!(scene.side("Rust pays for itself"), "Rust");
    assert_eq!((scene.side("for"), scene.side("Against")), ("a yes".into(), "a no".into()));
    assert!(!scene.was_said("x"), "{:?}", TranscriptLine::default());
}
