use super::*;
use crate::CellCost;
use agon_core::testing::{LogBuilder, ReachedVerdict, admission, full_spec, persona, spec, voting};
use agon_core::{
    AnswerForm, AnswerKind, Ballots, ConsensusStrategy, Critique, DebateFormat, Failure, FailureCause, Mode,
    ReasonCode, StopRule, Usage, VoteRule, Work,
};

fn numbers() -> DebateSpec {
    let form = AnswerForm { kind: AnswerKind::Number, ..AnswerForm::default() };
    DebateSpec {
        mode: Mode::Deliberative,
        personas: vec![persona("Ada", None), persona("Bob", None), persona("Cy", None)],
        answer: Some(form),
        ..full_spec()
    }
}

/// Ballots 4, 5, 5; openings; a round in which Bob turns to Ada; last ballots 4, 4, 5; the judge finds 4 twice.
fn held() -> LogBuilder {
    let mut log = LogBuilder::new(admission("sums", numbers()));
    log.phase(PhaseName::InitialBallots);
    for (who, choice) in [("Cy", "5"), ("Ada", "4"), ("Bob", "5")] {
        log.ballot(0, BallotStage::Initial, who, choice, "so");
    }
    log.phase(PhaseName::OpeningStatements);
    for (who, answer) in [("Ada", "4"), ("Bob", "5")] {
        log.speak_as(0, who, SpeechKind::Opening, "I say.", |speech| speech.answer = Some(answer.into()));
    }
    log.phase(PhaseName::Rounds).round(1, &["Ada", "Bob"]);
    log.speak_as(1, "Bob", SpeechKind::Argument, "Ada forgets the carry.", |speech| speech.answer = Some("5".into()));
    log.speak_as(1, "Ada", SpeechKind::Argument, "I do not.", |speech| speech.answer = Some("4".into()));
    log.stop(StopRule::MaxRounds, 1).phase(PhaseName::FinalBallots);
    for (who, choice) in [("Ada", "4"), ("Bob", "4"), ("Cy", "5")] {
        log.ballot(2, BallotStage::Final, who, choice, "so");
    }
    log.phase(PhaseName::Decision);
    log.judge(2, 0, Some("4"), "It is.", Vec::new()).judge(2, 1, Some("4"), "It is.", Vec::new());
    log
}

fn decided(winner: &str) -> ReachedVerdict {
    let verdict = Some(format!("The answer is {winner}."));
    ReachedVerdict { winner: Some(winner.to_owned()), verdict, ..ReachedVerdict::of(Outcome::Decided) }
}

#[test]
fn a_debate_says_its_answer_its_ballots_and_what_was_named() {
    let mut log = held();
    log.verdict(decided("4")).succeed(Outcome::Decided, None);
    let facts = facts(&log.records);
    assert_eq!((facts.ending, facts.answer.as_deref()), (CellEnding::Answered, Some("4")));
    let ballots: Vec<(bool, u32, &str, bool)> =
        facts.ballots.iter().map(|b| (b.last, b.seat, b.answer.as_str(), b.challenged)).collect();
    let first = [(false, 0, "4", false), (false, 1, "5", false), (false, 2, "5", false)];
    // Bob turned to Ada, and nobody to Bob or Cy
    assert_eq!(
        ballots,
        [first.as_slice(), &[(true, 0, "4", true), (true, 1, "4", false), (true, 2, "5", false)]].concat()
    );
    let named: Vec<(u32, &str, bool)> =
        facts.named.iter().map(|n| (n.round, n.answer.as_str(), n.challenged)).collect();
    assert_eq!(named, [(0, "4", false), (0, "5", false), (1, "5", false), (1, "4", true)]);
    assert_eq!((facts.eligible, facts.rounds, facts.stopped_by.as_deref()), (3, 1, Some("max_rounds")));
    assert!(facts.openings_independent && !facts.degraded);
    let judged: Vec<(u32, Option<&str>)> = facts.judged.iter().map(|j| (j.order, j.answer.as_deref())).collect();
    assert_eq!(judged, [(0, Some("4")), (1, Some("4"))]);
    assert_eq!(facts.last_speaker, Some(0));
    let gate = facts.gate.unwrap();
    assert_eq!((gate.eligible, gate.cast, gate.features.answers), (3, 3, Some(2.0)));
    assert_eq!((gate.features.top_share, gate.features.reason_words_mean), (Some(2.0 / 3.0), Some(1.0)));
}

#[test]
fn costs_are_those_of_the_log_and_of_each_part_so_far() {
    let mut log = held();
    log.verdict(decided("4")).succeed(Outcome::Decided, None);
    let facts = facts(&log.records);
    assert_eq!((facts.cost.calls, facts.cost.prompt, facts.cost.generated), (12, 12 * 812, 12 * 210));
    assert_eq!(facts.cost.cached, Some(12 * 640));
    let calls = |part: &str| facts.cost_by[part].calls;
    let parts = ["initial_ballots", "openings", "round_1", "final_ballots", "decision"].map(calls);
    assert_eq!(parts, [3, 5, 7, 10, 12]);
}

#[test]
fn failed_tries_cost_what_they_cost_and_calls_that_were_never_made_nothing() {
    let mut log = LogBuilder::new(admission("sums", numbers()));
    log.phase(PhaseName::OpeningStatements);
    let asked = log.ask(0, "Ada", Work::Opening.into());
    let next = log.fail(asked, Failure::new(FailureCause::Timeout, "late"), Some(5));
    let asked = log.ask_again(next, "Ada", Work::Opening.into());
    log.fail(asked, Failure::new(FailureCause::BreakerOpen, "open"), None);
    log.end(DebateState::Failed, None, Some(Reason::of(ReasonCode::Quorum)), Vec::new());
    let facts = facts(&log.records);
    assert_eq!(facts.ending, CellEnding::Failed { reason: "quorum".to_owned() });
    assert_eq!((facts.cost.calls, facts.cost.unknown_calls, facts.cost.prompt), (1, 1, 0));
}

#[test]
fn a_tie_has_no_answer_and_names_those_that_share_the_top() {
    let strategy = ConsensusStrategy::Vote;
    let spec = DebateSpec {
        consensus_strategy: strategy,
        voting: Some(voting(VoteRule::Plurality)),
        judge: None,
        ..numbers()
    };
    let mut log = LogBuilder::new(admission("sums", spec));
    log.phase(PhaseName::Decision);
    log.tally(VoteRule::Plurality, &[("4", 2), ("5", 2), ("6", 1)], (5, 5), None);
    log.verdict(ReachedVerdict::of(Outcome::Tie)).succeed(Outcome::Tie, None);
    let facts = facts(&log.records);
    assert_eq!(facts.ending, CellEnding::NoAnswer { reason: "tie".to_owned() });
    assert_eq!(facts.tied, ["4", "5"]);
}

#[test]
fn a_verdict_that_is_no_answer_of_the_form_is_none() {
    let mut log = LogBuilder::new(admission("sums", numbers()));
    let verdict = Some("Both have a point.".to_owned());
    log.verdict(ReachedVerdict { verdict, ..ReachedVerdict::of(Outcome::Decided) }).succeed(Outcome::Decided, None);
    assert_eq!(facts(&log.records).ending, CellEnding::NoAnswer { reason: "no_fit".to_owned() });
}

#[test]
fn a_debater_who_stands_for_election_stands_for_the_answer_of_its_last_proposal() {
    let format = DebateFormat::CritiqueRevision;
    let mut log = LogBuilder::new(admission("sums", DebateSpec { debate_format: format, ..numbers() }));
    log.phase(PhaseName::OpeningStatements);
    for (who, answer) in [("Ada", "4"), ("Bob", "5")] {
        log.speak_as(0, who, SpeechKind::Proposal, "I say.", |speech| speech.answer = Some(answer.into()));
    }
    log.phase(PhaseName::InitialBallots).ballot(0, BallotStage::Initial, "Cy", "Bob", "so");
    log.phase(PhaseName::Rounds).round(1, &["Ada", "Bob"]);
    log.critique(1, "Ada", "Bob", Critique { severity: 8, issues: Vec::new(), suggestions: Vec::new() });
    log.speak_as(1, "Bob", SpeechKind::Revision, "Right.", |speech| speech.answer = Some("4".into()));
    log.phase(PhaseName::FinalBallots).ballot(2, BallotStage::Final, "Cy", "Bob", "so");
    log.verdict(decided("Bob")).succeed(Outcome::Decided, None);
    let facts = facts(&log.records);
    let ballots: Vec<&str> = facts.ballots.iter().map(|ballot| ballot.answer.as_str()).collect();
    assert_eq!((ballots, facts.answer.as_deref()), (vec!["5", "4"], Some("4")));
    assert!(facts.named.iter().any(|named| named.round == 1 && named.challenged));
}

#[test]
fn samples_of_a_poll_stand_by_seat_each_with_its_cost_and_a_failed_one_has_no_answer() {
    let mut spec = DebateSpec {
        debate_format: DebateFormat::Poll,
        ballots: Ballots::None,
        phases: agon_core::testing::no_statements(),
        ..numbers()
    };
    spec.format.samples = 4;
    let mut log = LogBuilder::new(admission("sums", spec));
    log.phase(PhaseName::OpeningStatements);
    log.speak_as(0, "Ada", SpeechKind::Opening, "I say.", |speech| speech.answer = Some("4".into()));
    let asked = log.ask(0, "Bob", Work::Opening.into());
    log.usage = Usage { prompt_tokens: Some(10), cached_tokens: None, completion_tokens: Some(5) };
    log.fail(asked, Failure::new(FailureCause::Timeout, "late"), None);
    log.speak_as(0, "Cy", SpeechKind::Opening, "I say.", |speech| speech.answer = Some("5".into()));
    log.speak_as(0, "Ada", SpeechKind::Opening, "I say.", |speech| speech.answer = Some("5".into()));
    log.tally(VoteRule::Plurality, &[("5", 2), ("4", 1)], (4, 3), Some("5"));
    log.verdict(decided("5")).succeed(Outcome::Decided, None);
    let facts = facts(&log.records);
    let samples: Vec<(u32, Option<&str>, u32, u64)> =
        facts.samples.iter().map(|s| (s.number, s.answer.as_deref(), s.cost.calls, s.cost.prompt)).collect();
    assert_eq!(samples, [(0, Some("4"), 1, 812), (1, None, 1, 0), (2, Some("5"), 1, 10), (3, Some("5"), 1, 10)]);
    assert_eq!((facts.answer.as_deref(), facts.eligible), (Some("5"), 4));
    let mut sum = CellCost::default();
    facts.samples.iter().for_each(|sample| sum.add(&sample.cost));
    assert_eq!(sum, facts.cost);
}

#[test]
fn a_log_without_an_admission_is_of_a_cell_that_was_not_held() {
    assert_eq!(facts(&[]).ending, CellEnding::Failed { reason: "not_held".to_owned() });
    let log = LogBuilder::new(admission("sums", spec()));
    assert_eq!(facts(&log.records).ending, CellEnding::Failed { reason: "not_ended".to_owned() });
}
