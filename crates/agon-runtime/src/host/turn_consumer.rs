//! Pulls turns from the queues of one model.
use crate::base::shared::Shared;
use crate::base::subjects;
use crate::base::tasks::tell;
use crate::base::time_left::OfferWay;
use crate::base::trouble::{BUS_PAUSE, Trouble};
use crate::host::gate::stride::PriorityShares;
use crate::host::gate::{GateLink, QueuedPlace};
use crate::host::host_actor::Msg;
use crate::host::open_turns::TakenTurn;
use agon_bus::{BusError, Delivery};
use agon_core::{HostId, Priority};
use agon_proto::{Hint, TurnOffer, TurnTaken, Wire};
use ractor::ActorRef;
use std::sync::Arc;
use tokio::sync::watch;

/// Pulls while a call would start at once, each priority by its share; and one of each to compete with turns that were offered.
pub(crate) struct TurnConsumer {
    shared: Shared,
    link: Arc<GateLink>,
    target: ActorRef<Msg>,
    draining: watch::Receiver<bool>,
    /// The subjects of the model's queue, by priority.
    queues: [String; 3],
    shares: PriorityShares,
}

type Pulled = (Priority, Box<dyn Delivery>);

impl TurnConsumer {
    pub(crate) fn new(shared: Shared, link: Arc<GateLink>, target: ActorRef<Msg>, rehearsal: bool) -> Self {
        let queues = Priority::ALL.map(|priority| subjects::queue(&link.model, rehearsal, priority));
        let draining = shared.directory.draining(&link.host);
        Self { shared, link, target, draining, queues, shares: PriorityShares::default() }
    }

    /// Pulls until the bus is closed or the owner is gone; rests while the host drains.
    pub(crate) async fn pull(mut self) {
        let (mut room, mut draining) = (self.link.room(), self.draining.clone());
        let mut trouble = Trouble::default();
        while draining.wait_for(|draining| !*draining).await.is_ok() {
            let link = self.link.clone();
            if room.wait_for(|room| link.wanted(*room).contains(&true)).await.is_err() {
                return;
            }
            let Some(place) = self.link.reserve().await else { return };
            let wanted = self.link.wanted(*room.borrow_and_update());
            let pulled = match self.there_now(wanted).await {
                Ok(None) => tokio::select! {
                    biased;
                    _ = draining.wait_for(|draining| *draining) => continue,
                    _ = room.wait_for(|room| link.wanted(*room) != wanted) => continue,
                    pulled = self.first_to_come(wanted) => pulled,
                },
                Ok(Some(pulled)) => Ok(pulled),
                Err(error) => Err(error),
            };
            match pulled {
                Ok((priority, delivery)) => {
                    if let Some(after) = trouble.over() {
                        tracing::info!(host = %self.link.host, after, "turns are pulled again");
                    }
                    self.shares.served(priority);
                    self.hand_over(delivery.into(), self.link.pulled_into(place, priority)).await;
                }
                Err(BusError::Closed(_)) => return,
                Err(error) => {
                    if trouble.is_news() {
                        tracing::warn!(host = %self.link.host, %error, "turns cannot be pulled");
                    }
                    tokio::time::sleep(BUS_PAUSE).await;
                }
            }
        }
    }

    fn queue(&self, priority: Priority) -> &str {
        priority.pick::<&String>(self.queues.each_ref())
    }

    /// What is there now, by the priorities' shares.
    async fn there_now(&self, wanted: [bool; 3]) -> Result<Option<Pulled>, BusError> {
        let lease = self.shared.config.times.turn_lease;
        for priority in self.shares.order().into_iter().filter(|priority| priority.pick(wanted)) {
            if let Some(delivery) = self.shared.bus.try_pull(self.queue(priority), lease).await? {
                return Ok(Some((priority, delivery)));
            }
        }
        Ok(None)
    }

    /// What comes first; a pull that is given up leaves nothing leased.
    async fn first_to_come(&self, wanted: [bool; 3]) -> Result<Pulled, BusError> {
        let lease = self.shared.config.times.turn_lease;
        let of = async |priority: Priority| {
            if !priority.pick(wanted) {
                return std::future::pending().await;
            }
            let delivery = self.shared.bus.pull(self.queue(priority), lease).await?;
            Ok((priority, delivery))
        };
        tokio::select! {
            biased;
            pulled = of(Priority::Interactive) => pulled,
            pulled = of(Priority::Normal) => pulled,
            pulled = of(Priority::Batch) => pulled,
        }
    }

    async fn hand_over(&self, delivery: Arc<dyn Delivery>, place: QueuedPlace) {
        let offer = match TurnOffer::from_bytes(&delivery.message().payload) {
            Ok(offer) => offer,
            Err(error) => {
                tracing::error!(%error, subject = delivery.message().subject, "a queued turn cannot be read, dropped");
                if let Err(error) = delivery.ack().await {
                    tracing::debug!(%error, "unreadable turn not acknowledged");
                }
                return;
            }
        };
        let (debate, turn, owner) = (offer.debate.clone(), offer.ask.turn, offer.owner.clone());
        let left = self.shared.stopwatch.left(&offer, OfferWay::Queue, self.shared.clock.now());
        tell(&self.target, Msg::Take(Box::new(TakenTurn::pulled(offer, left, delivery, place))));
        if let Some(owner) = owner {
            let host: HostId = self.link.host.clone();
            self.shared.hint_node(&owner, Hint::TurnTaken(TurnTaken { debate, turn, host })).await;
        }
    }
}
