//! Supervises the coordinators: takes jobs while there is room, starts them, rebuilds them, ends what cannot be rebuilt.
use crate::base::shared::Shared;
use crate::base::supervision::{Children, exit_of};
use crate::base::tasks::{TaskScope, tell};
use crate::owner::coordinator::{self, Coordinator, Farewell};
use crate::owner::job_consumer::JobConsumer;
use crate::owner::sweeper::Sweeper;
use crate::owner::{orders, pings, register_purge, takeover, turn_checks};
use agon_core::{DebateId, Input};
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

mod endings;

pub(crate) enum Msg {
    /// A debate is held here since it was taken.
    Start(DebateId),
    /// Own this debate without a job, and do this first.
    Adopt { debate: DebateId, orders: Option<Input> },
    /// Start a coordinator again.
    Revive(DebateId),
    /// Something for a debate whose coordinator was just being started.
    PassOn { debate: DebateId, message: Box<coordinator::Msg> },
    /// Hosts have appeared or gone.
    HostsChanged,
    /// Hints were lost.
    LookAround,
    /// Somebody asks to end a debate.
    Cancel { debate: DebateId, reason: String },
    /// Take no more jobs, hand over those that run, and say when that is done.
    Drain(oneshot::Sender<()>),
    /// What was to be told of a debate that is no longer held here is told.
    SaidFarewell,
    #[cfg(any(test, feature = "test-hooks"))]
    Crash(crate::base::hooks::Death),
    #[cfg(any(test, feature = "test-hooks"))]
    Strike(crate::base::hooks::Blow),
}

pub(crate) struct Args {
    pub(crate) shared: Shared,
}

pub(crate) struct State {
    shared: Shared,
    scope: TaskScope,
    debates: Children<DebateId, Coordinator, Coordinated>,
    drained: Option<oneshot::Sender<()>>,
    draining: bool,
    /// Debates that are no longer held here, of which others are being told.
    farewells: usize,
}

/// A debate that is coordinated here.
struct Coordinated {
    /// What its coordinator left behind, if it stopped of its own will.
    end: Arc<OnceLock<Farewell>>,
    /// What the next coordinator does first.
    orders: Option<Input>,
    /// The pause after which it was last started, because the store was away.
    parked: Option<Duration>,
    /// The log's epoch as it was known then.
    known_epoch: Option<u64>,
    started: Instant,
}

pub(crate) struct Coordinators;

impl Actor for Coordinators {
    type Msg = Msg;
    type State = State;
    type Arguments = Args;

    async fn pre_start(&self, _: ActorRef<Msg>, args: Args) -> Result<State, ActorProcessingErr> {
        let scope = args.shared.tasks.scope();
        Ok(State {
            debates: Children::new(args.shared.config.restarts),
            shared: args.shared,
            scope,
            drained: None,
            draining: false,
            farewells: 0,
        })
    }

    /// Goes on with the debates of a predecessor, then takes jobs.
    async fn post_start(&self, myself: ActorRef<Msg>, state: &mut State) -> Result<(), ActorProcessingErr> {
        for (debate, _) in state.shared.owned.all() {
            state.start(&myself, &debate, None).await?;
        }
        state.start_tasks(&myself);
        Ok(())
    }

    async fn handle(&self, myself: ActorRef<Msg>, msg: Msg, state: &mut State) -> Result<(), ActorProcessingErr> {
        match msg {
            Msg::Start(debate) => state.take(&myself, debate).await?,
            Msg::Adopt { debate, orders } => state.adopt(&myself, debate, orders).await?,
            Msg::Revive(debate) => state.revive(&myself, &debate).await?,
            Msg::PassOn { debate, message } => state.pass_on(&debate, *message),
            Msg::HostsChanged => state.tell_all(|| coordinator::Msg::HostsChanged),
            Msg::LookAround => state.tell_all(|| coordinator::Msg::LookAround),
            Msg::Cancel { debate, reason } => state.cancel(&myself, debate, reason).await?,
            Msg::Drain(done) => state.drain(&myself, done),
            Msg::SaidFarewell => state.farewells = state.farewells.saturating_sub(1),
            #[cfg(any(test, feature = "test-hooks"))]
            Msg::Crash(death) => return death.happen(),
            #[cfg(any(test, feature = "test-hooks"))]
            Msg::Strike(blow) => state.strike(&blow),
        }
        state.say_when_drained();
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
        state.say_when_drained();
        Ok(())
    }
}

impl State {
    fn start_tasks(&self, myself: &ActorRef<Msg>) {
        let (shared, target) = (&self.shared, myself);
        if shared.config.max_debates == 0 {
            return;
        }
        let cell = || myself.get_cell();
        if shared.config.takes_jobs {
            let consumer = JobConsumer { shared: shared.clone(), target: target.clone() };
            self.scope.spawn(cell(), async move { consumer.run().await });
        }
        self.scope.spawn(cell(), pings::run(shared.clone()));
        self.scope.spawn(cell(), turn_checks::run(shared.clone()));
        self.scope.spawn(cell(), register_purge::run(shared.clone()));
        self.scope.spawn(cell(), follow_hosts(shared.clone(), target.clone()));
        // another process may give them, also where this one is alone
        self.scope.spawn(cell(), orders::follow(shared.clone(), target.clone()));
        if shared.config.takes_jobs {
            let sweeper = Sweeper { shared: shared.clone(), target: target.clone() };
            self.scope.spawn(cell(), async move { sweeper.run().await });
        }
        if !shared.config.has_peers() {
            return;
        }
        self.scope.spawn(cell(), takeover::watch_deaths(shared.clone()));
        self.scope.spawn(cell(), crate::cluster::probe::run(shared.clone()));
    }

    async fn take(&mut self, myself: &ActorRef<Msg>, debate: DebateId) -> Result<(), ActorProcessingErr> {
        if self.draining {
            self.leave(myself, &debate, None);
            return Ok(());
        }
        self.revive(myself, &debate).await
    }

    async fn adopt(
        &mut self,
        myself: &ActorRef<Msg>,
        debate: DebateId,
        orders: Option<Input>,
    ) -> Result<(), ActorProcessingErr> {
        if self.shared.owned.add(&debate, None, None) {
            return self.start(myself, &debate, orders).await;
        }
        if let Some(Input::Cancel { reason }) = &orders {
            self.pass_on(&debate, coordinator::Msg::Cancel { reason: reason.clone() });
        }
        // should the coordinator die before it hears of them, the next one carries them out
        if let Some(coordinated) = self.debates.get_mut(&debate) {
            coordinated.orders = orders.or(coordinated.orders.take());
        }
        Ok(())
    }

    async fn cancel(
        &mut self,
        myself: &ActorRef<Msg>,
        debate: DebateId,
        reason: String,
    ) -> Result<(), ActorProcessingErr> {
        match self.shared.owned.get(&debate).map(|held| held.actor) {
            Some(Some(actor)) => tell(&actor, coordinator::Msg::Cancel { reason }),
            // it waits for its store or its next life: an end may fit where nothing else does
            Some(None) => self.start(myself, &debate, Some(Input::Cancel { reason })).await?,
            None => {}
        }
        Ok(())
    }

    async fn start(
        &mut self,
        myself: &ActorRef<Msg>,
        debate: &DebateId,
        orders: Option<Input>,
    ) -> Result<(), ActorProcessingErr> {
        let Some(held) = self.shared.owned.get(debate) else { return Ok(()) };
        let fresh = || Coordinated {
            end: Arc::default(),
            orders: None,
            parked: None,
            known_epoch: None,
            started: Instant::now(),
        };
        let coordinated = self.debates.entry(debate, fresh);
        coordinated.end = Arc::default();
        coordinated.orders = orders.or(coordinated.orders.take());
        coordinated.started = Instant::now();
        let args = coordinator::Args {
            shared: self.shared.clone(),
            debate: debate.clone(),
            end: coordinated.end.clone(),
            unanswered: held.unanswered,
            open: held.open,
            parked: held.parked,
            resumes: coordinated.parked.is_some(),
            known_epoch: coordinated.known_epoch,
            orders: coordinated.orders.clone(),
        };
        let actor = self.debates.start(myself.get_cell(), debate, (Coordinator, args)).await?;
        self.shared.owned.connect(debate, actor);
        Ok(())
    }

    async fn revive(&mut self, myself: &ActorRef<Msg>, debate: &DebateId) -> Result<(), ActorProcessingErr> {
        let vacant = self.shared.owned.get(debate).is_some_and(|held| held.actor.is_none());
        if vacant { self.start(myself, debate, None).await } else { Ok(()) }
    }

    fn pass_on(&self, debate: &DebateId, message: coordinator::Msg) {
        if let Some(actor) = self.shared.owned.actor(debate) {
            tell(&actor, message);
        }
    }

    fn tell_all(&self, message: impl Fn() -> coordinator::Msg) {
        self.shared.owned.actors().iter().for_each(|actor| tell(actor, message()));
    }
}

/// Tells of hosts that have appeared or gone, until the owner is gone.
async fn follow_hosts(shared: Shared, target: ActorRef<Msg>) {
    let mut changed = shared.directory.changed();
    while changed.changed().await.is_ok() {
        tell(&target, Msg::HostsChanged);
        // several at once are one change
        tokio::time::sleep(HOSTS_PAUSE).await;
    }
}

/// Shortest time between two tellings that hosts have appeared or gone.
const HOSTS_PAUSE: Duration = Duration::from_millis(200);

#[cfg(any(test, feature = "test-hooks"))]
impl State {
    fn strike(&self, blow: &crate::base::hooks::Blow) {
        let crate::base::hooks::Victim::Coordinator(debate) = &blow.victim else { return };
        if let Some(actor) = self.shared.owned.actor(debate) {
            blow.strike(&actor, coordinator::Msg::Crash);
        }
    }
}
