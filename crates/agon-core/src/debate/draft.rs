//! A step in the making: events so far, and the state as if they had happened.
use super::Debate;
use super::control::Control;
use crate::event::{Admission, Event};
use crate::ids::{NodeId, Timestamp};
use crate::outcome::{DebateState, Outcome, Reason, ReasonCode};
use crate::spec::DebateSpec;
use crate::task::Ask;
use crate::transcript::{Entry, Transcript};

pub(super) struct Draft<'a> {
    pub admission: &'a Admission,
    pub control: Control,
    pub at: Timestamp,
    /// What was said before this step, and in it: read through [`Draft::said`].
    before: &'a Transcript,
    now: Transcript,
    events: Vec<Event>,
}

impl<'a> Draft<'a> {
    pub fn new(debate: &'a Debate, at: Timestamp) -> Self {
        let (admission, before) = (&debate.admission, &debate.transcript);
        let (control, now) = (debate.control.clone(), Transcript::default());
        Self { admission, control, at, before, now, events: Vec::new() }
    }
    /// All that was said so far, this step's own included.
    pub fn said(&self) -> impl Iterator<Item = &Entry> {
        self.before.entries().iter().chain(self.now.entries())
    }
    /// What was said when an open turn was asked.
    pub fn said_before(&self, ask: &Ask) -> &'a [Entry] {
        self.before.up_to(ask.sees)
    }
    pub fn into_events(self) -> Vec<Event> {
        self.events
    }
    /// The events of this step so far.
    pub fn events(&self) -> &[Event] {
        &self.events
    }
    pub fn spec(&self) -> &'a DebateSpec {
        &self.admission.spec
    }
    /// Adds an event to the step.
    pub fn emit(&mut self, event: Event) {
        self.control.apply(self.admission, self.at, &event);
        self.now.apply(self.control.position, &event);
        self.events.push(event);
    }

    /// A coordinator takes over; the first one starts the debate.
    pub fn claim(&mut self, writer: NodeId) {
        let epoch = self.control.epoch.saturating_add(1);
        self.emit(Event::Claimed { writer, epoch });
        if self.control.halt.is_none() {
            self.advance();
        }
    }
    pub fn cancel(&mut self, reason: String) {
        self.emit(Event::CancelRequested { reason: reason.clone() });
        self.end(DebateState::Cancelled, None, Some(Reason::with(ReasonCode::Cancelled, reason)));
    }
    pub fn end_failed(&mut self, reason: Reason) {
        self.end(DebateState::Failed, None, Some(reason));
    }
    pub fn end(&mut self, state: DebateState, outcome: Option<Outcome>, reason: Option<Reason>) {
        let usage = self.control.usage;
        let mut missing_seats = self.control.missing.clone();
        // by place, whichever of those who were asked at once failed first
        missing_seats.sort_by_key(|missing| (missing.round, missing.seat));
        self.emit(Event::DebateEnded { state, outcome, reason, usage, missing_seats });
    }
}
