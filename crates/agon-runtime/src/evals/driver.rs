//! The driver of one eval: the shell around its pure machine, and the sole writer of its log.
use super::holder::{CellHolder, HeldCell, HoldError, is_own};
use super::log::{EvalLogError, OpenEval};
use crate::base::clock::Clock;
use crate::base::tasks::{TaskScope, Tasks, tell};
use agon_core::Record;
use agon_eval::{
    Cell, CellClosed, CellEnding, CellOrder, CellSpecs, EvalEffect, EvalEvent, EvalInput, EvalMachine, EvalProgress,
    Facts, OrderedCell, ProgramOrder, first_sample, has_failed,
};
use agon_store::EvalLogs;
use agon_telemetry::{EvalCellEnd, Observer};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How long tasks of a driver that is stopped may take to end.
const STOP_PATIENCE: Duration = Duration::from_secs(2);

/// How often a driver looks whether the eval was ended by somebody else, while a program runs.
const LOOK_AROUND: Duration = Duration::from_secs(1);

/// What a driver is told at its start.
#[derive(Clone)]
pub struct DriverConfig {
    /// The name of the process, in the log.
    pub writer: String,
    /// So many cells are held at once.
    pub concurrency: NonZeroUsize,
    /// After each block the comparisons of a fixed design are shown, which is written down.
    pub peek: bool,
    /// Where logs of evals are.
    pub logs: Arc<dyn EvalLogs>,
    /// Who holds the debates.
    pub holder: Arc<dyn CellHolder>,
    /// What the debates are.
    pub specs: Arc<dyn CellSpecs>,
    /// What the log of a debate that is over says.
    pub facts: fn(&[Record]) -> Facts,
    /// Whether what is known of a sequential design decides it.
    pub decided: fn(&EvalMachine) -> bool,
    /// The time that is recorded.
    pub clock: Arc<dyn Clock>,
    /// Is told which cells are over, and how the eval ends.
    pub observer: Arc<dyn Observer>,
}

/// How far an eval is, as its driver tells.
#[derive(Clone, Debug)]
pub struct EvalUpdate {
    /// Records of its log.
    pub records: u64,
    /// Its figures.
    pub progress: EvalProgress,
    /// Whether it goes on.
    pub state: DriverState,
}

/// Whether a driver goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DriverState {
    /// It does.
    Running,
    /// The eval is over.
    Ended,
    /// The eval cannot go on here; it can be resumed.
    Failed(String),
}

/// A running driver.
pub struct EvalDriver {
    actor: ActorRef<Msg>,
    updates: watch::Receiver<EvalUpdate>,
    tasks: Tasks,
    life: tokio::task::JoinHandle<()>,
}

impl EvalDriver {
    /// Claims an eval, and runs what is open of it.
    pub async fn start(config: DriverConfig, eval: OpenEval) -> Result<Self, EvalLogError> {
        let failed = |error: ractor::SpawnErr| EvalLogError::Unsure(format!("the driver does not start: {error}"));
        let update =
            EvalUpdate { records: eval.records, progress: eval.machine.progress(), state: DriverState::Running };
        let (tell, updates) = watch::channel(update);
        let tasks = Tasks::default();
        let args = Args { config, eval, tell, scope: tasks.scope() };
        let (actor, life) = Actor::spawn(None, Driver, args).await.map_err(failed)?;
        Ok(Self { actor, updates, tasks, life })
    }

    /// How far the eval is, now and from now on.
    pub fn updates(&self) -> watch::Receiver<EvalUpdate> {
        self.updates.clone()
    }

    /// Ends the eval, for a reason.
    pub fn cancel(&self, detail: Option<String>) {
        tell(&self.actor, Msg::Cancel(detail));
    }

    /// Stops driving an eval that is over or gone, and ends the debates that were held for it.
    pub(crate) fn withdraw(&self) {
        tell(&self.actor, Msg::Withdraw);
    }

    /// Waits until the eval is over or cannot go on.
    pub async fn done(&self) -> EvalUpdate {
        let mut updates = self.updates.clone();
        let over = updates.wait_for(|update| update.state != DriverState::Running).await.map(|update| update.clone());
        // an actor that is gone has told its end, unless it was killed
        over.unwrap_or_else(|_| {
            let last = self.updates.borrow().clone();
            EvalUpdate { state: DriverState::Failed("the eval's driver died".to_owned()), ..last }
        })
    }

    /// Stops driving; what is open stays open in the log. False when a task did not end.
    pub async fn stop(self) -> bool {
        self.actor.stop(None);
        self.tasks.cancel();
        let ended = tokio::time::timeout(STOP_PATIENCE, self.life).await.is_ok();
        self.tasks.join(STOP_PATIENCE).await && ended
    }
}

struct Driver;

enum Msg {
    /// A cell's debate or program is over, or cannot be held.
    Held(Box<Cell>, Result<Box<CellClosed>, HoldError>),
    /// A program runs, which nobody outside can end.
    LookAround,
    /// The time of the eval is over.
    TimeOver,
    /// A person ends the eval.
    Cancel(Option<String>),
    /// Somebody else has ended or deleted it.
    Withdraw,
}

struct Args {
    config: DriverConfig,
    eval: OpenEval,
    tell: watch::Sender<EvalUpdate>,
    scope: TaskScope,
}

struct State {
    config: DriverConfig,
    eval: OpenEval,
    tell: watch::Sender<EvalUpdate>,
    scope: TaskScope,
    /// The cells whose debates are held by tasks of this driver.
    running: BTreeSet<Cell>,
    /// Blocks of a fixed design that were shown.
    shown: u32,
    /// Whether the driver looks from time to time if somebody has ended the eval.
    looks_around: bool,
}

/// What stops a driver's work.
#[derive(Debug, thiserror::Error)]
enum DriverStop {
    #[error("the eval is over")]
    Ended,
    #[error("the eval was ended or deleted by somebody else")]
    Withdrawn,
    #[error(transparent)]
    Log(#[from] EvalLogError),
    #[error(transparent)]
    Hold(#[from] HoldError),
    #[error("{0}")]
    Spec(String),
}

impl Actor for Driver {
    type Msg = Msg;
    type State = State;
    type Arguments = Args;

    async fn pre_start(&self, _: ActorRef<Msg>, args: Args) -> Result<State, ActorProcessingErr> {
        let Args { config, eval, tell, scope } = args;
        Ok(State { config, eval, tell, scope, running: BTreeSet::new(), shown: 0, looks_around: false })
    }

    async fn post_start(&self, myself: ActorRef<Msg>, state: &mut State) -> Result<(), ActorProcessingErr> {
        let begun = state.begin(&myself).await;
        state.settle(&myself, begun).await;
        Ok(())
    }

    async fn handle(&self, myself: ActorRef<Msg>, msg: Msg, state: &mut State) -> Result<(), ActorProcessingErr> {
        let done = match msg {
            Msg::Held(cell, held) => state.held(&myself, *cell, held).await,
            Msg::LookAround => state.look_around(&myself).await,
            Msg::TimeOver => state.time_over(&myself).await,
            Msg::Cancel(detail) => state.cancel(&myself, detail).await,
            Msg::Withdraw => Err(DriverStop::Withdrawn),
        };
        state.settle(&myself, done).await;
        Ok(())
    }
}

impl State {
    async fn begin(&mut self, myself: &ActorRef<Msg>) -> Result<(), DriverStop> {
        self.step(EvalInput::Claim { writer: self.config.writer.clone() }).await?;
        self.await_deadline(myself);
        self.go_on(myself).await
    }

    /// Whatever is open then, the eval looks at its limit of time when that is reached.
    fn await_deadline(&self, myself: &ActorRef<Msg>) {
        let Some(deadline) = self.eval.machine.deadline() else { return };
        let left = deadline.saturating_sub(self.config.clock.now().0);
        self.scope.after(myself, Duration::from_millis(left), Msg::TimeOver);
    }

    async fn time_over(&mut self, myself: &ActorRef<Msg>) -> Result<(), DriverStop> {
        self.go_on(myself).await?;
        // the clock of the log may be behind the timer's
        self.await_deadline(myself);
        Ok(())
    }

    async fn held(
        &mut self,
        myself: &ActorRef<Msg>,
        cell: Cell,
        held: Result<Box<CellClosed>, HoldError>,
    ) -> Result<(), DriverStop> {
        self.running.remove(&cell);
        let closed = held?;
        // what failed in an earlier eval need not fail now
        let anew = if closed.reused && has_failed(&closed) {
            let attempt = self.eval.machine.attempt(&cell) + 1;
            let debate = self.order(&cell, attempt)?.debate().to_owned();
            EvalInput::Open(vec![(cell, debate)])
        } else {
            EvalInput::Closed(closed)
        };
        self.step(anew).await?;
        self.go_on(myself).await
    }

    async fn cancel(&mut self, myself: &ActorRef<Msg>, detail: Option<String>) -> Result<(), DriverStop> {
        self.step(EvalInput::Cancel { detail }).await?;
        self.go_on(myself).await
    }

    /// Appends what follows from an input, and takes it in.
    async fn step(&mut self, input: EvalInput) -> Result<bool, DriverStop> {
        let events = self.eval.machine.decide(input);
        let (before, any) = (self.eval.events.len(), !events.is_empty());
        self.eval.append(&*self.config.logs, events, self.config.clock.now()).await?;
        let written = self.eval.events.iter().skip(before);
        written.for_each(|(_, event)| observe(&*self.config.observer, event));
        if any {
            self.report(DriverState::Running);
        }
        Ok(any)
    }

    /// Decides what follows by itself, opens what there is room for, and performs what is outstanding.
    async fn go_on(&mut self, myself: &ActorRef<Msg>) -> Result<(), DriverStop> {
        loop {
            let now = self.config.clock.now().0;
            let settled = self.step(EvalInput::Settle { now }).await?;
            if self.eval.machine.ended().is_some() {
                return Err(DriverStop::Ended);
            }
            if !(settled || self.look().await?) {
                break;
            }
        }
        self.open().await?;
        self.perform(myself)
    }

    /// Looks at the comparisons where a look is due.
    async fn look(&mut self) -> Result<bool, DriverStop> {
        let due = self.eval.machine.outstanding().into_iter().find_map(|effect| match effect {
            EvalEffect::Look { blocks } => Some(blocks),
            EvalEffect::Hold { .. } => None,
        });
        if let Some(blocks) = due {
            let ends = (self.config.decided)(&self.eval.machine);
            return self.step(EvalInput::Looked { blocks, ends, by: "sequential".to_owned() }).await;
        }
        let blocks = self.eval.machine.blocks_over();
        if !self.config.peek || blocks <= self.shown {
            return Ok(false);
        }
        self.shown = blocks;
        self.step(EvalInput::Looked { blocks, ends: false, by: "peek".to_owned() }).await
    }

    /// Opens as many cells as there is room for.
    async fn open(&mut self) -> Result<(), DriverStop> {
        let room = self.config.concurrency.get().saturating_sub(self.eval.machine.open_cells());
        let mut opened = Vec::new();
        for (cell, attempt) in self.eval.machine.next_cells(room) {
            let order = self.order(&cell, attempt)?;
            opened.push((cell, order.debate().to_owned()));
        }
        self.step(EvalInput::Open(opened)).await.map(drop)
    }

    fn order(&self, cell: &Cell, attempt: u32) -> Result<OrderedCell, DriverStop> {
        OrderedCell::of(self.eval.machine.admission(), &*self.config.specs, cell, attempt).map_err(DriverStop::Spec)
    }

    /// Has held what is open and not held by this driver yet.
    fn perform(&mut self, myself: &ActorRef<Msg>) -> Result<(), DriverStop> {
        for effect in self.eval.machine.outstanding() {
            match effect {
                EvalEffect::Look { .. } => {}
                EvalEffect::Hold { cell, .. } if self.running.contains(&cell) => {}
                EvalEffect::Hold { cell, debate, attempt } => {
                    let order = self.order(&cell, attempt)?;
                    if order.debate() != debate {
                        let why =
                            "its spec is no longer the one that was opened; another version of Agon may have opened it";
                        return Err(DriverStop::Spec(format!("debate {debate} cannot go on: {why}")));
                    }
                    self.running.insert(cell);
                    match order {
                        OrderedCell::Debate(order) => self.hold(myself, *order),
                        OrderedCell::Program(order) => self.run(myself, *order),
                    }
                }
            }
        }
        Ok(())
    }

    fn hold(&self, myself: &ActorRef<Msg>, order: CellOrder) {
        let (holder, facts, target) = (self.config.holder.clone(), self.config.facts, myself.clone());
        let eval = self.eval.machine.admission().id.clone();
        self.scope.spawn(myself.get_cell(), async move {
            let held = holder.hold(&order).await;
            let closed = held.map(|held| Box::new(closed(&eval, &order, &held, facts)));
            tell(&target, Msg::Held(Box::new(order.cell), closed));
        });
    }

    /// Runs a program of the user's own. It ends with this driver.
    fn run(&mut self, myself: &ActorRef<Msg>, order: ProgramOrder) {
        let (holder, clock, target) = (self.config.holder.clone(), self.config.clock.clone(), myself.clone());
        self.scope.spawn(myself.get_cell(), async move {
            let began = clock.now().0;
            let ran = holder.run(&order).await;
            let wall_ms = clock.now().0.saturating_sub(began);
            let closed = ran.map(|ran| {
                let (cell, facts) = (order.cell.clone(), order.facts(ran));
                Box::new(CellClosed { cell, debate: String::new(), head: String::new(), reused: false, wall_ms, facts })
            });
            tell(&target, Msg::Held(Box::new(order.cell), closed));
        });
        if !self.looks_around {
            self.looks_around = true;
            self.scope.after(myself, LOOK_AROUND, Msg::LookAround);
        }
    }

    /// Whoever cancels an eval ends its debates, and with them their tasks here; programs end only when the driver sees that the eval has
    /// ended.
    async fn look_around(&mut self, myself: &ActorRef<Msg>) -> Result<(), DriverStop> {
        self.looks_around = self.running.iter().any(Cell::is_program);
        if !self.looks_around {
            return Ok(());
        }
        if self.is_over().await {
            return Err(DriverStop::Withdrawn);
        }
        self.scope.after(myself, LOOK_AROUND, Msg::LookAround);
        Ok(())
    }

    /// Whether whoever wrote to the log has ended or deleted the eval.
    async fn is_over(&self) -> bool {
        match self.config.logs.eval_head(&self.eval.id).await {
            Ok(head) => head.is_none_or(|head| head.ended),
            Err(_) => false,
        }
    }

    fn report(&self, state: DriverState) {
        let progress = self.eval.machine.progress();
        self.tell.send_replace(EvalUpdate { records: self.eval.records, progress, state });
    }

    /// Tells how the eval ended, if it did, and withdraws what nobody wants any more.
    async fn settle(&mut self, myself: &ActorRef<Msg>, done: Result<(), DriverStop>) {
        let Err(stop) = done else { return };
        let state = match &stop {
            DriverStop::Ended => DriverState::Ended,
            DriverStop::Withdrawn | DriverStop::Log(_) | DriverStop::Hold(_) | DriverStop::Spec(_) => {
                DriverState::Failed(stop.to_string())
            }
        };
        let over = match &stop {
            DriverStop::Ended | DriverStop::Withdrawn => true,
            DriverStop::Log(EvalLogError::Fenced(_)) => self.is_over().await,
            DriverStop::Log(_) | DriverStop::Hold(_) | DriverStop::Spec(_) => false,
        };
        if over {
            for cell in std::mem::take(&mut self.running) {
                if let Ok(OrderedCell::Debate(order)) = self.order(&cell, self.eval.machine.attempt(&cell)) {
                    self.config.holder.cancel(&order.debate.id, "the eval has ended").await;
                }
            }
        }
        self.report(state);
        myself.stop(None);
    }
}

/// Tells what was written down.
fn observe(observer: &dyn Observer, event: &EvalEvent) {
    match event {
        EvalEvent::CellClosed(closed) | EvalEvent::CellGraded(closed) => {
            let state = match closed.facts.ending {
                CellEnding::Answered => "answered",
                CellEnding::NoAnswer { .. } => "no_answer",
                CellEnding::Failed { .. } => "failed",
            };
            let grades = closed.cell.is_grading();
            observer.eval_cell_closed(EvalCellEnd { grades, state, reused: closed.reused });
        }
        EvalEvent::EvalEnded { state } => observer.eval_ended(state),
        EvalEvent::EvalAdmitted(_)
        | EvalEvent::EvalClaimed { .. }
        | EvalEvent::CellOpened { .. }
        | EvalEvent::LookTaken { .. }
        | EvalEvent::EvalStopped { .. }
        | EvalEvent::GateLearned(_)
        | EvalEvent::RetryOrdered { .. }
        | EvalEvent::RescoreOrdered { .. }
        | EvalEvent::LabelsGiven { .. } => {}
    }
}

/// What the log of a cell's debate says.
fn closed(eval: &str, order: &CellOrder, held: &HeldCell, facts: fn(&[Record]) -> Facts) -> CellClosed {
    let mut facts = facts(&held.records);
    // a debate numbers its samples from 0, and its pool goes on where the samples before ended
    for sample in &mut facts.samples {
        sample.number += first_sample(&order.cell.work);
    }
    let at = |record: Option<&Record>| record.map_or(0, |record| record.at.0);
    CellClosed {
        cell: order.cell.clone(),
        debate: order.debate.id.clone(),
        head: held.head.clone(),
        reused: !is_own(eval, held.records.first()),
        wall_ms: at(held.records.last()).saturating_sub(at(held.records.first())),
        facts,
    }
}
