//! Names that a debate file may choose, as labels: the first ones of each host, and one label for all further ones.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// Names of one host, or of the cluster's queues, that have labels of their own.
pub(crate) const MOST_NAMES: usize = 100;
pub(crate) const OTHER: &str = "other";

/// The names that have labels, by host.
#[derive(Debug, Default)]
pub(crate) struct LabelNames(Mutex<BTreeMap<String, BTreeSet<String>>>);

impl LabelNames {
    /// The label of a name.
    pub fn of(&self, host: &str, name: &str) -> String {
        // every change leaves it whole
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = match hosts.get_mut(host) {
            Some(known) => known,
            None => hosts.entry(host.to_owned()).or_default(),
        };
        if known.contains(name) {
            return name.to_owned();
        }
        if known.len() >= MOST_NAMES {
            return OTHER.to_owned();
        }
        known.insert(name.to_owned());
        name.to_owned()
    }
}

/// The counts with the most names that may have labels: the largest ones keep theirs, the others are one.
pub(crate) fn largest(counts: BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    if counts.len() <= MOST_NAMES {
        return counts;
    }
    let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let others: u64 = counts.split_off(MOST_NAMES).into_iter().map(|(_, count)| count).sum();
    let mut kept: BTreeMap<String, u64> = counts.into_iter().collect();
    *kept.entry(OTHER.to_owned()).or_default() += others;
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_the_limit_share_a_label_and_each_host_has_its_own_limit() {
        let names = LabelNames::default();
        let labels: BTreeSet<String> = (0..5_000).map(|number| names.of("rehearsal", &format!("m:{number}"))).collect();
        assert_eq!(labels.len(), MOST_NAMES + 1);
        assert_eq!(names.of("rehearsal", "m:0"), "m:0");
        assert_eq!(names.of("gpu1", "qwen3:8b"), "qwen3:8b");
    }

    #[test]
    fn the_largest_counts_keep_their_names_and_none_is_lost() {
        let counts: BTreeMap<String, u64> = (0..1_000).map(|number| (format!("m:{number}"), number)).collect();
        let sum: u64 = counts.values().sum();
        let kept = largest(counts);
        assert_eq!((kept.len(), kept.values().sum::<u64>()), (MOST_NAMES + 1, sum));
        assert!(kept.contains_key("m:999") && !kept.contains_key("m:1"));
    }
}
