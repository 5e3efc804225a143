//! What becomes of a debate when somebody cannot be heard.
use crate::hold::{DebateLog, admission, hold, judged, judgement, lost, measures, open_judge, plain, speech, votes};
use agon_core::testing::voting;
use agon_core::*;

/// A moderator that opens rounds and does not close them.
fn opens() -> Moderator {
    Moderator { closes: false, ..testing::moderator() }
}

fn researches() -> Moderator {
    Moderator { researches: true, ..opens() }
}

fn fights(spec: &mut DebateSpec) {
    spec.debate_format = DebateFormat::OpenFight;
}

fn ended_for(events: &[Event]) -> ReasonCode {
    let Some(Event::DebateEnded { reason: Some(reason), .. }) = events.last() else { panic!("no reason") };
    reason.code
}

/// A bid of `P0` for the floor that is stronger than those of the others.
fn first_wants_most(log: &mut DebateLog) -> Ask {
    for ask in log.asked() {
        let urgency = if ask.participant.as_str() == "P0" { 5 } else { 1 };
        log.answer(&ask, bid(urgency));
    }
    let speaker = log.asked().remove(0);
    assert_eq!(speaker.participant.as_str(), "P0");
    speaker
}

fn bid(urgency: u8) -> Answer {
    Answer::Bid(Bid { urgency, ..Bid::default() })
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
    let asked = admission(2, |spec| spec.moderator = Some(researches()));
    let events = hold(asked, |ask| match ask.task.work {
        Work::Research => Some(Answer::Text { text: "found".into() }),
        Work::OpenRound => Some(Answer::RoundPlan(RoundPlan { briefing: Some("b".into()), ..RoundPlan::default() })),
        _ => Some(speech("so")),
    });
    assert!(events.iter().any(|event| matches!(event, Event::RoundOpened { briefing: Some(_), .. })));
    assert_eq!(spoke(&events).len(), 2);
}

#[test]
fn research_that_fails_and_a_moderator_that_cannot_open_leave_the_fishbowl_its_rounds() {
    let asked = admission(3, |spec| {
        (spec.debate_format, spec.max_rounds, spec.moderator) = (DebateFormat::Fishbowl, 2, Some(researches()));
    });
    let events = hold(asked, |ask| match ask.task.work {
        Work::Argument { .. } => Some(speech("so")),
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
    let asked = admission(3, |spec| (spec.debate_format, spec.quorum) = (DebateFormat::Socratic, Quorum::Majority));
    let events = hold(asked, |ask| (ask.participant.as_str() != "P0").then(|| speech("so")));
    use SpeechKind::*;
    assert_eq!(spoke(&events), [(Question, "P1"), (Answer, "P2"), (FollowUp, "P1"), (Answer, "P2")]);
    assert_eq!(ended(&events), DebateState::Succeeded);
}

#[test]
fn nobody_is_asked_to_react_to_a_speech_that_was_not_heard() {
    let asked = admission(3, |spec| spec.turn_mode = TurnMode::ReactionTriggered);
    let events = hold(asked, |ask| match ask.task.work {
        Work::Bid { .. } => Some(Answer::Bid(Bid::default())),
        _ => (ask.participant.as_str() != "P0").then(|| speech("so")),
    });
    assert_eq!(spoke(&events), [(SpeechKind::Argument, "P1")]);
}

#[test]
fn whoever_bids_most_after_a_speech_that_was_lost_speaks_and_does_not_interject() {
    let asked = admission(2, |spec| {
        fights(spec);
        spec.format.interruptions = Interruptions::TurnBoundary;
    });
    let mut held = 0;
    let events = hold(asked, |ask| match &ask.task.work {
        Work::Bid { .. } => {
            let wants = ["P0", "P1"].get(held).is_some_and(|name| ask.participant.as_str() == *name);
            Some(bid(if wants { 9 } else { 0 }))
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
    let asked = admission(2, |spec| (spec.debate_format, spec.max_rounds) = (DebateFormat::OpenFight, 2));
    assert_eq!(ended_for(&hold(asked, |_| Some(bid(0)))), ReasonCode::EmptyTranscript);
}

#[test]
fn where_all_first_ballots_failed_no_round_is_voted_on() {
    let asked = admission(2, |spec| {
        (spec.mode, spec.ballots) = (Mode::Deliberative, Ballots::Both);
        votes(spec, Voting { every_round: true, ..voting(VoteRule::Majority) });
    });
    let events = hold(asked, |ask| match ask.task.work {
        Work::Ballot { .. } => None,
        _ => Some(speech("so")),
    });
    assert!(!events.iter().any(|event| matches!(event, Event::TurnAsked(ask) if matches!(ask.task.work, Work::Vote))));
    assert_eq!(ended_for(&events), ReasonCode::NoVotes);
}

#[test]
fn a_bid_on_a_try_that_failed_does_not_cut_the_next_one() {
    let mut log = interrupted();
    let speaker = log.asked().into_iter().find(|ask| matches!(ask.task.work, Work::Argument { .. })).unwrap();
    let failure = Failure::new(FailureCause::Truncated, "cut by the limit");
    log.step(Input::TurnDecided { turn: speaker.turn, result: TurnResult::Failed { failure, call: Box::default() } });
    let again = log.asked().into_iter().find(|ask| matches!(ask.task.work, Work::Argument { .. })).unwrap();
    assert_eq!(again.turn, speaker.turn.next_attempt());
    assert!(!log.debate.outstanding().contains(&Effect::Cut { turn: again.turn }));
    let cut = Answer::Speech { text: "half".into(), cut: true, cut_at_limit: false };
    log.answer(&again, cut);
    assert!(spoke(&log.events).is_empty());
}

#[test]
fn a_speech_that_is_cut_names_who_cut_it_and_that_one_has_the_floor() {
    let mut log = interrupted();
    let speaker = log.asked().remove(0);
    assert!(log.debate.outstanding().contains(&Effect::Cut { turn: speaker.turn }));
    log.answer(&speaker, Answer::Speech { text: "half".into(), cut: true, cut_at_limit: false });
    let cut = |event: &Event| matches!(event, Event::Answered(Answered { given: Given::Speech(speech), .. }) if speech.cut_by == Some("P1".into()));
    assert!(log.events.iter().any(cut));
    let next = log.asked().remove(0);
    assert_eq!(next.participant.as_str(), "P1");
    assert!(matches!(next.task.work, Work::Statement { speech: SpeechKind::Interjection, .. }));
}

#[test]
fn a_bid_to_interrupt_a_speech_that_ended_is_no_bid_for_the_floor() {
    let mut log = listened();
    let speaker = log.asked().into_iter().find(|ask| matches!(ask.task.work, Work::Argument { .. })).unwrap();
    log.answer(&speaker, speech("to the end"));
    let bidder = log.asked().remove(0);
    log.answer(&bidder, bid(10));
    let asked = log.asked();
    assert!(asked.iter().all(|ask| matches!(ask.task.work, Work::Bid { purpose: BidPurpose::Floor, .. })), "{asked:?}");
    assert_eq!(asked.len(), 2);
}

/// A speech of `P0` that `P1` may interrupt: half of it is heard.
fn listened() -> DebateLog {
    let mut log = DebateLog::begin(admission(2, |spec| {
        fights(spec);
        spec.format.interruptions = Interruptions::MidSpeech;
    }));
    let speaker = first_wants_most(&mut log);
    log.step(Input::SpeechHeard { turn: speaker.turn, text: "half".into() });
    log
}

/// The same, and `P1` bids to cut it.
fn interrupted() -> DebateLog {
    let mut log = listened();
    let bidder = log.asked().into_iter().find(|ask| matches!(ask.task.work, Work::Bid { .. })).unwrap();
    log.answer(&bidder, bid(9));
    log
}

#[test]
fn whoever_may_not_hear_a_speaker_is_not_asked_to_interrupt_it() {
    let hold = |hidden_from: &[&str]| {
        let mut log = DebateLog::begin(admission(3, |spec| {
            fights(spec);
            (spec.format.interruptions, spec.memory) = (Interruptions::MidSpeech, Memory::PersonaMasking);
            spec.personas[0].hidden_from = hidden_from.iter().map(|name| (*name).into()).collect();
            spec.personas[1].hidden_from = vec!["P2".into()];
        }));
        let speaker = first_wants_most(&mut log);
        let heard = Input::SpeechHeard { turn: speaker.turn, text: "half".into() };
        let taken = log.debate.decide(Timestamp(2), heard.clone()).is_ok();
        if taken {
            log.step(heard);
        }
        let bids = log.asked().into_iter().filter(|ask| matches!(ask.task.work, Work::Bid { .. }));
        (taken, bids.map(|ask| ask.participant.to_string()).collect::<Vec<_>>())
    };
    assert_eq!(hold(&[]), (true, vec!["P1".to_owned(), "P2".to_owned()]));
    assert_eq!(hold(&["P1"]), (true, vec!["P2".to_owned()]));
    assert_eq!(hold(&["P1", "P2"]), (false, Vec::new()));
}

#[test]
fn a_summary_that_failed_is_made_up_for_by_the_next() {
    let asked = admission(2, |spec| {
        (spec.memory, spec.max_rounds, spec.summarizer) = (Memory::SummarizePast, 5, Some(Summarizer::default()));
    });
    let mut summaries = Vec::new();
    hold(asked, |ask| match &ask.task.work {
        Work::Summarise => {
            summaries.push(ask.task.material.through.unwrap());
            None
        }
        _ => Some(speech("so")),
    });
    assert_eq!(summaries, [2, 4]);
}

#[test]
fn measures_that_are_no_shares_are_taken_for_failed_and_words_are_compared() {
    let asked = admission(2, |spec| spec.similarity.embedding_model = Some("e".into()));
    let events = hold(asked, |ask| match ask.task.work {
        Work::Measure => {
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
    assert_eq!(measures(&events)[0].method, Method::WordsInstead);
}

#[test]
fn an_abort_is_for_work_that_is_missed_and_not_for_a_bid() {
    let asked = admission(2, |spec| {
        fights(spec);
        spec.on_turn_failure = OnTurnFailure::Abort;
    });
    let events = hold(asked.clone(), |ask| match ask.task.work {
        Work::Bid { .. } if ask.participant.as_str() == "P0" => Some(bid(3)),
        Work::Bid { .. } => None,
        _ => Some(speech("so")),
    });
    assert_eq!(ended(&events), DebateState::Succeeded);
    let mut log = DebateLog::begin(asked);
    for ask in log.asked() {
        log.answer(&ask, bid(3));
    }
    let speaker = log.asked().remove(0);
    log.step(Input::TurnDecided { turn: speaker.turn, result: lost() });
    assert_eq!(ended(&log.events), DebateState::Failed);
}

/// A debate of three rounds whose judge refuses every prompt that shows the whole of it, and what the judge was shown.
fn too_long_for_its_judge(memory: impl FnOnce(&mut DebateSpec)) -> (Vec<Event>, Vec<bool>) {
    let mut log = DebateLog::begin(admission(2, |spec| {
        judged(spec, open_judge());
        spec.max_rounds = 3;
        memory(spec);
    }));
    let mut kept = Vec::new();
    while log.debate.ended().is_none() {
        let ask = log.asked().remove(0);
        let Work::Judge { .. } = ask.task.work else {
            log.answer(&ask, speech(&format!("{} in round {}", ask.participant, ask.turn.round)));
            continue;
        };
        kept.push(ask.kept);
        if ask.kept {
            let quote = |entry, quote: &str| CitedEntry { entry, quote: quote.into() };
            let citations = vec![quote(1, "P0 in round 3"), quote(3, "P0 in round 1")];
            log.answer(&ask, judgement(Some("s0".into()), citations));
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
    let rolling = |spec: &mut DebateSpec| (spec.memory, spec.windows.memory_window) = (Memory::RollingWindow, 2);
    let (events, kept) = too_long_for_its_judge(rolling);
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
    let (events, kept) = too_long_for_its_judge(plain);
    assert_eq!((kept, ended(&events)), (vec![false], DebateState::Failed));
}

#[test]
fn whoever_speaks_alone_is_in_no_impasse() {
    let asked = admission(2, |spec| {
        (spec.turn_mode, spec.moderator) = (TurnMode::Moderator, Some(opens()));
        (spec.max_rounds, spec.end_condition) = (4, vec![EndCondition::Impasse]);
    });
    let events = hold(asked, |ask| match ask.task.work {
        Work::OpenRound => {
            Some(Answer::RoundPlan(RoundPlan { next_speakers: vec!["P0".into()], ..RoundPlan::default() }))
        }
        _ => Some(speech("the same words again")),
    });
    let stopped = |event: &Event| matches!(event, Event::LoopEnded { rule: StopRule::MaxRounds, round: 4, .. });
    assert!(events.iter().any(stopped));
}

#[test]
fn nobody_scores_a_debater_who_was_not_heard() {
    let asked = admission(3, |spec| {
        votes(spec, Voting { self_votes: SelfVotes::Exclude, ..voting(VoteRule::AnonymousScoring) });
        spec.quorum = Quorum::Majority;
    });
    let mut scored = Vec::new();
    hold(asked, |ask| match &ask.task.work {
        Work::ScoreDebaters => {
            scored.push(ask.task.material.debaters().iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>());
            None
        }
        Work::Argument { .. } if ask.participant.as_str() == "P2" => None,
        _ => Some(speech("so")),
    });
    assert_eq!(scored, [vec!["P1"], vec!["P0"], vec!["P0", "P1"]]);
}
