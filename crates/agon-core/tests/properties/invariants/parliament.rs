//! `bp_style`: the eight benches in order, each by the right persona, and points from the other bench alone.
use super::rounds::Round;
use crate::require;
use agon_core::*;

/// Bench, team and side, written down once more: the order of a British Parliamentary debate.
const BENCHES: [(Bench, usize, bool); 8] = [
    (Bench::PrimeMinister, 0, true),
    (Bench::LeaderOfOpposition, 1, false),
    (Bench::DeputyPrimeMinister, 0, true),
    (Bench::DeputyLeaderOfOpposition, 1, false),
    (Bench::MemberOfGovernment, 2, true),
    (Bench::MemberOfOpposition, 3, false),
    (Bench::GovernmentWhip, 2, true),
    (Bench::OppositionWhip, 3, false),
];

/// What has to follow a speech before the next one.
#[derive(Debug, PartialEq)]
enum Owed {
    Nothing,
    Offers,
    Answer,
}

pub fn check(spec: &DebateSpec, round: &Round<'_>) -> Result<(), String> {
    let n = spec.personas.len();
    let name = |at: usize, team: usize| &spec.personas[if n == 8 { at } else { team }].name;
    let government: Vec<&ParticipantId> =
        BENCHES.iter().enumerate().filter(|(_, bench)| bench.2).map(|(at, bench)| name(at, bench.1)).collect();
    let mut due = BENCHES.into_iter().enumerate();
    let mut speaker: Option<(&ParticipantId, bool)> = None;
    let mut owed = Owed::Nothing;
    for stage in round.speaking() {
        match &stage.seats[0].work {
            Work::Argument { bench, .. } => {
                let Some((at, (next, team, side))) = due.next() else { return Err("a ninth speech".into()) };
                let who = &stage.seats[0].participant;
                require!(*bench == Some(next) && who == name(at, team), "{who} speaks as {bench:?}, {next:?} is due");
                require!(owed == Owed::Nothing, "{who} speaks, and {owed:?} is owed");
                let offered_on = spec.format.points_of_information && !stage.speeches.is_empty();
                (speaker, owed) = (Some((who, side)), if offered_on { Owed::Offers } else { Owed::Nothing });
            }
            Work::Bid { purpose: BidPurpose::Point, .. } => {
                let Some((_, side)) = speaker else { return Err("points without a speech".into()) };
                let rival = |who: &ParticipantId| government.contains(&who) != side;
                require!(owed == Owed::Offers, "points where there are none");
                require!(stage.seats.iter().all(|seat| rival(&seat.participant)), "a point from one's own bench");
                require!(stage.seats.len() == n / 2, "{} were asked for points", stage.seats.len());
                let mut bids = stage.bids(BidPurpose::Point).into_iter().map(|(_, bid)| bid);
                let offered = bids.any(|bid| bid.urgency > 0 && bid.text.is_some());
                owed = if offered { Owed::Answer } else { Owed::Nothing };
            }
            Work::AnswerPoints => {
                let by_speaker = Some(stage.who()) == speaker.map(|(who, _)| who);
                require!(owed == Owed::Answer && by_speaker, "points answered twice, or by another");
                owed = Owed::Nothing;
            }
            other => return Err(format!("{other:?} in parliament")),
        }
        for event in &stage.events {
            if let Event::Answered(Answered { given: Given::Points { points, reply, .. }, .. }) = event {
                let offered = reply.accepts.as_ref().is_none_or(|by| points.iter().any(|point| point.by == *by));
                require!(offered && !points.is_empty(), "a point was taken that nobody offered");
            }
        }
    }
    require!(!round.complete || due.next().is_none(), "fewer than eight speeches");
    require!(!round.complete || owed == Owed::Nothing, "the round is over, and {owed:?} is owed");
    Ok(())
}
