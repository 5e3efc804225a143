//! What a debate's log says, as far as figures need it. A pure function of the log.
mod costs;
mod heard;

use crate::plan::usual_call;
use crate::{BallotFact, CellEnding, Facts, GateFacts, JudgedFact, NamedFact, SampleFact};
use agon_core::gate::{self, FirstBallots};
use agon_core::{
    Answered, BallotStage, DebateSpec, DebateState, Event, FailureCause, Given, Outcome, ParticipantId, PhaseName,
    Reason, Record, Speech, SpeechKind, Visibility,
};
use costs::CostLedger;
use heard::Challenges;
use std::collections::BTreeMap;

/// The facts of a debate. A log without an admission says nothing: its cell was not held.
pub fn facts(records: &[Record]) -> Facts {
    let mut events = records.iter().flat_map(|record| &record.events);
    let Some(Event::DebateAdmitted(admission)) = events.next() else { return Facts::default() };
    let mut reader = LogReader::new(&admission.spec, admission.rehearsal);
    events.for_each(|event| reader.take(event));
    reader.finish()
}

/// Reads a log once, from its first event to its last.
struct LogReader<'a> {
    spec: &'a DebateSpec,
    facts: Facts,
    costs: CostLedger,
    first_ballots: FirstBallots,
    challenges: Challenges<'a>,
    /// In which phase the debate is.
    phase: Option<PhaseName>,
    /// The answer that each debater named last.
    named: BTreeMap<ParticipantId, String>,
    verdict: Option<HeldResult>,
    /// The answers that share the top of the votes that decided.
    top: Vec<String>,
    /// Why turns were given up.
    causes: Vec<FailureCause>,
}

/// The reason of a debate that came to nothing because models did not answer in the form that was asked for.
pub const UNREADABLE: &str = "unreadable";

/// What a debate came to.
struct HeldResult {
    outcome: Outcome,
    reason: Option<Reason>,
    verdict: Option<String>,
    winner: Option<String>,
}

impl<'a> LogReader<'a> {
    fn new(spec: &'a DebateSpec, rehearsal: bool) -> Self {
        let samples = (0..).zip(spec.samplers()).map(|(number, persona)| SampleFact {
            number,
            model: Some(persona.voice.model.clone()),
            answer: None,
            confidence: None,
            cost: crate::CellCost::default(),
        });
        let samples: Vec<SampleFact> = samples.collect();
        let eligible = if spec.is_poll() { samples.len() } else { spec.personas.len() };
        let facts = Facts {
            samples,
            eligible: u32::try_from(eligible).unwrap_or(u32::MAX),
            ending: CellEnding::Failed { reason: "not_ended".to_owned() },
            rehearsal,
            format: spec.debate_format.as_str().to_owned(),
            ..Facts::default()
        };
        Self {
            spec,
            facts,
            costs: CostLedger::new(usual_call(spec)),
            first_ballots: FirstBallots::default(),
            challenges: Challenges::new(spec),
            phase: None,
            named: BTreeMap::new(),
            verdict: None,
            top: Vec::new(),
            causes: Vec::new(),
        }
    }

    fn take(&mut self, event: &Event) {
        self.costs.take(event);
        self.sampled(event);
        match event {
            Event::PhaseEntered { phase } => {
                self.phase = Some(*phase);
                self.facts.openings_independent |= *phase == PhaseName::OpeningStatements;
            }
            Event::RoundOpened { round, .. } => self.facts.rounds = self.facts.rounds.max(*round),
            Event::LoopEnded { rule, .. } => self.facts.stopped_by = Some(rule.as_str().to_owned()),
            Event::VoteTallied { rule: Some(_), counts, winner: None, .. } => self.top = self.shared_top(counts),
            Event::VerdictReached { outcome, verdict, winner, reason, .. } => {
                self.verdict = Some(HeldResult {
                    outcome: *outcome,
                    reason: reason.clone(),
                    verdict: verdict.clone(),
                    winner: winner.clone(),
                });
            }
            Event::DebateEnded { state, reason, .. } => self.ended(*state, reason.as_ref()),
            Event::Answered(answered) => self.answered(answered),
            Event::TurnFailed { failure, retry_at: None, .. } => self.causes.push(failure.cause),
            Event::TurnFailed { .. }
            | Event::DebateAdmitted(_)
            | Event::Claimed { .. }
            | Event::ParticipantPlaced { .. }
            | Event::StageOpened { .. }
            | Event::TurnAsked(_)
            | Event::ToolCalled { .. }
            | Event::SpeechHeard { .. }
            | Event::FallbackDecided { .. }
            | Event::RoundCompared { .. }
            | Event::SeatSkipped { .. }
            | Event::GateDecided { .. }
            | Event::VoteTallied { .. }
            | Event::DebateInterrupted { .. }
            | Event::DebateResumed { .. }
            | Event::CancelRequested { .. } => {}
        }
    }

    /// What a try of a sample cost.
    fn sampled(&mut self, event: &Event) {
        if self.phase != Some(PhaseName::OpeningStatements) {
            return;
        }
        let (Some((turn, call)), Some(cost)) = (event.settled(), self.costs.cost_of(event)) else { return };
        if let Some(sample) = self.facts.samples.get_mut(turn.seat as usize) {
            sample.cost.add(&cost);
            if call.model.is_some() {
                sample.model.clone_from(&call.model);
            }
        }
    }

    fn answered(&mut self, answered: &Answered) {
        self.first_ballots.take(self.spec, answered);
        let Answered { turn: _, participant, given, call } = answered;
        match given {
            Given::Speech(speech) => self.spoke(answered, speech),
            Given::Ballot { stage, choice, confidence, .. } => {
                let last = *stage == BallotStage::Final;
                let ballot = BallotFact {
                    last,
                    participant: participant.clone(),
                    seat: self.seat(participant).unwrap_or(u32::MAX),
                    model: call.model.clone(),
                    answer: self.meant(choice),
                    confidence: *confidence,
                    challenged: last && self.challenges.ever(participant),
                };
                self.facts.ballots.push(ballot);
            }
            Given::Judgement { order, winner, .. } => {
                let answer = winner.as_deref().map(|winner| self.meant(winner));
                self.facts.judged.push(JudgedFact { judge: participant.clone(), order: *order, answer });
            }
            Given::Ranking { order, ranking } => {
                let answer = ranking.first().map(|first| self.meant(&first.candidate));
                self.facts.judged.push(JudgedFact { judge: participant.clone(), order: *order, answer });
            }
            Given::Critique { of, .. } => self.challenges.addressed(participant, of),
            Given::Points { points, reply } => {
                let taken = points.iter().find(|point| Some(&point.by) == reply.accepts.as_ref());
                if let Some(point) = taken {
                    self.challenges.addressed(&point.by, participant);
                    self.challenges.addressed(participant, &point.by);
                }
            }
            Given::Bid { .. }
            | Given::Note(_)
            | Given::Vote { .. }
            | Given::DebaterScores { .. }
            | Given::Decision { .. }
            | Given::Interjection(_)
            | Given::SpeechScores { .. }
            | Given::Research { .. }
            | Given::Conclusion { .. }
            | Given::Summary { .. }
            | Given::Measures { .. }
            | Given::Enough { .. }
            | Given::Synthesis(_) => {}
        }
    }

    fn spoke(&mut self, answered: &Answered, speech: &Speech) {
        let Answered { turn, participant, call, .. } = answered;
        let Some(seat) = self.seat(participant) else { return };
        if self.spec.is_poll() {
            if let Some(sample) = self.facts.samples.get_mut(turn.seat as usize) {
                sample.answer.clone_from(&speech.answer);
                sample.confidence = speech.confidence;
            }
            return;
        }
        let challenged = self.challenges.spoke(participant, speech);
        // of those who speak at once nobody is the last
        if self.spec.visibility == Visibility::Sequential {
            self.facts.last_speaker = Some(seat);
        }
        let Some(answer) = &speech.answer else { return };
        self.named.insert(participant.clone(), answer.clone());
        let first = matches!(speech.kind, SpeechKind::Opening | SpeechKind::Proposal);
        self.facts.named.push(NamedFact {
            round: if first { 0 } else { turn.round },
            participant: participant.clone(),
            seat,
            model: call.model.clone(),
            answer: answer.clone(),
            challenged,
        });
    }

    fn seat(&self, who: &ParticipantId) -> Option<u32> {
        let at = self.spec.personas.iter().position(|persona| persona.name == *who)?;
        u32::try_from(at).ok()
    }

    /// The answer that a ballot or a judge means. Who stands for election stands for the answer that it named last, or else for its
    /// stance.
    fn meant(&self, choice: &str) -> String {
        if !self.spec.elects_debaters() && !self.spec.ballots_on_proposals() {
            return choice.to_owned();
        }
        let Some(persona) = self.spec.personas.iter().find(|persona| persona.name.as_str() == choice) else {
            return choice.to_owned();
        };
        let answer = self.named.get(&persona.name).or(persona.stance.as_ref());
        answer.map_or_else(|| choice.to_owned(), Clone::clone)
    }

    /// The answers that share the top of a count, where several do.
    fn shared_top(&self, counts: &[(String, u32)]) -> Vec<String> {
        let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
        let top = counts.iter().filter(|(_, count)| most > 0 && *count == most);
        let top: Vec<String> = top.map(|(answer, _)| self.meant(answer)).collect();
        if top.len() > 1 { top } else { Vec::new() }
    }

    fn ended(&mut self, state: DebateState, reason: Option<&Reason>) {
        let named = |other: &str| reason.map_or(other, |reason| reason.code.as_str()).to_owned();
        self.facts.ending = match state {
            DebateState::Failed if self.is_unreadable() => CellEnding::NoAnswer { reason: UNREADABLE.to_owned() },
            DebateState::Failed => CellEnding::Failed { reason: named("failed") },
            DebateState::Cancelled => CellEnding::Failed { reason: "cancelled".to_owned() },
            DebateState::Succeeded => self.succeeded(),
        };
    }

    /// Whether every turn that was lost was lost by its answer and not by its server.
    fn is_unreadable(&self) -> bool {
        !self.causes.is_empty() && self.causes.iter().all(|cause| cause.retries_at_once())
    }

    fn succeeded(&mut self) -> CellEnding {
        let Some(HeldResult { outcome, reason, verdict, winner }) = self.verdict.take() else {
            return CellEnding::NoAnswer { reason: "no_verdict".to_owned() };
        };
        let none = |reason: &str| CellEnding::NoAnswer { reason: reason.to_owned() };
        match outcome {
            Outcome::Tie => {
                self.facts.tied = std::mem::take(&mut self.top);
                return none("tie");
            }
            Outcome::Inconclusive => {
                return none(reason.map_or("inconclusive", |reason| reason.code.as_str()));
            }
            Outcome::Decided | Outcome::Degraded => {}
        }
        self.facts.degraded = outcome == Outcome::Degraded;
        let winner = winner.map(|winner| self.meant(&winner));
        self.facts.answer = match &self.spec.answer {
            Some(form) => winner.or(verdict).and_then(|text| form.read(&text).ok()),
            None => verdict.or(winner),
        };
        if self.facts.answer.is_some() { CellEnding::Answered } else { none("no_fit") }
    }

    fn finish(mut self) -> Facts {
        let roster = |ballot: &BallotFact| (ballot.last, ballot.seat);
        self.facts.ballots.sort_by_key(roster);
        self.facts.named.sort_by_key(|named| named.round);
        self.facts.judged.sort_by(|a, b| (a.order, a.judge.as_str()).cmp(&(b.order, b.judge.as_str())));
        (self.facts.cost, self.facts.cost_by) = self.costs.finish();
        self.facts.gate = (self.first_ballots.cast() > 0).then(|| GateFacts {
            features: self.first_ballots.features(self.spec),
            eligible: gate::eligible(self.spec),
            cast: self.first_ballots.cast(),
        });
        self.facts
    }
}

#[cfg(test)]
mod tests;
