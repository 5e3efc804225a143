//! The sensitivity table: the same comparison under other treatments of doubtful cells.
use super::comparisons::{Comparer, CountedPair, OpenComparison};
use super::plurality::vote_of;
use super::statistics::{PairedFigures, PairedScore};
use super::table::{CellScore, CellTable};
use super::trust::corrected;
use crate::{CellEnding, CountResult, Estimate, Facts, Interval, Question, SensitivityCase, SensitivityRow};

/// What becomes of a pair of cells: other scores, or nothing where both are left out; and how many cells that changes.
type Treatment = (Option<(f64, f64)>, u32);

/// All rows that change something, the first one as counted.
pub(super) fn rows(
    comparer: &Comparer<'_, '_>,
    open: &OpenComparison<'_, '_>,
    counts: &[CountResult],
) -> Vec<SensitivityRow> {
    let (Some((pair, figures)), Some(own)) = (open.rows.first(), counts.first()) else { return Vec::new() };
    let mut rows = vec![SensitivityRow {
        case: SensitivityCase::AsCounted,
        count: None,
        questions: figures.questions,
        changed_cells: 0,
        difference: Some(own.difference),
        p: own.p,
        verdict: own.verdict,
        turns: false,
    }];
    let treatments = [
        SensitivityCase::FailuresLeftOut,
        SensitivityCase::FailuresAtChance,
        SensitivityCase::NoAnswerByBallots,
        SensitivityCase::DegradedLeftOut,
        SensitivityCase::OneJudgeOrder,
    ];
    rows.extend(treatments.into_iter().filter_map(|case| treated(comparer, pair, own, case)));
    rows.extend(counts.iter().skip(1).map(|row| SensitivityRow {
        case: SensitivityCase::OtherCount,
        count: Some(row.count),
        questions: figures.questions,
        changed_cells: 0,
        difference: Some(row.difference),
        p: row.p,
        verdict: row.verdict,
        turns: false,
    }));
    rows.extend(by_labels(comparer, open, own));
    rows
}

/// The difference of the rates that labels corrected. Its interval takes the two rates for independent (Zou and Donner 2008), which is too
/// wide where the same questions are hard for both.
fn by_labels(comparer: &Comparer<'_, '_>, open: &OpenComparison<'_, '_>, own: &CountResult) -> Option<SensitivityRow> {
    let rate = |arm: &str| corrected(&comparer.corrected, arm)?.corrected;
    let (arm, rival) = (rate(&open.arm.id)?, rate(&open.rival.id)?);
    let (pair, figures) = open.rows.first()?;
    let value = arm.value - rival.value;
    let interval = arm.interval.zip(rival.interval).map(|(one, other)| Interval {
        low: value - (arm.value - one.low).hypot(other.high - rival.value),
        high: value + (one.high - arm.value).hypot(rival.value - other.low),
    });
    let difference = Estimate { value, interval, n: arm.n };
    let apart = interval.is_some_and(|interval| interval.low > 0.0 || interval.high < 0.0);
    let figures = PairedFigures { difference, ..figures.clone() };
    let p = Some(if apart { 0.0 } else { 1.0 });
    let (verdict, _) = comparer.settle(&figures, p, own.ratio, (pair.held_down, own.distrusted.is_empty()));
    Some(SensitivityRow {
        case: SensitivityCase::CorrectedLabels,
        count: None,
        questions: figures.questions,
        changed_cells: 0,
        difference: Some(difference),
        p: None,
        verdict: Some(verdict),
        turns: false,
    })
}

/// The comparison under a treatment; none where it changes no cell.
fn treated(
    comparer: &Comparer<'_, '_>,
    pair: &CountedPair<'_>,
    own: &CountResult,
    case: SensitivityCase,
) -> Option<SensitivityRow> {
    let table = comparer.table;
    let mut changed_cells = 0;
    let mut pairs = Vec::new();
    for (arm, rival) in pair.arm.iter().zip(&pair.rival) {
        let (scores, changed) = treat(table, arm, rival, case)?;
        changed_cells += changed;
        let Some((one, other)) = scores else { continue };
        let question = u32::try_from(arm.at).ok()?;
        pairs.push(PairedScore { cluster: table.cluster(arm.at), question, arm: one, rival: other });
    }
    if changed_cells == 0 {
        return None;
    }
    let figures = comparer.estimator.paired_lightly(&pairs, comparer.sequential);
    // the other comparisons of the family stay as they are, so that the adjustment is the same factor
    let factor = own.p.zip(own.p_adjusted).filter(|(p, _)| *p > 0.0).map_or(1.0, |(p, adjusted)| adjusted / p);
    let verdict = figures.as_ref().map(|figures| {
        let adjusted = figures.p.map(|p| (p * factor.max(1.0)).min(1.0));
        comparer.settle(figures, adjusted, own.ratio, (pair.held_down, own.distrusted.is_empty()))
    });
    Some(SensitivityRow {
        case,
        count: None,
        questions: figures.as_ref().map_or(0, |figures| figures.questions),
        changed_cells,
        difference: figures.as_ref().map(|figures| figures.difference),
        p: figures.as_ref().and_then(|figures| figures.p),
        verdict: verdict.map(|(verdict, _)| verdict),
        turns: false,
    })
}

fn treat(
    table: &CellTable<'_>,
    arm: &CellScore<'_>,
    rival: &CellScore<'_>,
    case: SensitivityCase,
) -> Option<Treatment> {
    let Some(both) = table.pair_scores(arm, rival) else { return Some((None, 0)) };
    let question = table.question(arm.at)?;
    let failed = u32::from(arm.has_failed()) + u32::from(rival.has_failed());
    Some(match case {
        SensitivityCase::FailuresLeftOut if failed > 0 => (None, failed),
        SensitivityCase::FailuresAtChance if failed > 0 && question.chance() > 0.0 => {
            let scored = |cell: &CellScore<'_>, score: f64| if cell.has_failed() { question.chance() } else { score };
            (Some((scored(arm, both.0), scored(rival, both.1))), failed)
        }
        SensitivityCase::DegradedLeftOut if arm.degraded || rival.degraded => {
            (None, u32::from(arm.degraded) + u32::from(rival.degraded))
        }
        SensitivityCase::NoAnswerByBallots => rescored(arm, rival, both, |cell| by_ballots(question, cell)),
        SensitivityCase::OneJudgeOrder => rescored(arm, rival, both, |cell| by_one_order(question, cell)),
        SensitivityCase::AsCounted
        | SensitivityCase::FailuresLeftOut
        | SensitivityCase::FailuresAtChance
        | SensitivityCase::DegradedLeftOut
        | SensitivityCase::OtherCount
        | SensitivityCase::CorrectedLabels => (Some(both), 0),
    })
}

fn rescored(
    arm: &CellScore<'_>,
    rival: &CellScore<'_>,
    (one, other): (f64, f64),
    score: impl Fn(&CellScore<'_>) -> Option<f64>,
) -> Treatment {
    let (arm, rival) = (score(arm), score(rival));
    let changed = u32::from(arm.is_some()) + u32::from(rival.is_some());
    (Some((arm.unwrap_or(one), rival.unwrap_or(other))), changed)
}

/// What a debate without an answer scores by the plurality of its last ballots, else of the first.
fn by_ballots(question: &Question, cell: &CellScore<'_>) -> Option<f64> {
    let facts = cell.facts.filter(|_| matches!(cell.ending, CellEnding::NoAnswer { .. }))?;
    let cast = |last: bool| {
        facts.ballots.iter().filter(move |ballot| ballot.last == last).map(|ballot| ballot.answer.as_str())
    };
    let last = vote_of(question, cast(true));
    if last.top.is_empty() { vote_of(question, cast(false)).score } else { last.score }
}

/// What a debate scores by the first order of presentation alone, where a judge saw several.
fn by_one_order(question: &Question, cell: &CellScore<'_>) -> Option<f64> {
    let facts: &Facts = cell.facts?;
    if !question.is_scored_by_pattern() || cell.has_failed() || !facts.judged.iter().any(|judged| judged.order > 0) {
        return None;
    }
    let first = facts.judged.iter().filter(|judged| judged.order == 0).filter_map(|judged| judged.answer.as_deref());
    let score = vote_of(question, first).score.unwrap_or(0.0);
    (cell.score != Some(score)).then_some(score)
}
