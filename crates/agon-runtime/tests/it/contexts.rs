//! Contexts that are too short: answers are bounded by the room that is left, and one that outgrew it is none.
use crate::cast::{Cast, Cue};
use crate::test_bench::*;
use agon_core::*;
use agon_llm::{ChatError, ChatErrorKind, LoadedModel, WellKnownModel};
use std::time::Duration;

const ID: &str = "a-debate";

/// A debate at a server whose model has a context of so many tokens; every call takes 110.
async fn held_in(context: u64, cues: impl IntoIterator<Item = Cue>) -> (Cast, Vec<Failure>, DebateState) {
    debated_in(context, spec(), cues).await
}

async fn debated_in(
    context: u64,
    spec: DebateSpec,
    cues: impl IntoIterator<Item = Cue>,
) -> (Cast, Vec<Failure>, DebateState) {
    let cast = Cast::new(Duration::from_millis(1));
    let loaded = LoadedModel { name: "m:latest".into(), context_length: Some(context), ..LoadedModel::default() };
    cast.state.loaded.lock().unwrap().push(loaded);
    debated(cast, spec, cues).await
}

async fn debated(
    cast: Cast,
    spec: DebateSpec,
    cues: impl IntoIterator<Item = Cue>,
) -> (Cast, Vec<Failure>, DebateState) {
    let stage = TestBench::new();
    cast.cue(cues);
    let node = stage.node("n1", vec![cast.host("gpu1", 1)]).await;
    node.submit(admission(ID, spec)).await.unwrap();
    let state = node.finished(&debate(ID)).await.unwrap().0;
    let log = stage.log(ID).await;
    let events = log.iter().flat_map(|record| record.events.clone());
    let failures = events.filter_map(|e| if let Event::TurnFailed { failure, .. } = e { Some(failure) } else { None });
    (cast, failures.collect(), state)
}

fn limits(cast: &Cast) -> Vec<u32> {
    cast.requests().iter().map(|request| request.options.max_tokens.unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn an_answer_whose_prompt_was_forgotten_meanwhile_is_no_speech() {
    let (cast, failures, state) = held_in(105, []).await;

    assert!(failures.iter().all(|failure| failure.cause == FailureCause::ContextOverflow), "{failures:?}");
    let detail = &failures[0].detail;
    assert!(detail.contains("took 110 tokens in a context of 105"), "{detail}");
    let call = Call { host: Some("gpu1".into()), ..Call::default() };
    assert!(failures[0].remedy(&call).unwrap().contains("`num_ctx`"), "{detail}");
    assert_eq!((cast.calls(), state), (2, DebateState::Failed), "neither seat is asked twice");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_fits_exactly_is_one() {
    let (cast, failures, state) = held_in(110, []).await;

    assert_eq!((failures, state, cast.calls()), (vec![], DebateState::Succeeded, 3));
}

#[tokio::test(start_paused = true)]
async fn answers_are_bounded_by_the_room_that_the_prompt_leaves() {
    let (cast, failures, state) = held_in(250, []).await;

    assert_eq!((failures, state), (vec![], DebateState::Succeeded));
    // nothing is known of the model before the first answer, whose prompt took 100 tokens
    let limits = limits(&cast);
    assert_eq!(limits[0], 200);
    assert!(limits[1..].iter().all(|limit| (32..=160).contains(limit)), "{limits:?}");

    let (cast, ..) = held_in(8_000, []).await;
    assert_eq!(self::limits(&cast), [200, 200, 200]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_cut_where_the_room_ends_is_not_asked_for_again() {
    let cut = ChatError::new(ChatErrorKind::Truncated { partial_chars: 7 }, "");
    let (_, failures, _) = held_in(250, [Cue::Answer, Cue::Error(cut)]).await;

    let causes: Vec<_> = failures.iter().map(|failure| failure.cause).collect();
    assert_eq!(causes, [FailureCause::ContextOverflow], "{failures:?}");
    assert!(failures[0].detail.contains("of a context of 250"), "{failures:?}");
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_cannot_fit_is_told_with_its_numbers_and_never_sent() {
    let long = DebateSpec { topic: "A word of it. ".repeat(6_000), ..spec() };
    let (cast, failures, state) = debated_in(8_192, long, []).await;

    assert_eq!((cast.calls(), state), (0, DebateState::Failed));
    assert!(failures.iter().all(|failure| failure.cause == FailureCause::ContextOverflow), "{failures:?}");
    assert!(failures[0].detail.contains("cannot fit into the model's context of 8192"), "{failures:?}");
}

#[tokio::test(start_paused = true)]
async fn what_is_known_of_a_model_without_asking_counts_where_its_server_does_not_say() {
    let known = || {
        let cast = Cast::new(Duration::from_millis(1));
        *cast.state.known.lock().unwrap() =
            WellKnownModel { context: Some(8_192), thinks: true, ..WellKnownModel::default() };
        cast
    };
    let long = || DebateSpec { topic: "A word of it. ".repeat(6_000), ..spec() };
    let (cast, failures, _) = debated(known(), long(), []).await;
    assert!(failures[0].detail.contains("cannot fit into the model's context of 8192"), "{failures:?}");
    assert_eq!(cast.calls(), 0);

    let cast = known();
    let loaded = LoadedModel { name: "m:latest".into(), context_length: Some(65_536), ..LoadedModel::default() };
    cast.state.loaded.lock().unwrap().push(loaded);
    let (cast, failures, state) = debated(cast, long(), []).await;
    assert_eq!((failures, state), (vec![], DebateState::Succeeded), "the server knows better");
    assert_eq!(
        (limits(&cast)[0], cast.requests()[0].options.think),
        (800, None),
        "room to think, and no less thinking"
    );
}

#[tokio::test(start_paused = true)]
async fn a_model_that_spent_its_answer_on_thinking_is_asked_again_with_more_room_and_to_think_less() {
    let thought = |kind| Cue::Error(ChatError::new(kind, ""));
    for kind in [ChatErrorKind::BudgetEaten { thinking_chars: 9 }, ChatErrorKind::Empty { thinking_chars: 9 }] {
        let (cast, failures, state) = held_in(32_768, [thought(kind)]).await;

        assert_eq!((failures.len(), state), (1, DebateState::Succeeded), "{failures:?}");
        assert_eq!(limits(&cast)[..2], [200, 800]);
        let thinks: Vec<_> = cast.requests().iter().map(|request| request.options.think).collect();
        assert_eq!(thinks[..2], [None, Some(Think::Off)]);
    }
    let (cast, ..) = held_in(32_768, [thought(ChatErrorKind::Empty { thinking_chars: 0 })]).await;
    assert_eq!(limits(&cast)[..2], [200, 200], "an answer without thinking is no sign of it");

    let budget = Budget { tokens: Some(100_000), ..Budget::default() };
    let spec = DebateSpec { budget, ..spec() };
    let (cast, ..) = debated_in(32_768, spec, [thought(ChatErrorKind::BudgetEaten { thinking_chars: 9 })]).await;
    assert_eq!(limits(&cast)[..2], [200, 200], "a budget of tokens counts on the limit");
    assert_eq!(cast.requests()[1].options.think, Some(Think::Off));
}
