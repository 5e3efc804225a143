//! Reports of debates that a gate decided on.
use crate::log::{Log, ReachedVerdict, admitted, persona, spec};
use crate::shown::{live, minutes};
use agon_core::gate::{GateFeatures, GateReason};
use agon_core::*;
use agon_report::{DebateResult, full_markdown, html};

fn decided(skip: bool, reason: GateReason, cast: u32) -> Event {
    let features = GateFeatures { top_share: Some(1.0), answers: Some(1.0), ..GateFeatures::default() };
    Event::GateDecided { features, eligible: 3, cast, score: Some(0.25), skip, reason }
}

fn gated() -> Log {
    let names = ["Ada", "Ben", "Cleo"];
    let cast = names.map(|name| persona(name, None, "Reads the bill")).to_vec();
    let mut spec = spec("Should the bakery buy the oven?", cast);
    (spec.mode, spec.debate) = (Mode::Deliberative, DebateWhen::IfContested);
    spec.gate.explore = 0.05;
    let mut log = admitted(spec);
    log.phase(PhaseName::InitialBallots);
    for name in names {
        log.ballot(0, BallotStage::Initial, name, "Rent it", "It is cheaper");
    }
    log
}

pub fn skipped() -> Log {
    let mut log = gated();
    log.push(decided(true, GateReason::Rule, 3));
    log.stop(StopRule::NotContested, 0);
    log.verdict(ReachedVerdict {
        winner: Some("Rent it".to_owned()),
        consensus: Some(Consensus {
            answer: Some("Rent it".to_owned()),
            top: 3,
            eligible: 3,
            strength: Strength::Unanimous,
            contested: false,
            source: ConsensusSource::FirstBallots,
        }),
        ..ReachedVerdict::of(Outcome::Decided)
    });
    log.succeed(Outcome::Decided, None);
    log
}

#[test]
fn a_report_of_a_skipped_debate_says_who_decided_and_why_no_round_was_held() {
    let log = skipped();
    let page = full_markdown(&minutes(&log));
    let why = "skipped: the first ballots were not contested enough for a debate (3 of 3 ballots cast; score 0.250)";
    for part in [
        "by the first ballots, which were not contested enough for a debate; no round was held, and no judge was asked",
        "unanimous among the debaters: 3 of 3 eligible voters for “Rent it”",
        "skipped where all debaters, three at least, cast the same ballot; 5.0 % of those are held all the same",
    ] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
    assert!(!page.contains("by the judge"), "{page}");
    let html = html(&minutes(&log)).unwrap();
    assert!(html.contains("no round was held") && html.contains(why));
    assert!(live(&log).contains(&format!("gate: {why}")));
    let result = serde_json::to_value(DebateResult::of(&minutes(&log))).unwrap();
    assert_eq!((&result["gate"]["skip"], &result["gate"]["reason"]), (&true.into(), &"rule".into()));
}

#[test]
fn a_debate_that_is_held_names_the_reason() {
    for (reason, cast, why) in [
        (GateReason::Rule, 3, "held: the first ballots were contested (3 of 3"),
        (GateReason::BallotFailed, 2, "held: a ballot failed (2 of 3"),
        (GateReason::Explored, 3, "held: the rule would skip it, and it was drawn"),
    ] {
        let mut log = gated();
        log.push(decided(false, reason, cast));
        assert!(live(&log).contains(why), "{}", live(&log));
    }
    let result = serde_json::to_value(DebateResult::of(&minutes(&gated()))).unwrap();
    assert!(result.get("gate").is_none());
}
