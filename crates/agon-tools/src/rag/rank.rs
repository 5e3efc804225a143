//! One order out of several.

use std::collections::BTreeMap;

/// How much the very first places weigh against the rest (Cormack, Clarke and Büttcher, SIGIR 2009).
const SMOOTHING: f64 = 60.0;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundPassage {
    pub(super) number: i64,
    pub(super) text: String,
    pub(super) label: String,
    pub(super) first: u32,
    pub(super) last: u32,
}

impl FoundPassage {
    /// Its file and lines.
    pub(super) fn place(&self) -> String {
        if self.first == self.last {
            return format!("{}, line {}", self.label, self.first);
        }
        format!("{}, lines {}-{}", self.label, self.first, self.last)
    }
}

/// Reciprocal rank fusion: a passage scores 1 / (60 + its place) in every list that holds it. Ties keep the first list's order.
pub(super) fn fuse<const N: usize>(lists: [Vec<FoundPassage>; N], count: usize) -> Vec<FoundPassage> {
    let mut scores = BTreeMap::<i64, f64>::new();
    let mut order = Vec::new();
    for list in lists {
        for (place, passage) in (1_u32..).zip(list) {
            let score = scores.entry(passage.number).or_insert_with(|| {
                order.push(passage);
                0.0
            });
            *score += 1.0 / (SMOOTHING + f64::from(place));
        }
    }
    let score = |passage: &FoundPassage| scores.get(&passage.number).copied().unwrap_or_default();
    order.sort_by(|a, b| score(b).total_cmp(&score(a)));
    order.truncate(count);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(numbers: &[i64]) -> Vec<FoundPassage> {
        let passage =
            |number: &i64| FoundPassage { number: *number, text: String::new(), label: "a".into(), first: 1, last: 2 };
        numbers.iter().map(passage).collect()
    }

    fn numbers(passages: &[FoundPassage]) -> Vec<i64> {
        passages.iter().map(|passage| passage.number).collect()
    }

    #[test]
    fn one_list_alone_keeps_its_order() {
        assert_eq!(numbers(&fuse([list(&[3, 1, 2]), Vec::new()], 2)), [3, 1]);
    }

    #[test]
    fn what_both_lists_hold_comes_before_what_only_one_holds() {
        // 2: 1/62 + 1/61; 1: 1/61 + 1/63; 3 and 4 stand in one list each.
        assert_eq!(numbers(&fuse([list(&[1, 2, 3]), list(&[2, 4, 1])], 4)), [2, 1, 4, 3]);
    }
}
