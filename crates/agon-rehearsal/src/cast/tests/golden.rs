use super::tables::{LINES, list, mark, maybe, names, object, text};
use super::*;

/// Every member that an answer of some task has.
fn everything() -> Value {
    let scores = object(&[("speech", mark()), ("name", names()), ("clarity", mark()), ("comment", text())]);
    let lists = ["reasons", "issues", "suggestions", "contradictions", "open_objections"];
    let mut members: Vec<(&str, Value)> = lists.map(|name| (name, list(text()))).to_vec();
    let texts =
        ["text", "reason", "point", "reply", "position", "worked", "did_not_work", "next", "verdict", "comment"];
    members.extend(texts.map(|name| (name, maybe(text()))));
    let more = ["briefing", "new_angle", "summary", "decision", "reasoning", "risk", "title", "quote", "action"];
    members.extend(more.map(|name| (name, maybe(text()))));
    let named = list(object(&[("name", names()), ("text", text())]));
    members.extend(["warnings", "questions", "revisions"].map(|name| (name, named.clone())));
    members.extend([
        ("choice", names()),
        ("to", maybe(names())),
        ("accept", maybe(names())),
        ("changed_by", maybe(text())),
        ("accepted", list(names())),
        ("declined", list(object(&[("critic", names()), ("why", text())]))),
        ("scores", list(scores)),
        ("ranking", list(names())),
        ("approved", list(names())),
        ("urgency", mark()),
        ("severity", mark()),
        ("enough", json!({ "type": "boolean" })),
    ]);
    object(&members)
}

#[test]
fn a_seed_says_what_it_always_said() {
    let schema = everything();
    let mut said = blake3::Hasher::new();
    let behaviours =
        [None, Some(Fault::Hostile), Some(Fault::Sycophant), Some(Fault::Stubborn), Some(Fault::Persuader)];
    let more = "You speak to Ben.\nYou speak as Prime Minister for the Opening Government.\n";
    for seed in 0..2 {
        for debate in [ScriptedDebate::new(seed), ScriptedDebate::whole(seed)] {
            debate.entries.iter().for_each(|(_, _, text)| _ = said.update(text.as_bytes()));
            for (at, line) in LINES.iter().enumerate() {
                let (name, stance) = CAST[at % CAST.len()];
                let more = ["", more][at % 2];
                let quoted = if at % 3 == 2 { "Question: Who pays for the migration?\n---\n" } else { "" };
                let line = words_of(line);
                let tail = format!(
                    "{quoted}You are {name}.\nYou argue for this position: \"{stance}\".\n{line}\nThis is round 2 of 3.\n{more}"
                );
                let brief = debate.prompt(&tail);
                for behaviour in behaviours {
                    said.update(super::super::speak(&Scene::new(&brief, seed, behaviour)).as_bytes());
                    said.update(debate.structured(&tail, &schema, behaviour).to_string().as_bytes());
                }
            }
        }
        said.update(super::position(seed, TOPIC, "Ada").as_bytes());
    }
    assert_eq!(said.finalize().to_hex().as_str().get(..16), Some("9ee5ab9acae7470c"));
}
