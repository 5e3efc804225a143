//! Folds of whole clusters.
use super::GateRow;
use super::errors::clusters_of;
use crate::draw;

/// The fold of each row. Rows of a cluster share theirs, and folds have equally many clusters, give or take one.
pub(super) fn folds(rows: &[&GateRow], count: usize, seed: u64, about: &str) -> Vec<usize> {
    let mut present = vec![false; clusters_of(rows)];
    for row in rows {
        if let Some(slot) = present.get_mut(row.cluster as usize) {
            *slot = true;
        }
    }
    let mut clusters: Vec<usize> =
        present.iter().enumerate().filter(|(_, present)| **present).map(|(cluster, _)| cluster).collect();
    draw::shuffle(seed, "gate folds", &[&about], &mut clusters);
    let mut fold_of = vec![0; present.len()];
    for (at, cluster) in clusters.into_iter().enumerate() {
        if let Some(fold) = fold_of.get_mut(cluster) {
            *fold = at % count.max(1);
        }
    }
    rows.iter().map(|row| fold_of.get(row.cluster as usize).copied().unwrap_or(0)).collect()
}
