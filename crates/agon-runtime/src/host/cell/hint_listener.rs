//! Hears for a cell that its debate's turns are given up. What is missed here is found at the next look at the register.
use crate::base::shared::Shared;
use crate::base::subjects;
use crate::base::tasks::tell;
use crate::base::trouble;
use crate::host::host_actor;
use crate::host::open_turns::OpenTurns;
use agon_bus::{Message, Received};
use agon_core::{DebateId, HostId, Position};
use agon_proto::{Hint, OwnerChanged, SpeechHeard, TurnTaken};
use ractor::ActorRef;
use std::sync::Arc;
use tokio::sync::watch;

/// What one cell hears of.
pub(super) struct CellListener {
    pub(super) shared: Shared,
    pub(super) debate: DebateId,
    pub(super) open: Arc<OpenTurns>,
    pub(super) id: HostId,
    pub(super) host: ActorRef<host_actor::Msg>,
    /// Who wants to know how far the log goes, if anybody does.
    pub(super) grown: Option<watch::Sender<Position>>,
}

impl CellListener {
    /// Listens until the bus is closed or the cell is gone.
    pub(super) async fn listen(&self) {
        let (debate, subject) = (&self.debate, subjects::hints(&self.debate));
        let hints = trouble::open(
            || self.shared.bus.subscribe(&subject),
            |error| tracing::warn!(%debate, %error, "hints cannot be heard"),
            |after| tracing::info!(%debate, after, "hints are heard again"),
        );
        let Some(mut hints) = hints.await else { return };
        while let Some(received) = hints.next().await {
            match received {
                Received::Message(message) => self.hear(&message).await,
                Received::Lagged(_) => self.open.all().iter().for_each(|work| work.doubted.notify_one()),
            }
        }
    }

    async fn hear(&self, message: &Message) {
        if self.grown.is_none() && Hint::is_log_advanced(&message.payload) {
            return;
        }
        match Hint::from_bytes(&message.payload) {
            Ok(Some(Hint::CancelTurn(hint))) => {
                self.open.get(hint.turn).into_iter().for_each(|work| work.doubted.notify_one());
            }
            Ok(Some(Hint::CancelDebate(_))) => tell(&self.host, host_actor::Msg::Drop(self.debate.clone())),
            Ok(Some(Hint::OwnerChanged(hint))) => self.report(hint).await,
            Ok(Some(Hint::CutTurn(hint))) => {
                self.open.get(hint.turn).into_iter().for_each(|work| work.cut.notify_one());
            }
            Ok(Some(Hint::LogAdvanced(hint))) => {
                self.grown.iter().for_each(|grown| {
                    grown.send_replace(hint.position);
                });
            }
            // for owners and watchers
            Ok(
                Some(
                    Hint::TurnDecided(_)
                    | Hint::JobReady(_)
                    | Hint::TurnTaken(_)
                    | Hint::TurnReturned(_)
                    | Hint::EvalChanged(_)
                    | Hint::SpeechHeard(_),
                )
                | None,
            ) => {}
            Err(error) => tracing::warn!(subject = message.subject, %error, "hint cannot be read"),
        }
    }

    /// Tells a new owner which turns are played here, so that it offers them to nobody else, and what was heard of them.
    async fn report(&self, OwnerChanged { debate, owner }: OwnerChanged) {
        for work in self.open.all() {
            work.offered_by(Some(owner.clone()));
            let taken = TurnTaken { debate: debate.clone(), turn: work.ask.turn, host: self.id.clone() };
            self.shared.hint_node(&owner, Hint::TurnTaken(taken)).await;
            if let Some(text) = work.heard() {
                let heard = SpeechHeard { debate: debate.clone(), turn: work.ask.turn, text };
                self.shared.hint_node(&owner, Hint::SpeechHeard(heard)).await;
            }
        }
    }
}
