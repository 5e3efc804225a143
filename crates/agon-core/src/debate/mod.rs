//! The machine.
mod answers;
mod apply;
mod budget;
mod call_totals;
mod card;
mod control;
mod course;
mod decision;
mod draft;
mod failures;
mod flow;
mod formats;
mod input;
mod interrupting;
mod order;
mod tasks;
mod waiting;

pub(crate) use apply::{deciders, scorers, voters};
pub use budget::{FIRST_WAIT_MS, least_token_budget};
pub(crate) use call_totals::CallTotals;
pub use formats::steps;
pub use interrupting::may_be_interrupted;

pub use input::{Effect, Input, Rejection};

use crate::answer::RoundSummary;
use crate::event::{Admission, Event, Record};
use crate::ids::{ModelName, ParticipantId, Position, Timestamp};
use crate::outcome::{DebateState, Halt, Outcome, UsageTotals};
use crate::spec::{ConsensusStrategy, DebateSpec};
use crate::summary_figures::{SummaryFigures, listed_winner};
use crate::transcript::Transcript;
use control::{Control, Phase, SlotState};
use course::ConductLog;
use draft::Draft;
use std::sync::Arc;

/// A debate as its log tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Debate {
    admission: Arc<Admission>,
    control: Control,
    transcript: Transcript,
    conduct: ConductLog,
    calls: CallTotals,
}

impl Debate {
    /// The first event of a debate. Append it at position 1 in epoch 0.
    pub fn admit(admission: Admission) -> Event {
        Event::DebateAdmitted(Box::new(admission))
    }

    /// The debate that these records tell; none where the first event does not admit one.
    pub fn fold<'a>(records: impl IntoIterator<Item = &'a Record>) -> Option<Self> {
        let mut records = records.into_iter();
        let first = records.next()?;
        let Some(Event::DebateAdmitted(admission)) = first.events.first() else { return None };
        let admission = Arc::new(admission.as_ref().clone());
        let calls = CallTotals::admitted(&admission);
        let mut debate = Self {
            admission,
            control: Control::new(),
            transcript: Transcript::default(),
            conduct: ConductLog::default(),
            calls,
        };
        debate.apply_record(first);
        records.for_each(|record| debate.apply_record(record));
        Some(debate)
    }

    /// Takes a record in. Total, and the same on every replay.
    pub fn apply_record(&mut self, record: &Record) {
        for event in &record.events {
            self.calls.apply(event, self.control.takes_over(&self.admission));
            self.control.apply(&self.admission, record.at, event);
            self.transcript.apply(self.control.position, event);
            self.conduct.apply(&self.admission.spec, event);
        }
    }

    /// Decides which events follow from `input` at `at`. Never changes state; append the events as one record.
    pub fn decide(&self, at: Timestamp, input: Input) -> Result<Vec<Event>, Rejection> {
        if matches!(self.control.phase, Phase::Ended(..)) {
            return Err(Rejection::Ended);
        }
        if self.control.halt.is_some() && waits_to_be_resumed(&input) {
            return Err(Rejection::Interrupted);
        }
        let mut draft = Draft::new(self, at);
        match input {
            Input::Claim { writer } => draft.claim(writer),
            Input::TurnDecided { turn, result } => draft.turn_decided(turn, result)?,
            Input::RetryDue { turn } => draft.retry_due(turn)?,
            Input::SpeechHeard { turn, text } => draft.speech_heard(turn, text)?,
            Input::Cancel { reason } => draft.cancel(reason),
            Input::Interrupt { reason } => draft.emit(Event::DebateInterrupted { reason }),
            Input::Resume { by } => draft.emit(Event::DebateResumed { by }),
        }
        Ok(draft.into_events())
    }

    /// The record that holds `events`, ready to be appended.
    pub fn record(&self, at: Timestamp, nonce: u64, events: Vec<Event>) -> Record {
        let claimed =
            events.iter().find_map(|event| if let Event::Claimed { epoch, .. } = event { Some(*epoch) } else { None });
        Record { first: self.position().next(), at, epoch: claimed.unwrap_or(self.control.epoch), nonce, events }
    }

    /// What the world owes the debate, in seat order. Doing it twice is harmless.
    pub fn outstanding(&self) -> Vec<Effect> {
        if matches!(self.control.phase, Phase::Ended(..)) {
            return vec![Effect::Finish];
        }
        if self.control.halt.is_some() {
            return Vec::new();
        }
        let owed = self.control.stage.slots.iter().filter_map(|slot| match &slot.state {
            SlotState::Asked(ask) => Some(Effect::Ask(ask.as_ref().clone())),
            SlotState::Backoff { turn, at } => Some(Effect::WakeAt { at: *at, turn: *turn }),
            SlotState::Waiting | SlotState::Done | SlotState::Failed(_) | SlotState::Skipped => None,
        });
        let cut = self.control.to_be_cut(self.spec()).map(|turn| Effect::Cut { turn });
        owed.chain(cut).collect()
    }

    /// The last event.
    pub fn position(&self) -> Position {
        self.control.position
    }
    /// The owner's epoch, 0 before the first claim.
    pub fn epoch(&self) -> u64 {
        self.control.epoch
    }
    /// How it ended, once it has.
    pub fn ended(&self) -> Option<(DebateState, Option<Outcome>)> {
        if let Phase::Ended(state, outcome) = self.control.phase { Some((state, outcome)) } else { None }
    }
    /// Whether it waits to be resumed.
    pub fn interrupted(&self) -> bool {
        self.halt().is_some()
    }
    /// Why nobody plays it, where it waits to be resumed.
    pub fn halt(&self) -> Option<Halt> {
        self.control.halt.filter(|_| self.ended().is_none())
    }
    /// Milliseconds that are part of no duration of it: from the last event before each resumption and each takeover to that.
    pub fn left_out_ms(&self) -> u64 {
        self.control.left_out_ms
    }
    /// When a coordinator claimed it first. From there on all times are those of coordinators.
    pub fn claimed_at(&self) -> Option<Timestamp> {
        self.control.claimed
    }
    /// What it started from.
    pub fn admission(&self) -> &Arc<Admission> {
        &self.admission
    }
    /// What was asked for.
    pub fn spec(&self) -> &DebateSpec {
        &self.admission.spec
    }
    /// What was said.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }
    /// Rounds that were opened.
    pub fn rounds(&self) -> u32 {
        self.control.rounds_held
    }
    /// Tokens of all calls so far.
    pub fn usage(&self) -> UsageTotals {
        self.control.usage
    }
    /// What lists show of it.
    pub fn summary_figures(&self) -> SummaryFigures {
        let reached = self.control.verdict.as_deref();
        let mediated = self.spec().consensus_strategy == ConsensusStrategy::MediatorSummary;
        let settlement = self.control.decision.as_deref().filter(|_| mediated).and_then(RoundSummary::settlement);
        let won = |reached: &control::Reached| {
            listed_winner(reached.winner.as_deref().or(settlement), reached.verdict.as_deref())
        };
        let winner = reached.and_then(won);
        SummaryFigures {
            winner,
            dissent: Draft::new(self, self.control.last_at).dissent(),
            ..self.calls.figures(&self.admission)
        }
    }

    /// What holds of every debate at every moment; the first broken rule, if any.
    pub fn check(&self) -> Result<(), String> {
        let control = &self.control;
        let spec = self.spec();
        if control.rounds_held > spec.max_rounds {
            return Err(format!("{} rounds of at most {}", control.rounds_held, spec.max_rounds));
        }
        let kept = self.transcript.entries().len();
        if control.speeches as usize > kept {
            return Err(format!("{} speeches were counted, and {kept} entries are kept", control.speeches));
        }
        let live = control.halt.is_none() && !matches!(control.phase, Phase::Ended(..) | Phase::Admitted);
        if live && self.outstanding().is_empty() {
            return Err(format!("nothing is outstanding in {:?}", control.phase));
        }
        let asked = control.stage.slots.iter().filter(|slot| matches!(slot.state, SlotState::Asked(_))).count();
        if !control.stage.parallel && asked > 1 {
            return Err(format!("{asked} turns are open in a sequential stage"));
        }
        Ok(())
    }
}

/// Whether an interrupted debate has no use for an input. It can be claimed to be cancelled.
fn waits_to_be_resumed(input: &Input) -> bool {
    match input {
        Input::Claim { .. } | Input::Cancel { .. } | Input::Resume { .. } => false,
        Input::TurnDecided { .. } | Input::RetryDue { .. } | Input::SpeechHeard { .. } | Input::Interrupt { .. } => {
            true
        }
    }
}

/// The models of a participant: its own, then its fallbacks.
fn models<'a>(spec: &'a DebateSpec, participant: &ParticipantId) -> Vec<&'a ModelName> {
    spec.role(participant).map(|role| role.models()).unwrap_or_default()
}
