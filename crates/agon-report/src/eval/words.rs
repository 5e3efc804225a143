//! How the figures and names of an eval read for a person.
use crate::text::one_line;
use crate::words::{duration, number};
use agon_core::money;
use agon_eval::*;

/// The sign for an unknown figure.
pub(super) const UNKNOWN: &str = "–";

/// `71.3 %`.
pub(super) fn percent(share: f64) -> String {
    finite(share * 100.0, |value| format!("{} %", decimals(value, 1)))
}
/// `+7.4`: points of a hundred.
pub(super) fn points(share: f64) -> String {
    finite(share * 100.0, |value| {
        let text = decimals(value, 1);
        if text.starts_with('-') || text == "0.0" { text } else { format!("+{text}") }
    })
}
/// `[61.6, 73.1]`, in hundredths.
pub(super) fn interval(interval: Option<Interval>) -> Option<String> {
    let Interval { low, high } = interval?;
    (low.is_finite() && high.is_finite())
        .then(|| format!("[{}, {}]", decimals(low * 100.0, 1), decimals(high * 100.0, 1)))
}
/// `71.3 % [66.1, 76.0]`; where there is no interval, that is said.
pub(super) fn rate(estimate: &Estimate) -> String {
    with_interval(percent(estimate.value), estimate)
}
/// `+7.4 points [1.6, 13.1]`.
pub(super) fn difference(estimate: &Estimate) -> String {
    with_interval(format!("{} points", points(estimate.value)), estimate)
}
fn with_interval(figure: String, estimate: &Estimate) -> String {
    match (estimate.n, interval(estimate.interval)) {
        (0, _) => UNKNOWN.to_owned(),
        (_, Some(interval)) => format!("{figure} {interval}"),
        (_, None) => format!("{figure} (no interval)"),
    }
}
/// An estimate that is no share: `0.31 [0.20, 0.42]`.
pub(super) fn plain_estimate(estimate: &Estimate, places: usize) -> String {
    if estimate.n == 0 {
        return UNKNOWN.to_owned();
    }
    let figure = fixed(estimate.value, places);
    match estimate.interval {
        Some(Interval { low, high }) => format!("{figure} [{}, {}]", fixed(low, places), fixed(high, places)),
        None => format!("{figure} (no interval)"),
    }
}
/// `17,000 [16,150, 17,850]` would read as three numbers, so bounds are parted by `to`.
pub(super) fn amount_estimate(count: Count, estimate: &Estimate) -> String {
    let figure = amount(count, estimate.value);
    match (estimate.n, estimate.interval) {
        (0, _) => UNKNOWN.to_owned(),
        (_, Some(Interval { low, high })) => {
            format!("{figure} [{} to {}]", amount(count, low.max(0.0)), amount(count, high))
        }
        (_, None) => format!("{figure} (no interval)"),
    }
}
pub(super) fn known<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), show)
}
/// A number with so many places behind the point.
pub(super) fn fixed(value: f64, places: usize) -> String {
    finite(value, |value| decimals(value, places))
}
fn finite(value: f64, show: impl Fn(f64) -> String) -> String {
    if value.is_finite() { show(value) } else { UNKNOWN.to_owned() }
}
/// Never a negative zero.
fn decimals(value: f64, places: usize) -> String {
    let text = format!("{value:.places$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.to_owned(),
        _ => text,
    }
}
/// `0.012`, `< 0.001`.
pub(super) fn p(value: f64) -> String {
    match value {
        value if !value.is_finite() => UNKNOWN.to_owned(),
        value if value < 0.001 => "< 0.001".to_owned(),
        value => decimals(value, 3),
    }
}
/// `0.99 ×`.
pub(super) fn ratio(value: f64) -> String {
    finite(value, |value| format!("{} ×", decimals(value, 2)))
}
/// An amount by a count, without its unit.
pub(super) fn amount(count: Count, value: f64) -> String {
    if !value.is_finite() {
        return UNKNOWN.to_owned();
    }
    match count {
        Count::Total | Count::Generated | Count::New if value >= 10.0 || value == 0.0 => number(value.round() as u64),
        Count::Total | Count::Generated | Count::New => decimals(value, 1),
        Count::Seconds => seconds(value),
        Count::Money if value < 0.0 => format!("-{}", money(-value, false)),
        Count::Money => money(value, false),
    }
}
/// What a question cost, marked where not all of it was reported.
pub(super) fn cost(cost: &CostFigure) -> String {
    let mark = match (cost.estimated, cost.unknown_share) {
        (Some(_), _) => " (estimated)",
        (None, share) if share > 0.0 => " (part unknown)",
        (None, _) => "",
    };
    format!("{}{mark}", amount(cost.count, cost.per_question))
}
/// `1.2 s`, `3 min 04 s`.
pub(super) fn seconds(value: f64) -> String {
    finite(value, |value| duration((value.max(0.0) * 1_000.0).round() as u64))
}
/// What rates are called: the share of right answers, or a mean score.
pub(super) fn rate_name(result: &EvalResult) -> &'static str {
    if result.setup.measure() == RateMeasure::Right { "Right" } else { "Score" }
}
/// The head of a column of rates with their intervals.
pub(super) fn rate_column(result: &EvalResult) -> String {
    format!("#{} [95 %]", rate_name(result))
}
/// `Right answers`, `Scores`: what figures are about.
pub(super) fn rates(result: &EvalResult) -> &'static str {
    if result.setup.measure() == RateMeasure::Right { "Right answers" } else { "Scores" }
}
/// What a score is; nothing where rates are shares of right answers.
pub(super) fn score_meaning(setup: &EvalSetup) -> Option<String> {
    let questions = |of: fn(&str) -> bool| {
        let of = setup.scorers.iter().filter(|(name, _)| name.as_str() != "pairwise" && of(name));
        number(of.map(|(_, n)| u64::from(*n)).sum())
    };
    let partly = questions(RateMeasure::is_partly);
    let has = |scorer: &str| setup.scorers.contains_key(scorer);
    let (each, all) = match (has("rubric"), has("command")) {
        (true, true) => {
            ("share of criteria met or the program's score", "criteria met, or the score of the eval's program")
        }
        (_, true) => ("the program's score", "score of the eval's program for each answer"),
        (_, false) => ("the share of criteria met", "share of the criteria that an answer meets"),
    };
    match setup.measure() {
        RateMeasure::Right => None,
        RateMeasure::Score => Some(format!("mean {all}; not a share of right answers")),
        RateMeasure::Mixed => Some(format!(
            "mean over {} questions whose answers are right (100 %) or not, and {partly} scored by {each}",
            questions(|name| !RateMeasure::is_partly(name))
        )),
    }
}
/// What a count counts.
pub(super) fn unit(count: Count) -> &'static str {
    match count {
        Count::Total => "tokens",
        Count::Generated => "generated tokens",
        Count::New => "new tokens",
        Count::Seconds => "seconds of compute",
        Count::Money => "money",
    }
}
/// What a count counts, in full.
pub(super) fn unit_in_full(count: Count) -> &'static str {
    match count {
        Count::Total => "total tokens (prompt, cached ones included, and generated)",
        Count::Generated => "generated tokens (thinking included)",
        Count::New => "new tokens (total without cached ones)",
        Count::Seconds => "seconds of compute (prefill and decoding)",
        Count::Money => "money, by the configured prices",
    }
}
/// The same at the head of a column.
pub(super) fn unit_title(count: Count) -> &'static str {
    match count {
        Count::Total => "Tokens",
        Count::Generated => "Generated tokens",
        Count::New => "New tokens",
        Count::Seconds => "Compute time",
        Count::Money => "Money",
    }
}

/// An arm's name as a reader knows it.
pub(super) fn arm_name(result: &EvalResult, arm: &ArmResult) -> String {
    let matched = arm.matched_to.as_ref().map(|name| one_line(&name.0));
    let several = result.arms.iter().filter(|other| other.kind == arm.kind).count() > 1;
    let matched_to = |name: &str| match &matched {
        Some(debate) if several => format!("{name} (matched to {debate})"),
        _ => name.to_owned(),
    };
    match arm.kind {
        ArmKind::Debate => one_line(&arm.name.0),
        ArmKind::Isolated => format!("{} (isolated)", matched.as_deref().unwrap_or(&arm.name.0)),
        ArmKind::Single => "single sample".to_owned(),
        ArmKind::SelfConsistency => matched_to("self-consistency"),
        ArmKind::BestOfN => matched_to("best of n"),
        ArmKind::JudgeAlone => matched_to("judge alone"),
        ArmKind::Command => one_line(&arm.name.0),
    }
}
/// The name of the arm with this id; the id itself where there is none.
pub(super) fn arm_of(result: &EvalResult, id: &str) -> String {
    let arm = result.arms.iter().find(|arm| arm.id == id);
    arm.map_or_else(|| one_line(id), |arm| arm_name(result, arm))
}
/// `panel against self-consistency`.
pub(super) fn versus(result: &EvalResult, comparison: &ComparisonResult) -> String {
    let find = |id: &str| result.arms.iter().find(|arm| arm.id == id);
    let (arm, rival) = (find(&comparison.arm), find(&comparison.rival));
    // What is matched to the very debate need not say so.
    let own = arm.zip(rival).filter(|(arm, rival)| rival.matched_to.as_ref() == Some(&arm.name));
    let rival = match own.map(|(_, rival)| rival.kind) {
        Some(ArmKind::SelfConsistency) => "self-consistency".to_owned(),
        Some(ArmKind::BestOfN) => "best of n".to_owned(),
        Some(ArmKind::JudgeAlone) => "judge alone".to_owned(),
        Some(ArmKind::Isolated) => "its isolated form".to_owned(),
        Some(ArmKind::Debate | ArmKind::Single | ArmKind::Command) | None => arm_of(result, &comparison.rival),
    };
    format!("{} against {rival}", arm_of(result, &comparison.arm))
}
/// What an arm is.
pub(super) fn arm_kind(kind: ArmKind) -> &'static str {
    match kind {
        ArmKind::Debate => "debate",
        ArmKind::Isolated => "debate in which nobody sees the others",
        ArmKind::Single => "one sample",
        ArmKind::SelfConsistency => "plurality of samples",
        ArmKind::BestOfN => "samples of which a judge picks one",
        ArmKind::JudgeAlone => "plurality of samples of the judge's model",
        ArmKind::Command => "a program of one's own",
    }
}
/// A free arm's name, without the debate's.
pub(super) fn free_arm(kind: FreeArmKind, round: Option<u32>) -> String {
    match kind {
        FreeArmKind::VoteFirst => "vote of the first ballots".to_owned(),
        FreeArmKind::VoteOpenings => "vote of the openings".to_owned(),
        FreeArmKind::VoteLast => "vote of the last ballots".to_owned(),
        FreeArmKind::RandomFirst => "one first ballot at random".to_owned(),
        FreeArmKind::Oracle => "right if any debater was right".to_owned(),
        FreeArmKind::JudgeOrder0 => "judge, first order alone".to_owned(),
        FreeArmKind::JudgeOrder1 => "judge, second order alone".to_owned(),
        FreeArmKind::StopAfter => match round {
            Some(0) => "stopped after the openings".to_owned(),
            Some(round) => format!("stopped after round {round}"),
            None => "stopped early".to_owned(),
        },
    }
}
/// The name of an arm or a free arm, by an id of the front.
pub(super) fn front_name(result: &EvalResult, id: &str) -> String {
    if result.arms.iter().any(|arm| arm.id == id) {
        return arm_of(result, id);
    }
    let point = result.front.iter().find(|point| point.id == id);
    if let Some(samples) = point.and_then(|point| point.samples) {
        let models = if result.curves.len() > 1 { id.split_once(" of ").map(|(_, models)| models) } else { None };
        let name = format!("self-consistency of {samples} sample{}", if samples == 1 { "" } else { "s" });
        return models.map_or(name.clone(), |models| format!("{name} of {}", one_line(models)));
    }
    match (point.and_then(|point| point.free), id.split_once('/')) {
        (Some(kind), Some((debate, rest))) => {
            let round = rest.rsplit('_').next().and_then(|round| round.parse().ok());
            format!("{}: {}", one_line(debate), free_arm(kind, round))
        }
        _ => one_line(id),
    }
}

/// The badge of a verdict.
pub(super) fn verdict(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Helped => "Helped",
        VerdictKind::NoGain => "No gain",
        VerdictKind::Hurt => "Hurt",
        VerdictKind::CannotTell => "Cannot tell",
    }
}
/// The badge of what a comparison found, with what is said beside it.
pub(super) fn found(count: &CountResult) -> String {
    let Some(kind) = count.verdict else { return "No verdict".to_owned() };
    let besides = [(count.cost_only, "at higher cost"), (count.fragile, "fragile")];
    let besides: Vec<&str> = besides.into_iter().filter_map(|(is, word)| is.then_some(word)).collect();
    match besides.is_empty() {
        true => verdict(kind).to_owned(),
        false => format!("{} ({})", verdict(kind), besides.join(", ")),
    }
}
pub(super) fn family(family: ComparisonFamily) -> &'static str {
    match family {
        ComparisonFamily::Primary => "primary",
        ComparisonFamily::Secondary => "secondary",
        ComparisonFamily::PostHoc => "post hoc",
    }
}
pub(super) fn method(method: IntervalMethod) -> &'static str {
    match method {
        IntervalMethod::Tango => "Tango's score interval",
        IntervalMethod::Bootstrap => "studentised bootstrap of clusters",
        IntervalMethod::Sequence => "confidence sequence",
    }
}
pub(super) fn case(row: &SensitivityRow) -> String {
    match row.case {
        SensitivityCase::AsCounted => "as counted".to_owned(),
        SensitivityCase::FailuresLeftOut => "questions with failures left out, for both".to_owned(),
        SensitivityCase::FailuresAtChance => "failures score as a guess would".to_owned(),
        SensitivityCase::NoAnswerByBallots => "missing answers by the last ballots".to_owned(),
        SensitivityCase::DegradedLeftOut => "debates with missing seats left out, for both".to_owned(),
        SensitivityCase::OneJudgeOrder => "the judge's first order alone".to_owned(),
        SensitivityCase::OtherCount => format!("equal {}", row.count.map_or("cost by another count", unit)),
        SensitivityCase::CorrectedLabels => "rates corrected by people's labels".to_owned(),
    }
}
pub(super) fn sureness(source: SurenessSource) -> &'static str {
    match source {
        SurenessSource::BallotShare => "share of last ballots behind their top answer",
        SurenessSource::SampleShare => "share of samples behind their top answer",
        SurenessSource::JudgeShare => "share of judgements behind their top answer",
        SurenessSource::StatedByBallots => "confidence stated with ballots",
        SurenessSource::StatedBySamples => "confidence stated with samples",
    }
}
pub(super) fn outcome(outcome: CellOutcome) -> &'static str {
    match outcome {
        CellOutcome::Right => "right",
        CellOutcome::Partly => "partly right",
        CellOutcome::Tie => "tie",
        CellOutcome::Wrong => "wrong",
        CellOutcome::NoAnswer => "no answer",
        CellOutcome::Failed => "failed",
        CellOutcome::Ungraded => "not graded",
    }
}
pub(super) fn flip(flip: CellFlip) -> &'static str {
    match flip {
        CellFlip::KeptRight => "kept right",
        CellFlip::KeptWrong => "kept wrong",
        CellFlip::WrongToRight => "wrong to right",
        CellFlip::RightToWrong => "right to wrong",
    }
}
pub(super) fn state(result: &EvalResult) -> String {
    let state = match result.state {
        EvalState::Running => "running, or paused: more questions are open",
        EvalState::Complete => "complete",
        EvalState::Stopped => "stopped before its last question",
        EvalState::Cancelled => "cancelled before its last question",
        EvalState::Failed => "failed",
    };
    let Some(stop) = &result.stopped else { return state.to_owned() };
    let reason = match stop.reason.as_str() {
        "limit_tokens" => "the token limit was reached".to_owned(),
        "limit_seconds" => "the time limit was reached".to_owned(),
        "limit_money" => "the money limit was reached".to_owned(),
        "failures" => "too many answers failed".to_owned(),
        "gradings" => "too many gradings failed".to_owned(),
        "cancelled" => "somebody cancelled it".to_owned(),
        "decided" => "its sequential test came to an end".to_owned(),
        other => one_line(other),
    };
    let detail = stop.detail.as_deref().map(|detail| format!(" ({})", one_line(detail))).unwrap_or_default();
    let next = match stop.reason.starts_with("limit_") {
        true => "; a new run of the same file with a higher limit finds all answers again",
        false => "",
    };
    format!("{state}: {reason}{detail}{next}")
}
/// `if_contested skipped 12 of 60 debates, which saved about 120,000 tokens`.
pub(super) fn skipped(result: &EvalResult, arm: &ArmResult, skipped: SkippedDebates) -> String {
    let count = result.setup.count;
    let saved = skipped.saved.map(|saved| format!(", which saved about {} {}", amount(count, saved), unit(count)));
    let debates = number(skipped.debates.into());
    format!("if_contested skipped {debates} of {} debates{}", number(arm.n.into()), saved.unwrap_or_default())
}
/// What arms without a debate may spend.
pub(super) fn budget(result: &EvalResult) -> String {
    let (matching, unit) = (result.setup.matching, unit(result.setup.count));
    match matching {
        Matching::Debate => format!("rivals may spend what the debate spent on the same question, in {unit}"),
        Matching::Mean => format!("rivals may spend on each question what the debate spent in the mean, in {unit}"),
        Matching::Budget(budget) => {
            let spent = result.arms.iter().filter_map(|arm| debate_over(result, arm, budget)).collect::<String>();
            format!("{} {unit} on each question for arms without a debate{spent}", number(budget))
        }
        Matching::None => "none: each arm spends what it spends, and nothing is called equal".to_owned(),
    }
}
/// `; panel spent 39,399 (7.88 ×)`
fn debate_over(result: &EvalResult, arm: &ArmResult, budget: u64) -> Option<String> {
    let count = result.setup.count;
    let cost = arm.costs.iter().find(|cost| arm.kind == ArmKind::Debate && cost.count == count)?;
    let times = ratio(cost.per_question / budget as f64);
    Some(format!("; {} spent {} ({times})", arm_name(result, arm), amount(count, cost.per_question)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_a_unit_and_an_interval_and_unknown_ones_are_no_zeros() {
        let interval = Some(Interval { low: 0.016, high: 0.131 });
        assert_eq!(difference(&Estimate { value: 0.074, interval, n: 324 }), "+7.4 points [1.6, 13.1]");
        assert_eq!(rate(&Estimate { value: 0.074, interval: None, n: 4 }), "7.4 % (no interval)");
        assert_eq!(rate(&Estimate { value: 0.0, interval: None, n: 0 }), "–");
        assert_eq!([percent(f64::NAN), amount(Count::Total, f64::INFINITY), p(f64::NAN)], ["–", "–", "–"]);
        assert_eq!([points(-0.0001), points(-0.031), percent(1.0)], ["0.0", "-3.1", "100.0 %"]);
    }

    #[test]
    fn small_figures_keep_their_places() {
        assert_eq!(amount(Count::Money, 0.00042), "0.000420");
        assert_eq!([amount(Count::Total, 0.4), amount(Count::Total, 38_449.3)], ["0.4", "38,449"]);
        assert_eq!([p(0.0004), p(0.012)], ["< 0.001", "0.012"]);
    }
}
