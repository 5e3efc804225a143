//! The analysis of a debate that is over: figures and sentences that follow from its log, without a model.
//!
//! Everything here derives from the ballots, the [argument tree](crate::ArgumentTree), the scores and the citations that
//! the log already holds; what a speech means is not looked at. What the log does not tell is absent, never 0. Where the
//! debate file keeps the debaters' words out of reports, all that rests on their speeches is absent too.
mod attacks;
mod ballots;
mod beliefs;
mod citations;
mod disagreement;
mod insights;
mod metrics;
mod relationships;
mod sums;
mod tables;

use crate::minutes::Minutes;
use crate::result::ResultState;
use crate::tree::ArgumentTree;
use attacks::TreeAttack;
pub(crate) use attacks::unanswered as unanswered_attacks;
use ballots::HeldAnswers;
pub(crate) use beliefs::stands;
pub use beliefs::{Belief, Beliefs, StrongestSpeech};
pub use citations::{Ground, VerdictGrounds};
pub use disagreement::{Agreement, Disagreement, Side, StandingAttack, StandingAttacks};
pub use metrics::DebaterMetrics;
pub use relationships::DebaterRelation;
use serde::Serialize;
pub(crate) use tables::STRENGTH;

/// What the log of a debate that is over says about who did what to whom, what is still open, and what the verdict
/// rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Analysis {
    /// Sentences made from the figures below and nothing else, most important first, at most 8.
    pub insights: Vec<String>,
    /// Each debater by itself, in declared order.
    pub metrics: Vec<DebaterMetrics>,
    /// Each ordered pair of debaters of whom there is something to tell, in declared order.
    pub relationships: Vec<DebaterRelation>,
    /// What the debaters still differ on.
    pub disagreement: Disagreement,
    /// What the judges quote; absent where no judge judged, or where the words of judges or debaters are kept out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict_grounds: Option<VerdictGrounds>,
    /// How strong each speech stands among those that attack and support it; absent where no speech may be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beliefs: Option<Beliefs>,
}

/// What all parts of the analysis are made of.
struct AnalysisFacts<'m, 'a> {
    minutes: &'m Minutes<'a>,
    /// What the debaters held before and after, in declared order.
    held: Vec<HeldAnswers<'m>>,
    /// Absent where the file keeps the debaters' words out of reports: then nothing is known of them, which is not zero.
    floor: Option<ShownFloor<'m>>,
}

/// What was said, and what it is to what was said before.
struct ShownFloor<'m> {
    tree: &'m ArgumentTree,
    /// Every attack of the tree, in the order of the attacking speeches.
    attacks: Vec<TreeAttack<'m>>,
}

impl Analysis {
    /// The analysis of a debate that ended with a result; none of one that runs, failed or was cancelled, or whose file
    /// switches the phase `analysis` off, and none of a poll, in which nobody moves anybody.
    pub fn of(minutes: &Minutes<'_>) -> Option<Self> {
        let poll = minutes.admission.spec.is_poll();
        if poll || !wanted(minutes) || minutes.state() != ResultState::Succeeded {
            return None;
        }
        let tree = ArgumentTree::of(minutes);
        let shown = minutes.visible.debaters.history;
        let floor = shown.then(|| ShownFloor { attacks: attacks::of(&tree), tree: &tree });
        let facts = AnalysisFacts { minutes, held: ballots::held(minutes), floor };
        let beliefs = beliefs::of(&facts);
        let grounds = citations::of(&facts, beliefs.as_ref());
        let mut analysis = Self {
            insights: Vec::new(),
            metrics: metrics::of(&facts),
            relationships: relationships::of(&facts),
            disagreement: disagreement::of(&facts),
            verdict_grounds: grounds,
            beliefs,
        };
        analysis.insights = insights::of(&facts, &analysis);
        Some(analysis)
    }
}

/// Whether the debate file wants the analysis.
fn wanted(minutes: &Minutes<'_>) -> bool {
    minutes.admission.spec.phases.analysis
}
