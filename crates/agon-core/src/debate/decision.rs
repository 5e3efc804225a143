//! From judgements and votes to a result. The verdict and the consensus are separate fields.
mod dissent;
mod judged;
mod voted;

use super::draft::Draft;
use crate::answer::RoundSummary;
use crate::event::Event;
use crate::gate::eligible;
use crate::ids::ParticipantId;
use crate::outcome::{Consensus, ConsensusSource, MajorityShift, Outcome, Reason, ReasonCode, Strength};
use crate::spec::{ConsensusStrategy, VoteRule};
use crate::tally::{count_by, strength};
use crate::task::BallotStage;

/// What the deciders made of it.
struct Decision {
    outcome: Outcome,
    reason: Option<Reason>,
    verdict: Option<String>,
    winner: Option<String>,
    reasoning: Option<String>,
    /// The judge was order-sensitive, or the judges disagreed.
    disputed: bool,
}

impl Draft<'_> {
    /// Gives the debate its result once all deciders are heard or lost.
    pub fn conclude(&mut self) {
        if self.control.gated == Some(true) {
            let decision = self.undebated();
            return self.reach(decision);
        }
        let decision = match self.strategy() {
            ConsensusStrategy::Judge => self.judged(),
            ConsensusStrategy::RankedReasons => self.ranked(),
            ConsensusStrategy::Vote => self.voted(),
            ConsensusStrategy::MediatorSummary => self.mediated(),
            ConsensusStrategy::AgentClosing | ConsensusStrategy::NoConsensus => Ok(Decision::inconclusive(
                Reason::with(
                    ReasonCode::NoDecisionWanted,
                    "the debate was held without a decision, as it was asked for",
                ),
                false,
            )),
        };
        match decision {
            Ok(decision) => self.reach(decision),
            Err(reason) => self.end_failed(reason),
        }
    }

    /// Where the gate skips the rounds, the top answer of the first ballots wins. Among proposals it is the first that states it.
    fn undebated(&self) -> Decision {
        let counts = self.first_counts();
        let shared = matches!(counts.as_slice(), [(_, top), (_, second), ..] if top == second);
        let Some((answer, _)) = counts.into_iter().next().filter(|_| !shared) else {
            return Decision { outcome: Outcome::Tie, ..Decision::decided() };
        };
        let stated = self.control.stated.iter().find(|stated| self.spec().same_answer(&stated.answer, &answer));
        let author = stated.filter(|_| self.spec().elects_debaters()).map(|stated| stated.participant.to_string());
        Decision { winner: Some(author.unwrap_or(answer)), ..Decision::decided() }
    }

    /// The first ballots, or the answers that stand for them, counted.
    fn first_counts(&self) -> Vec<(String, u32)> {
        if self.spec().answers_for_ballots() {
            let stated = self.control.stated.iter().map(|stated| stated.answer.as_str());
            return count_by([], stated, |one, other| self.spec().same_answer(one, other));
        }
        self.ballot_counts(BallotStage::Initial)
    }

    /// What the moderator decided is the verdict; nobody wins. The decision with which it settled the question comes first, and its
    /// synthesis builds on it. Where the synthesis is missing, the decision of its last closing is what there is.
    fn mediated(&self) -> Result<Decision, Reason> {
        let closing = self.control.decision.as_deref();
        let (verdict, reasoning) = if let Some((synthesis, reasoning)) = self.control.synthesis.clone() {
            let settled = closing.and_then(RoundSummary::settlement);
            (settled.map_or_else(|| synthesis.to_string(), |decision| built_on(decision, &synthesis)), reasoning)
        } else if let Some((closing, decision)) = closing.and_then(|closing| Some((closing, closing.decided()?))) {
            (decision.to_owned(), Some(closing.summary.clone()))
        } else {
            let lost = "the moderator's synthesis could not be had, and it closed no round with a decision";
            return Err(Reason::with(ReasonCode::ModeratorFailed, lost));
        };
        Ok(Decision { verdict: Some(verdict), reasoning, ..Decision::decided() })
    }

    fn reach(&mut self, decision: Decision) {
        let degraded = decision.outcome == Outcome::Decided && !self.control.missing.is_empty();
        let outcome = if degraded { Outcome::Degraded } else { decision.outcome };
        let consensus = self.consensus(decision.disputed);
        let majority = self.majority_shift(decision.winner.as_deref());
        let moved = self.moved();
        let Decision { verdict, winner, reasoning, reason, .. } = decision;
        let ended = reason.clone();
        self.emit(Event::VerdictReached { outcome, verdict, winner, reasoning, reason, consensus, majority, moved });
        self.after_verdict(outcome, ended);
    }

    /// How far the voters agree: the votes for one that decided, else the final private ballots.
    fn consensus(&self, disputed: bool) -> Option<Consensus> {
        let by_votes = self.strategy() == ConsensusStrategy::Vote
            && self.spec().voting.is_some_and(|voting| voting.rule.form() == crate::BallotForm::Single);
        let personas = u32::try_from(self.spec().personas.len()).unwrap_or(u32::MAX);
        let (source, eligible, counts) = if self.control.gated == Some(true) {
            (ConsensusSource::FirstBallots, eligible(self.spec()), self.first_counts())
        } else if by_votes {
            (ConsensusSource::Votes, self.eligible_votes(), self.count(self.choices().iter().map(String::as_str)))
        } else {
            (ConsensusSource::FinalBallots, personas, self.ballot_counts(BallotStage::Final))
        };
        let shared = matches!(counts.as_slice(), [(_, top), (_, second), ..] if top == second);
        let (answer, top) = counts.into_iter().next()?;
        let answer = (!shared).then_some(answer);
        let strength = strength(top, eligible);
        let contested = strength != Strength::Unanimous && (disputed || self.has_open_objection());
        Some(Consensus { answer, top, eligible, strength, contested, source })
    }

    /// Whether a critical objection stands unanswered: a judge says so, or a severe critique was neither accepted nor declined.
    fn has_open_objection(&self) -> bool {
        self.control.judgements.iter().any(|judged| judged.open_objections)
            || self.control.critical.iter().any(|objection| !objection.answered)
    }

    fn ballot_counts(&self, stage: BallotStage) -> Vec<(String, u32)> {
        let cast = self.spec().personas.iter().filter_map(|persona| self.ballot_of(stage, &persona.name));
        count_by([], cast, |one, other| self.spec().same_ballot(one, other))
    }

    fn count<'v>(&self, votes: impl Iterator<Item = &'v str>) -> Vec<(String, u32)> {
        count_by([], votes, |one, other| self.is_same(one, other))
    }

    fn majority_shift(&self, winner: Option<&str>) -> MajorityShift {
        let eligible = self.spec().personas.len();
        let counts = self.ballot_counts(BallotStage::Initial);
        let majority = counts.first().filter(|(_, votes)| 2 * (*votes as usize) > eligible);
        let winner = winner.and_then(|winner| self.balloted(winner));
        match (majority, winner) {
            (Some((held, _)), Some(winner)) if self.spec().same_ballot(held, winner) => MajorityShift::Kept,
            (Some(_), Some(_)) => MajorityShift::Overturned,
            (None, _) | (_, None) => MajorityShift::None,
        }
    }

    /// Whose final ballot differs from the initial one.
    fn moved(&self) -> Vec<ParticipantId> {
        let moved = self.spec().personas.iter().filter(|persona| {
            let before = self.ballot_of(BallotStage::Initial, &persona.name);
            let after = self.ballot_of(BallotStage::Final, &persona.name);
            matches!((before, after), (Some(before), Some(after)) if !self.spec().same_ballot(before, after))
        });
        moved.map(|persona| persona.name.clone()).collect()
    }

    fn vote_rule(&self) -> VoteRule {
        self.spec().voting.map_or(VoteRule::Majority, |voting| voting.rule)
    }
}

/// A synthesis that states the decision, in its own words or in front of them.
fn built_on(decision: &str, synthesis: &str) -> String {
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    match folded(synthesis).contains(folded(decision).trim_end_matches('.')) {
        true => synthesis.to_owned(),
        false => format!("{decision}\n\n{synthesis}"),
    }
}

impl Decision {
    fn decided() -> Self {
        let outcome = Outcome::Decided;
        Self { outcome, reason: None, verdict: None, winner: None, reasoning: None, disputed: false }
    }
    fn inconclusive(reason: Reason, disputed: bool) -> Self {
        Self { outcome: Outcome::Inconclusive, reason: Some(reason), disputed, ..Self::decided() }
    }
}
