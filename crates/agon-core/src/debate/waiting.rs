//! Whether a debate waits for an open breaker: only where nobody else can go on.
use super::control::{Phase, Slot, SlotState};
use super::draft::Draft;
use crate::failure::{Failure, FailureCause};
use crate::ids::{ModelName, ParticipantId};
use crate::spec::{DebateFormat, OnTurnFailure, Quorum};
use crate::task::BidPurpose;
use crate::work::Work;
use std::collections::BTreeSet;
use std::mem::discriminant;

impl Draft<'_> {
    /// Milliseconds until a seat whose model's breaker is open is asked again: at once by its next model, or when the breaker
    /// lets a call through; none where the debate goes on without the seat, or has waited for as long as it may.
    pub(super) fn wait_for_breaker(&self, slot: &Slot, failure: &Failure) -> Option<u64> {
        if self.has_fallback(slot) {
            return Some(0);
        }
        let model = self.models_left(slot).first().copied()?;
        if !self.hangs_on(slot, &Gone { model, host: None, placed: &[] }) {
            return None;
        }
        let policy = &self.admission.retry;
        let wait = failure.retry_after_ms.unwrap_or(policy.max_delay_ms).max(policy.base_delay_ms).max(1);
        let due = self.at.plus(wait);
        let patience = slot.waits_since.unwrap_or(self.at).plus(policy.wait_limit_ms);
        (due <= patience && due < self.deadline(self.decides(&slot.work))).then_some(wait)
    }

    /// Whether the debate cannot go on without a seat whose model server is away, at this host.
    pub(super) fn waits_for_server(&self, slot: &Slot, host: Option<&str>) -> bool {
        let Some(model) = self.models_left(slot).first().copied() else { return false };
        self.hangs_on(slot, &Gone { model, host, placed: &self.control.placed })
    }

    /// Whether the debate cannot go on without this seat: too few others can speak or decide by other models.
    fn hangs_on(&self, slot: &Slot, broken: &Gone<'_>) -> bool {
        if self.spec().on_turn_failure == OnTurnFailure::Abort && self.misses(&slot.work) {
            return true;
        }
        if self.decides(&slot.work) {
            return self.decision_hangs_on(&slot.work, broken);
        }
        self.is_wanted(slot) && self.round_hangs_on(broken)
    }

    /// Those who decide in the same way: with more than half of them there is a decision.
    fn decision_hangs_on(&self, work: &Work, broken: &Gone<'_>) -> bool {
        let alike = |slot: &&Slot| discriminant(&slot.work) == discriminant(work);
        let peers = || self.control.stage.slots.iter().filter(alike);
        let able = peers().filter(|peer| peer.state == SlotState::Done || self.can_go_on(peer, broken));
        count(able.count()) < Quorum::Majority.needed(count(peers().count()))
    }

    /// The round needs its quorum of speakers: those who were heard, and those who may still be. One that misses it even with all
    /// who are not lost yet is not waited for.
    fn round_hangs_on(&self, broken: &Gone<'_>) -> bool {
        if self.spec().is_poll() {
            return self.poll_hangs_on(broken);
        }
        let attendance = self.control.attendance();
        let later = self.still_to_speak();
        let open = || self.control.stage.slots.iter().filter(|other| !other.is_settled() && self.is_wanted(other));
        let wanted = open().map(|slot| &slot.participant).chain(later.iter().copied());
        let wanted: BTreeSet<_> = wanted.chain(attendance.wanted).collect();
        let able = open().filter(|other| self.can_go_on(other, broken)).map(|slot| &slot.participant);
        let able = able.chain(later.iter().copied().filter(|who| self.has_other_model(who, broken)));
        let able: BTreeSet<_> = able.chain(attendance.spoke.iter().copied()).collect();
        let not_lost = open().map(|slot| &slot.participant).chain(later.iter().copied());
        let not_lost: BTreeSet<_> = not_lost.chain(attendance.spoke.iter().copied()).collect();
        let needed = self.spec().quorum.needed(count(wanted.len()));
        count(able.len()) < needed && needed <= count(not_lost.len())
    }

    /// The poll needs its quorum of samples, each of which is a seat.
    fn poll_hangs_on(&self, broken: &Gone<'_>) -> bool {
        let slots = || self.control.stage.slots.iter().filter(|slot| slot.state != SlotState::Skipped);
        let done = |slot: &Slot| slot.state == SlotState::Done;
        let able = slots().filter(|slot| done(slot) || self.can_go_on(slot, broken)).count();
        let not_lost = slots().filter(|slot| done(slot) || !slot.is_settled()).count();
        let needed = self.spec().quorum.needed(count(slots().count()));
        count(able) < needed && needed <= count(not_lost)
    }

    /// Whether the round's quorum counts the seat: a speech, and before the first one a bid for the floor.
    fn is_wanted(&self, slot: &Slot) -> bool {
        let bids = matches!(slot.work, Work::Bid { purpose: BidPurpose::Floor, .. });
        slot.work.traits().speech.is_some()
            || bids && !self.control.turned.iter().any(|turned| turned.work.traits().speech.is_some())
    }

    /// Speakers of the running round whose seats are yet to be opened.
    fn still_to_speak(&self) -> Vec<&ParticipantId> {
        // Critics have their seats at once, and who revises depends on them.
        let by_seats = self.spec().debate_format == DebateFormat::CritiqueRevision;
        if self.control.phase != Phase::Speaking || by_seats {
            return Vec::new();
        }
        let seated = |who: &ParticipantId| {
            let open = self.control.stage.slots.iter().any(|slot| slot.participant == *who);
            open || self.control.turned.iter().any(|turned| turned.participant == *who)
        };
        self.control.speakers.iter().filter(|who| !seated(who)).collect()
    }

    /// Whether something may still come of a seat while this model's breaker is open. One that waits for a breaker does not count.
    fn can_go_on(&self, slot: &Slot, broken: &Gone<'_>) -> bool {
        let waits = slot.last_cause == Some(FailureCause::BreakerOpen) && !matches!(slot.state, SlotState::Asked(_));
        !slot.is_settled() && !waits && self.models_left(slot).iter().any(|model| !broken.takes(model))
    }

    fn has_other_model(&self, who: &ParticipantId, broken: &Gone<'_>) -> bool {
        super::models(self.spec(), who).iter().any(|model| !broken.takes(model))
    }

    /// The model in use and its fallbacks.
    fn models_left(&self, slot: &Slot) -> Vec<&ModelName> {
        super::models(self.spec(), &slot.participant).into_iter().skip(slot.model_index).collect()
    }
}

/// What cannot be asked for now.
struct Gone<'a> {
    model: &'a ModelName,
    /// The host whose server is away, with all its models.
    host: Option<&'a str>,
    /// Where models were played last.
    placed: &'a [(ParticipantId, String, ModelName)],
}
impl Gone<'_> {
    /// Whether a model is gone too: it was played last at this host, or nobody knows of another host.
    fn takes(&self, model: &ModelName) -> bool {
        let Some(host) = self.host.filter(|_| model != self.model) else { return model == self.model };
        let last = self.placed.iter().rev().find(|(_, _, played)| played == model);
        last.map_or_else(|| self.placed.iter().all(|(_, at, _)| at == host), |(_, at, _)| at == host)
    }
}

pub(super) fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
