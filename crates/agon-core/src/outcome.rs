//! How a debate ends, and the figures that go with it.
use crate::call::Usage;
use crate::failure::FailureCause;
use crate::ids::ParticipantId;
use serde::{Deserialize, Serialize};

/// The terminal state of the process: whether Agon did its work. "No consensus" is a success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DebateState {
    /// The debate came to an outcome.
    Succeeded,
    /// It could not.
    Failed,
    /// Somebody ended it.
    Cancelled,
}

/// Why nobody plays a debate that has not ended. Nothing but `agon resume` continues it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Halt {
    /// Its process was stopped on purpose, or it waits for a model server that was away for too long.
    Paused,
    /// Its process died, or the servers gave it up for now.
    Interrupted,
}
impl Halt {
    /// What a debate is whose log was interrupted for this reason.
    pub fn of(reason: &Reason) -> Self {
        if reason.code == ReasonCode::ServerAway { Self::Paused } else { Self::Interrupted }
    }
    /// The word for it, the same wherever a state is shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Paused => "paused",
            Self::Interrupted => "interrupted",
        }
    }
}

/// What came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// There is a verdict, and nobody was missing.
    Decided,
    /// There is a verdict, but seats were missing.
    Degraded,
    /// The votes are tied.
    Tie,
    /// No verdict can be given; the reason says why.
    Inconclusive,
}

/// Why an outcome is what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The kind.
    pub code: ReasonCode,
    /// What happened, for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}
impl Reason {
    /// A reason without detail.
    pub fn of(code: ReasonCode) -> Self {
        Self { code, detail: None }
    }
    /// A reason with detail.
    pub fn with(code: ReasonCode, detail: impl Into<String>) -> Self {
        Self { code, detail: Some(detail.into()) }
    }
}

/// The kinds of reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasonCode {
    /// The judge's winner changed with the order of presentation.
    OrderSensitive,
    /// One of the judge's orders could not be had.
    JudgeIncomplete,
    /// No order could be judged.
    JudgeFailed,
    /// No vote came.
    NoVotes,
    /// No candidate met the vote's rule.
    RuleNotMet,
    /// The judges of a panel disagree, and no winner has more than half of them.
    PanelSplit,
    /// The debate was held without a decision, as its strategy wants it.
    NoDecisionWanted,
    /// The moderator's synthesis could not be had.
    ModeratorFailed,
    /// The last call over the result failed, or its output does not fit the schema.
    SynthesisFailed,
    /// Fewer speakers than the quorum.
    Quorum,
    /// A turn failed and `on_turn_failure` is `abort`.
    TurnFailed,
    /// `terminate_when` could not be evaluated.
    TerminateWhen,
    /// Nobody said anything.
    EmptyTranscript,
    /// The coordinator failed again and again.
    Poison,
    /// A model server without which the debate cannot go on was away for too long: the debate is paused.
    ServerAway,
    /// Somebody cancelled it.
    Cancelled,
}

/// The rule that ended the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopRule {
    /// Whatever the votes of the rounds to come, the winner stays the same.
    MathematicallyDecided,
    /// The speakers agree.
    ConsensusReached,
    /// Nothing is left to mend: no critique of the round is severe, or no proposal changed.
    Converged,
    /// Nobody moved for two rounds, and they do not agree.
    Impasse,
    /// No speech of the round said anything new.
    NoNewArguments,
    /// The judge said that enough was said.
    JudgeEnough,
    /// The moderator opened the last round with `done`.
    ModeratorDone,
    /// The moderator closed a round as settled.
    ModeratorSettled,
    /// The moderator called the vote when it closed a round.
    ModeratorVote,
    /// `terminate_when` became true.
    TerminateWhen,
    /// The token budget, the decision's share kept back.
    TokenBudget,
    /// The time budget, the decision's share kept back.
    TimeBudget,
    /// `max_rounds`.
    MaxRounds,
}

/// How far the voters agree: the share of the eligible voters for the top answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consensus {
    /// The top answer; absent where several answers share the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Voters for it, or for each of those that share the top.
    pub top: u32,
    /// Voters that could have voted, failed ones included.
    pub eligible: u32,
    /// The share's name.
    pub strength: Strength,
    /// Not unanimous, and the judge was order-sensitive, the judges disagreed, or a critical objection stands unanswered.
    pub contested: bool,
    /// Which votes were counted.
    pub source: ConsensusSource,
}

/// Which votes a [`Consensus`] counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsensusSource {
    /// The final private ballots.
    FinalBallots,
    /// The votes that decided.
    Votes,
}

/// A share's name: `unanimous` s = 1, `strong` s > 0.8, `moderate` 0.6 <= s <= 0.8, `weak` 0.5 < s < 0.6, `split` s <= 0.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// At most one half.
    Split,
    /// More than one half, less than 0.6.
    Weak,
    /// 0.6 to 0.8.
    Moderate,
    /// More than 0.8.
    Strong,
    /// All.
    Unanimous,
}

/// What became of the strict majority of the initial ballots: compared with the verdict's winner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MajorityShift {
    /// The winner is what the majority held before the debate.
    Kept,
    /// The winner is something else.
    Overturned,
    /// There was no strict majority, or there is no winner.
    None,
}

/// A seat that failed for good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingSeat {
    /// The round.
    pub round: u32,
    /// The seat.
    pub seat: u32,
    /// Whose.
    pub participant: ParticipantId,
    /// What the last try failed of.
    pub cause: FailureCause,
}

/// Tokens over many calls. `unknown_calls` says of how many the prompt tokens, the generated ones or both are unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageTotals {
    /// Calls made, failed ones included.
    pub calls: u32,
    /// Calls whose prompt or generated tokens are unknown; the sums have what they did report.
    pub unknown_calls: u32,
    /// Prompt tokens that were reported.
    pub prompt_tokens: u64,
    /// Of these, tokens that the prompt cache spared, as far as reported; absent where no call reported any figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// Generated tokens that were reported.
    pub completion_tokens: u64,
}
impl UsageTotals {
    /// Counts one call.
    pub fn add(&mut self, usage: &Usage) {
        self.calls = self.calls.saturating_add(1);
        if usage.total().is_none() {
            self.unknown_calls = self.unknown_calls.saturating_add(1);
        }
        self.prompt_tokens = self.prompt_tokens.saturating_add(usage.prompt_tokens.unwrap_or(0));
        if let Some(cached) = usage.cached_tokens {
            self.cached_tokens = Some(self.cached_tokens.unwrap_or(0).saturating_add(cached));
        }
        self.completion_tokens = self.completion_tokens.saturating_add(usage.completion_tokens.unwrap_or(0));
    }
    /// Prompt plus generated tokens that were reported.
    pub fn tokens(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_tokens_that_no_server_reported_are_unknown_and_not_0() {
        let usage = |cached_tokens| Usage { prompt_tokens: Some(10), cached_tokens, completion_tokens: Some(1) };
        let mut totals = UsageTotals::default();
        totals.add(&usage(None));
        assert_eq!((totals.prompt_tokens, totals.cached_tokens), (10, None));
        totals.add(&usage(Some(0)));
        assert_eq!(totals.cached_tokens, Some(0));
        totals.add(&usage(Some(4)));
        totals.add(&usage(None));
        assert_eq!((totals.prompt_tokens, totals.cached_tokens), (40, Some(4)));
    }
}
