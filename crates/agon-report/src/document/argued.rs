//! What follows from what was said: the argument tree and the analysis.
use super::{AttackGrid, ReportBlock};
use crate::analysis::{Analysis, stands};
use crate::minutes::Minutes;
use crate::tree::ArgumentTree;
use agon_core::SpeechKind;

/// How strong the speeches for a position stand.
pub(crate) struct Strengths {
    /// The strongest first, and of equals the earlier.
    pub(crate) speeches: Vec<SpeechStrength>,
}
pub(crate) struct SpeechStrength {
    pub(crate) number: u32,
    pub(crate) speaker: String,
    pub(crate) kind: SpeechKind,
    pub(crate) strength: f64,
    /// Whether it is the strongest speech for its position.
    pub(crate) strongest: bool,
}

/// The tree, and who attacked whom in it.
pub(super) fn tree<'m>(minutes: &Minutes<'_>) -> Vec<ReportBlock<'m>> {
    let tree = ArgumentTree::of(minutes);
    if tree.nodes.is_empty() {
        return Vec::new();
    }
    let grid = AttackGrid::of(minutes, &tree).map(ReportBlock::Attacks);
    [ReportBlock::Tree(tree)].into_iter().chain(grid).collect()
}

/// What the figures say, in a few sentences.
pub(super) fn insights<'m>(minutes: &Minutes<'_>) -> Vec<ReportBlock<'m>> {
    let insights = Analysis::of(minutes).map(|analysis| analysis.insights).unwrap_or_default();
    let insights: Vec<String> = insights.into_iter().take(MOST_INSIGHTS).collect();
    (!insights.is_empty()).then_some(ReportBlock::Lines(insights)).into_iter().collect()
}

/// The sentences, the tables, and the strengths.
pub(super) fn analysis<'m>(minutes: &Minutes<'_>) -> Vec<ReportBlock<'m>> {
    let Some(analysis) = Analysis::of(minutes) else { return Vec::new() };
    let strengths = strengths(minutes, &analysis).map(ReportBlock::Strengths);
    let tables = analysis.tables();
    [ReportBlock::Insights(analysis.insights)].into_iter().chain(tables).chain(strengths).collect()
}

/// Sentences of the summary at most.
const MOST_INSIGHTS: usize = 5;

fn strengths(minutes: &Minutes<'_>, analysis: &Analysis) -> Option<Strengths> {
    let beliefs = analysis.beliefs.as_ref().filter(|beliefs| beliefs.differ())?;
    let tree = ArgumentTree::of(minutes);
    let standing = beliefs.speeches.iter().zip(&tree.nodes).filter(|(belief, node)| stands(belief, node));
    let one = standing.map(|(belief, node)| SpeechStrength {
        number: belief.number,
        speaker: belief.speaker.clone(),
        kind: node.kind,
        strength: belief.strength,
        strongest: beliefs.strongest.iter().any(|one| one.number == belief.number),
    });
    let mut speeches: Vec<SpeechStrength> = one.collect();
    speeches.sort_by(|one, other| other.strength.total_cmp(&one.strength).then(one.number.cmp(&other.number)));
    Some(Strengths { speeches })
}
