//! Everybody scores everybody else: who stands on a sheet, and what comes of it.
use crate::hold::{admission, hold, speech, votes};
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
