//! What is told of the moderator's decisions.
use crate::shown::{live, minutes};
use crate::{log::admitted, scenes};
use agon_core::*;
use agon_report::{full_markdown, html};

/// The same round in Markdown, in HTML and on the terminal.
fn told(turn_mode: TurnMode, decision: ModeratorDecision) -> [String; 3] {
    let mut log = admitted(DebateSpec { turn_mode, ..scenes::pair() });
    log.phase(PhaseName::Rounds).moderate(1, decision).round(1, &["Ada", "Bruno"]);
    let minutes = minutes(&log);
    [full_markdown(&minutes), html(&minutes).unwrap(), live(&log)]
}

#[test]
fn a_moderator_calls_nobody_only_where_it_chooses_the_speakers() {
    let opens = |done| ModeratorDecision::Opens(RoundPlan { done, ..RoundPlan::default() });
    for mode in [TurnMode::RoundRobin, TurnMode::Random, TurnMode::PriorityOrder, TurnMode::ReactionTriggered] {
        for done in [false, true] {
            for text in told(mode, opens(done)) {
                assert!(text.contains("opens the round") && !text.contains("calls nobody"), "{mode:?}: {text}");
            }
        }
    }
    for text in told(TurnMode::Moderator, opens(true)) {
        assert!(text.contains("calls nobody"), "{text}");
    }
}

#[test]
fn the_decision_of_a_moderator_stands_wherever_its_closing_does() {
    let (summary, decision) = ("They differ by a year.".to_owned(), Some("Rent first, then buy.".to_owned()));
    let closes = RoundSummary { summary, status: RoundStatus::Settled, decision, vote_now: true };
    for text in told(TurnMode::RoundRobin, ModeratorDecision::Closes(closes)) {
        assert!(text.contains("They differ by a year.") && text.contains("Rent first, then buy."), "{text}");
        assert!(text.to_lowercase().contains("it calls the vote"), "{text}");
    }
}
