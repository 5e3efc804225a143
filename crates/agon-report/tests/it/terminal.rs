use crate::shown::{minutes, text, watch};
use crate::{
    log::{Log, admitted, argument},
    scenes,
};
use agon_core::*;
use agon_report::{DebateResult, LiveView, Price, Prices, REHEARSAL, ResultBlock, StyledLine, TextStyle};

/// A view in which Ada has been asked and has not answered.
fn asked() -> (LiveView, TurnId, Timestamp) {
    let mut log = admitted(scenes::pair());
    log.phase(PhaseName::Rounds).round(1, &["Ada", "Bruno"]);
    let turn = log.ask(1, "Ada", argument()).turn;
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
        text(&view.summary(now)),
        "Round 1 of at most 2 · turn 1 of about 14 · 0 %\n0 tokens in 0 calls · 2.5 s\n"
    );
    assert_eq!(text(&view.turns(now)), "Ada argument: waiting for the first word, 2.5 s\n");
    view.delta(now, turn, 0, "It pays");
    assert_eq!(text(&view.turns(now)), "Ada argument: 7 characters so far, 2.5 s\n");
    let later = now.plus(2_000);
    view.delta(later, turn, 1, " in time");
    // the first piece may be all that was said before one came
    assert_eq!(text(&view.turns(later)), "Ada argument: 15 characters so far, about 1.0 tokens/s, 4.5 s\n");
}

#[test]
fn deltas_make_the_text_so_far_and_a_delta_that_comes_twice_changes_nothing() {
    let (mut view, turn, _) = asked();
    let at = Timestamp(1);
    view.delta(at, turn, 0, "It \u{1b}[3");
    view.delta(at, turn, 1, "1mpays");
    view.delta(at, turn, 1, "1mpays");
    view.delta(at, turn.next_attempt(), 0, "another try");
    let texts: Vec<&str> = view.speaking().map(|(_, speaking)| speaking.text.as_str()).collect();
    assert_eq!(texts, ["It pays"]);
}

#[test]
fn a_piece_without_text_says_that_the_model_is_loading_until_the_first_word() {
    let (mut view, turn, at) = asked();
    view.delta(at, turn, 0, "");
    assert!(text(&view.turns(at)).contains(": loading "), "{}", text(&view.turns(at)));
    view.delta(at, turn, 0, "It pays");
    let status = text(&view.turns(at));
    assert!(!status.contains("loading") && status.contains("7 characters"), "{status}");
}

#[test]
fn waiting_for_a_breaker_is_shown_with_what_for_and_until_when() {
    let (mut view, turn, at) = asked();
    let failure = Failure::new(FailureCause::BreakerOpen, "the breaker for m is open at gpu1");
    let retry_at = Some(Timestamp(86_400_000 * 400 + 3_723_000));
    let failed = Event::TurnFailed { turn, participant: "Ada".into(), failure, retry_at, call: Box::default() };

    let lines = view.lines(view.position().next(), Timestamp(86_400_000 * 400 + 3_663_000), &failed);

    let shown = text(&lines);
    assert_eq!(shown, "Ada waits until 01:02:03 UTC, for 1 min 00 s: the breaker for m is open at gpu1\n");
    assert!(text(&view.turns(at)).contains("the breaker for m is open at gpu1"));
}

#[test]
fn a_speaker_who_failed_waits_for_the_next_try_and_the_new_try_starts_from_nothing() {
    let (mut view, turn, at) = asked();
    view.delta(at, turn, 0, "half an answer");
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
    assert_eq!(text(&view.turns(at.plus(1_000))).lines().last(), Some("Ada is asked again in 2.0 s: no answer"));
    assert!(text(&view.summary(at)).contains("1 failed try"));
    let ask = Ask {
        turn: turn.next_attempt(),
        participant: "Ada".into(),
        model: "m".into(),
        task: Work::Closing.into(),
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
    assert_eq!(lines[0], StyledLine::of(TextStyle::Warn, format!("*** {REHEARSAL}. ***")));
    assert_eq!(text(&lines).matches(REHEARSAL).count(), 1);
    assert!(text(&view.summary(Timestamp(log.now))).contains("rehearsal"));
}

#[test]
fn debaters_have_their_place_as_style_and_the_offices_share_one() {
    let (view, _) = watch(&scenes::running());
    let styles = ["Ada", "Bruno", MODERATOR].map(|name| view.style(&name.into()));
    assert_eq!(styles, [TextStyle::Speaker(0), TextStyle::Speaker(1), TextStyle::Office]);
}

#[test]
fn time_stands_still_after_the_end() {
    let log = scenes::decided();
    let (view, _) = watch(&log);
    assert!(view.is_over());
    assert_eq!(view.elapsed_ms(Timestamp(log.now + 60_000)), log.now - crate::log::START);
}

#[test]
fn the_status_says_how_far_the_debate_is_and_how_long_it_will_take() {
    let mut log = admitted(scenes::pair());
    log.phase(PhaseName::InitialBallots);
    log.ballot(0, BallotStage::Initial, "Ada", scenes::NOW, "Queues");
    log.ballot(0, BallotStage::Initial, "Bruno", scenes::NOW, "Queues");
    log.phase(PhaseName::OpeningStatements);
    log.speak(0, "Ada", SpeechKind::Opening, "We turn people away.");
    log.ask(0, "Bruno", Work::Opening.into());
    let (view, _) = watch(&log);
    let told = text(&view.summary(Timestamp(crate::log::START + 60_000)));
    assert!(told.starts_with("Opening statements · turn 4 of about 18 · 16 % · about 5 min left\n"), "{told}");
    assert!(told.ends_with("First ballots: 2 for Invest now\n"), "{told}");
    // the prompt of the last ballot had 812 tokens
    let turns = text(&view.turns(Timestamp(log.now)));
    assert!(turns.starts_with("Bruno opening statement: reading about 8"), "{turns}");
}

#[test]
fn a_price_that_is_known_stands_in_status_block_and_result_and_an_unknown_one_nowhere() {
    let log = scenes::decided();
    let told = |prices: &Prices| {
        let minutes = minutes(&log).with_prices(prices);
        let mut view = LiveView::new().with_prices(prices.clone());
        for record in &log.records {
            record.entries().for_each(|(position, event)| drop(view.lines(position, record.at, event)));
        }
        let block = text(&ResultBlock::of(&minutes).lines());
        (text(&view.summary(Timestamp(log.now))), block, DebateResult::of(&minutes))
    };
    let price = Price { prompt: 100.0, cached: None, generated: 1_000.0, currency: "EUR".to_owned(), list: None };
    let models = ["gemma3:4b", "llama3.2:3b", "gemma3:12b", "qwen3:8b"];
    let all: Prices = models.iter().map(|model| (ModelName::from(*model), price.clone())).collect();
    let (status, block, result) = told(&all);
    // 9,744 prompt and 2,520 generated tokens
    assert!(status.contains(" · 3.49 EUR") && block.contains(" · 3.49 EUR"), "{status}{block}");
    assert_eq!((result.cost.len(), result.calls_without_cost), (1, Some(0)));
    let some: Prices = [(ModelName::from("qwen3:8b"), price)].into();
    let (status, block, result) = told(&some);
    assert!(status.contains("at least") && block.contains("at least"), "{status}{block}");
    assert!(result.calls_without_cost > Some(0));
    let (status, block, result) = told(&Prices::new());
    assert!(!status.contains("EUR") && !block.contains("EUR"));
    assert_eq!((result.cost, result.calls_without_cost), (Vec::new(), None));
}

#[test]
fn what_is_still_to_come_is_learnt_from_the_rounds_so_far() {
    let mut spec = scenes::pair();
    (spec.debate_format, spec.max_rounds, spec.moderator) = (DebateFormat::OpenFight, 3, None);
    spec.ballots = Ballots::None;
    spec.phases.opening_statements = false;
    spec.phases.final_statements = false;
    let most = CallPlan::of(&spec).calls;
    let mut log = admitted(spec);
    log.phase(PhaseName::Rounds).round(1, &["Ada", "Bruno"]);
    let planned = |log: &Log| CallProgress::of(log.records.iter().flat_map(|record| &record.events)).calls().planned;
    assert_eq!(planned(&log), most);
    for who in ["Ada", "Bruno"] {
        log.speak(1, who, SpeechKind::Argument, "The figures say so.");
    }
    log.round(2, &["Ada", "Bruno"]);
    // two calls a round, and a judge who reads twice
    assert_eq!(planned(&log), 3 * 2 + 2);
    log.stop(StopRule::ConsensusReached, 2);
    assert_eq!(planned(&log), 2 + 2);
}

#[test]
fn a_try_after_a_server_that_was_away_is_promised_at_once_only_where_another_model_is_left() {
    let mut spec = scenes::pair();
    spec.personas[0].voice.fallback_models = vec!["spare:1".into()];
    let mut log = admitted(spec);
    log.phase(PhaseName::Rounds).round(1, &["Ada", "Bruno"]);
    let then = |log: &mut Log, who: &str| {
        let asked = log.ask(1, who, argument());
        log.fail(asked, Failure::new(FailureCause::ServerAway, "no connection"), Some(0));
        let (_, lines) = watch(log);
        text(&lines[lines.len() - 1..])
    };
    let ada = then(&mut log, "Ada");
    assert!(ada.starts_with("Ada failed at try 1 (server_away), asked again at once: no connection"), "{ada}");
    let bruno = then(&mut log, "Bruno");
    let later = "Bruno failed at try 1 (server_away), asked again once the debate is resumed: no connection";
    assert!(bruno.starts_with(later), "{bruno}");
}
