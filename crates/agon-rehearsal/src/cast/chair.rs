//! Moderators beside opening and closing rounds: interjections, research, reconciliation, summaries.

use serde_json::{Value, json};

use crate::{
    cast::{officials, prose::told, scene::Scene, slots::Slots},
    schema, words,
};

/// Words of a digest that come of one speech.
const DIGEST_WORDS: usize = 18;
/// A digest has one word for that many of what it sums up.
const DIGEST_SHARE: usize = 4;

/// A remark between speeches, and whom the moderator warns, asks, or wants to revise; often nobody.
pub fn interjection(scene: &Scene<'_>, schema: &Value) -> Value {
    let pick = |list: &str, bank: &str| -> Vec<Value> {
        let mut dice = scene.live_dice(list);
        let mut names = schema::options_at(schema, &[list, "name"]);
        if names.is_empty() {
            names = scene.others();
        }
        let chosen = dice.pick(&names).filter(|_| dice.clone().below(5) < 3);
        chosen.map(|name| json!({ "name": name, "text": scene.remark(list, bank, Some(name)) })).into_iter().collect()
    };
    json!({
        "comment": officials::summary(scene),
        "warnings": pick("warnings", "warnings"),
        "questions": pick("questions", "chair questions"),
        "revisions": pick("revisions", "chair revisions"),
    })
}

/// What could be found, and what could not.
pub fn research(scene: &Scene<'_>) -> String {
    let found = Slots::new(scene).has_finding().then(|| scene.remark("findings", "findings", None));
    let fact = scene.fact().map(|fact| told("fact found", &[("fact", fact)]));
    let known: Vec<String> = found.into_iter().chain(fact).collect();
    let known = if known.is_empty() { told("nothing found", &[]) } else { known.join(" ") };
    told("research", &[("t", &scene.matter), ("known", &known), ("angle", &officials::new_angle(scene))])
}

/// Where the sides agree, where they do not, and what all could live with.
pub fn reconcile(scene: &Scene<'_>) -> String {
    let common = scene.remark("common", "common ground", None);
    let ranking = officials::ranking(scene);
    let both = match ranking.as_slice() {
        [first, second, ..] => told("live with both", &[("first", first), ("second", second)]),
        [only] => told("live with one", &[("first", only)]),
        [] => told("live with none", &[("t", &scene.matter)]),
    };
    format!("{common} {} {both}", officials::summary(scene))
}

/// The moderator's last word.
pub fn closing_summary(scene: &Scene<'_>) -> String {
    let leaning = officials::decision(scene).map(|stance| told("leaning", &[("stance", stance)]));
    let open = told("still open", &[("angle", &officials::new_angle(scene))]);
    [officials::summary(scene)].into_iter().chain(leaning).chain([open]).collect::<Vec<_>>().join(" ")
}

/// A digest of what the prompt shows, shorter than that.
pub fn digest(scene: &Scene<'_>) -> String {
    let shown: usize = scene.brief.entries.iter().map(|entry| words::word_count(&entry.text)).sum();
    let shown = shown + words::word_count(&scene.brief.summary);
    let most = (shown / DIGEST_SHARE).max(1);
    let earlier = Some(&scene.brief.summary).filter(|text| !text.is_empty());
    let earlier = earlier.map(|text| ends_after(text, most / 2).to_owned());
    let points = scene.brief.voices().rev().filter_map(|entry| {
        let point = scene.first_weighty(std::iter::once(entry))?;
        Some(format!("{}: {}.", entry.speaker, ends_after(point.quote, DIGEST_WORDS)))
    });
    let mut left = most.saturating_sub(earlier.as_deref().map_or(0, words::word_count));
    let mut lines: Vec<String> = Vec::new();
    for line in points {
        let length = words::word_count(&line);
        if length > left {
            break;
        }
        left -= length;
        lines.push(line);
    }
    lines.reverse();
    let text = earlier.into_iter().chain(lines).collect::<Vec<_>>().join("\n");
    if !text.is_empty() {
        return text;
    }
    let first = scene.brief.entries.first().map_or("", |entry| entry.text.as_str());
    match ends_after(first, most) {
        "" => told("silence", &[("t", &scene.matter)]),
        start => start.to_owned(),
    }
}

/// The first sentences of a text that has nothing to do with a debate, up to a share of its length.
pub fn shorten(text: &str) -> String {
    let most = (words::word_count(text) / DIGEST_SHARE).max(1);
    let mut kept: Vec<&str> = Vec::new();
    let mut left = most;
    for sentence in words::sentences(text) {
        let length = words::word_count(sentence);
        if length > left {
            break;
        }
        left -= length;
        kept.push(sentence);
    }
    if kept.is_empty() { ends_after(text, most).to_owned() } else { kept.join(" ") }
}

/// The first `most` words of a text.
fn ends_after(text: &str, most: usize) -> &str {
    let ends = text.split_whitespace().map(|word| word.as_ptr() as usize - text.as_ptr() as usize + word.len());
    ends.take(most).last().and_then(|end| text.get(..end)).unwrap_or_default()
}

/// Whether no further round is wanted, by round and topic.
pub fn is_enough(scene: &Scene<'_>) -> bool {
    let due = 3 + crate::dice::KeyedDice::new(scene.seed, &["enough", scene.brief.topic.trim()]).below(3);
    scene.brief.is_last_round() || scene.brief.round_number() as usize >= due
}

/// Whether enough was said: not in the first two rounds, and in the last at the latest.
pub fn enough(scene: &Scene<'_>) -> Value {
    let enough = is_enough(scene);
    let reasoning = match enough {
        true => told("enough", &[("t", &scene.matter)]),
        false => told("not enough", &[("angle", &officials::new_angle(scene))]),
    };
    json!({ "enough": enough, "reasoning": reasoning })
}
