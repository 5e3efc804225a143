//! Logs with something wrong in them: each is found, and a good one is not.
use super::*;
use agon_core::{
    Admission, Answered, Ask, Call, Effect, Given, Input, Judgement, NodeId, Position, Timestamp, Work, testing,
};
use agon_proto::encode_record;
use agon_spec::{Defaults, Source};

const FILE: &str = "topic: Should logs be checked?\nmodel: scripted\nmax_rounds: 1\nballots: none\njudge: {orders: 1}\n\
    personas:\n- {name: Ada, stance: yes}\n- {name: Bo, stance: no}\n";

fn id() -> DebateId {
    DebateId::parse("forged").unwrap()
}

fn admission() -> Event {
    let spec = agon_spec::parse(&Source::new("a.yaml", FILE), &Defaults::default()).spec.unwrap();
    Debate::admit(Admission { rehearsal: true, ..testing::admission("forged", spec) })
}

fn answer(ask: &Ask) -> Answer {
    match &ask.task.work {
        Work::Opening | Work::Closing | Work::Argument { .. } => Answer::Speech {
            text: format!("{} of {}", ask.turn, ask.participant).into(),
            cut: false,
            cut_at_limit: false,
        },
        Work::Judge { .. } => Answer::Judgement(Judgement {
            verdict: "yes".to_owned(),
            winner: ask.task.material.candidates().first().cloned(),
            reasoning: "better".to_owned(),
            citations: Vec::new(),
            open_objections: Vec::new(),
        }),
        _ => panic!("not in this debate: {ask:?}"),
    }
}

fn search() -> ToolUse {
    let (tool, arguments) = ("search".to_owned(), "{}".to_owned());
    ToolUse { tool, arguments, result: Some("three".to_owned()), error: None, truncated: false, duration_ms: 7 }
}

fn call() -> Box<Call> {
    Box::new(Call { tools: vec![search()], ..Call::default() })
}

/// The records of a whole debate that two nodes led one after the other, and its registers.
fn whole() -> (Vec<Record>, BTreeMap<TurnId, Arc<TurnResult>>) {
    let at = Timestamp(1_000);
    let first = Record { first: Position(1), at, epoch: 0, nonce: 1, events: vec![admission()] };
    let (mut records, mut registers) = (vec![first], BTreeMap::new());
    let mut inputs = vec![Input::Claim { writer: NodeId::from("b") }, Input::Claim { writer: NodeId::from("a") }];
    loop {
        let debate = Debate::fold(&records).unwrap();
        let input = inputs.pop().or_else(|| match debate.outstanding().first()? {
            Effect::Ask(ask) => {
                let result = TurnResult::Answered { answer: answer(ask), call: call() };
                registers.insert(ask.turn, Arc::new(result.clone()));
                Some(Input::TurnDecided { turn: ask.turn, result })
            }
            Effect::WakeAt { turn, .. } => Some(Input::RetryDue { turn: *turn }),
            Effect::Cut { .. } | Effect::Finish => None,
        });
        let Some(input) = input else { return (records, registers) };
        let events = debate.decide(at, input).unwrap();
        records.push(debate.record(at, records.len() as u64, events));
    }
}

/// The records as a store would hold them if somebody had written them so.
fn stored(records: &[Record]) -> Vec<RawRecord> {
    let mut prev = chain::genesis(&id());
    let raw = records.iter().map(|record| {
        let body = encode_record(record, &prev);
        prev = chain::link(&prev, &body);
        RawRecord { first: record.first, last: record.last(), body: body.into(), hash: prev }
    });
    raw.collect()
}

fn findings(records: &[Record], registers: BTreeMap<TurnId, Arc<TurnResult>>) -> Vec<InvariantBreach> {
    check(&RawLog { id: id(), raw: stored(records), registers })
}

/// Puts an event behind all others of a record, and moves what follows.
fn with_event(records: &mut [Record], at: usize, event: Event) {
    records[at].events.push(event);
    for record in &mut records[at + 1..] {
        record.first = record.first.next();
    }
}

fn is_speech(record: &Record) -> bool {
    record.events.iter().any(|event| event.speech().is_some())
}

#[test]
fn a_good_log_has_nothing_wrong() {
    let (records, registers) = whole();
    assert!(records.iter().filter(|record| is_speech(record)).count() >= 2);
    assert_eq!(findings(&records, registers), []);
}

#[test]
fn a_turn_with_two_results_is_found() {
    let (mut records, registers) = whole();
    let at = records.iter().position(is_speech).unwrap();
    let speech = records[at].events.iter().find(|event| event.speech().is_some()).cloned().unwrap();
    let turn = settled(&speech).unwrap().0;
    with_event(&mut records, at + 1, speech);
    assert!(findings(&records, registers).contains(&InvariantBreach::Doubled(turn)));
}

#[test]
fn a_settled_turn_that_is_asked_again_is_found() {
    let (mut records, registers) = whole();
    let ask = |record: &Record| record.events.iter().find(|event| matches!(event, Event::TurnAsked(_))).cloned();
    let first = records.iter().find_map(ask).unwrap();
    let Event::TurnAsked(asked) = &first else { panic!("{first:?}") };
    let again = asked.turn.next_attempt();
    let asked = Event::TurnAsked(Ask { turn: again, ..asked.clone() });
    let at = records.iter().position(is_speech).unwrap();
    with_event(&mut records, at + 1, asked);
    assert!(findings(&records, registers).contains(&InvariantBreach::AskedAgain(again)));
}

#[test]
fn a_result_that_nobody_asked_for_is_found() {
    let (mut records, registers) = whole();
    let at = records.iter().position(is_speech).unwrap();
    let mut turn = None;
    for event in &mut records[at].events {
        if let Event::Answered(said @ Answered { given: Given::Speech(_), .. }) = event {
            said.turn.attempt = 9;
            turn = Some(said.turn);
        }
    }
    assert!(findings(&records, registers).contains(&InvariantBreach::Unasked(turn.unwrap())));
}

#[test]
fn a_missing_record_is_found() {
    let (mut records, registers) = whole();
    let gone = records.remove(4);
    assert!(findings(&records, registers).contains(&InvariantBreach::Gap(gone.first.0)));
}

#[test]
fn two_writers_are_found() {
    let (mut records, registers) = whole();
    let twice = Record { nonce: 77, ..records[5].clone() };
    let at = twice.first.0;
    records.insert(6, twice);
    assert!(findings(&records, registers.clone()).contains(&InvariantBreach::TwoWriters(at)));

    // the one who was deposed goes on
    let (mut records, _) = whole();
    records[6].epoch = 1;
    let at = records[6].first.0;
    let found = findings(&records, registers);
    assert!(
        found.contains(&InvariantBreach::TwoWriters(at)) && found.contains(&InvariantBreach::Epoch(at)),
        "{found:?}"
    );
}

#[test]
fn two_claims_of_one_epoch_are_found() {
    let (mut records, registers) = whole();
    records[2].epoch = 1;
    for event in &mut records[2].events {
        if let Event::Claimed { epoch, .. } = event {
            *epoch = 1;
        }
    }
    let at = records[2].first.0;
    assert!(findings(&records, registers).contains(&InvariantBreach::Epoch(at)));
}

#[test]
fn changed_bytes_are_found() {
    let (records, registers) = whole();
    let mut raw = stored(&records);
    let mut body = raw[3].body.to_vec();
    *body.last_mut().unwrap() ^= 1;
    raw[3].body = body.into();
    let at = raw[3].first.0;
    let found = check(&RawLog { id: id(), raw, registers });
    assert!(found.contains(&InvariantBreach::Chain(at)), "{found:?}");
}

#[test]
fn a_log_that_says_something_else_than_its_registers_is_found() {
    let (records, mut registers) = whole();
    let speech = records.iter().flat_map(|record| &record.events).find_map(|event| match settled(event) {
        Some((turn, Settled::Spoken(_))) => Some(turn),
        _ => None,
    });
    let turn = speech.unwrap();
    let other = Answer::Speech { text: "something else".into(), cut: false, cut_at_limit: false };
    registers.insert(turn, Arc::new(TurnResult::Answered { answer: other, call: call() }));
    assert_eq!(findings(&records, registers.clone()), [InvariantBreach::Differs(turn)]);
    registers.insert(turn, Arc::new(TurnResult::Withdrawn));
    assert_eq!(findings(&records, registers), [InvariantBreach::Differs(turn)]);
}

#[test]
fn an_answer_that_the_log_calls_a_failure_is_found() {
    use agon_core::{Failure, FailureCause};
    let (mut records, registers) = whole();
    let at = records.iter().position(is_speech).unwrap();
    let mut lost = None;
    for event in &mut records[at].events {
        if let Event::Answered(said @ Answered { given: Given::Speech(_), .. }) = event {
            let failure = Failure::new(FailureCause::Timeout, "late");
            let (turn, participant) = (said.turn, said.participant.clone());
            *event = Event::TurnFailed { turn, participant, failure, retry_at: None, call: Box::default() };
            lost = Some(turn);
        }
    }
    assert!(findings(&records, registers).contains(&InvariantBreach::Lost(lost.unwrap())));
}

#[test]
fn a_debate_without_an_end_or_with_two_is_found() {
    let (mut records, registers) = whole();
    let end = records.last().unwrap().clone();
    records.push(Record { first: end.last().next(), ..end });
    assert!(findings(&records, registers.clone()).iter().any(|found| matches!(found, InvariantBreach::End(2))));
    records.truncate(5);
    assert!(findings(&records, registers).contains(&InvariantBreach::End(0)));
}

#[test]
fn a_use_of_a_tool_that_the_register_does_not_hold_is_found() {
    let (records, mut registers) = whole();
    let (turn, held) = registers.pop_first().unwrap();
    let TurnResult::Answered { answer, .. } = held.as_ref() else { panic!("{held:?}") };
    let without = TurnResult::Answered { answer: answer.clone(), call: Box::default() };

    registers.insert(turn, Arc::new(without));

    assert_eq!(findings(&records, registers), [InvariantBreach::Tools(turn)]);
}

#[test]
fn what_is_heard_of_a_turn_that_is_not_under_way_is_found() {
    let (mut records, registers) = whole();
    let (turn, last) = (*registers.first_key_value().unwrap().0, records.len() - 2);

    with_event(&mut records, last, Event::SpeechHeard { turn, participant: "Ada".into(), text: "so".into() });

    assert!(findings(&records, registers).contains(&InvariantBreach::Stray(turn)));
}
