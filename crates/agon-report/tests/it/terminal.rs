use crate::{
    log::{Log, argument},
    scenes,
};
use agon_core::*;
use agon_report::{LiveView, REHEARSAL, Style, StyledLine};

fn watch(log: &Log) -> (LiveView, Vec<StyledLine>) {
    let mut view = LiveView::new();
    let lines = log
        .records
        .iter()
        .flat_map(|record| {
            record.entries().flat_map(|(position, event)| view.lines(position, record.at, event)).collect::<Vec<_>>()
        })
        .collect();
    (view, lines)
}
fn text(lines: &[StyledLine]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}
/// A view in which Ada has been asked and has not answered.
fn asked() -> (LiveView, TurnId, Timestamp) {
    let mut log = Log::admitted(scenes::pair());
    log.phase(PhaseName::Rounds).round(1, &["Ada", "Bruno"]);
    let (turn, _) = log.ask(1, "Ada", argument());
    let (view, _) = watch(&log);
    let asked_at = log.records.last().unwrap().at;
    (view, turn, asked_at)
}

#[test]
fn a_whole_debate_in_plain_lines() {
    insta::assert_snapshot!(text(&watch(&scenes::grand(false)).1));
}

#[test]
fn a_failed_debate_in_plain_lines() {
    insta::assert_snapshot!(text(&watch(&scenes::failed()).1));
}

#[test]
fn a_vote_in_plain_lines() {
    insta::assert_snapshot!(text(&watch(&scenes::voted()).1));
}

#[test]
fn the_status_names_round_figures_and_who_is_waited_for() {
    let (mut view, turn, asked_at) = asked();
    let now = asked_at.plus(2_500);
    assert_eq!(
        text(&view.status(now)),
        "Round 1 of at most 2 · 0 tokens in 0 calls · 2.5 s\nAda argument: waiting for the first word, 2.5 s\n"
    );
    view.delta(turn, 0, "It pays");
    assert_eq!(text(&view.status(now)).lines().nth(1), Some("Ada argument: 7 characters so far, 2.5 s"));
}

#[test]
fn deltas_make_the_text_so_far_and_a_delta_that_comes_twice_changes_nothing() {
    let (mut view, turn, _) = asked();
    view.delta(turn, 0, "It \u{1b}[3");
    view.delta(turn, 1, "1mpays");
    view.delta(turn, 1, "1mpays");
    view.delta(turn.next_attempt(), 0, "another try");
    let texts: Vec<&str> = view.speaking().map(|(_, speaking)| speaking.text.as_str()).collect();
    assert_eq!(texts, ["It pays"]);
}

#[test]
fn a_speaker_who_failed_waits_for_the_next_try_and_the_new_try_starts_from_nothing() {
    let (mut view, turn, at) = asked();
    view.delta(turn, 0, "half an answer");
    let failure = Failure::new(FailureCause::Timeout, "no answer");
    let next = view.position().next();
    let failed = Event::TurnFailed {
        turn,
        participant: "Ada".into(),
        failure,
        retry_at: Some(at.plus(3_000)),
        call: Box::default(),
    };
    let lines = view.lines(next, at.plus(1_000), &failed);
    assert_eq!(text(&lines), "Ada failed at try 1 (timeout), asked again in 2.0 s: no answer\n");
    assert_eq!(view.speaking().count(), 0);
    assert_eq!(text(&view.status(at.plus(1_000))).lines().last(), Some("Ada is asked again in 2.0 s"));
    assert!(text(&view.status(at)).contains("1 failed try"));
    let ask = Ask {
        turn: turn.next_attempt(),
        participant: "Ada".into(),
        model: "m".into(),
        task: Task::Closing,
        sees: Position(1),
        deadline: at,
        correction: None,
        kept: false,
    };
    view.lines(next.next(), at.plus(3_000), &Event::TurnAsked(ask));
    assert_eq!(
        (view.waiting().count(), view.speaking().map(|(_, speaking)| speaking.text.len()).sum::<usize>()),
        (0, 0)
    );
}

#[test]
fn an_event_that_comes_twice_is_printed_once() {
    let log = scenes::running();
    let (mut view, _) = watch(&log);
    let usage = view.usage();
    let record = log.records.last().unwrap();
    assert_eq!(view.lines(record.first, record.at, &record.events[0]), Vec::new());
    assert_eq!(view.usage(), usage);
}

#[test]
fn a_rehearsal_is_announced_once_and_stays_in_the_status() {
    let log = scenes::decided_as(true);
    let (view, lines) = watch(&log);
    assert_eq!(lines[0], StyledLine::of(Style::Warn, format!("*** {REHEARSAL}. ***")));
    assert_eq!(text(&lines).matches(REHEARSAL).count(), 1);
    assert!(text(&view.status(Timestamp(log.now))).contains("rehearsal"));
}

#[test]
fn debaters_have_their_place_as_style_and_the_offices_share_one() {
    let (view, _) = watch(&scenes::running());
    let styles = ["Ada", "Bruno", MODERATOR].map(|name| view.style(&name.into()));
    assert_eq!(styles, [Style::Speaker(0), Style::Speaker(1), Style::Office]);
}

#[test]
fn time_stands_still_after_the_end() {
    let log = scenes::decided();
    let (view, _) = watch(&log);
    assert!(view.is_over());
    assert_eq!(view.elapsed_ms(Timestamp(log.now + 60_000)), log.now - crate::log::START);
}
