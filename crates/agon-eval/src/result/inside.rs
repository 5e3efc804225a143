//! What happened inside the debates of an arm, from first answers to last ones.
mod conformity;
mod diversity;
mod flips;
mod order;

pub(super) use flips::flip_of;

use super::free::ballots;
use super::plurality::vote_of;
use super::statistics::Estimator;
use super::table::{CellScore, CellTable};
use crate::{ArmName, BallotFact, DriftResult, Facts, InsideDebates, LostTruthResult, Question};

/// A debate that was held on a question, with what its log says.
#[derive(Clone, Copy)]
pub(super) struct HeldDebate<'a, 'c> {
    pub cluster: u32,
    pub question: &'a Question,
    pub facts: &'a Facts,
    pub cell: &'c CellScore<'a>,
}

impl<'a> HeldDebate<'a, '_> {
    pub fn is_right(&self, answer: &str) -> bool {
        self.question.is_right(answer).unwrap_or(false)
    }

    /// Those who cast both ballots, with both.
    pub fn both_ballots(&self) -> Vec<(&'a BallotFact, &'a BallotFact)> {
        let last = |seat: u32| self.facts.ballots.iter().find(|ballot| ballot.last && ballot.seat == seat);
        let first = self.facts.ballots.iter().filter(|ballot| !ballot.last);
        first.filter_map(|first| Some((first, last(first.seat)?))).collect()
    }

    pub fn cast(&self, last: bool) -> Vec<&'a str> {
        ballots(self.facts, last).collect()
    }

    /// Where everybody stood before anybody was heard: first ballots, else independent openings or samples. By seat, with the model.
    pub fn first_answers(&self) -> Vec<(u32, Option<&'a str>, &'a str)> {
        let model = |model: &'a Option<agon_core::ModelName>| model.as_ref().map(agon_core::ModelName::as_str);
        let first: Vec<_> = self
            .facts
            .ballots
            .iter()
            .filter(|ballot| !ballot.last)
            .map(|ballot| (ballot.seat, model(&ballot.model), ballot.answer.as_str()))
            .collect();
        if !first.is_empty() {
            return first;
        }
        let named = self.facts.named.iter().filter(|named| self.facts.openings_independent && named.round == 0);
        let named = named.map(|named| (named.seat, model(&named.model), named.answer.as_str()));
        let samples = self
            .facts
            .samples
            .iter()
            .filter_map(|sample| Some((sample.number, model(&sample.model), sample.answer.as_deref()?)));
        named.chain(samples).collect()
    }
}

/// What the logs of an arm's debates say; none where no log says anything of it.
pub(super) fn inside<'a>(
    table: &CellTable<'a>,
    name: &ArmName,
    cells: &[CellScore<'a>],
    estimator: &Estimator,
) -> Option<InsideDebates> {
    let held: Vec<HeldDebate<'a, '_>> = cells
        .iter()
        .filter_map(|cell| {
            let question = table.question(cell.at).filter(|question| question.is_scored_by_pattern())?;
            Some(HeldDebate { cluster: table.cluster(cell.at), question, facts: cell.facts?, cell })
        })
        .collect();
    let told = held.iter().filter(|debate| !debate.first_answers().is_empty() || !debate.facts.judged.is_empty());
    let debates = u32::try_from(told.count()).unwrap_or(u32::MAX);
    (debates > 0).then(|| InsideDebates {
        debate: name.clone(),
        debates,
        ballots: flips::of_ballots(&held, estimator),
        ballots_by: flips::by_parts(&held, estimator),
        results: flips::of_results(&held, estimator),
        drift: drift(&held, estimator),
        conformity: conformity::conformity(&held, estimator),
        lost_truth: lost_truth(&held, estimator),
        order: order::order(&held, estimator),
        diversity: diversity::diversity(&held, estimator),
    })
}

fn share(right: usize, all: usize) -> f64 {
    right as f64 / all.max(1) as f64
}

/// The share of right ballots, first and last.
fn drift(held: &[HeldDebate<'_, '_>], estimator: &Estimator) -> Option<DriftResult> {
    let (mut first, mut last, mut change) = (Vec::new(), Vec::new(), Vec::new());
    for debate in held {
        let right = |cast: &[&str]| cast.iter().filter(|answer| debate.is_right(answer)).count();
        let (before, after) = (debate.cast(false), debate.cast(true));
        if !before.is_empty() {
            first.push((debate.cluster, right(&before) as f64, before.len() as f64));
        }
        if !after.is_empty() {
            last.push((debate.cluster, right(&after) as f64, after.len() as f64));
        }
        if !before.is_empty() && !after.is_empty() {
            let moved = share(right(&after), after.len()) - share(right(&before), before.len());
            change.push((debate.cluster, moved));
        }
    }
    Some(DriftResult {
        first: estimator.share(&first)?,
        last: estimator.share(&last)?,
        change: estimator.difference(&change)?,
    })
}

/// Right answers that were there and did not win.
fn lost_truth(held: &[HeldDebate<'_, '_>], estimator: &Estimator) -> Option<LostTruthResult> {
    let (mut lost, mut collapsed) = (Vec::new(), Vec::new());
    for debate in held {
        let first = debate.first_answers();
        if first.iter().any(|(_, _, answer)| debate.is_right(answer)) {
            lost.push((debate.cluster, f64::from(u8::from(!debate.cell.is_right()))));
        }
        let before = vote_of(debate.question, first.iter().map(|(_, _, answer)| *answer));
        let after = vote_of(debate.question, debate.cast(true).into_iter());
        if before.cast > 1 && !before.is_unanimous() && after.cast > 1 {
            let fell = after.is_unanimous() && after.score == Some(0.0);
            collapsed.push((debate.cluster, f64::from(u8::from(fell))));
        }
    }
    Some(LostTruthResult { lost: estimator.mean(&lost)?, collapsed: estimator.mean(&collapsed) })
}
