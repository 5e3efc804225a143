//! Counting queued work by model.
use crate::port::Backlog;
use crate::subject::{Subject, Token};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Sums up what each subject holds, the fullest model first. What is no queued turn counts for nobody.
pub(crate) fn by_model(held: impl IntoIterator<Item = (String, u64)>) -> Vec<Backlog> {
    let mut models: BTreeMap<Token, (u64, String)> = BTreeMap::new();
    for (subject, count) in held {
        if let Ok(Subject::Gen { model, .. }) = subject.parse() {
            models.entry(model).or_insert_with(|| (0, subject)).0 += count;
        }
    }
    let backlog = |(model, (work, example))| Backlog { model, work, example };
    let mut all: Vec<Backlog> = models.into_iter().map(backlog).collect();
    all.sort_by_key(|backlog| Reverse(backlog.work));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_of_all_priorities_and_debates_counts_for_its_model() {
        let held = [
            ("agon.v1.gen.small-aaaaaa.p0.t.d.r1-s0.1", 1),
            ("agon.v1.gen.large-bbbbbb.p1.t.d.r1-s0.1", 1),
            ("agon.v1.gen.large-bbbbbb.p2.t.other.r1-s0.1", 1),
            ("agon.v1.gen.no-turn", 7),
        ];
        let counted = by_model(held.map(|(subject, count)| (subject.to_owned(), count)));
        let counted: Vec<_> = counted.iter().map(|backlog| (backlog.model.as_str(), backlog.work)).collect();
        assert_eq!(counted, [("large-bbbbbb", 2), ("small-aaaaaa", 1)]);
    }
}
