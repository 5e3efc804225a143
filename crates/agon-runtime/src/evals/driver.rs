//! The driver of one eval: the shell around its pure machine, and the sole writer of its log.
use super::holder::{CellHolder, HeldCell, HoldError, is_own};
use super::log::{EvalLogError, OpenEval};
use crate::base::clock::Clock;
use crate::base::tasks::{TaskScope, Tasks, tell};
use agon_core::Record;
use agon_eval::{
    Cell, CellClosed, CellOrder, CellSpecs, EvalEffect, EvalInput, EvalMachine, EvalProgress, Facts, first_sample,
    has_failed, order,
};
use agon_store::EvalLogs;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How long tasks of a driver that is stopped may take to end.
const STOP_PATIENCE: Duration = Duration::from_secs(2);

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
    /// A cell's debate is over, or cannot be held.
    Held(Box<CellOrder>, Result<Box<CellClosed>, HoldError>),
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
        Ok(State { config, eval, tell, scope, running: BTreeSet::new(), shown: 0 })
    }

    async fn post_start(&self, myself: ActorRef<Msg>, state: &mut State) -> Result<(), ActorProcessingErr> {
        let begun = state.begin(&myself).await;
        state.settle(&myself, begun).await;
        Ok(())
    }

    async fn handle(&self, myself: ActorRef<Msg>, msg: Msg, state: &mut State) -> Result<(), ActorProcessingErr> {
        let done = match msg {
            Msg::Held(order, held) => state.held(&myself, *order, held).await,
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
        order: CellOrder,
        held: Result<Box<CellClosed>, HoldError>,
    ) -> Result<(), DriverStop> {
        self.running.remove(&order.cell);
        let closed = held?;
        // what failed in an earlier eval need not fail now
        let anew = if closed.reused && has_failed(&closed) {
            let attempt = self.eval.machine.attempt(&order.cell) + 1;
            let debate = self.order(&order.cell, attempt)?.debate.id;
            EvalInput::Open(vec![(order.cell, debate)])
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
        let any = !events.is_empty();
        self.eval.append(&*self.config.logs, events, self.config.clock.now()).await?;
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
            opened.push((cell, order.debate.id));
        }
        self.step(EvalInput::Open(opened)).await.map(drop)
    }

    fn order(&self, cell: &Cell, attempt: u32) -> Result<CellOrder, DriverStop> {
        order(self.eval.machine.admission(), &*self.config.specs, cell, attempt).map_err(DriverStop::Spec)
    }

    /// Has held what is open and not held by this driver yet.
    fn perform(&mut self, myself: &ActorRef<Msg>) -> Result<(), DriverStop> {
        for effect in self.eval.machine.outstanding() {
            match effect {
                EvalEffect::Look { .. } => {}
                EvalEffect::Hold { cell, .. } if self.running.contains(&cell) => {}
                EvalEffect::Hold { cell, debate, attempt } => {
                    let order = self.order(&cell, attempt)?;
                    if order.debate.id != debate {
                        let why =
                            "its spec is no longer the one that was opened; another version of Agon may have opened it";
                        return Err(DriverStop::Spec(format!("debate {debate} cannot go on: {why}")));
                    }
                    self.running.insert(cell);
                    self.hold(myself, order);
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
            tell(&target, Msg::Held(Box::new(order), closed));
        });
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
                if let Ok(order) = self.order(&cell, self.eval.machine.attempt(&cell)) {
                    self.config.holder.cancel(&order.debate.id, "the eval has ended").await;
                }
            }
        }
        self.report(state);
        myself.stop(None);
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
