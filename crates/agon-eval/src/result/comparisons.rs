//! Comparisons: the same questions in two arms.
use super::arms::{ScoredArm, estimated, spent};
use super::grades::AnswerPair;
use super::sensitivity;
use super::sentence::{Told, sentence, short_name};
use super::statistics::{Estimator, PairedFigures, PairedScore};
use super::table::{CellScore, CellTable, MatchedMethod};
use crate::at_once::at_once;
use crate::machine::MOST_FAILED;
use crate::verdict::is_equal_spending;
use crate::{
    ArmKind, ArmName, BaselineArm, CellEnding, Comparison, ComparisonFamily, ComparisonResult, CorrectedRate, Count,
    CountResult, Matching, NeededQuestions, PairShares, RateMeasure, VerdictKind,
};

/// The share of calls of unknown cost above which nothing is told by that count.
const MOST_UNKNOWN: f64 = 0.05;
/// Gains, in points, for which the questions needed are told.
const GAINS: [f64; 3] = [3.0, 5.0, 8.0];

/// What all comparisons share.
pub(super) struct Comparer<'t, 'a> {
    pub table: &'t CellTable<'a>,
    pub arms: &'t [ScoredArm<'a>],
    pub estimator: &'t Estimator,
    /// Why no comparison of this eval gets a verdict other than that nothing can be told.
    pub distrusted: Vec<String>,
    /// What each sentence says besides.
    pub marks: Vec<String>,
    /// Rates by people's labels.
    pub corrected: Vec<CorrectedRate>,
    /// The test is that of a sequential design.
    pub sequential: bool,
    /// The test of a sequential design ended the eval.
    pub decided: bool,
    /// The eval ended because cells failed, or is not at its end: there are no verdicts.
    pub no_verdict: bool,
}

/// Two arms at one count, with the cells that this count gives each.
pub(super) struct CountedPair<'a> {
    pub count: Count,
    pub arm: Vec<CellScore<'a>>,
    pub rival: Vec<CellScore<'a>>,
    /// `max_samples` held the rival down at this count, as far as was looked at.
    pub held_down: bool,
}

/// A comparison before its p-values are adjusted.
pub(super) struct OpenComparison<'t, 'a> {
    pub arm: &'t ScoredArm<'a>,
    pub rival: &'t ScoredArm<'a>,
    pub family: ComparisonFamily,
    pub rows: Vec<(CountedPair<'a>, PairedFigures)>,
}

impl<'t, 'a> Comparer<'t, 'a> {
    /// All comparisons: the primary ones, then what the arms suggest, then what was asked for later.
    pub fn all(&self, post_hoc: &[Comparison]) -> Vec<ComparisonResult> {
        let pairs = self.pairs(post_hoc);
        let mut open: Vec<OpenComparison<'_, 'a>> =
            at_once(pairs, |(arm, rival, family)| self.open(arm, rival, family));
        open.retain(|comparison| !comparison.rows.is_empty());
        at_once(open.iter().collect(), |comparison| self.closed(comparison, &open))
    }

    /// The arms of all comparisons.
    pub fn pairs(&self, post_hoc: &[Comparison]) -> Vec<(&'t ScoredArm<'a>, &'t ScoredArm<'a>, ComparisonFamily)> {
        let spec = &self.table.admission.spec;
        let mut pairs: Vec<(&'t ScoredArm<'a>, &'t ScoredArm<'a>, ComparisonFamily)> = Vec::new();
        let declared = spec.primary.iter().map(|pair| (pair.clone(), ComparisonFamily::Primary));
        let secondary = self.secondary().into_iter().map(|pair| (pair, ComparisonFamily::Secondary));
        let asked = post_hoc.iter().map(|pair| (pair.clone(), ComparisonFamily::PostHoc));
        for (pair, family) in declared.chain(secondary).chain(asked) {
            let Some((arm, rival)) = self.resolve(&pair) else { continue };
            let known = pairs.iter().any(|(one, other, _)| one.id == arm.id && other.id == rival.id);
            if !known {
                pairs.push((arm, rival, family));
            }
        }
        pairs
    }

    /// Whether every primary comparison has a winner, or a gain that is smaller than what is worth having.
    pub fn is_decided(&self) -> bool {
        let primary = self.table.admission.spec.primary.iter().filter_map(|pair| self.resolve(pair));
        let rows: Vec<(bool, f64)> = primary
            .filter_map(|(arm, rival)| self.estimator.bets(&pairs_of(self.table, &arm.cells, &rival.cells)))
            .collect();
        let p: Vec<f64> = rows.iter().map(|(_, p)| *p).collect();
        let adjusted = self.estimator.holm(&p);
        let alpha = self.table.admission.spec.alpha;
        !rows.is_empty() && rows.iter().zip(adjusted).all(|((below_worth, _), p)| *below_worth || p <= alpha)
    }

    /// What the arms suggest besides: each debate with each other arm that belongs to it, and with the debates after it.
    fn secondary(&self) -> Vec<Comparison> {
        let spec = &self.table.admission.spec;
        let mut pairs = Vec::new();
        for (at, debate) in spec.debates.iter().enumerate() {
            let arm = &debate.name;
            let mut push = |rival: &str| pairs.push(Comparison { arm: arm.clone(), rival: ArmName(rival.to_owned()) });
            for method in
                [BaselineArm::SelfConsistency, BaselineArm::Single, BaselineArm::BestOfN, BaselineArm::JudgeAlone]
            {
                if spec.arms.contains(&method) {
                    push(method.name());
                }
            }
            if debate.isolated {
                push("isolated");
            }
            spec.debates.iter().skip(at + 1).for_each(|other| push(&other.name.0));
            spec.commands.iter().for_each(|command| push(&command.name.0));
        }
        pairs
    }

    /// The arms that a comparison names. A method without a debate is the one that is matched to the other arm.
    fn resolve(&self, pair: &Comparison) -> Option<(&'t ScoredArm<'a>, &'t ScoredArm<'a>)> {
        let debate = |name: &ArmName| self.arms.iter().find(|arm| arm.kind == ArmKind::Debate && arm.name == *name);
        let first = self.table.admission.spec.debates.first().map(|debate| &debate.name)?;
        let partner = [&pair.arm, &pair.rival].into_iter().find(|name| debate(name).is_some()).unwrap_or(first);
        let find = |name: &ArmName| {
            let of_partner = |arm: &&ScoredArm<'a>| arm.name == *name && arm.matched_to == Some(partner);
            let single = |arm: &&ScoredArm<'a>| {
                let pools = self.table.debater_pools().find(|(_, pool)| pool.arms.contains(partner));
                let first = pools.and_then(|(_, pool)| pool.arms.first());
                arm.kind == ArmKind::Single
                    && arm.name == *name
                    && (arm.id == "single" || first.is_some_and(|first| arm.id == format!("single@{first}")))
            };
            debate(name)
                .or_else(|| self.arms.iter().find(of_partner))
                .or_else(|| self.arms.iter().find(single))
                .or_else(|| self.arms.iter().find(|arm| arm.id == name.0))
        };
        find(&pair.arm).zip(find(&pair.rival)).filter(|(arm, rival)| arm.id != rival.id)
    }

    fn open(
        &self,
        arm: &'t ScoredArm<'a>,
        rival: &'t ScoredArm<'a>,
        family: ComparisonFamily,
    ) -> OpenComparison<'t, 'a> {
        // counts that give an arm the same samples have the same figures
        let mut known: Vec<(Vec<PairedScore>, Option<PairedFigures>)> = Vec::new();
        let rows = self.counted(arm, rival).into_iter().filter_map(|mut pair| {
            pair.held_down = self.is_held_down(rival, &pair.rival);
            let scores = pairs_of(self.table, &pair.arm, &pair.rival);
            let seen = known.iter().find(|(seen, _)| *seen == scores).map(|(_, figures)| figures.clone());
            let figures = seen.unwrap_or_else(|| {
                let figures = self.estimator.paired(&scores, self.sequential);
                known.push((scores, figures.clone()));
                figures
            });
            Some((pair, figures?))
        });
        OpenComparison { arm, rival, family, rows: rows.collect() }
    }

    /// The cells at each count: one row for the eval's count, and more where an arm is matched anew for each.
    pub fn counted(&self, arm: &ScoredArm<'a>, rival: &ScoredArm<'a>) -> Vec<CountedPair<'a>> {
        let spec = &self.table.admission.spec;
        let of = |count, arm, rival| CountedPair { count, arm, rival, held_down: false };
        let mut rows = vec![of(spec.count, arm.cells.clone(), rival.cells.clone())];
        let rematched = arm.method.is_some() || rival.method.is_some();
        if !rematched || matches!(spec.matching, Matching::None | Matching::Budget(_)) {
            return rows;
        }
        for count in Count::ALL.into_iter().filter(|count| *count != spec.count) {
            let known =
                |cells: &[CellScore<'a>]| spent(self.table, cells.iter().map(|cell| &cell.cost), count).is_some();
            let at = |arm: &ScoredArm<'a>| match (arm.method, arm.matched_to) {
                (Some(method), Some(to)) => self.table.matched(MatchedMethod { method, to, count }),
                (None, _) | (_, None) => Some(arm.cells.clone()),
            };
            let pair = at(arm).zip(at(rival)).filter(|(arm, rival)| known(arm) && known(rival));
            rows.extend(pair.map(|(arm, rival)| of(count, arm, rival)));
        }
        rows
    }

    /// The comparison with adjusted p-values and verdicts.
    fn closed(&self, open: &OpenComparison<'t, 'a>, all: &[OpenComparison<'t, 'a>]) -> ComparisonResult {
        let post_hoc = open.family == ComparisonFamily::PostHoc;
        let mut counts: Vec<CountResult> = Vec::new();
        for (pair, figures) in &open.rows {
            let p_adjusted = if post_hoc { None } else { self.adjusted(open, all, pair.count) };
            counts.push(self.count_result(open, pair, figures, p_adjusted));
        }
        let mut sensitivity = Vec::new();
        if !post_hoc
            && !self.no_verdict
            && let Some(own) = counts.first()
        {
            let verdict = own.verdict;
            sensitivity = sensitivity::rows(self, open, &counts);
            for row in &mut sensitivity {
                let equal = |of: &CountResult| of.ratio.is_some_and(is_equal_spending);
                let matched = row.count.is_none_or(|count| counts.iter().any(|of| of.count == count && equal(of)));
                row.turns = matched && row.verdict.is_some() && row.verdict != verdict;
            }
            let fragile = sensitivity.iter().any(|row| row.turns);
            if let Some(own) = counts.first_mut() {
                own.fragile = fragile;
            }
        }
        for (row, (pair, figures)) in counts.iter_mut().zip(&open.rows) {
            if pair.held_down && row.difference.value > 0.0 && row.verdict == Some(VerdictKind::CannotTell) {
                row.distrusted.push(format!(
                    "max_samples cut the budget of {} in more than 5 % of the cells, and more samples may well help it.",
                    short_name(open.rival)
                ));
            }
            row.sentence = self.told(open, pair, figures, row);
            for mark in &self.marks {
                row.sentence.push(' ');
                row.sentence.push_str(mark);
            }
        }
        let own = open.rows.first().map(|(_, figures)| figures);
        ComparisonResult {
            arm: open.arm.id.clone(),
            rival: open.rival.id.clone(),
            family: open.family,
            questions: own.map_or(0, |figures| figures.questions),
            clusters: own.map_or(0, |figures| figures.clusters),
            counts,
            sensitivity,
        }
    }

    /// The p-value of a row by Holm, over the comparisons of its family at that count, or at their own where they lack it.
    fn adjusted(&self, open: &OpenComparison<'t, 'a>, all: &[OpenComparison<'t, 'a>], count: Count) -> Option<f64> {
        let family: Vec<&OpenComparison<'t, 'a>> = all.iter().filter(|other| other.family == open.family).collect();
        let at = |one: &OpenComparison<'t, 'a>| {
            let row = one.rows.iter().find(|(pair, _)| pair.count == count).or_else(|| one.rows.first());
            row.and_then(|(_, figures)| figures.p)
        };
        let own = family.iter().position(|other| other.arm.id == open.arm.id && other.rival.id == open.rival.id)?;
        let known: Vec<(usize, f64)> =
            family.iter().enumerate().filter_map(|(at_, one)| Some((at_, at(one)?))).collect();
        let values: Vec<f64> = known.iter().map(|(_, p)| *p).collect();
        let adjusted = self.estimator.holm(&values);
        let place = known.iter().position(|(at, _)| *at == own)?;
        adjusted.get(place).copied()
    }

    fn count_result(
        &self,
        open: &OpenComparison<'t, 'a>,
        pair: &CountedPair<'a>,
        figures: &PairedFigures,
        p_adjusted: Option<f64>,
    ) -> CountResult {
        let spending = |cells: &[CellScore<'a>]| spent(self.table, cells.iter().map(|cell| &cell.cost), pair.count);
        let (arm, rival) = (spending(&pair.arm), spending(&pair.rival));
        let ratio = arm.zip(rival).filter(|(_, (rival, _))| *rival > 0.0).map(|((arm, _), (rival, _))| arm / rival);
        let is_estimated =
            |cells: &[CellScore<'a>]| estimated(self.table, cells.iter().map(|cell| &cell.cost), pair.count).is_some();
        let mut distrusted = self.distrusted.clone();
        for (name, spending) in [(short_name(open.arm), arm), (short_name(open.rival), rival)] {
            let unknown = spending.map_or(1.0, |(_, unknown)| unknown);
            if unknown > MOST_UNKNOWN {
                distrusted
                    .push(format!("{:.0} % of the calls of {name} did not report what they used.", unknown * 100.0));
            }
        }
        let cells = pair.arm.len().max(1);
        let ungraded = 1.0 - f64::from(figures.difference.n) / cells as f64;
        if ungraded > MOST_UNKNOWN {
            distrusted.push(format!("{:.0} % of the answers have no grade.", ungraded * 100.0));
        }
        let pairs = pair_shares(self.table, pair);
        let rate = |rate: Option<f64>| rate.filter(|_| pairs.is_none());
        for (name, cells) in [(short_name(open.arm), &pair.arm), (short_name(open.rival), &pair.rival)] {
            let lost = cells.iter().filter(|cell| cell.has_failed() || cell.is_unreadable()).count();
            if lost as f64 > MOST_FAILED * cells.len() as f64 {
                distrusted.push(format!("{lost} of {} results of {name} failed or could not be read.", cells.len()));
            }
        }
        let held_down = pair.held_down;
        let settled = self.settle(figures, p_adjusted, ratio, (held_down, distrusted.is_empty()));
        let more_right = figures.difference.value * pair.arm.len() as f64;
        let more_spent = arm.zip(rival).map(|((arm, _), (rival, _))| arm - rival);
        // a quotient of two chances says nothing
        let won = settled.0 == VerdictKind::Helped || settled.1;
        let told = open.family != ComparisonFamily::PostHoc && !self.no_verdict;
        let verdict = told.then_some(settled.0);
        CountResult {
            count: pair.count,
            arm_right: rate(figures.arm),
            rival_right: rate(figures.rival),
            pairs,
            difference: figures.difference,
            method: figures.method,
            p: figures.p,
            p_adjusted,
            mid_p: figures.mid_p,
            discordance: figures.discordance,
            arm_only: figures.arm_only,
            rival_only: figures.rival_only,
            ratio,
            estimated: is_estimated(&pair.arm) || is_estimated(&pair.rival),
            verdict,
            cost_only: told && settled.1,
            fragile: false,
            distrusted,
            per_extra_right: more_spent.filter(|more| *more > 0.0 && won).map(|more| more / more_right),
            needed: if (verdict == Some(VerdictKind::CannotTell) && !settled.1) || self.is_pilot() {
                self.needed(figures)
            } else {
                Vec::new()
            },
            sentence: String::new(),
        }
    }

    /// The verdict of the figures, and whether the arm won at a higher cost alone.
    pub fn settle(
        &self,
        figures: &PairedFigures,
        p_adjusted: Option<f64>,
        ratio: Option<f64>,
        (held_down, trusted): (bool, bool),
    ) -> (VerdictKind, bool) {
        self.estimator.verdict(figures, p_adjusted, ratio, (held_down, trusted))
    }

    /// Whether `max_samples` held an arm down that is made of these cells.
    fn is_held_down(&self, arm: &ScoredArm<'a>, cells: &[CellScore<'a>]) -> bool {
        let arm = ScoredArm {
            id: String::new(),
            name: arm.name.clone(),
            kind: arm.kind,
            matched_to: arm.matched_to,
            method: arm.method,
            cells: cells.to_vec(),
        };
        arm.cut(self.table, self.estimator, false).is_some_and(|cut| cut.held_down)
    }

    fn is_pilot(&self) -> bool {
        self.table.admission.spec.pilot_of.is_some()
    }

    fn needed(&self, figures: &PairedFigures) -> Vec<NeededQuestions> {
        let needed = |points: f64| NeededQuestions {
            points,
            questions: self.estimator.needed(figures, points / 100.0, self.sequential),
        };
        GAINS.map(needed).into()
    }

    fn told(
        &self,
        open: &OpenComparison<'t, 'a>,
        pair: &CountedPair<'a>,
        figures: &PairedFigures,
        row: &CountResult,
    ) -> String {
        sentence(&Told {
            arm: open.arm,
            rival: open.rival,
            row,
            questions: u32::try_from(self.table.questions.len()).unwrap_or(u32::MAX),
            compared: figures.questions,
            matching: self.table.admission.spec.matching,
            worth: self.table.admission.spec.worth,
            measure: RateMeasure::of(self.table.questions.iter().map(|(_, question)| question.scorer())),
            sequential: self.sequential,
            decided: self.decided,
            rematched: pair.count != self.table.admission.spec.count || open.rival.matched_to.is_some(),
        })
    }
}

/// How many pairs each side won; none where answers are scored one by one.
fn pair_shares(table: &CellTable<'_>, pair: &CountedPair<'_>) -> Option<PairShares> {
    if !table.is_pairwise(0) {
        return None;
    }
    let pairs = pairs_of(table, &pair.arm, &pair.rival);
    let share =
        |of: fn(&PairedScore) -> bool| pairs.iter().filter(|pair| of(pair)).count() as f64 / pairs.len().max(1) as f64;
    let (win, loss) = (share(|pair| pair.arm > pair.rival), share(|pair| pair.arm < pair.rival));
    Some(PairShares { win, tie: (1.0 - win - loss).max(0.0), loss })
}

/// The scores of two arms on the same questions. None at all where no two answers were graded: failures alone compare nothing.
pub(super) fn pairs_of(table: &CellTable<'_>, arm: &[CellScore<'_>], rival: &[CellScore<'_>]) -> Vec<PairedScore> {
    let (mut pairs, mut compared, mut ungraded) = (Vec::new(), false, false);
    for (one, other) in arm.iter().zip(rival) {
        let Some((arm, rival)) = table.pair_scores(one, other) else {
            ungraded = true;
            continue;
        };
        // what is the same needs no grade, and says nothing where grades are missing
        let graded = !table.is_pairwise(one.at) || matches!(table.answer_pair(one, other), AnswerPair::Graded(_));
        compared |= graded && [one, other].into_iter().all(|cell| cell.ending == CellEnding::Answered);
        let question = u32::try_from(one.at).unwrap_or(u32::MAX);
        pairs.push(PairedScore { cluster: table.cluster(one.at), question, arm, rival });
    }
    if ungraded && !compared { Vec::new() } else { pairs }
}
