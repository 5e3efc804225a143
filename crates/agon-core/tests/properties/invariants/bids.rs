//! Formats and orders in which bids decide who speaks.
use super::rounds::{Round, RoundStage};
use crate::require;
use agon_core::*;
use std::cmp::Reverse;

type Bids<'a> = Vec<(&'a ParticipantId, &'a Bid)>;

/// A stage in which one has the floor, and the bids before it.
struct BidFloor<'a, 'b> {
    bids: Bids<'a>,
    stage: &'b RoundStage<'a>,
}

fn floors<'a, 'b>(stages: &'b [RoundStage<'a>], purpose: BidPurpose) -> Vec<BidFloor<'a, 'b>> {
    let mut bids = Vec::new();
    let mut floors = Vec::new();
    for stage in stages {
        match &stage.seats[0].work {
            Work::Bid { .. } => bids = stage.bids(purpose),
            _ => floors.push(BidFloor { bids: std::mem::take(&mut bids), stage }),
        }
    }
    floors
}

fn highest(bids: &Bids<'_>, but: Option<&ParticipantId>) -> u8 {
    bids.iter().filter(|(who, _)| Some(*who) != but).map(|(_, bid)| bid.urgency).max().unwrap_or(0)
}

/// The highest bid of the others, else one's own; between equal ones who had the floor less, then the order of the file.
fn chosen<'a>(
    spec: &DebateSpec,
    bids: &Bids<'a>,
    holder: Option<&ParticipantId>,
    turns: impl Fn(&ParticipantId) -> usize,
) -> Option<(&'a ParticipantId, &'a Bid)> {
    let place = |who: &ParticipantId| spec.personas.iter().position(|persona| persona.name == *who);
    let mut willing: Bids<'a> = bids.iter().copied().filter(|(_, bid)| bid.urgency > 0).collect();
    willing.sort_by_key(|(who, bid)| (Some(*who) == holder, Reverse(bid.urgency), turns(who), place(who)));
    willing.first().copied()
}

/// How often somebody had the floor.
fn turns(floors: &[BidFloor<'_, '_>], who: &ParticipantId) -> usize {
    floors.iter().filter(|floor| floor.stage.who() == who).count()
}

/// The highest bid of the others speaks, and nobody twice in a row while others bid. Whoever cut a speech speaks next.
pub fn open_fight(spec: &DebateSpec, round: &Round<'_>) -> Result<(), String> {
    let stages = round.speaking();
    let floors = floors(&stages, BidPurpose::Floor);
    let most = 2 * spec.personas.len();
    require!(floors.len() <= most, "{} speeches in a round", floors.len());
    let mut last: Option<&RoundStage<'_>> = None;
    for (at, floor) in floors.iter().enumerate() {
        let BidFloor { bids, stage } = floor;
        let cut = last.and_then(|last| last.speeches.first()).and_then(|(_, speech)| speech.cut_by.as_ref());
        let wanted = match (cut, last) {
            (Some(by), Some(last)) => {
                require!(bids.is_empty(), "bids for a floor that was taken");
                (by, interjection(last))
            }
            _ => {
                let holder = last.map(RoundStage::who);
                let chosen = chosen(spec, bids, holder, |who| turns(&floors[..at], who));
                let Some((who, bid)) = chosen else {
                    return Err(format!("{} has the floor without a bid", stage.who()));
                };
                (who, by_bid(spec, last, (who, bid)))
            }
        };
        let found = (stage.who(), stage.seats[0].work.clone());
        require!(stage.seats.len() == 1 && found == wanted, "{found:?} in round {}, due is {wanted:?}", round.number);
        last = Some(stage);
        if let Some(speech) = stage.speeches.first() {
            was_cut(spec, stage, *speech)?;
        }
    }
    require!(!round.complete || floors.len() == most || nobody_bids(&stages), "round {} is cut short", round.number);
    Ok(())
}

fn interjection(on: &RoundStage<'_>) -> Work {
    Work::Statement { speech: SpeechKind::Interjection, to: Some(on.who().clone()), about: None }
}

/// A speech; an interjection where the bid is high enough to interrupt and another's speech was heard just before.
fn by_bid(spec: &DebateSpec, last: Option<&RoundStage<'_>>, (who, bid): (&ParticipantId, &Bid)) -> Work {
    let heard = last.filter(|last| last.who() != who && !last.speeches.is_empty());
    let speech = heard.filter(|last| matches!(last.seats[0].work, Work::Argument { .. }));
    match speech {
        Some(last)
            if spec.format.interruptions != Interruptions::Off && bid.urgency >= spec.format.interruption_threshold =>
        {
            interjection(last)
        }
        _ => Work::Argument { to: bid.to.clone().filter(|to| to != who), bench: None },
    }
}

/// Whether the last thing in a round is that all were asked and nobody wanted to speak.
fn nobody_bids(stages: &[RoundStage<'_>]) -> bool {
    let Some(last) = stages.last() else { return false };
    match &last.seats[0].work {
        Work::Bid { purpose, .. } => highest(&last.bids(*purpose), None) == 0,
        _ => false,
    }
}

/// A speech is cut only where that may be, after its first half was heard, by one who bid as much as it takes.
fn was_cut(spec: &DebateSpec, stage: &RoundStage<'_>, (said, speech): (&Answered, &Speech)) -> Result<(), String> {
    let Some(by) = &speech.cut_by else { return Ok(()) };
    require!(spec.format.interruptions == Interruptions::MidSpeech, "{} was cut", said.turn);
    let heard = |event: &&&Event| matches!(event, Event::SpeechHeard { turn, .. } if *turn == said.turn);
    require!(stage.events.iter().filter(heard).count() == 1, "{} was cut and not heard", said.turn);
    let bids = stage.bids(BidPurpose::Interruption);
    let own = bids.iter().find(|(who, _)| *who == by).map_or(0, |(_, bid)| bid.urgency);
    require!(own >= spec.format.interruption_threshold && own == highest(&bids, None), "{by} cut with {own}");
    require!(*by != said.participant && !bids.iter().any(|(who, _)| **who == said.participant), "cut by itself");
    Ok(())
}

/// How often one may speak in a round of reactions.
const REACTIONS: usize = 2;

/// One begins, another one each round; then the strongest reaction speaks, and nobody more than twice.
pub fn reactions(spec: &DebateSpec, round: &Round<'_>) -> Result<(), String> {
    let stages = round.speaking();
    let floors = floors(&stages, BidPurpose::Reaction);
    let speakers = round.speakers;
    let mut heard: Option<&ParticipantId> = None;
    for (at, BidFloor { bids, stage }) in floors.iter().enumerate() {
        let (who, work) = match heard {
            None => (&speakers[(round.number as usize - 1 + at) % speakers.len()], Work::ARGUMENT),
            Some(heard) => {
                let chosen = chosen(spec, bids, None, |who| turns(&floors[..at], who));
                let Some((who, bid)) = chosen else { return Err(format!("{} reacted without a bid", stage.who())) };
                let to = bid.to.as_ref().unwrap_or(heard);
                (who, Work::Argument { to: Some(to.clone()).filter(|to| to != who), bench: None })
            }
        };
        let found = (stage.who(), &stage.seats[0].work);
        require!(found == (who, &work), "{found:?} in round {}, due is {who} with {work:?}", round.number);
        require!(heard != Some(who), "{who} reacted to itself");
        heard = stage.speeches.first().map(|(said, _)| &said.participant).or(heard);
    }
    asked_to_react(round, &stages)?;
    require!(
        round
            .speeches()
            .filter(|(_, speech)| speech.kind == SpeechKind::Argument)
            .all(|(said, _)| speakers.contains(&said.participant)),
        "an outsider spoke"
    );
    let may_end = match heard {
        None => floors.len() == speakers.len(),
        Some(heard) => {
            let spent = |who: &ParticipantId| who == heard || turns(&floors, who) >= REACTIONS;
            nobody_bids(&stages) || speakers.iter().all(spent)
        }
    };
    require!(!round.complete || may_end, "round {} is cut short", round.number);
    Ok(())
}

/// All are asked whether they react but who just spoke and who spoke twice.
fn asked_to_react(round: &Round<'_>, stages: &[RoundStage<'_>]) -> Result<(), String> {
    let mut heard: Option<&ParticipantId> = None;
    let mut spoke: Vec<&ParticipantId> = Vec::new();
    for stage in stages {
        if matches!(stage.seats[0].work, Work::Argument { .. }) {
            spoke.push(stage.who());
            heard = stage.speeches.first().map(|(said, _)| &said.participant).or(heard);
            continue;
        }
        let turns = |who: &ParticipantId| spoke.iter().filter(|name| **name == who).count();
        let due = round.speakers.iter().filter(|who| Some(*who) != heard && turns(who) < REACTIONS);
        require!(stage.seats.iter().map(|seat| &seat.participant).eq(due), "others are asked to react than are to");
    }
    Ok(())
}

/// The circle keeps its size; at most one comes in, by the highest bid, for the one who has sat there longest.
pub fn fishbowl(spec: &DebateSpec, rounds: &[Round<'_>]) -> Result<(), String> {
    let size = spec.format.inner_circle as usize;
    let mut sitting: Vec<&ParticipantId> = Vec::new();
    for round in rounds {
        require!(round.speakers.len() == size, "{} in the circle", round.speakers.len());
        let bids: Bids<'_> = round
            .before
            .iter()
            .filter_map(|event| match event {
                Event::Answered(Answered { participant, given: Given::Bid { bid, .. }, .. }) => {
                    Some((participant, bid))
                }
                _ => None,
            })
            .collect();
        let came: Vec<&ParticipantId> = round.speakers.iter().filter(|who| !sitting.contains(who)).collect();
        if round.number > 1 {
            require!(bids.iter().all(|(who, _)| !sitting.contains(who)), "a bid from inside the circle");
            let due = chosen(spec, &bids, None, |_| 0).map(|(who, _)| who);
            require!(came.iter().copied().eq(due), "{came:?} came into the circle, due was {due:?}");
            require!(due.is_none() || !round.speakers.contains(sitting[0]), "{} sat longest and stayed", sitting[0]);
        } else {
            let first = spec.personas.iter().take(size).all(|persona| round.speakers.contains(&persona.name));
            require!(first, "others than the first personas begin: {:?}", round.speakers);
        }
        sitting.retain(|who| round.speakers.contains(who));
        sitting.extend(came);
        for (said, _) in round.speeches().filter(|(_, speech)| speech.kind == SpeechKind::Argument) {
            require!(round.speakers.contains(&said.participant), "{} spoke from outside", said.participant);
        }
    }
    Ok(())
}
