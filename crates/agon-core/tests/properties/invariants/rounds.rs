//! A log, cut into its rounds and stages.
use crate::events::all;
use agon_core::*;

pub struct Round<'a> {
    pub number: u32,
    pub speakers: &'a [ParticipantId],
    /// Bids to come into the circle, placed before the round was opened.
    pub before: Vec<&'a Event>,
    pub events: Vec<&'a Event>,
    /// Another round or the end of the rounds follows.
    pub complete: bool,
}

/// Seats of the round's own speeches, bids and points, and what became of them.
pub struct RoundStage<'a> {
    pub seats: Vec<&'a Seat>,
    pub speeches: Vec<(&'a Answered, &'a Speech)>,
    pub events: Vec<&'a Event>,
}

pub fn rounds(log: &[Record]) -> Vec<Round<'_>> {
    let mut rounds: Vec<Round<'_>> = Vec::new();
    let mut before = Vec::new();
    let mut over = false;
    for event in all(log) {
        match event {
            Event::RoundOpened { round, speakers, .. } => {
                rounds.iter_mut().for_each(|round| round.complete = true);
                let (number, before) = (*round, std::mem::take(&mut before));
                rounds.push(Round { number, speakers, before, events: Vec::new(), complete: false });
            }
            Event::LoopEnded { .. } => {
                over = true;
                rounds.iter_mut().for_each(|round| round.complete = true);
            }
            Event::Answered(Answered { given: Given::Bid { purpose: BidPurpose::Circle, .. }, .. }) => {
                before.push(event)
            }
            Event::StageOpened { step: Step::Admission, .. } => {}
            event if !over => rounds.last_mut().into_iter().for_each(|round| round.events.push(event)),
            _ => {}
        }
    }
    rounds
}

impl<'a> Round<'a> {
    pub fn stages(&self) -> impl Iterator<Item = (Step, &'a [Seat])> {
        self.events.iter().filter_map(|event| match event {
            Event::StageOpened { step, seats, .. } => Some((*step, seats.as_slice())),
            _ => None,
        })
    }
    pub fn speeches(&self) -> impl Iterator<Item = (&'a Answered, &'a Speech)> {
        self.events.iter().filter_map(|event| event.speech())
    }
    /// The stages of the format itself; seats that joined a stage belong to it.
    pub fn speaking(&self) -> Vec<RoundStage<'a>> {
        let mut stages: Vec<RoundStage<'a>> = Vec::new();
        let mut inside = false;
        for event in &self.events {
            if let Event::StageOpened { step, seats, joins, .. } = event {
                inside = *step == Step::Speaking;
                if inside && !joins {
                    stages.push(RoundStage { seats: seats.iter().collect(), speeches: Vec::new(), events: Vec::new() });
                }
            }
            let Some(stage) = stages.last_mut().filter(|_| inside) else { continue };
            stage.events.push(event);
            stage.speeches.extend(event.speech());
        }
        stages
    }
}

impl<'a> RoundStage<'a> {
    /// The bids of one kind, each with the bidder.
    pub fn bids(&self, wanted: BidPurpose) -> Vec<(&'a ParticipantId, &'a Bid)> {
        let placed = self.events.iter().filter_map(|event| match event {
            Event::Answered(Answered { participant, given: Given::Bid { purpose, bid, .. }, .. })
                if *purpose == wanted =>
            {
                Some((participant, bid))
            }
            _ => None,
        });
        placed.collect()
    }
    /// Whose seat it is, where it is one seat; the first of several else.
    pub fn who(&self) -> &'a ParticipantId {
        &self.seats[0].participant
    }
}
