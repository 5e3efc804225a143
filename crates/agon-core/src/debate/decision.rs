//! From judgements and votes to a result. The verdict and the consensus are separate fields.
use super::control::JudgedOrder;
use super::draft::Draft;
use crate::event::Event;
use crate::ids::ParticipantId;
use crate::outcome::{Consensus, ConsensusSource, DebateState, MajorityShift, Outcome, Reason, ReasonCode, Strength};
use crate::spec::{ConsensusStrategy, VoteRule};
use crate::tally::{Tally, count, same_answer, strength, tally};
use crate::task::BallotStage;

/// What the deciders made of it.
struct Decision {
    outcome: Outcome,
    reason: Option<Reason>,
    verdict: Option<String>,
    winner: Option<String>,
    reasoning: Option<String>,
    order_sensitive: bool,
}

impl Draft<'_> {
    /// Ends the debate once all deciders are heard or lost.
    pub fn conclude(&mut self) {
        let decision = match self.strategy() {
            ConsensusStrategy::Judge => self.judged(),
            ConsensusStrategy::Vote => self.voted(),
        };
        match decision {
            Ok(decision) => self.reach(decision),
            Err(reason) => self.end_failed(reason),
        }
    }

    fn judged(&self) -> Result<Decision, Reason> {
        let orders = self.spec().judge.as_ref().map_or(0, |judge| judge.orders);
        let mut heard: Vec<&JudgedOrder> = self.control.judgements.iter().collect();
        heard.sort_by_key(|judged| judged.order);
        let Some(first) = heard.first() else {
            return Err(Reason::with(ReasonCode::JudgeFailed, format!("none of {orders} orders could be judged")));
        };
        if heard.len() < orders as usize {
            let detail = format!("{} of {orders} orders could be judged", heard.len());
            return Ok(Decision::inconclusive(Reason::with(ReasonCode::JudgeIncomplete, detail), false));
        }
        if heard.iter().any(|judged| judged.winner != first.winner) {
            let winners: Vec<&str> =
                heard.iter().map(|judged| judged.winner.as_deref().unwrap_or("a synthesis")).collect();
            let detail = format!("the winner changed with the order of presentation: {}", winners.join(" / "));
            return Ok(Decision::inconclusive(Reason::with(ReasonCode::OrderSensitive, detail), true));
        }
        Ok(Decision {
            outcome: Outcome::Decided,
            reason: None,
            verdict: Some(first.verdict.clone()),
            winner: first.winner.clone(),
            reasoning: Some(first.reasoning.clone()),
            order_sensitive: false,
        })
    }

    fn voted(&mut self) -> Result<Decision, Reason> {
        let rule = self.spec().voting.map_or(VoteRule::Majority, |voting| voting.rule);
        let eligible = u32::try_from(self.spec().personas.len()).unwrap_or(u32::MAX);
        let received = u32::try_from(self.control.votes.len()).unwrap_or(u32::MAX);
        if received == 0 {
            return Err(Reason::with(ReasonCode::NoVotes, format!("none of {eligible} voters could be heard")));
        }
        let candidates = self.candidates();
        let counts = count(candidates.iter().map(String::as_str), self.votes());
        let tally = tally(rule, &counts, eligible);
        let winner = if let Tally::Winner(winner) = &tally { Some(winner.clone()) } else { None };
        self.emit(Event::VoteTallied { rule, counts, eligible, received, winner: winner.clone() });
        Ok(match tally {
            Tally::Winner(_) => Decision { winner, ..Decision::decided() },
            Tally::Tie => Decision { outcome: Outcome::Tie, ..Decision::decided() },
            Tally::RuleNotMet => Decision::inconclusive(
                Reason::with(ReasonCode::RuleNotMet, "no answer met the rule of the vote"),
                false,
            ),
        })
    }

    fn reach(&mut self, decision: Decision) {
        let degraded = decision.outcome == Outcome::Decided && !self.control.missing.is_empty();
        let outcome = if degraded { Outcome::Degraded } else { decision.outcome };
        let consensus = self.consensus(decision.order_sensitive);
        let majority = self.majority_shift(decision.winner.as_deref());
        let moved = self.moved();
        let Decision { verdict, winner, reasoning, reason, .. } = decision;
        self.emit(Event::VerdictReached { outcome, verdict, winner, reasoning, consensus, majority, moved });
        self.end(DebateState::Succeeded, Some(outcome), reason);
    }

    /// How far the voters agree: the votes that decided, else the final private ballots.
    fn consensus(&self, order_sensitive: bool) -> Option<Consensus> {
        let eligible = u32::try_from(self.spec().personas.len()).unwrap_or(u32::MAX);
        let (source, counts) = match self.strategy() {
            ConsensusStrategy::Vote => (ConsensusSource::Votes, count([], self.votes())),
            ConsensusStrategy::Judge => (ConsensusSource::FinalBallots, self.ballot_counts(BallotStage::Final)),
        };
        let shared = matches!(counts.as_slice(), [(_, top), (_, second), ..] if top == second);
        let (answer, top) = counts.into_iter().next()?;
        let answer = (!shared).then_some(answer);
        let strength = strength(top, eligible);
        let contested = order_sensitive && strength != Strength::Unanimous;
        Some(Consensus { answer, top, eligible, strength, contested, source })
    }

    fn ballot_counts(&self, stage: BallotStage) -> Vec<(String, u32)> {
        count([], self.spec().personas.iter().filter_map(|persona| self.ballot_of(stage, &persona.name)))
    }

    /// The votes in declared order of the voters, so that nothing depends on who was faster.
    fn votes(&self) -> impl Iterator<Item = &str> {
        let vote_of = |name: &ParticipantId| self.control.votes.iter().find(|(voter, _)| voter == name);
        self.spec().personas.iter().filter_map(move |persona| Some(vote_of(&persona.name)?.1.as_str()))
    }

    fn majority_shift(&self, winner: Option<&str>) -> MajorityShift {
        let eligible = self.spec().personas.len();
        let counts = self.ballot_counts(BallotStage::Initial);
        let majority = counts.first().filter(|(_, votes)| 2 * (*votes as usize) > eligible);
        match (majority, winner) {
            (Some((held, _)), Some(winner)) if same_answer(held, winner) => MajorityShift::Kept,
            (Some(_), Some(_)) => MajorityShift::Overturned,
            (None, _) | (_, None) => MajorityShift::None,
        }
    }

    /// Whose final ballot differs from the initial one.
    fn moved(&self) -> Vec<ParticipantId> {
        let moved = self.spec().personas.iter().filter(|persona| {
            let before = self.ballot_of(BallotStage::Initial, &persona.name);
            let after = self.ballot_of(BallotStage::Final, &persona.name);
            matches!((before, after), (Some(before), Some(after)) if !same_answer(before, after))
        });
        moved.map(|persona| persona.name.clone()).collect()
    }
}

impl Decision {
    fn decided() -> Self {
        let outcome = Outcome::Decided;
        Self { outcome, reason: None, verdict: None, winner: None, reasoning: None, order_sensitive: false }
    }
    fn inconclusive(reason: Reason, order_sensitive: bool) -> Self {
        Self { outcome: Outcome::Inconclusive, reason: Some(reason), order_sensitive, ..Self::decided() }
    }
}
