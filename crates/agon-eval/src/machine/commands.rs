//! Runs of methods of the user's own.
use super::EvalMachine;
use crate::{Cell, CellWork, CommandArm, Count, budget_debate};

impl EvalMachine {
    /// The runs that a question needs in a repetition, one of each method.
    pub(super) fn command_cells(&self, question: u32, repetition: u32) -> Vec<Cell> {
        let cell = |command: &CommandArm| {
            let opened = self.cells_of(question, repetition).map(|(cell, _)| cell);
            let mut own =
                opened.filter(|cell| matches!(&cell.work, CellWork::Command { arm, .. } if *arm == command.name));
            // once it runs, its budget stays
            own.next().cloned().unwrap_or_else(|| {
                let budget = self.command_budget(question, repetition, command);
                let work = CellWork::Command { arm: command.name.clone(), budget };
                Cell { question, repetition, work }
            })
        };
        self.admission.spec.commands.iter().map(cell).collect()
    }

    /// The tokens that a method may spend on a question, where tokens are counted.
    fn command_budget(&self, question: u32, repetition: u32, command: &CommandArm) -> Option<u64> {
        let spec = &self.admission.spec;
        match spec.count {
            Count::Total | Count::Generated | Count::New => {}
            Count::Seconds | Count::Money => return None,
        }
        let debate = budget_debate(command, &spec.debates)?;
        self.budget(question, repetition, debate, spec.count).map(|tokens| tokens.round() as u64)
    }
}
