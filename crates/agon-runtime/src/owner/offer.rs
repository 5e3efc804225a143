//! How the coordinator finds a host for a turn.
use crate::base::shared::Shared;
use crate::base::subjects;
use crate::cluster::TurnNeeds;
use agon_bus::{BusError, Payload};
use agon_core::{Ask, Call, Failure, FailureCause, HostId, TurnResult};
use agon_proto::{OfferReply, TurnOffer, Wire};
use agon_store::StoreError;
use std::time::Duration;
use tokio::time::Instant;

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
pub(crate) struct WantedTurn {
    pub(crate) offer: TurnOffer,
    /// When the coordinator gives it up.
    pub(crate) until: Instant,
    /// What its host has to have besides the model.
    pub(crate) needs: TurnNeeds,
    /// Only rehearsing hosts may play it, or none of them.
    pub(crate) rehearsal: bool,
    /// The host that plays the turn already, as far as is known.
    pub(crate) placed: Option<HostId>,
    /// The host that holds the debate's prompts for the model.
    pub(crate) warm: Option<HostId>,
}

/// What a host said to an offer.
enum OfferAnswer {
    /// It plays the turn.
    Yes,
    /// It does not.
    No,
    /// Nobody was there.
    Nothing,
    /// It may have taken the turn: the answer is missing.
    Unknown,
}

/// The pauses between offers to a host that may have taken the turn. Longer together than a host is given before it is
/// taken for dead, so that a line that breaks does not have the turn generated twice.
const ASK_AGAIN: [Duration; 6] = [
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
    Duration::from_millis(1_600),
    Duration::from_millis(3_200),
];

/// Offers a turn: to the host that holds this debate's prompts for the model, else to the best one that is known, else
/// to the model's queue.
pub(crate) async fn offer(shared: &Shared, wanted: &WantedTurn) -> Offered {
    let WantedTurn { offer, until, needs, rehearsal, placed, warm } = wanted;
    let placed = placed.clone().filter(|host| plays_on(shared, host));
    let warm = warm.clone().filter(|host| shared.directory.lives(host) && !shared.directory.lacks(host, needs));
    let may_play = placed.is_some();
    let preferred = || shared.directory.preferred(&offer.debate, (&offer.ask.model, needs), *rehearsal);
    let Some(host) = placed.or(warm).or_else(preferred) else { return nowhere(shared, wanted).await };
    if press(shared, (offer, *until), &host, may_play).await {
        return Offered::Accepted(host);
    }
    enqueue(shared, wanted).await;
    Offered::Queued
}

/// Offers the turn to one host, again and again while the host lives and may have taken it. A host that has it says so.
async fn press(shared: &Shared, (offer, until): (&TurnOffer, Instant), host: &HostId, mut may_play: bool) -> bool {
    let mut offer = offer.clone();
    for pause in ASK_AGAIN {
        offer.time_left = Some(shared.stopwatch.time_left(until));
        match ask_host(shared, &offer, host).await {
            OfferAnswer::Yes => return true,
            OfferAnswer::No => return false,
            // a host of this process is only being started
            OfferAnswer::Nothing if !may_play && !shared.config.embedded => return false,
            OfferAnswer::Nothing | OfferAnswer::Unknown => may_play = true,
        }
        // it may even have played the turn to its end by now
        offer.first = false;
        tokio::time::sleep(pause).await;
        if !plays_on(shared, host) {
            return false;
        }
    }
    false
}

/// For a turn that waits in its model's queue: it is put there again if it was lost, and hosts that would serve its
/// model but never heard of it are told to look there. Offered besides, it could be played twice.
pub(crate) async fn requeue(shared: &Shared, wanted: &WantedTurn) -> Offered {
    let WantedTurn { offer, rehearsal, .. } = wanted;
    enqueue(shared, wanted).await;
    if !shared.directory.serves(&offer.ask.model, *rehearsal) {
        return Offered::Unserved;
    }
    let untaught = shared.directory.untaught(&offer.ask.model, *rehearsal);
    futures_util::future::join_all(untaught.iter().map(|host| teach(shared, offer, host))).await;
    Offered::Queued
}

async fn teach(shared: &Shared, offer: &TurnOffer, host: &HostId) {
    let patience = shared.config.times.offer_patience;
    if let Err(error) = order(shared, offer, host, subjects::lessons(host), patience).await {
        tracing::debug!(debate = %offer.debate, %host, %error, "host not told of a model");
    }
}

/// Puts a turn into its model's queue. If the queue is full or away, the turn is offered again later.
async fn enqueue(shared: &Shared, wanted: &WantedTurn) {
    let WantedTurn { offer, until, rehearsal, .. } = wanted;
    // what waits in a queue may have been offered to a host before
    let queued = TurnOffer { first: false, time_left: Some(shared.stopwatch.time_left(*until)), ..offer.clone() };
    let subject = subjects::queued_turn((&queued.debate, &queued.ask), queued.priority, *rehearsal);
    if let Err(error) = shared.bus.enqueue(&subject, payload(shared, &queued)).await {
        tracing::warn!(debate = %offer.debate, turn = %offer.ask.turn, %error, "turn not queued, it will be offered again");
    }
}

async fn ask_host(shared: &Shared, offer: &TurnOffer, host: &HostId) -> OfferAnswer {
    let patience = shared.config.times.offer_patience;
    let asked = order(shared, offer, host, subjects::offers(host), patience).await;
    let error = match asked {
        Ok(reply) => {
            return match OfferReply::from_bytes(&reply) {
                Ok(reply) if reply.accepted => OfferAnswer::Yes,
                Ok(_) | Err(_) => OfferAnswer::No,
            };
        }
        Err(error) => error,
    };
    tracing::debug!(debate = %offer.debate, %host, %error, "offer not answered");
    match error {
        BusError::NoResponders(_) => OfferAnswer::Nothing,
        BusError::Timeout { .. } | BusError::Failed(_) => OfferAnswer::Unknown,
        BusError::QueueFull(_) | BusError::Closed(_) | BusError::Denied(_) | BusError::TooLarge { .. } => {
            OfferAnswer::No
        }
    }
}

/// A turn travels with the span that the try at its host is part of.
fn payload(shared: &Shared, offer: &TurnOffer) -> Payload {
    Payload::traced(offer.to_bytes(), shared.observer.traceparent(&offer.debate, offer.ask.turn))
}

/// Asks one host, which wants to know whether whoever asks may.
async fn order(
    shared: &Shared,
    offer: &TurnOffer,
    host: &HostId,
    subject: String,
    patience: Duration,
) -> Result<Payload, BusError> {
    let Payload { body, traceparent } = payload(shared, offer);
    let payload = Payload { body: shared.directory.ordering(host, &subject, &body), traceparent };
    shared.bus.request(&subject, payload, patience).await
}

/// No host that is known serves the model. Elsewhere one may appear; where there is no elsewhere, the turn fails at once.
async fn nowhere(shared: &Shared, wanted: &WantedTurn) -> Offered {
    if !shared.config.embedded {
        enqueue(shared, wanted).await;
        return Offered::Unserved;
    }
    match refuse(shared, wanted).await {
        Ok(()) => Offered::Refused,
        Err(error) => {
            tracing::warn!(debate = %wanted.offer.debate, %error, "register not written");
            Offered::Unserved
        }
    }
}

async fn refuse(shared: &Shared, WantedTurn { offer, rehearsal, .. }: &WantedTurn) -> Result<(), StoreError> {
    let result = unserved(shared, &offer.ask, *rehearsal);
    shared.in_time(shared.registers.decide(&offer.debate, offer.ask.turn, result)).await?;
    Ok(())
}

/// The result of a turn whose model nobody serves; it says what is served, and what to do where hosts only rehearse.
pub(crate) fn unserved(shared: &Shared, ask: &Ask, rehearsal: bool) -> TurnResult {
    let (model, directory) = (&ask.model, &shared.directory);
    let remedy = match !rehearsal && directory.serves(model, true) {
        true => format!("; start a host that serves {model}, or submit the debate with --rehearsal"),
        false => String::new(),
    };
    let detail = format!("no host serves {model}: {}{remedy}", directory.inventory(rehearsal));
    let failure = Failure::new(FailureCause::NotFound, detail);
    let call = Box::new(Call { model: Some(ask.model.clone()), ..Call::default() });
    TurnResult::Failed { failure, call }
}

/// Whether a host may still play what it has taken: one that drains plays on, one that is silent does not.
pub(crate) fn plays_on(shared: &Shared, host: &HostId) -> bool {
    shared.directory.lives(host) || shared.directory.is_there(host)
}
