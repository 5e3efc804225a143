//! Whether a debate is held whatever its first ballots say.
use super::{DebateFormat, DebateSpec};
use crate::event::PhaseName;
use crate::gate::GateRule;
use serde::Serialize;

named! {
    /// When rounds are held.
    #[derive(Default, PartialOrd, Ord)]
    pub enum DebateWhen {
        #[default]
        Always = "always": "the debate is held, whatever the first ballots say",
        IfContested = "if_contested": "the first ballots decide whether rounds are worth their tokens; where they are not, the ballots' top answer wins"
            => "only if the first ballots are contested",
    }
}

/// How the gate of [`DebateWhen::IfContested`] decides.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GateOptions {
    /// A learned rule; absent: a debate is skipped where all debaters, three at least, cast the same ballot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<GateRule>,
    /// The share of the debates to be skipped that are held all the same, drawn from the seed: 0 to 1.
    #[serde(skip_serializing_if = "is_none")]
    pub explore: f64,
    /// A debate of other settings or models than the rule was learned on is refused; else there is a warning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
}
impl GateOptions {
    /// Whether nothing was changed.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_none(share: &f64) -> bool {
    *share <= 0.0
}

impl DebateSpec {
    /// Whether answers of openings stand for first ballots: where proposals are voted on by their authors' names, and in a poll.
    pub fn answers_for_ballots(&self) -> bool {
        matches!(self.debate_format, DebateFormat::CritiqueRevision | DebateFormat::Poll)
    }
    /// The phase after which the gate decides, where there is one.
    pub fn gate_phase(&self) -> Option<PhaseName> {
        let phase = if self.answers_for_ballots() { PhaseName::OpeningStatements } else { PhaseName::InitialBallots };
        (self.debate == DebateWhen::IfContested).then_some(phase)
    }
}
