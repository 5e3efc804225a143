//! How the coordinator finds a host for a turn.
use crate::shared::Shared;
use crate::subjects;
use agon_bus::Payload;
use agon_core::{Ask, Call, Failure, FailureCause, HostId, TurnResult};
use agon_proto::{OfferReply, TurnOffer, Wire};
use agon_store::StoreError;

/// What became of an offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    /// A host plays the turn.
    Accepted(HostId),
    /// It waits in the model's queue.
    Queued,
    /// It waits in the model's queue, and no host is known that serves it.
    Unserved,
    /// Nobody serves the model: the register holds the failure.
    Refused,
}

/// A turn that wants a host.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) offer: TurnOffer,
    /// Only rehearsing hosts may play it, or none of them.
    pub(crate) rehearsal: bool,
    /// The host that holds the debate's prompts for the model, or plays the turn already.
    pub(crate) sticky: Option<HostId>,
}

/// Offers a turn: to the host that holds this debate's prompts for the model, else to the best one that is known, else
/// to the model's queue.
pub(crate) async fn offer(shared: &Shared, wanted: &Wanted) -> Offered {
    let Wanted { offer, rehearsal, sticky } = wanted;
    let sticky = sticky.clone().filter(|host| shared.directory.lives(host));
    let preferred = sticky.or_else(|| shared.directory.preferred(&offer.debate, &offer.ask.model, *rehearsal));
    let Some(host) = preferred else { return nowhere(shared, wanted).await };
    match ask_host(shared, offer, &host).await {
        Some(reply) if reply.accepted => Offered::Accepted(host),
        Some(_) | None => {
            enqueue(shared, offer, *rehearsal).await;
            Offered::Queued
        }
    }
}

/// Puts a turn into its model's queue. If the queue is full or away, the turn is offered again later.
pub(crate) async fn enqueue(shared: &Shared, offer: &TurnOffer, rehearsal: bool) {
    // what waits in a queue may have been offered to a host before
    let queued = TurnOffer { first: false, ..offer.clone() };
    let subject = subjects::queued_turn(&queued, rehearsal);
    if let Err(error) = shared.bus.enqueue(&subject, payload(shared, &queued)).await {
        tracing::warn!(debate = %offer.debate, turn = %offer.ask.turn, %error, "turn not queued, it will be offered again");
    }
}

async fn ask_host(shared: &Shared, offer: &TurnOffer, host: &HostId) -> Option<OfferReply> {
    let patience = shared.config.times.offer_patience;
    match shared.bus.request(&subjects::offers(host), payload(shared, offer), patience).await {
        Ok(reply) => OfferReply::from_bytes(&reply).ok(),
        Err(error) => {
            tracing::debug!(debate = %offer.debate, %host, %error, "offer not answered");
            None
        }
    }
}

/// A turn travels with the span that the try at its host is part of.
fn payload(shared: &Shared, offer: &TurnOffer) -> Payload {
    Payload::traced(offer.to_bytes(), shared.observer.traceparent(&offer.debate, offer.ask.turn))
}

/// No host that is known serves the model. Elsewhere one may appear; where there is no elsewhere, the turn fails at once.
async fn nowhere(shared: &Shared, wanted: &Wanted) -> Offered {
    if !shared.config.embedded {
        enqueue(shared, &wanted.offer, wanted.rehearsal).await;
        return Offered::Unserved;
    }
    match refuse(shared, &wanted.offer).await {
        Ok(()) => Offered::Refused,
        Err(error) => {
            tracing::warn!(debate = %wanted.offer.debate, %error, "register not written");
            Offered::Unserved
        }
    }
}

async fn refuse(shared: &Shared, offer: &TurnOffer) -> Result<(), StoreError> {
    let result = unserved(shared, &offer.ask);
    shared.in_time(shared.registers.decide(&offer.debate, offer.ask.turn, result)).await?;
    Ok(())
}

/// The result of a turn whose model nobody serves; it says what is served.
pub(crate) fn unserved(shared: &Shared, ask: &Ask) -> TurnResult {
    let detail = format!("no host serves {}: {}", ask.model, shared.directory.inventory());
    let failure = Failure::new(FailureCause::NotFound, detail);
    let call = Box::new(Call { model: Some(ask.model.clone()), ..Call::default() });
    TurnResult::Failed { failure, call }
}

/// Whether a host may still play what it has taken: one that drains plays on, one that is silent does not.
pub(crate) fn plays_on(shared: &Shared, host: &HostId) -> bool {
    let silent = shared.config.times.host_silent;
    shared.directory.lives(host)
        || shared.directory.known().iter().any(|known| known.alive.host == *host && known.silence <= silent)
}
