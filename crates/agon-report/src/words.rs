//! The words of the reports: how moments, figures and the names of the core read for a person.
mod names;

pub(crate) use agon_core::thousands as number;

use crate::claims::Claims;
use crate::text::{clause, one_line};
use agon_core::{
    Admission, Citation, Consensus, ConsensusSource, EMBEDDER, MODERATOR, Measures, Method, Reason, Recalled,
    SUMMARIZER, SYNTHESIZER, Score, Timestamp, VoteRule, VoteUnit, VoterWeight, judge_index,
};
pub(crate) use names::*;

/// What stands on everything that came out of a rehearsal.
pub const REHEARSAL: &str = "Rehearsal: scripted speakers, no model said any of this";

/// RFC 3339 with milliseconds, UTC. Moments after the year 9999 read as its end.
pub(crate) fn rfc3339(at: Timestamp) -> String {
    moment(at).strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
/// Day and minute, UTC.
pub(crate) fn day(at: Timestamp) -> String {
    moment(at).strftime("%-d %B %Y, %H:%M UTC").to_string()
}
/// Time of day with milliseconds, UTC.
pub(crate) fn clock(at: Timestamp) -> String {
    moment(at).strftime("%H:%M:%S%.3f").to_string()
}
/// Such as `14:03:10 UTC`.
pub(crate) fn time_of_day(at: Timestamp) -> String {
    moment(at).strftime("%H:%M:%S UTC").to_string()
}
fn moment(at: Timestamp) -> jiff::Timestamp {
    i64::try_from(at.0).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok()).unwrap_or(jiff::Timestamp::MAX)
}

/// How much the speakers were told of earlier debates, where the file asks for that.
pub(crate) fn told_of(admission: &Admission) -> Option<String> {
    match (admission.history.len() as u64, admission.spec.history_limit) {
        (0, 0) => None,
        (0, 1..) => Some(match by_embeddings(admission) {
            true => format!("told of no earlier debate: none that is kept is like this one{}", found_by(admission)),
            false => {
                let none = "told of no earlier debate: none that is kept shares a word with this one";
                format!("{none}{}", found_by(admission))
            }
        }),
        (told, _) => {
            let history = || admission.history.iter();
            let failed = history().map(|past| past.positions().count() as u64).sum::<u64>();
            let accepted = history().map(|past| past.objections().count() as u64).sum::<u64>();
            let parts = [
                (failed > 0).then(|| format!("{} that failed", count(failed, "argument"))),
                (accepted > 0).then(|| count(accepted, "accepted objection")),
            ];
            let parts: String = parts.into_iter().flatten().map(|part| format!(", and of {part}")).collect();
            Some(format!("told of {}{parts}{}", count(told, "earlier debate"), found_by(admission)))
        }
    }
}

fn by_embeddings(admission: &Admission) -> bool {
    admission.recalled.as_ref().is_some_and(|recalled| recalled.method == Method::Embeddings)
}

/// By what earlier debates were compared, where that are not words alone by the file's wish.
fn found_by(admission: &Admission) -> String {
    let Some(Recalled { method, model }) = &admission.recalled else { return String::new() };
    match method {
        Method::Embeddings => format!(", by embeddings of {model}"),
        Method::Words | Method::WordsInstead => {
            format!(", by words, because the embeddings of {model} could not be had")
        }
    }
}

/// A length of time, as exact as a reader needs it, rounded.
pub fn duration(ms: u64) -> String {
    let rounded = |unit: u64| ms.saturating_add(unit / 2) / unit;
    match (ms, rounded(100), rounded(1_000), rounded(60_000)) {
        (0..1_000, ..) => format!("{ms} ms"),
        (_, tenths @ 0..600, ..) => format!("{}.{} s", tenths / 10, tenths % 10),
        (_, _, seconds @ 0..3_600, _) => format!("{} min {:02} s", seconds / 60, seconds % 60),
        (.., minutes) => format!("{} h {:02} min", minutes / 60, minutes % 60),
    }
}
/// `1 call`, `2 calls`.
pub fn count(n: u64, one: &str) -> String {
    format!("{} {one}{}", number(n), if n == 1 { "" } else { "s" })
}
/// `1 speech`, `2 speeches`.
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(n), if n == 1 { one } else { many })
}
/// A known figure, or the sign for an unknown one.
pub(crate) fn known(n: Option<u64>, show: fn(u64) -> String) -> String {
    n.map_or_else(|| "–".to_owned(), show)
}

/// What came after a failed try.
pub(crate) fn then(retry_at: Option<Timestamp>) -> &'static str {
    if retry_at.is_some() { "tried again" } else { "given up" }
}

/// A participant's name as a reader knows it: offices are written like names.
pub(crate) fn who(participant: &str) -> &str {
    match participant {
        MODERATOR => "Moderator",
        name if judge_index(&name.into()).is_some() => office(name),
        SUMMARIZER => "Summarizer",
        SYNTHESIZER => "Synthesizer",
        EMBEDDER => "Embedding model",
        name => name,
    }
}

/// A judge's name; `Judge` for anybody else.
pub(crate) fn office(judge: &str) -> &'static str {
    match judge_index(&judge.into()).unwrap_or(0) {
        1 => "Judge 2",
        2 => "Judge 3",
        3 => "Judge 4",
        4 => "Judge 5",
        5 => "Judge 6",
        6 => "Judge 7",
        7 => "Judge 8",
        8 => "Judge 9",
        _ => "Judge",
    }
}

/// `2 of 3 eligible voters for “Invest now”`; where several answers share the top, that instead of one of them.
pub(crate) fn share(consensus: &Consensus) -> String {
    // Where every round votes, a voter has several votes.
    let what = match consensus.source {
        ConsensusSource::Votes => "eligible vote",
        ConsensusSource::FinalBallots | ConsensusSource::FirstBallots => "eligible voter",
    };
    let voters = count(consensus.eligible.into(), what);
    match &consensus.answer {
        Some(answer) => format!("{} of {voters} for “{answer}”", consensus.top),
        None => format!("{} of {voters} for each of several answers", consensus.top),
    }
}

/// `3 of 4 citations verified`: how many of a judge's quotations stand where they are said to.
pub(crate) fn checked(citations: &[Citation]) -> String {
    let found = citations.iter().filter(|citation| citation.verified).count();
    format!("{found} of {} verified", count(citations.len() as u64, "citation"))
}

/// `1 of 4 claims without a citation`; nothing where no claim is made.
pub(crate) fn claims(claims: Claims) -> Option<String> {
    let told = || format!("{} of {} without a citation", claims.uncited, count(claims.total as u64, "claim"));
    (claims.total > 0).then(told)
}

/// `agreement 0.42, stability 0.71, by words`; what is unknown is left out.
pub(crate) fn measures(measures: &Measures) -> String {
    let by = if measures.by_answers { " of the named answers" } else { "" };
    let agreement = measures.agreement.map(|value| format!("agreement{by} {}", measure(value)));
    let stability = measures.stability.map(|value| format!("stability {}", measure(value)));
    let known: Vec<String> = agreement.into_iter().chain(stability).collect();
    let known = if known.is_empty() { "nothing to compare yet".to_owned() } else { known.join(", ") };
    format!("{known}, {}", measures.method.label())
}
/// A measure between 0 and 1, without the sign that a zero may have.
pub(crate) fn measure(value: f64) -> String {
    format!("{:.2}", value.abs())
}
/// What somebody gives as reasons, on one line: full stops between them go, for what follows is no sentence of its own.
pub(crate) fn reasons(reasons: &[String]) -> String {
    let last = reasons.len().saturating_sub(1);
    let shown = reasons.iter().enumerate().map(|(at, reason)| {
        let reason = one_line(reason);
        if at < last { clause(&reason).to_owned() } else { reason }
    });
    shown.collect::<Vec<_>>().join("; ")
}
/// ` (80 % sure)`; nothing where nobody asked.
pub(crate) fn sure(confidence: Option<u8>) -> String {
    confidence.map(|percent| format!(" ({percent} % sure)")).unwrap_or_default()
}
/// A reason with its detail, where that says more.
pub fn why(reason: &Reason) -> String {
    match &reason.detail {
        Some(detail) => format!("{} ({})", reason.code.label(), clause(detail)),
        None => reason.code.label().to_owned(),
    }
}
/// JSON text, indented; as it is where it is no JSON.
pub(crate) fn pretty(json: &str) -> String {
    let value: Option<serde_json::Value> = serde_json::from_str(json).ok();
    value.and_then(|value| serde_json::to_string_pretty(&value).ok()).unwrap_or_else(|| json.to_owned())
}
/// Thousandths as a decimal fraction: `1.5`, `0.333`, `2`.
pub(crate) fn thousandths(n: u32) -> String {
    let fraction = format!("{:03}", n % 1_000);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{}{point}{fraction}", n / 1_000)
}
/// What a candidate got, in the unit of the rule: votes, points, approvals, weight or a mean score.
pub(crate) fn got(rule: Option<VoteRule>, n: u32) -> String {
    match rule.map_or(VoteUnit::Points, VoteRule::unit) {
        VoteUnit::Votes => count(n.into(), "vote"),
        VoteUnit::Points => count(n.into(), "point"),
        VoteUnit::Approvals => count(n.into(), "approval"),
        VoteUnit::Weight => format!("weight {}", thousandths(n)),
        VoteUnit::MeanScore => format!("mean {} of 40", thousandths(n)),
    }
}
/// A voter's weight, factor by factor: `((1600 - 1000) / 500) × (0.5 + 0.7) = 1.44`.
pub(crate) fn weight(weight: &VoterWeight) -> String {
    let total = thousandths(weight.thousandths);
    let sure = weight.confidence.map(|percent| format!(" × {percent} % sure")).unwrap_or_default();
    let (Some(elo), Some(calibration)) = (weight.elo, weight.calibration) else {
        return match weight.confidence {
            Some(_) => format!("weight of the debate file{sure} = {total}"),
            None => format!("{total}, as the debate file says"),
        };
    };
    let exact = ((elo - 1_000.0) / 500.0) * (0.5 + calibration);
    let held = if (0.1..=5.0).contains(&exact) { "" } else { ", held between 0.1 and 5" };
    let held = if sure.is_empty() { held } else { held.trim_end_matches(", held between 0.1 and 5") };
    format!("((elo {elo} - 1000) / 500) × (0.5 + calibration {calibration}){sure} = {total}{held}")
}
/// `clarity 8, evidence 7, originality 5, on topic 9: 29 of 40`.
pub(crate) fn score(score: &Score) -> String {
    let scales: Vec<String> =
        score.scales().iter().map(|(name, value)| format!("{} {value}", name.replace('_', " "))).collect();
    format!("{}: {} of 40", scales.join(", "), score.total())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_utc_with_milliseconds() {
        assert_eq!(rfc3339(Timestamp(1_767_323_045_007)), "2026-01-02T03:04:05.007Z");
        assert_eq!(rfc3339(Timestamp(0)), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn a_moment_out_of_range_is_clamped() {
        assert!(rfc3339(Timestamp(u64::MAX)).starts_with("9999-"));
    }

    #[test]
    fn durations_are_as_exact_as_their_size_asks_for() {
        assert_eq!(
            [999, 1_000, 59_949, 59_950, 60_000, 3_599_499, 3_599_500, 3_600_000].map(duration),
            ["999 ms", "1.0 s", "59.9 s", "1 min 00 s", "1 min 00 s", "59 min 59 s", "1 h 00 min", "1 h 00 min"]
        );
        assert_eq!([1_049, 5_999, 83_600, 5_429_000].map(duration), ["1.0 s", "6.0 s", "1 min 24 s", "1 h 30 min"]);
    }

    #[test]
    fn a_zero_has_no_sign() {
        assert_eq!([-0.0, 0.0, 0.425].map(measure), ["0.00", "0.00", "0.42"]);
    }

    #[test]
    fn reasons_on_one_line_are_parted_by_one_sign() {
        let reasons = |of: &[&str]| super::reasons(&of.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        assert_eq!(reasons(&["It is cheap.", "It is\nnear."]), "It is cheap; It is near.");
        assert_eq!(reasons(&[]), "");
    }
}
