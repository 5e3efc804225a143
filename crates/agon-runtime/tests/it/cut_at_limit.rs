//! Speeches that reach their limit of tokens, and those that go in circles.
use crate::cast::{Cast, Cue};
use crate::test_bench::*;
use agon_core::*;
use std::time::Duration;

const ID: &str = "a-debate";
const CUT: &str = "The bridge pays for itself. It carries nine of ten people. And then there is the";
const KEPT: &str = "The bridge pays for itself. It carries nine of ten people.";

/// The debate with these cues for its first calls: speeches, failed tries and calls.
async fn held(spec: DebateSpec, cues: impl IntoIterator<Item = Cue>) -> (Vec<Speech>, Vec<FailureCause>, Cast) {
    let (stage, cast, node) = scene("n1", Duration::from_millis(500), 2).await;
    cast.cue(cues);
    node.submit(admission(ID, spec)).await.unwrap();
    node.finished(&debate(ID)).await.unwrap();
    node.stop().await;
    let log = stage.log(ID).await;
    check(&log);
    let speech = |event: &Event| match event {
        Event::Answered(Answered { given: Given::Speech(speech), .. }) => Some(speech.clone()),
        _ => None,
    };
    let cause = |event: &Event| match event {
        Event::TurnFailed { failure, .. } => Some(failure.cause),
        _ => None,
    };
    (events(&log).filter_map(speech).collect(), events(&log).filter_map(cause).collect(), cast)
}

fn on_cut(on_cut: OnCut) -> DebateSpec {
    DebateSpec { on_cut, ..spec() }
}

#[tokio::test(start_paused = true)]
async fn a_speech_that_reaches_its_limit_stands_up_to_its_last_whole_sentence_and_is_marked() {
    let (speeches, failures, cast) = held(on_cut(OnCut::Keep), [Cue::Limited(CUT)]).await;

    let whole = held(on_cut(OnCut::Keep), []).await;
    assert_eq!((failures, cast.calls(), speeches.len()), (vec![], whole.2.calls(), whole.0.len()));
    assert_eq!((&*speeches[0].text, speeches[0].cut_at_limit, &speeches[0].cut_by), (KEPT, true, &None));
    assert!(speeches[1..].iter().all(|speech| !speech.cut_at_limit));
    let next = cast.requests().last().unwrap().messages.last().unwrap().content.to_string();
    assert!(next.contains("(cut off at its limit)") && !next.contains("And then there is"), "{next}");
}

#[tokio::test(start_paused = true)]
async fn what_has_no_whole_sentence_is_no_speech() {
    for text in ["I would be", "1. The br", "Dr. A"] {
        let (speeches, failures, _) = held(on_cut(OnCut::Keep), [Cue::Limited(text)]).await;
        assert_eq!(failures, [FailureCause::Truncated], "{text}");
        assert!(speeches.iter().all(|speech| !speech.cut_at_limit));
    }
}

#[tokio::test(start_paused = true)]
async fn the_file_may_have_it_asked_for_again_or_fail() {
    let whole = held(on_cut(OnCut::Keep), []).await.0.len();
    for (choice, failed, lost) in [(OnCut::Retry, 1, 0), (OnCut::Fail, 1, 1)] {
        let (speeches, failures, _) = held(on_cut(choice), [Cue::Limited(CUT)]).await;
        assert_eq!((failures, speeches.len()), (vec![FailureCause::Truncated; failed], whole - lost), "{choice:?}");
        assert!(speeches.iter().all(|speech| !speech.cut_at_limit));
    }
    let (speeches, failures, _) = held(on_cut(OnCut::Retry), [Cue::Limited(CUT), Cue::Limited(CUT)]).await;
    assert!(failures.len() > 1 && speeches.len() < whole, "{failures:?}");
}

/// The debate's judge is cut in its first try.
#[tokio::test(start_paused = true)]
async fn an_answer_in_json_that_is_cut_is_asked_for_again_with_more_room_and_the_reason() {
    let calls = held(spec(), []).await.2.calls();
    for budget in [None, Some(1_000_000)] {
        let mut spec = spec();
        spec.budget.tokens = budget;
        let cues = std::iter::repeat_n(Cue::Answer, calls - 1).chain([Cue::Limited("{\"verdict\": \"Build")]);
        let (_, failures, cast) = held(spec, cues).await;

        assert_eq!(failures, [FailureCause::Truncated]);
        let requests = cast.requests();
        let [.., cut, again] = &requests[..] else { panic!("{} calls", requests.len()) };
        let limit = |request: &agon_llm::ChatRequest| request.options.max_tokens.unwrap();
        assert!(cut.format.is_some() && again.format.is_some());
        assert_eq!(limit(again), limit(cut) * if budget.is_none() { 2 } else { 1 });
        let told = again.messages.last().unwrap().content.to_string();
        assert!(told.contains("cut at its token limit"), "{told}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_in_json_with_much_the_same_values_is_no_circle() {
    let calls = held(spec(), []).await.2.calls();
    let scores = (1..40).map(|n| format!("{{\"speech\": {n}, \"clarity\": 5, \"evidence\": 5}}, ")).collect::<String>();
    let cues = std::iter::repeat_n(Cue::Answer, calls - 1).chain([Cue::Say(format!("{{\"scores\": [{scores}]}}"))]);
    let (_, failures, cast) = held(spec(), cues).await;
    assert_eq!(
        (failures, cast.aborted()),
        (vec![FailureCause::Malformed], 0),
        "it is not what was asked for, and was heard to its end"
    );
}

#[tokio::test(start_paused = true)]
async fn a_speech_that_goes_in_circles_is_ended_and_stands_up_to_the_first_round() {
    const ROUND: &str = "What is a debate about? ";
    let circles = || Cue::Endlessly(&[ROUND; 40], Duration::from_millis(10));
    let (speeches, failures, cast) = held(on_cut(OnCut::Keep), [circles()]).await;

    assert_eq!((failures, cast.aborted()), (vec![], 1), "the server was left");
    assert_eq!((&*speeches[0].text, speeches[0].cut_at_limit), (ROUND.trim(), true));

    let (_, failures, _) = held(on_cut(OnCut::Fail), [circles()]).await;
    assert_eq!(failures, [FailureCause::Truncated]);
}
