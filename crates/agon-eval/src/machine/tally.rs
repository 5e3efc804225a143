//! Sums over the cells that are over.
use super::{ArmProgress, cell_arm, has_failed};
use crate::{CellClosed, Count, ModelPrice, cost_in};
use std::collections::BTreeMap;

/// Sums over the cells that are over.
#[derive(Clone, Debug, Default)]
pub(super) struct CellTally {
    arms: BTreeMap<String, ArmProgress>,
    /// Of all cells that this eval held itself, those included that a retry replaced.
    pub(super) tokens: u64,
    /// The same in money, as far as models have prices.
    pub(super) money: f64,
    /// Cells that are over.
    pub(super) over: u32,
    /// Of these, held before.
    pub(super) reused: u32,
}

/// Tokens that a cell cost this eval, with an estimate of those that nobody reported.
pub(super) fn tokens(closed: &CellClosed) -> u64 {
    if closed.reused { 0 } else { closed.facts.cost.tokens() }
}

impl CellTally {
    pub(super) fn closed(&mut self, closed: &CellClosed, prices: &BTreeMap<String, ModelPrice>) {
        let name = cell_arm(&closed.cell.work);
        let arm = self.arms.entry(name.clone()).or_insert_with(|| ArmProgress { name, ..ArmProgress::default() });
        arm.tokens = arm.tokens.saturating_add(tokens(closed));
        self.tokens = self.tokens.saturating_add(tokens(closed));
        self.restored(closed);
        if !closed.reused {
            self.money += cost_in(&closed.facts.cost, Count::Money, prices).unwrap_or(0.0);
        }
    }

    /// A result counts, without what it cost: one that was to give way, and stays.
    pub(super) fn restored(&mut self, closed: &CellClosed) {
        self.over += 1;
        self.reused += u32::from(closed.reused);
        if let Some(arm) = self.arms.get_mut(&cell_arm(&closed.cell.work)) {
            arm.over += 1;
            arm.failed += u32::from(has_failed(closed));
        }
    }

    /// A result gives way to another one; what it cost stays.
    pub(super) fn replaced(&mut self, closed: &CellClosed) {
        self.over = self.over.saturating_sub(1);
        self.reused = self.reused.saturating_sub(u32::from(closed.reused));
        if let Some(arm) = self.arms.get_mut(&cell_arm(&closed.cell.work)) {
            arm.over = arm.over.saturating_sub(1);
            arm.failed = arm.failed.saturating_sub(u32::from(has_failed(closed)));
        }
    }

    pub(super) fn arms(&self) -> impl Iterator<Item = &ArmProgress> {
        self.arms.values()
    }
}
