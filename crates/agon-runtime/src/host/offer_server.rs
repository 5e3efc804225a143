//! How others reach a host: turns are offered to it, and it is told to drain.
use crate::base::shared::Shared;
use crate::base::subjects;
use crate::base::tasks::tell;
use crate::base::time_left::OfferWay;
use crate::base::trouble;
use crate::cluster::OrderProof;
use crate::host::gate::GateLink;
use crate::host::host_actor::Msg;
use crate::host::open_turns::{HostTurns, TakenTurn};
use agon_bus::{Payload, Request};
use agon_core::HostId;
use agon_proto::{BreakerState, DebateTurn, OfferReply, TurnCheck, TurnCheckReply, TurnOffer, Wire};
use ractor::ActorRef;
use std::time::Duration;

/// A first turn that has less time than this belongs to a debate with a time budget.
const HURRIED: Duration = Duration::from_secs(3_600);

/// Answers the requests that are made to one host.
pub(crate) struct OfferServer {
    pub(crate) shared: Shared,
    pub(crate) host: HostId,
    pub(crate) turns: HostTurns,
    pub(crate) target: ActorRef<Msg>,
}

impl OfferServer {
    /// Serves until the bus is closed or the owner is gone.
    pub(crate) async fn serve(&self) {
        let (host, pattern) = (&self.host, subjects::host_requests(&self.host));
        let server = trouble::open(
            || self.shared.bus.serve(&pattern),
            |error| tracing::warn!(%host, %error, "requests to the host cannot be served"),
            |after| tracing::info!(%host, after, "requests to the host are served again"),
        );
        let Some(mut server) = server.await else { return };
        while let Some(request) = server.next().await {
            self.answer(request);
        }
    }

    fn answer(&self, request: Request) {
        let proof = self.shared.directory.proof(&request.message.subject, &request.message.payload);
        if proof == OrderProof::Missing {
            self.shared.observer.order_refused(&self.host);
            tracing::warn!(host = %self.host, subject = request.message.subject, "order of somebody who does not know the host's key, passed over");
            return self.reply(
                request,
                Err("the order does not prove that whoever gives it knows the key of the host's process".to_owned()),
            );
        }
        match subjects::verb(&request.message.subject) {
            subjects::GREET => self.reply(request, Ok(())),
            subjects::OFFER => self.answer_offer(request),
            subjects::LEARN => self.answer_lesson(request),
            subjects::CHECK => self.answer_check(request),
            subjects::DRAIN => self.answer_drain(request, true, proof),
            subjects::UNDRAIN => self.answer_drain(request, false, proof),
            unknown => {
                let reason =
                    format!("a host is not asked to {unknown:?}, but to offer, learn, check, drain, undrain or greet");
                self.reply(request, Err(reason));
            }
        }
    }

    fn reply(&self, request: Request, done: Result<(), String>) {
        let reply = OfferReply { accepted: done.is_ok(), host: self.host.clone(), reason: done.err() };
        (request.reply)(Payload::from(reply.to_bytes()));
    }

    fn answer_drain(&self, request: Request, drain: bool, proof: OrderProof) {
        if proof == OrderProof::NotNeeded {
            // from somebody who knows of no keys: such an order says nothing else
            if !request.message.payload.is_empty() {
                return self.reply(request, Err("the order cannot be read".to_owned()));
            }
            self.shared.directory.unproven(&self.host, drain);
        }
        let done = self.shared.directory.drain(&self.host, drain);
        tracing::info!(host = %self.host, drain, done, "host told whether to take turns");
        self.reply(request, if done { Ok(()) } else { Err("the host's process is ending".to_owned()) });
    }

    /// A turn for this model waits in its queue.
    fn answer_lesson(&self, request: Request) {
        let offer = TurnOffer::from_bytes(&request.message.payload).map_err(|_| "the offer cannot be read".to_owned());
        let learned = offer.map(|offer| self.learn(&offer));
        self.reply(request, learned);
    }

    fn learn(&self, offer: &TurnOffer) {
        if self.shared.directory.learn(&self.host, &offer.ask.model) {
            tell(&self.target, Msg::Models);
        }
    }

    fn answer_check(&self, request: Request) {
        let check = TurnCheck::from_bytes(&request.message.payload);
        let reply = check.map(|check| TurnCheckReply { answered: true, absent: self.turns.absent(check) });
        (request.reply)(Payload::from(reply.unwrap_or_default().to_bytes()));
    }

    fn answer_offer(&self, request: Request) {
        match self.consider(&request) {
            Ok(work) => {
                if let Some(work) = work {
                    self.turns.accepted(DebateTurn { debate: work.debate.clone(), turn: work.ask.turn });
                    tell(&self.target, Msg::Take(Box::new(work)));
                }
                self.reply(request, Ok(()));
            }
            Err(reason) => self.reply(request, Err(reason.to_owned())),
        }
    }

    /// The turn, unless it is played here already; else why it is not taken.
    fn consider(&self, request: &Request) -> Result<Option<TakenTurn>, &'static str> {
        let offer = TurnOffer::from_bytes(&request.message.payload).map_err(|_| "the offer cannot be read")?;
        if let Some(known) = self.turns.get(&offer.debate, offer.ask.turn) {
            known.offered_by(offer.owner);
            return Ok(None);
        }
        // also from one that is refused: it waits in the model's queue next
        self.learn(&offer);
        if *self.shared.directory.draining(&self.host).borrow() {
            return Err("the host takes no more turns");
        }
        let gate =
            self.shared.directory.gate(&self.host, &offer.ask.model).ok_or("the host does not serve the model")?;
        if !self.is_well(&gate) && self.shared.directory.well_elsewhere(&offer.ask.model, &self.host) {
            return Err("the breaker for the model is open");
        }
        if gate.should_move(&offer.debate) && self.shared.directory.idle_elsewhere(&offer.ask.model, &self.host) {
            return Err("another host would play the turn before this one has a permit");
        }
        let left = self.shared.stopwatch.left(&offer, OfferWay::Request, self.shared.clock.now());
        // the queue knows no hurry
        let hurries = offer.beginning && left < HURRIED;
        let waits = !self.turns.are_over(&offer.debate);
        let place = gate.place(&offer.debate, waits || hurries).ok_or("too many turns wait for the model")?;
        Ok(Some(TakenTurn::new(offer, left, Some(place))))
    }

    /// Whether a turn would be let in, as a probe if nothing else.
    fn is_well(&self, gate: &GateLink) -> bool {
        match gate.breaker() {
            BreakerState::Closed => true,
            BreakerState::HalfOpen => gate.in_flight() + gate.waiting() == 0,
            BreakerState::Open => false,
        }
    }
}
