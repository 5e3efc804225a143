//! One model server: takes turns for its models, keeps a gate per model and a cell per debate.
use crate::base::config::Served;
use crate::base::shared::Shared;
use crate::base::supervision::{ActorExit, Children, exit_of};
use crate::base::tasks::{TaskScope, tell};
use crate::cluster::plain;
use crate::host::cell::{self, DebateCell};
use crate::host::discovery;
use crate::host::gate::{self, Gate, GateLink};
use crate::host::host_state::{Answerer, HostState};
use crate::host::offer_server;
use crate::host::open_turns::{HostTurns, OpenTurns, TakenTurn};
use crate::host::turn_consumer::TurnConsumer;
use agon_core::{DebateId, ModelName};
use agon_proto::DebateTurn;
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::Instant;

pub(crate) enum Msg {
    /// A turn was pulled or accepted.
    Take(Box<TakenTurn>),
    /// What the host serves has changed.
    Models,
    /// A debate is over.
    Drop(DebateId),
    /// Drop cells that have been idle for long.
    Sweep,
    ReviveCell(DebateId),
    ReviveGate(ModelName),
    #[cfg(any(test, feature = "test-hooks"))]
    Crash(crate::base::hooks::Death),
    #[cfg(any(test, feature = "test-hooks"))]
    Strike(crate::base::hooks::Blow),
}

pub(crate) struct Args {
    pub(crate) shared: Shared,
    pub(crate) host_state: Arc<HostState>,
}

pub(crate) struct State {
    shared: Shared,
    host_state: Arc<HostState>,
    scope: TaskScope,
    turns: HostTurns,
    cells: Children<DebateId, DebateCell, OpenCell>,
    gates: Children<ModelName, Gate, OpenGate>,
}

struct OpenCell {
    open: Arc<OpenTurns>,
    last_used: Instant,
}

struct OpenGate {
    link: Arc<GateLink>,
    consumer: Option<AbortHandle>,
}

pub(crate) struct Host;

impl Actor for Host {
    type Msg = Msg;
    type State = State;
    type Arguments = Args;

    async fn pre_start(&self, _: ActorRef<Msg>, args: Args) -> Result<State, ActorProcessingErr> {
        let Args { shared, host_state } = args;
        let scope = shared.tasks.scope();
        let restarts = shared.config.restarts;
        let (cells, gates) = (Children::new(restarts), Children::new(restarts));
        Ok(State { shared, host_state, scope, turns: HostTurns::default(), cells, gates })
    }

    async fn post_start(&self, myself: ActorRef<Msg>, state: &mut State) -> Result<(), ActorProcessingErr> {
        state.begin(&myself).await
    }

    async fn handle(&self, myself: ActorRef<Msg>, msg: Msg, state: &mut State) -> Result<(), ActorProcessingErr> {
        match msg {
            Msg::Take(work) => state.take(&myself, *work).await?,
            Msg::Models => state.follow_models(&myself).await?,
            Msg::Drop(debate) => state.drop_cell(&debate),
            Msg::Sweep => state.sweep(&myself),
            Msg::ReviveCell(debate) => state.start_cell(&myself, &debate).await?,
            Msg::ReviveGate(model) => state.start_gate(&myself, &model).await?,
            #[cfg(any(test, feature = "test-hooks"))]
            Msg::Crash(death) => return death.happen(),
            #[cfg(any(test, feature = "test-hooks"))]
            Msg::Strike(blow) => state.strike(&blow),
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<Msg>,
        event: SupervisionEvent,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        if let Some(exit) = exit_of(&event) {
            state.exited(&myself, exit);
        }
        Ok(())
    }
}

impl State {
    async fn begin(&mut self, myself: &ActorRef<Msg>) -> Result<(), ActorProcessingErr> {
        self.follow_models(myself).await?;
        let server = offer_server::OfferServer {
            shared: self.shared.clone(),
            host: self.host_state.id.clone(),
            turns: self.turns.clone(),
            target: myself.clone(),
        };
        self.scope.spawn(myself.get_cell(), async move { server.serve().await });
        if let Answerer::Server(config) = &self.host_state.player
            && match config.models {
                Served::Discovered => true,
                // it is not asked what it has
                Served::Prefixed(_) => false,
                Served::Any | Served::List(_) => !self.shared.config.embedded,
            }
        {
            let follow = discovery::follow(self.shared.clone(), (**config).clone(), myself.clone());
            self.scope.spawn(myself.get_cell(), follow);
        }
        if let Some(wanted) = self.shared.directory.gates_wanted(&self.host_state.id) {
            self.scope.spawn(myself.get_cell(), follow_tools(wanted, myself.clone()));
        }
        self.scope.after(myself, self.shared.config.times.cell_idle, Msg::Sweep);
        Ok(())
    }

    /// A gate and a consumer for each model that is served, and none for one that went.
    async fn follow_models(&mut self, myself: &ActorRef<Msg>) -> Result<(), ActorProcessingErr> {
        let served = self.shared.directory.served_at(&self.host_state.id);
        let gone: Vec<ModelName> =
            self.gates.iter().map(|(model, _)| model.clone()).filter(|model| !served.contains(model)).collect();
        gone.iter().for_each(|model| self.close_gate(model));
        for model in &served {
            self.open_gate(myself, model).await?;
        }
        Ok(())
    }

    /// A gate and a consumer for a model that was not known yet.
    async fn open_gate(&mut self, myself: &ActorRef<Msg>, model: &ModelName) -> Result<(), ActorProcessingErr> {
        let model = plain(model);
        if self.gates.get(&model).is_some() {
            return Ok(());
        }
        let Some(link) = self.shared.directory.gate(&self.host_state.id, &model) else { return Ok(()) };
        self.gates.entry(&model, || OpenGate { link: link.clone(), consumer: None });
        self.start_gate(myself, &model).await?;
        let consumer = TurnConsumer::new(self.shared.clone(), link, myself.clone(), self.host_state.rehearses());
        let consumer = self.scope.spawn(myself.get_cell(), consumer.pull());
        self.gates.get_mut(&model).into_iter().for_each(|gate| gate.consumer = Some(consumer.clone()));
        Ok(())
    }

    /// Takes no more turns for a model; calls that run may end.
    fn close_gate(&mut self, model: &ModelName) {
        if let Some(gate) = self.gates.remove(model) {
            gate.consumer.inspect(AbortHandle::abort);
            gate.link.close();
        }
    }

    async fn start_gate(&mut self, myself: &ActorRef<Msg>, model: &ModelName) -> Result<(), ActorProcessingErr> {
        let Some(link) = self.gates.get(model).map(|gate| gate.link.clone()) else { return Ok(()) };
        let args = gate::Args { shared: self.shared.clone(), link: link.clone() };
        let actor = self.gates.start(myself.get_cell(), model, (Gate, args)).await?;
        actor.into_iter().for_each(|actor| link.connect(actor));
        Ok(())
    }

    async fn take(&mut self, myself: &ActorRef<Msg>, work: TakenTurn) -> Result<(), ActorProcessingErr> {
        self.open_gate(myself, &work.ask.model).await?;
        let debate = work.debate.clone();
        let fresh = || OpenCell { open: self.turns.open(&debate), last_used: Instant::now() };
        let kept = self.cells.entry(&debate, fresh);
        kept.last_used = Instant::now();
        let turn = DebateTurn { debate: debate.clone(), turn: work.ask.turn };
        let added = kept.open.add(work);
        self.turns.arrived(&turn);
        let Some(work) = added else { return Ok(()) };
        match self.cells.actor(&debate) {
            Some(cell) => tell(cell, cell::Msg::Take(work)),
            // it finds the turn among those that are open
            None => self.start_cell(myself, &debate).await?,
        }
        Ok(())
    }

    async fn start_cell(&mut self, myself: &ActorRef<Msg>, debate: &DebateId) -> Result<(), ActorProcessingErr> {
        let Some(open) = self.cells.get(debate).map(|kept| kept.open.clone()) else { return Ok(()) };
        if self.cells.actor(debate).is_some() {
            return Ok(());
        }
        let (shared, host_state) = (self.shared.clone(), self.host_state.clone());
        let args = cell::Args { shared, host_state, debate: debate.clone(), open, host: myself.clone() };
        self.cells.start(myself.get_cell(), debate, (DebateCell, args)).await?;
        Ok(())
    }

    fn drop_cell(&mut self, debate: &DebateId) {
        self.turns.remove(debate);
        self.shared.journal.forget(debate);
        self.gates.iter().for_each(|(_, gate)| gate.link.cache().forget(debate));
        self.cells.remove(debate);
    }

    fn sweep(&mut self, myself: &ActorRef<Msg>) {
        let idle = self.shared.config.times.cell_idle;
        let old = |kept: &OpenCell| kept.open.is_empty() && kept.last_used.elapsed() >= idle;
        let gone: Vec<DebateId> = self.cells.iter().filter(|(_, kept)| old(kept)).map(|(id, _)| id.clone()).collect();
        gone.iter().for_each(|debate| self.drop_cell(debate));
        self.scope.after(myself, idle, Msg::Sweep);
    }

    fn exited(&mut self, myself: &ActorRef<Msg>, exit: ActorExit) {
        let now = self.shared.clock.now();
        let cell = self.cells.restart(exit, now, |debate, after_ms| {
            tracing::warn!(%debate, after_ms, "cell died, starting another");
            self.scope.after(myself, Duration::from_millis(after_ms), Msg::ReviveCell(debate));
        });
        // its turns are offered again, and their deadlines stand
        if let Some(debate) = cell {
            tracing::error!(%debate, "cell died too often, dropped");
            self.drop_cell(&debate);
        }
        let gate = self.gates.restart(exit, now, |model, after_ms| {
            tracing::warn!(%model, after_ms, "gate died, starting another");
            self.scope.after(myself, Duration::from_millis(after_ms), Msg::ReviveGate(model));
        });
        // without a gate the host is of no use: its own supervisor decides
        if gate.is_some() {
            myself.kill();
        }
    }
}

/// Tools may ask for models that no turn has asked for.
async fn follow_tools(mut wanted: watch::Receiver<u64>, target: ActorRef<Msg>) {
    while wanted.changed().await.is_ok() {
        tell(&target, Msg::Models);
    }
}

#[cfg(any(test, feature = "test-hooks"))]
impl State {
    fn strike(&self, blow: &crate::base::hooks::Blow) {
        use crate::base::hooks::Victim;
        let cell = |debate| self.cells.actor(debate).into_iter();
        match &blow.victim {
            Victim::Cell(debate) => cell(debate).for_each(|actor| blow.strike(actor, cell::Msg::Crash)),
            Victim::Participant(debate, name) => {
                cell(debate).for_each(|actor| tell(actor, cell::Msg::Strike(name.clone(), blow.clone())));
            }
            Victim::Gate(model) => {
                let gate = self.gates.actor(&plain(model)).into_iter();
                gate.for_each(|actor| blow.strike(actor, gate::Msg::Crash));
            }
            Victim::Coordinator(_) | Victim::Coordinators | Victim::Host(_) | Victim::Hosts => {}
        }
    }
}
