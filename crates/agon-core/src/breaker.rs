//! The circuit breaker of one model at one host: when calls may pass, and what their ends mean.
use crate::ids::Timestamp;

/// When a breaker opens, how long it stays open, and what closes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreakerPolicy {
    /// Failures in a row that open it.
    pub failures_to_open: u32,
    /// Successful probes in a row that close it.
    pub successes_to_close: u32,
    /// How long it stays open the first time, in milliseconds; doubles each time that a probe fails.
    pub open_ms: u64,
    /// Longest time that it stays open, in milliseconds, jitter aside.
    pub open_cap_ms: u64,
    /// How long a probe may take before another one is let through, in milliseconds.
    pub probe_lease_ms: u64,
}
impl Default for BreakerPolicy {
    fn default() -> Self {
        Self {
            failures_to_open: 3,
            successes_to_close: 2,
            open_ms: 60_000,
            open_cap_ms: 600_000,
            probe_lease_ms: 300_000,
        }
    }
}

/// How a call ended, as far as the breaker cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallEnd {
    /// The host answered.
    Success,
    /// Connection, time or a server error: it speaks against the host.
    Failure,
    /// Malformed, refused or cancelled: it says nothing about the host.
    Neutral,
}

/// Leave for one call. Its end is reported with it, so that a late report from another era changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    era: u64,
    probe: bool,
}
impl Pass {
    /// Whether the call decides if a broken host is back.
    pub fn is_probe(self) -> bool {
        self.probe
    }
}

/// What a breaker says to a call that wants to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakerDecision {
    /// It may start.
    Pass(Pass),
    /// Not before this moment; a report may change that.
    Wait(Timestamp),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed { failures: u32 },
    Open { until: Timestamp },
    HalfOpen { successes: u32, probe_until: Option<Timestamp> },
}

/// A circuit breaker. Time and chance are arguments.
#[derive(Clone, Debug)]
pub struct Breaker {
    policy: BreakerPolicy,
    state: State,
    /// Changes with the state and with every probe, so that only the newest pass counts.
    era: u64,
    /// How often it opened without closing in between.
    opened: u32,
}

impl Breaker {
    /// A closed breaker.
    pub fn new(policy: BreakerPolicy) -> Self {
        Self { policy, state: State::Closed { failures: 0 }, era: 0, opened: 0 }
    }

    /// Whether a call may start. In the half-open state exactly one holds a pass at a time.
    pub fn admit(&mut self, now: Timestamp) -> BreakerDecision {
        match self.state {
            State::Closed { .. } => BreakerDecision::Pass(Pass { era: self.era, probe: false }),
            State::Open { until } if now < until => BreakerDecision::Wait(until),
            State::Open { .. } => self.probe(now, 0),
            State::HalfOpen { probe_until: Some(until), .. } if now < until => BreakerDecision::Wait(until),
            State::HalfOpen { successes, .. } => self.probe(now, successes),
        }
    }

    /// Takes the end of a call in. `jitter` is a roll from 0 to 1000 that lengthens the time it stays open by up to a fifth.
    pub fn report(&mut self, now: Timestamp, pass: Pass, end: CallEnd, jitter: u16) {
        if pass.era != self.era {
            return;
        }
        match (self.state, end) {
            (State::Open { .. }, _) | (State::Closed { .. }, CallEnd::Neutral) => {}
            (State::Closed { .. }, CallEnd::Success) => self.state = State::Closed { failures: 0 },
            (State::Closed { failures }, CallEnd::Failure) => self.count_failure(now, failures, jitter),
            (State::HalfOpen { successes, .. }, CallEnd::Neutral) => self.half_open(successes),
            (State::HalfOpen { successes, .. }, CallEnd::Success) => self.count_success(successes),
            (State::HalfOpen { .. }, CallEnd::Failure) => self.open(now, jitter),
        }
    }

    /// Until when no call may start, if the breaker is open at `now`.
    pub fn open_until(&self, now: Timestamp) -> Option<Timestamp> {
        match self.state {
            State::Open { until } if now < until => Some(until),
            State::Open { .. } | State::Closed { .. } | State::HalfOpen { .. } => None,
        }
    }

    /// Whether every call may start.
    pub fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed { .. })
    }

    fn probe(&mut self, now: Timestamp, successes: u32) -> BreakerDecision {
        self.era = self.era.wrapping_add(1);
        self.state = State::HalfOpen { successes, probe_until: Some(now.plus(self.policy.probe_lease_ms)) };
        BreakerDecision::Pass(Pass { era: self.era, probe: true })
    }

    fn half_open(&mut self, successes: u32) {
        self.era = self.era.wrapping_add(1);
        self.state = State::HalfOpen { successes, probe_until: None };
    }

    fn count_failure(&mut self, now: Timestamp, failures: u32, jitter: u16) {
        let failures = failures.saturating_add(1);
        if failures >= self.policy.failures_to_open {
            self.open(now, jitter);
        } else {
            self.state = State::Closed { failures };
        }
    }

    fn count_success(&mut self, successes: u32) {
        let successes = successes.saturating_add(1);
        if successes >= self.policy.successes_to_close {
            self.era = self.era.wrapping_add(1);
            self.opened = 0;
            self.state = State::Closed { failures: 0 };
        } else {
            self.half_open(successes);
        }
    }

    fn open(&mut self, now: Timestamp, jitter: u16) {
        let doubled =
            1u64.checked_shl(self.opened).map_or(u64::MAX, |factor| self.policy.open_ms.saturating_mul(factor));
        let base = doubled.min(self.policy.open_cap_ms);
        let extra = (base / 5).saturating_mul(u64::from(jitter.min(1000))) / 1000;
        self.era = self.era.wrapping_add(1);
        self.opened = self.opened.saturating_add(1);
        self.state = State::Open { until: now.plus(base.saturating_add(extra)) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp(1_000);

    fn pass(breaker: &mut Breaker, now: Timestamp) -> Pass {
        match breaker.admit(now) {
            BreakerDecision::Pass(pass) => pass,
            BreakerDecision::Wait(until) => panic!("refused until {until:?}"),
        }
    }
    fn end(breaker: &mut Breaker, now: Timestamp, how: CallEnd) {
        let pass = pass(breaker, now);
        breaker.report(now, pass, how, 0);
    }
    fn opened() -> (Breaker, Timestamp) {
        let mut breaker = Breaker::new(BreakerPolicy::default());
        (0..3).for_each(|_| end(&mut breaker, START, CallEnd::Failure));
        let until = breaker.open_until(START).expect("it is open");
        (breaker, until)
    }

    #[test]
    fn the_third_failure_in_a_row_opens_it() {
        let mut breaker = Breaker::new(BreakerPolicy::default());

        end(&mut breaker, START, CallEnd::Failure);
        end(&mut breaker, START, CallEnd::Failure);
        assert!(breaker.is_closed());
        end(&mut breaker, START, CallEnd::Failure);

        assert_eq!(breaker.admit(START), BreakerDecision::Wait(START.plus(60_000)));
    }

    #[test]
    fn a_success_starts_the_count_of_failures_anew() {
        let mut breaker = Breaker::new(BreakerPolicy::default());
        use CallEnd::{Failure, Success};

        for how in [Failure, Failure, Success, Failure, Failure] {
            end(&mut breaker, START, how);
        }

        assert!(breaker.is_closed());
    }

    #[test]
    fn a_neutral_end_neither_counts_nor_clears() {
        let mut breaker = Breaker::new(BreakerPolicy::default());
        use CallEnd::{Failure, Neutral};

        for how in [Failure, Neutral, Failure, Neutral, Failure] {
            end(&mut breaker, START, how);
        }

        assert!(!breaker.is_closed());
    }

    #[test]
    fn exactly_one_probe_passes_at_a_time() {
        let (mut breaker, until) = opened();

        assert!(pass(&mut breaker, until).is_probe());

        assert!(matches!(breaker.admit(until), BreakerDecision::Wait(_)));
    }

    #[test]
    fn a_probe_that_never_reports_gives_way_when_its_lease_ends() {
        let (mut breaker, until) = opened();
        let lost = pass(&mut breaker, until);
        let later = until.plus(BreakerPolicy::default().probe_lease_ms);

        let second = pass(&mut breaker, later);
        breaker.report(later, lost, CallEnd::Failure, 0);

        assert!(second.is_probe());
        assert_eq!(breaker.open_until(later), None);
    }

    #[test]
    fn two_successful_probes_close_it() {
        let (mut breaker, until) = opened();

        end(&mut breaker, until, CallEnd::Success);
        assert!(!breaker.is_closed());
        end(&mut breaker, until, CallEnd::Success);

        assert!(breaker.is_closed());
    }

    #[test]
    fn a_neutral_probe_lets_the_next_one_through_and_keeps_the_count() {
        let (mut breaker, until) = opened();

        for how in [CallEnd::Success, CallEnd::Neutral, CallEnd::Success] {
            end(&mut breaker, until, how);
        }

        assert!(breaker.is_closed());
    }

    #[test]
    fn one_failed_probe_opens_it_for_twice_as_long_up_to_the_cap() {
        let (mut breaker, mut until) = opened();
        let mut spans = Vec::new();

        for _ in 0..5 {
            end(&mut breaker, until, CallEnd::Failure);
            let next = breaker.open_until(until).expect("it is open");
            spans.push(next.since(until));
            until = next;
        }

        assert_eq!(spans, [120_000, 240_000, 480_000, 600_000, 600_000]);
    }

    #[test]
    fn the_jitter_lengthens_the_open_time_by_at_most_a_fifth() {
        let span = |jitter| {
            let mut breaker = Breaker::new(BreakerPolicy::default());
            for _ in 0..3 {
                let pass = pass(&mut breaker, START);
                breaker.report(START, pass, CallEnd::Failure, jitter);
            }
            breaker.open_until(START).expect("it is open").since(START)
        };

        assert_eq!((span(0), span(500), span(1000), span(9999)), (60_000, 66_000, 72_000, 72_000));
    }

    #[test]
    fn a_call_from_before_the_opening_changes_nothing_after_it() {
        let mut breaker = Breaker::new(BreakerPolicy::default());
        let slow = pass(&mut breaker, START);
        (0..3).for_each(|_| end(&mut breaker, START, CallEnd::Failure));
        let until = breaker.open_until(START);

        breaker.report(START.plus(10), slow, CallEnd::Success, 0);
        breaker.report(START.plus(10), slow, CallEnd::Failure, 0);

        assert_eq!(breaker.open_until(START), until);
    }
}
