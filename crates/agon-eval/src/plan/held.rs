//! What earlier evals have held of an eval already.
use crate::{Cell, CellClosed, CellEnding, CellOrder, CellSpecs, EvalAdmission, EvalEvent, EvalMachine, Facts, order};
use agon_core::DebateSpec;
use std::collections::BTreeSet;

/// The debates that a store has.
pub struct HeldCells<'a> {
    /// The ids of those that have ended.
    pub ids: &'a BTreeSet<String>,
    /// What one of them said; absent where that cannot be read. Then it counts as held, and what depends on its cost as open.
    pub facts: &'a dyn Fn(&str) -> Option<Facts>,
}

impl Default for HeldCells<'_> {
    /// None at all.
    fn default() -> Self {
        static NONE: BTreeSet<String> = BTreeSet::new();
        Self { ids: &NONE, facts: &|_| None }
    }
}

/// The cells of an eval that are held already, found as a run would find them.
pub(super) struct HeldBefore<'a> {
    admission: &'a EvalAdmission,
    specs: &'a dyn CellSpecs,
    cells: &'a HeldCells<'a>,
    machine: EvalMachine,
    /// Cells that depend on what debates cost, by those of a place.
    later: Vec<Cell>,
    /// The repetitions of questions of which something is left to be held.
    open: BTreeSet<(u32, u32)>,
}

impl<'a> HeldBefore<'a> {
    pub fn new(admission: &'a EvalAdmission, specs: &'a dyn CellSpecs, cells: &'a HeldCells<'a>) -> Self {
        let machine = EvalMachine::admitted(admission.clone(), 0);
        Self { admission, specs, cells, machine, later: Vec::new(), open: BTreeSet::new() }
    }

    /// The debate of a cell, and whether it is held already. One that failed is held again.
    pub fn spec_of(&mut self, cell: &Cell) -> Result<(DebateSpec, bool), String> {
        // which debate it is takes longer to compute than the debate
        if self.cells.ids.is_empty() {
            return Ok((self.specs.spec(cell)?, false));
        }
        let CellOrder { spec, debate, .. } = order(self.admission, self.specs, cell, 0)?;
        let is_held = self.cells.ids.contains(&debate.id) && self.reads(cell, &debate.id) != Some(false);
        Ok((spec, is_held))
    }

    /// Whether the debate of a cell has a result, which is then taken in; nothing where it cannot be read.
    fn reads(&mut self, cell: &Cell, debate: &str) -> Option<bool> {
        let facts = (self.cells.facts)(debate)?;
        if matches!(facts.ending, CellEnding::Failed { .. }) {
            return Some(false);
        }
        let (cell, debate) = (cell.clone(), debate.to_owned());
        self.machine.apply(0, &EvalEvent::CellOpened { cell: cell.clone(), debate: debate.clone() });
        let closed = CellClosed { cell, debate, head: String::new(), reused: true, wall_ms: 0, facts };
        self.machine.apply(0, &EvalEvent::CellClosed(Box::new(closed)));
        Some(true)
    }

    /// Looks for the cells that depend on what debates cost, once all certain ones are known.
    pub fn find_later(&mut self) -> Result<(), String> {
        let spec = &self.admission.spec;
        // gradings belong to the first repetition, and need the answers of all
        let places = (0..super::count(spec.questions.len()))
            .flat_map(|question| (0..spec.repetitions).rev().map(move |repetition| (question, repetition)));
        for place in places {
            while self.takes_more(place)? {}
            if self.machine.missing(place.0, place.1).iter().any(|(cell, _)| !cell.is_program()) {
                self.open.insert(place);
            }
        }
        Ok(())
    }

    /// Whether something of what a place lacks is held already.
    fn takes_more(&mut self, (question, repetition): (u32, u32)) -> Result<bool, String> {
        if self.cells.ids.is_empty() {
            return Ok(false);
        }
        let mut found = false;
        // a program's results belong to their eval
        let missing = self.machine.missing(question, repetition).into_iter();
        for (cell, _) in missing.filter(|(cell, _)| !cell.is_program()) {
            let debate = order(self.admission, self.specs, &cell, 0)?.debate.id;
            if self.cells.ids.contains(&debate) && self.reads(&cell, &debate) == Some(true) {
                self.later.push(cell);
                found = true;
            }
        }
        Ok(found)
    }

    /// The cells that [`Self::find_later`] found.
    pub fn later(&self) -> &[Cell] {
        &self.later
    }

    /// Repetitions of questions of which something is left to be held.
    pub fn open_places(&self) -> u64 {
        self.open.len() as u64
    }

    /// Repetitions of a question of which something is left.
    pub fn open_of(&self, question: u32) -> u64 {
        self.open.range((question, 0)..=(question, u32::MAX)).count() as u64
    }
}
