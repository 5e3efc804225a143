//! Holds a debate with the answers that a test gives.
use agon_core::*;

/// An admission of a debate between personas `P0`, `P1`, ... with these changes to a plain spec.
pub fn admission(personas: usize, changes: serde_json::Value) -> Admission {
    let personas: Vec<_> = (0..personas)
        .map(|n| serde_json::json!({"name": format!("P{n}"), "stance": format!("s{n}"), "model": "m", "max_tokens": 9}))
        .collect();
    let mut spec = serde_json::json!({
        "topic": "t", "mode": "adversarial", "debate_format": "round_robin", "max_rounds": 1, "personas": personas,
        "turn_mode": "round_robin", "visibility": "sequential", "context_scope": "full_log", "memory": "append_all",
        "phases": {"opening_statements": false, "final_statements": false}, "consensus_strategy": "no_consensus",
        "ballots": "none", "end_condition": [], "timeout_per_turn_ms": 1000, "on_turn_failure": "skip", "quorum": {"at_least": 1}, "outputs": []
    });
    for (key, value) in changes.as_object().unwrap() {
        spec[key] = value.clone();
    }
    let spec: DebateSpec = serde_json::from_value(spec).unwrap();
    assert_eq!(combination_problems(&spec), []);
    let retry = RetryPolicy { max_attempts: 2, ..RetryPolicy::default() };
    let id = DebateId::parse("debate-1").unwrap();
    let admission = serde_json::json!({"id": id, "spec": spec, "seed": 1, "retry": retry, "agon_version": "t"});
    serde_json::from_value(admission).unwrap()
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
    Answer::Speech { text: text.into(), cut: false }
}

pub fn critique() -> Answer {
    Answer::Critique(Critique { severity: 5, issues: vec!["x".into()], suggestions: Vec::new() })
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
