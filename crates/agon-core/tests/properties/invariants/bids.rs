//! Formats and orders in which bids decide who speaks.
use super::rounds::{Round, Stage};
use crate::require;
use agon_core::*;

/// Speeches of the stages, each with the bids before it: who, by what work, and the stage.
fn floors<'a, 'b>(stages: &'b [Stage<'a>], purpose: BidPurpose) -> Vec<(Vec<(&'b ParticipantId, u8)>, &'b Stage<'a>)> {
    let mut bids = Vec::new();
    let mut floors = Vec::new();
    for stage in stages {
        match &stage.seats[0].work {
            Work::Bid { .. } => bids = stage.bids(purpose),
            _ => floors.push((std::mem::take(&mut bids), stage)),
        }
    }
    floors
}

fn highest(bids: &[(&ParticipantId, u8)], but: Option<&ParticipantId>) -> u8 {
    bids.iter().filter(|(who, _)| Some(*who) != but).map(|(_, urgency)| *urgency).max().unwrap_or(0)
}

/// The highest bid of the others speaks, and nobody twice in a row while others bid. Whoever cut a speech speaks next.
pub fn open_fight(spec: &DebateSpec, round: &Round<'_>) -> Result<(), String> {
    let stages = round.speaking();
    let floors = floors(&stages, BidPurpose::Floor);
    require!(floors.len() <= 2 * spec.personas.len(), "{} speeches in a round", floors.len());
    let mut holder: Option<&ParticipantId> = None;
    let mut cut: Option<&ParticipantId> = None;
    for (bids, stage) in &floors {
        let who = &stage.seats[0].participant;
        if let Some(cut) = cut.take() {
            require!(cut == who, "{cut} cut a speech, and {who} spoke");
            require!(bids.is_empty(), "bids for a floor that was taken");
        } else {
            let others = highest(bids, holder);
            let own = bids.iter().find(|(bidder, _)| bidder == &who).map_or(0, |(_, urgency)| *urgency);
            require!(own > 0, "{who} has the floor without a bid");
            require!(
                if Some(who) == holder { others == 0 } else { own == others },
                "{who} has the floor at {own}, others bid {others}"
            );
        }
        holder = Some(who);
        if let Some(speech) = stage.speeches.first() {
            cut = speech.cut_by.as_ref();
            was_cut(spec, stage, speech)?;
        }
    }
    Ok(())
}

/// A speech is cut only where that may be, after its first half was heard, by one who bid as much as it takes.
fn was_cut(spec: &DebateSpec, stage: &Stage<'_>, speech: &Speech) -> Result<(), String> {
    let Some(by) = &speech.cut_by else { return Ok(()) };
    require!(spec.format.interruptions == Interruptions::MidSpeech, "{} was cut", speech.turn);
    let heard = |event: &&&Event| matches!(event, Event::SpeechHeard { turn, .. } if *turn == speech.turn);
    require!(stage.events.iter().filter(heard).count() == 1, "{} was cut and not heard", speech.turn);
    let bids = stage.bids(BidPurpose::Interruption);
    let own = bids.iter().find(|(who, _)| *who == by).map_or(0, |(_, urgency)| *urgency);
    require!(own >= spec.format.interruption_threshold && own == highest(&bids, None), "{by} cut with {own}");
    require!(*by != speech.participant && !bids.iter().any(|(who, _)| **who == speech.participant), "cut by itself");
    Ok(())
}

/// The strongest reaction speaks, and nobody more than twice.
pub fn reactions(round: &Round<'_>) -> Result<(), String> {
    let stages = round.speaking();
    let floors = floors(&stages, BidPurpose::Reaction);
    let mut heard: Option<&ParticipantId> = None;
    for (bids, stage) in &floors {
        let who = &stage.seats[0].participant;
        let turns = floors.iter().filter(|(_, other)| other.seats[0].participant == *who).count();
        require!(turns <= 2, "{who} spoke {turns} times");
        if let Some(heard) = heard {
            let own = bids.iter().find(|(bidder, _)| bidder == &who).map_or(0, |(_, urgency)| *urgency);
            require!(own > 0 && own == highest(bids, None), "{who} reacted with {own}");
            require!(who != heard, "{who} reacted to itself");
        }
        heard = stage.speeches.first().map(|speech| &speech.participant).or(heard);
    }
    require!(
        round
            .speeches()
            .filter(|one| one.kind == SpeechKind::Argument)
            .all(|one| round.speakers.contains(&one.participant)),
        "an outsider spoke"
    );
    Ok(())
}

/// The circle keeps its size; at most one comes in, by the highest bid, for the one who has sat there longest.
pub fn fishbowl(spec: &DebateSpec, rounds: &[Round<'_>]) -> Result<(), String> {
    let mut sitting: Vec<&ParticipantId> = Vec::new();
    for round in rounds {
        require!(round.speakers.len() == spec.format.inner_circle as usize, "{} in the circle", round.speakers.len());
        let bids: Vec<(&ParticipantId, u8)> = round
            .before
            .iter()
            .filter_map(|event| match event {
                Event::BidPlaced { participant, bid, .. } => Some((participant, bid.urgency)),
                _ => None,
            })
            .collect();
        let came: Vec<&ParticipantId> = round.speakers.iter().filter(|who| !sitting.contains(who)).collect();
        if round.number > 1 {
            require!(came.len() <= 1, "{} came into the circle", came.len());
            require!(bids.iter().all(|(who, _)| !sitting.contains(who)), "a bid from inside the circle");
            let highest = highest(&bids, None);
            require!((highest > 0) == (came.len() == 1), "the highest bid is {highest}, and {} came", came.len());
            for who in &came {
                require!(bids.contains(&(*who, highest)), "{who} came in, and {highest} was bid");
                require!(!round.speakers.contains(sitting[0]), "{} sat longest and stayed", sitting[0]);
            }
        }
        sitting.retain(|who| round.speakers.contains(who));
        sitting.extend(came);
        for speech in round.speeches().filter(|speech| speech.kind == SpeechKind::Argument) {
            require!(round.speakers.contains(&speech.participant), "{} spoke from outside", speech.participant);
        }
    }
    Ok(())
}
