//! What came out, in words, and what stands against it.
use crate::minutes::{Choice, Entry, Judged, Minutes};
use crate::words;
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
            (Standing::Ended(_), None) if self.without_decision() => "No decision was wanted".to_owned(),
            (Standing::Ended(_), None) => "No verdict".to_owned(),
        }
    }
    /// Why the outcome is what it is, as a sentence without its full stop.
    pub(crate) fn reason(&self) -> Option<String> {
        let reason = self.end.and_then(|end| end.reason).or_else(|| self.verdict?.reason)?;
        // The headline says so.
        (!self.without_decision()).then(|| words::why(reason))
    }
    /// Whether the debate was held without a decision, as its file wants it.
    pub(crate) fn without_decision(&self) -> bool {
        let reason = self.end.and_then(|end| end.reason).or_else(|| self.verdict?.reason);
        reason.is_some_and(|reason| reason.code == ReasonCode::NoDecisionWanted)
    }
    pub(crate) fn order_sensitive(&self) -> bool {
        let said = self.end.and_then(|end| end.reason).is_some_and(|reason| reason.code == ReasonCode::OrderSensitive);
        let judged = self.judgements().map(|(entry, judged)| (entry.participant, judged.winner));
        let ranked = self
            .rankings()
            .map(|(entry, _, ranking)| (entry.participant, ranking.first().map(|first| first.candidate.as_str())));
        let found: Vec<(&str, Option<&str>)> = judged.chain(ranked).collect();
        let with_another = |(judge, winner): &(&str, Option<&str>)| {
            found.iter().any(|(other, found)| other == judge && !same_winner(*winner, *found))
        };
        said || found.iter().any(with_another)
    }
    /// Whether the judges of a panel do not agree with each other.
    pub(crate) fn panel_split(&self) -> bool {
        let judged = self.judgements().map(|(entry, judged)| (entry.participant, judged.winner));
        let found: Vec<(&str, Option<&str>)> = judged.collect();
        let with_another = |(judge, winner): &(&str, Option<&str>)| {
            found.iter().any(|(other, found)| other != judge && !same_winner(*winner, *found))
        };
        found.iter().any(with_another)
    }
    /// Critical objections that nobody answered, as each judge sees it, each once.
    pub(crate) fn open_objections(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let mut open: Vec<(&str, &str)> = Vec::new();
        for (entry, judged) in self.judgements() {
            for objection in judged.open_objections {
                if !open.contains(&(entry.participant, objection)) {
                    open.push((entry.participant, objection));
                }
            }
        }
        open.into_iter()
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
        ];
        let mut why: Vec<&str> = why.into_iter().filter_map(|(holds, why)| holds.then_some(why)).collect();
        if why.is_empty() {
            // A severe critique that was neither accepted nor declined, or a judge who could not be heard.
            why.push("a severe critique stands unanswered, or a judge could not be heard");
        }
        why
    }
    /// `strong: 4 of 5 voters for "Invest now"`.
    pub(crate) fn consensus(&self) -> Option<String> {
        let consensus = self.verdict?.consensus?;
        let contested = self.contested_by().join(" and ");
        let contested = if contested.is_empty() { contested } else { format!(", contested because {contested}") };
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
}

fn same_winner(one: Option<&str>, other: Option<&str>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => agon_core::tally::same_answer(one, other),
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

/// How many of the citations stand where they are said to.
pub(crate) fn verified(citations: &[&Citation]) -> usize {
    citations.iter().filter(|citation| citation.verified).count()
}
