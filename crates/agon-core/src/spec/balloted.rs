//! How private ballots name what wins.
use super::{DebateSpec, Mode};
use crate::ids::ParticipantId;
use crate::tally::same_answer;

impl DebateSpec {
    /// Whether two private ballots are for the same: a proposal's author, or an answer to the topic.
    pub fn same_ballot(&self, one: &str, other: &str) -> bool {
        match self.ballots_on_proposals() {
            true => same_answer(one, other),
            false => self.same_answer(one, other),
        }
    }

    /// What a debater stands for: its stance, in deliberative mode the answer of its last ballot.
    pub fn side_of<'a>(&'a self, debater: &ParticipantId, last_ballot: Option<&'a str>) -> Option<&'a str> {
        match self.mode {
            Mode::Adversarial => self.persona(debater)?.stance.as_deref(),
            Mode::Deliberative => last_ballot,
        }
    }

    /// A winner as private ballots name it. Where debaters stand for election and ballots are about the matter, it is what
    /// the winner stands for; `last_ballot` is the choice of its last ballot.
    pub fn balloted<'a>(&'a self, winner: &'a str, last_ballot: Option<&'a str>) -> Option<&'a str> {
        if self.ballots_on_proposals() || !self.elects_debaters() {
            return Some(winner);
        }
        self.side_of(&winner.into(), last_ballot)
    }
}
