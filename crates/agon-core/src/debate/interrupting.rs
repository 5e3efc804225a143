//! Interrupting a running speech: the others hear its first half while it goes on, and may bid to cut it.
use super::control::{Control, Heard, SlotState};
use super::draft::Draft;
use super::input::Rejection;
use crate::event::{Event, Step};
use crate::ids::{ParticipantId, TurnId};
use crate::spec::{DebateFormat, DebateSpec, Interruptions, TurnKind};
use crate::task::BidPurpose;
use crate::work::{Seat, Work};
use std::sync::Arc;

impl Draft<'_> {
    /// Opens a seat for everybody else who may hear the speaker to bid to interrupt, once for each speech.
    pub fn speech_heard(&mut self, turn: TurnId, text: Arc<str>) -> Result<(), Rejection> {
        let (slot, ask) = self.control.open_slot(turn).ok_or(Rejection::NotOpen(turn))?;
        let speaker = ask.participant.clone();
        let may = may_be_interrupted(self.spec()) && matches!(slot.work, Work::Argument { .. });
        let known = self.control.stage.slots.iter().any(|slot| is_interruption(&slot.work));
        if !may || known || text.trim().is_empty() {
            return Err(Rejection::NotOpen(turn));
        }
        let listens = |name: &&ParticipantId| **name != speaker && self.may_hear(name, &speaker);
        let others: Vec<ParticipantId> = self.control.speakers.iter().filter(listens).cloned().collect();
        if others.is_empty() {
            return Err(Rejection::NotOpen(turn));
        }
        self.emit(Event::SpeechHeard { turn, participant: speaker.clone(), text: text.clone() });
        let work =
            || Work::Bid { purpose: BidPurpose::Interruption, on: Some(speaker.clone()), heard: Some(text.clone()) };
        let seats = others.into_iter().map(|participant| Seat { participant, work: work() }).collect();
        let (round, step) = (self.control.round, Step::Speaking);
        self.emit(Event::StageOpened { round, step, seats, parallel: true, joins: true });
        self.advance();
        Ok(())
    }

    /// Whether masks let a debater hear another's speeches.
    fn may_hear(&self, reader: &ParticipantId, speaker: &ParticipantId) -> bool {
        let reader = self.spec().persona(reader);
        reader.is_some_and(|reader| self.spec().lets_see(reader, speaker, TurnKind::Arguments))
    }

    /// Who may cut this try of a running speech, if somebody bid as much as it takes.
    pub fn interrupter(&self, turn: TurnId) -> Option<ParticipantId> {
        self.control.interrupter(self.spec()).filter(|_| self.control.stage.listened == Some(turn))
    }
}

impl Control {
    /// The strongest of those who bid to interrupt the running speech, if it bid as much as the threshold.
    fn interrupter(&self, spec: &DebateSpec) -> Option<ParticipantId> {
        let here = |seat: u32| self.stage.slots.iter().any(|slot| slot.seat == seat);
        let bids = self.turned.iter().filter(|turned| is_interruption(&turned.work) && here(turned.seat));
        let urgencies = bids.filter_map(|turned| match &turned.heard {
            Heard::Bid(bid) if bid.urgency >= spec.format.interruption_threshold => {
                Some((std::cmp::Reverse(bid.urgency), turned.seat, turned.participant.clone()))
            }
            Heard::Bid(_)
            | Heard::Nothing
            | Heard::Skipped
            | Heard::Something
            | Heard::Speech(..)
            | Heard::Critique(_)
            | Heard::Requests(_) => None,
        });
        urgencies.min().map(|(_, _, who)| who)
    }

    /// The running speech that is to be cut, once all who may interrupt it have said what they want.
    pub fn to_be_cut(&self, spec: &DebateSpec) -> Option<TurnId> {
        let mut interruptions = self.stage.slots.iter().filter(|slot| is_interruption(&slot.work)).peekable();
        interruptions.peek()?;
        if !interruptions.all(super::control::Slot::is_settled) {
            return None;
        }
        self.interrupter(spec)?;
        let listened = self.stage.listened;
        self.stage.slots.iter().find_map(|slot| match (&slot.work, &slot.state) {
            // Bids on a try that failed since say nothing of the next one.
            (Work::Argument { .. }, SlotState::Asked(ask)) => Some(ask.turn).filter(|turn| listened == Some(*turn)),
            (_, _) => None,
        })
    }
}

fn is_interruption(work: &Work) -> bool {
    matches!(work, Work::Bid { purpose: BidPurpose::Interruption, .. })
}

/// Whether running speeches are to be listened to.
pub fn may_be_interrupted(spec: &DebateSpec) -> bool {
    spec.debate_format == DebateFormat::OpenFight && spec.format.interruptions == Interruptions::MidSpeech
}
