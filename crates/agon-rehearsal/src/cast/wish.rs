//! What a speaker would like to say in a structured answer; the schema has the last word (see [`crate::schema`]).

use serde_json::{Value, json};

use crate::{
    cast::{desk, scene::Scene},
    dice::Dice,
    fault::{Fault, Task},
    schema,
};

/// How much better another stance must be before a debater moves to it.
const MOVES_AT: f64 = 0.6;

/// The wished answer to a structured task, with the field names Agon's schemas use.
pub fn wish_for(scene: &Scene<'_>, schema: &Value) -> Value {
    match task(scene, schema) {
        Task::BallotInitial => choice(scene, schema, own_stance(scene)),
        Task::BallotFinal => choice(scene, schema, final_stance(scene)),
        Task::Vote => choice(scene, schema, None),
        Task::OpenRound => opening(scene, schema),
        Task::CloseRound => closing(scene, schema),
        Task::Judge => judgement(scene, schema),
        Task::Opening | Task::Argument | Task::Closing | Task::Other => json!({}),
    }
}

/// The task by its line, and else by the properties asked for.
fn task(scene: &Scene<'_>, schema: &Value) -> Task {
    let known = scene.brief.kind();
    let has = |name: &str| schema.get("properties").is_some_and(|properties| properties.get(name).is_some());
    match known {
        Task::Opening | Task::Argument | Task::Closing | Task::Other if has("next_speakers") => Task::OpenRound,
        Task::Opening | Task::Argument | Task::Closing | Task::Other if has("verdict") || has("winner") => Task::Judge,
        Task::Opening | Task::Argument | Task::Closing | Task::Other if has("summary") && has("status") => {
            Task::CloseRound
        }
        Task::Opening | Task::Argument | Task::Closing | Task::Other if has("choice") => Task::Vote,
        _ => known,
    }
}

fn own_stance<'a>(scene: &Scene<'a>) -> Option<&'a str> {
    scene.brief.stance.as_deref()
}

/// Where a debater stands in the end: moved if another stance proved much better, or by its scripted character.
fn final_stance<'a>(scene: &Scene<'a>) -> Option<&'a str> {
    let own = own_stance(scene);
    match scene.behaviour {
        Some(Fault::Stubborn | Fault::Persuader) => own,
        Some(Fault::Sycophant) => {
            let others = scene.brief.entries.iter().rev();
            let last = others.map(|entry| (entry.speaker.as_str(), entry.stance.as_str()));
            last.filter(|(speaker, stance)| *speaker != scene.you && !stance.is_empty()).map(|(_, s)| s).next().or(own)
        }
        _ => {
            let best = desk::decision(scene);
            let held = own.map_or(f64::NEG_INFINITY, |own| scene.merit(own));
            best.filter(|best| scene.merit(best) - held > MOVES_AT).or(own)
        }
    }
}

fn choice(scene: &Scene<'_>, schema: &Value, stance: Option<&str>) -> Value {
    let options = schema::options(schema, "choice");
    let option = stance.and_then(|stance| option_for(scene, &options, stance)).or_else(|| best_option(scene, &options));
    let choice = option.or_else(|| stance.map(str::to_owned)).or_else(|| desk::decision(scene).map(str::to_owned));
    let argued = choice.as_deref().map(|choice| stance_behind(scene, choice)).unwrap_or_default();
    json!({ "choice": choice, "reasons": desk::reasons(scene, argued) })
}

/// The option that stands for a stance: the stance itself, who holds it, or what names it.
fn option_for(scene: &Scene<'_>, options: &[String], stance: &str) -> Option<String> {
    let (wanted, holder) = (stance.to_lowercase(), |option: &str| stance_behind(scene, option) == stance);
    let same = options.iter().find(|option| option.to_lowercase() == wanted);
    let held = || options.iter().find(|option| holder(option));
    let named = || {
        options.iter().find(|option| {
            let option = option.to_lowercase();
            option.len() > 2 && (wanted.contains(&option) || option.contains(&wanted))
        })
    };
    same.or_else(held).or_else(named).cloned()
}

/// The stance an option stands for: that of the speaker it names, or itself.
fn stance_behind<'o>(scene: &'o Scene<'_>, option: &'o str) -> &'o str {
    scene.brief.stance_of(option).unwrap_or(option)
}

/// The option of most merit; a speaker likes its own a little better, and order decides only for who is biased by it.
fn best_option(scene: &Scene<'_>, options: &[String]) -> Option<String> {
    if scene.behaviour == Some(Fault::OrderBiased) {
        let first = scene.brief.entries.iter().find(|entry| !entry.stance.is_empty());
        let biased = first.and_then(|entry| option_for(scene, options, &entry.stance));
        return biased.or_else(|| options.first().cloned());
    }
    let liking = |option: &String| {
        let stance = stance_behind(scene, option);
        scene.merit(stance) + if own_stance(scene) == Some(stance) { 0.3 } else { 0.0 }
    };
    options.iter().max_by(|a, b| liking(a).total_cmp(&liking(b)).then_with(|| b.cmp(a))).cloned()
}

fn opening(scene: &Scene<'_>, schema: &Value) -> Value {
    let mut speakers = schema::options(schema, "next_speakers");
    if speakers.is_empty() {
        speakers = scene.brief.cast.iter().map(|debater| debater.name.clone()).collect();
    }
    let round = scene.brief.round.map_or(0, |(n, _)| n as usize);
    let turn = round.saturating_sub(1) % speakers.len().max(1);
    speakers.rotate_left(turn);
    let said = scene.brief.entries.iter().any(|entry| entry.speaker != "moderator");
    json!({
        "next_speakers": speakers,
        "briefing": desk::briefing(scene),
        "new_angle": said.then(|| desk::new_angle(scene)),
        "done": scene.brief.is_last_round(),
    })
}

fn closing(scene: &Scene<'_>, schema: &Value) -> Value {
    let settled = scene.brief.is_last_round();
    let options = schema::options(schema, "decision");
    let decision = desk::decision(scene).filter(|_| settled);
    let decision = decision.map(|stance| option_for(scene, &options, stance).unwrap_or_else(|| stance.to_owned()));
    json!({
        "summary": desk::summary(scene),
        "status": if settled { "settled" } else { "continue" },
        "decision": decision,
    })
}

fn judgement(scene: &Scene<'_>, schema: &Value) -> Value {
    let ruling = desk::ruling(scene);
    let options = schema::options(schema, "winner");
    let winner = ruling.winner.and_then(|stance| {
        option_for(scene, &options, stance).or_else(|| best_option(scene, &options)).or_else(|| Some(stance.to_owned()))
    });
    let citations: Vec<Value> =
        ruling.points.iter().map(|point| json!({ "entry": point.entry.number, "quote": point.quote })).collect();
    json!({ "verdict": ruling.verdict, "winner": winner, "reasoning": ruling.reasoning, "citations": citations })
}

/// Sentences for fields that nobody planned for.
pub fn small_talk(scene: &Scene<'_>, purpose: &str) -> (Dice, Vec<String>) {
    let texts = vec![
        format!("A question of {}, seen from both ends.", scene.matter),
        format!("Rehearsed: {} deserves a patient answer.", scene.matter),
        desk::new_angle(scene),
        "Two sides, one table, no hurry.".to_owned(),
    ];
    (scene.dice(purpose), texts)
}
