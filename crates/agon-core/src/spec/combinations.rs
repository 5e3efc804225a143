//! Combinations of options that make no sense: a debate that could not be held as its file says, and options that would be
//! accepted and do nothing.
mod answers;
mod deciding;
mod formats;
mod gated;
mod past;
mod poll;

use super::DebateSpec;

/// Why a debate cannot be held as it is described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecProblem {
    /// The keys that do not go together, as paths such as `voting.rule` and `personas[0].sees`; the one to change first.
    pub keys: Vec<String>,
    /// What does not go together, why, and what is allowed.
    pub message: String,
}

/// What does not go together in a spec with every default filled in, all of it. A debate without a problem can be held.
///
/// A key that is given with its default value looks like one that is not given, and is no problem here.
pub fn combination_problems(spec: &DebateSpec) -> Vec<SpecProblem> {
    let mut found = ProblemList(Vec::new());
    formats::check(spec, &mut found);
    past::check(spec, &mut found);
    deciding::check(spec, &mut found);
    answers::check(spec, &mut found);
    gated::check(spec, &mut found);
    found.0
}

struct ProblemList(Vec<SpecProblem>);
impl ProblemList {
    /// Adds a problem unless the condition holds.
    fn require(&mut self, holds: bool, keys: &[&str], message: impl FnOnce() -> String) {
        if !holds {
            let keys = keys.iter().map(|key| (*key).to_owned()).collect();
            self.0.push(SpecProblem { keys, message: message() });
        }
    }
    /// Adds a problem with a persona's option where it is used and the condition does not hold.
    fn persona(&mut self, (at, key): (usize, &str), used: bool, holds: bool, message: &str) {
        if used && !holds {
            let keys = vec![format!("personas[{at}].{key}")];
            self.0.push(SpecProblem { keys, message: format!("`{key}` {message}") });
        }
    }
}
