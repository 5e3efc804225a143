//! What a gate is learned from: one row for each question and repetition of a debate arm.
use crate::{ArmName, CellClosed, CellWork, Facts, Question};
use agon_core::DebateFormat;
use agon_core::gate::{GateFeatures, GateMethod};
use agon_core::tally::same_answer;
use std::collections::BTreeMap;

/// One question of a debate arm, as far as a gate learns from it.
#[derive(Clone, Debug, PartialEq)]
pub struct GateRow {
    /// What is known after the first ballots.
    pub features: GateFeatures,
    /// Who could have cast a ballot.
    pub eligible: u32,
    /// Ballots that were cast.
    pub cast: u32,
    /// How right the debate's answer is, 0 to 1.
    pub debate_right: f64,
    /// How right the top answer of the first ballots is, 0 to 1; answers that tie share.
    pub vote_first_right: f64,
    /// The debate's answer is not the top answer of its first ballots.
    pub left: bool,
    /// Tokens until the first ballots were cast.
    pub ballot_tokens: f64,
    /// Tokens of the whole debate.
    pub debate_tokens: f64,
    /// The cluster: its number among all, from 0.
    pub cluster: u32,
}

impl GateRow {
    /// Whether a rule skips the debate.
    pub fn is_skipped_by(&self, method: &GateMethod) -> bool {
        method.decide(&self.features, self.eligible, self.cast).skip
    }
    /// What the debate adds to the first ballots, -1 to 1.
    pub fn gain(&self) -> f64 {
        self.debate_right - self.vote_first_right
    }
    /// Whether the ballots differ.
    pub fn is_contested(&self) -> bool {
        self.features.answers.is_some_and(|answers| answers > 1.0)
    }
    /// Whether any rule may skip it.
    pub(super) fn may_be_skipped(&self) -> bool {
        self.is_skipped_by(&GateMethod::Never)
    }
}

/// The rows of a debate arm, and what could not be one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GateRows {
    /// By question, then repetition.
    pub rows: Vec<GateRow>,
    /// Cells without a first ballot.
    pub without_ballots: u32,
    /// Cells whose rounds a gate skipped, so that nobody knows what the debate would have answered.
    pub skipped: u32,
    /// Cells whose answer no pattern can score, or whose tokens nobody reported.
    pub unscored: u32,
}

impl GateRows {
    /// The rows of a debate arm. Of cells that were held again, the last counts.
    pub fn of<'a>(questions: &[Question], closed: impl IntoIterator<Item = &'a CellClosed>, arm: &ArmName) -> Self {
        let mut last: BTreeMap<(u32, u32), &'a Facts> = BTreeMap::new();
        for cell in closed {
            if matches!(&cell.cell.work, CellWork::Debate { arm: of } if of == arm) {
                last.insert((cell.cell.question, cell.cell.repetition), &cell.facts);
            }
        }
        let mut clusters: BTreeMap<&str, u32> = BTreeMap::new();
        let mut found = Self::default();
        for ((at, _), facts) in last {
            let Some(question) = questions.get(at as usize) else { continue };
            let next = u32::try_from(clusters.len()).unwrap_or(u32::MAX);
            let named = question.group.as_deref().unwrap_or(&question.id);
            // a cluster counts from its first row on
            let cluster = clusters.get(named).copied().unwrap_or(next);
            if found.add(question, facts, cluster) {
                clusters.insert(named, cluster);
            }
        }
        found
    }

    /// Adds a cell, if it can be a row.
    fn add(&mut self, question: &Question, facts: &Facts, cluster: u32) -> bool {
        let Some(gate) = &facts.gate else {
            self.without_ballots += 1;
            return false;
        };
        if facts.is_skipped() {
            self.skipped += 1;
            return false;
        }
        let Some((debate_right, vote_first_right, ballots)) = outcome(question, facts) else {
            self.unscored += 1;
            return false;
        };
        self.rows.push(GateRow {
            features: gate.features,
            eligible: gate.eligible,
            cast: gate.cast,
            debate_right,
            vote_first_right,
            left: left_ballots(facts).unwrap_or(false),
            ballot_tokens: ballots,
            debate_tokens: tokens(&facts.cost),
            cluster,
        });
        true
    }
}

fn tokens(cost: &crate::CellCost) -> f64 {
    cost.tokens() as f64
}

/// How right the debate and its first ballots are, and what the ballots cost.
fn outcome(question: &Question, facts: &Facts) -> Option<(f64, f64, f64)> {
    let openings = by_openings(facts);
    let ballots = facts.cost_by.get(if openings { "openings" } else { "initial_ballots" })?;
    let known = facts.cost.unknown_calls == 0;
    let right = vote_first(question, facts)?;
    known.then_some((question.score(facts)?, right, tokens(ballots)))
}

/// How right the top answer of the first ballots is; answers that tie share.
fn vote_first(question: &Question, facts: &Facts) -> Option<f64> {
    let mut counts: Vec<(String, &str, u32)> = Vec::new();
    for answer in first_answers(facts) {
        let key = question.answer_key(answer);
        match counts.iter_mut().find(|(known, ..)| *known == key) {
            Some((_, _, count)) => *count += 1,
            None => counts.push((key, answer, 1)),
        }
    }
    let most = counts.iter().map(|(_, _, count)| *count).max()?;
    question.shared(counts.iter().filter(|(_, _, count)| *count == most).map(|(_, answer, _)| *answer))
}

/// Whether a debate's answer is none of the top answers of its first ballots, or missing; unknown without ballots.
pub fn left_ballots(facts: &Facts) -> Option<bool> {
    let answers = first_answers(facts);
    let votes = |answer: &str| answers.iter().filter(|other| same_answer(other, answer)).count();
    let most = answers.iter().map(|answer| votes(answer)).max()?;
    Some(facts.answer.as_deref().is_none_or(|answer| votes(answer) < most))
}

fn first_answers(facts: &Facts) -> Vec<&str> {
    if !by_openings(facts) {
        return facts.ballots.iter().filter(|ballot| !ballot.last).map(|ballot| ballot.answer.as_str()).collect();
    }
    let named = facts.named.iter().filter(|named| named.round == 0).map(|named| named.answer.as_str());
    named.chain(facts.samples.iter().filter_map(|sample| sample.answer.as_deref())).collect()
}

/// Whether the answers that openings state are the first ballots.
fn by_openings(facts: &Facts) -> bool {
    [DebateFormat::CritiqueRevision, DebateFormat::Poll].map(DebateFormat::as_str).contains(&facts.format.as_str())
}
