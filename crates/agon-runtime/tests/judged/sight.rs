//! Who reads what.
use crate::model::CallNote;
use crate::walk::{DebateWalk, HeardTurn, Together};
use std::collections::BTreeSet;

/// Checks what a call's prompt shows of what was said before, with the walk where it stands now.
pub fn check(walk: &DebateWalk<'_>, note: &CallNote, how: Together) -> Result<(), String> {
    let shown: BTreeSet<usize> = marks(&note.prompt);
    let public: BTreeSet<usize> = walk.said.iter().map(|said| said.note).collect();
    let (must, may) = seen(walk, note);
    let told = |problem: &str, at: &usize| {
        let other = walk.notes.get(*at);
        format!(
            "{} ({}, round {}) {problem} {} of {} (zq{at}w)",
            note.who,
            note.task,
            walk.round,
            other.map_or("?", |n| &n.task),
            other.map_or("?", |n| &n.who)
        )
    };
    if let Some(missing) = must.difference(&shown).next() {
        return Err(told("does not read", missing));
    }
    for at in shown.difference(&may) {
        let other = &walk.notes[*at];
        let own_failure = other.who == note.who && other.task == note.task && !public.contains(at);
        let moderates = other.who == "moderator" && !judges(&note.task);
        let note_of_own = other.who == note.who && other.task == "reflection";
        let concerns = matches!(other.task.as_str(), "point of information" | "critique" | "summarise");
        let beside = how == Together::Either
            && matches!(other.task.as_str(), "closing statement" | "rebuttal" | "clarification" | "reflection")
            && other.task == note.task;
        let question = note.task == "answer" && other.task == "question" || other.task == "follow-up";
        let due = matches!(
            note.task.as_str(),
            "reaction"
                | "bid"
                | "argument"
                | "argument in steps"
                | "clarification"
                | "answer"
                | "follow-up"
                | "rebuttal"
        ) && !walk.file.masked
            && (walk.said.last().map(|said| said.note) == Some(*at) || last_of(walk, walk.to.as_deref()) == Some(*at));
        let result = note.who == "synthesizer";
        if !(own_failure
            || moderates
            || note_of_own
            || concerns && !judges(&note.task)
            || beside
            || question
            || due
            || result)
        {
            return Err(told("reads", at));
        }
    }
    let named = |name: &&str| note.prompt.split(|c: char| !c.is_alphanumeric()).any(|word| word == *name);
    let judge = note.who.starts_with("judge");
    if judge && walk.file.anonymized && note.task != "enough" {
        let names: Vec<&str> = walk.file.personas.iter().map(|persona| persona.name).collect();
        if let Some(name) = names.iter().find(|name| named(name)) {
            return Err(format!("{} reads the name {name}", note.who));
        }
    }
    Ok(())
}

fn last_of(walk: &DebateWalk<'_>, to: Option<&str>) -> Option<usize> {
    walk.said.iter().rev().find(|said| Some(said.by.as_str()) == to).map(|said| said.note)
}

fn judges(task: &str) -> bool {
    matches!(task, "judge" | "rank" | "enough" | "score debaters")
}

/// The notes whose words a prompt has.
fn marks(prompt: &str) -> BTreeSet<usize> {
    let numbers = prompt.split("zq").skip(1).filter_map(|rest| rest.split('w').next()?.parse().ok());
    numbers.collect()
}

/// What a prompt has to show, and what it may show.
fn seen(walk: &DebateWalk<'_>, note: &CallNote) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let all: Vec<&HeardTurn> = walk.said.iter().collect();
    let notes = |said: &[&HeardTurn]| said.iter().map(|said| said.note).collect::<BTreeSet<usize>>();
    let first = matches!(note.task.as_str(), "opening statement" | "proposal");
    if first || note.task == "private ballot (initial)" && walk.file.format != "critique_revision" {
        return Default::default();
    }
    if note.who.starts_with("judge") {
        return (notes(&all), notes(&all));
    }
    let Some(me) = walk.file.persona(&note.who) else { return (Default::default(), notes(&all)) };
    let hides = |said: &HeardTurn| walk.file.persona(&said.by).is_some_and(|by| by.hidden_from.contains(&me.name));
    if note.task == "score debaters" {
        let open: Vec<&HeardTurn> = all.iter().filter(|said| !hides(said)).copied().collect();
        return (notes(&open), notes(&open));
    }
    let own = |said: &&&HeardTurn| said.by == me.name || said.to.as_deref() == Some(me.name);
    if walk.file.masked {
        let sees = |said: &HeardTurn, is: fn(&str, &str) -> bool| {
            me.sees.as_ref().is_none_or(|sees| sees.iter().any(|what| *what == said.by || is(what, said.kind)))
        };
        let open = |said: &HeardTurn, is| said.by == me.name || !hides(said) && sees(said, is);
        let may: Vec<&HeardTurn> = all.iter().filter(|said| open(said, may_be_kind)).copied().collect();
        let must: Vec<&HeardTurn> = all.iter().filter(|said| open(said, is_kind)).copied().collect();
        return (notes(&must), notes(&may));
    }
    if walk.file.scoped {
        let addressed = |said: &&&HeardTurn| walk.notes[said.note].text.contains(me.name);
        let open: Vec<&HeardTurn> =
            all.iter().filter(|said| own(said) || addressed(said) || said.by == "moderator").copied().collect();
        return (notes(&open), notes(&open));
    }
    let Some((size, exact)) = walk.file.window else { return (notes(&all), notes(&all)) };
    let last = |n: usize| notes(&all[all.len().saturating_sub(n)..]);
    (last(if exact { size } else { size.div_ceil(2) }), last(size))
}

/// The documents do not say of which kind these turns are.
fn may_be_kind(what: &str, kind: &str) -> bool {
    let beside = matches!(
        (what, kind),
        ("arguments", "question" | "answer" | "follow_up" | "point" | "point_reply" | "clarification")
            | ("closings", "rebuttal")
    );
    beside || is_kind(what, kind)
}

fn is_kind(what: &str, kind: &str) -> bool {
    matches!((what, kind), ("openings", "opening" | "proposal") | ("arguments", "argument") | ("closings", "closing"))
}
