//! Reports of polls.
use crate::log::{Log, ReachedVerdict, admitted, persona, spec};
use crate::shown::{live, minutes};
use agon_core::*;

/// Four samples of two personas, of which one was lost; three name two answers.
fn polled() -> Log {
    let cast = vec![persona("Ada", None, "An arithmetician"), persona("Ben", None, "A planner")];
    let mut spec = spec("For how many minutes does the train move?", cast);
    (spec.mode, spec.debate_format, spec.format.samples) = (Mode::Deliberative, DebateFormat::Poll, 4);
    (spec.consensus_strategy, spec.judge) = (ConsensusStrategy::Vote, None);
    spec.voting = Some(testing::voting(VoteRule::Plurality));
    spec.answer =
        Some(AnswerForm { kind: AnswerKind::Number, options: Vec::new(), tolerance: Tolerance::Relative(0.02) });
    spec.ballots = Ballots::None;
    let mut log = admitted(spec);
    log.phase(PhaseName::OpeningStatements);
    for (name, answer) in [("Ada", "125"), ("Ben", "133"), ("Ada", "125")] {
        let text = format!("I counted the stops.\n\nMy answer: {answer}");
        log.speak_as(0, name, SpeechKind::Opening, &text, |speech| speech.answer = Some(answer.to_owned()));
    }
    let counts = vec![("125".to_owned(), 2), ("133".to_owned(), 1)];
    let winner = Some("125".to_owned());
    let rule = Some(VoteRule::Plurality);
    log.push(Event::VoteTallied { rule, counts, weights: vec![], eligible: 4, received: 3, winner: winner.clone() });
    log.verdict(ReachedVerdict {
        winner,
        consensus: Some(Consensus {
            answer: Some("125".to_owned()),
            top: 2,
            eligible: 4,
            strength: Strength::Split,
            contested: false,
            source: ConsensusSource::Votes,
        }),
        ..ReachedVerdict::of(Outcome::Decided)
    });
    log.succeed(Outcome::Decided, None);
    log
}

#[test]
fn a_report_of_a_poll_numbers_its_samples_and_speaks_of_no_rounds() {
    let page = agon_report::full_markdown(&minutes(&polled()));
    for part in [
        "## Samples",
        "### Ada, sample 1",
        "### Ben, sample 2",
        "### Ada, sample 3",
        "by plurality vote of the samples: 125: 2 votes, 133: 1 vote; 3 of 4 eligible votes came",
        "split among the samples",
        "| Samples | 4 |",
        "| An answer is | a number; numbers within 2 % are one answer |",
    ] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
    for part in ["opening statement", "Opening statements", "Round", "Turn order", "of the debaters"] {
        assert!(!page.contains(part), "{part} is in\n{page}");
    }
}

#[test]
fn the_page_and_the_terminal_number_samples_as_well() {
    let html = agon_report::html(&minutes(&polled())).unwrap();
    assert!(html.contains("sample 3") && html.contains("Samples") && !html.contains("opening statement"));
    let lines = live(&polled());
    assert!(
        lines.contains("Ada, sample 3") && lines.contains("Samples") && !lines.contains("opening statement"),
        "{lines}"
    );
}
