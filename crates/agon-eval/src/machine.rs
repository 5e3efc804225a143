//! The machine of an eval: folds its log, and says which cells to hold next and when the eval ends.
//!
//! Questions come in blocks of [`BLOCK_QUESTIONS`], at most [`OPEN_BLOCKS`] of which are open, and all cells of a question follow each
//! other, so that what befalls a server befalls all arms. How many samples a question's methods may draw is known once its debates and
//! the first samples are over; with `match: mean`, once all debates are.
mod blocks;
mod commands;
mod failing;
mod grading;
mod needs;
mod progress;
mod tally;

pub use blocks::{BLOCK_QUESTIONS, blocks};
pub use failing::{FAILURES_AFTER, MOST_FAILED};
pub use progress::{ArmProgress, EvalProgress};

use crate::gate::GateFile;
use crate::{
    AnswerLabel, Cell, CellClosed, CellEnding, CellWork, Design, EvalAdmission, EvalEvent, EvalStop, GradeTask, Grader,
    GradingSchedule, Matching, SCORER,
};
use std::collections::{BTreeMap, BTreeSet};

/// Blocks of questions that may be open at once.
pub const OPEN_BLOCKS: usize = 2;
/// What the graders are called where arms are listed; no arm has a space in its name.
pub const GRADERS: &str = "the graders";

/// What happens to an eval from outside.
#[derive(Clone, Debug)]
pub enum EvalInput {
    /// A driver takes the eval over.
    Claim {
        /// Which.
        writer: String,
    },
    /// These cells are handed out, each with the id of its debate.
    Open(Vec<(Cell, String)>),
    /// A cell is over.
    Closed(Box<CellClosed>),
    /// The comparisons were looked at.
    Looked {
        /// Blocks that were over.
        blocks: u32,
        /// What was seen ends the eval.
        ends: bool,
        /// `sequential` or `peek`.
        by: String,
    },
    /// A person ends the eval.
    Cancel {
        /// Why.
        detail: Option<String>,
    },
    /// A gate was learned from the ended eval.
    GateLearned(Box<GateFile>),
    /// A person wants the failed cells of all arms to be held again.
    Retry,
    /// A person wants the answers of the ended eval to be graded anew.
    Rescore(Grader),
    /// A person says of answers whether they are right.
    Label(Vec<AnswerLabel>),
    /// Whether the eval ends by what it knows.
    Settle {
        /// Milliseconds since 1970.
        now: u64,
    },
}

/// What the world owes an eval.
#[derive(Clone, Debug, PartialEq)]
pub enum EvalEffect {
    /// This cell is open: its debate is to be held, or found; or its program is to run.
    Hold {
        /// Which.
        cell: Cell,
        /// Its debate; empty where a program of the user's own runs.
        debate: String,
        /// How often it failed and was ordered again.
        attempt: u32,
    },
    /// The comparisons are to be looked at.
    Look {
        /// Blocks that are over.
        blocks: u32,
    },
}

/// A cell that was opened.
#[derive(Clone, Debug)]
struct CellState {
    debate: String,
    attempt: u32,
    closed: Option<Box<CellClosed>>,
}

/// An eval, folded from its log.
#[derive(Clone, Debug)]
pub struct EvalMachine {
    admission: EvalAdmission,
    /// When it was admitted, or ordered again, in milliseconds since 1970.
    began: u64,
    epoch: u64,
    /// Who drives it.
    driver: Option<String>,
    blocks: Vec<Vec<u32>>,
    cells: BTreeMap<Cell, CellState>,
    /// The cells that are open.
    open: BTreeSet<Cell>,
    /// Failed cells that are to be held again.
    again: BTreeSet<Cell>,
    tally: tally::CellTally,
    /// Which questions have what they need.
    standing: needs::QuestionStanding,
    /// Results that a retry replaced.
    replaced: Vec<CellClosed>,
    schedule: GradingSchedule,
    /// How often answers were graded anew.
    rescored: u32,
    /// Who graded before that.
    earlier_graders: Vec<Vec<String>>,
    labels: Vec<AnswerLabel>,
    /// Blocks that were over at the last look.
    looked: u32,
    peeked: bool,
    /// How the graders fare.
    graders: failing::GradingRun,
    /// Why nothing more is opened.
    stopped: Option<EvalStop>,
    ended: Option<String>,
    /// The gate that was learned last.
    gate: Option<Box<GateFile>>,
}

impl EvalMachine {
    /// The eval of a log, whose first event must be its admission; `at` is the time of each event's record.
    pub fn fold<'a>(events: impl IntoIterator<Item = (u64, &'a EvalEvent)>) -> Option<Self> {
        let mut events = events.into_iter();
        let (at, EvalEvent::EvalAdmitted(admission)) = events.next()? else { return None };
        let mut machine = Self::admitted(admission.as_ref().clone(), at);
        events.for_each(|(at, event)| machine.apply(at, event));
        Some(machine)
    }

    /// An eval that was just admitted.
    pub fn admitted(admission: EvalAdmission, at: u64) -> Self {
        let blocks = blocks(&admission.spec);
        Self {
            standing: needs::QuestionStanding::new(&blocks, admission.spec.repetitions),
            schedule: GradingSchedule::of(&admission.spec),
            rescored: 0,
            earlier_graders: Vec::new(),
            labels: Vec::new(),
            admission,
            began: at,
            epoch: 0,
            driver: None,
            blocks,
            cells: BTreeMap::new(),
            open: BTreeSet::new(),
            again: BTreeSet::new(),
            tally: tally::CellTally::default(),
            replaced: Vec::new(),
            looked: 0,
            peeked: false,
            graders: failing::GradingRun::default(),
            stopped: None,
            ended: None,
            gate: None,
        }
    }

    /// What the eval started from.
    pub fn admission(&self) -> &EvalAdmission {
        &self.admission
    }
    /// The number of the last driver's claim; 0 where none has claimed it.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }
    /// Who claimed the eval last; nobody where it is over, or was never claimed.
    pub fn driver(&self) -> Option<&str> {
        self.driver.as_deref()
    }
    /// How the eval ended; nothing while it goes on.
    pub fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }
    /// Why the eval ends before its last question.
    pub fn stopped(&self) -> Option<&str> {
        self.stopped.as_ref().map(|stop| stop.reason.as_str())
    }
    /// The same with its detail.
    pub fn stop(&self) -> Option<&EvalStop> {
        self.stopped.as_ref()
    }
    /// The gate that was learned from it last.
    pub fn gate(&self) -> Option<&GateFile> {
        self.gate.as_deref()
    }
    /// Whether somebody looked at a fixed design, which makes its test the sequential one.
    pub fn peeked(&self) -> bool {
        self.peeked
    }
    /// The results of all cells that are over, the last one of each.
    pub fn closed(&self) -> impl Iterator<Item = &CellClosed> {
        self.cells.values().filter_map(|cell| cell.closed.as_deref())
    }
    /// The results that a retry replaced.
    pub fn replaced(&self) -> &[CellClosed] {
        &self.replaced
    }

    /// Which events follow from an input. An input that comes too late has none.
    pub fn decide(&self, input: EvalInput) -> Vec<EvalEvent> {
        match input {
            EvalInput::Claim { writer } => vec![EvalEvent::EvalClaimed { writer, epoch: self.epoch + 1 }],
            EvalInput::Retry => self.retried(),
            EvalInput::GateLearned(file) => {
                let news = self.ended.is_some() && self.gate.as_ref() != Some(&file);
                if news { vec![EvalEvent::GateLearned(file)] } else { Vec::new() }
            }
            EvalInput::Rescore(grader) => self.rescore(grader),
            EvalInput::Label(labels) if labels.is_empty() => Vec::new(),
            EvalInput::Label(labels) => vec![EvalEvent::LabelsGiven { labels }],
            _ if self.ended.is_some() => Vec::new(),
            EvalInput::Open(cells) => {
                let fresh = cells.into_iter().filter(|(cell, debate)| self.may_open(cell, debate));
                fresh.map(|(cell, debate)| EvalEvent::CellOpened { cell, debate }).collect()
            }
            EvalInput::Closed(closed) => {
                let known = self.cells.get(&closed.cell);
                let open = known.is_some_and(|cell| cell.closed.is_none() && cell.debate == closed.debate);
                match closed.cell.is_grading() {
                    _ if !open => Vec::new(),
                    true => vec![EvalEvent::CellGraded(closed)],
                    false => vec![EvalEvent::CellClosed(closed)],
                }
            }
            EvalInput::Looked { blocks, ends, by } => self.looked_at(blocks, ends, by),
            EvalInput::Cancel { detail } => vec![
                EvalEvent::EvalStopped { reason: "cancelled".to_owned(), detail },
                EvalEvent::EvalEnded { state: "cancelled".to_owned() },
            ],
            EvalInput::Settle { now } => self.settled(now),
        }
    }

    /// Takes in an event; `at` is the time of its record, in milliseconds since 1970.
    pub fn apply(&mut self, at: u64, event: &EvalEvent) {
        match event {
            // a log has one admission, its first event
            EvalEvent::EvalAdmitted(_) => {}
            EvalEvent::EvalClaimed { writer, epoch } => (self.epoch, self.driver) = (*epoch, Some(writer.clone())),
            EvalEvent::CellOpened { cell, debate } => self.opened(cell, debate),
            EvalEvent::CellClosed(closed) | EvalEvent::CellGraded(closed) => self.closed_one(closed),
            EvalEvent::LookTaken { blocks, by, .. } => {
                self.looked = *blocks;
                self.peeked |= by == "peek";
            }
            EvalEvent::EvalStopped { reason, detail } => self.stop_for(reason, detail.clone()),
            EvalEvent::GateLearned(file) => self.gate = Some(file.clone()),
            EvalEvent::RetryOrdered { .. } => {
                self.began = at;
                self.retry();
            }
            EvalEvent::RescoreOrdered { grader } => {
                self.began = at;
                self.graded_anew(grader);
            }
            EvalEvent::LabelsGiven { labels } => self.labels.extend(labels.iter().cloned()),
            EvalEvent::EvalEnded { state } => self.end(state),
        }
    }

    /// What is open: the cells that are held, and a look at the comparisons where one is due.
    pub fn outstanding(&self) -> Vec<EvalEffect> {
        if self.ended.is_some() {
            return Vec::new();
        }
        let held = self.open.iter().filter_map(|cell| Some((cell, self.cells.get(cell)?)));
        let hold = |(cell, state): (&Cell, &CellState)| EvalEffect::Hold {
            cell: cell.clone(),
            debate: state.debate.clone(),
            attempt: state.attempt,
        };
        let mut effects: Vec<EvalEffect> = held.map(hold).collect();
        effects.extend(self.look_due().map(|blocks| EvalEffect::Look { blocks }));
        effects
    }

    fn look_due(&self) -> Option<u32> {
        let blocks = self.blocks_over();
        let sequential = self.admission.spec.design == Design::Sequential;
        (sequential && self.stopped.is_none() && blocks > self.looked).then_some(blocks)
    }

    /// The cells that may be opened now, in the order in which they are to be, at most `room` of them, each with how often it failed.
    pub fn next_cells(&self, room: usize) -> Vec<(Cell, u32)> {
        if self.ended.is_some() {
            return Vec::new();
        }
        let mut cells: Vec<(Cell, u32)> = Vec::new();
        for unit in self.open_units() {
            let missing = unit.iter().flat_map(|(question, repetition)| self.missing(*question, *repetition));
            cells.extend(missing.take(room.saturating_sub(cells.len())));
            if cells.len() >= room {
                break;
            }
        }
        cells
    }

    /// How many cells are open.
    pub fn open_cells(&self) -> usize {
        self.open.len()
    }

    /// How often a cell failed and was ordered again.
    pub fn attempt(&self, cell: &Cell) -> u32 {
        let attempt = self.cells.get(cell).map_or(0, |state| state.attempt);
        attempt + u32::from(self.again.contains(cell))
    }

    fn is_open_or_over(&self, cell: &Cell) -> bool {
        self.cells.contains_key(cell) && !self.again.contains(cell)
    }

    /// Whether a cell is new, is to be held again, or is open with another debate that an earlier eval has held in vain.
    fn may_open(&self, cell: &Cell, debate: &str) -> bool {
        let open = self.cells.get(cell).filter(|_| !self.again.contains(cell));
        open.is_none_or(|state| state.closed.is_none() && state.debate != debate)
    }

    fn opened(&mut self, cell: &Cell, debate: &str) {
        let anew = self.cells.get(cell).is_some_and(|state| state.closed.is_none()) && !self.again.contains(cell);
        let attempt = self.attempt(cell) + u32::from(anew);
        self.again.remove(cell);
        let state = CellState { debate: debate.to_owned(), attempt, closed: None };
        let before = self.cells.insert(cell.clone(), state);
        self.open.insert(cell.clone());
        self.replaced.extend(before.and_then(|before| before.closed).map(|closed| *closed));
    }

    fn closed_one(&mut self, closed: &CellClosed) {
        let Some(cell) = self.cells.get_mut(&closed.cell) else { return };
        cell.closed = Some(Box::new(closed.clone()));
        self.open.remove(&closed.cell);
        self.tally.closed(closed, &self.admission.prices);
        self.graders.closed(closed);
        self.stand(closed.cell.question, closed.cell.repetition);
    }

    /// What failed, and what the eval's end broke off, is to be held again. Until then it is not over.
    fn retry(&mut self) {
        for (cell, state) in &self.cells {
            match state.closed.as_deref() {
                Some(closed) if has_failed(closed) => self.tally.replaced(closed),
                Some(_) => continue,
                None => {}
            }
            self.again.insert(cell.clone());
        }
        (self.stopped, self.ended, self.gate) = (None, None, None);
        self.graders = failing::GradingRun::default();
        self.stand_anew();
    }

    /// What a retry did not come to stays as it was.
    fn end(&mut self, state: &str) {
        (self.ended, self.driver) = (Some(state.to_owned()), None);
        self.open.clear();
        for cell in std::mem::take(&mut self.again) {
            if let Some(closed) = self.cells.get(&cell).and_then(|state| state.closed.as_deref()) {
                self.tally.restored(closed);
            }
        }
        self.stand_anew();
    }

    fn failed_cells(&self) -> impl Iterator<Item = &Cell> {
        self.closed().filter(|closed| has_failed(closed)).map(|closed| &closed.cell)
    }

    fn retried(&self) -> Vec<EvalEvent> {
        let cells = u32::try_from(self.failed_cells().count()).unwrap_or(u32::MAX);
        if cells == 0 || self.ended.is_none() {
            return Vec::new();
        }
        vec![EvalEvent::RetryOrdered { cells }]
    }

    fn looked_at(&self, blocks: u32, ends: bool, by: String) -> Vec<EvalEvent> {
        if blocks <= self.looked {
            return Vec::new();
        }
        let mut events = vec![EvalEvent::LookTaken { blocks, ends, by }];
        if ends && self.stopped.is_none() {
            events.push(EvalEvent::EvalStopped { reason: "decided".to_owned(), detail: None });
        }
        events
    }

    /// Whether failures, a limit or the last question end the eval.
    fn settled(&self, now: u64) -> Vec<EvalEvent> {
        let ended = |state: &str| EvalEvent::EvalEnded { state: state.to_owned() };
        let stopped = |reason: &str, detail| EvalEvent::EvalStopped { reason: reason.to_owned(), detail };
        if let Some(detail) = self.too_many_failures() {
            return vec![stopped("failures", Some(detail)), ended("failed")];
        }
        if let Some(detail) = self.too_many_ungraded() {
            return vec![stopped(failing::GRADINGS, Some(detail))];
        }
        let has_work = self.open_cells() > 0 || !self.open_units().is_empty();
        if let Some(detail) = self.time_over(now).filter(|_| has_work) {
            let first = self.stopped.is_none().then(|| stopped("limit_seconds", Some(detail)));
            return first.into_iter().chain([ended("stopped")]).collect();
        }
        if self.stopped.is_none() && self.wants_new_block() {
            if let Some((reason, detail)) = self.limit_reached() {
                return vec![stopped(reason, Some(detail))];
            }
            return Vec::new();
        }
        if self.look_due().is_some() || has_work {
            return Vec::new();
        }
        vec![ended(if self.stopped.is_some() { "stopped" } else { "complete" })]
    }

    /// Whether the comparisons may not be shown yet: a fixed design that goes on and that nobody peeks at.
    pub fn is_blind(&self) -> bool {
        self.ended.is_none() && self.admission.spec.design == Design::Fixed && !self.peeked
    }

    fn defers(&self) -> bool {
        self.admission.spec.matching == Matching::Mean
    }
}

/// Whether a cell's debate failed.
pub fn has_failed(closed: &CellClosed) -> bool {
    matches!(closed.facts.ending, CellEnding::Failed { .. })
}

/// The arm or pool that a cell belongs to, as progress and failures are counted.
pub fn cell_arm(work: &CellWork) -> String {
    match work {
        CellWork::Debate { arm } => arm.to_string(),
        CellWork::Isolated { arm } => format!("{arm} (isolated)"),
        CellWork::Samples { pool, .. } => format!("samples {}", pool + 1),
        CellWork::BestOf { arm, .. } => format!("best_of_n ({arm})"),
        CellWork::Command { arm, .. } => arm.to_string(),
        CellWork::Grading { task: GradeTask::Score { .. }, .. } => SCORER.to_owned(),
        CellWork::Grading { .. } => GRADERS.to_owned(),
    }
}

#[cfg(test)]
mod tests;
