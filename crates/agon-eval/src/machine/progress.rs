//! How far an eval is, without anything that tells its arms apart but failures and cost.
use super::EvalMachine;
use super::tally::tokens;
use crate::CellClosed;
use agon_core::thousands;
use serde::Serialize;
use std::collections::BTreeSet;

/// How far an eval is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EvalProgress {
    /// Questions of all blocks.
    pub questions: u32,
    /// Questions whose block is over.
    pub questions_over: u32,
    /// Blocks.
    pub blocks: u32,
    /// Blocks that are over.
    pub blocks_over: u32,
    /// Cells that are over.
    pub cells_over: u32,
    /// Cells that are held now.
    pub cells_open: u32,
    /// All cells: those that are known, and for questions to come as many as a question had until now.
    pub cells_likely: u32,
    /// Cells that were held before, and cost nothing now.
    pub reused: u32,
    /// Cells whose debate failed.
    pub failed: u32,
    /// Tokens of the cells that were held now.
    pub tokens: u64,
    /// What all cells will have cost in tokens, by the measured mean of a question; from the first block on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_likely: Option<u64>,
    /// Arms and pools, in alphabetical order.
    pub arms: Vec<ArmProgress>,
}

/// How far an arm or a pool is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ArmProgress {
    /// Which.
    pub name: String,
    /// Cells that are over.
    pub over: u32,
    /// Of these, failed.
    pub failed: u32,
    /// Tokens of the cells that were held now.
    pub tokens: u64,
}

impl EvalMachine {
    /// Tokens of the cells that this eval held itself, results that were replaced included.
    pub fn tokens(&self) -> u64 {
        self.tally.tokens
    }

    /// How far the eval is.
    pub fn progress(&self) -> EvalProgress {
        let arms: Vec<ArmProgress> = self.tally.arms().cloned().collect();
        let count = |of: usize| u32::try_from(of).unwrap_or(u32::MAX);
        let (questions, over) = (count(self.admission.spec.questions.len()), count(self.questions_over().len()));
        let (cells_over, cells_open) = (self.tally.over, count(self.open_cells()));
        EvalProgress {
            questions,
            questions_over: over,
            blocks: self.block_count(),
            blocks_over: self.blocks_over(),
            cells_over,
            cells_open,
            cells_likely: self.likely_cells(questions, over).max(cells_over + cells_open),
            reused: self.tally.reused,
            failed: arms.iter().map(|arm| arm.failed).sum(),
            tokens: self.tokens(),
            tokens_likely: (over > 0).then(|| self.likely_tokens(questions, over)),
            arms,
        }
    }

    fn likely_cells(&self, questions: u32, over: u32) -> u32 {
        let repetitions = self.admission.spec.repetitions;
        let first = crate::first_cells(&self.admission.spec, &self.admission.pools, 0, 0).len();
        let first = u32::try_from(first).unwrap_or(u32::MAX).saturating_mul(repetitions);
        let each = match over {
            0 => f64::from(first),
            over => self.of_questions_over(|_| 1.0) / f64::from(over),
        };
        (each * f64::from(questions)).ceil() as u32
    }

    fn likely_tokens(&self, questions: u32, over: u32) -> u64 {
        let done = self.of_questions_over(|closed| tokens(closed) as f64);
        let left = f64::from(questions.saturating_sub(over));
        (done + done / f64::from(over.max(1)) * left) as u64
    }

    /// The sum over the cells of the questions whose block is over.
    fn of_questions_over(&self, value: impl Fn(&CellClosed) -> f64) -> f64 {
        let over: BTreeSet<u32> = self.questions_over().into_iter().collect();
        self.closed().filter(|closed| over.contains(&closed.cell.question)).map(value).sum()
    }

    /// When the eval must be over, in milliseconds since 1970; nothing where its time is not limited. A debate that never ends does not
    /// hold it up.
    pub fn deadline(&self) -> Option<u64> {
        let limit = self.admission.spec.limits.seconds?;
        Some(self.began.saturating_add((limit * 1_000.0) as u64))
    }

    /// How long the eval took, once its time is over.
    pub(super) fn time_over(&self, now: u64) -> Option<String> {
        let limit = self.admission.spec.limits.seconds.filter(|_| self.deadline().is_some_and(|end| now >= end))?;
        Some(format!("{:.0} of {limit} s", now.saturating_sub(self.began) as f64 / 1_000.0))
    }

    /// The limit of tokens or money that is reached, or that another block of questions would pass by what blocks cost until now; and what was spent.
    pub(super) fn limit_reached(&self) -> Option<(&'static str, String)> {
        let limits = self.admission.spec.limits;
        let blocks = f64::from(self.blocks_over().max(1));
        let tokens = self.tokens();
        let next = tokens as f64 / blocks;
        if let Some(limit) = limits.tokens.filter(|limit| tokens as f64 + next > *limit as f64) {
            let [tokens, limit, next] = [tokens, limit, next as u64].map(thousands);
            return Some(("limit_tokens", format!("{tokens} of {limit} tokens; a block takes about {next}")));
        }
        let money = self.tally.money;
        let next = money / blocks;
        let limit = limits.money.filter(|limit| money + next > *limit)?;
        Some(("limit_money", format!("{money:.4} of {limit}; a block takes about {next:.4}")))
    }
}
