//! What votes come to.
use super::super::apply::voters;
use super::super::control::CastVote;
use super::super::draft::Draft;
use super::Decision;
use crate::event::{Event, VoterWeight};
use crate::ids::ParticipantId;
use crate::outcome::{Outcome, Reason, ReasonCode};
use crate::spec::BallotForm;
use crate::tally::{Race, Tally, borda, count, count_by, mean_totals, tally, weight, weighted};

impl Draft<'_> {
    pub(super) fn voted(&mut self) -> Result<Decision, Reason> {
        let rule = self.vote_rule();
        let eligible = self.eligible_votes();
        let received = match rule.form() {
            BallotForm::Scores => self.control.scores.len(),
            BallotForm::Single | BallotForm::Ranking | BallotForm::Approval => self.control.votes.len(),
        };
        let received = if self.spec().is_poll() { self.samples().count() } else { received };
        let received = u32::try_from(received).unwrap_or(u32::MAX);
        if received == 0 {
            return Err(Reason::with(ReasonCode::NoVotes, format!("none of {eligible} voters could be heard")));
        }
        let weights = self.weights();
        let counts = self.vote_counts(&weights);
        let whole = if weights.is_empty() { eligible } else { self.whole_weight(&weights, eligible) };
        let tally = tally(rule, &counts, whole);
        let winner = if let Tally::Winner(winner) = &tally { Some(winner.clone()) } else { None };
        self.emit(Event::VoteTallied { rule: Some(rule), counts, weights, eligible, received, winner: winner.clone() });
        Ok(match tally {
            Tally::Winner(_) => Decision { winner, ..Decision::decided() },
            Tally::Tie => Decision { outcome: Outcome::Tie, ..Decision::decided() },
            Tally::RuleNotMet => Decision::inconclusive(Reason::of(ReasonCode::RuleNotMet), false),
        })
    }

    /// Votes that could have been cast: one for each voter, in each round where every round votes; in a poll one for each sample.
    pub(super) fn eligible_votes(&self) -> u32 {
        if self.spec().is_poll() {
            return self.spec().format.samples;
        }
        let voters = u32::try_from(voters(self.spec()).len()).unwrap_or(u32::MAX);
        let every_round = self.spec().voting.is_some_and(|voting| voting.every_round);
        if every_round { voters.saturating_mul(self.control.rounds_held) } else { voters }
    }

    /// The votes by round and declared order of the voters, so that nothing depends on who was faster.
    fn in_order(&self) -> Vec<&CastVote> {
        let voters = voters(self.spec());
        let place = |vote: &CastVote| voters.iter().position(|(voter, _)| *voter == vote.voter);
        let mut votes: Vec<&CastVote> = self.control.votes.iter().collect();
        votes.sort_by_key(|vote| (vote.round, place(vote)));
        votes
    }

    /// What each vote names first.
    pub(super) fn choices(&self) -> Vec<String> {
        let samples = self.samples().map(str::to_owned);
        samples.chain(self.in_order().into_iter().map(|vote| vote.choice.clone())).collect()
    }

    fn vote_counts(&self, weights: &[VoterWeight]) -> Vec<(String, u32)> {
        let candidates = self.candidates();
        let votes = self.in_order();
        let names = || candidates.iter().map(String::as_str);
        if self.spec().is_poll() {
            return count_by(names(), self.samples(), |one, other| self.spec().same_answer(one, other));
        }
        match self.vote_rule().form() {
            BallotForm::Single if weights.is_empty() => count(names(), votes.iter().map(|vote| vote.choice.as_str())),
            BallotForm::Approval => {
                count(names(), votes.iter().flat_map(|vote| vote.choices.iter().map(String::as_str)))
            }
            BallotForm::Ranking => {
                let rankings: Vec<Vec<String>> = votes.iter().map(|vote| vote.choices.clone()).collect();
                borda(&candidates, &rankings)
            }
            BallotForm::Single => {
                let of = |voter: &ParticipantId| {
                    weights.iter().find(|weight| weight.voter == *voter).map_or(0, |weight| weight.thousandths)
                };
                weighted(names(), votes.iter().map(|vote| (vote.choice.as_str(), of(&vote.voter))))
            }
            BallotForm::Scores => {
                let given = self.control.scores.iter().flat_map(|(_, scores)| scores);
                mean_totals(names(), given.map(|given| (given.debater.as_str(), given.score.total())))
            }
        }
    }

    /// How much each voter's vote weighs; empty where all weigh the same.
    fn weights(&self) -> Vec<VoterWeight> {
        if !self.vote_rule().is_weighted() {
            return Vec::new();
        }
        let voters = voters(self.spec());
        let ratings = &self.admission.ratings;
        let weigh = |voter: ParticipantId| {
            let (persona, rated) = (self.spec().persona(&voter), ratings.get(&voter).copied());
            let confidence =
                self.control.votes.iter().find(|vote| vote.voter == voter).and_then(|vote| vote.confidence);
            let confidence = confidence.filter(|_| self.spec().answers.weigh_by_confidence);
            weight(voter, persona, rated).at(confidence)
        };
        voters.into_iter().map(|(voter, _)| weigh(voter)).collect()
    }

    /// The weight of all votes that could have been cast.
    fn whole_weight(&self, weights: &[VoterWeight], eligible: u32) -> u32 {
        let once: u32 = weights.iter().map(|weight| weight.thousandths).fold(0, u32::saturating_add);
        let times = eligible.checked_div(u32::try_from(weights.len()).unwrap_or(u32::MAX)).unwrap_or(1);
        once.saturating_mul(times.max(1))
    }

    /// Whether the votes of the rounds that may still come cannot change the winner.
    pub fn is_mathematically_decided(&self) -> bool {
        let Some(voting) = self.spec().voting.filter(|voting| voting.every_round) else { return false };
        let rounds_left = self.spec().max_rounds.saturating_sub(self.control.rounds_held);
        let weights = self.weights();
        let counts = self.vote_counts(&weights);
        let Some((_, top)) = counts.first() else { return false };
        let second = counts.iter().skip(1).map(|(_, votes)| *votes).max().unwrap_or(0);
        let voters = u32::try_from(voters(self.spec()).len()).unwrap_or(u32::MAX);
        let once = if weights.is_empty() { voters } else { self.whole_weight(&weights, voters) };
        let race = Race {
            top: *top,
            second,
            candidates: counts.len(),
            once,
            held: self.control.rounds_held,
            left: rounds_left,
        };
        rounds_left > 0 && race.is_decided(voting.rule)
    }
}
