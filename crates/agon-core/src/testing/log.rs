//! Writes logs as a coordinator would: one event a record, time moving on.
use super::{Asked, argument, ballot, bidding, judging, revising, scoring_speeches, vote};
use crate::*;
use std::collections::BTreeMap;

/// 2 January 2026, 03:04:05.
pub const START: u64 = 1_767_323_045_000;

/// A log in the making. Nothing is decided here: a test says what happened, whether a debate would come to it or not.
#[derive(Clone, Debug)]
pub struct LogBuilder {
    /// What happened so far.
    pub records: Vec<Record>,
    /// When the next event happens, in milliseconds.
    pub now: u64,
    /// What every call reports.
    pub usage: Usage,
    /// Where everybody is placed.
    pub host: &'static str,
    /// The model of whoever has no role in the debate.
    pub model: &'static str,
    /// Who is played by another model than the debate says.
    pub stand_ins: BTreeMap<ParticipantId, ModelName>,
    /// Whether calls are scripted ones.
    pub rehearsal: bool,
    /// How long the next call waits for its model server, in milliseconds.
    pub away_ms: Option<u64>,
    seats: BTreeMap<u32, u32>,
}

/// What a debate came to. [`ReachedVerdict::of`] has none of it.
#[derive(Clone, Debug)]
pub struct ReachedVerdict {
    /// Of which kind.
    pub outcome: Outcome,
    /// The answer to the topic.
    pub verdict: Option<String>,
    /// Who won.
    pub winner: Option<String>,
    /// Why.
    pub reasoning: Option<String>,
    /// Why the outcome is what it is.
    pub reason: Option<Reason>,
    /// How far the debaters agree.
    pub consensus: Option<Consensus>,
    /// What became of the first ballots' majority.
    pub majority: MajorityShift,
    /// Whose final ballot differs from the initial one.
    pub moved: Vec<ParticipantId>,
}
impl ReachedVerdict {
    /// An outcome without an answer, a winner or reasons.
    pub fn of(outcome: Outcome) -> Self {
        Self {
            outcome,
            verdict: None,
            winner: None,
            reasoning: None,
            reason: None,
            consensus: None,
            majority: MajorityShift::None,
            moved: Vec::new(),
        }
    }
}

impl LogBuilder {
    /// A log that begins with this admission, and a claim.
    pub fn new(admission: Admission) -> Self {
        let mut log = Self {
            records: Vec::new(),
            now: START,
            usage: Usage { prompt_tokens: Some(812), cached_tokens: Some(640), completion_tokens: Some(210) },
            host: "attic",
            model: "m",
            stand_ins: BTreeMap::new(),
            rehearsal: admission.rehearsal,
            away_ms: None,
            seats: BTreeMap::new(),
        };
        log.push(Event::DebateAdmitted(Box::new(admission)));
        log.push(Event::Claimed { writer: NodeId::new("node-1"), epoch: 1 });
        log
    }
    /// The admission.
    pub fn admission(&self) -> &Admission {
        match self.events().next() {
            Some(Event::DebateAdmitted(admission)) => admission,
            other => panic!("an admission, not {other:?}"),
        }
    }
    /// What is debated.
    pub fn spec(&self) -> &DebateSpec {
        &self.admission().spec
    }
    /// What is debated, for a change after the fact.
    pub fn spec_mut(&mut self) -> &mut DebateSpec {
        match self.records.first_mut().and_then(|record| record.events.first_mut()) {
            Some(Event::DebateAdmitted(admission)) => &mut admission.spec,
            other => panic!("an admission, not {other:?}"),
        }
    }
    /// The events so far.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.records.iter().flat_map(|record| &record.events)
    }
    /// Adds an event as a record of its own.
    pub fn push(&mut self, event: Event) -> &mut Self {
        let first = self.last().next();
        let (at, epoch, nonce) = (Timestamp(self.now), 1, first.0);
        self.records.push(Record { first, at, epoch, nonce, events: vec![event] });
        self
    }
    /// Position of the last event.
    pub fn last(&self) -> Position {
        self.records.last().map_or(Position(0), Record::last)
    }
    /// Enters a phase.
    pub fn phase(&mut self, phase: PhaseName) -> &mut Self {
        self.push(Event::PhaseEntered { phase })
    }
    /// Places somebody on the host.
    pub fn place(&mut self, who: &str) -> &mut Self {
        let (host, model, digest) = (self.host.to_owned(), self.model_of(who), digest());
        self.push(Event::ParticipantPlaced { participant: who.into(), host, model, digest })
    }
    /// Opens a round.
    pub fn round(&mut self, round: u32, speakers: &[&str]) -> &mut Self {
        let speakers = speakers.iter().map(|name| ParticipantId::from(*name)).collect();
        self.push(Event::RoundOpened { round, speakers, briefing: None, new_angle: None })
    }
    /// Asks in the next seat of a round, and lets the time of the answer pass.
    pub fn ask(&mut self, round: u32, who: &str, task: Task) -> Asked {
        let seat = self.seats.entry(round).or_default();
        let turn = TurnId { round, seat: *seat, attempt: 1 };
        *seat += 1;
        self.ask_again(turn, who, task)
    }
    /// Asks for this try of a turn.
    pub fn ask_again(&mut self, turn: TurnId, who: &str, task: Task) -> Asked {
        let (model, sees, deadline) = (self.model_of(who), self.last(), Timestamp(self.now + 90_000));
        self.push(Event::TurnAsked(Ask { model, sees, deadline, ..super::ask(turn, who, task) }));
        let long = 1_700 + 900 * u64::from(turn.round) + 350 * u64::from(turn.seat);
        self.now += 12 + long + self.away_ms.unwrap_or(0);
        Asked { turn, participant: who.into(), call: Box::new(self.call(turn, who, long)) }
    }
    fn call(&mut self, turn: TurnId, who: &str, long: u64) -> Call {
        let seed = 7 + u64::from(turn.seat);
        let (temperature, seed, max_tokens) = (Some(0.7), Some(seed), Some(1024));
        Call {
            host: Some(self.host.to_owned()),
            model: Some(self.model_of(who)),
            digest: digest(),
            prompt_hash: Some(format!("{:0>16}", turn.to_string())),
            options: CallOptions { temperature, seed, max_tokens, ..CallOptions::default() },
            usage: self.usage,
            timing: Timing {
                queue_ms: Some(12),
                load_ms: None,
                prefill_ms: Some(300),
                decode_ms: Some(long - 420),
                first_byte_ms: Some(400),
                total_ms: Some(long),
                away_ms: self.away_ms.take(),
            },
            finish_reason: Some("stop".to_owned()),
            rehearsal: self.rehearsal,
            ..Call::default()
        }
    }
    fn model_of(&self, who: &str) -> ModelName {
        let who = ParticipantId::from(who);
        let own = || self.spec().role(&who).and_then(|role| role.models().first().copied());
        self.stand_ins.get(&who).or_else(own).cloned().unwrap_or_else(|| ModelName::new(self.model))
    }
    /// Asks, and records what came of it.
    pub fn answer(&mut self, round: u32, who: &str, task: Task, answer: impl FnOnce(Asked) -> Event) -> TurnId {
        let asked = self.ask(round, who, task);
        let turn = asked.turn;
        self.push(answer(asked));
        turn
    }
    /// A speech for the speaker's stance.
    pub fn speak(&mut self, round: u32, who: &str, kind: SpeechKind, text: &str) -> TurnId {
        self.speak_as(round, who, kind, text, |_| {})
    }
    /// A speech of which more is known than its words.
    pub fn speak_as(
        &mut self,
        round: u32,
        who: &str,
        kind: SpeechKind,
        text: &str,
        more: impl FnOnce(&mut Speech),
    ) -> TurnId {
        let task = match kind {
            SpeechKind::Opening => Work::Opening.into(),
            SpeechKind::Closing => Work::Closing.into(),
            SpeechKind::Revision => revising(Vec::new()),
            SpeechKind::Argument => argument(),
            speech => Work::Statement { speech, to: None, about: None }.into(),
        };
        let asked = self.ask(round, who, task);
        let turn = asked.turn;
        self.spoke(asked, kind, text, more);
        turn
    }
    /// The speech that answers an ask, for the speaker's stance.
    pub fn spoke(&mut self, asked: Asked, kind: SpeechKind, text: &str, more: impl FnOnce(&mut Speech)) -> &mut Self {
        let stance = self.spec().persona(&asked.participant).and_then(|persona| persona.stance.clone());
        self.push(asked.speech_as(kind, text, |speech| {
            speech.stance = stance;
            more(speech);
        }))
    }
    /// A ballot.
    pub fn ballot(&mut self, round: u32, stage: BallotStage, who: &str, choice: &str, reason: &str) -> &mut Self {
        let asked = self.ask(round, who, ballot(stage, Vec::new()));
        self.push(asked.ballot(stage, choice, reason, None))
    }
    /// A vote for one.
    pub fn vote(&mut self, round: u32, who: &str, choice: &str, reason: &str) -> &mut Self {
        let asked = self.ask(round, who, vote(Vec::new()));
        self.push(asked.vote(&[choice], reason, None))
    }
    /// A bid.
    pub fn bid(&mut self, round: u32, who: &str, purpose: BidPurpose, bid: Bid) -> TurnId {
        self.answer(round, who, bidding(purpose), |asked| asked.bid(purpose, bid))
    }
    /// A critique.
    pub fn critique(&mut self, round: u32, who: &str, of: &str, critique: Critique) -> TurnId {
        self.answer(round, who, Work::Critique { of: of.into() }.into(), |asked| asked.critique(of, critique, 0))
    }
    /// A decision of the moderator.
    pub fn moderate(&mut self, round: u32, decision: ModeratorDecision) -> &mut Self {
        let task = match decision {
            ModeratorDecision::Opens(_) => Work::OpenRound.into(),
            ModeratorDecision::Closes(_) => Work::CloseRound.into(),
        };
        let asked = self.ask(round, MODERATOR, task);
        self.push(asked.decision(decision))
    }
    /// What the moderator says between speeches.
    pub fn interject(&mut self, round: u32, interjection: Interjection) -> TurnId {
        self.answer(round, MODERATOR, Work::Interject.into(), |asked| asked.interjection(interjection))
    }
    /// The moderator's scores of speeches.
    pub fn score_speeches(&mut self, round: u32, scores: Vec<SpeechScore>) -> TurnId {
        let speeches = scores.iter().map(|score| score.speech).collect();
        self.answer(round, MODERATOR, scoring_speeches(speeches), |asked| asked.speeches_scored(scores))
    }
    /// A judgement of `judge`.
    pub fn judge(
        &mut self,
        round: u32,
        order: u32,
        winner: Option<&str>,
        reasoning: &str,
        citations: Vec<Citation>,
    ) -> &mut Self {
        let verdict = winner.map_or_else(|| "Do both.".to_owned(), |winner| format!("{winner}, and say so by spring."));
        let asked = self.ask(round, JUDGE, judging(order, Vec::new()));
        self.push(asked.judgement(order, &verdict, winner, reasoning, citations))
    }
    /// A ranking.
    pub fn rank(&mut self, round: u32, judge: &str, order: u32, ranking: Vec<Ranked>) -> TurnId {
        self.answer(round, judge, super::ranking(order, Vec::new()), |asked| asked.ranking(order, ranking))
    }
    /// A synthesis.
    pub fn synthesise(&mut self, round: u32, synthesis: Synthesis) -> TurnId {
        self.answer(round, SYNTHESIZER, Work::Synthesise.into(), |asked| asked.synthesis(synthesis))
    }
    /// A failure, whose cost nobody reported. Returns the turn's next try.
    pub fn fail(&mut self, asked: Asked, failure: Failure, retry_ms: Option<u64>) -> TurnId {
        let Asked { turn, participant, mut call } = asked;
        call.usage = Usage::default();
        call.finish_reason = None;
        let retry_at = retry_ms.map(|ms| Timestamp(self.now + ms));
        self.push(Event::TurnFailed { turn, participant, failure, retry_at, call });
        self.now += retry_ms.unwrap_or(0);
        turn.next_attempt()
    }
    /// Ends the rounds.
    pub fn stop(&mut self, rule: StopRule, round: u32) -> &mut Self {
        self.push(Event::LoopEnded { rule, round, warning: None })
    }
    /// Counts votes of the same weight.
    pub fn tally(
        &mut self,
        rule: VoteRule,
        counts: &[(&str, u32)],
        (eligible, received): (u32, u32),
        winner: Option<&str>,
    ) -> &mut Self {
        let counts = counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        let (rule, weights, winner) = (Some(rule), Vec::new(), winner.map(str::to_owned));
        self.push(Event::VoteTallied { rule, counts, weights, eligible, received, winner })
    }
    /// Reaches a verdict.
    pub fn verdict(&mut self, verdict: ReachedVerdict) -> &mut Self {
        let ReachedVerdict { outcome, verdict, winner, reasoning, reason, consensus, majority, moved } = verdict;
        self.push(Event::VerdictReached { outcome, verdict, winner, reasoning, reason, consensus, majority, moved })
    }
    /// Ends the debate with the sums of all calls so far.
    pub fn end(
        &mut self,
        state: DebateState,
        outcome: Option<Outcome>,
        reason: Option<Reason>,
        missing_seats: Vec<MissingSeat>,
    ) -> &mut Self {
        let mut usage = UsageTotals::default();
        self.events().filter_map(Event::settled).for_each(|(_, call)| usage.add(&call.usage));
        self.push(Event::DebateEnded { state, outcome, reason, usage, missing_seats })
    }
    /// Ends a debate that succeeded.
    pub fn succeed(&mut self, outcome: Outcome, reason: Option<Reason>) -> &mut Self {
        self.end(DebateState::Succeeded, Some(outcome), reason, Vec::new())
    }
}

fn digest() -> Option<String> {
    Some("a2af6cc3eb7f".to_owned())
}
