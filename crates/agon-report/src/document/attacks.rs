//! Who attacked whom, as a grid of counts.
use crate::minutes::Minutes;
use crate::tree::{ArgumentTree, Relation};
use std::collections::BTreeMap;

/// Speakers that the grid has at most; the analysis names every pair.
const MOST_SPEAKERS: usize = 24;
/// The steps of the shading.
const STEPS: u32 = 5;

/// How often whose contributions attack whose, by the argument tree.
pub(crate) struct AttackGrid {
    /// The debaters, in declared order.
    pub(crate) speakers: Vec<String>,
    /// For each of them, the attacks on each.
    pub(crate) counts: Vec<Vec<u32>>,
    /// Debaters who are left out.
    pub(crate) left_out: usize,
}

impl AttackGrid {
    /// The grid; nothing where nobody attacked anybody, or nobody's words may be shown.
    pub(super) fn of(minutes: &Minutes<'_>, tree: &ArgumentTree) -> Option<Self> {
        let who: BTreeMap<u32, &str> = tree.nodes.iter().map(|node| (node.number, node.speaker.as_str())).collect();
        let mut pairs: BTreeMap<(&str, &str), u32> = BTreeMap::new();
        for edge in tree.edges.iter().filter(|edge| edge.relation == Relation::Attacks) {
            let Some((by, on)) = who.get(&edge.from).zip(who.get(&edge.to)) else { continue };
            let n = pairs.entry((by, on)).or_default();
            *n = n.saturating_add(1);
        }
        let all: Vec<&str> = minutes.admission.spec.personas.iter().map(|persona| persona.name.as_str()).collect();
        let shown = all.get(..MOST_SPEAKERS).unwrap_or(&all);
        let count = |by: &str, on: &str| pairs.get(&(by, on)).copied().unwrap_or_default();
        let counts = shown.iter().map(|by| shown.iter().map(|on| count(by, on)).collect()).collect();
        let (speakers, left_out) = (shown.iter().map(|name| (*name).to_owned()).collect(), all.len() - shown.len());
        (!pairs.is_empty()).then_some(Self { speakers, counts, left_out })
    }
    /// The rows: whose attacks, and on each of the others how many, with the step of the shading, 0 to 5;
    /// nothing where both are the same.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&str, Vec<Option<(u32, u32)>>)> {
        let most = self.counts.iter().flatten().copied().max().unwrap_or(0);
        // Up to five attacks, each is a step of its own: one attack is never dark.
        let most = most.max(STEPS);
        let step = move |n: u32| n.saturating_mul(STEPS).div_ceil(most).min(STEPS);
        let rows = self.speakers.iter().zip(&self.counts).enumerate();
        rows.map(move |(by, (name, counts))| {
            let cell = |(on, n): (usize, &u32)| (on != by || *n > 0).then(|| (*n, step(*n)));
            (name.as_str(), counts.iter().enumerate().map(cell).collect())
        })
    }
}
