//! Debates whose file says what an answer to the topic is.
use crate::hold::{admission, choice, hold, judged, judgement, open_judge, speech, votes};
use agon_core::testing::voting;
use agon_core::*;

fn form(kind: AnswerKind, options: &[&str]) -> Option<AnswerForm> {
    let options = options.iter().map(|option| (*option).to_owned()).collect();
    Some(AnswerForm { kind, options, ..AnswerForm::default() })
}

/// A deliberative debate of three with openings, first and last ballots.
fn deliberative(answer: Option<AnswerForm>, change: impl FnOnce(&mut DebateSpec)) -> Admission {
    admission(3, |spec| {
        (spec.mode, spec.ballots, spec.answer) = (Mode::Deliberative, Ballots::Both, answer);
        spec.phases.opening_statements = true;
        change(spec);
    })
}

fn reached(events: &[Event]) -> (Outcome, Option<String>) {
    let verdict = events.iter().find_map(|event| match event {
        Event::VerdictReached { outcome, winner, .. } => Some((*outcome, winner.clone())),
        _ => None,
    });
    verdict.unwrap()
}

/// What was wrong with the answers that were asked for again.
fn corrections(events: &[Event]) -> Vec<String> {
    let corrected = events.iter().filter_map(|event| match event {
        Event::TurnAsked(ask) => ask.correction.clone(),
        _ => None,
    });
    corrected.collect()
}

fn ballots(events: &[Event], wanted: BallotStage) -> Vec<String> {
    let cast = events.iter().filter_map(|event| match event {
        Event::Answered(Answered { given: Given::Ballot { stage, choice, .. }, .. }) if *stage == wanted => {
            Some(choice.clone())
        }
        _ => None,
    });
    cast.collect()
}

#[test]
fn numbers_that_are_equal_are_one_candidate_however_they_are_written() {
    let asked = deliberative(form(AnswerKind::Number, &[]), |spec| votes(spec, voting(VoteRule::Majority)));
    let mut candidates = Vec::new();
    let events = hold(asked, |ask| {
        let at: usize = ask.participant.as_str()[1..].parse().unwrap();
        Some(match &ask.task.work {
            Work::Ballot { .. } => choice(["1,200", "1200.0", "12e2"][at]),
            Work::Vote => {
                candidates = ask.task.material.candidates().to_vec();
                choice("1200.00")
            }
            _ => speech("so\nMy answer: 1200"),
        })
    });
    assert_eq!(ballots(&events, BallotStage::Final), ["1200", "1200", "1200"]);
    assert_eq!((candidates, reached(&events)), (vec!["1200".to_owned()], (Outcome::Decided, Some("1200".to_owned()))));
}

#[test]
fn numbers_within_the_tolerance_are_one_answer() {
    let within = |tolerance| {
        let answer = Some(AnswerForm { kind: AnswerKind::Number, tolerance, ..AnswerForm::default() });
        let asked = deliberative(answer, |spec| votes(spec, voting(VoteRule::Plurality)));
        let mut candidates = 0;
        hold(asked, |ask| {
            let at: usize = ask.participant.as_str()[1..].parse().unwrap();
            Some(match &ask.task.work {
                Work::Ballot { .. } => choice(["100", "101", "12"][at]),
                Work::Vote => {
                    candidates = ask.task.material.candidates().len();
                    choice("100")
                }
                _ => speech("so\nMy answer: 1"),
            })
        });
        candidates
    };
    assert_eq!((within(Tolerance::Exact), within(Tolerance::Relative(0.02))), (3, 2));
}

#[test]
fn an_answer_that_does_not_fit_is_asked_for_again_with_the_reason_and_never_guessed() {
    let asked = deliberative(form(AnswerKind::Choice, &["Paris", "Rome"]), |_| {});
    let events = hold(asked, |ask| {
        let again = ask.correction.is_some();
        Some(match &ask.task.work {
            Work::Ballot { .. } => choice(if again { "b" } else { "Rome, I think" }),
            Work::Opening => speech(if again { "so\nMy answer: (A)" } else { "It is Paris." }),
            _ => speech(if again { "so" } else { "so\nMy answer: Berlin" }),
        })
    });
    assert_eq!(ballots(&events, BallotStage::Initial), ["Rome"; 3]);
    let corrections = corrections(&events);
    assert_eq!(corrections.len(), 12);
    for problem in [
        "choice is \"Rome, I think\"; allowed are \"Paris\", \"Rome\"",
        "the line `My answer:` is missing at the end",
        "My answer: the answer is \"Berlin\"; allowed are \"Paris\", \"Rome\"",
    ] {
        assert!(corrections.iter().any(|said| said == problem), "{problem} is not among {corrections:?}");
    }
    let stated = events.iter().filter_map(|event| event.speech()?.1.answer.as_deref());
    assert_eq!(stated.collect::<Vec<_>>(), ["Paris"; 3]);
}

#[test]
fn all_options_stand_for_election_and_a_judge_has_to_name_one() {
    let asked = deliberative(form(AnswerKind::Choice, &["Paris", "Rome", "Oslo"]), |spec| judged(spec, open_judge()));
    let events = hold(asked, |ask| match &ask.task.work {
        Work::Ballot { .. } => Some(choice("Rome")),
        Work::Judge { .. } => {
            assert_eq!(ask.task.material.candidates(), ["Paris", "Rome", "Oslo"]);
            Some(judgement(ask.correction.as_ref().map(|_| "C".to_owned()), vec![]))
        }
        _ => Some(speech("so\nMy answer: Rome")),
    });
    assert_eq!(reached(&events), (Outcome::Decided, Some("Oslo".to_owned())));
    assert_eq!(corrections(&events), ["winner is null; allowed are \"Paris\", \"Rome\", \"Oslo\""]);
}

#[test]
fn a_judge_whom_nobody_has_named_an_answer_gives_its_own() {
    let asked = deliberative(form(AnswerKind::Number, &[]), |spec| judged(spec, open_judge()));
    let events = hold(asked, |ask| match &ask.task.work {
        Work::Ballot { .. } => None,
        Work::Judge { .. } => Some(judgement(Some("7/2".into()), vec![])),
        _ => Some(speech("so\nMy answer: 3")),
    });
    assert_eq!(reached(&events), (Outcome::Degraded, Some("3.5".to_owned())));
}

#[test]
fn with_assigned_stances_the_options_are_on_every_ballot() {
    let asked = admission(2, |spec| {
        spec.answer = form(AnswerKind::Choice, &["S0", "s1", "neither"]);
        spec.ballots = Ballots::Both;
        votes(spec, voting(VoteRule::Majority));
    });
    let events = hold(asked, |ask| match &ask.task.work {
        Work::Ballot { .. } => {
            assert_eq!(ask.task.material.choices(), ["S0", "s1", "neither"]);
            Some(choice("c"))
        }
        Work::Vote => Some(choice("neither")),
        _ => Some(speech("so")),
    });
    assert_eq!(reached(&events), (Outcome::Decided, Some("neither".to_owned())));
}

/// A poll of so many samples by two personas, decided as the change says.
fn poll(samples: u32, change: impl FnOnce(&mut DebateSpec)) -> Admission {
    admission(2, |spec| {
        (spec.mode, spec.debate_format, spec.format.samples) = (Mode::Deliberative, DebateFormat::Poll, samples);
        (spec.visibility, spec.phases.opening_statements) = (Visibility::Simultaneous, true);
        votes(spec, voting(VoteRule::Plurality));
        change(spec);
    })
}

fn sample(answers: &'static [&'static str]) -> impl FnMut(&Ask) -> Option<Answer> {
    move |ask| match &ask.task.work {
        Work::Opening => {
            let answer = answers[ask.turn.seat as usize];
            (!answer.is_empty()).then(|| speech(&format!("so\nMy answer: {answer}")))
        }
        other => panic!("{other:?} in a poll"),
    }
}

#[test]
fn the_samples_of_a_poll_are_its_votes_and_the_personas_give_them_in_turn() {
    let events = hold(poll(5, |_| {}), sample(&["Tea", "Water", "tea.", "Water", "TEA"]));
    let asked: Vec<(u32, &str, Position)> = events
        .iter()
        .filter_map(|event| match event {
            Event::TurnAsked(ask) => Some((ask.turn.seat, ask.participant.as_str(), ask.sees)),
            _ => None,
        })
        .collect();
    let sees = asked[0].2;
    assert_eq!(asked, [(0, "P0", sees), (1, "P1", sees), (2, "P0", sees), (3, "P1", sees), (4, "P0", sees)]);
    let tallied = events.iter().find_map(|event| match event {
        Event::VoteTallied { counts, eligible, received, .. } => Some((counts.clone(), *eligible, *received)),
        _ => None,
    });
    assert_eq!(tallied, Some((vec![("Tea".to_owned(), 3), ("Water".to_owned(), 2)], 5, 5)));
    assert_eq!(reached(&events), (Outcome::Decided, Some("Tea".to_owned())));
    assert!(!events.iter().any(|event| matches!(event, Event::RoundOpened { .. } | Event::LoopEnded { .. })));
}

#[test]
fn a_poll_in_which_two_answers_lead_is_a_tie() {
    let events = hold(poll(4, |_| {}), sample(&["Tea", "Water", "Tea", "Water"]));
    assert_eq!(reached(&events), (Outcome::Tie, None));
}

#[test]
fn a_sample_that_failed_is_none_and_stays_in_the_denominator() {
    let majority = |samples: &'static [&'static str]| {
        let rule = |spec: &mut DebateSpec| votes(spec, voting(VoteRule::Majority));
        hold(poll(4, rule), sample(samples))
    };
    assert_eq!(reached(&majority(&["Tea", "", "Tea", "Tea"])), (Outcome::Degraded, Some("Tea".to_owned())));
    assert_eq!(reached(&majority(&["Tea", "", "Tea", ""])), (Outcome::Inconclusive, None));
}

#[test]
fn a_poll_below_its_quorum_of_samples_fails_though_every_persona_gave_one() {
    let all = |spec: &mut DebateSpec| spec.quorum = Quorum::All;
    let events = hold(poll(4, all), sample(&["Tea", "Tea", "Tea", ""]));
    let Some(Event::DebateEnded { state, reason, .. }) = events.last() else { panic!("no end") };
    let detail = reason.as_ref().and_then(|reason| reason.detail.as_deref());
    assert_eq!((*state, detail), (DebateState::Failed, Some("3 of 4 samples could be had, 4 are needed")));
}

#[test]
fn a_sample_without_its_answer_is_asked_for_again() {
    let events = hold(poll(1, |_| {}), |ask| {
        Some(speech(if ask.correction.is_some() { "so\nMy answer: Tea" } else { "Tea, of course." }))
    });
    assert_eq!(corrections(&events), ["the line `My answer:` is missing at the end"]);
    assert_eq!(reached(&events), (Outcome::Decided, Some("Tea".to_owned())));
}

#[test]
fn one_persona_can_give_all_samples_and_a_judge_can_pick_one_blind() {
    let mut asked = poll(3, |spec| {
        spec.personas.truncate(1);
        spec.voting = None;
        judged(spec, Judge { orders: 2, ..testing::judge() });
    });
    asked.spec.answer = form(AnswerKind::Number, &[]);
    let spec = asked.spec.clone();
    let mut answers = sample(&["1", "2.0", "2"]);
    let events = hold(asked, |ask| match &ask.task.work {
        Work::Judge { .. } => Some(judgement(Some("2".into()), vec![])),
        _ => answers(ask),
    });
    assert_eq!(reached(&events), (Outcome::Decided, Some("2".to_owned())));
    let plan = CallPlan::of(&spec);
    assert_eq!(plan.phases, [(PhaseName::OpeningStatements, 3), (PhaseName::Decision, 2)]);

    let mut transcript = Transcript::default();
    for (position, event) in (1..).zip(&events) {
        transcript.apply(Position(position), event);
    }
    for order in 0..2 {
        let labels = presentation(&spec, 7, transcript.entries(), order);
        let labels: Vec<&str> = labels.iter().map(|shown| shown.label.as_str()).collect();
        assert_eq!(labels, ["Sample 1", "Sample 2", "Sample 3"]);
    }
}

#[test]
fn a_poll_that_may_lose_no_sample_ends_with_the_first_that_is_lost() {
    let events = hold(poll(2, |spec| spec.on_turn_failure = OnTurnFailure::Abort), |ask| {
        (ask.turn.seat == 0).then(|| speech("so\nMy answer: Tea"))
    });
    let Some(Event::DebateEnded { state, reason, .. }) = events.last() else { panic!("no end") };
    assert_eq!(
        (*state, reason.as_ref().map(|reason| reason.code)),
        (DebateState::Failed, Some(ReasonCode::TurnFailed))
    );
}

#[test]
fn how_sure_a_speaker_is_is_kept_and_shown_to_nobody() {
    let asked = poll(2, |spec| spec.answers.confidence = true);
    let events = hold(asked, |ask| {
        let line = if ask.turn.seat == 0 { "**My confidence:** 80 %" } else { "My confidence: very" };
        let line = if ask.correction.is_some() { "My confidence: 7" } else { line };
        Some(speech(&format!("so\nMy answer: Tea\n{line}")))
    });
    let said: Vec<_> = events.iter().filter_map(|event| event.speech()).map(|(_, speech)| speech.clone()).collect();
    assert_eq!(said.iter().map(|speech| speech.confidence).collect::<Vec<_>>(), [Some(80), Some(7)]);
    assert!(said.iter().all(|speech| &*speech.text == "so\nMy answer: Tea" && speech.answer.as_deref() == Some("Tea")));
    assert_eq!(corrections(&events).len(), 1);
}
