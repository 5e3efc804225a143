//! Whom an attack or an answer has reached.
use agon_core::{DebateSpec, ParticipantId, Speech};
use std::collections::BTreeSet;

/// Who was addressed by others: by a speech to it, by a critique or a point of information, or by its name in a speech.
pub(super) struct Challenges<'a> {
    names: Vec<&'a ParticipantId>,
    /// Since each one's last speech.
    since: BTreeSet<ParticipantId>,
    ever: BTreeSet<ParticipantId>,
}

impl<'a> Challenges<'a> {
    pub(super) fn new(spec: &'a DebateSpec) -> Self {
        let names = spec.personas.iter().map(|persona| &persona.name).collect();
        Self { names, since: BTreeSet::new(), ever: BTreeSet::new() }
    }

    /// One turned to another.
    pub(super) fn addressed(&mut self, by: &ParticipantId, to: &ParticipantId) {
        if by != to {
            self.since.insert(to.clone());
            self.ever.insert(to.clone());
        }
    }

    /// Takes in a speech; says whether its speaker was addressed since its last one.
    pub(super) fn spoke(&mut self, by: &ParticipantId, speech: &Speech) -> bool {
        let challenged = self.since.remove(by);
        let named: Vec<ParticipantId> =
            self.names.iter().filter(|name| names(&speech.text, name.as_str())).map(|name| (*name).clone()).collect();
        named.iter().chain(&speech.to).for_each(|to| self.addressed(by, to));
        challenged
    }

    /// Whether anybody turned to it so far.
    pub(super) fn ever(&self, who: &ParticipantId) -> bool {
        self.ever.contains(who)
    }
}

/// Whether a text has a name as a word of its own.
fn names(text: &str, name: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|text| text.chars().next());
        !is_part(before) && !is_part(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_counts_as_a_word_of_its_own_alone() {
        assert!(names("As Ada said, no.", "Ada"));
        assert!(names("Ada", "Ada"));
        assert!(!names("Adam said", "Ada"));
        assert!(!names("Canada", "ada"));
    }
}
