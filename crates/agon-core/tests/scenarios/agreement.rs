//! When the debaters agree, stand still or say nothing new.
use super::hold::{admission, hold, measures, plain, speech, stopped};
use agon_core::EndCondition::{self, ConsensusReached, Impasse, NoNewArguments};
use agon_core::*;

fn rule(events: &[Event]) -> StopRule {
    stopped(events).unwrap().0
}

/// Three rounds of two debaters with assigned stances who say what `said` says of the round and the debater's number.
fn debate(condition: EndCondition, said: impl Fn(u32, u32) -> String) -> Vec<Event> {
    let asked = admission(2, |spec| (spec.max_rounds, spec.end_condition) = (3, vec![condition]));
    hold(asked, |ask| Some(speech(&said(ask.turn.round, u32::from(ask.participant.as_str() == "P1")))))
}

#[test]
fn opposed_stances_in_the_same_words_do_not_agree() {
    let events =
        debate(ConsensusReached, |_, who| format!("The levy must be {} per cent of the yearly income.", 5 + 4 * who));
    assert_eq!((rule(&events), measures(&events)[0].agreement), (StopRule::MaxRounds, None));
    let events = debate(ConsensusReached, |_, _| "The levy must be 5 per cent.".to_owned());
    assert_eq!(rule(&events), StopRule::MaxRounds);
}

#[test]
fn debaters_with_assigned_stances_agree_where_they_state_one_answer() {
    let events = debate(ConsensusReached, |_, who| {
        format!("Speech {who}.\nMy answer: {}", ["Five per cent", "five per cent."][who as usize])
    });
    assert_eq!((rule(&events), measures(&events)[0].agreement), (StopRule::ConsensusReached, Some(1.0)));
    let events = debate(ConsensusReached, |_, who| format!("So it is.\nMy answer: {} per cent", 5 + who));
    assert_eq!((rule(&events), measures(&events)[0].agreement), (StopRule::MaxRounds, Some(0.0)));
}

#[test]
fn an_answer_that_one_does_not_state_is_unknown_and_no_agreement() {
    let events = debate(ConsensusReached, |_, who| format!("So it is.\n{}", ["My answer: Five", ""][who as usize]));
    assert_eq!((rule(&events), measures(&events)[0].agreement), (StopRule::MaxRounds, None));
}

#[test]
fn repeated_words_are_nothing_new_only_where_the_answers_stay() {
    let same = |answers: fn(u32, u32) -> String| {
        debate(NoNewArguments, move |round, who| format!("So it is.{}", answers(round, who)))
    };
    assert_eq!(rule(&same(|_, who| format!("\nMy answer: s{who}"))), StopRule::NoNewArguments);
    assert_eq!(rule(&same(|round, who| format!("\nMy answer: s{}", round + who))), StopRule::MaxRounds);
}

#[test]
fn an_impasse_is_read_from_the_answers_that_agreement_is_read_from() {
    let words = ["One thing", "Quite another matter", "Something else altogether"];
    let held = |keep: bool| {
        debate(Impasse, move |round, who| {
            let answer = if keep { who } else { who + 2 * round };
            format!("{} by {who}\nMy answer: s{answer}", words[round as usize - 1])
        })
    };
    assert_eq!(rule(&held(true)), StopRule::Impasse);
    assert_eq!(rule(&held(false)), StopRule::MaxRounds);
}

#[test]
fn one_who_only_asks_stands_by_the_answer_that_it_stated_last() {
    let asked = admission(2, |spec| {
        (spec.debate_format, spec.phases.opening_statements) = (DebateFormat::Socratic, true);
        (spec.max_rounds, spec.end_condition) = (2, vec![ConsensusReached]);
    });
    let events = hold(asked, |ask| {
        let question =
            matches!(ask.task.work, Work::Statement { speech: SpeechKind::Question | SpeechKind::FollowUp, .. });
        Some(speech(if question { "Why?" } else { "So it is.\nMy answer: Five" }))
    });
    assert_eq!(rule(&events), StopRule::ConsensusReached);
}

#[test]
fn a_speech_without_a_letter_or_digit_is_malformed() {
    let events = hold(admission(2, plain), |ask| {
        Some(speech(if ask.participant.as_str() == "P0" { "... \u{1f600} —" } else { "1" }))
    });
    let lost = events
        .iter()
        .find_map(|event| if let Event::TurnFailed { failure, .. } = event { Some(failure) } else { None });
    let lost = lost.unwrap();
    assert_eq!(
        (lost.cause, lost.detail.as_str()),
        (FailureCause::Malformed, "the speech has neither a letter nor a digit")
    );
    assert!(events.iter().any(|event| matches!(event, Event::Answered(Answered { given: Given::Speech(speech), .. }) if speech.text.as_ref() == "1")));
}

#[test]
fn sentences_that_were_said_before_are_nothing_new_whoever_said_them() {
    let first = ["The bridge is long. It costs much.", "Trains are slow. Roads are full."];
    let held = |second: [&'static str; 2]| {
        debate(NoNewArguments, move |round, who| [first, second, second][round as usize - 1][who as usize].to_owned())
    };
    let known = |events: &[Event]| measures(events)[1].known.iter().map(|figure| figure.value).collect::<Vec<_>>();
    let again = held(["roads are FULL!  The bridge is *long*", "\u{201c}It costs much\u{201d}... Trains are slow."]);
    assert_eq!(stopped(&again), Some((StopRule::NoNewArguments, 2, None)));
    assert_eq!(known(&again), [1.0, 1.0]);
    // one new sentence of one of them is enough, and is none when it comes again
    let more = held(["roads are FULL!  The bridge is *long*", "It costs much. Trains are slow. It rains."]);
    assert_eq!(stopped(&more), Some((StopRule::NoNewArguments, 3, None)));
    assert!(known(&more)[0] == 1.0 && known(&more)[1] < 0.85, "{:?}", known(&more));
    // other words for it are no ground with assigned stances
    let reworded = held(["The bridge is too long. It costs much.", "Trains are too slow. Roads are full."]);
    assert_eq!(stopped(&reworded).unwrap().1, 3);
}

/// Three rounds of two debaters who state one answer, and are as sure of it as these: a pair for each round.
fn sure(least: Option<u8>, percents: [[u8; 2]; 3]) -> Vec<Event> {
    let asked = admission(2, |spec| {
        (spec.max_rounds, spec.end_condition) = (3, vec![ConsensusReached]);
        (spec.answers.confidence, spec.answers.confidence_at_least) = (least.is_some(), least);
    });
    hold(asked, |ask| {
        let who = usize::from(ask.participant.as_str() == "P1");
        let percent = percents[ask.turn.round as usize - 1][who];
        let line = if least.is_some() { format!("\nMy confidence: {percent}") } else { String::new() };
        Some(speech(&format!("Speech {who} of {}.\nMy answer: Five{line}", ask.turn.round)))
    })
}

#[test]
fn a_consensus_rests_on_how_sure_its_speakers_are_where_the_file_asks_for_that() {
    let percents = [[90, 60], [90, 70], [75, 72]];
    let ended = |least| stopped(&sure(least, percents)).map(|(rule, round, _)| (rule, round));
    assert_eq!(ended(None), Some((StopRule::ConsensusReached, 1)));
    // 60 is too little in round 1; 70 is enough in round 2
    assert_eq!(ended(Some(70)), Some((StopRule::ConsensusReached, 2)));
    // 70 is one too little in round 2, 72 is enough
    assert_eq!(ended(Some(71)), Some((StopRule::ConsensusReached, 3)));
    assert_eq!(ended(Some(73)), Some((StopRule::MaxRounds, 3)));
    assert_eq!(ended(Some(1)), Some((StopRule::ConsensusReached, 1)));
    let shown = sure(Some(70), percents);
    let said = shown
        .iter()
        .filter_map(Event::speech)
        .map(|(_, speech)| (speech.confidence, speech.text.contains("confidence")));
    assert_eq!(said.collect::<Vec<_>>(), [90, 60, 90, 70].map(|percent| (Some(percent), false)));
}

#[test]
fn who_does_not_say_how_sure_it_is_is_asked_again_and_sure_speakers_who_differ_do_not_agree() {
    let debate = |said: fn(u32) -> String| {
        let asked = admission(2, |spec| {
            (spec.max_rounds, spec.end_condition) = (2, vec![ConsensusReached]);
            (spec.answers.confidence, spec.answers.confidence_at_least) = (true, Some(50));
        });
        hold(asked, |ask| Some(speech(&said(u32::from(ask.participant.as_str() == "P1")))))
    };
    let differ = debate(|who| format!("So.\nMy answer: {who}\nMy confidence: 100"));
    assert_eq!(rule(&differ), StopRule::MaxRounds);
    let silent = debate(|_| "So.\nMy answer: Five".to_owned());
    let asks_for_it = |event: &Event| matches!(event, Event::TurnFailed { failure, .. } if failure.detail.contains("`My confidence:`"));
    assert!(silent.iter().any(asks_for_it));
}
