//! How turns reach a host: by offers made to it, and from the queues of its models.
use crate::config::Served;
use crate::gate::GateLink;
use crate::host::Msg;
use crate::roster::{Roster, Work};
use crate::shared::Shared;
use crate::subjects;
use crate::tasks::tell;
use agon_bus::{BusError, Delivery, Request};
use agon_core::{HostId, ModelName};
use agon_proto::{OfferReply, TurnOffer, Wire};
use ractor::ActorRef;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, watch};

/// Pause after a failure of the bus.
const BUS_PAUSE: Duration = Duration::from_secs(1);

/// The models whose queues a host follows from its start.
pub(crate) fn listed(served: &Served) -> Vec<ModelName> {
    match served {
        // learned from the offers
        Served::Any => Vec::new(),
        Served::List(models) => models.clone(),
    }
}

/// Answers the offers that are made to one host.
pub(crate) struct OfferDesk {
    pub(crate) shared: Shared,
    pub(crate) host: HostId,
    pub(crate) roster: Roster,
    pub(crate) target: ActorRef<Msg>,
    pub(crate) draining: watch::Receiver<bool>,
}

impl OfferDesk {
    /// Serves until the bus is closed or the owner is gone.
    pub(crate) async fn serve(&self) {
        let subject = subjects::offers(&self.host);
        loop {
            match self.shared.bus.serve(&subject).await {
                Ok(mut server) => {
                    while let Some(request) = server.next().await {
                        self.answer(request);
                    }
                    return;
                }
                Err(BusError::Closed(_)) => return,
                Err(error) => tracing::warn!(host = %self.host, %error, "offers cannot be served"),
            }
            tokio::time::sleep(BUS_PAUSE).await;
        }
    }

    fn answer(&self, request: Request) {
        let taken = self.consider(&request);
        let reason = taken.as_ref().err().map(|reason| (*reason).to_owned());
        let reply = OfferReply { accepted: taken.is_ok(), host: self.host.clone(), reason };
        (request.reply)(reply.to_bytes());
        if let Ok(Some(work)) = taken {
            tell(&self.target, Msg::Take(Box::new(work)));
        }
    }

    /// The turn, unless it is played here already; else why it is not taken.
    fn consider(&self, request: &Request) -> Result<Option<Work>, &'static str> {
        let offer = TurnOffer::from_bytes(&request.message.payload).map_err(|_| "the offer cannot be read")?;
        if self.roster.has(&offer.debate, offer.ask.turn) {
            return Ok(None);
        }
        if *self.draining.borrow() {
            return Err("the host takes no more turns");
        }
        let gate =
            self.shared.directory.gate(&self.host, &offer.ask.model).ok_or("the host does not serve the model")?;
        if gate.is_open() && self.shared.directory.well_elsewhere(&offer.ask.model, &self.host) {
            return Err("the breaker for the model is open");
        }
        let place = gate.place().ok_or("too many turns wait for the model")?;
        Ok(Some(Work::new(offer.debate, offer.ask, Some(place), offer.first)))
    }
}

/// Pulls turns from one model's queue while a call would start at once.
pub(crate) struct Puller {
    pub(crate) shared: Shared,
    pub(crate) link: Arc<GateLink>,
    pub(crate) target: ActorRef<Msg>,
    pub(crate) draining: watch::Receiver<bool>,
}

impl Puller {
    /// Pulls until the bus is closed or the owner is gone.
    pub(crate) async fn pull(mut self) {
        let pattern = subjects::queue(&self.link.model);
        let mut room = self.link.room();
        while room.wait_for(|room| *room).await.is_ok() && !*self.draining.borrow() {
            // what is pulled has not reached the gate yet, so the room does not show it: places bound it
            let Some(place) = self.link.wait_for_place().await else { return };
            let pulled = tokio::select! {
                biased;
                _ = self.draining.wait_for(|draining| *draining) => return,
                _ = room.wait_for(|room| !*room) => continue,
                pulled = self.shared.bus.pull(&pattern, self.shared.config.times.turn_lease) => pulled,
            };
            match pulled {
                Ok(delivery) => self.hand_over(delivery.into(), place).await,
                Err(BusError::Closed(_)) => return,
                Err(error) => {
                    tracing::warn!(host = %self.link.host, %error, "turns cannot be pulled");
                    tokio::time::sleep(BUS_PAUSE).await;
                }
            }
        }
    }

    async fn hand_over(&self, delivery: Arc<dyn Delivery>, place: OwnedSemaphorePermit) {
        match TurnOffer::from_bytes(&delivery.message().payload) {
            Ok(TurnOffer { debate, ask, .. }) => {
                let work = Work::pulled(debate, ask, delivery, place);
                tell(&self.target, Msg::Take(Box::new(work)));
            }
            Err(error) => {
                tracing::error!(%error, subject = delivery.message().subject, "a queued turn cannot be read, dropped");
                if let Err(error) = delivery.ack().await {
                    tracing::debug!(%error, "unreadable turn not acknowledged");
                }
            }
        }
    }
}
