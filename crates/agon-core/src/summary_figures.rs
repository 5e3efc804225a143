//! What a list says of a debate besides its topic and its state: the winner, the dissent, models, tokens and progress.
use crate::event::Admission;
use crate::fence::{cut, one_line};
use crate::ids::{DebateId, ModelName};
use crate::outcome::UsageTotals;
use crate::progress::CallCounts;
use serde::Serialize;

/// Characters of a winner that a list keeps.
pub const WINNER_CHARS: usize = 200;
/// Models that a list keeps of a debate. Calls of further ones are counted together.
pub const MOST_LISTED_MODELS: usize = 32;

/// What lists show of a debate, at any moment of it: small, whatever the size of its log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummaryFigures {
    /// What won, or where nobody is to win, the beginning of the answer: on one line, of [`WINNER_CHARS`] characters at most. Absent
    /// without a verdict.
    pub winner: Option<String>,
    /// How many are against the winner; absent where there is none, or nobody else chose.
    pub dissent: Option<Dissent>,
    /// The models that were called, and those that are planned, the most called first, then by name; [`MOST_LISTED_MODELS`] of them at most.
    pub models: Vec<ModelUsage>,
    /// Calls of further models, and those whose model is unknown; absent where there are none.
    pub other_calls: Option<UsageTotals>,
    /// Calls so far, and about how many there will be.
    pub calls: CallCounts,
    /// The most rounds that the debate may have.
    pub max_rounds: u32,
    /// Turns that were answered.
    pub turns: u32,
    /// Tries that failed.
    pub failed_tries: u32,
    /// The ended debate that it judges again.
    pub rejudges: Option<DebateId>,
}

/// The calls of a model in one debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelUsage {
    /// The model, by the name that the debate file calls it by.
    pub model: ModelName,
    /// Its calls and their tokens; no call where it is only planned.
    pub usage: UsageTotals,
}

/// How many of those who chose are against the winner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Dissent {
    /// Those who chose something else.
    pub against: u32,
    /// All who chose and could have chosen the winner.
    pub of: u32,
    /// Who chose.
    pub among: DissentAmong,
}

named! {
    /// Who chose: those who decided where they were several, else the debaters on their ballots.
    pub enum DissentAmong {
        /// The private ballots at the end; the first ones where no round was held.
        Ballots = "ballots" => "ballots",
        /// The votes that decided; of approvals and rankings, those that do not approve of the winner or put it first. In a poll the samples.
        Votes = "votes" => "votes",
        /// The judges of a panel. One is against the winner if any of its readings names another one.
        Judges = "judges" => "judges",
    }
}

/// What lists show as the winner: what won, or else the beginning of the answer, on one line.
pub fn listed_winner(winner: Option<&str>, answer: Option<&str>) -> Option<String> {
    Some(cut(&one_line(winner.or(answer)?), WINNER_CHARS - 1).into_owned())
}

impl SummaryFigures {
    /// Of a debate that was just admitted.
    pub fn of_admission(admission: &Admission) -> Self {
        crate::debate::CallTotals::admitted(admission).figures(admission)
    }

    /// The calls of all models and their tokens.
    pub fn usage(&self) -> UsageTotals {
        let all = self.models.iter().map(|model| &model.usage).chain(&self.other_calls);
        all.fold(UsageTotals::default(), |mut sum, usage| {
            sum.merge(usage);
            sum
        })
    }

    /// Whether the debate calls this model, or means to.
    pub fn has_model(&self, name: &ModelName) -> bool {
        self.models.iter().any(|model| model.model == *name)
    }
}
