//! How a debate ends, and the figures that go with it.
use crate::call::Usage;
use crate::failure::FailureCause;
use crate::ids::ParticipantId;
use serde::Serialize;

named! {
    /// The terminal state of the process: whether Agon did its work. "No consensus" is a success.
    pub enum DebateState {
        /// The debate came to an outcome.
        Succeeded = "succeeded" => "Succeeded",
        /// It could not.
        Failed = "failed" => "Failed",
        /// Somebody ended it.
        Cancelled = "cancelled" => "Cancelled",
    }
}

named! {
    /// Why nobody plays a debate that has not ended. Nothing continues it before somebody resumes it.
    pub enum Halt {
        /// Somebody paused it, its process was stopped on purpose, or it waits for a model server that was away for too long.
        Paused = "paused" => "Paused",
        /// Its process died, or the servers gave it up for now.
        Interrupted = "interrupted" => "Interrupted",
    }
}
impl Halt {
    /// What a debate is whose log was interrupted for this reason.
    pub fn of(reason: &Reason) -> Self {
        match reason.code {
            ReasonCode::Paused | ReasonCode::ServerAway => Self::Paused,
            _ => Self::Interrupted,
        }
    }
}

named! {
    /// What came out.
    pub enum Outcome {
        /// There is a verdict, and nobody was missing.
        Decided = "decided" => "Decided",
        /// There is a verdict, but seats were missing.
        Degraded = "degraded" => "Decided with missing seats",
        /// The votes are tied.
        Tie = "tie" => "Tie",
        /// No verdict can be given; the reason says why.
        Inconclusive = "inconclusive" => "Inconclusive",
    }
}

/// Why an outcome is what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The kind.
    pub code: ReasonCode,
    /// What happened, for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
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

named! {
    /// The kinds of reasons.
    pub enum ReasonCode {
        /// The judge's winner changed with the order of presentation.
        OrderSensitive = "order_sensitive" => "the judge named another winner when the order of presentation was reversed",
        /// One of the judge's orders could not be had.
        JudgeIncomplete = "judge_incomplete" => "one of the judge's two readings could not be had",
        /// No order could be judged.
        JudgeFailed = "judge_failed" => "the judge could not be heard",
        /// No vote came.
        NoVotes = "no_votes" => "no vote came in",
        /// No candidate met the vote's rule.
        RuleNotMet = "rule_not_met" => "no candidate met the rule of the vote",
        /// The judges of a panel disagree, and no winner has more than half of them.
        PanelSplit = "panel_split" => "the judges disagree, and no winner has more than half of them",
        /// The debate was held without a decision, as its strategy wants it.
        NoDecisionWanted = "no_decision_wanted" => "no decision was wanted",
        /// The moderator's synthesis could not be had.
        ModeratorFailed = "moderator_failed" => "the moderator's synthesis could not be had",
        /// The last call over the result failed, or its output does not fit the schema.
        SynthesisFailed = "synthesis_failed" => "the last call over the result failed, or its output does not fit the schema",
        /// Fewer speakers than the quorum.
        Quorum = "quorum" => "too few speakers of a round could be heard",
        /// A turn failed and `on_turn_failure` is `abort`.
        TurnFailed = "turn_failed" => "a turn failed, and the debate file asks to end then",
        /// `terminate_when` could not be evaluated.
        TerminateWhen = "terminate_when" => "terminate_when could not be evaluated",
        /// Nobody said anything.
        EmptyTranscript = "empty_transcript" => "nobody said anything",
        /// The coordinator failed again and again.
        Poison = "poison" => "its coordinator failed again and again",
        /// A model server without which the debate cannot go on was away for too long: the debate is paused.
        ServerAway = "server_away" => "a model server was away for too long",
        /// Somebody paused the debate.
        Paused = "paused" => "somebody paused it",
        /// Somebody cancelled it.
        Cancelled = "cancelled" => "somebody ended it",
    }
}

named! {
    /// The rule that ended the rounds.
    pub enum StopRule {
        /// Whatever the votes of the rounds to come, the winner stays the same.
        MathematicallyDecided = "mathematically_decided" => "no vote that was still to come could change the winner",
        /// The speakers agree.
        ConsensusReached = "consensus_reached" => "the speakers agreed",
        /// Nothing is left to mend: no critique of the round is severe, or no proposal changed.
        Converged = "converged" => "nothing was left to mend: no severe critique, or no proposal that changed",
        /// Nobody moved for two rounds, and they do not agree.
        Impasse = "impasse" => "nobody moved for two rounds, and they did not agree",
        /// No speech of the round said anything new.
        NoNewArguments = "no_new_arguments" => "no speech of the round said anything new",
        /// The judge said that enough was said.
        JudgeEnough = "judge_enough" => "the judge had heard enough",
        /// The moderator opened the last round with `done`.
        ModeratorDone = "moderator_done" => "the moderator called the last round",
        /// The moderator closed a round as settled.
        ModeratorSettled = "moderator_settled" => "the moderator held the question for settled",
        /// The moderator called the vote when it closed a round.
        ModeratorVote = "moderator_vote" => "the moderator called the vote",
        /// `terminate_when` became true.
        TerminateWhen = "terminate_when" => "terminate_when became true",
        /// The token budget, the decision's share kept back.
        TokenBudget = "token_budget" => "the token budget left no room for more",
        /// The time budget, the decision's share kept back.
        TimeBudget = "time_budget" => "the time budget was spent",
        /// The gate found that the first ballots are not contested enough for a debate.
        NotContested = "not_contested" => "the first ballots were not contested enough for a debate",
        /// `max_rounds`.
        MaxRounds = "max_rounds" => "the last round of the plan was over",
    }
}

/// How far the voters agree: the share of the eligible voters for the top answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Consensus {
    /// The top answer; absent where several answers share the top.
    #[serde(skip_serializing_if = "Option::is_none")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsensusSource {
    /// The final private ballots.
    FinalBallots,
    /// The votes that decided.
    Votes,
    /// The first private ballots, which decided because no round was held.
    FirstBallots,
}

named! {
    /// A share's name: `unanimous` s = 1, `strong` s > 0.8, `moderate` 0.6 <= s <= 0.8, `weak` 0.5 < s < 0.6, `split` s <= 0.5.
    #[derive(PartialOrd, Ord)]
    pub enum Strength {
        /// At most one half.
        Split = "split",
        /// More than one half, less than 0.6.
        Weak = "weak",
        /// 0.6 to 0.8.
        Moderate = "moderate",
        /// More than 0.8.
        Strong = "strong",
        /// All.
        Unanimous = "unanimous",
    }
}

/// What became of the strict majority of the initial ballots: compared with the verdict's winner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct UsageTotals {
    /// Calls made, failed ones included.
    pub calls: u32,
    /// Calls whose prompt or generated tokens are unknown; the sums have what they did report.
    pub unknown_calls: u32,
    /// Prompt tokens that were reported.
    pub prompt_tokens: u64,
    /// Of these, tokens that the prompt cache spared, as far as reported; absent where no call reported any figure.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// Counts the calls of another sum.
    pub fn merge(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.unknown_calls = self.unknown_calls.saturating_add(other.unknown_calls);
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        if let Some(cached) = other.cached_tokens {
            self.cached_tokens = Some(self.cached_tokens.unwrap_or(0).saturating_add(cached));
        }
        self.completion_tokens = self.completion_tokens.saturating_add(other.completion_tokens);
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
