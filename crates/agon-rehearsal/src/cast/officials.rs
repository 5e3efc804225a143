//! Moderators, judges and everybody else who is not arguing a side.

use crate::{
    cast::{
        prose::{LENSES, told},
        scene::{QuotedPoint, Scene},
    },
    dice::fraction,
    fault::Fault,
    words,
};

/// What a judge rules.
#[derive(Debug)]
pub struct Ruling<'a> {
    /// The stance that won; none when the sides are level.
    pub winner: Option<&'a str>,
    /// One sentence.
    pub verdict: String,
    /// A few sentences that quote the transcript.
    pub reasoning: String,
    /// The points quoted.
    pub points: Vec<QuotedPoint<'a>>,
}

/// Merits closer than this are level.
const LEVEL: f64 = 0.03;

/// The stances that were argued, by merit, best first; the first heard comes first for a judge who is biased by order.
pub fn ranking<'a>(scene: &Scene<'a>) -> Vec<&'a str> {
    let mut stances: Vec<&str> = Vec::new();
    let shown = scene.brief.entries.iter().map(|entry| entry.stance.as_str());
    for stance in shown.chain(scene.brief.cast.iter().map(|debater| debater.stance.as_str())) {
        if !stance.is_empty() && !stances.contains(&stance) {
            stances.push(stance);
        }
    }
    if scene.behaviour != Some(Fault::OrderBiased) {
        // ties are broken by the text: the order of the transcript must not matter
        stances.sort_by(|a, b| scene.merit(b).total_cmp(&scene.merit(a)).then_with(|| a.cmp(b)));
    }
    stances
}

/// The ruling of a judge over the transcript it was shown.
pub fn ruling<'a>(scene: &Scene<'a>) -> Ruling<'a> {
    let ranking = ranking(scene);
    let level = scene.behaviour != Some(Fault::OrderBiased)
        && matches!(ranking.as_slice(), [a, b, ..] if scene.merit(a) - scene.merit(b) < LEVEL);
    let winner = ranking.first().copied().filter(|_| !level);
    let points: Vec<QuotedPoint<'_>> =
        ranking.iter().take(2).filter_map(|stance| scene.weightiest_point(stance)).collect();
    // a mind finds by what it knows, and the script words it
    let named = scene.mind.as_ref().map(|mind| mind.answer.as_str()).or(winner);
    let verdict = match named {
        Some(stance) => told("won", &[("stance", stance)]),
        None => told("level", &[("t", &scene.matter)]),
    };
    let reasoning = reason(scene, named, &points);
    Ruling { winner, verdict, reasoning, points }
}

/// Objections that nobody answered: in some debates none, in others the losing side's best one.
pub fn open_objections(scene: &Scene<'_>) -> Vec<String> {
    let open = fraction(scene.seed, &["open objections", scene.brief.topic.trim()]) < 0.4;
    let loser = ranking(scene).get(1).copied().filter(|_| open);
    let point = loser.and_then(|stance| scene.weightiest_point(stance));
    let objection =
        |point: QuotedPoint<'_>| told("open objection", &[("who", &point.entry.speaker), ("quote", point.quote)]);
    point.map(objection).into_iter().collect()
}

fn reason(scene: &Scene<'_>, winner: Option<&str>, points: &[QuotedPoint<'_>]) -> String {
    let lens = scene.dice("lens").pick(&LENSES).map_or("the evidence", |lens| lens.name);
    let number = |point: &QuotedPoint<'_>| point.entry.number.to_string();
    let points = match points {
        [first, second, ..] => {
            let (who, one, other) = (&first.entry.speaker, number(first), number(second));
            let (quote, answer) = (first.quote, second.quote);
            told(
                "two points",
                &[("first", &one), ("who", who), ("quote", quote), ("second", &other), ("answer", answer)],
            )
        }
        [only] => told("one point", &[("first", &number(only)), ("quote", only.quote)]),
        [] => told("no point", &[]),
    };
    let weighed = match winner {
        Some(stance) => told("weighed", &[("lens", lens), ("stance", stance)]),
        None => told("weighed level", &[("lens", lens)]),
    };
    format!("{points} {weighed}")
}

/// What the moderator says to open a round.
pub fn briefing(scene: &Scene<'_>) -> String {
    let mut voices = latest_points(scene).into_iter();
    match (voices.next(), voices.next()) {
        (Some(a), Some(b)) => {
            let (one, other) = (&a.entry.speaker, &b.entry.speaker);
            told("briefing", &[("one", one), ("first", a.quote), ("other", other), ("second", b.quote)])
        }
        (Some(a), None) => told("briefing after one", &[("one", &a.entry.speaker), ("first", a.quote)]),
        (None, _) => told("first briefing", &[("t", &scene.matter)]),
    }
}

/// An angle for the round that was not set before.
pub fn new_angle(scene: &Scene<'_>) -> String {
    let deck = scene.deck("angle", LENSES.len());
    let mut names = deck.iter().filter_map(|card| LENSES.get(*card)).map(|lens| lens.name);
    names.clone().find(|name| !scene.was_said(name)).or_else(|| names.next()).unwrap_or("the evidence").to_owned()
}

/// The moderator's summary of a round.
pub fn summary(scene: &Scene<'_>) -> String {
    let points = latest_points(scene);
    if points.is_empty() {
        return told("silence", &[("t", &scene.matter)]);
    }
    let said: Vec<String> =
        points.iter().take(3).map(|p| format!("{} holds that \"{}\"", p.entry.speaker, p.quote)).collect();
    told("summary", &[("said", &said.join("; ")), ("t", &scene.matter)])
}

/// The stance a moderator would decide for.
pub fn decision<'a>(scene: &Scene<'a>) -> Option<&'a str> {
    ranking(scene).first().copied()
}

/// A closing of a round as the classic three lines.
pub fn close_in_lines(scene: &Scene<'_>) -> String {
    let settled = scene.brief.is_last_round();
    let status = if settled { "SETTLED" } else { "NOT SETTLED" };
    let decision = decision(scene).filter(|_| settled).unwrap_or("none yet");
    format!("SUMMARY: {}\nSTATUS: {status}\nDECISION: {decision}", summary(scene))
}

/// A ballot as plain text.
pub fn ballot_in_words(scene: &Scene<'_>) -> String {
    let choice = scene.brief.stance.as_deref().or_else(|| decision(scene)).unwrap_or("undecided");
    format!("My choice: {choice}.")
}

/// What somebody says who was given no task that the cast knows.
pub fn chair(scene: &Scene<'_>) -> String {
    if scene.brief.entries.is_empty() { briefing(scene) } else { summary(scene) }
}

/// The answer to anything that is not a debate.
pub fn explain_yourself(scene: &Scene<'_>) -> String {
    let matter = if scene.brief.topic.is_empty() { String::new() } else { format!(" on {}", scene.matter) };
    told("no debate", &[("on", &matter)])
}

/// The latest weighty point of each speaker, in the order of their first entries.
fn latest_points<'a>(scene: &Scene<'a>) -> Vec<QuotedPoint<'a>> {
    let mut speakers: Vec<&str> = Vec::new();
    for entry in scene.brief.voices() {
        if !speakers.contains(&entry.speaker.as_str()) {
            speakers.push(&entry.speaker);
        }
    }
    let of = |name: &&str| {
        let name = (*name).to_owned();
        scene.first_weighty(scene.brief.entries.iter().rev().filter(move |entry| entry.speaker == name))
    };
    speakers.iter().filter_map(of).collect()
}

/// Short reasons for a choice, quoting who argued for it.
pub fn reasons(scene: &Scene<'_>, stance: &str) -> Vec<String> {
    let gist = |card: usize| LENSES.get(card).map(|lens| words::upper_first(lens.gist) + ".");
    let mut reasons: Vec<String> = scene.deck("reasons", LENSES.len()).into_iter().filter_map(gist).take(1).collect();
    if let Some(point) = scene.weightiest_point(stance) {
        let who = if point.entry.speaker == scene.you { "I said it myself" } else { point.entry.speaker.as_str() };
        reasons.insert(0, format!("{who}: \"{}\".", point.quote));
    }
    reasons
}
