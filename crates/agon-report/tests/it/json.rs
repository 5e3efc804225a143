use crate::{
    log::{Log, admitted, argument},
    scenes,
};
use agon_core::*;
use agon_report::{DebateResult, Minutes, NotADebate, ResultState, event_json, events_jsonl, json_line};
use serde_json::{Value, json};

fn result(log: &Log) -> DebateResult {
    DebateResult::of(&Minutes::from_records(&log.records).unwrap())
}
fn lines(log: &Log) -> Vec<Value> {
    events_jsonl(&log.records).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
fn of_type<'v>(lines: &'v [Value], name: &str) -> &'v Value {
    lines.iter().find(|line| line["type"] == name).unwrap()
}

#[test]
fn the_log_is_one_object_a_line() {
    insta::assert_snapshot!(events_jsonl(&scenes::decided().records));
}

#[test]
fn positions_count_every_event_of_a_record() {
    let mut log = scenes::running();
    let first = log.records[2].first;
    let mut merged = log.records.split_off(2);
    let events = merged.drain(..).flat_map(|record| record.events).collect::<Vec<_>>();
    let count = events.len() as u64;
    let record = Record { first, at: Timestamp(log.now), epoch: 1, nonce: 9, events };
    let seqs: Vec<u64> = events_jsonl([&record])
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(seqs, (first.0..first.0 + count).collect::<Vec<_>>());
}

#[test]
fn unknown_figures_are_absent_and_never_zero() {
    let lines = lines(&scenes::cancelled());
    assert_eq!(of_type(&lines, "speech_recorded")["call"]["usage"], json!({}));
}

#[test]
fn a_null_winner_says_synthesis_and_every_other_null_is_dropped() {
    let lines = lines(&scenes::synthesis());
    assert_eq!(of_type(&lines, "judgement_recorded").get("winner"), Some(&Value::Null));
    assert_eq!(of_type(&lines, "verdict_reached").get("winner"), Some(&Value::Null));
    let others = lines
        .iter()
        .filter(|line| !["judgement_recorded", "verdict_reached"].contains(&line["type"].as_str().unwrap()));
    assert!(others.into_iter().all(|line| !line.to_string().contains("null")));
}

#[test]
fn a_verdict_without_an_answer_has_no_winner_at_all() {
    assert_eq!(of_type(&lines(&scenes::order_sensitive()), "verdict_reached").get("winner"), None);
}

#[test]
fn the_labels_and_numbers_of_a_judgement_are_resolved_by_order() {
    let judgements = result(&scenes::order_sensitive()).judgements;
    let seats = |order: usize| {
        let entries = judgements[order].entries.iter();
        entries.map(|entry| (entry.entry, entry.round, entry.seat, entry.participant.as_str())).collect::<Vec<_>>()
    };
    let (first, second) = (seats(0), seats(1));
    assert_eq!(first.iter().map(|entry| entry.0).collect::<Vec<_>>(), [1, 2, 3, 4]);
    for (a, b) in [(0, 1), (1, 0), (2, 3), (3, 2)] {
        assert_eq!((first[a].1, first[a].2, first[a].3), (second[b].1, second[b].2, second[b].3));
    }
    let labels = &judgements[0].labels;
    assert_eq!(labels, &judgements[1].labels);
    assert_eq!(labels.keys().collect::<Vec<_>>(), ["Speaker A", "Speaker B"]);
    let mut names: Vec<&String> = labels.values().collect();
    names.sort();
    assert_eq!(names, ["Ada", "Bruno"]);
}

#[test]
fn a_judge_that_saw_the_names_needs_no_labels() {
    let mut log = scenes::decided();
    log.spec_mut().judge.as_mut().unwrap().anonymize_transcript = false;
    assert!(result(&log).judgements.iter().all(|judged| judged.labels.is_empty() && judged.entries.len() == 4));
}

#[test]
fn moments_inside_events_are_spelt_out() {
    let lines = lines(&scenes::failed());
    assert_eq!(of_type(&lines, "turn_asked")["deadline"], "2026-01-02T03:05:35.000Z");
    assert_eq!(of_type(&lines, "turn_failed")["retry_at"], "2026-01-02T03:04:08.112Z");
}

#[test]
fn commands_for_terminals_and_line_readers_are_escaped_in_json_and_not_lost() {
    let text = "a\u{1b}[31m\u{9b}2J\u{7f}\u{202e}\u{2028}\u{e0041}é";
    let line = json_line(&json!({ "text": text }));
    assert!(line.chars().all(|c| c == 'é' || (' '..='~').contains(&c)), "{line}");
    assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["text"], text);
}

#[test]
fn an_event_starts_with_its_place_time_and_type() {
    let event = Event::CancelRequested { reason: "ctrl-c".to_owned() };
    let line = json_line(&event_json(Position(7), Timestamp(1), &event));
    assert_eq!(line, r#"{"seq":7,"at":"1970-01-01T00:00:00.001Z","type":"cancel_requested","reason":"ctrl-c"}"#);
}

#[test]
fn the_result_of_a_decided_debate() {
    insta::assert_json_snapshot!(result(&scenes::decided()));
}

#[test]
fn the_result_of_a_vote_with_a_lost_voter() {
    insta::assert_json_snapshot!(result(&scenes::voted()));
}

#[test]
fn the_result_of_a_failed_debate() {
    insta::assert_json_snapshot!(result(&scenes::failed()));
}

#[test]
fn a_debate_that_has_not_ended_is_running_and_has_no_outcome() {
    let result = result(&scenes::running());
    assert_eq!((result.state, result.outcome, result.verdict), (ResultState::Running, None, None));
    assert_eq!(result.usage.calls, 1);
}

#[test]
fn a_debate_that_is_to_end_is_cancelling() {
    let mut log = scenes::running();
    log.push(Event::CancelRequested { reason: "enough".to_owned() });
    assert_eq!(result(&log).state, ResultState::Cancelling);
}

#[test]
fn a_debate_that_nobody_plays_says_why_in_every_form() {
    for (halt, word) in [(Halt::Paused, "paused"), (Halt::Interrupted, "interrupted")] {
        let mut log = scenes::running();
        log.push(Event::CancelRequested { reason: "enough".to_owned() });
        let minutes = Minutes::from_records(&log.records).unwrap().halted(Some(halt));
        assert_eq!(serde_json::to_value(DebateResult::of(&minutes)).unwrap()["state"], word);
        for text in [agon_report::summary_only(&minutes), agon_report::full_markdown(&minutes)] {
            assert!(text.contains(&format!("The debate is {word} until somebody resumes it")), "{text}");
        }
        assert!(agon_report::html(&minutes).unwrap().to_lowercase().contains(word));
    }
}

#[test]
fn the_clock_of_whoever_admitted_a_debate_changes_no_duration() {
    let mut log = scenes::running();
    let took = result(&log).timing.duration_ms;
    let admitted = log.records[0].at.0;
    for at in [admitted - 3_600_000, admitted + 3_600_000] {
        log.records[0].at = Timestamp(at);
        assert_eq!(result(&log).timing.duration_ms, took);
    }
}

#[test]
fn a_debate_that_waits_for_a_model_server_is_paused() {
    let mut log = scenes::running();
    let reason = Reason::with(ReasonCode::ServerAway, "gpu1: no connection since 600 s");
    log.push(Event::DebateInterrupted { reason });
    assert_eq!(result(&log).state, ResultState::Paused);
}

#[test]
fn a_debate_that_servers_gave_up_is_interrupted_until_it_is_resumed_and_its_pause_is_no_duration() {
    let resumed = scenes::resumed();
    let (_, given_up) = resumed.records.split_last().unwrap();
    let minutes = Minutes::from_records(given_up).unwrap();
    let interrupted = DebateResult::of(&minutes);
    assert_eq!((interrupted.state, interrupted.reason.unwrap().code), (ResultState::Interrupted, ReasonCode::Poison));
    assert!(agon_report::summary_only(&minutes).contains("its coordinator failed again and again"));

    let running = result(&scenes::running());
    let result = result(&resumed);
    assert_eq!((result.state, result.reason), (ResultState::Running, None));
    assert_eq!((result.timing.duration_ms, result.timing.paused_ms), (running.timing.duration_ms, 3_600_000));
    let minutes = Minutes::from_records(&resumed.records).unwrap();
    for text in [agon_report::summary_only(&minutes), agon_report::html(&minutes).unwrap()] {
        assert!(text.contains("up to the last event · paused 1 h"), "{text}");
    }
    let mut view = agon_report::LiveView::new();
    let mut last = Timestamp::default();
    for record in &resumed.records {
        last = record.at;
        record.entries().for_each(|(position, event)| drop(view.lines(position, record.at, event)));
    }
    assert_eq!(view.elapsed_ms(last), running.timing.duration_ms);
}

#[test]
fn a_rehearsal_says_so_in_its_result() {
    assert!(result(&scenes::decided_as(true)).rehearsal);
    assert!(!result(&scenes::decided()).rehearsal);
}

#[test]
fn one_scripted_call_makes_a_rehearsal_of_a_debate_that_was_admitted_as_real() {
    let mut log = admitted(scenes::pair());
    log.rehearsal = true;
    log.phase(PhaseName::Rounds).round(1, &["Ada"]);
    log.speak(1, "Ada", SpeechKind::Argument, "scripted");
    assert!(result(&log).rehearsal);
}

#[test]
fn the_log_head_stands_in_the_result_when_it_is_known() {
    let log = scenes::decided();
    let minutes = Minutes::from_records(&log.records).unwrap().with_log_head("b3:00ff");
    assert_eq!(DebateResult::of(&minutes).log_head.as_deref(), Some("b3:00ff"));
}

#[test]
fn the_transcript_goes_by_seat_even_where_answers_came_in_another_order() {
    let mut log = admitted(scenes::pair());
    log.phase(PhaseName::Rounds).round(1, &["Ada", "Bruno"]);
    let ada = log.ask(1, "Ada", argument());
    let bruno = log.ask(1, "Bruno", argument());
    log.spoke(bruno, SpeechKind::Argument, "second", |_| {});
    log.spoke(ada, SpeechKind::Argument, "first", |_| {});
    let texts: Vec<String> = result(&log).transcript.into_iter().map(|entry| entry.text).collect();
    assert_eq!(texts, ["first", "second"]);
}

#[test]
fn a_log_without_an_admission_is_refused() {
    let log = scenes::running();
    assert_eq!(Minutes::from_records(&log.records[1..]).err(), Some(NotADebate::NotAdmitted));
    assert_eq!(Minutes::from_records([]).err(), Some(NotADebate::Empty));
}
