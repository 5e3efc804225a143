//! How long answers are, how structured ones are read, and what they carry besides.
use serde::Serialize;

/// How long answers are, how structured ones are read, and what they carry besides. All of it is off unless the file asks for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AnswerOptions {
    /// A value that is not among the allowed ones is read as the one that it clearly means, and the call says so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub coerce_answers: bool,
    /// Answers may have no more tokens than their model generates within a turn's time, by the speed that was measured.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub adapt_max_tokens: bool,
    /// Ballots and votes say how sure the voter is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub confidence: bool,
    /// Under [`crate::VoteRule::Weighted`], a vote's weight is multiplied by its voter's confidence.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub weigh_by_confidence: bool,
    /// How sure each speaker has to be, 1 to 100, for [`crate::EndCondition::ConsensusReached`]; absent: it is not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence_at_least: Option<u8>,
}
