//! How a store is: whether it can be used, and whether there is room in it.

/// How a store is, as it was last looked at. Each entry names what it is about and what to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// Why it cannot be used; empty where it can.
    pub broken: Vec<String>,
    /// What has no room left but the reserve: ends, cancellations and deletions fit, new debates and turns do not.
    pub full: Vec<String>,
    /// What has not even that, or has just refused a write.
    pub exhausted: Vec<String>,
    /// What of the logs of evals has no room left but its reserve: evals wait until some are deleted, and debates go on.
    pub evals_full: Vec<String>,
}

impl Condition {
    /// Everything that is wrong, in one line; nothing where all is well.
    pub fn trouble(&self) -> Option<String> {
        joined(self.broken.iter().chain(&self.exhausted).chain(&self.full))
    }

    /// What has no room for new debates and turns; nothing where there is. What has refused a write is not among it, for nobody knows
    /// whether it would refuse the next.
    pub fn fullness(&self) -> Option<String> {
        joined(self.full.iter())
    }

    /// What has no room for further evals, nor for the progress of those that there are; nothing where there is.
    pub fn evals_fullness(&self) -> Option<String> {
        joined(self.full.iter().chain(&self.evals_full))
    }
}

fn joined<'a>(all: impl Iterator<Item = &'a String>) -> Option<String> {
    let mut once: Vec<&str> = Vec::new();
    for one in all {
        if !once.contains(&one.as_str()) {
            once.push(one);
        }
    }
    (!once.is_empty()).then(|| once.join("; "))
}
