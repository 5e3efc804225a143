use super::*;
use proptest::prelude::*;

fn edge(from: u32, to: u32, relation: Relation) -> TreeEdge {
    TreeEdge { from, to, relation, severity: None }
}
fn attack(from: u32, to: u32) -> TreeEdge {
    edge(from, to, Relation::Attacks)
}
fn support(from: u32, to: u32) -> TreeEdge {
    edge(from, to, Relation::Supports)
}
fn strengths(bases: &[f64], edges: &[TreeEdge]) -> Vec<f64> {
    let bases: BTreeMap<u32, f64> = (1..).zip(bases.iter().copied()).collect();
    Graph::of(&bases, edges).strengths().into_values().collect()
}
fn close(found: &[f64], wanted: &[f64]) -> bool {
    found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-9)
}

#[test]
fn what_nobody_attacks_or_supports_keeps_its_base_score() {
    let edges = [edge(2, 1, Relation::Asks), edge(3, 2, Relation::Answers), edge(3, 1, Relation::Revises)];
    assert_eq!(strengths(&[0.2, 0.5, 0.9], &edges), [0.2, 0.5, 0.9]);
}

#[test]
fn the_formulas_are_those_of_df_quad() {
    // 0.5 - 0.5 * 0.5, and 0.5 + 0.5 * 0.5
    assert!(close(&strengths(&[0.5, 0.5], &[attack(2, 1)]), &[0.25, 0.5]));
    assert!(close(&strengths(&[0.5, 0.5], &[support(2, 1)]), &[0.75, 0.5]));
    // F(0.5, 0.5) = 0.75
    assert!(close(&strengths(&[0.8, 0.5, 0.5], &[attack(2, 1), attack(3, 1)]), &[0.2, 0.5, 0.5]));
    // 0.8 + 0.2 * (0.75 - 0.4)
    let edges = [support(2, 1), support(3, 1), attack(4, 1)];
    assert!(close(&strengths(&[0.8, 0.5, 0.5, 0.4], &edges), &[0.87, 0.5, 0.5, 0.4]));
    // as many for as against
    assert!(close(&strengths(&[0.3, 0.5, 0.5], &[attack(2, 1), support(3, 1)]), &[0.3, 0.5, 0.5]));
}

#[test]
fn an_attacker_that_is_attacked_itself_counts_for_less() {
    assert!(close(&strengths(&[0.5, 0.5, 0.5], &[attack(2, 1), attack(3, 2)]), &[0.375, 0.25, 0.5]));
}

#[test]
fn a_critique_weighs_by_its_severity_and_one_that_finds_nothing_supports_in_full() {
    let severe = |severity, relation| TreeEdge { severity: Some(severity), ..edge(2, 1, relation) };
    assert!(close(&strengths(&[0.5, 0.5], &[severe(4, Relation::Attacks)]), &[0.4, 0.5]));
    assert!(close(&strengths(&[0.5, 0.5], &[severe(10, Relation::Attacks)]), &[0.25, 0.5]));
    assert!(close(&strengths(&[0.5, 0.5], &[severe(0, Relation::Supports)]), &[0.75, 0.5]));
}

#[test]
fn a_revision_acts_in_the_place_of_what_it_revises() {
    let bases: BTreeMap<u32, f64> = [(1, 0.5), (2, 0.5), (3, 0.5), (4, 1.0)].into();
    let edges = [attack(2, 1), attack(3, 2), edge(4, 2, Relation::Revises)];
    let graph = Graph::of(&bases, &edges);
    // The fourth attacks the first with all its strength; the third hit only what was revised.
    let strengths: Vec<f64> = graph.strengths().into_values().collect();
    assert!(close(&strengths, &[0.0, 0.25, 0.5, 1.0]), "{strengths:?}");
    assert_eq!(
        (
            graph.acting(1, ActingSide::Against),
            graph.acting(2, ActingSide::Against),
            graph.acting(4, ActingSide::Against)
        ),
        (1, 1, 0)
    );
}

#[test]
fn the_last_of_several_revisions_acts() {
    let edges = [attack(2, 1), edge(3, 2, Relation::Revises), edge(4, 3, Relation::Revises)];
    assert!(close(&strengths(&[1.0, 0.5, 0.5, 0.25], &edges), &[0.75, 0.5, 0.5, 0.25]));
}

#[test]
fn an_edge_to_something_later_is_no_edge() {
    assert_eq!(strengths(&[0.5, 0.5], &[attack(1, 2), attack(1, 1), edge(1, 2, Relation::Revises)]), [0.5, 0.5]);
}

fn relation() -> impl Strategy<Value = Relation> {
    prop::sample::select(Relation::ALL.to_vec())
}
/// Base scores, and edges that lead to something earlier.
fn graphs(relation: impl Strategy<Value = Relation>) -> impl Strategy<Value = (Vec<f64>, Vec<TreeEdge>)> {
    let edge = (0_u32..20, 0_u32..20, relation, prop::option::of(0_u8..=10));
    (prop::collection::vec(0.0..=1.0_f64, 2..12), prop::collection::vec(edge, 0..24)).prop_map(|(bases, edges)| {
        let most = bases.len() as u32;
        let edges = edges.into_iter().filter_map(|(from, to, relation, severity)| {
            let (from, to) = (from % most + 1, to % most + 1);
            (from > to).then_some(TreeEdge { from, to, relation, severity })
        });
        (bases, edges.collect())
    })
}
fn attacks_and_supports() -> impl Strategy<Value = (Vec<f64>, Vec<TreeEdge>)> {
    graphs(prop::sample::select(vec![Relation::Attacks, Relation::Supports]))
}

/// New numbers for the same speeches: by `keys`, as far as nothing comes before what it leads to.
fn renumbered(speeches: u32, edges: &[TreeEdge], keys: &[u32]) -> BTreeMap<u32, u32> {
    let mut new: BTreeMap<u32, u32> = BTreeMap::new();
    for number in 1..=speeches {
        let free = (1..=speeches)
            .filter(|old| !new.contains_key(old))
            .filter(|old| edges.iter().filter(|edge| edge.from == *old).all(|edge| new.contains_key(&edge.to)));
        let next = free.min_by_key(|old| keys[*old as usize]).unwrap();
        new.insert(next, number);
    }
    new
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_strength_lies_between_0_and_1((bases, edges) in graphs(relation())) {
        let strengths = strengths(&bases, &edges);
        prop_assert!(strengths.iter().all(|strength| (0.0..=1.0).contains(strength)), "{strengths:?}");
    }

    #[test]
    fn an_added_attacker_never_raises_its_target_nor_an_added_supporter_lowers_it(
        (bases, edges) in graphs(relation()), base in 0.0..=1.0_f64, target in 0_usize..20, severity in prop::option::of(1_u8..=10)
    ) {
        let target = target % bases.len();
        let before = strengths(&bases, &edges)[target];
        let (more, to) = ([&bases[..], &[base]].concat(), target as u32 + 1);
        let with = |relation| {
            let added = TreeEdge { from: more.len() as u32, to, relation, severity };
            strengths(&more, &[&edges[..], &[added]].concat())[target]
        };
        prop_assert!(with(Relation::Attacks) <= before + 1e-12);
        prop_assert!(with(Relation::Supports) >= before - 1e-12);
    }

    #[test]
    fn what_nothing_acts_upon_has_its_base_score((bases, edges) in graphs(relation())) {
        let strengths = strengths(&bases, &edges);
        for (at, (base, strength)) in bases.iter().zip(strengths).enumerate() {
            let acts = |edge: &TreeEdge| edge.to as usize == at + 1 && side(edge.relation).is_some();
            prop_assert!(edges.iter().any(acts) || (strength - base).abs() < 1e-12);
        }
    }

    #[test]
    fn the_order_of_speeches_that_have_nothing_to_do_with_each_other_changes_nothing(
        (bases, edges) in attacks_and_supports(), keys in prop::collection::vec(any::<u32>(), 16)
    ) {
        let new = renumbered(bases.len() as u32, &edges, &keys);
        let mut moved = vec![0.0; bases.len()];
        new.iter().for_each(|(old, new)| moved[*new as usize - 1] = bases[*old as usize - 1]);
        let mut other: Vec<TreeEdge> =
            edges.iter().map(|edge| TreeEdge { from: new[&edge.from], to: new[&edge.to], ..edge.clone() }).collect();
        other.reverse();
        let (one, other) = (strengths(&bases, &edges), strengths(&moved, &other));
        for (old, new) in new {
            prop_assert!((one[old as usize - 1] - other[new as usize - 1]).abs() < 1e-9);
        }
    }
}
