//! What a seat is opened for.
use crate::ids::ParticipantId;
use crate::spec::Bench;
use crate::task::{BallotStage, BidPurpose, Conclusion, SpeechKind};
use serde::Serialize;
use std::sync::Arc;

mod traits;

pub use traits::*;

/// The kind of work that a seat is opened for: what is known of its task before it is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Work {
    /// A private ballot.
    Ballot {
        /// Before round 1 or at the end.
        stage: BallotStage,
    },
    /// An opening statement.
    Opening,
    /// A speech of a round.
    Argument {
        /// Whom the speaker answers, where it bid for the floor.
        #[serde(skip_serializing_if = "Option::is_none")]
        to: Option<ParticipantId>,
        /// The speaker's place in a British Parliamentary debate.
        #[serde(skip_serializing_if = "Option::is_none")]
        bench: Option<Bench>,
    },
    /// A speech that is neither opening, argument nor closing.
    Statement {
        /// What kind of speech.
        speech: SpeechKind,
        /// To whom.
        #[serde(skip_serializing_if = "Option::is_none")]
        to: Option<ParticipantId>,
        /// What was asked.
        #[serde(skip_serializing_if = "Option::is_none")]
        about: Option<Arc<str>>,
    },
    /// A final statement.
    Closing,
    /// Whether one wants to speak.
    Bid {
        /// For what.
        purpose: BidPurpose,
        /// On whose speech.
        #[serde(skip_serializing_if = "Option::is_none")]
        on: Option<ParticipantId>,
        /// What was heard so far of a running speech.
        #[serde(skip_serializing_if = "Option::is_none")]
        heard: Option<Arc<str>>,
    },
    /// Which point of information a speaker takes.
    AnswerPoints,
    /// A critique.
    Critique {
        /// Of whose proposal.
        of: ParticipantId,
    },
    /// One's own proposal, revised.
    Revise,
    /// Notes for oneself.
    Reflect,
    /// The moderator opens the round.
    OpenRound,
    /// The moderator closes the round.
    CloseRound,
    /// The moderator interjects.
    Interject,
    /// The moderator scores the round's speeches.
    ScoreSpeeches,
    /// The moderator researches.
    Research,
    /// The moderator concludes.
    Conclude {
        /// In what manner.
        conclusion: Conclusion,
    },
    /// The past is summed up.
    Summarise,
    /// The similarity of the round's speeches is measured.
    Measure,
    /// The judge says whether enough was said.
    EnoughSaid,
    /// The judge reads the log in one order.
    Judge {
        /// Which.
        order: u32,
    },
    /// The judge ranks all candidates in one order.
    Rank {
        /// Which.
        order: u32,
    },
    /// A vote that counts.
    Vote,
    /// Every other debater is scored.
    ScoreDebaters,
    /// The result is turned into what the author wants.
    Synthesise,
}
impl Work {
    /// A speech of a round, to nobody in particular.
    pub const ARGUMENT: Self = Self::Argument { to: None, bench: None };

    /// Whether a speech for it ends with the line that states its speaker's answer, where the debate asks for that.
    pub fn names_answer(&self) -> bool {
        match self {
            Self::Statement { speech, .. } => {
                matches!(speech, SpeechKind::Proposal | SpeechKind::Revision | SpeechKind::Answer)
            }
            work => matches!(work, Self::Opening | Self::Argument { .. } | Self::Revise),
        }
    }
    /// Whether a debater speaks before anybody was heard.
    pub fn is_first_speech(&self) -> bool {
        matches!(self, Self::Opening | Self::Statement { speech: SpeechKind::Proposal, .. })
    }

    /// Whom it turns to or is about, and the words of others that it quotes.
    pub fn others_mut(&mut self) -> (Option<&mut ParticipantId>, Option<&mut Arc<str>>) {
        match self {
            Self::Argument { to, .. } => (to.as_mut(), None),
            Self::Statement { to, about, .. } => (to.as_mut(), about.as_mut()),
            Self::Bid { on, heard, .. } => (on.as_mut(), heard.as_mut()),
            Self::Critique { of } => (Some(of), None),
            Self::Ballot { .. }
            | Self::Opening
            | Self::Closing
            | Self::AnswerPoints
            | Self::Revise
            | Self::Reflect
            | Self::OpenRound
            | Self::CloseRound
            | Self::Interject
            | Self::ScoreSpeeches
            | Self::Research
            | Self::Conclude { .. }
            | Self::Summarise
            | Self::Measure
            | Self::EnoughSaid
            | Self::Judge { .. }
            | Self::Rank { .. }
            | Self::Vote
            | Self::ScoreDebaters
            | Self::Synthesise => (None, None),
        }
    }
}

/// A seat that is opened: whose, for what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Seat {
    /// Whose.
    pub participant: ParticipantId,
    /// For what.
    pub work: Work,
}
