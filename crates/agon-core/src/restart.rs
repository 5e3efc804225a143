//! Whether a supervisor starts a dead child again.
use crate::ids::Timestamp;
use std::collections::VecDeque;

/// Which exits call for a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestartKind {
    /// Every exit.
    Permanent,
    /// Only abnormal ones.
    Transient,
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildExit {
    /// It was done, or was asked to stop.
    Normal,
    /// It failed, panicked, was killed, or its task was cancelled.
    Abnormal,
}

/// How often and how soon a child is started again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestartPolicy {
    /// Which exits count.
    pub kind: RestartKind,
    /// So many restarts are granted within the window.
    pub max_restarts: u32,
    /// The window in milliseconds.
    pub window_ms: u64,
    /// Wait before the second restart of a window, in milliseconds; doubles each time. The first is immediate.
    pub base_delay_ms: u64,
    /// Longest wait, in milliseconds.
    pub max_delay_ms: u64,
}
impl Default for RestartPolicy {
    fn default() -> Self {
        Self {
            kind: RestartKind::Transient,
            max_restarts: 5,
            window_ms: 60_000,
            base_delay_ms: 100,
            max_delay_ms: 5_000,
        }
    }
}

/// What a supervisor does about an exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestartDecision {
    /// Start the child again after so many milliseconds.
    Restart {
        /// The wait.
        after_ms: u64,
    },
    /// The budget is spent.
    GiveUp,
    /// Nothing is owed.
    Leave,
}

/// The restarts of one child so far.
#[derive(Clone, Debug)]
pub struct Restarts {
    policy: RestartPolicy,
    recent: VecDeque<Timestamp>,
}

impl Restarts {
    /// A fresh budget.
    pub fn new(policy: RestartPolicy) -> Self {
        Self { policy, recent: VecDeque::new() }
    }

    /// Decides about an exit and counts the restart that it grants.
    pub fn on_exit(&mut self, exit: ChildExit, now: Timestamp) -> RestartDecision {
        match (self.policy.kind, exit) {
            (RestartKind::Transient, ChildExit::Normal) => return RestartDecision::Leave,
            (RestartKind::Permanent, ChildExit::Normal | ChildExit::Abnormal)
            | (RestartKind::Transient, ChildExit::Abnormal) => {}
        }
        while self.recent.front().is_some_and(|at| now.since(*at) >= self.policy.window_ms) {
            self.recent.pop_front();
        }
        let granted = u32::try_from(self.recent.len()).unwrap_or(u32::MAX);
        if granted >= self.policy.max_restarts {
            return RestartDecision::GiveUp;
        }
        self.recent.push_back(now);
        RestartDecision::Restart { after_ms: self.delay(granted) }
    }

    fn delay(&self, granted: u32) -> u64 {
        let Some(doublings) = granted.checked_sub(1) else { return 0 };
        let factor = 1u64.checked_shl(doublings).unwrap_or(u64::MAX);
        self.policy.base_delay_ms.saturating_mul(factor).min(self.policy.max_delay_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp(1_000);

    fn decisions(policy: RestartPolicy, times: &[u64]) -> Vec<RestartDecision> {
        let mut restarts = Restarts::new(policy);
        times.iter().map(|at| restarts.on_exit(ChildExit::Abnormal, START.plus(*at))).collect()
    }
    fn restart(after_ms: u64) -> RestartDecision {
        RestartDecision::Restart { after_ms }
    }

    #[test]
    fn restarts_wait_longer_each_time_until_the_budget_is_spent() {
        let policy = RestartPolicy { max_restarts: 4, max_delay_ms: 150, ..RestartPolicy::default() };

        let decided = decisions(policy, &[0, 1, 2, 3, 4]);

        assert_eq!(decided, [restart(0), restart(100), restart(150), restart(150), RestartDecision::GiveUp]);
    }

    #[test]
    fn a_restart_leaves_the_budget_when_the_window_has_passed() {
        let policy = RestartPolicy { max_restarts: 1, ..RestartPolicy::default() };

        assert_eq!(decisions(policy, &[0, 59_999]), [restart(0), RestartDecision::GiveUp]);
        assert_eq!(decisions(policy, &[0, 60_000]), [restart(0), restart(0)]);
    }

    #[test]
    fn a_normal_exit_is_left_alone_unless_the_child_is_permanent() {
        let exit =
            |kind| Restarts::new(RestartPolicy { kind, ..RestartPolicy::default() }).on_exit(ChildExit::Normal, START);

        assert_eq!(exit(RestartKind::Transient), RestartDecision::Leave);
        assert_eq!(exit(RestartKind::Permanent), restart(0));
    }

    #[test]
    fn a_spent_budget_stays_spent_however_often_it_is_asked() {
        let policy = RestartPolicy { max_restarts: 1, ..RestartPolicy::default() };

        let decided = decisions(policy, &[0, 1, 2, 3]);

        assert_eq!(decided[1..], [RestartDecision::GiveUp; 3]);
    }
}
