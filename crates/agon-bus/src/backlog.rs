//! Counting queued work by model and debate.
use crate::port::Backlog;
use crate::subject::{DebateKey, Subject, Token};
use std::collections::BTreeMap;

/// Sums up what each subject holds. What is no queued turn counts for nobody.
pub(crate) fn by_debate(held: impl IntoIterator<Item = (String, u64)>) -> Vec<Backlog> {
    let mut debates: BTreeMap<(Token, DebateKey), (u64, String)> = BTreeMap::new();
    for (subject, count) in held {
        if let Ok(Subject::Gen { model, key, .. }) = subject.parse() {
            debates.entry((model, key)).or_insert_with(|| (0, subject)).0 += count;
        }
    }
    let backlog = |((model, debate), (work, example))| Backlog { model, debate, work, example };
    debates.into_iter().map(backlog).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_of_all_priorities_counts_for_its_model_and_debate() {
        let held = [
            ("agon.v1.gen.small-aaaaaa.p0.t.d.r1-s0.1", 1),
            ("agon.v1.gen.large-bbbbbb.p0.t.d.r1-s0.1", 1),
            ("agon.v1.gen.large-bbbbbb.p1.t.d.r2-s0.1", 1),
            ("agon.v1.gen.large-bbbbbb.p2.t.other.r1-s0.1", 1),
            ("agon.v1.gen.no-turn", 7),
        ];
        let counted = by_debate(held.map(|(subject, count)| (subject.to_owned(), count)));
        let told = |backlog: &Backlog| format!("{} {} {}", backlog.model.as_str(), backlog.debate, backlog.work);
        let counted: Vec<String> = counted.iter().map(told).collect();
        assert_eq!(counted, ["large-bbbbbb t.d 2", "large-bbbbbb t.other 1", "small-aaaaaa t.d 1"]);
    }
}
