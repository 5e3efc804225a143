//! Who waits for an open breaker: nobody, while others can go on.
use crate::hold::{DebateLog, admission, critique, judged, measures, revises, speech};
use agon_core::testing::{judge, moderator};
use agon_core::*;

/// The personas' models, by letter, and what a spec has besides.
fn begun(models: &str, change: impl FnOnce(&mut DebateSpec)) -> DebateLog {
    let mut admission = admission(models.len(), change);
    for (persona, model) in admission.spec.personas.iter_mut().zip(models.chars()) {
        persona.voice.model = model.to_string().as_str().into();
    }
    DebateLog::begin(admission)
}

/// The host of the turn refuses it: its breaker is open for a minute.
fn refuse(log: &mut DebateLog, ask: &Ask) {
    let failure = Failure { retry_after_ms: Some(60_000), ..Failure::new(FailureCause::BreakerOpen, "open") };
    let call = Box::new(Call { host: Some("gpu1".into()), ..Call::default() });
    log.step(Input::TurnDecided { turn: ask.turn, result: TurnResult::Failed { failure, call } });
}

fn majority(spec: &mut DebateSpec) {
    spec.quorum = Quorum::Majority;
}

fn next(log: &DebateLog) -> Ask {
    log.asked().into_iter().next().unwrap_or_else(|| panic!("{:?}", log.debate.outstanding()))
}

/// Answers all arguments.
fn argue(log: &mut DebateLog) {
    while let Work::Argument { .. } = next(log).task.work {
        let ask = next(log);
        log.answer(&ask, speech("so"));
    }
}

/// When the debate wants to be woken.
fn wakes(log: &DebateLog) -> Vec<(TurnId, u64)> {
    let owed = log.debate.outstanding().into_iter();
    owed.filter_map(|effect| match effect {
        Effect::WakeAt { at, turn } => Some((turn, at.since(log.now))),
        _ => None,
    })
    .collect()
}

fn missing(log: &DebateLog) -> Vec<FailureCause> {
    let failed = log.events.iter().filter_map(|event| match event {
        Event::TurnFailed { failure, retry_at: None, .. } => Some(failure.cause),
        _ => None,
    });
    failed.collect()
}

#[test]
fn a_seat_whose_breaker_is_open_is_left_at_once_where_the_others_are_a_quorum() {
    let mut log = begun("axx", majority);

    let first = next(&log);
    refuse(&mut log, &first);

    assert_eq!(missing(&log), [FailureCause::BreakerOpen]);
    assert_eq!(log.debate.usage().calls, 0, "no call was made");
    assert_eq!(next(&log).participant.as_str(), "P1");
}

#[test]
fn a_seat_is_waited_for_where_too_few_others_have_another_model() {
    let mut log = begun("aax", majority);

    let first = next(&log);
    refuse(&mut log, &first);

    assert_eq!(wakes(&log), [(first.turn.next_attempt(), 60_000)]);
    log.now = log.now.plus(60_000);
    log.step(Input::RetryDue { turn: first.turn.next_attempt() });
    let again = next(&log);
    log.answer(&again, speech("so"));
    assert_eq!(missing(&log), []);
}

#[test]
fn a_seat_is_not_waited_for_where_the_round_misses_its_quorum_even_with_it() {
    let mut log = begun("xaa", |spec| spec.quorum = Quorum::AtLeast(3));

    let lost = next(&log);
    let failure = Failure::new(FailureCause::NotFound, "no such model");
    log.step(Input::TurnDecided { turn: lost.turn, result: TurnResult::Failed { failure, call: Box::default() } });
    let second = next(&log);
    refuse(&mut log, &second);

    assert_eq!((wakes(&log), missing(&log)), (vec![], vec![FailureCause::NotFound, FailureCause::BreakerOpen]));
}

#[test]
fn waiting_for_a_breaker_ends_at_the_wait_limit_and_costs_no_tries() {
    let mut log = begun("aa", majority);
    let limit = RetryPolicy::default().wait_limit_ms;

    let mut ask = next(&log);
    let mut waits = 0;
    while ask.participant.as_str() == "P0" {
        refuse(&mut log, &ask);
        let Some((turn, wait)) = wakes(&log).first().copied() else { break };
        log.now = log.now.plus(wait);
        log.step(Input::RetryDue { turn });
        (ask, waits) = (next(&log), waits + 1);
    }

    assert_eq!(waits, limit / 60_000);
    assert_eq!(missing(&log).first(), Some(&FailureCause::BreakerOpen));
}

#[test]
fn of_seats_that_are_asked_at_once_only_those_are_waited_for_that_the_quorum_needs() {
    let mut log = begun("abxx", |spec| (spec.quorum, spec.visibility) = (Quorum::AtLeast(3), Visibility::Simultaneous));

    let asked = log.asked();
    assert_eq!(asked.len(), 4);
    refuse(&mut log, &asked[0]);
    refuse(&mut log, &asked[1]);

    assert_eq!((missing(&log).len(), wakes(&log).len()), (1, 1));
}

#[test]
fn the_quorum_counts_speakers_and_not_their_seats() {
    let mut log = begun("axx", |spec| {
        revises(spec);
        majority(spec);
    });

    // A proposal that is lost is not criticised, its author criticises two: two of four seats are one of three speakers.
    while let Some(ask) = log.asked().into_iter().find(|ask| !matches!(ask.task.work, Work::Revise)) {
        match &ask.task.work {
            _ if ask.participant.as_str() == "P0" => refuse(&mut log, &ask),
            Work::Critique { .. } => log.answer(&ask, critique()),
            _ => log.answer(&ask, speech("My proposal.")),
        }
        assert_eq!(wakes(&log), [], "{:?}", ask.task);
    }

    assert_eq!(missing(&log).len(), 3);
    assert_eq!(log.asked().len(), 2, "two revise");
}

#[test]
fn bids_for_the_floor_are_waited_for_where_nobody_else_can_bid() {
    let mut log = begun("aaa", |spec| (spec.debate_format, spec.quorum) = (DebateFormat::OpenFight, Quorum::Majority));
    let asked = log.asked();
    assert!(asked.iter().all(|ask| matches!(ask.task.work, Work::Bid { .. })), "{asked:?}");

    asked.iter().for_each(|ask| refuse(&mut log, ask));

    // The first could be spared; with the second the round would miss its quorum.
    assert_eq!((missing(&log).len(), wakes(&log).len()), (0, asked.len()));
}

#[test]
fn a_fallback_model_is_asked_at_once_and_not_the_breaker_waited_for() {
    let mut admission = admission(2, majority);
    admission.spec.personas[0].voice.fallback_models = vec!["b".into()];
    let mut log = DebateLog::begin(admission);

    let first = next(&log);
    refuse(&mut log, &first);

    let second = next(&log);
    assert_eq!((second.participant, second.model.as_str()), (first.participant, "b"));
}

#[test]
fn a_single_judge_is_waited_for_and_one_of_a_panel_is_not() {
    for (panel_models, waited_for) in [(vec![], 1), (vec!["k".into(), "l".into()], 0)] {
        let panel = 1 + panel_models.len() as u32;
        let mut log = begun("xy", |spec| judged(spec, Judge { panel, panel_models, ..judge() }));
        argue(&mut log);

        let first = next(&log);
        refuse(&mut log, &first);

        assert_eq!(wakes(&log).len(), waited_for, "{panel} judges");
    }
}

#[test]
fn a_debate_that_is_to_end_with_the_first_loss_waits_for_every_breaker() {
    let mut log = begun("axx", |spec| spec.on_turn_failure = OnTurnFailure::Abort);

    let first = next(&log);
    refuse(&mut log, &first);

    assert_eq!(wakes(&log).len(), 1);
}

#[test]
fn a_debate_does_not_wait_beyond_its_time_budget() {
    let mut log = begun("aa", |spec| (spec.quorum, spec.budget.seconds) = (Quorum::Majority, Some(30)));

    let first = next(&log);
    refuse(&mut log, &first);

    assert_eq!((wakes(&log).len(), missing(&log).len()), (0, 1));
}

#[test]
fn embeddings_that_cannot_be_had_are_tried_once_a_round_and_words_are_compared() {
    for cause in [FailureCause::Timeout, FailureCause::ServerError, FailureCause::BreakerOpen, FailureCause::Malformed]
    {
        let mut log = begun("xy", |spec| {
            (spec.max_rounds, spec.end_condition) = (2, vec![EndCondition::ConsensusReached]);
            spec.similarity.embedding_model = Some("e".into());
        });
        let mut tries = 0;
        while log.debate.ended().is_none() {
            let ask = next(&log);
            if let Work::Measure = ask.task.work {
                tries += 1;
                let failure = Failure::new(cause, "dead");
                let result = TurnResult::Failed { failure, call: Box::default() };
                log.step(Input::TurnDecided { turn: ask.turn, result });
            } else {
                log.answer(&ask, speech(&format!("{} {}", ask.participant, ask.turn.round)));
            }
        }
        let measures = measures(&log.events);
        let words = measures.iter().filter(|measures| measures.method == Method::WordsInstead);
        assert_eq!((tries, words.count()), (2, 2), "{cause:?}");
    }
}

#[test]
fn moderator_judge_summarizer_and_synthesizer_fall_back_to_further_models_as_debaters_do() {
    let voice = Voice { fallback_models: vec!["b".into()], ..testing::voice("m", 9) };
    let asked = admission(2, |spec| {
        judged(spec, Judge { voice: voice.clone(), ..judge() });
        spec.moderator = Some(Moderator { closes: false, voice: voice.clone(), ..moderator() });
        spec.summarizer = Some(Summarizer { voice: voice.clone(), ..Summarizer::default() });
        spec.synthesizer = Some(Synthesizer { voice, ..Synthesizer::default() });
        (spec.memory, spec.max_rounds, spec.windows.summarize_every) = (Memory::SummarizePast, 2, 1);
    });
    let synthesizer = asked.spec.role(&"synthesizer".into()).unwrap().models().len();
    let mut tried = std::collections::BTreeMap::<String, Vec<String>>::new();

    crate::hold::hold(asked, |ask| {
        tried.entry(ask.participant.to_string()).or_default().push(ask.model.to_string());
        matches!(ask.task.work, Work::Argument { .. }).then(|| speech("so"))
    });

    for role in ["moderator", "judge", "summarizer"] {
        assert_eq!(tried[role][..2], ["m", "b"], "{role}");
    }
    assert_eq!(synthesizer, 2);
}

#[test]
fn a_hub_alone_has_the_floor_and_is_waited_for() {
    let mut log = begun("axx", |spec| {
        revises(spec);
        majority(spec);
        (spec.format.topology, spec.format.hub) = (Topology::Star, Some("P0".into()));
    });
    while let Some(ask) = log.asked().into_iter().find(|ask| !matches!(ask.task.work, Work::Critique { .. })) {
        log.answer(&ask, speech("My proposal."));
    }

    let critiques = log.asked();
    critiques.iter().for_each(|ask| refuse(&mut log, ask));

    assert_eq!((critiques.len(), missing(&log).len(), wakes(&log).len()), (2, 0, 2));
}

#[test]
fn what_decides_waits_for_no_breaker_beyond_the_budget_and_one_time_out() {
    let mut log = begun("xy", |spec| {
        judged(spec, judge());
        spec.budget.seconds = Some(25);
    });
    argue(&mut log);

    let ask = next(&log);
    refuse(&mut log, &ask);

    assert_eq!(missing(&log), [FailureCause::BreakerOpen], "its breaker opens in a minute, the budget ends in 26 s");
}
