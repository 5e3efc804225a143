//! Listens for hints on behalf of the whole node: one subscription, however many debates.
use crate::shared::Shared;
use crate::wire::{self, Hint};
use crate::{coordinators, hosts, subjects, tasks::tell};
use agon_bus::{BusError, Received};
use ractor::ActorRef;
use std::time::Duration;

/// Pause after a failure of the bus.
const BUS_PAUSE: Duration = Duration::from_secs(1);

/// Whom hints are passed on to.
pub(crate) struct Ears {
    pub(crate) shared: Shared,
    pub(crate) coordinators: ActorRef<coordinators::Msg>,
    pub(crate) hosts: ActorRef<hosts::Msg>,
}

impl Ears {
    /// Listens until the bus is closed or the owner is gone.
    pub(crate) async fn listen(&self) {
        loop {
            match self.shared.bus.subscribe(&subjects::all_hints()).await {
                Ok(mut hints) => {
                    while let Some(received) = hints.next().await {
                        self.hear(received);
                    }
                    return;
                }
                Err(BusError::Closed(_)) => return,
                Err(error) => tracing::warn!(%error, "hints cannot be heard"),
            }
            tokio::time::sleep(BUS_PAUSE).await;
        }
    }

    fn hear(&self, received: Received) {
        match received {
            Received::Message(message) if wire::is_log_advanced(&message.payload) => {}
            Received::Message(message) => match Hint::decode(&message.payload) {
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
            Hint::Decided(hint) => {
                tell(&self.coordinators, coordinators::Msg::Look { debate: hint.debate, turn: hint.turn });
            }
            Hint::CancelTurn(hint) => {
                tell(&self.hosts, hosts::Msg::Doubt { debate: hint.debate, turn: hint.turn });
            }
            Hint::CancelDebate(hint) => {
                tell(&self.hosts, hosts::Msg::Drop(hint.debate.clone()));
                tell(&self.coordinators, coordinators::Msg::Cancel { debate: hint.debate, reason: hint.reason });
            }
            Hint::JobReady(_) => self.shared.job_ready.notify_one(),
            Hint::LogAdvanced(_) => {}
        }
    }
}
