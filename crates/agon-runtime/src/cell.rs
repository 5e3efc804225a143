//! One debate at one host: supervises the participants that play there and keeps their copy of the log.
use crate::ahead;
use crate::desk::Desk;
use crate::host;
use crate::participant::{self, Participant};
use crate::replica::Replica;
use crate::roster::{OpenTurns, Work};
use crate::shared::Shared;
use crate::supervision::{exit_of, restarts};
use crate::tasks::{Scope, tell};
use crate::turn::Play;
use agon_core::restart::{Exit, RestartDecision, Restarts};
use agon_core::{DebateId, ParticipantId, TurnId};
use ractor::{Actor, ActorId, ActorProcessingErr, ActorRef, SupervisionEvent};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

mod ears;

use ears::Ears;

pub(crate) enum Msg {
    /// A turn was taken.
    Take(Arc<Work>),
    /// A turn has ended.
    Played { participant: ParticipantId, turn: TurnId },
    /// Start a participant that died.
    Revive(ParticipantId),
    #[cfg(any(test, feature = "test-hooks"))]
    Crash(crate::hooks::Death),
    #[cfg(any(test, feature = "test-hooks"))]
    Strike(ParticipantId, crate::hooks::Blow),
}

pub(crate) struct Args {
    pub(crate) shared: Shared,
    pub(crate) desk: Arc<Desk>,
    pub(crate) debate: DebateId,
    pub(crate) open: Arc<OpenTurns>,
    pub(crate) host: ActorRef<host::Msg>,
}

pub(crate) struct State {
    shared: Shared,
    desk: Arc<Desk>,
    open: Arc<OpenTurns>,
    replica: Arc<Replica>,
    scope: Scope,
    playing: BTreeMap<ParticipantId, Player>,
    restarts: BTreeMap<ParticipantId, Restarts>,
}

/// A participant that lives.
struct Player {
    actor: ActorRef<participant::Msg>,
    /// What it was handed and has not finished.
    turns: BTreeSet<TurnId>,
}

pub(crate) struct Cell;

impl Actor for Cell {
    type Msg = Msg;
    type State = State;
    type Arguments = Args;

    async fn pre_start(&self, myself: ActorRef<Msg>, args: Args) -> Result<State, ActorProcessingErr> {
        let Args { shared, desk, debate, open, host } = args;
        let replica = Arc::new(Replica::new(debate.clone(), shared.journal.clone()));
        let scope = shared.tasks.scope();
        let id = desk.id.clone();
        let ears = Ears { shared: shared.clone(), debate, open: open.clone(), id, host };
        scope.spawn(myself.get_cell(), async move { ears.listen().await });
        scope.spawn(myself.get_cell(), ahead::load(shared.clone(), desk.clone(), replica.clone()));
        Ok(State { shared, desk, open, replica, scope, playing: BTreeMap::new(), restarts: BTreeMap::new() })
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
            Msg::Played { participant, turn } => state.played(&participant, turn),
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
        if let Some((who, exit)) = exit_of(&event) {
            state.exited(&myself, who, exit);
        }
        Ok(())
    }
}

impl State {
    /// Hands a turn to its participant, once: a cell that is new finds the turn open and is told of it besides.
    async fn play(&mut self, myself: &ActorRef<Msg>, work: Arc<Work>) -> Result<(), ActorProcessingErr> {
        let (name, turn) = (work.ask.participant.clone(), work.ask.turn);
        if !self.playing.contains_key(&name) {
            self.activate(myself, &name).await?;
        }
        let part = participant::Msg::Play(Box::new(self.part(work)));
        if let Some(player) = self.playing.get_mut(&name)
            && player.turns.insert(turn)
        {
            tell(&player.actor, part);
        }
        Ok(())
    }

    fn part(&self, work: Arc<Work>) -> Play {
        let (shared, desk) = (self.shared.clone(), self.desk.clone());
        Play { shared, desk, replica: self.replica.clone(), open: self.open.clone(), work }
    }

    async fn activate(&mut self, myself: &ActorRef<Msg>, name: &ParticipantId) -> Result<(), ActorProcessingErr> {
        let args = participant::Args { shared: self.shared.clone(), name: name.clone(), cell: myself.clone() };
        let (actor, _) = Actor::spawn_linked(None, Participant, args, myself.get_cell()).await?;
        self.playing.insert(name.clone(), Player { actor, turns: BTreeSet::new() });
        Ok(())
    }

    /// An idle participant costs more memory than it saves: everything that it knows is in the replica.
    fn played(&mut self, participant: &ParticipantId, turn: TurnId) {
        let Some(player) = self.playing.get_mut(participant) else { return };
        player.turns.remove(&turn);
        if player.turns.is_empty()
            && let Some(player) = self.playing.remove(participant)
        {
            player.actor.stop(None);
        }
    }

    fn exited(&mut self, myself: &ActorRef<Msg>, who: ActorId, exit: Exit) {
        let dead = self.playing.iter().find(|(_, player)| player.actor.get_id() == who);
        let Some(name) = dead.map(|(name, _)| name.clone()) else { return };
        self.playing.remove(&name);
        let restarts = self.restarts.entry(name.clone()).or_insert_with(|| restarts(&self.shared));
        match restarts.on_exit(exit, self.shared.clock.now()) {
            RestartDecision::Restart { after_ms } => {
                tracing::warn!(participant = %name, after_ms, "participant died, starting another");
                self.scope.after(myself, Duration::from_millis(after_ms), Msg::Revive(name));
            }
            RestartDecision::GiveUp => self.give_up(myself, &name),
            RestartDecision::Leave => {}
        }
    }

    /// Plays again what the dead one left open.
    async fn revive(&mut self, myself: &ActorRef<Msg>, name: &ParticipantId) -> Result<(), ActorProcessingErr> {
        if self.playing.contains_key(name) {
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
    fn strike(&self, name: &ParticipantId, blow: &crate::hooks::Blow) {
        if let Some(player) = self.playing.get(name) {
            blow.strike(&player.actor, participant::Msg::Crash);
        }
    }
}
