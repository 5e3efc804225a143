//! How the coordinator finds a host for a turn.
use crate::shared::Shared;
use crate::subjects;
use agon_core::{Ask, Call, DebateId, Failure, FailureCause, HostId, TurnResult};
use agon_proto::{OfferReply, TurnOffer, Wire};
use agon_store::StoreError;

/// What became of an offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    /// A host plays the turn.
    Accepted(HostId),
    /// It waits in the model's queue.
    Queued,
    /// Nobody serves the model: the register holds the failure.
    Refused,
}

/// Offers a turn: to the host that holds this debate's prompts for the model, else to the best one of this
/// process, else to the model's queue.
pub(crate) async fn offer(
    shared: &Shared,
    debate: &DebateId,
    ask: &Ask,
    sticky: Option<HostId>,
    first: bool,
) -> Offered {
    let preferred = sticky.or_else(|| shared.directory.preferred(debate, &ask.model));
    let Some(host) = preferred else { return nowhere(shared, debate, ask).await };
    match ask_host(shared, debate, ask, &host, first).await {
        Some(reply) if reply.accepted => Offered::Accepted(host),
        Some(_) | None => {
            enqueue(shared, debate, ask).await;
            Offered::Queued
        }
    }
}

/// Puts a turn into its model's queue. If the queue is full or away, the turn is offered again later.
pub(crate) async fn enqueue(shared: &Shared, debate: &DebateId, ask: &Ask) {
    // what waits in a queue may have been offered to a host before
    let offer = TurnOffer { debate: debate.clone(), ask: ask.clone(), first: false };
    let subject = subjects::queued_turn(&ask.model, debate, ask.turn);
    if let Err(error) = shared.bus.enqueue(&subject, offer.to_bytes()).await {
        tracing::warn!(%debate, turn = %ask.turn, %error, "turn not queued, it will be offered again");
    }
}

async fn ask_host(shared: &Shared, debate: &DebateId, ask: &Ask, host: &HostId, first: bool) -> Option<OfferReply> {
    let offer = TurnOffer { debate: debate.clone(), ask: ask.clone(), first };
    let patience = shared.config.times.offer_patience;
    match shared.bus.request(&subjects::offers(host), offer.to_bytes(), patience).await {
        Ok(reply) => OfferReply::from_bytes(&reply).ok(),
        Err(error) => {
            tracing::debug!(%debate, %host, %error, "offer not answered");
            None
        }
    }
}

/// No host of this process serves the model. Elsewhere one may; where there is no elsewhere, the turn fails at once.
async fn nowhere(shared: &Shared, debate: &DebateId, ask: &Ask) -> Offered {
    if !shared.config.embedded {
        enqueue(shared, debate, ask).await;
        return Offered::Queued;
    }
    match refuse(shared, debate, ask).await {
        Ok(()) => Offered::Refused,
        Err(error) => {
            tracing::warn!(%debate, %error, "register not written");
            Offered::Queued
        }
    }
}

async fn refuse(shared: &Shared, debate: &DebateId, ask: &Ask) -> Result<(), StoreError> {
    let detail = format!("no host serves {}: {}", ask.model, shared.directory.inventory());
    let failure = Failure::new(FailureCause::NotFound, detail);
    let call = Box::new(Call { model: Some(ask.model.clone()), ..Call::default() });
    shared.registers.decide(debate, ask.turn, TurnResult::Failed { failure, call }).await?;
    Ok(())
}
