//! A debate of ten, with a panel that ranks.
use crate::log::{Log, ReachedVerdict, admitted, persona, spec};
use agon_core::*;

/// Ten debaters with stances of different lengths, three rounds, three judges who rank in two orders.
pub fn big() -> Log {
    let names = ["Ada", "Abe", "Bruno", "Chioma", "Dmitri Volkonsky", "Eszter", "Farid", "Grace", "Hana", "Ivo"];
    let stances = [
        "Invest now",
        "Wait a year",
        "Rent the capacity of the school kitchen on Saturdays until the landlord has signed",
    ];
    let cast = names.iter().enumerate().map(|(n, name)| persona(name, Some(stances[n % 3]), "Has a view")).collect();
    let mut spec = spec("Should a bakery of nine people buy a second deck oven this year?", cast);
    (spec.consensus_strategy, spec.moderator) = (ConsensusStrategy::RankedReasons, None);
    spec.judge.as_mut().unwrap().panel = 3;
    let mut log = admitted(spec);
    log.phase(PhaseName::InitialBallots);
    for (n, who) in names.iter().enumerate() {
        log.ballot(0, BallotStage::Initial, who, stances[n % 3], "A first thought");
    }
    log.phase(PhaseName::Rounds);
    for round in 1..=2 {
        log.round(round, &names);
        for (n, who) in names.iter().enumerate() {
            let other = names[(n * 3 + round as usize) % 10];
            let third = names[(n + 1) % 10];
            let text = format!(
                "{other} leaves out what the customers buy with the loaf, and {third} does not say where the figures are from. The till says that the average basket on a Saturday is 7.40, and forty of them are 296 a week.\n\nI would be wrong if the queue were a fashion, but it has been there for two winters."
            );
            log.speak(round, who, SpeechKind::Argument, &text);
        }
    }
    log.stop(StopRule::MaxRounds, 2);
    log.phase(PhaseName::FinalBallots);
    for (n, who) in names.iter().enumerate() {
        log.ballot(3, BallotStage::Final, who, stances[if n < 6 { 0 } else { n % 3 }], "In the end");
    }
    log.phase(PhaseName::Decision);
    let ranked = |order: [usize; 3]| {
        order
            .map(|n| Ranked {
                candidate: stances[n].to_owned(),
                reason: "It answers the lease, and the queue as well.".to_owned(),
            })
            .to_vec()
    };
    for (judge, order, ranking) in [
        (JUDGE, 0, [0, 1, 2]),
        (JUDGE, 1, [0, 2, 1]),
        ("judge-2", 0, [0, 1, 2]),
        ("judge-2", 1, [0, 1, 2]),
        ("judge-3", 0, [2, 0, 1]),
        ("judge-3", 1, [2, 0, 1]),
    ] {
        log.rank(3, judge, order, ranked(ranking));
    }
    let counts = [(0, 10), (2, 5), (1, 3)].map(|(n, points)| (stances[n].to_owned(), points)).to_vec();
    log.push(Event::VoteTallied {
        rule: None,
        counts,
        weights: Vec::new(),
        eligible: 6,
        received: 6,
        winner: Some(stances[0].to_owned()),
    });
    log.verdict(ReachedVerdict {
        winner: Some(stances[0].to_owned()),
        reasoning: Some("It answers the lease, and the queue as well.".to_owned()),
        consensus: Some(Consensus {
            answer: Some(stances[0].to_owned()),
            top: 7,
            eligible: 10,
            strength: Strength::Strong,
            contested: false,
            source: ConsensusSource::FinalBallots,
        }),
        moved: ["Abe", "Bruno", "Dmitri Volkonsky", "Eszter"].map(ParticipantId::from).to_vec(),
        ..ReachedVerdict::of(Outcome::Decided)
    });
    log.succeed(Outcome::Decided, None);
    log
}
