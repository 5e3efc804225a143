//! Everybody scores everybody else: who stands on a sheet, and what comes of it.
use crate::hold::{admission, choice, hold, judged, judgement, open_judge, speech, votes};
use agon_core::testing::voting;
use agon_core::*;

fn scores(spec: &mut DebateSpec) {
    votes(spec, Voting { self_votes: SelfVotes::Exclude, ..voting(VoteRule::AnonymousScoring) });
}

/// What came of the scores.
struct Scored {
    /// Who scored whom.
    sheets: Vec<(String, Vec<String>)>,
    means: Vec<(String, u32)>,
    winner: Option<String>,
    events: Vec<Event>,
}

/// Holds a debate in which `given` is what a debater (second) gets from another (first) on each of the four scales.
fn scored(asked: Admission, given: impl Fn(&str, &str) -> u8) -> Scored {
    let mut sheets = Vec::new();
    let events = hold(asked, |ask| match &ask.task.work {
        Work::ScoreDebaters => {
            let debaters = ask.task.material.debaters();
            let mut sheet: Vec<String> = debaters.iter().map(|(name, _)| name.to_string()).collect();
            sheet.sort();
            sheets.push((ask.participant.to_string(), sheet));
            let score = |name: &ParticipantId| {
                let n = given(ask.participant.as_str(), name.as_str());
                let score = Score { clarity: n, evidence: n, originality: n, on_topic: n };
                DebaterScore { debater: name.clone(), score }
            };
            Some(Answer::DebaterScores(debaters.iter().map(|(name, _)| score(name)).collect()))
        }
        Work::Bid { .. } => Some(Answer::Bid(Bid { urgency: 5, ..Bid::default() })),
        Work::OpenRound => {
            let next_speakers = vec!["P1".into(), "P0".into(), "P2".into()];
            Some(Answer::RoundPlan(RoundPlan { next_speakers, ..RoundPlan::default() }))
        }
        _ => Some(speech("1. Claim: so\n2. Evidence: it is\n3. Inference: thus\n4. Conclusion: so")),
    });
    let counted = events.iter().find_map(|event| match event {
        Event::VoteTallied { counts, winner, .. } => Some((counts.clone(), winner.clone())),
        _ => None,
    });
    let (means, winner) = counted.expect("the scores were counted");
    Scored { sheets, means, winner, events }
}

fn means(wanted: &[(&str, u32)]) -> Vec<(String, u32)> {
    wanted.iter().map(|(name, mean)| ((*name).to_owned(), *mean)).collect()
}

fn sheet(voter: &str, of: &[&str]) -> (String, Vec<String>) {
    (voter.to_owned(), of.iter().map(ToString::to_string).collect())
}

#[test]
fn whoever_speaks_first_in_the_very_last_speech_is_scored_and_can_win() {
    let forms: [fn(&mut DebateSpec); 5] = [
        |_| {},
        |spec| spec.visibility = Visibility::Simultaneous,
        |spec| spec.debate_format = DebateFormat::ChainOfThought,
        |spec| {
            let opens = Moderator { closes: false, ..testing::moderator() };
            (spec.turn_mode, spec.moderator) = (TurnMode::Moderator, Some(opens));
        },
        |spec| {
            (spec.debate_format, spec.max_rounds) = (DebateFormat::Fishbowl, 2);
            spec.format.inner_circle = 2;
        },
    ];
    for (at, form) in forms.into_iter().enumerate() {
        let asked = admission(3, |spec| {
            scores(spec);
            form(spec);
        });
        let each =
            |_: &str, of: &str| [("P0", 5), ("P1", 3), ("P2", 7)].into_iter().find(|(name, _)| *name == of).unwrap().1;
        let found = scored(asked, each);
        let sheets = [sheet("P0", &["P1", "P2"]), sheet("P1", &["P0", "P2"]), sheet("P2", &["P0", "P1"])];
        assert_eq!(found.sheets, sheets, "{at}");
        // 4 scales of 7, 5 and 3, in thousandths
        assert_eq!(found.means, means(&[("P2", 28_000), ("P0", 20_000), ("P1", 12_000)]), "{at}");
        assert_eq!(found.winner.as_deref(), Some("P2"), "{at}");
    }
}

/// Three debaters of whom those on the left are hidden from those on the right.
fn masked(hidden: &[(usize, &str)]) -> Admission {
    admission(3, |spec| {
        scores(spec);
        spec.memory = Memory::PersonaMasking;
        for (at, from) in hidden {
            spec.personas[*at].hidden_from.push((*from).into());
        }
    })
}

/// P0 gives P1 6 and P2 1 on each scale; P1 gives P0 5 and P2 7; P2 gives P0 8 and P1 3.
fn given(by: &str, of: &str) -> u8 {
    let all = [("P0", "P1", 6), ("P0", "P2", 1), ("P1", "P0", 5), ("P1", "P2", 7), ("P2", "P0", 8), ("P2", "P1", 3)];
    all.into_iter().find(|(voter, scored, _)| (*voter, *scored) == (by, of)).unwrap().2
}

#[test]
fn who_may_not_see_a_debater_does_not_score_it_and_that_is_no_zero() {
    let found = scored(masked(&[(2, "P0")]), given);
    assert_eq!(found.sheets, [sheet("P0", &["P1"]), sheet("P1", &["P0", "P2"]), sheet("P2", &["P0", "P1"])]);
    // P2: 28 from P1 alone; P0: (20 + 32) / 2; P1: (24 + 12) / 2
    assert_eq!(found.means, means(&[("P2", 28_000), ("P0", 26_000), ("P1", 18_000)]));
    assert_eq!(found.winner.as_deref(), Some("P2"));
}

#[test]
fn whom_nobody_may_see_has_no_mean() {
    let found = scored(masked(&[(2, "P0"), (2, "P1")]), given);
    assert_eq!(found.sheets, [sheet("P0", &["P1"]), sheet("P1", &["P0"]), sheet("P2", &["P0", "P1"])]);
    // P0: (20 + 32) / 2; P1: (24 + 12) / 2
    assert_eq!(found.means, means(&[("P0", 26_000), ("P1", 18_000)]));
}

#[test]
fn who_may_see_nobody_is_not_asked_and_is_not_missing() {
    let found = scored(masked(&[(1, "P0"), (2, "P0")]), given);
    assert_eq!(found.sheets, [sheet("P1", &["P0", "P2"]), sheet("P2", &["P0", "P1"])]);
    // P2: 28 from P1; P0: (20 + 32) / 2; P1: 12 from P2
    assert_eq!(found.means, means(&[("P2", 28_000), ("P0", 26_000), ("P1", 12_000)]));
    let skipped = |event: &&Event| matches!(event, Event::SeatSkipped { participant, reason: SkipReason::NothingToScore, .. } if participant.as_str() == "P0");
    assert_eq!(found.events.iter().filter(skipped).count(), 1);
    let tallied = |event: &&Event| matches!(event, Event::VoteTallied { eligible: 3, received: 2, .. });
    assert_eq!(found.events.iter().filter(tallied).count(), 1);
    let decided = |event: &&Event| matches!(event, Event::VerdictReached { outcome: Outcome::Decided, .. });
    assert_eq!(found.events.iter().filter(decided).count(), 1);
}

#[test]
fn no_point_is_offered_on_a_hidden_speech_nor_to_one_who_may_not_hear_it() {
    let bidders = |hidden: &[(usize, &str)]| {
        let asked = admission(4, |spec| {
            (spec.debate_format, spec.max_rounds) = (DebateFormat::BpStyle, 1);
            for (at, persona) in spec.personas.iter_mut().enumerate() {
                let bench = Bench::ALL.into_iter().find(|bench| bench.speaker(4) == at).unwrap();
                persona.stance = Some(Bench::TEAMS[bench.team()].into());
            }
            for (at, from) in hidden {
                spec.memory = Memory::PersonaMasking;
                spec.personas[*at].hidden_from.push((*from).into());
            }
        });
        let mut bidders = Vec::new();
        let events = hold(asked, |ask| match &ask.task.work {
            Work::Bid { on: Some(on), .. } => {
                bidders.push((on.to_string(), ask.participant.to_string()));
                Some(Answer::Bid(Bid::default()))
            }
            _ => Some(speech("so")),
        });
        assert_eq!(events.iter().filter(|event| event.speech().is_some()).count(), 8);
        bidders.dedup();
        bidders
    };
    let of = |bidders: &[(String, String)], on: &str, by: &str| bidders.contains(&(on.to_owned(), by.to_owned()));
    let open = bidders(&[]);
    assert!(of(&open, "P0", "P1") && of(&open, "P1", "P0"));
    for hidden in [(0, "P1"), (1, "P0")] {
        let masked = bidders(&[hidden]);
        assert!(!of(&masked, "P0", "P1") && !of(&masked, "P1", "P0"), "{hidden:?}");
        assert!(of(&masked, "P0", "P3"), "{hidden:?}");
    }
}

/// Three debaters who are all scored as in [`given`] beside the decision; who is in `lost` gives no scores. Whoever judges names P1's
/// stance, and whoever votes does too.
fn beside(lost: &[&str], change: impl FnOnce(&mut DebateSpec)) -> Vec<Event> {
    let asked = admission(3, |spec| {
        spec.scoring = Scoring::Anonymous;
        change(spec);
    });
    hold(asked, |ask| match &ask.task.work {
        Work::ScoreDebaters if lost.contains(&ask.participant.as_str()) => None,
        Work::ScoreDebaters => {
            let score = |(name, _): &(ParticipantId, String)| {
                let n = given(ask.participant.as_str(), name.as_str());
                let score = Score { clarity: n, evidence: n, originality: n, on_topic: n };
                DebaterScore { debater: name.clone(), score }
            };
            Some(Answer::DebaterScores(ask.task.material.debaters().iter().map(score).collect()))
        }
        Work::Judge { .. } => Some(judgement(Some("s1".into()), Vec::new())),
        Work::Vote => Some(choice("s1")),
        _ => Some(speech("so")),
    })
}

/// The means of the scores in a log.
fn means_of(events: &[Event]) -> Vec<(String, u32)> {
    let scores = events.iter().filter_map(|event| match event {
        Event::Answered(Answered { given: Given::DebaterScores { scores }, .. }) => Some(scores),
        _ => None,
    });
    let totals = scores.flatten().map(|one| (one.debater.as_str(), one.score.total()));
    agon_core::tally::mean_totals(["P0", "P1", "P2"], totals)
}

#[test]
fn scores_beside_any_strategy_decide_nothing() {
    let changes: [fn(&mut DebateSpec); 5] = [
        |spec| judged(spec, open_judge()),
        |spec| votes(spec, voting(VoteRule::Majority)),
        |spec| votes(spec, Voting { every_round: true, ..voting(VoteRule::Majority) }),
        |_| {},
        |spec| {
            spec.consensus_strategy = ConsensusStrategy::AgentClosing;
            spec.phases.final_statements = true;
        },
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let (outcome, winner) = if at < 3 { (Outcome::Decided, Some("s1")) } else { (Outcome::Inconclusive, None) };
        let events = beside(&[], change);
        // P0: (20 + 32) / 2; P1: (24 + 12) / 2; P2: (4 + 28) / 2
        assert_eq!(means_of(&events), means(&[("P0", 26_000), ("P1", 18_000), ("P2", 16_000)]), "{at}");
        let verdict = events.iter().find_map(|event| match event {
            Event::VerdictReached { outcome, winner, .. } => Some((*outcome, winner.as_deref())),
            _ => None,
        });
        assert_eq!(verdict, Some((outcome, winner)), "{at}");
        let by_scores =
            |event: &Event| matches!(event, Event::VoteTallied { rule: Some(rule), .. } if rule.is_scored());
        assert!(!events.iter().any(by_scores), "{at}");
    }
}

#[test]
fn scores_that_decide_nothing_are_not_missed() {
    let changes: [fn(&mut DebateSpec); 2] = [|_| {}, |spec| spec.on_turn_failure = OnTurnFailure::Abort];
    for change in changes {
        let events = beside(&["P0"], |spec| {
            judged(spec, open_judge());
            change(spec);
        });
        // without those of P0: P0 (20 + 32) / 2; P1 12; P2 28
        assert_eq!(means_of(&events), means(&[("P2", 28_000), ("P0", 26_000), ("P1", 12_000)]));
        let Some(Event::DebateEnded { outcome, missing_seats, .. }) = events.last() else { panic!("no end") };
        assert_eq!((*outcome, missing_seats.len()), (Some(Outcome::Decided), 0));
    }
}
