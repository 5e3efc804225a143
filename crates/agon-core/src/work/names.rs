//! How prompts call what there are several kinds of: speeches, bids, ballots, conclusions.
use crate::task::{BallotStage, BidPurpose, Conclusion, SpeechKind};

impl SpeechKind {
    /// How a prompt calls it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Opening => "opening statement",
            Self::Argument => "argument",
            Self::Closing => "closing statement",
            Self::Question => "question",
            Self::Answer => "answer",
            Self::FollowUp => "follow-up",
            Self::Proposal => "proposal",
            // the structured one is a kind of turn of its own; this one was asked for by the moderator
            Self::Revision => "revised position",
            Self::Rebuttal => "rebuttal",
            Self::Clarification => "clarification",
            Self::Interjection => "interjection",
            Self::Critique => "critique",
            Self::Point => "point of information",
            Self::PointReply => "answer points",
            Self::Moderation => "interject",
        }
    }
}

impl BidPurpose {
    /// How a prompt calls it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Floor => "bid",
            Self::Reaction => "reaction",
            Self::Circle => "bid for the circle",
            Self::Interruption => "interruption",
            Self::Point => "point of information",
        }
    }
}

impl BallotStage {
    /// How a prompt calls it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Initial => "private ballot (initial)",
            Self::Final => "private ballot (final)",
        }
    }
}

impl Conclusion {
    /// How a prompt calls it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Reconciliation => "reconcile",
            Self::Summary => "closing summary",
            Self::Decision => "mediator decision",
        }
    }
}
