//! What a speaker would like to say in a structured answer; the schema has the last word (see [`crate::schema`]).

use serde_json::{Value, json};

use crate::{
    cast::{
        chair, conviction, critic, floor, hostile, marks, officials, prose::told, scene::Scene, speech::speak,
        synthesis,
    },
    dice::KeyedDice,
    fault::Fault,
    schema,
    task::PromptTask,
};

/// How much better another stance must be before a debater moves to it.
const MOVES_AT: f64 = 0.6;

/// The wished answer to a structured task, with the field names Agon's schemas use.
pub fn wish_for(scene: &Scene<'_>, schema: &Value) -> Value {
    let mut wish = wish_of(scene, schema, task(scene, schema));
    if scene.behaviour == Some(Fault::Hostile) {
        hostile::poison(scene, &mut wish);
    }
    wish
}

fn wish_of(scene: &Scene<'_>, schema: &Value, task: PromptTask) -> Value {
    match task {
        PromptTask::BallotInitial => choice(scene, schema, own_stance(scene)),
        PromptTask::BallotFinal => choice(scene, schema, final_stance(scene)),
        PromptTask::Vote => choice(scene, schema, None),
        PromptTask::OpenRound => opening(scene, schema),
        PromptTask::CloseRound => closing(scene, schema),
        PromptTask::Judge | PromptTask::MediatorDecision => judgement(scene, schema),
        PromptTask::Revision => critic::revision(scene, schema, speak(scene)),
        PromptTask::Critique => critic::critique(scene, schema),
        PromptTask::Reflection => critic::reflection(scene, schema),
        PromptTask::Bid | PromptTask::Reaction | PromptTask::Interruption => floor::urge(scene, schema, task),
        PromptTask::PointOfInformation => floor::point(scene),
        PromptTask::AnswerPoints => floor::answer_points(scene, schema),
        PromptTask::Interject => chair::interjection(scene, schema),
        PromptTask::ScoreSpeeches => marks::speeches(scene, schema),
        PromptTask::ScoreDebaters => marks::debaters(scene, schema),
        PromptTask::Enough => chair::enough(scene),
        PromptTask::Rank => marks::ranking(scene, schema),
        PromptTask::RankedVote => marks::ranked_vote(scene, schema),
        PromptTask::ApprovalVote => marks::approval_vote(scene, schema),
        PromptTask::Synthesise | PromptTask::Other => synthesis::wish(scene, schema),
        PromptTask::Opening
        | PromptTask::Argument
        | PromptTask::Closing
        | PromptTask::Proposal
        | PromptTask::Question
        | PromptTask::Answer => said(scene),
        PromptTask::FollowUp | PromptTask::Clarification | PromptTask::Rebuttal | PromptTask::Steps => said(scene),
        PromptTask::Research | PromptTask::Reconcile | PromptTask::ClosingSummary | PromptTask::Summarise => {
            said(scene)
        }
    }
}

/// A speech under the names that an object may want it by.
fn said(scene: &Scene<'_>) -> Value {
    let text = speak(scene);
    json!({ "text": text, "speech": text, "summary": text, "answer": text })
}

/// The task by its line, and else by the properties asked for.
fn task(scene: &Scene<'_>, schema: &Value) -> PromptTask {
    let has = |name: &str| schema.get("properties").is_some_and(|properties| properties.get(name).is_some());
    let guess = || match () {
        () if has("next_speakers") => Some(PromptTask::OpenRound),
        () if has("verdict") || has("winner") => Some(PromptTask::Judge),
        () if has("summary") && has("status") => Some(PromptTask::CloseRound),
        () if has("choice") => Some(PromptTask::Vote),
        () => None,
    };
    let known = scene.brief.kind();
    let vague = matches!(known, PromptTask::Opening | PromptTask::Argument | PromptTask::Closing | PromptTask::Other);
    guess().filter(|_| vague).unwrap_or(known)
}

fn own_stance<'a>(scene: &Scene<'a>) -> Option<&'a str> {
    scene.brief.stance.as_deref()
}

/// Where a debater stands in the end: moved if another stance proved much better, or by its scripted character.
fn final_stance<'a>(scene: &Scene<'a>) -> Option<&'a str> {
    let own = own_stance(scene);
    if let Some(answer) = conviction::last_answer(scene) {
        return Some(answer);
    }
    match scene.behaviour {
        Some(Fault::Stubborn | Fault::Persuader | Fault::Hostile) => own,
        Some(Fault::Sycophant) => {
            let others = scene.brief.voices().rev();
            let last = others.map(|entry| (entry.speaker.as_str(), entry.stance.as_str()));
            last.filter(|(speaker, stance)| *speaker != scene.you && !stance.is_empty()).map(|(_, s)| s).next().or(own)
        }
        _ => {
            let best = officials::decision(scene);
            let held = own.map_or(f64::NEG_INFINITY, |own| scene.merit(own));
            best.filter(|best| scene.merit(best) - held > MOVES_AT).or(own)
        }
    }
}

fn choice(scene: &Scene<'_>, schema: &Value, stance: Option<&str>) -> Value {
    let options = schema::options(schema, "choice");
    let minded = scene.mind.as_ref().and_then(|mind| mind.option(&options));
    let stance = scene.mind.as_ref().map(|mind| mind.answer.as_str()).or(stance);
    let option = minded.or_else(|| stance.and_then(|stance| option_for(scene, &options, stance)));
    let option = option.or_else(|| best_option(scene, &options));
    let choice = option.or_else(|| stance.map(str::to_owned)).or_else(|| officials::decision(scene).map(str::to_owned));
    let argued = choice.as_deref().map(|choice| stance_behind(scene, choice)).unwrap_or_default();
    let stated = scene.mind.as_ref().and_then(|mind| mind.confidence);
    let sure = stated.unwrap_or_else(|| 55 + scene.dice("confidence").below(41) as u64);
    let choice = as_asked(schema, "choice", choice.as_deref());
    json!({ "choice": choice, "reasons": officials::reasons(scene, argued), "confidence": sure })
}

/// An answer as the member wants it: a number where that is its type.
fn as_asked(schema: &Value, member: &str, answer: Option<&str>) -> Value {
    let kind = schema.get("properties").and_then(|members| members.get(member)?.get("type"));
    let wants_number = kind.is_some_and(|kind| kind == "number");
    let number = answer.filter(|_| wants_number).and_then(|answer| answer.parse::<f64>().ok());
    number.map_or_else(|| json!(answer), |number| json!(number))
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
pub fn stance_behind<'o>(scene: &'o Scene<'_>, option: &'o str) -> &'o str {
    scene.brief.stance_of(option).unwrap_or(option)
}

/// The option of most merit; a speaker likes its own a little better, and order decides only for who is biased by it.
fn best_option(scene: &Scene<'_>, options: &[String]) -> Option<String> {
    if scene.behaviour == Some(Fault::OrderBiased) {
        let first = scene.brief.entries.iter().find(|entry| !entry.stance.is_empty());
        let biased = first.and_then(|entry| option_for(scene, options, &entry.stance));
        return biased.or_else(|| options.first().cloned());
    }
    let by_liking = |a: &&String, b: &&String| liking(scene, a).total_cmp(&liking(scene, b)).then_with(|| b.cmp(a));
    options.iter().max_by(by_liking).cloned()
}

/// How much an option is liked: its merit, a little more for one's own stance, and most for where one has come to stand.
pub fn liking(scene: &Scene<'_>, option: &str) -> f64 {
    let stance = stance_behind(scene, option);
    let own = own_stance(scene);
    let debates = own.is_some() && scene.brief.kind() != PromptTask::Vote;
    let chosen = debates && final_stance(scene).is_some_and(|chosen| chosen == stance || chosen == option);
    scene.merit(stance) + if own == Some(stance) { 0.3 } else { 0.0 } + if chosen { 3.0 } else { 0.0 }
}

fn opening(scene: &Scene<'_>, schema: &Value) -> Value {
    let mut speakers = schema::options(schema, "next_speakers");
    if speakers.is_empty() {
        speakers = scene.brief.cast.iter().map(|debater| debater.name.clone()).collect();
    }
    let round = scene.brief.round.map_or(0, |(n, _)| n as usize);
    let turn = round.saturating_sub(1) % speakers.len().max(1);
    speakers.rotate_left(turn);
    let said = scene.brief.voices().next().is_some();
    json!({
        "next_speakers": speakers,
        "briefing": officials::briefing(scene),
        "new_angle": said.then(|| officials::new_angle(scene)),
        "done": scene.brief.is_last_round(),
    })
}

fn closing(scene: &Scene<'_>, schema: &Value) -> Value {
    let settled = scene.brief.is_last_round();
    let options = schema::options(schema, "decision");
    let decision = officials::decision(scene).filter(|_| settled);
    let decision = decision.map(|stance| {
        let minded = scene.mind.as_ref().map(|mind| mind.option(&options).unwrap_or_else(|| mind.answer.clone()));
        minded.or_else(|| option_for(scene, &options, stance)).unwrap_or_else(|| stance.to_owned())
    });
    json!({
        "summary": officials::summary(scene),
        "status": if settled { "settled" } else { "continue" },
        "decision": decision,
        "vote_now": !settled && chair::is_enough(scene),
    })
}

fn judgement(scene: &Scene<'_>, schema: &Value) -> Value {
    let ruling = officials::ruling(scene);
    let options = schema::options(schema, "winner");
    let winner = ruling.winner.and_then(|stance| {
        option_for(scene, &options, stance).or_else(|| best_option(scene, &options)).or_else(|| Some(stance.to_owned()))
    });
    let minded = scene.mind.as_ref().map(|mind| mind.option(&options).unwrap_or_else(|| mind.answer.clone()));
    let winner = minded.or(winner);
    let winner = as_asked(schema, "winner", winner.as_deref());
    let citations: Vec<Value> =
        ruling.points.iter().map(|point| json!({ "entry": point.entry.number, "quote": point.quote })).collect();
    json!({
        "verdict": ruling.verdict,
        "winner": winner,
        "reasoning": ruling.reasoning,
        "citations": citations,
        "open_objections": officials::open_objections(scene),
    })
}

/// Sentences for fields that nobody planned for.
pub fn small_talk(scene: &Scene<'_>, purpose: &str) -> (KeyedDice, Vec<String>) {
    let texts = vec![
        told("question of both ends", &[("t", &scene.matter)]),
        told("patient answer", &[("t", &scene.matter)]),
        officials::new_angle(scene),
        told("one table", &[]),
    ];
    (scene.dice(purpose), texts)
}
