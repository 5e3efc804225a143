//! A comparison in one sentence.
use super::arms::ScoredArm;
use crate::verdict::is_equal_spending;
use crate::{ArmKind, Count, CountResult, Matching, RateMeasure, VerdictKind};
use agon_core::{money, thousands};

/// What the sentence is about.
pub(super) struct Told<'t, 'a> {
    pub arm: &'t ScoredArm<'a>,
    pub rival: &'t ScoredArm<'a>,
    pub row: &'t CountResult,
    pub questions: u32,
    /// Those with a score in both arms; the others are not graded yet, or never.
    pub compared: u32,
    pub matching: Matching,
    /// In points.
    pub worth: f64,
    /// What rates are the mean of.
    pub measure: RateMeasure,
    /// The test is that of a sequential design.
    pub sequential: bool,
    /// That test ended the eval.
    pub decided: bool,
    /// The rival was given the arm's budget.
    pub rematched: bool,
}

/// `Debating (panel) helped: 71.3 % right against 63.9 % for self-consistency at equal tokens (0.99 x), +7.4 points [1.6, 13.1],
/// p = 0.012, 324 questions.`
pub(super) fn sentence(told: &Told<'_, '_>) -> String {
    let Told { arm, rival, row, questions, compared, worth, .. } = told;
    let subject = subject(arm);
    let mut text = match row.verdict {
        Some(VerdictKind::Helped) => format!("{subject} helped"),
        Some(VerdictKind::Hurt) => format!("{subject} hurt"),
        Some(VerdictKind::NoGain) => format!("{subject} gained less than {} points, if anything", short(*worth)),
        Some(VerdictKind::CannotTell) if row.cost_only => format!("{subject} won, but only at a higher cost"),
        Some(VerdictKind::CannotTell) => format!("Whether {} helps cannot be told", lower_first(&subject)),
        None => subject,
    };
    if let Some((one, other)) = row.arm_right.zip(row.rival_right) {
        let (lead, unit) = if told.measure == RateMeasure::Right { ("", " right") } else { ("a mean score of ", "") };
        text.push_str(&format!(": {lead}{} %{unit} against {} % for {}", percent(one), percent(other), named(rival)));
    } else if let Some(pairs) = row.pairs {
        let [win, tie, loss] = [pairs.win, pairs.tie, pairs.loss].map(percent);
        text.push_str(&format!(": better than {} on {win} %, as good on {tie} %, worse on {loss} %", named(rival)));
    } else {
        text.push_str(&format!(" against {}", named(rival)));
    }
    text.push_str(&spending(told));
    text.push_str(&format!(", {:+.1} points", points(row.difference.value)));
    if let Some(interval) = row.difference.interval {
        text.push_str(&format!(" [{:.1}, {:.1}]", points(interval.low), points(interval.high)));
    }
    if let Some(p) = row.p_adjusted.or(row.p) {
        let adjusted = if row.p_adjusted.is_some_and(|p| Some(p) != row.p) { " (adjusted)" } else { "" };
        text.push_str(&format!(", p {}{adjusted}", p_value(p)));
    }
    let [of, all] = [*compared, *questions].map(|count| thousands(count.into()));
    let of = if compared < questions { format!("{of} of ") } else { String::new() };
    text.push_str(&format!(", {of}{all} question{}.", if *questions == 1 { "" } else { "s" }));
    if let Some(more) = row.per_extra_right.filter(|_| row.verdict == Some(VerdictKind::Helped) || row.cost_only) {
        let gain = if told.measure == RateMeasure::Right { "right answer" } else { "full score" };
        text.push_str(&format!(" One more {gain} cost {}.", amount(more, row.count)));
    }
    if row.fragile {
        text.push_str(" The verdict is fragile: a row of the sensitivity table turns it.");
    }
    for reason in &row.distrusted {
        text.push(' ');
        text.push_str(reason);
    }
    if told.decided && row.verdict == Some(VerdictKind::CannotTell) && !row.cost_only {
        text.push_str(" The sequential test ended the eval, but ");
        text.push_str(if row.distrusted.is_empty() {
            "later answers, grades or failures do not confirm it."
        } else {
            "it compares scores alone, and asks for none of this."
        });
    }
    text.push_str(&needed(row, told.sequential));
    text
}

fn subject(arm: &ScoredArm<'_>) -> String {
    match arm.kind {
        ArmKind::Debate if is_poll(arm) => format!("The poll ({})", arm.name),
        ArmKind::Debate => format!("Debating ({})", arm.name),
        ArmKind::Isolated
        | ArmKind::Single
        | ArmKind::SelfConsistency
        | ArmKind::BestOfN
        | ArmKind::JudgeAlone
        | ArmKind::Command => upper_first(&named(arm)),
    }
}

/// An arm among figures: a debate by its name alone.
pub(super) fn short_name(arm: &ScoredArm<'_>) -> String {
    if arm.kind == ArmKind::Debate { arm.name.to_string() } else { named(arm) }
}

fn named(arm: &ScoredArm<'_>) -> String {
    match arm.kind {
        ArmKind::Debate if is_poll(arm) => format!("the poll {}", arm.name),
        ArmKind::Debate => format!("the debate {}", arm.name),
        ArmKind::Isolated => "the same debate without contact".to_owned(),
        ArmKind::Single => "one sample".to_owned(),
        ArmKind::SelfConsistency => "self-consistency".to_owned(),
        ArmKind::BestOfN => "best of n".to_owned(),
        ArmKind::JudgeAlone => "the judge's model alone".to_owned(),
        ArmKind::Command => format!("the program {}", arm.name),
    }
}

/// A debate file can be a poll, in which nobody debates.
fn is_poll(arm: &ScoredArm<'_>) -> bool {
    arm.cells.iter().any(|cell| cell.facts.is_some_and(|facts| !facts.samples.is_empty()))
}

/// ` at equal tokens (0.99 x)`, where spending was meant to be equal; else how much more or less was spent.
fn spending(told: &Told<'_, '_>) -> String {
    let Some(ratio) = told.row.ratio else { return String::new() };
    let unit = unit(told.row.count);
    let meant = told.rematched && told.matching != Matching::None;
    let mark = if told.row.estimated { ", estimated" } else { "" };
    if meant && is_equal_spending(ratio) {
        format!(" at equal {unit} ({ratio:.2} x{mark})")
    } else {
        let mark = mark.strip_prefix(", ").map(|mark| format!(" ({mark})")).unwrap_or_default();
        format!(" at {ratio:.2} x the {unit}{mark}")
    }
}

fn unit(count: Count) -> &'static str {
    match count {
        Count::Total => "tokens",
        Count::Generated => "generated tokens",
        Count::New => "new tokens",
        Count::Seconds => "seconds of computing",
        Count::Money => "money",
    }
}

fn amount(value: f64, count: Count) -> String {
    match count {
        Count::Total | Count::Generated | Count::New => format!("{} {}", thousands(value.round() as u64), unit(count)),
        Count::Seconds => format!("{value:.1} {}", unit(count)),
        Count::Money => format!("{} in money", money(value, false)),
    }
}

fn needed(row: &CountResult, sequential: bool) -> String {
    let told: Vec<String> = row
        .needed
        .iter()
        .filter_map(|needed| {
            Some(format!("{} for {} points", thousands(needed.questions?.into()), short(needed.points)))
        })
        .collect();
    let by = if sequential { " by the sequential test, at most" } else { "" };
    if told.is_empty() { String::new() } else { format!(" Questions needed{by}: {}.", told.join(", ")) }
}

fn p_value(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("= {p:.3}") }
}

/// Points of a hundred, to a tenth; what rounds to nothing has no sign of its own.
fn points(share: f64) -> f64 {
    (share * 1_000.0).round() / 10.0 + 0.0
}
fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

/// Without decimals that say nothing.
fn short(points: f64) -> String {
    format!("{points}")
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

fn upper_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
