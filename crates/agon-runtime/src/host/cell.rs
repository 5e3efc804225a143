//! One debate at one host: supervises the participants that play there and keeps their copy of the log.
use crate::base::shared::Shared;
use crate::base::supervision::{ActorExit, Children, exit_of};
use crate::base::tasks::{TaskScope, tell};
use crate::host::host_actor;
use crate::host::host_state::HostState;
use crate::host::open_turns::{OpenTurns, TakenTurn};
use crate::host::participant::{self, Participant};
use crate::host::preload;
use crate::host::read_ahead::{AheadReader, ReadAhead};
use crate::host::replica::Replica;
use crate::host::turn::Play;
use agon_core::{DebateId, ParticipantId, Position, TurnId};
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

mod hint_listener;

use hint_listener::CellListener;

pub(crate) enum Msg {
    Take(Arc<TakenTurn>),
    /// A turn has ended.
    Played {
        participant: ParticipantId,
        turn: TurnId,
    },
    /// Start a participant that died.
    Revive(ParticipantId),
    #[cfg(any(test, feature = "test-hooks"))]
    Crash(crate::base::hooks::Death),
    #[cfg(any(test, feature = "test-hooks"))]
    Strike(ParticipantId, crate::base::hooks::Blow),
}

pub(crate) struct Args {
    pub(crate) shared: Shared,
    pub(crate) host_state: Arc<HostState>,
    pub(crate) debate: DebateId,
    pub(crate) open: Arc<OpenTurns>,
    pub(crate) host: ActorRef<host_actor::Msg>,
}

pub(crate) struct State {
    shared: Shared,
    host_state: Arc<HostState>,
    open: Arc<OpenTurns>,
    replica: Arc<Replica>,
    scope: TaskScope,
    /// Those who play or have played, and what each was handed and has not finished.
    participants: Children<ParticipantId, Participant, BTreeSet<TurnId>>,
    /// What models have read before their turns, where they do.
    ahead: Option<Arc<ReadAhead>>,
}

pub(crate) struct DebateCell;

impl Actor for DebateCell {
    type Msg = Msg;
    type State = State;
    type Arguments = Args;

    async fn pre_start(&self, myself: ActorRef<Msg>, args: Args) -> Result<State, ActorProcessingErr> {
        let Args { shared, host_state, debate, open, host } = args;
        let replica = Arc::new(Replica::new(debate.clone(), shared.journal.clone()));
        let scope = shared.tasks.scope();
        let ahead = host_state.reads_ahead().then(Arc::<ReadAhead>::default);
        let (grown, log) = ahead.as_ref().map(|_| watch::channel(Position(0))).unzip();
        let hint_listener = CellListener {
            shared: shared.clone(),
            debate: debate.clone(),
            open: open.clone(),
            id: host_state.id.clone(),
            host,
            grown,
        };
        scope.spawn(myself.get_cell(), async move { hint_listener.listen().await });
        scope.spawn(myself.get_cell(), preload::load(shared.clone(), host_state.clone(), replica.clone()));
        if let (Some(ahead), Some(log)) = (&ahead, log) {
            let (shared, host_state, ahead) = (shared.clone(), host_state.clone(), ahead.clone());
            let (replica, open) = (replica.clone(), open.clone());
            let reader = AheadReader { shared, host_state, debate, replica, open, ahead };
            scope.spawn(myself.get_cell(), reader.follow(log));
        }
        let participants = Children::new(shared.config.restarts);
        Ok(State { shared, host_state, open, replica, scope, participants, ahead })
    }

    /// Goes on with the turns that a predecessor left open.
    async fn post_start(&self, myself: ActorRef<Msg>, state: &mut State) -> Result<(), ActorProcessingErr> {
        for work in state.open.all() {
            state.play(&myself, work).await?;
        }
        Ok(())
    }

    async fn handle(&self, myself: ActorRef<Msg>, msg: Msg, state: &mut State) -> Result<(), ActorProcessingErr> {
        match msg {
            Msg::Take(work) => state.play(&myself, work).await?,
            Msg::Played { participant, turn } => state.played(&myself, &participant, turn).await?,
            Msg::Revive(name) => state.revive(&myself, &name).await?,
            #[cfg(any(test, feature = "test-hooks"))]
            Msg::Crash(death) => return death.happen(),
            #[cfg(any(test, feature = "test-hooks"))]
            Msg::Strike(name, blow) => state.strike(&name, &blow),
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
    /// Hands a turn to its participant, once: a cell that is new finds the turn open and is told of it besides.
    async fn play(&mut self, myself: &ActorRef<Msg>, work: Arc<TakenTurn>) -> Result<(), ActorProcessingErr> {
        let (name, turn) = (work.ask.participant.clone(), work.ask.turn);
        if self.participants.actor(&name).is_none() {
            self.activate(myself, &name).await?;
        }
        let part = participant::Msg::Play(Box::new(self.part(work)));
        if self.participants.entry(&name, BTreeSet::new).insert(turn)
            && let Some(actor) = self.participants.actor(&name)
        {
            tell(actor, part);
        }
        Ok(())
    }

    fn part(&self, work: Arc<TakenTurn>) -> Play {
        let (shared, host_state) = (self.shared.clone(), self.host_state.clone());
        let (replica, open, ahead) = (self.replica.clone(), self.open.clone(), self.ahead.clone());
        Play { shared, host_state, replica, open, work, ahead }
    }

    async fn activate(&mut self, myself: &ActorRef<Msg>, name: &ParticipantId) -> Result<(), ActorProcessingErr> {
        let args = participant::Args { shared: self.shared.clone(), name: name.clone(), cell: myself.clone() };
        self.participants.entry(name, BTreeSet::new).clear();
        self.participants.start(myself.get_cell(), name, (Participant, args)).await?;
        Ok(())
    }

    /// An idle participant costs more memory than it saves: everything that it knows is in the replica.
    async fn played(
        &mut self,
        myself: &ActorRef<Msg>,
        participant: &ParticipantId,
        turn: TurnId,
    ) -> Result<(), ActorProcessingErr> {
        let Some(turns) = self.participants.get_mut(participant) else { return Ok(()) };
        turns.remove(&turn);
        // a copy that came while this one was being put away
        if let Some(work) = self.open.get(turn) {
            return self.play(myself, work).await;
        }
        if turns.is_empty() {
            self.participants.stop(participant);
        }
        Ok(())
    }

    fn exited(&mut self, myself: &ActorRef<Msg>, exit: ActorExit) {
        let lost = self.participants.restart(exit, self.shared.clock.now(), |name, after_ms| {
            tracing::warn!(participant = %name, after_ms, "participant died, starting another");
            self.scope.after(myself, Duration::from_millis(after_ms), Msg::Revive(name));
        });
        if let Some(name) = lost {
            self.give_up(myself, &name);
        }
    }

    /// Plays again what the dead one left open.
    async fn revive(&mut self, myself: &ActorRef<Msg>, name: &ParticipantId) -> Result<(), ActorProcessingErr> {
        if self.participants.actor(name).is_some() {
            return Ok(());
        }
        for work in self.open.of(name) {
            self.play(myself, work).await?;
        }
        Ok(())
    }

    /// The budget is spent: its turns fail, and the debate's own rules say what follows.
    fn give_up(&self, myself: &ActorRef<Msg>, name: &ParticipantId) {
        tracing::error!(participant = %name, "participant died too often, its turns fail");
        for work in self.open.of(name) {
            let play = self.part(work);
            self.scope
                .spawn(myself.get_cell(), async move { play.fail("the participant failed again and again").await });
        }
    }

    #[cfg(any(test, feature = "test-hooks"))]
    fn strike(&self, name: &ParticipantId, blow: &crate::base::hooks::Blow) {
        if let Some(actor) = self.participants.actor(name) {
            blow.strike(actor, participant::Msg::Crash);
        }
    }
}
