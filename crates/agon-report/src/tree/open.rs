//! A tree as a picture shows it: as much as can be seen, and which attacks nobody answered.
use super::{ArgumentTree, MOST_DRAWN, Relation, TreeEdge, TreeNode};
use crate::analysis::unanswered_attacks;
use crate::minutes::Minutes;
use crate::words;
use std::collections::BTreeSet;

/// What a picture of a tree shows.
pub(crate) struct TreePicture {
    pub(crate) drawn: ArgumentTree,
    /// Contributions that are not drawn.
    left_out: usize,
    pub(crate) open: OpenAttacks,
}

/// The attacks that nobody answered, by both ends.
pub(crate) struct OpenAttacks(BTreeSet<(u32, u32)>);

impl OpenAttacks {
    /// Those of a whole tree. Of a debate that runs none: they may be answered yet.
    fn of(minutes: &Minutes<'_>, tree: &ArgumentTree) -> Self {
        let over = minutes.end.is_some();
        Self(if over { unanswered_attacks(tree) } else { BTreeSet::new() })
    }
    /// Whether this is one of them.
    pub(crate) fn has(&self, edge: &TreeEdge) -> bool {
        edge.relation == Relation::Attacks && self.0.contains(&(edge.from, edge.to))
    }
    /// Whether there is one.
    pub(crate) fn any(&self) -> bool {
        !self.0.is_empty()
    }
}

impl TreePicture {
    /// The picture of a whole tree.
    pub(crate) fn of(minutes: &Minutes<'_>, tree: &ArgumentTree) -> Self {
        let nodes: Vec<TreeNode> = tree.nodes.iter().take(MOST_DRAWN).cloned().collect();
        let last = nodes.last().map_or(0, |node| node.number);
        let edges = tree.edges.iter().filter(|edge| edge.from <= last).cloned().collect();
        let left_out = tree.nodes.len().saturating_sub(MOST_DRAWN);
        Self { drawn: ArgumentTree { nodes, edges }, left_out, open: OpenAttacks::of(minutes, tree) }
    }
    /// The picture in a sentence or two.
    pub(crate) fn described(&self) -> String {
        let mut parts = vec![words::counted(self.drawn.nodes.len() as u64, "speech", "speeches")];
        for relation in Relation::ALL {
            let n = self.drawn.edges.iter().filter(|edge| edge.relation == relation).count();
            if n > 0 {
                parts.push(format!("{n} × {}{}", relation.as_str(), self.unanswered(relation)));
            }
        }
        let left_out = match self.left_out {
            0 => String::new(),
            more => format!("; {more} later ones are not drawn"),
        };
        format!("{}{left_out}.", parts.join(", "))
    }
    fn unanswered(&self, relation: Relation) -> String {
        match self.drawn.edges.iter().filter(|edge| edge.relation == relation && self.open.has(edge)).count() {
            0 => String::new(),
            n => format!(" ({n} unanswered)"),
        }
    }
    /// `T3 attacks T1, severity 7 of 10, unanswered`.
    pub(crate) fn told(&self, edge: &TreeEdge) -> String {
        let severity = edge.severity.map(|severity| format!(", severity {severity} of 10")).unwrap_or_default();
        let open = if self.open.has(edge) { ", unanswered" } else { "" };
        format!("T{} {} T{}{severity}{open}", edge.from, edge.relation.as_str(), edge.to)
    }
}
