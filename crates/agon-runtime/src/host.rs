//! One model server: takes turns for its models, keeps a gate per model and a cell per debate.
use crate::cell::{self, Cell};
use crate::config::Served;
use crate::desk::{Desk, Player};
use crate::directory::plain;
use crate::discovery;
use crate::gate::{self, Gate, GateLink};
use crate::intake;
use crate::puller::Puller;
use crate::roster::{OpenTurns, Roster, Work};
use crate::shared::Shared;
use crate::supervision::{exit_of, restarts};
use crate::tasks::{Scope, tell};
use agon_core::restart::{Exit, RestartDecision, Restarts};
use agon_core::{DebateId, ModelName};
use ractor::{Actor, ActorId, ActorProcessingErr, ActorRef, SupervisionEvent};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::Instant;

pub(crate) enum Msg {
    /// A turn was pulled or accepted.
    Take(Box<Work>),
    /// What the host serves has changed.
    Models,
    /// A debate is over.
    Drop(DebateId),
    /// Drop cells that have been idle for long.
    Sweep,
    ReviveCell(DebateId),
    ReviveGate(ModelName),
    #[cfg(any(test, feature = "test-hooks"))]
    Crash(crate::hooks::Death),
    #[cfg(any(test, feature = "test-hooks"))]
    Strike(crate::hooks::Blow),
}

pub(crate) struct Args {
    pub(crate) shared: Shared,
    pub(crate) desk: Arc<Desk>,
}

pub(crate) struct State {
    shared: Shared,
    desk: Arc<Desk>,
    scope: Scope,
    cells: BTreeMap<DebateId, Seat>,
    roster: Roster,
    /// The cells that live.
    cell_actors: HashMap<ActorId, DebateId>,
    gates: BTreeMap<ModelName, GateSeat>,
}

struct Seat {
    actor: Option<ActorRef<cell::Msg>>,
    open: Arc<OpenTurns>,
    restarts: Restarts,
    last_used: Instant,
}

struct GateSeat {
    actor: ActorRef<gate::Msg>,
    link: Arc<GateLink>,
    puller: Option<AbortHandle>,
    restarts: Restarts,
}

pub(crate) struct Host;

impl Actor for Host {
    type Msg = Msg;
    type State = State;
    type Arguments = Args;

    async fn pre_start(&self, _: ActorRef<Msg>, args: Args) -> Result<State, ActorProcessingErr> {
        let Args { shared, desk } = args;
        let scope = shared.tasks.scope();
        let (cells, gates) = (BTreeMap::new(), BTreeMap::new());
        let (roster, cell_actors) = (Roster::default(), HashMap::new());
        Ok(State { shared, desk, scope, cells, roster, cell_actors, gates })
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
            Msg::ReviveCell(debate) => state.revive_cell(&myself, &debate).await?,
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
        if let Some((who, exit)) = exit_of(&event) {
            state.exited(&myself, who, exit);
        }
        Ok(())
    }
}

impl State {
    async fn begin(&mut self, myself: &ActorRef<Msg>) -> Result<(), ActorProcessingErr> {
        self.follow_models(myself).await?;
        let desk = intake::HostDesk {
            shared: self.shared.clone(),
            host: self.desk.id.clone(),
            roster: self.roster.clone(),
            target: myself.clone(),
        };
        self.scope.spawn(myself.get_cell(), async move { desk.serve().await });
        if let Player::Server(config) = &self.desk.player
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
        if let Some(wanted) = self.shared.directory.gates_wanted(&self.desk.id) {
            self.scope.spawn(myself.get_cell(), follow_tools(wanted, myself.clone()));
        }
        self.scope.after(myself, self.shared.config.times.cell_idle, Msg::Sweep);
        Ok(())
    }

    /// A gate and a puller for each model that is served, and none for one that went.
    async fn follow_models(&mut self, myself: &ActorRef<Msg>) -> Result<(), ActorProcessingErr> {
        let served = self.shared.directory.served_at(&self.desk.id);
        let gone: Vec<ModelName> = self.gates.keys().filter(|model| !served.contains(model)).cloned().collect();
        gone.iter().for_each(|model| self.close_gate(model));
        for model in &served {
            self.open_gate(myself, model).await?;
        }
        Ok(())
    }

    /// A gate and a puller for a model that was not known yet.
    async fn open_gate(&mut self, myself: &ActorRef<Msg>, model: &ModelName) -> Result<(), ActorProcessingErr> {
        let model = plain(model);
        if self.gates.contains_key(&model) {
            return Ok(());
        }
        self.start_gate(myself, &model).await?;
        let Some(seat) = self.gates.get_mut(&model) else { return Ok(()) };
        let (shared, link, target) = (self.shared.clone(), seat.link.clone(), myself.clone());
        let puller = Puller::new(shared, link, target, self.desk.rehearses());
        seat.puller = Some(self.scope.spawn(myself.get_cell(), puller.pull()));
        Ok(())
    }

    /// Takes no more turns for a model; calls that run may end.
    fn close_gate(&mut self, model: &ModelName) {
        if let Some(seat) = self.gates.remove(model) {
            seat.puller.inspect(AbortHandle::abort);
            seat.link.close();
            seat.actor.stop(None);
        }
    }

    async fn start_gate(&mut self, myself: &ActorRef<Msg>, model: &ModelName) -> Result<(), ActorProcessingErr> {
        let Some(link) = self.shared.directory.gate(&self.desk.id, model) else { return Ok(()) };
        let args = gate::Args { shared: self.shared.clone(), link: link.clone() };
        let (actor, _) = Actor::spawn_linked(None, Gate, args, myself.get_cell()).await?;
        link.connect(actor.clone());
        match self.gates.get_mut(model) {
            Some(seat) => seat.actor = actor,
            None => {
                let seat = GateSeat { actor, link, puller: None, restarts: restarts(&self.shared) };
                self.gates.insert(model.clone(), seat);
            }
        }
        Ok(())
    }

    async fn take(&mut self, myself: &ActorRef<Msg>, work: Work) -> Result<(), ActorProcessingErr> {
        self.open_gate(myself, &work.ask.model).await?;
        let debate = work.debate.clone();
        let seat =
            self.cells.entry(debate.clone()).or_insert_with(|| Seat::new(&self.shared, self.roster.open(&debate)));
        seat.last_used = Instant::now();
        let Some(work) = seat.open.add(work) else { return Ok(()) };
        match &seat.actor {
            Some(cell) => tell(cell, cell::Msg::Take(work)),
            // it finds the turn among those that are open
            None => self.revive_cell(myself, &debate).await?,
        }
        Ok(())
    }

    async fn revive_cell(&mut self, myself: &ActorRef<Msg>, debate: &DebateId) -> Result<(), ActorProcessingErr> {
        let Some(seat) = self.cells.get_mut(debate) else { return Ok(()) };
        if seat.actor.is_some() {
            return Ok(());
        }
        let (shared, desk) = (self.shared.clone(), self.desk.clone());
        let args = cell::Args { shared, desk, debate: debate.clone(), open: seat.open.clone(), host: myself.clone() };
        let (actor, _) = Actor::spawn_linked(None, Cell, args, myself.get_cell()).await?;
        self.cell_actors.insert(actor.get_id(), debate.clone());
        seat.actor = Some(actor);
        Ok(())
    }

    fn drop_cell(&mut self, debate: &DebateId) {
        self.roster.remove(debate);
        self.shared.journal.forget(debate);
        if let Some(actor) = self.cells.remove(debate).and_then(|seat| seat.actor) {
            self.cell_actors.remove(&actor.get_id());
            actor.stop(None);
        }
    }

    fn sweep(&mut self, myself: &ActorRef<Msg>) {
        let idle = self.shared.config.times.cell_idle;
        let old = |seat: &Seat| seat.open.is_empty() && seat.last_used.elapsed() >= idle;
        let gone: Vec<DebateId> = self.cells.iter().filter(|(_, seat)| old(seat)).map(|(id, _)| id.clone()).collect();
        gone.iter().for_each(|debate| self.drop_cell(debate));
        self.scope.after(myself, idle, Msg::Sweep);
    }

    fn exited(&mut self, myself: &ActorRef<Msg>, who: ActorId, exit: Exit) {
        if let Some(debate) = self.cell_actors.remove(&who) {
            return self.cell_exited(myself, &debate, exit);
        }
        if let Some(model) = self.gates.iter().find(|(_, seat)| seat.actor.get_id() == who).map(|(m, _)| m.clone()) {
            self.gate_exited(myself, &model, exit);
        }
    }

    fn cell_exited(&mut self, myself: &ActorRef<Msg>, debate: &DebateId, exit: Exit) {
        let now = self.shared.clock.now();
        let Some(seat) = self.cells.get_mut(debate) else { return };
        seat.actor = None;
        match seat.restarts.on_exit(exit, now) {
            RestartDecision::Restart { after_ms } => {
                tracing::warn!(%debate, after_ms, "cell died, starting another");
                let revive = Msg::ReviveCell(debate.clone());
                self.scope.after(myself, Duration::from_millis(after_ms), revive);
            }
            // its turns are offered again, and their deadlines stand
            RestartDecision::GiveUp => {
                tracing::error!(%debate, "cell died too often, dropped");
                self.drop_cell(debate);
            }
            RestartDecision::Leave => {}
        }
    }

    fn gate_exited(&mut self, myself: &ActorRef<Msg>, model: &ModelName, exit: Exit) {
        let now = self.shared.clock.now();
        let Some(seat) = self.gates.get_mut(model) else { return };
        match seat.restarts.on_exit(exit, now) {
            RestartDecision::Restart { after_ms } => {
                tracing::warn!(%model, after_ms, "gate died, starting another");
                let revive = Msg::ReviveGate(model.clone());
                self.scope.after(myself, Duration::from_millis(after_ms), revive);
            }
            // without a gate the host is of no use: its own supervisor decides
            RestartDecision::GiveUp => myself.kill(),
            RestartDecision::Leave => {}
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
    fn strike(&self, blow: &crate::hooks::Blow) {
        use crate::hooks::Victim;
        let cell = |debate| self.cells.get(debate).and_then(|seat| seat.actor.as_ref());
        match &blow.victim {
            Victim::Cell(debate) => cell(debate).into_iter().for_each(|actor| blow.strike(actor, cell::Msg::Crash)),
            Victim::Participant(debate, name) => {
                let strike = || cell::Msg::Strike(name.clone(), blow.clone());
                cell(debate).into_iter().for_each(|actor| tell(actor, strike()));
            }
            Victim::Gate(model) => {
                let gate = self.gates.get(&plain(model)).into_iter();
                gate.for_each(|seat| blow.strike(&seat.actor, gate::Msg::Crash));
            }
            Victim::Coordinator(_) | Victim::Coordinators | Victim::Host(_) | Victim::Hosts => {}
        }
    }
}

impl Seat {
    fn new(shared: &Shared, open: Arc<OpenTurns>) -> Self {
        let restarts = restarts(shared);
        Self { actor: None, open, restarts, last_used: Instant::now() }
    }
}
