//! Taking a log in, event by event.
use super::entry::{BallotChoice, Deed, Judged, MinutesEntry, entry};
use super::{DebateEnd, Minutes, MinutesToolCall, OpenedSeats, Placement, Verdict, VoteTally, WriterClaim};
use crate::prices::Prices;
use crate::result::DebateGate;
use crate::visible;
use agon_core::{Admission, Answered, Event, Given, ModeratorDecision, ParticipantId, Position, Timestamp, Transcript};
use std::collections::BTreeMap;

impl<'a> Minutes<'a> {
    pub(super) fn opened(admission: &'a Admission, at: Timestamp, position: Position) -> Self {
        Self {
            admission,
            visible: admission.spec.visible,
            watched: false,
            admitted_at: at,
            last_at: at,
            last: position,
            phase: None,
            rounds: Vec::new(),
            claims: Vec::new(),
            placements: Vec::new(),
            asks: BTreeMap::new(),
            entries: Vec::new(),
            transcript: Transcript::default(),
            stopped: None,
            gate: None,
            predicate_problem: None,
            tally: None,
            measures: Vec::new(),
            tools: Vec::new(),
            stages: Vec::new(),
            heard: Vec::new(),
            closing: None,
            verdict: None,
            cancel: None,
            end: None,
            log_head: None,
            prices: Prices::new(),
            halt: None,
            interrupted: None,
            paused_ms: 0,
            left_out_ms: 0,
        }
    }

    pub(super) fn take(&mut self, at: Timestamp, position: Position, event: &'a Event) {
        let before = std::mem::replace(&mut self.last_at, at);
        self.left_out_ms = self.left_out_ms.saturating_add(event.left_out_ms(before, at));
        self.last = position;
        let hidden = self.watched && visible::for_clients(&self.admission.spec, event).is_none();
        if !hidden {
            self.transcript.apply(position, event);
        }
        if let Some(mut entry) = entry(at, event) {
            // what was chosen is hidden, too
            if hidden {
                entry.deed = Deed::NotShown;
            }
            let sample = self.admission.spec.is_poll() && matches!(entry.deed, Deed::Spoke(_));
            let label = if sample { "sample" } else { entry.label };
            self.entries.push(self.veiled(MinutesEntry { label, ..entry }));
        }
        match event {
            Event::Claimed { writer, epoch } => {
                self.claims.push(WriterClaim { at, writer: writer.as_str(), epoch: *epoch });
            }
            Event::PhaseEntered { phase } => self.phase = Some(*phase),
            Event::ParticipantPlaced { participant, host, model, digest } => {
                let (model, digest) = (model.as_str(), digest.as_deref());
                self.placements.push(Placement { at, participant, host, model, digest });
            }
            // Briefing and angle stand in the moderator's own decision.
            Event::RoundOpened { round, speakers: _, briefing: _, new_angle: _ } => self.rounds.push(*round),
            Event::StageOpened { round, step, seats, parallel, joins } => {
                let (round, step, parallel, joins) = (*round, *step, *parallel, *joins);
                self.stages.push(OpenedSeats { at, round, step, seats, parallel, joins });
            }
            Event::TurnAsked(ask) => {
                self.asks.insert(ask.turn, (at, ask));
            }
            Event::ToolCalled { turn, participant, tool } => {
                let (turn, participant, shown) = (*turn, participant.as_str(), self.shows(participant.as_str()));
                self.tools.push(MinutesToolCall { at, turn, participant, tool, shown });
            }
            Event::SpeechHeard { turn, participant: _, text } => self.heard.push((at, *turn, text.chars().count())),
            Event::RoundCompared { round, measures }
            | Event::Answered(Answered { given: Given::Measures { round, measures }, .. }) => {
                self.measures.push((*round, measures));
            }
            Event::Answered(Answered {
                given: Given::Decision { decision: ModeratorDecision::Closes(closing) },
                ..
            }) => {
                self.closing = Some(closing).filter(|closing| closing.decided().is_some());
            }
            Event::DebateInterrupted { reason } => self.interrupted = Some(reason),
            Event::DebateResumed { .. } => {
                self.interrupted = None;
                self.paused_ms = self.paused_ms.saturating_add(at.since(before));
            }
            Event::GateDecided { .. }
            | Event::LoopEnded { .. }
            | Event::VoteTallied { .. }
            | Event::VerdictReached { .. }
            | Event::CancelRequested { .. }
            | Event::DebateEnded { .. } => self.take_end(at, event),
            // Only the first event admits; a log that repeats it says nothing new.
            Event::DebateAdmitted(_)
            | Event::Answered(_)
            | Event::FallbackDecided { .. }
            | Event::TurnFailed { .. }
            | Event::SeatSkipped { .. } => {}
        }
    }

    fn take_end(&mut self, at: Timestamp, event: &'a Event) {
        match event {
            Event::GateDecided { features, eligible, cast, score, skip, reason } => {
                let (features, eligible, cast) = (*features, *eligible, *cast);
                let (score, skip, reason) = (*score, *skip, *reason);
                self.gate = Some(DebateGate { features, eligible, cast, score, skip, reason });
            }
            Event::LoopEnded { rule, round, warning } => {
                self.stopped = Some((*rule, *round));
                self.predicate_problem = warning.as_deref();
            }
            Event::VoteTallied { rule, counts, weights, eligible, received, winner } => {
                let (rule, eligible, received) = (*rule, *eligible, *received);
                self.tally = Some(VoteTally { rule, counts, weights, eligible, received, winner: winner.as_deref() });
            }
            Event::VerdictReached { outcome, verdict, winner, reasoning, reason, consensus, majority, moved } => {
                self.verdict = Some(Verdict {
                    outcome: *outcome,
                    verdict: verdict.as_deref(),
                    winner: winner.as_deref(),
                    reasoning: reasoning.as_deref().filter(|_| self.shows_reasoning()),
                    reason: reason.as_ref(),
                    consensus: consensus.as_ref(),
                    majority: *majority,
                    moved,
                });
            }
            Event::CancelRequested { reason } => self.cancel = Some(reason),
            Event::DebateEnded { state, outcome, reason, usage, missing_seats } => {
                let (state, outcome, usage, reason) = (*state, *outcome, *usage, reason.as_ref());
                self.end = Some(DebateEnd { at, state, outcome, reason, usage, missing: missing_seats });
            }
            _ => {}
        }
    }

    /// Whether the reasons of whoever decides may stand in a report.
    fn shows_reasoning(&self) -> bool {
        visible::decider(&self.admission.spec).is_none_or(|decider| self.shows(decider.as_str()))
    }

    /// The entry without the words that the debate file keeps out of reports. Choices, winners and figures stay: the
    /// result is made of them.
    fn veiled(&self, entry: MinutesEntry<'a>) -> MinutesEntry<'a> {
        let quotes = self.admission.spec.personas.first().is_none_or(|persona| self.shows(persona.name.as_str()));
        let deed = match entry.deed {
            Deed::Judged(judged) if !quotes => Deed::Judged(Judged { citations: &[], ..judged }),
            deed => deed,
        };
        if self.shows(entry.participant) {
            return MinutesEntry { deed, ..entry };
        }
        let silent = |choice: BallotChoice<'a>| BallotChoice { reasons: &[], ..choice };
        let deed = match deed {
            Deed::Balloted(stage, choice) => Deed::Balloted(stage, silent(choice)),
            Deed::Voted(choice) => Deed::Voted(silent(choice)),
            Deed::Judged(judged) => {
                Deed::Judged(Judged { verdict: "", reasoning: "", citations: &[], open_objections: &[], ..judged })
            }
            Deed::Enough { enough, reasoning: _ } => Deed::Enough { enough, reasoning: "" },
            Deed::Spoke(_)
            | Deed::Bid(..)
            | Deed::Points(..)
            | Deed::Criticised { .. }
            | Deed::Noted(_)
            | Deed::Moderated { .. }
            | Deed::Interjected(_)
            | Deed::ScoredSpeeches(_)
            | Deed::Researched(_)
            | Deed::Ranked { .. }
            | Deed::Synthesised(_)
            // the synthesis that decides is the verdict, which is always shown
            | Deed::Concluded(_) => Deed::NotShown,
            Deed::ScoredDebaters(_)
            | Deed::Summarised { .. }
            | Deed::Measured { .. }
            | Deed::Failed { .. }
            | Deed::Skipped(_)
            | Deed::NotShown => deed,
        };
        MinutesEntry { deed, ..entry }
    }
}

/// Names in a row.
pub(crate) fn names(participants: &[ParticipantId]) -> String {
    participants.iter().map(ParticipantId::as_str).collect::<Vec<_>>().join(", ")
}
