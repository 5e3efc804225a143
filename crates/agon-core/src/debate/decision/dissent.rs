//! How many are against the winner.
use super::super::draft::Draft;
use super::judged::same;
use crate::ids::ParticipantId;
use crate::outcome::Outcome;
use crate::spec::{BallotForm, ConsensusStrategy, Voters};
use crate::summary_figures::{Dissent, DissentAmong};
use crate::task::BallotStage;

impl Draft<'_> {
    /// How many of those who chose are against the winner, once there is a verdict: those who decided where they were several, else
    /// the debaters on their ballots. Nothing where there is no winner, or nobody chose.
    pub fn dissent(&self) -> Option<Dissent> {
        let reached = self.control.verdict.as_deref()?;
        let winner = reached.winner.as_ref();
        let deciders = match self.spec().consensus_strategy {
            _ if self.control.gated == Some(true) => return self.first_ballots_against(winner?),
            ConsensusStrategy::Judge | ConsensusStrategy::RankedReasons => match reached.outcome {
                Outcome::Decided | Outcome::Degraded => self.judges_against(winner),
                Outcome::Tie | Outcome::Inconclusive => None,
            },
            ConsensusStrategy::Vote => self.votes_against(winner?),
            ConsensusStrategy::MediatorSummary | ConsensusStrategy::AgentClosing | ConsensusStrategy::NoConsensus => {
                None
            }
        };
        deciders.or_else(|| self.ballots_against(BallotStage::Final, winner?))
    }

    /// The judges of a panel that were heard. No winner is a synthesis.
    fn judges_against(&self, winner: Option<&String>) -> Option<Dissent> {
        let judges: Vec<ParticipantId> = self.spec().judges().collect();
        if judges.len() < 2 {
            return None;
        }
        let judged = self.control.judgements.iter().map(|judged| (&judged.judge, judged.winner.as_ref()));
        let ranked = self.control.rankings.iter().map(|ranked| {
            let first = ranked.ranking.first().map(|first| &first.candidate);
            (&ranked.judge, first)
        });
        let readings: Vec<_> = judged.chain(ranked).collect();
        let against = judges.iter().filter_map(|judge| {
            let own = readings.iter().filter(|(reader, _)| *reader == judge);
            let mut against = own.map(|(_, found)| !same(*found, winner)).peekable();
            against.peek()?;
            Some(against.any(|against| against))
        });
        counted(DissentAmong::Judges, against)
    }

    /// The votes that could have been for the winner; in a poll the samples.
    fn votes_against(&self, winner: &str) -> Option<Dissent> {
        if self.spec().is_poll() {
            return counted(DissentAmong::Votes, self.samples().map(|sample| !self.spec().same_answer(sample, winner)));
        }
        let debaters = self.spec().voting.is_some_and(|voting| voting.voters == Voters::Debaters);
        let free = |voter: &ParticipantId| {
            !debaters || self.vote_candidates(Some(voter)).iter().any(|candidate| self.is_same(candidate, winner))
        };
        let votes = self.control.votes.iter().filter(|vote| free(&vote.voter));
        let against = votes.map(|vote| match self.vote_rule().form() {
            BallotForm::Approval => !vote.choices.iter().any(|choice| self.is_same(choice, winner)),
            BallotForm::Single | BallotForm::Ranking | BallotForm::Scores => !self.is_same(&vote.choice, winner),
        });
        counted(DissentAmong::Votes, against)
    }

    /// The private ballots of a stage.
    fn ballots_against(&self, stage: BallotStage, winner: &str) -> Option<Dissent> {
        let held = self.balloted(winner)?;
        let cast = self.spec().personas.iter().filter_map(|persona| self.ballot_of(stage, &persona.name));
        counted(DissentAmong::Ballots, cast.map(|choice| !self.spec().same_ballot(choice, held)))
    }

    /// The first ballots, or the answers that stand for them.
    fn first_ballots_against(&self, winner: &str) -> Option<Dissent> {
        if !self.spec().answers_for_ballots() {
            return self.ballots_against(BallotStage::Initial, winner);
        }
        let stated = &self.control.stated;
        let answer = match self.spec().elects_debaters() {
            true => stated.iter().find(|stated| stated.participant.as_str() == winner)?.answer.as_str(),
            false => winner,
        };
        counted(DissentAmong::Ballots, stated.iter().map(|stated| !self.spec().same_answer(&stated.answer, answer)))
    }
}

/// How many of these are against; nothing of nobody.
fn counted(among: DissentAmong, against: impl Iterator<Item = bool>) -> Option<Dissent> {
    let none = Dissent { against: 0, of: 0, among };
    let counted = against.fold(none, |sum, against| Dissent {
        against: sum.against.saturating_add(u32::from(against)),
        of: sum.of.saturating_add(1),
        among,
    });
    (counted.of > 0).then_some(counted)
}
