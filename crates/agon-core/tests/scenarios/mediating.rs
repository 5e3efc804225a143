//! A moderator that decides.
use crate::hold::{DebateLog, admission, hold, speech};
use agon_core::testing::moderator;
use agon_core::*;

/// The outcome, verdict and reasoning of a debate of two rounds that its moderator closes and decides. `synthesis` is lost where
/// there is none.
fn decided(
    closing: impl Fn(u32) -> (RoundStatus, Option<&'static str>),
    synthesis: Option<&str>,
) -> Option<(Outcome, String, Option<String>)> {
    let asked = admission(2, |spec| {
        (spec.max_rounds, spec.consensus_strategy) = (2, ConsensusStrategy::MediatorSummary);
        spec.moderator = Some(Moderator { opens: false, ..moderator() });
    });
    let events = hold(asked, |ask| match &ask.task.work {
        Work::CloseRound => {
            let (status, decision) = closing(ask.turn.round);
            let (summary, decision) = (format!("summary {}", ask.turn.round), decision.map(str::to_owned));
            Some(Answer::RoundSummary(RoundSummary { summary, status, decision, vote_now: false }))
        }
        Work::Conclude { .. } => {
            Some(Answer::Conclusion { verdict: synthesis?.to_owned(), reasoning: "because".to_owned() })
        }
        _ => Some(speech("so")),
    });
    events.iter().find_map(|event| match event {
        Event::VerdictReached { outcome, verdict, reasoning, .. } => {
            Some((*outcome, verdict.clone().unwrap(), reasoning.clone()))
        }
        _ => None,
    })
}

#[test]
fn the_decision_that_settles_the_question_is_the_verdict_and_the_synthesis_builds_on_it() {
    let settles = |_| (RoundStatus::Settled, Some("Rent it first."));
    let verdict = |synthesis| decided(settles, Some(synthesis)).unwrap().1;
    assert_eq!(verdict("Buy when the lease is signed."), "Rent it first.\n\nBuy when the lease is signed.");
    assert_eq!(verdict("The answer: rent it  FIRST, then buy."), "The answer: rent it  FIRST, then buy.");
}

#[test]
fn a_decision_that_settled_nothing_does_not_bind_the_synthesis() {
    let leans = |_| (RoundStatus::Continue, Some("Rent it first."));
    assert_eq!(decided(leans, Some("Buy it.")).unwrap().1, "Buy it.");
}

#[test]
fn where_the_synthesis_is_lost_the_decision_of_the_last_closing_is_the_verdict() {
    let rounds = |round| (RoundStatus::Continue, Some(if round == 1 { "Buy it." } else { "Rent it first." }));
    let expected = (Outcome::Degraded, "Rent it first.".to_owned(), Some("summary 2".to_owned()));
    assert_eq!(decided(rounds, None), Some(expected));
    assert_eq!(decided(|round| (RoundStatus::Continue, (round == 1).then_some("Buy it.")), None), None);
}

#[test]
fn lists_show_the_decision_that_settled_the_question() {
    let listed = |status| {
        let asked = admission(2, |spec| {
            spec.consensus_strategy = ConsensusStrategy::MediatorSummary;
            spec.moderator = Some(Moderator { opens: false, ..moderator() });
        });
        let mut log = DebateLog::begin(asked);
        while let Some(ask) = log.asked().first() {
            let decision = Some("Rent it first.".to_owned());
            let answer = match &ask.task.work {
                Work::CloseRound => Answer::RoundSummary(RoundSummary { status, decision, ..RoundSummary::default() }),
                Work::Conclude { .. } => Answer::Conclusion { verdict: "Buy it.".into(), reasoning: "r".into() },
                _ => speech("so"),
            };
            log.answer(ask, answer);
        }
        log.debate.summary_figures().winner.unwrap()
    };
    assert_eq!(listed(RoundStatus::Settled), "Rent it first.");
    assert_eq!(listed(RoundStatus::Continue), "Buy it.");
}
