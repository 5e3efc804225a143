//! A debater, moderator or judge: the actor that plays the turns of one participant at one host.
//!
//! What it is asked differs by task, what it does is the same. It is activated by its first turn and dropped when it
//! has none: losing it costs at most the generation that runs.
use crate::base::shared::Shared;
use crate::base::tasks::{TaskScope, tell};
use crate::host::cell;
use crate::host::turn::Play;
use agon_core::{ParticipantId, TurnId};
use ractor::{Actor, ActorProcessingErr, ActorRef};

pub(crate) enum Msg {
    Play(Box<Play>),
    #[cfg(any(test, feature = "test-hooks"))]
    Crash(crate::base::hooks::Death),
}

pub(crate) struct Args {
    pub(crate) shared: Shared,
    pub(crate) name: ParticipantId,
    pub(crate) cell: ActorRef<cell::Msg>,
}

pub(crate) struct State {
    name: ParticipantId,
    cell: ActorRef<cell::Msg>,
    /// Its generations: they are cancelled with it.
    scope: TaskScope,
}

pub(crate) struct Participant;

impl Actor for Participant {
    type Msg = Msg;
    type State = State;
    type Arguments = Args;

    async fn pre_start(&self, _: ActorRef<Msg>, args: Args) -> Result<State, ActorProcessingErr> {
        let Args { shared, name, cell } = args;
        Ok(State { scope: shared.tasks.scope(), name, cell })
    }

    async fn handle(&self, myself: ActorRef<Msg>, msg: Msg, state: &mut State) -> Result<(), ActorProcessingErr> {
        match msg {
            Msg::Play(play) => state.play(&myself, *play),
            #[cfg(any(test, feature = "test-hooks"))]
            Msg::Crash(death) => return death.happen(),
        }
        Ok(())
    }
}

impl State {
    /// A panic inside kills this actor; its cell starts the next one and has the turn played again.
    fn play(&self, myself: &ActorRef<Msg>, play: Play) {
        let (cell, participant) = (self.cell.clone(), self.name.clone());
        let turn: TurnId = play.work.ask.turn;
        self.scope.spawn(myself.get_cell(), async move {
            play.run().await;
            tell(&cell, cell::Msg::Played { participant, turn });
        });
    }
}
