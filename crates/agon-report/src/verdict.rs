//! What came out, in words, and what stands against it.
use crate::minutes::{BallotChoice, Judged, Minutes, MinutesEntry};
use crate::result::ResultState;
use crate::text::excerpt;
use crate::words;
use agon_core::signals::words as words_of;
use agon_core::tally::{mean_totals, same_answer};
use agon_core::{
    BallotStage, CRITICAL_SEVERITY, Citation, ConsensusSource, Critique, DebateFormat, DebateState, Halt, Mode,
    Outcome, ParticipantId, Reason, ReasonCode, TurnId, VoteRule, Voters, WINNER_CHARS, Work,
};
use std::cmp::Reverse;

/// The sound of a result: what a badge shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Mixed,
    Bad,
    Open,
}

impl<'a> Minutes<'a> {
    /// Where the debate is: it runs until it says how it ended.
    pub(crate) fn state(&self) -> ResultState {
        let halt = self.halt.or(self.interrupted.map(Halt::of));
        match (self.end.map(|end| end.state), halt, self.cancel) {
            (Some(DebateState::Succeeded), ..) => ResultState::Succeeded,
            (Some(DebateState::Failed), ..) => ResultState::Failed,
            (Some(DebateState::Cancelled), ..) => ResultState::Cancelled,
            (None, Some(Halt::Paused), _) => ResultState::Paused,
            (None, Some(Halt::Interrupted), _) => ResultState::Interrupted,
            (None, None, Some(_)) => ResultState::Cancelling,
            (None, None, None) => ResultState::Running,
        }
    }
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.end.map_or(self.verdict.map(|verdict| verdict.outcome), |end| end.outcome)
    }
    /// The outcome, or the state where there is none.
    pub(crate) fn badge(&self) -> (&'static str, Tone) {
        match (self.state(), self.outcome()) {
            (ResultState::Succeeded, Some(outcome)) => {
                let missing = self.end.is_some_and(|end| !end.missing.is_empty());
                (words::ended(outcome, missing), tone(outcome))
            }
            (ResultState::Running, _) => ("Running", Tone::Open),
            (ResultState::Cancelling, _) => ("Being cancelled", Tone::Open),
            (ResultState::Paused, _) => (Halt::Paused.label(), Tone::Open),
            (ResultState::Interrupted, _) => (Halt::Interrupted.label(), Tone::Open),
            (ResultState::Succeeded, None) => (DebateState::Succeeded.label(), Tone::Good),
            (ResultState::Failed, _) => (DebateState::Failed.label(), Tone::Bad),
            (ResultState::Cancelled, _) => (DebateState::Cancelled.label(), Tone::Bad),
        }
    }
    /// The answer in a few words: who won, or why nobody did.
    pub(crate) fn headline(&self) -> String {
        let verdict = self.verdict.filter(|verdict| verdict.verdict.is_some() || verdict.winner.is_some());
        match (self.state(), verdict) {
            (ResultState::Running, None) => match self.phase {
                Some(phase) => format!("The debate is running: {}", phase.label().to_lowercase()),
                None => "The debate is running".to_owned(),
            },
            (ResultState::Cancelling, None) => "The debate is being cancelled".to_owned(),
            (ResultState::Paused, None) => "The debate is paused until somebody resumes it".to_owned(),
            (ResultState::Interrupted, None) => "The debate is interrupted until somebody resumes it".to_owned(),
            (_, Some(verdict)) => match (verdict.outcome, verdict.winner) {
                (Outcome::Decided | Outcome::Degraded, Some(winner)) if self.elects_a_proposal(winner) => {
                    format!("The proposal of {winner}")
                }
                (Outcome::Decided | Outcome::Degraded, Some(winner)) => winner.to_owned(),
                (Outcome::Decided | Outcome::Degraded, None) => self.ruling().map_or_else(
                    || "A synthesis: no side won".to_owned(),
                    |ruling| excerpt(ruling.decision, WINNER_CHARS),
                ),
                (Outcome::Tie, _) => "A tie".to_owned(),
                (Outcome::Inconclusive, _) => "No verdict".to_owned(),
            },
            (_, None) if self.outcome() == Some(Outcome::Tie) => "A tie".to_owned(),
            (_, None) if self.without_decision() => "No decision was wanted".to_owned(),
            (_, None) => "No verdict".to_owned(),
        }
    }
    fn elects_a_proposal(&self, winner: &str) -> bool {
        let spec = &self.admission.spec;
        spec.debate_format == DebateFormat::CritiqueRevision && spec.persona(&winner.into()).is_some()
    }
    /// Why the outcome is what it is, as a sentence without its full stop.
    pub(crate) fn reason(&self) -> Option<String> {
        let reason = self.given_reason()?;
        // The headline says so.
        (!self.without_decision()).then(|| words::why(reason))
    }
    fn given_reason(&self) -> Option<&'a Reason> {
        self.end.map_or(self.interrupted, |end| end.reason).or_else(|| self.verdict?.reason)
    }
    /// Whether the reason says what each judge of the panel found.
    pub(crate) fn reason_names_the_panel(&self) -> bool {
        self.given_reason().is_some_and(|reason| reason.code == ReasonCode::PanelSplit && reason.detail.is_some())
    }
    /// Whether the debate was held without a decision, as its file wants it.
    pub(crate) fn without_decision(&self) -> bool {
        let reason = self.end.and_then(|end| end.reason).or_else(|| self.verdict?.reason);
        reason.is_some_and(|reason| reason.code == ReasonCode::NoDecisionWanted)
    }
    pub(crate) fn order_sensitive(&self) -> bool {
        let said = self.end.and_then(|end| end.reason).is_some_and(|reason| reason.code == ReasonCode::OrderSensitive);
        let found = self.found();
        let with_another = |(judge, winner): &(&str, Option<&str>)| {
            found.iter().any(|(other, found)| other == judge && !same_winner(*winner, *found))
        };
        said || found.iter().any(with_another)
    }
    /// What each reading of each judge found: the winner, or whom it puts first.
    pub(crate) fn found(&self) -> Vec<(&'a str, Option<&'a str>)> {
        let judged = self.judgements().map(|(entry, judged)| (entry.participant, judged.winner));
        let ranked = self
            .rankings()
            .map(|(entry, _, ranking)| (entry.participant, ranking.first().map(|first| first.candidate.as_str())));
        judged.chain(ranked).collect()
    }
    /// Whether judges who found the same in every order found different things.
    pub(crate) fn panel_split(&self) -> bool {
        let found = self.found();
        let orders = self.admission.spec.judge.as_ref().map_or(0, |judge| judge.orders as usize);
        let firm = |(judge, winner): &&(&str, Option<&str>)| {
            let own = || found.iter().filter(|(other, _)| other == judge);
            own().count() == orders && own().all(|(_, other)| same_winner(*winner, *other))
        };
        let firm: Vec<Option<&str>> = found.iter().filter(firm).map(|(_, winner)| *winner).collect();
        firm.iter().any(|one| firm.iter().any(|other| !same_winner(*one, *other)))
    }
    /// Critical objections that nobody answered, as each judge sees it, each once.
    pub(crate) fn open_objections(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let mut open: Vec<(&str, &str)> = Vec::new();
        for (entry, judged) in self.judgements() {
            for objection in judged.open_objections {
                let again =
                    |(by, known): &(&str, &str)| *by == entry.participant && words_of(known) == words_of(objection);
                if !open.iter().any(again) {
                    open.push((entry.participant, objection));
                }
            }
        }
        open.into_iter()
    }
    /// The severest critique that a judge would call critical and that no later revision accepts or declines: its entry, whom it is of,
    /// and itself.
    pub(crate) fn open_critique(&self) -> Option<(&MinutesEntry<'a>, &'a ParticipantId, &'a Critique)> {
        let answered = |at: TurnId, by: &str, of: &ParticipantId| {
            self.speeches().filter(|(entry, _)| entry.turn > at && entry.participant == of.as_str()).any(
                |(_, speech)| {
                    let declined = speech.declined.iter().map(|declined| &declined.critic);
                    speech.accepted.iter().chain(declined).any(|critic| critic.as_str() == by)
                },
            )
        };
        let open = self.critiques().filter(|(entry, of, critique)| {
            critique.severity >= CRITICAL_SEVERITY && !answered(entry.turn, entry.participant, of)
        });
        // Of equally severe ones the first.
        open.min_by_key(|(.., critique)| Reverse(critique.severity))
    }
    /// Why a consensus that is not unanimous is contested, in words; empty where it is not.
    pub(crate) fn contested_by(&self) -> Vec<&'static str> {
        if !self.verdict.and_then(|verdict| verdict.consensus).is_some_and(|consensus| consensus.contested) {
            return Vec::new();
        }
        let why = [
            (self.order_sensitive(), "a judge was order-sensitive"),
            (self.panel_split(), "the judges disagreed"),
            (self.open_objections().next().is_some(), "a critical objection stands unanswered"),
            (self.open_critique().is_some(), "a severe critique stands unanswered"),
        ];
        why.into_iter().filter_map(|(holds, why)| holds.then_some(why)).collect()
    }
    /// `strong among the debaters: 4 of 5 eligible voters for "Invest now"`.
    pub(crate) fn consensus(&self) -> Option<String> {
        let consensus = self.verdict?.consensus?;
        let judges = self.admission.spec.voting.is_some_and(|voting| voting.voters == Voters::Judges);
        let whose = match consensus.source {
            ConsensusSource::Votes | ConsensusSource::FirstBallots if self.admission.spec.is_poll() => "samples",
            ConsensusSource::Votes if judges => "judges",
            ConsensusSource::Votes | ConsensusSource::FinalBallots | ConsensusSource::FirstBallots => "debaters",
        };
        let contested = self.contested_by().join(" and ");
        let contested = if contested.is_empty() { contested } else { format!(", contested because {contested}") };
        let (strength, share) = (consensus.strength.label(), words::share(consensus));
        let weighted = self.tally.is_some_and(|tally| tally.rule.is_some_and(VoteRule::is_weighted));
        let by_heads = if weighted { ", by heads and not by weight" } else { "" };
        Some(format!("{strength} among the {whose}{by_heads}{contested}: {share}"))
    }
    /// The mean of what each debater was scored with beside the decision, in thousandths, the highest first.
    pub(crate) fn means_beside(&self) -> Vec<(String, u32)> {
        let spec = &self.admission.spec;
        let totals =
            self.debater_scores().filter(|_| spec.is_extra(&Work::ScoreDebaters)).flat_map(|(_, scores)| scores);
        let names = spec.personas.iter().map(|persona| persona.name.as_str());
        mean_totals(names, totals.map(|one| (one.debater.as_str(), one.score.total())))
    }
    pub(crate) fn winner(&self) -> Option<&'a str> {
        self.verdict.and_then(|verdict| verdict.winner)
    }
    /// Everything that could win: the debaters in declared order where they stand for election, else the stances, in
    /// deliberative mode the answers.
    pub(crate) fn positions(&self) -> Vec<&'a str> {
        let spec = &self.admission.spec;
        if spec.elects_debaters() {
            return spec.personas.iter().map(|persona| persona.name.as_str()).collect();
        }
        match spec.mode {
            Mode::Adversarial => spec.stances(),
            Mode::Deliberative => self.answers(),
        }
    }
    /// The answers that judges or voters could choose among; a single voter's ballot may lack its own.
    fn answers(&self) -> Vec<&'a str> {
        let judged = self.asks.values().find(|(_, ask)| ask.task.work == Work::Judge { order: 0 });
        let judged = judged.map(|(_, ask)| ask.task.material.candidates().iter().map(String::as_str).collect());
        let counted = || self.tally.map(|tally| tally.counts.iter().map(|(name, _)| name.as_str()).collect());
        let balloted = || {
            let mut named: Vec<&str> = Vec::new();
            for (_, ballot) in self.ballots(BallotStage::Final) {
                if !named.iter().any(|known| same_answer(known, ballot.choice)) {
                    named.push(ballot.choice);
                }
            }
            named
        };
        judged.or_else(counted).unwrap_or_else(balloted)
    }
    /// The positions that did not win, once somebody has.
    pub(crate) fn lost(&self) -> Vec<&'a str> {
        let Some(winner) = self.winner() else { return Vec::new() };
        self.positions().into_iter().filter(|position| !same_answer(position, winner)).collect()
    }
    /// The final ballots that disagree with the winner.
    pub(crate) fn dissenting(&self) -> Vec<(&MinutesEntry<'a>, BallotChoice<'a>)> {
        let Some(held) = self.winner().and_then(|winner| self.stands_for(winner)) else { return Vec::new() };
        let spec = &self.admission.spec;
        self.ballots(BallotStage::Final).filter(|(_, ballot)| !spec.same_ballot(ballot.choice, held)).collect()
    }
    /// A winner as ballots name it: a debater who wins stands for its stance, or for the answer of its last ballot, where
    /// ballots are not about the debaters.
    pub(crate) fn stands_for(&self, winner: &'a str) -> Option<&'a str> {
        let last = |stage| self.ballots(stage).find(|(entry, _)| entry.participant == winner);
        let ballot = last(BallotStage::Final).or_else(|| last(BallotStage::Initial));
        self.admission.spec.balloted(winner, ballot.map(|(_, ballot)| ballot.choice))
    }
    /// The last speech for a position, or of the debater who stood for election.
    pub(crate) fn last_word(&self, position: &str) -> Option<(&MinutesEntry<'a>, &'a agon_core::Speech)> {
        let elects = self.admission.spec.elects_debaters();
        let of = |entry: &MinutesEntry<'_>, speech: &agon_core::Speech| match elects {
            true => entry.participant == position,
            false => speech.stance.as_deref() == Some(position),
        };
        self.speeches().filter(|(entry, speech)| of(entry, speech)).last()
    }
    /// The citations of every judgement, each once.
    pub(crate) fn citations(&self) -> Vec<&'a Citation> {
        let mut citations: Vec<&Citation> = Vec::new();
        for citation in self.judgements().flat_map(|(_, Judged { citations, .. })| citations) {
            if !citations.contains(&citation) {
                citations.push(citation);
            }
        }
        citations
    }
}

/// Whether two readings found the same.
pub(crate) fn same_winner(one: Option<&str>, other: Option<&str>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => same_answer(one, other),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

fn tone(outcome: Outcome) -> Tone {
    match outcome {
        Outcome::Decided => Tone::Good,
        Outcome::Degraded | Outcome::Tie | Outcome::Inconclusive => Tone::Mixed,
    }
}

/// What was found of a quotation, in words.
pub(crate) fn checked(verified: bool, too_short: bool) -> &'static str {
    match (verified, too_short) {
        (true, _) => "verified",
        (false, true) => "too short to verify",
        (false, false) => "not found",
    }
}

/// How many of the citations stand where they are said to.
pub(crate) fn verified(citations: &[&Citation]) -> usize {
    citations.iter().filter(|citation| citation.verified).count()
}
