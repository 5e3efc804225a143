//! Listens for hints on behalf of all coordinators of the node: two subscriptions, however many debates.
use crate::base::shared::Shared;
use crate::base::subjects;
use crate::base::tasks::tell;
use crate::base::trouble;
use crate::owner::{coordinator, coordinators};
use agon_bus::Received;
use agon_core::DebateId;
use agon_proto::{Hint, SpeechHeard, TurnDecided, TurnReturned};
use ractor::ActorRef;

/// Passes hints on to the coordinators.
pub(crate) struct HintListener {
    pub(crate) shared: Shared,
    pub(crate) coordinators: ActorRef<coordinators::Msg>,
}

impl HintListener {
    /// Listens to what concerns this node's debates, and to debates that want an owner, until the bus is closed or the
    /// owner is gone.
    pub(crate) async fn listen(&self) {
        let (inbox, ready) = (subjects::node(&self.shared.config.id), subjects::all_ready());
        tokio::join!(self.listen_to(&inbox), self.listen_to(&ready));
    }

    async fn listen_to(&self, subject: &str) {
        let hints = trouble::open(
            || self.shared.bus.subscribe(subject),
            |error| tracing::warn!(subject, %error, "hints cannot be heard"),
            |after| tracing::info!(subject, after, "hints are heard again"),
        );
        let Some(mut hints) = hints.await else { return };
        while let Some(received) = hints.next().await {
            self.hear(received);
        }
    }

    fn hear(&self, received: Received) {
        match received {
            Received::Message(message) => match Hint::from_bytes(&message.payload) {
                Ok(Some(hint)) => self.pass_on(hint),
                Ok(None) => tracing::debug!(subject = message.subject, "hint of an unknown kind"),
                Err(error) => tracing::warn!(subject = message.subject, %error, "hint cannot be read"),
            },
            Received::Lagged(lost) => {
                tracing::debug!(lost, "hints lost, looking at every register");
                self.shared.job_ready.notify_one();
                tell(&self.coordinators, coordinators::Msg::LookAround);
            }
        }
    }

    fn pass_on(&self, hint: Hint) {
        match hint {
            Hint::TurnDecided(TurnDecided { debate, turn }) => self.tell_owner(debate, coordinator::Msg::Look(turn)),
            Hint::TurnTaken(hint) => self.tell_owner(hint.debate.clone(), coordinator::Msg::Taken(hint)),
            Hint::TurnReturned(TurnReturned { debate, turn, host }) => {
                self.tell_owner(debate, coordinator::Msg::Returned { turn, host });
            }
            // whoever sends it, the order itself is what counts
            Hint::CancelDebate(_) => self.shared.order_given.notify_one(),
            Hint::SpeechHeard(SpeechHeard { debate, turn, text }) => {
                self.tell_owner(debate, coordinator::Msg::Heard { turn, text });
            }
            Hint::JobReady(_) => self.shared.job_ready.notify_one(),
            Hint::EvalChanged(_) => self.shared.eval_changed.notify_one(),
            // somebody else has written to the log of one of this node's debates
            Hint::LogAdvanced(hint) => self.tell_owner(hint.debate, coordinator::Msg::Lost),
            // for watchers and hosts
            Hint::CancelTurn(_) | Hint::CutTurn(_) | Hint::OwnerChanged(_) => {}
        }
    }

    /// Without a stop on the way, unless the debate's coordinator is just being started.
    fn tell_owner(&self, debate: DebateId, message: coordinator::Msg) {
        match self.shared.owned.actor(&debate) {
            Some(actor) => tell(&actor, message),
            None => tell(&self.coordinators, coordinators::Msg::PassOn { debate, message: Box::new(message) }),
        }
    }
}
