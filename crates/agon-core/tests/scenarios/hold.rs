//! Holds a debate with the answers that a test gives.
use agon_core::testing::{persona, spec, voice};
use agon_core::*;

/// An admission of a debate between personas `P0`, `P1`, ... with these changes to a plain spec.
pub fn admission(personas: usize, change: impl FnOnce(&mut DebateSpec)) -> Admission {
    let persona = |n| Persona { voice: voice("m", 9), ..persona(&format!("P{n}"), format!("s{n}").as_str()) };
    let mut spec = DebateSpec {
        topic: "t".into(),
        personas: (0..personas).map(persona).collect(),
        consensus_strategy: ConsensusStrategy::NoConsensus,
        judge: None,
        end_condition: vec![],
        timeout_per_turn_ms: 1_000,
        quorum: Quorum::AtLeast(1),
        ..spec()
    };
    change(&mut spec);
    assert_eq!(combination_problems(&spec), []);
    let retry = RetryPolicy { max_attempts: 2, ..RetryPolicy::default() };
    Admission { seed: 1, retry, ..testing::admission("debate-1", spec) }
}

/// A spec as it is.
pub fn plain(_: &mut DebateSpec) {}

/// Decides by a vote for one.
pub fn votes(spec: &mut DebateSpec, voting: Voting) {
    (spec.consensus_strategy, spec.voting) = (ConsensusStrategy::Vote, Some(voting));
}

/// Decides by the judge.
pub fn judged(spec: &mut DebateSpec, judge: Judge) {
    (spec.consensus_strategy, spec.judge) = (ConsensusStrategy::Judge, Some(judge));
}

/// A judge who is shown the log as it is, once.
pub fn open_judge() -> Judge {
    Judge { anonymize_transcript: false, shuffle_for_judge: false, ..testing::judge() }
}

/// Proposals, critiques, revisions.
pub fn revises(spec: &mut DebateSpec) {
    (spec.debate_format, spec.phases.opening_statements) = (DebateFormat::CritiqueRevision, true);
}

/// All events of the debate; a turn that gets no answer is lost for good.
pub fn hold(admission: Admission, mut answer: impl FnMut(&Ask) -> Option<Answer>) -> Vec<Event> {
    let mut log = DebateLog::begin(admission);
    while log.debate.ended().is_none() {
        let owed = log.debate.outstanding();
        let Some(Effect::Ask(ask)) = owed.first() else { panic!("{owed:?} is owed") };
        let result = match answer(ask) {
            Some(answer) => TurnResult::Answered { answer, call: Box::default() },
            None => lost(),
        };
        log.step(Input::TurnDecided { turn: ask.turn, result });
    }
    log.events
}

/// A result that no further try follows.
pub fn lost() -> TurnResult {
    TurnResult::Failed { failure: Failure::new(FailureCause::NotFound, "gone"), call: Box::default() }
}

pub fn speech(text: &str) -> Answer {
    Answer::Speech { text: text.into(), cut: false, cut_at_limit: false }
}

pub fn critique() -> Answer {
    Answer::Critique(Critique { severity: 5, issues: vec!["x".into()], suggestions: Vec::new() })
}

pub fn choice(choice: impl Into<String>) -> Answer {
    Answer::Choice { choice: choice.into(), reasons: vec![], confidence: None }
}

pub fn judgement(winner: Option<String>, citations: Vec<CitedEntry>) -> Answer {
    let (verdict, reasoning, open_objections) = ("v".into(), "r".into(), vec![]);
    Answer::Judgement(Judgement { verdict, winner, reasoning, citations, open_objections })
}

/// The measures of each round.
pub fn measures(events: &[Event]) -> Vec<&Measures> {
    let measured = events.iter().filter_map(|event| match event {
        Event::Answered(Answered { given: Given::Measures { measures, .. }, .. })
        | Event::RoundCompared { measures, .. } => Some(measures),
        _ => None,
    });
    measured.collect()
}

/// The rule that ended the rounds, the round after which it fired, and what was wrong with the predicate.
pub fn stopped(events: &[Event]) -> Option<(StopRule, u32, Option<String>)> {
    events.iter().find_map(|event| match event {
        Event::LoopEnded { rule, round, warning } => Some((*rule, *round, warning.clone())),
        _ => None,
    })
}

/// A debate with its events so far.
pub struct DebateLog {
    pub debate: Debate,
    pub events: Vec<Event>,
    pub now: Timestamp,
}
impl DebateLog {
    pub fn begin(admission: Admission) -> Self {
        let events = vec![Debate::admit(admission)];
        let first = Record { first: Position(1), at: Timestamp(1), epoch: 0, nonce: 0, events: events.clone() };
        let mut log = Self { debate: Debate::fold([&first]).unwrap(), events, now: Timestamp(2) };
        log.step(Input::Claim { writer: "w".into() });
        log
    }
    pub fn step(&mut self, input: Input) {
        let events = self.debate.decide(self.now, input).unwrap();
        let record = self.debate.record(self.now, 0, events.clone());
        self.debate.apply_record(&record);
        self.debate.check().unwrap();
        self.events.extend(events);
    }
    /// What is asked and not answered.
    pub fn asked(&self) -> Vec<Ask> {
        let asks = self.debate.outstanding().into_iter();
        asks.filter_map(|effect| if let Effect::Ask(ask) = effect { Some(ask) } else { None }).collect()
    }
    pub fn answer(&mut self, ask: &Ask, answer: Answer) {
        let result = TurnResult::Answered { answer, call: Box::default() };
        self.step(Input::TurnDecided { turn: ask.turn, result });
    }
}
