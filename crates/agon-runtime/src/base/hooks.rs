//! Ways to hurt a node, for tests of its supervision.
use crate::base::tasks::tell;
use agon_core::{DebateId, HostId, ModelName, ParticipantId};
use ractor::{ActorProcessingErr, ActorRef, Message};

/// An actor that is to die.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Victim {
    /// The coordinator of a debate.
    Coordinator(DebateId),
    /// The cells of a debate.
    Cell(DebateId),
    /// A participant of a debate, while it has a turn.
    Participant(DebateId, ParticipantId),
    /// A host.
    Host(HostId),
    /// The gates of a model.
    Gate(ModelName),
    /// The supervisor of the coordinators.
    Coordinators,
    /// The supervisor of the hosts.
    Hosts,
}

/// How it dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    /// Its handler returns an error.
    Error,
    /// Its handler panics.
    Panic,
    /// It is killed from outside.
    Kill,
}

#[derive(Clone, Debug)]
pub(crate) struct Blow {
    pub(crate) victim: Victim,
    pub(crate) death: Death,
}

impl Blow {
    pub(crate) fn strike<M: Message>(&self, actor: &ActorRef<M>, message: impl FnOnce(Death) -> M) {
        match self.death {
            Death::Kill => actor.kill(),
            Death::Error | Death::Panic => tell(actor, message(self.death)),
        }
    }
}

impl Death {
    /// What the struck handler does.
    #[expect(clippy::panic, reason = "this is the panic that supervision is tested with")]
    pub(crate) fn happen(self) -> Result<(), ActorProcessingErr> {
        match self {
            Self::Panic => panic!("panic on request"),
            Self::Error | Self::Kill => Err("crash on request".into()),
        }
    }
}
