//! The argument tree as a quantitative bipolar argumentation graph, and the strengths that follow by DF-QuAD.
//!
//! Source: A. Rago, F. Toni, M. Aurisicchio, P. Baroni, "Discontinuity-Free Decision Support with Quantitative
//! Argumentation Debates", KR 2016. Every speech has a base score v0 and a strength σ, both 0 to 1:
//!
//! - aggregation of what acts upon a speech: F(v1 … vn) = 1 - (1 - v1) · … · (1 - vn), and F() = 0
//! - with va = F of the attackers and vs = F of the supporters: σ = v0 - v0 · (va - vs) where va ≥ vs, and
//!   σ = v0 + (1 - v0) · (vs - va) where vs > va
//!
//! The weights of edges are an addition: an edge of weight w from a speech of strength σ counts as v = w · σ. With all
//! weights 1 it is DF-QuAD as published. An edge leads to something earlier, so one pass from the last speech to the first
//! has every strength before it is wanted.
use super::sums::{counted, thousandths};
use super::{AnalysisFacts, ShownFloor};
use crate::tree::{Relation, TreeEdge, TreeNode, is_speech};
use agon_core::tally::same_answer;
use agon_core::{SpeechKind, TurnId};
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The base score of a speech that the moderator did not score.
const BASE: f64 = 0.5;
/// What a moderator can give a speech at most.
const MOST_SCORE: f64 = 40.0;
/// The highest severity of a critique.
const MOST_SEVERE: f64 = 10.0;

/// How strong each speech stands among those that attack and support it. A strength is a property of the graph, not of
/// truth: who speaks last is attacked least.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Beliefs {
    /// Every speech of the argument tree, by number.
    pub speeches: Vec<Belief>,
    /// The strongest speech for each stance or named answer, in the order in which these are first spoken for. Empty
    /// where no speech was scored, attacked or supported, for then all stand the same.
    pub strongest: Vec<StrongestSpeech>,
}

impl Beliefs {
    /// Whether anything sets one speech apart from another.
    pub(crate) fn differ(&self) -> bool {
        moved(&self.speeches)
    }
}

/// How strong a speech stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Belief {
    /// The number of the speech in the argument tree.
    pub number: u32,
    /// Who spoke.
    pub speaker: String,
    /// For which stance or, where it has none, for which answer that it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// The score before anything acts upon it, 0 to 1: the mean total that the moderator gave the speech as a share of
    /// 40, or 0.5 where it gave none.
    pub base: f64,
    /// Whether the base score is the moderator's.
    pub scored: bool,
    /// Attacks that act upon it.
    pub attackers: u32,
    /// Supports that act upon it.
    pub supporters: u32,
    /// The strength after all that acts upon it, 0 to 1, to thousandths.
    pub strength: f64,
    /// The revision that replaces it. A revised speech keeps the strength that it had, and acts on nothing any more: its
    /// revision attacks and supports in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revised_by: Option<u32>,
}

/// The strongest speech for a position; of several that are as strong the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StrongestSpeech {
    /// The stance or answer.
    pub position: String,
    /// The number of the speech in the argument tree. Critiques, questions, points of information and what was revised
    /// do not count.
    pub number: u32,
    /// Who spoke.
    pub speaker: String,
    /// Its strength.
    pub strength: f64,
    /// How many other speeches for the position are as strong.
    pub equals: u32,
}

pub(super) fn of(facts: &AnalysisFacts<'_, '_>) -> Option<Beliefs> {
    let floor = facts.floor.as_ref().filter(|floor| !floor.tree.nodes.is_empty())?;
    let scores: Vec<Option<f64>> = floor.tree.nodes.iter().map(|node| score(facts, node)).collect();
    let numbers = floor.tree.nodes.iter().map(|node| node.number);
    let bases = numbers.zip(&scores).map(|(number, score)| (number, score.unwrap_or(BASE))).collect();
    let graph = Graph::of(&bases, &floor.tree.edges);
    let strengths = graph.strengths();
    let speeches: Vec<Belief> = floor
        .tree
        .nodes
        .iter()
        .zip(scores)
        .map(|(node, score)| Belief {
            number: node.number,
            speaker: node.speaker.clone(),
            position: position(facts, node).map(str::to_owned),
            base: thousandths(score.unwrap_or(BASE)),
            scored: score.is_some(),
            attackers: graph.acting(node.number, ActingSide::Against),
            supporters: graph.acting(node.number, ActingSide::For),
            strength: thousandths(strengths.get(&node.number).copied().unwrap_or(BASE)),
            revised_by: graph.revisions.get(&node.number).copied(),
        })
        .collect();
    let strongest = strongest(floor, &speeches);
    Some(Beliefs { speeches, strongest })
}

/// The mean of the moderator's total scores of a speech, as a share of the most that it can give.
fn score(facts: &AnalysisFacts<'_, '_>, node: &TreeNode) -> Option<f64> {
    let turn = TurnId { round: node.round, seat: node.seat, attempt: 0 };
    let all = facts.minutes.speech_scores().flat_map(|(_, scores)| scores);
    let totals: Vec<f64> = all
        .filter(|score| score.speech.same_slot(turn) && speaks(node.kind))
        .map(|score| (f64::from(score.score.total()) / MOST_SCORE).clamp(0.0, 1.0))
        .collect();
    (!totals.is_empty()).then(|| totals.iter().sum::<f64>() / totals.len() as f64)
}

/// The stance of a speech or, where it has none, the answer that it names.
fn position<'f>(facts: &'f AnalysisFacts<'_, '_>, node: &'f TreeNode) -> Option<&'f str> {
    let at = (node.number as usize).checked_sub(1)?;
    let named = || facts.minutes.transcript.entries().get(at)?.answer.as_deref();
    node.stance.as_deref().or_else(named)
}

/// Whether it is a speech for a position that was not revised into another.
pub(crate) fn stands(belief: &Belief, node: &TreeNode) -> bool {
    belief.revised_by.is_none() && speaks(node.kind)
}

/// Whether any speech was scored, attacked or supported.
fn moved(speeches: &[Belief]) -> bool {
    speeches.iter().any(|belief| belief.scored || belief.attackers > 0 || belief.supporters > 0)
}

fn strongest(floor: &ShownFloor<'_>, speeches: &[Belief]) -> Vec<StrongestSpeech> {
    let mut strongest: Vec<StrongestSpeech> = Vec::new();
    if !moved(speeches) {
        return strongest;
    }
    for (node, belief) in floor.tree.nodes.iter().zip(speeches) {
        let Some(position) = belief.position.as_deref() else { continue };
        if !stands(belief, node) {
            continue;
        }
        let (position, number, speaker) = (position.to_owned(), belief.number, belief.speaker.clone());
        let found = StrongestSpeech { position, number, speaker, strength: belief.strength, equals: 0 };
        match strongest.iter_mut().find(|known| same_answer(&known.position, &found.position)) {
            Some(known) => match found.strength.total_cmp(&known.strength) {
                Ordering::Less => {}
                Ordering::Equal => known.equals = known.equals.saturating_add(1),
                Ordering::Greater => *known = StrongestSpeech { position: known.position.clone(), ..found },
            },
            None => strongest.push(found),
        }
    }
    strongest
}

/// Whether it is a speech that speaks for a position.
fn speaks(kind: SpeechKind) -> bool {
    is_speech(kind) && !matches!(kind, SpeechKind::Question | SpeechKind::FollowUp)
}

/// On which side of a speech something acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ActingSide {
    For,
    Against,
}

/// What acts upon a speech.
#[derive(Clone, Copy, Debug)]
struct ActingEdge {
    from: u32,
    side: ActingSide,
    weight: f64,
}

/// Base scores, what acts upon what, and which speeches were replaced by which.
struct Graph<'b> {
    bases: &'b BTreeMap<u32, f64>,
    acts: BTreeMap<u32, Vec<ActingEdge>>,
    revisions: BTreeMap<u32, u32>,
}

impl<'b> Graph<'b> {
    fn of(bases: &'b BTreeMap<u32, f64>, edges: &[TreeEdge]) -> Self {
        let backward = || edges.iter().filter(|edge| edge.from > edge.to);
        let mut revisions: BTreeMap<u32, u32> = BTreeMap::new();
        for edge in backward().filter(|edge| edge.relation == Relation::Revises) {
            let last = revisions.entry(edge.to).or_default();
            *last = edge.from.max(*last);
        }
        let mut acts: BTreeMap<u32, Vec<ActingEdge>> = BTreeMap::new();
        for edge in backward() {
            let Some(side) = side(edge.relation) else { continue };
            let from = current(&revisions, edge.from);
            acts.entry(edge.to).or_default().push(ActingEdge { from, side, weight: weight(edge) });
        }
        acts.values_mut().for_each(|acts| acts.sort_by_key(|act| act.from));
        Self { bases, acts, revisions }
    }
    fn acting(&self, on: u32, side: ActingSide) -> u32 {
        counted(self.acts.get(&on).into_iter().flatten().filter(|act| act.side == side).count())
    }
    /// The strengths by number: whatever acts upon a speech is later and comes before it here.
    fn strengths(&self) -> BTreeMap<u32, f64> {
        let mut strengths: BTreeMap<u32, f64> = BTreeMap::new();
        for (number, base) in self.bases.iter().rev() {
            let acts = self.acts.get(number).map(Vec::as_slice).unwrap_or_default();
            let of = |side| {
                let acting = acts.iter().filter(move |act| act.side == side);
                aggregate(acting.filter_map(|act| Some(act.weight * strengths.get(&act.from)?)))
            };
            let strength = combine(*base, of(ActingSide::Against), of(ActingSide::For));
            strengths.insert(*number, strength);
        }
        strengths
    }
}

/// What a speech was revised into in the end; itself where it was not. Revisions are later, so this ends.
fn current(revisions: &BTreeMap<u32, u32>, number: u32) -> u32 {
    let mut current = number;
    while let Some(revision) = revisions.get(&current) {
        current = *revision;
    }
    current
}

fn side(relation: Relation) -> Option<ActingSide> {
    match relation {
        Relation::Attacks => Some(ActingSide::Against),
        Relation::Supports => Some(ActingSide::For),
        Relation::Asks | Relation::Answers | Relation::Revises => None,
    }
}

/// Of an attack by a critique its severity in tenths. A support by a critique finds nothing wrong, so it weighs 1 like all
/// others.
fn weight(edge: &TreeEdge) -> f64 {
    match (edge.relation, edge.severity) {
        (Relation::Attacks, Some(severity)) => (f64::from(severity) / MOST_SEVERE).min(1.0),
        (Relation::Attacks, None)
        | (Relation::Supports | Relation::Asks | Relation::Answers | Relation::Revises, _) => 1.0,
    }
}

/// F: what many do together.
fn aggregate(values: impl Iterator<Item = f64>) -> f64 {
    1.0 - values.fold(1.0, |left, value| left * (1.0 - value))
}

/// C: the base score moved by the difference of both sides.
fn combine(base: f64, against: f64, support: f64) -> f64 {
    let strength =
        if support > against { base + (1.0 - base) * (support - against) } else { base - base * (against - support) };
    strength.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests;
