//! Which faults meet which call: the running state of a fault script.

use std::{sync::Mutex, time::Duration};

use tokio::time::Instant;

use crate::{
    fault::{Fault, FaultGroup, FaultScript, Rule, RuleDuration},
    task::PromptTask,
    wire::Metrics,
};

/// What a rule is matched against.
#[derive(Debug, Clone, Copy)]
pub struct CallFacts<'a> {
    /// Model asked for.
    pub model: &'a str,
    /// Speaker named in the prompt.
    pub speaker: Option<&'a str>,
    /// Task the prompt sets.
    pub task: PromptTask,
    /// Whether a schema was asked for.
    pub structured: bool,
}

/// What happens to one call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplyPlan {
    /// Extra time before the first token.
    pub delay: Duration,
    /// Time between tokens, if a rule sets it; the first rule that does counts.
    pub pace: Option<Duration>,
    /// The failure, if any.
    pub failure: Option<PlannedFailure>,
    /// The behaviour of the speaker, if any.
    pub behaviour: Option<Fault>,
}

impl ReplyPlan {
    /// What the server says of a call that took so much.
    pub fn reported(&self, metrics: Metrics) -> Metrics {
        match self.failure {
            Some(PlannedFailure { kind: Fault::Uncounted, .. }) => metrics.uncounted(),
            _ => metrics,
        }
    }
}

/// A failure with its figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedFailure {
    /// Its kind.
    pub kind: Fault,
    /// Tokens sent before it strikes.
    pub after: usize,
    /// How long a crashed server is gone.
    pub gone: Duration,
}

/// A fault script and how far each of its rules has come.
#[derive(Debug)]
pub struct Director {
    rules: Vec<Rule>,
    progress: Mutex<Vec<RuleProgress>>,
}

#[derive(Debug, Default, Clone, Copy)]
struct RuleProgress {
    counted: u64,
    calls_left: u64,
    until: Option<Instant>,
}

impl Director {
    /// Starts a script at its beginning.
    pub fn new(script: FaultScript) -> Self {
        let progress = Mutex::new(vec![RuleProgress::default(); script.rules.len()]);
        Self { rules: script.rules, progress }
    }

    /// Whether there is nothing to match calls against.
    pub fn is_idle(&self) -> bool {
        self.rules.is_empty()
    }

    /// Counts `call` in every rule it belongs to and says what happens to it.
    pub fn meet(&self, call: CallFacts<'_>) -> ReplyPlan {
        let mut plan = ReplyPlan::default();
        let mut progress = crate::stats::lock(&self.progress);
        for (rule, progress) in self.rules.iter().zip(progress.iter_mut()) {
            if rule.is_about(call) && progress.fires(rule) {
                plan.take(rule);
            }
        }
        plan
    }

    /// Starts the script over.
    pub fn reset(&self) {
        crate::stats::lock(&self.progress).fill(RuleProgress::default());
    }
}

impl Rule {
    fn is_about(&self, call: CallFacts<'_>) -> bool {
        let same = |want: &Option<String>, is: Option<&str>| want.as_deref().is_none_or(|want| Some(want) == is);
        same(&self.when.model, Some(call.model))
            && same(&self.when.speaker, call.speaker)
            && self.when.task.is_none_or(|task| task == call.task)
            && (self.fault != Fault::Malformed || call.structured)
    }

    fn picks(&self, nth: u64) -> bool {
        self.when.call.is_none_or(|call| call.get() == nth)
            && self.when.every.is_none_or(|every| nth.is_multiple_of(every.get()))
            && self.when.first.is_none_or(|first| nth <= first.get())
    }
}

impl RuleProgress {
    fn fires(&mut self, rule: &Rule) -> bool {
        self.counted += 1;
        if self.until.is_some_and(|until| Instant::now() < until) {
            return true;
        }
        if self.calls_left > 0 {
            self.calls_left -= 1;
            return true;
        }
        if !rule.picks(self.counted) {
            return false;
        }
        match rule.lasts {
            // a rule without a pick would fire for ever: `for` is then all it gets
            Some(RuleDuration::Calls(n)) if !rule.has_pick() => return self.counted <= n,
            Some(RuleDuration::Time(_)) if !rule.has_pick() && self.until.is_some() => return false,
            Some(RuleDuration::Calls(n)) => self.calls_left = n.saturating_sub(1),
            Some(RuleDuration::Time(time)) if rule.fault != Fault::Crash => self.until = Some(Instant::now() + time),
            Some(RuleDuration::Time(_)) | None => {}
        }
        true
    }
}

impl Rule {
    fn has_pick(&self) -> bool {
        self.when.call.is_some() || self.when.every.is_some() || self.when.first.is_some()
    }
}

impl ReplyPlan {
    fn take(&mut self, rule: &Rule) {
        match rule.fault.group() {
            FaultGroup::Delay => {
                self.delay += rule.slow_by();
                self.pace = self.pace.or(rule.pace);
            }
            FaultGroup::Failure if self.failure.is_none() => {
                self.failure =
                    Some(PlannedFailure { kind: rule.fault, after: rule.strikes_after(), gone: rule.gone_for() });
            }
            FaultGroup::Behaviour if self.behaviour.is_none() => self.behaviour = Some(rule.fault),
            FaultGroup::Failure | FaultGroup::Behaviour => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fired(script: &str, calls: u64) -> Vec<bool> {
        let director = Director::new(script.parse().unwrap());
        let call = CallFacts { model: "m", speaker: Some("Ada"), task: PromptTask::Argument, structured: false };
        (0..calls).map(|_| director.meet(call).failure.is_some()).collect()
    }

    #[test]
    fn call_every_and_first_pick_among_the_counted_calls() {
        assert_eq!(fired("[[rules]]\nfault='busy'\nwhen={call=2}", 4), [false, true, false, false]);
        assert_eq!(fired("[[rules]]\nfault='busy'\nwhen={every=2}", 4), [false, true, false, true]);
        assert_eq!(fired("[[rules]]\nfault='busy'\nwhen={first=2}", 4), [true, true, false, false]);
        assert_eq!(fired("[[rules]]\nfault='busy'\nwhen={speaker='Ben'}", 2), [false, false]);
    }

    #[test]
    fn for_keeps_a_rule_firing_for_that_many_calls() {
        assert_eq!(fired("[[rules]]\nfault='busy'\nwhen={call=2}\nfor=2", 5), [false, true, true, false, false]);
        assert_eq!(fired("[[rules]]\nfault='busy'\nfor=2", 4), [true, true, false, false]);
    }

    #[test]
    fn malformed_counts_only_calls_that_ask_for_a_schema() {
        assert_eq!(fired("[[rules]]\nfault='malformed'", 2), [false, false]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_rule_with_a_time_fires_until_the_time_is_over() {
        let director = Director::new("[[rules]]\nfault='busy'\nfor='2s'".parse().unwrap());
        let call = CallFacts { model: "m", speaker: None, task: PromptTask::Other, structured: false };
        assert!(director.meet(call).failure.is_some());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(director.meet(call).failure.is_some());
        tokio::time::advance(Duration::from_secs(2)).await;
        assert!(director.meet(call).failure.is_none());
    }
}
