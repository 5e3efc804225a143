//! What came out, in words, and what stands against it.
use crate::minutes::{Choice, Entry, Judged, Minutes};
use crate::words::{self, count};
use agon_core::{BallotStage, Citation, DebateState, Outcome, ReasonCode, Task};

/// Where a debate is: it runs until it says how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Running,
    Cancelling,
    Ended(DebateState),
}

/// The sound of a result: what a badge shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Mixed,
    Bad,
    Open,
}

impl<'a> Minutes<'a> {
    pub(crate) fn standing(&self) -> Standing {
        match (self.end, self.cancel) {
            (Some(end), _) => Standing::Ended(end.state),
            (None, Some(_)) => Standing::Cancelling,
            (None, None) => Standing::Running,
        }
    }
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.end.map_or(self.verdict.map(|verdict| verdict.outcome), |end| end.outcome)
    }
    /// The outcome, or the state where there is none.
    pub(crate) fn badge(&self) -> (&'static str, Tone) {
        match (self.standing(), self.outcome()) {
            (Standing::Running, _) => ("Running", Tone::Open),
            (Standing::Cancelling, _) => ("Being cancelled", Tone::Open),
            (Standing::Ended(DebateState::Succeeded), Some(outcome)) => (words::outcome(outcome), tone(outcome)),
            (Standing::Ended(state @ DebateState::Succeeded), None) => (words::state(state), Tone::Good),
            (Standing::Ended(state @ (DebateState::Failed | DebateState::Cancelled)), _) => {
                (words::state(state), Tone::Bad)
            }
        }
    }
    /// The answer in a few words: who won, or why nobody did.
    pub(crate) fn headline(&self) -> String {
        let verdict = self.verdict.filter(|verdict| verdict.verdict.is_some() || verdict.winner.is_some());
        match (self.standing(), verdict) {
            (Standing::Running, None) => match self.phase {
                Some(phase) => format!("The debate is running: {}", words::phase(phase).to_lowercase()),
                None => "The debate is running".to_owned(),
            },
            (Standing::Cancelling, None) => "The debate is being cancelled".to_owned(),
            (_, Some(verdict)) => match (verdict.outcome, verdict.winner) {
                (Outcome::Decided | Outcome::Degraded, Some(winner)) => winner.to_owned(),
                (Outcome::Decided | Outcome::Degraded, None) => "A synthesis: no side won".to_owned(),
                (Outcome::Tie, _) => "A tie".to_owned(),
                (Outcome::Inconclusive, _) => "No verdict".to_owned(),
            },
            (Standing::Ended(_), None) if self.outcome() == Some(Outcome::Tie) => "A tie".to_owned(),
            (Standing::Ended(_), None) => "No verdict".to_owned(),
        }
    }
    /// Why the outcome is what it is, as a sentence without its full stop.
    pub(crate) fn reason(&self) -> Option<String> {
        let reason = self.end.and_then(|end| end.reason).or_else(|| self.verdict?.reason)?;
        Some(words::why(reason))
    }
    pub(crate) fn order_sensitive(&self) -> bool {
        let said = self.end.and_then(|end| end.reason).is_some_and(|reason| reason.code == ReasonCode::OrderSensitive);
        let mut winners = self.judgements().map(|(_, judged)| judged.winner);
        let first = winners.next();
        said || winners.any(|winner| Some(winner) != first)
    }
    /// `strong: 4 of 5 voters for "Invest now"`.
    pub(crate) fn consensus(&self) -> Option<String> {
        let consensus = self.verdict?.consensus?;
        let contested = if consensus.contested { ", contested" } else { "" };
        Some(format!("{}{contested}: {}", words::strength(consensus.strength), words::share(consensus)))
    }
    pub(crate) fn winner(&self) -> Option<&'a str> {
        self.verdict.and_then(|verdict| verdict.winner)
    }
    /// Every position that could win, in declared order.
    pub(crate) fn positions(&self) -> Vec<&'a str> {
        let stances = self.admission.spec.stances();
        if !stances.is_empty() {
            return stances;
        }
        let asked = self.asks.values().find_map(|(_, ask)| {
            let (Task::Judge { candidates, order: 0 }
            | Task::Rank { candidates, order: 0 }
            | Task::Vote { candidates, form: _ }) = &ask.task
            else {
                return None;
            };
            Some(candidates.iter().map(String::as_str).collect())
        });
        let named = || {
            let mut named: Vec<&str> = Vec::new();
            for (_, ballot) in self.ballots(BallotStage::Final) {
                if !named.contains(&ballot.choice) {
                    named.push(ballot.choice);
                }
            }
            named
        };
        asked.unwrap_or_else(named)
    }
    /// The positions that did not win, once somebody has.
    pub(crate) fn lost(&self) -> Vec<&'a str> {
        let Some(winner) = self.winner() else { return Vec::new() };
        self.positions().into_iter().filter(|position| *position != winner).collect()
    }
    /// The final ballots that disagree with the winner.
    pub(crate) fn dissenting(&self) -> Vec<(&Entry<'a>, Choice<'a>)> {
        let Some(winner) = self.winner() else { return Vec::new() };
        self.ballots(BallotStage::Final).filter(|(_, ballot)| ballot.choice != winner).collect()
    }
    /// The last speech for a position.
    pub(crate) fn last_word(&self, position: &str) -> Option<(&Entry<'a>, &'a agon_core::Speech)> {
        self.speeches().filter(|(_, speech)| speech.stance.as_deref() == Some(position)).last()
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
    /// What a reader should know before trusting the result.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some(source) = &self.admission.rejudges {
            warnings.push(format!("The speeches are those of debate {source}; only the judgement is new."));
        }
        for (entry, _, fallback) in self.decisions() {
            if fallback {
                warnings.push(format!(
                    "Round {}: the moderator's own decision could not be had; the default stands in for it.",
                    entry.turn.round
                ));
            }
        }
        for (entry, speech) in self.speeches().filter(|(_, speech)| speech.neutralised > 0) {
            let marks = count(speech.neutralised.into(), "look-alike");
            warnings.push(format!(
                "{} of the transcript's own marks in {}'s speech ({}) did not reach the other speakers as such.",
                marks, entry.participant, entry.turn
            ));
        }
        warnings.extend(self.substitutions());
        let citations = self.citations();
        let missing = citations.iter().filter(|citation| !citation.verified).count();
        if missing > 0 {
            warnings.push(format!(
                "Not found in the speech that they name: {missing} of the judge's {}.",
                count(citations.len() as u64, "citation")
            ));
        }
        if self.usage().unknown_calls > 0 {
            warnings.push(format!(
                "{} did not report tokens; the sums leave them out.",
                count(self.usage().unknown_calls.into(), "call")
            ));
        }
        warnings.extend(self.shared_model());
        warnings
    }
    fn substitutions(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (entry, call) in self.calls() {
            let wanted = self
                .admission
                .spec
                .role(&entry.participant.into())
                .and_then(|role| role.models().first().map(|model| (*model).clone()));
            let (Some(wanted), Some(used)) = (wanted, &call.model) else { continue };
            let warning = format!("{} was played by {used} instead of {wanted}.", entry.participant);
            if *used != wanted && !found.contains(&warning) {
                found.push(warning);
            }
        }
        found
    }
    fn shared_model(&self) -> Option<String> {
        let spec = &self.admission.spec;
        let judge = &spec.judge.as_ref()?.voice.model;
        let shared = spec.personas.iter().find(|persona| persona.voice.model == *judge)?;
        Some(format!("The judge and {} are the same model ({judge}); a judge may favour its own kind.", shared.name))
    }
}

fn tone(outcome: Outcome) -> Tone {
    match outcome {
        Outcome::Decided => Tone::Good,
        Outcome::Degraded | Outcome::Tie | Outcome::Inconclusive => Tone::Mixed,
    }
}

/// How many of the citations stand where they are said to.
pub(crate) fn verified(citations: &[&Citation]) -> usize {
    citations.iter().filter(|citation| citation.verified).count()
}
