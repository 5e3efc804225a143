//! Matching of subjects, and an index of patterns that finds those of a subject without looking at the others.
use std::collections::HashMap;

/// Whether a subject fits a pattern: `*` stands for one token, a last `>` for one or more.
pub fn matches(pattern: &str, subject: &str) -> bool {
    let mut subject = subject.split('.');
    let mut pattern = pattern.split('.').peekable();
    while let Some(wanted) = pattern.next() {
        let Some(token) = subject.next() else { return false };
        if wanted == ">" && pattern.peek().is_none() {
            return true;
        }
        if wanted != "*" && wanted != token {
            return false;
        }
    }
    subject.next().is_none()
}

/// Values filed under patterns, found by subject. The cost of a look-up grows with the tokens of the subject only.
pub(crate) struct PatternIndex<T> {
    root: PatternNode<T>,
}

struct PatternNode<T> {
    by_token: HashMap<Box<str>, PatternNode<T>>,
    any_token: Option<Box<PatternNode<T>>>,
    here: Vec<(u64, T)>,
    any_tail: Vec<(u64, T)>,
}
impl<T> Default for PatternNode<T> {
    fn default() -> Self {
        Self { by_token: HashMap::new(), any_token: None, here: Vec::new(), any_tail: Vec::new() }
    }
}

impl<T> Default for PatternIndex<T> {
    fn default() -> Self {
        Self { root: PatternNode::default() }
    }
}
impl<T> PatternIndex<T> {
    /// Files a value under a pattern. `id` names it for [`PatternIndex::remove`].
    pub(crate) fn insert(&mut self, pattern: &str, id: u64, value: T) {
        let (path, tail) = split_tail(pattern);
        let mut node = &mut self.root;
        for token in path.into_iter().flat_map(|path| path.split('.')) {
            node = match token {
                "*" => node.any_token.get_or_insert_default(),
                token => node.by_token.entry(token.into()).or_default(),
            };
        }
        if tail { &mut node.any_tail } else { &mut node.here }.push((id, value));
    }
    /// Takes the value out again, and the branches that it leaves empty.
    pub(crate) fn remove(&mut self, pattern: &str, id: u64) {
        let (path, tail) = split_tail(pattern);
        let path: Vec<&str> = path.into_iter().flat_map(|path| path.split('.')).collect();
        self.root.remove(&path, tail, id);
    }
    /// Whether any pattern fits the subject.
    pub(crate) fn has_match(&self, subject: &str) -> bool {
        let mut found = false;
        self.for_each_match(subject, &mut |_, _| found = true);
        found
    }
    /// Visits what is filed under the patterns that fit the subject.
    pub(crate) fn for_each_match<'a>(&'a self, subject: &str, visit: &mut impl FnMut(u64, &'a T)) {
        self.root.visit(Some(subject), visit);
    }
    /// Visits everything that is filed.
    pub(crate) fn for_each_value(&self, visit: &mut dyn FnMut(&T)) {
        self.root.visit_all(visit);
    }
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.root = PatternNode::default();
    }
}

/// The part before a last `>` (none when that is all there is), and whether there is such a `>`.
fn split_tail(pattern: &str) -> (Option<&str>, bool) {
    match pattern.strip_suffix('>') {
        Some("") => (None, true),
        Some(head) if head.ends_with('.') => (head.strip_suffix('.'), true),
        Some(_) | None => (Some(pattern), false),
    }
}

impl<T> PatternNode<T> {
    fn visit<'a>(&'a self, rest: Option<&str>, visit: &mut impl FnMut(u64, &'a T)) {
        let Some(rest) = rest else {
            return self.here.iter().for_each(|(id, value)| visit(*id, value));
        };
        self.any_tail.iter().for_each(|(id, value)| visit(*id, value));
        let (token, rest) = rest.split_once('.').map_or((rest, None), |(token, rest)| (token, Some(rest)));
        if let Some(child) = self.by_token.get(token) {
            child.visit(rest, visit);
        }
        if let Some(child) = &self.any_token {
            child.visit(rest, visit);
        }
    }
    fn visit_all(&self, visit: &mut dyn FnMut(&T)) {
        self.here.iter().chain(&self.any_tail).for_each(|(_, value)| visit(value));
        self.by_token.values().chain(self.any_token.as_deref()).for_each(|child| child.visit_all(visit));
    }
    fn remove(&mut self, path: &[&str], tail: bool, id: u64) {
        match path.split_first() {
            None if tail => self.any_tail.retain(|(other, _)| *other != id),
            None => self.here.retain(|(other, _)| *other != id),
            Some((&"*", rest)) => {
                if let Some(child) = &mut self.any_token {
                    child.remove(rest, tail, id);
                }
                self.any_token.take_if(|child| child.is_empty());
            }
            Some((token, rest)) => {
                if let Some(child) = self.by_token.get_mut(*token) {
                    child.remove(rest, tail, id);
                    if child.is_empty() {
                        self.by_token.remove(*token);
                    }
                }
            }
        }
    }
    fn is_empty(&self) -> bool {
        self.by_token.is_empty() && self.any_token.is_none() && self.here.is_empty() && self.any_tail.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(index: &PatternIndex<&'static str>, subject: &str) -> Vec<&'static str> {
        let mut found = Vec::new();
        index.for_each_match(subject, &mut |_, value| found.push(*value));
        found.sort_unstable();
        found
    }

    #[test]
    fn a_star_is_one_token_and_a_last_gt_one_or_more() {
        assert!(matches("a.*.c", "a.b.c"));
        assert!(!matches("a.*", "a.b.c"));
        assert!(matches("a.>", "a.b.c"));
        assert!(!matches("a.>", "a"));
        assert!(matches(">", "a"));
        assert!(!matches("a.b", "a"));
    }

    #[test]
    fn a_removed_pattern_leaves_no_branch_behind() {
        let mut index = PatternIndex::default();
        index.insert("a.*.c", 1, "x");
        index.insert("a.>", 2, "y");
        assert_eq!(found(&index, "a.b.c"), ["x", "y"]);
        index.remove("a.*.c", 1);
        assert_eq!(found(&index, "a.b.c"), ["y"]);
        index.remove("a.>", 2);
        assert!(index.root.is_empty());
    }

    proptest! {
        #[test]
        fn the_index_agrees_with_plain_matching(
            patterns in proptest::collection::vec("([ab*]\\.){0,3}[ab*>]", 0..8),
            subject in "([ab]\\.){0,4}[ab]",
        ) {
            let mut index = PatternIndex::default();
            for (id, pattern) in (0..).zip(&patterns) {
                index.insert(pattern, id, id);
            }
            let mut found = Vec::new();
            index.for_each_match(&subject, &mut |id, _| found.push(id));
            found.sort_unstable();
            let wanted: Vec<u64> = (0..).zip(&patterns).filter(|(_, p)| matches(p, &subject)).map(|(id, _)| id).collect();
            prop_assert_eq!(found, wanted);
            for (id, pattern) in (0..).zip(&patterns) {
                index.remove(pattern, id);
            }
            prop_assert!(index.root.is_empty());
        }
    }
}
