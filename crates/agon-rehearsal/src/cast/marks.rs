//! Scores, rankings and approvals.

use serde_json::{Map, Value, json};

use crate::{
    cast::{officials, scene::Scene, wish},
    dice::fraction,
    fault::Fault,
    prompt::TranscriptLine,
    schema,
};

/// What is scored.
const CRITERIA: [&str; 4] = ["clarity", "evidence", "originality", "on_topic"];

/// Marks for each speech that was asked about: the schema's list, else the prompt's, else the latest of each debater.
pub fn speeches(scene: &Scene<'_>, schema: &Value) -> Value {
    let listed = schema::choices_at(schema, &["scores", "speech"]);
    let of_prompt: Vec<Value> = scene.brief.speeches.iter().map(|number| json!(number)).collect();
    let speeches = [listed, of_prompt].into_iter().find(|list| !list.is_empty()).unwrap_or_else(|| latest(scene));
    let scores: Vec<Value> = speeches
        .into_iter()
        .map(|speech| {
            let number = number_of(&speech);
            let entry = scene.brief.entries.iter().find(|entry| Some(entry.number) == number);
            let (stance, text) = entry.map_or(("", ""), |entry| (entry.stance.as_str(), entry.text.as_str()));
            let key = if text.is_empty() { speech.to_string() } else { text.to_owned() };
            let mut score = marks(scene, schema, stance, &key);
            score.insert("comment".to_owned(), json!(comment(scene, &key)));
            score.insert("speech".to_owned(), speech);
            Value::Object(score)
        })
        .collect();
    json!({ "scores": scores })
}

/// Marks for each debater.
pub fn debaters(scene: &Scene<'_>, schema: &Value) -> Value {
    let mut names = schema::options_at(schema, &["scores", "name"]);
    if names.is_empty() {
        names = scene.others();
    }
    let scores: Vec<Value> = names
        .into_iter()
        .map(|name| {
            let stance = wish::stance_behind(scene, &name).to_owned();
            let mut score = marks(scene, schema, &stance, &name);
            score.insert("comment".to_owned(), json!(comment(scene, &name)));
            score.insert("name".to_owned(), json!(name));
            Value::Object(score)
        })
        .collect();
    json!({ "scores": scores })
}

/// Marks within the bounds of the schema: half merit, half luck of the speech.
fn marks(scene: &Scene<'_>, schema: &Value, stance: &str, key: &str) -> Map<String, Value> {
    let merit = fraction(scene.seed, &["merit", scene.brief.topic.trim(), stance]);
    let mark = |criterion: &str| {
        let (low, high) = schema::bounds_at(schema, &["scores", criterion]).unwrap_or((0.0, 10.0));
        let luck = fraction(scene.seed, &["mark", scene.you, criterion, key]);
        let share = if scene.behaviour == Some(Fault::Hostile) { 0.0 } else { 0.2 + 0.4 * merit + 0.4 * luck };
        let exact = low + share * (high - low);
        // a scale from 0 to 1 needs its decimals
        if high - low < 3.0 { json!((exact * 100.0).round() / 100.0) } else { json!(exact.round() as i64) }
    };
    CRITERIA.iter().map(|criterion| ((*criterion).to_owned(), mark(criterion))).collect()
}

fn comment(scene: &Scene<'_>, key: &str) -> String {
    scene.remark(&format!("remark on {key}"), "remarks", None)
}

fn number_of(speech: &Value) -> Option<u64> {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok();
    speech.as_u64().or_else(|| speech.as_str().and_then(digits))
}

/// The latest speech of each debater, in the order in which they were given.
fn latest(scene: &Scene<'_>) -> Vec<Value> {
    let later =
        |entry: &&TranscriptLine| scene.brief.voices().any(|e| e.speaker == entry.speaker && e.number > entry.number);
    scene.brief.voices().filter(|entry| !later(entry)).map(|entry| json!(entry.number)).collect()
}

/// The judge's ranking of every candidate, with reasons.
pub fn ranking(scene: &Scene<'_>, schema: &Value) -> Value {
    let places: Vec<Value> = ranked(scene, &candidates(scene, schema, &["ranking", "candidate"]))
        .into_iter()
        .map(|candidate| {
            let stance = wish::stance_behind(scene, &candidate).to_owned();
            let reason = officials::reasons(scene, &stance).into_iter().next();
            json!({ "candidate": candidate, "reason": reason })
        })
        .collect();
    json!({ "ranking": places })
}

/// A ballot that orders every candidate.
pub fn ranked_vote(scene: &Scene<'_>, schema: &Value) -> Value {
    let ranking = ranked(scene, &candidates(scene, schema, &["ranking"]));
    json!({ "reasons": reasons_for(scene, ranking.first()), "ranking": ranking })
}

/// A ballot that approves of whatever is better than the middle, and of one at least.
pub fn approval_vote(scene: &Scene<'_>, schema: &Value) -> Value {
    let ranking = ranked(scene, &candidates(scene, schema, &["approved"]));
    let likings: Vec<f64> = ranking.iter().map(|candidate| wish::liking(scene, candidate)).collect();
    let middle = likings.iter().map(|liking| liking.min(1.5)).sum::<f64>() / likings.len().max(1) as f64;
    let better = likings.iter().filter(|liking| **liking > middle).count();
    let alone = scene.mind.is_some() || matches!(scene.behaviour, Some(Fault::Hostile | Fault::Stubborn));
    let approved: Vec<&String> = ranking.iter().take(if alone { 1 } else { better.max(1) }).collect();
    json!({ "approved": approved, "reasons": reasons_for(scene, ranking.first()) })
}

fn reasons_for(scene: &Scene<'_>, candidate: Option<&String>) -> Vec<String> {
    let stance = candidate.map(|candidate| wish::stance_behind(scene, candidate).to_owned()).unwrap_or_default();
    officials::reasons(scene, &stance)
}

fn candidates(scene: &Scene<'_>, schema: &Value, path: &[&str]) -> Vec<String> {
    let mut listed = schema::options_at(schema, path);
    if listed.is_empty() {
        listed = scene.brief.cast.iter().map(|debater| debater.name.clone()).collect();
    }
    let mut unique = Vec::new();
    listed.into_iter().for_each(|name| {
        if !unique.contains(&name) {
            unique.push(name);
        }
    });
    unique
}

/// The candidates, best liked first; as they come for who is biased by order.
fn ranked(scene: &Scene<'_>, candidates: &[String]) -> Vec<String> {
    let mut ranked = candidates.to_vec();
    if scene.behaviour != Some(Fault::OrderBiased) {
        ranked.sort_by(|a, b| wish::liking(scene, b).total_cmp(&wish::liking(scene, a)).then_with(|| a.cmp(b)));
    }
    // what a mind stands by comes first
    if let Some(first) = scene.mind.as_ref().and_then(|mind| mind.option(candidates)) {
        ranked.sort_by_key(|candidate| *candidate != first);
    }
    ranked
}
