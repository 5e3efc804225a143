//! Which attacks were answered.
use crate::tree::{ArgumentTree, Relation, TreeEdge};
use std::collections::{BTreeMap, BTreeSet};

/// An attack of the tree.
pub(super) struct TreeAttack<'t> {
    pub(super) edge: &'t TreeEdge,
    /// Whose speech attacks.
    pub(super) by: &'t str,
    /// Whose speech is attacked.
    pub(super) on: &'t str,
    /// Whether somebody but the attacker attacked or answered the attacking speech later, or the attacked speech was
    /// revised after the attack.
    pub(super) answered: bool,
}

/// The speakers by the numbers of what they said.
pub(super) fn speakers(tree: &ArgumentTree) -> BTreeMap<u32, &str> {
    tree.nodes.iter().map(|node| (node.number, node.speaker.as_str())).collect()
}

/// Every attack, in the order of the attacking speeches.
pub(super) fn of(tree: &ArgumentTree) -> Vec<TreeAttack<'_>> {
    let speakers = speakers(tree);
    let mut incoming: BTreeMap<u32, Vec<&TreeEdge>> = BTreeMap::new();
    for edge in &tree.edges {
        incoming.entry(edge.to).or_default().push(edge);
    }
    let into = |number: u32| incoming.get(&number).into_iter().flatten();
    let attack = |edge: &'_ TreeEdge| {
        let (by, on) = (*speakers.get(&edge.from)?, *speakers.get(&edge.to)?);
        let replied = |reply: &TreeEdge| {
            let answers = matches!(reply.relation, Relation::Attacks | Relation::Answers);
            answers && speakers.get(&reply.from).is_some_and(|who| *who != by)
        };
        let revised = |later: &TreeEdge| later.relation == Relation::Revises && later.from > edge.from;
        let answered = into(edge.from).any(|reply| replied(reply)) || into(edge.to).any(|later| revised(later));
        Some((by, on, answered))
    };
    let attacks = tree.edges.iter().filter(|edge| edge.relation == Relation::Attacks);
    attacks.filter_map(|edge| attack(edge).map(|(by, on, answered)| TreeAttack { edge, by, on, answered })).collect()
}

/// The attacks that nobody answered: the numbers of the attacking and of the attacked.
pub(crate) fn unanswered(tree: &ArgumentTree) -> BTreeSet<(u32, u32)> {
    of(tree).iter().filter(|attack| !attack.answered).map(|attack| (attack.edge.from, attack.edge.to)).collect()
}
