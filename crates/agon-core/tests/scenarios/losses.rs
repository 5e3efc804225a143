//! What becomes of a debate when somebody cannot be heard.
use crate::hold::{DebateLog, admission, hold, lost, speech};
use agon_core::*;
use serde_json::json;

fn moderator(duties: &[&str]) -> serde_json::Value {
    let mut moderator = json!({"opens": false, "closes": false, "model": "m", "max_tokens": 9});
    for duty in duties {
        moderator[*duty] = true.into();
    }
    moderator
}

fn spoke(events: &[Event]) -> Vec<(SpeechKind, &str)> {
    events
        .iter()
        .filter_map(|event| {
            let (said, speech) = event.speech()?;
            Some((speech.kind, said.participant.as_str()))
        })
        .collect()
}

fn ended(events: &[Event]) -> DebateState {
    let Some(Event::DebateEnded { state, .. }) = events.last() else { panic!("no end") };
    *state
}

#[test]
fn a_moderator_that_researched_opens_the_first_round_too() {
    let asked = admission(2, json!({"moderator": moderator(&["opens", "researches"])}));
    let events = hold(asked, |ask| match ask.task {
        Task::Research => Some(Answer::Text { text: "found".into() }),
        Task::OpenRound => Some(Answer::RoundPlan(RoundPlan { briefing: Some("b".into()), ..RoundPlan::default() })),
        _ => Some(speech("so")),
    });
    assert!(events.iter().any(|event| matches!(event, Event::RoundOpened { briefing: Some(_), .. })));
    assert_eq!(spoke(&events).len(), 2);
}

#[test]
fn research_that_fails_and_a_moderator_that_cannot_open_leave_the_fishbowl_its_rounds() {
    let asked = admission(
        3,
        json!({"debate_format": "fishbowl", "max_rounds": 2, "moderator": moderator(&["opens", "researches"])}),
    );
    let events = hold(asked, |ask| match ask.task {
        Task::Argument { .. } => Some(speech("so")),
        _ => None,
    });
    let circles: Vec<_> = events
        .iter()
        .filter_map(|event| if let Event::RoundOpened { speakers, .. } = event { Some(speakers.len()) } else { None })
        .collect();
    assert_eq!(circles, [2, 2]);
    let fallbacks = events.iter().filter(|event| matches!(event, Event::FallbackDecided { .. }));
    assert_eq!((fallbacks.count(), ended(&events)), (2, DebateState::Succeeded));
}

#[test]
fn the_next_in_the_rotation_asks_where_a_question_could_not_be_had() {
    let asked = admission(3, json!({"debate_format": "socratic", "quorum": "majority"}));
    let events = hold(asked, |ask| (ask.participant.as_str() != "P0").then(|| speech("so")));
    use SpeechKind::*;
    assert_eq!(spoke(&events), [(Question, "P1"), (Answer, "P2"), (FollowUp, "P1"), (Answer, "P2")]);
    assert_eq!(ended(&events), DebateState::Succeeded);
}

#[test]
fn nobody_is_asked_to_react_to_a_speech_that_was_not_heard() {
    let asked = admission(3, json!({"turn_mode": "reaction_triggered"}));
    let events = hold(asked, |ask| match ask.task {
        Task::Bid { .. } => Some(Answer::Bid(Bid::default())),
        _ => (ask.participant.as_str() != "P0").then(|| speech("so")),
    });
    assert_eq!(spoke(&events), [(SpeechKind::Argument, "P1")]);
}

#[test]
fn whoever_bids_most_after_a_speech_that_was_lost_speaks_and_does_not_interject() {
    let asked = admission(2, json!({"debate_format": "open_fight", "interruptions": "turn_boundary"}));
    let mut held = 0;
    let events = hold(asked, |ask| match &ask.task {
        Task::Bid { .. } => {
            let wants = ["P0", "P1"].get(held).is_some_and(|name| ask.participant.as_str() == *name);
            Some(Answer::Bid(Bid { urgency: if wants { 9 } else { 0 }, ..Bid::default() }))
        }
        _ => {
            held += 1;
            (ask.participant.as_str() != "P0").then(|| speech("so"))
        }
    });
    assert_eq!(spoke(&events), [(SpeechKind::Argument, "P1")]);
}

#[test]
fn rounds_in_which_nobody_bids_are_held_and_end_without_a_result() {
    let asked = admission(2, json!({"debate_format": "open_fight", "max_rounds": 2}));
    let events = hold(asked, |_| Some(Answer::Bid(Bid::default())));
    let Some(Event::DebateEnded { reason: Some(reason), .. }) = events.last() else { panic!("no reason") };
    assert_eq!(reason.code, ReasonCode::EmptyTranscript);
}

#[test]
fn where_all_first_ballots_failed_no_round_is_voted_on() {
    let asked = admission(
        2,
        json!({
            "mode": "deliberative", "ballots": "both", "consensus_strategy": "vote",
            "voting": {"rule": "majority", "self_votes": "allow", "every_round": true}
        }),
    );
    let events = hold(asked, |ask| match ask.task {
        Task::Ballot { .. } => None,
        _ => Some(speech("so")),
    });
    assert!(
        !events.iter().any(|event| matches!(event, Event::TurnAsked(ask) if matches!(ask.task, Task::Vote { .. })))
    );
    let Some(Event::DebateEnded { reason: Some(reason), .. }) = events.last() else { panic!("no reason") };
    assert_eq!(reason.code, ReasonCode::NoVotes);
}

#[test]
fn a_bid_on_a_try_that_failed_does_not_cut_the_next_one() {
    let mut log = interrupted();
    let speaker = log.asked().into_iter().find(|ask| matches!(ask.task, Task::Argument { .. })).unwrap();
    let failure = Failure::new(FailureCause::Truncated, "cut by the limit");
    log.step(Input::TurnDecided { turn: speaker.turn, result: TurnResult::Failed { failure, call: Box::default() } });
    let again = log.asked().into_iter().find(|ask| matches!(ask.task, Task::Argument { .. })).unwrap();
    assert_eq!(again.turn, speaker.turn.next_attempt());
    assert!(!log.debate.outstanding().contains(&Effect::Cut { turn: again.turn }));
    let cut = Answer::Speech { text: "half".into(), cut: true };
    log.answer(&again, cut);
    assert!(spoke(&log.events).is_empty());
}

#[test]
fn a_speech_that_is_cut_names_who_cut_it_and_that_one_has_the_floor() {
    let mut log = interrupted();
    let speaker = log.asked().remove(0);
    assert!(log.debate.outstanding().contains(&Effect::Cut { turn: speaker.turn }));
    log.answer(&speaker, Answer::Speech { text: "half".into(), cut: true });
    let cut = |event: &Event| matches!(event, Event::Answered(Answered { given: Given::Speech(speech), .. }) if speech.cut_by == Some("P1".into()));
    assert!(log.events.iter().any(cut));
    let next = log.asked().remove(0);
    assert_eq!(next.participant.as_str(), "P1");
    assert!(matches!(next.task, Task::Statement { speech: SpeechKind::Interjection, .. }));
}

#[test]
fn a_bid_to_interrupt_a_speech_that_ended_is_no_bid_for_the_floor() {
    let mut log = listened();
    let speaker = log.asked().into_iter().find(|ask| matches!(ask.task, Task::Argument { .. })).unwrap();
    log.answer(&speaker, speech("to the end"));
    let bidder = log.asked().remove(0);
    log.answer(&bidder, Answer::Bid(Bid { urgency: 10, to: None, text: None }));
    let asked = log.asked();
    assert!(asked.iter().all(|ask| matches!(ask.task, Task::Bid { purpose: BidPurpose::Floor, .. })), "{asked:?}");
    assert_eq!(asked.len(), 2);
}

/// A speech of `P0` that `P1` may interrupt: half of it is heard.
fn listened() -> DebateLog {
    let mut log = DebateLog::begin(admission(2, json!({"debate_format": "open_fight", "interruptions": "mid_speech"})));
    for ask in log.asked() {
        let urgency = if ask.participant.as_str() == "P0" { 5 } else { 1 };
        log.answer(&ask, Answer::Bid(Bid { urgency, to: None, text: None }));
    }
    let speaker = log.asked().remove(0);
    assert_eq!(speaker.participant.as_str(), "P0");
    log.step(Input::SpeechHeard { turn: speaker.turn, text: "half".into() });
    log
}

/// The same, and `P1` bids to cut it.
fn interrupted() -> DebateLog {
    let mut log = listened();
    let bidder = log.asked().into_iter().find(|ask| matches!(ask.task, Task::Bid { .. })).unwrap();
    log.answer(&bidder, Answer::Bid(Bid { urgency: 9, to: None, text: None }));
    log
}

#[test]
fn whoever_may_not_hear_a_speaker_is_not_asked_to_interrupt_it() {
    let hold = |hidden_from: &[&str]| {
        let persona = |name: &str, hidden_from: &[&str]| json!({"name": name, "stance": name, "hidden_from": hidden_from, "model": "m", "max_tokens": 9});
        let personas = [persona("P0", hidden_from), persona("P1", &["P2"]), persona("P2", &[])];
        let keys = json!({"debate_format": "open_fight", "interruptions": "mid_speech", "memory": "persona_masking", "personas": personas});
        let mut log = DebateLog::begin(admission(3, keys));
        for ask in log.asked() {
            let urgency = if ask.participant.as_str() == "P0" { 5 } else { 1 };
            log.answer(&ask, Answer::Bid(Bid { urgency, to: None, text: None }));
        }
        let speaker = log.asked().remove(0);
        assert_eq!(speaker.participant.as_str(), "P0");
        let heard = Input::SpeechHeard { turn: speaker.turn, text: "half".into() };
        let taken = log.debate.decide(Timestamp(2), heard.clone()).is_ok();
        if taken {
            log.step(heard);
        }
        let bids = log.asked().into_iter().filter(|ask| matches!(ask.task, Task::Bid { .. }));
        (taken, bids.map(|ask| ask.participant.to_string()).collect::<Vec<_>>())
    };
    assert_eq!(hold(&[]), (true, vec!["P1".to_owned(), "P2".to_owned()]));
    assert_eq!(hold(&["P1"]), (true, vec!["P2".to_owned()]));
    assert_eq!(hold(&["P1", "P2"]), (false, Vec::new()));
}

#[test]
fn a_summary_that_failed_is_made_up_for_by_the_next() {
    let summarizer = json!({"model": "m", "max_tokens": 9});
    let asked = admission(2, json!({"memory": "summarize_past", "max_rounds": 5, "summarizer": summarizer}));
    let mut summaries = Vec::new();
    hold(asked, |ask| match &ask.task {
        Task::Summarise { through } => {
            summaries.push(*through);
            None
        }
        _ => Some(speech("so")),
    });
    assert_eq!(summaries, [2, 4]);
}

#[test]
fn measures_that_are_no_shares_are_taken_for_failed_and_words_are_compared() {
    let asked = admission(2, json!({"embedding_model": "e"}));
    let events = hold(asked, |ask| match ask.task {
        Task::Measure { .. } => {
            let (stable, known, by_answers, method) = (vec![], vec![], false, Method::Embeddings);
            Some(Answer::Measures(Measures {
                agreement: Some(f64::NAN),
                stability: None,
                stable,
                known,
                by_answers,
                method,
            }))
        }
        _ => Some(speech("so it is")),
    });
    let by = events.iter().find_map(|event| match event {
        Event::Answered(Answered { given: Given::Measures { measures, .. }, .. })
        | Event::RoundCompared { measures, .. } => Some(measures.method),
        _ => None,
    });
    assert_eq!(by, Some(Method::WordsInstead));
}

#[test]
fn an_abort_is_for_work_that_is_missed_and_not_for_a_bid() {
    let asked = admission(2, json!({"debate_format": "open_fight", "on_turn_failure": "abort"}));
    let events = hold(asked.clone(), |ask| match ask.task {
        Task::Bid { .. } if ask.participant.as_str() == "P0" => Some(Answer::Bid(Bid { urgency: 3, ..Bid::default() })),
        Task::Bid { .. } => None,
        _ => Some(speech("so")),
    });
    assert_eq!(ended(&events), DebateState::Succeeded);
    let mut log = DebateLog::begin(asked);
    for ask in log.asked() {
        log.answer(&ask, Answer::Bid(Bid { urgency: 3, ..Bid::default() }));
    }
    let speaker = log.asked().remove(0);
    log.step(Input::TurnDecided { turn: speaker.turn, result: lost() });
    assert_eq!(ended(&log.events), DebateState::Failed);
}

/// A debate of three rounds whose judge refuses every prompt that shows the whole of it, and what the judge was shown.
fn too_long_for_its_judge(memory: serde_json::Value) -> (Vec<Event>, Vec<bool>) {
    let judge =
        json!({"orders": 1, "anonymize_transcript": false, "shuffle_for_judge": false, "model": "j", "max_tokens": 9});
    let mut changes = json!({"max_rounds": 3, "consensus_strategy": "judge", "judge": judge});
    memory.as_object().unwrap().iter().for_each(|(key, value)| changes[key] = value.clone());
    let mut log = DebateLog::begin(admission(2, changes));
    let mut kept = Vec::new();
    while log.debate.ended().is_none() {
        let ask = log.asked().remove(0);
        let Task::Judge { .. } = ask.task else {
            log.answer(&ask, speech(&format!("{} in round {}", ask.participant, ask.turn.round)));
            continue;
        };
        kept.push(ask.kept);
        if ask.kept {
            let quote = |entry, quote: &str| CitedEntry { entry, quote: quote.into() };
            let citations = vec![quote(1, "P0 in round 3"), quote(3, "P0 in round 1")];
            let (verdict, reasoning, open_objections) = ("v".into(), "r".into(), vec![]);
            let judgement = Judgement { verdict, winner: Some("s0".into()), reasoning, citations, open_objections };
            log.answer(&ask, Answer::Judgement(judgement));
        } else {
            let failure = Failure::new(FailureCause::ContextOverflow, "too long");
            let result = TurnResult::Failed { failure, call: Box::default() };
            log.step(Input::TurnDecided { turn: ask.turn, result });
        }
    }
    (log.events, kept)
}

#[test]
fn a_judge_for_whom_the_debate_is_too_long_reads_what_memory_keeps() {
    let (events, kept) = too_long_for_its_judge(json!({"memory": "rolling_window", "memory_window": 2}));
    assert_eq!((kept, ended(&events)), (vec![false, true], DebateState::Succeeded));
    let cited = events.iter().find_map(|event| match event {
        Event::Answered(Answered { given: Given::Judgement { citations, .. }, .. }) => {
            Some(citations.iter().map(|one| one.verified).collect::<Vec<_>>())
        }
        _ => None,
    });
    assert_eq!(cited, Some(vec![true, false]), "a citation is looked up in what the judge was shown");
}

#[test]
fn where_memory_keeps_everything_a_judge_is_not_asked_again() {
    let (events, kept) = too_long_for_its_judge(json!({}));
    assert_eq!((kept, ended(&events)), (vec![false], DebateState::Failed));
}

#[test]
fn whoever_speaks_alone_is_in_no_impasse() {
    let asked = admission(
        2,
        json!({"turn_mode": "moderator", "max_rounds": 4, "end_condition": ["impasse"], "moderator": moderator(&["opens"])}),
    );
    let events = hold(asked, |ask| match ask.task {
        Task::OpenRound => {
            Some(Answer::RoundPlan(RoundPlan { next_speakers: vec!["P0".into()], ..RoundPlan::default() }))
        }
        _ => Some(speech("the same words again")),
    });
    let stopped = |event: &Event| matches!(event, Event::LoopEnded { rule: StopRule::MaxRounds, round: 4, .. });
    assert!(events.iter().any(stopped));
}

#[test]
fn nobody_scores_a_debater_who_was_not_heard() {
    let spec = json!({
        "consensus_strategy": "vote", "voting": {"rule": "anonymous_scoring", "self_votes": "exclude"}, "quorum": "majority"
    });
    let mut scored = Vec::new();
    hold(admission(3, spec), |ask| match &ask.task {
        Task::ScoreDebaters { debaters } => {
            scored.push(debaters.iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>());
            None
        }
        Task::Argument { .. } if ask.participant.as_str() == "P2" => None,
        _ => Some(speech("so")),
    });
    assert_eq!(scored, [vec!["P1"], vec!["P0"], vec!["P0", "P1"]]);
}
