//! The deadlines of one call, kept without a timer for every chunk.

use std::future::Future;
use std::pin::{Pin, pin};

use tokio::time::{Duration, Instant, Sleep, sleep_until};

use crate::{CallTimeouts, TimeoutPhase};

/// What has happened in a call, and so what may not take longer.
#[derive(Debug)]
struct Clock {
    timeouts: CallTimeouts,
    started: Instant,
    first: Option<Instant>,
    last: Instant,
}

impl Clock {
    /// The next deadline and what it means.
    fn deadline(&self) -> (Option<Instant>, TimeoutPhase) {
        let Some(first) = self.first else {
            return (self.started.checked_add(self.timeouts.first_byte), TimeoutPhase::FirstByte);
        };
        let idle = self.last.checked_add(self.timeouts.idle);
        let generation = self.timeouts.generation.and_then(|limit| first.checked_add(limit));
        match (idle, generation) {
            (Some(idle), Some(generation)) if idle <= generation => (Some(idle), TimeoutPhase::Idle),
            (_, Some(generation)) => (Some(generation), TimeoutPhase::Generation),
            (idle, None) => (idle, TimeoutPhase::Idle),
        }
    }
}

/// Guards the steps of one call with a single timer, which is moved when it fires too early.
pub(crate) struct Watch {
    clock: Clock,
    timer: Pin<Box<Sleep>>,
}

// Stands for never; far enough away, near enough for the timer.
const FAR: Duration = Duration::from_secs(365 * 24 * 3600);

impl Watch {
    /// Starts the first-byte limit.
    pub(crate) fn start(timeouts: CallTimeouts) -> Self {
        let started = Instant::now();
        let clock = Clock { timeouts, started, first: None, last: started };
        let wake = clock.deadline().0.unwrap_or(started + FAR);
        Self { clock, timer: Box::pin(sleep_until(wake)) }
    }

    /// Notes that the server made progress.
    pub(crate) fn progressed(&mut self) {
        self.clock.last = Instant::now();
        if self.clock.first.is_none() {
            self.clock.first = Some(self.clock.last);
            // The only early move: later deadlines are no earlier than the timer and are looked at when it fires.
            self.rearm();
        }
    }

    /// How long the first event took.
    pub(crate) fn first_byte(&self) -> Option<Duration> {
        self.clock.first.map(|first| first.duration_since(self.clock.started))
    }

    /// How long the call has taken so far.
    pub(crate) fn elapsed(&self) -> Duration {
        self.clock.started.elapsed()
    }

    /// Runs `step` until it ends or a deadline passes.
    pub(crate) async fn guard<T>(&mut self, step: impl Future<Output = T>) -> Result<T, TimeoutPhase> {
        let mut step = pin!(step);
        loop {
            tokio::select! {
                biased;
                output = &mut step => return Ok(output),
                () = self.timer.as_mut() => {
                    let (deadline, phase) = self.clock.deadline();
                    if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                        return Err(phase);
                    }
                    self.rearm();
                }
            }
        }
    }

    fn rearm(&mut self) {
        let wake = self.clock.deadline().0.unwrap_or_else(|| Instant::now() + FAR);
        self.timer.as_mut().reset(wake);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeouts(first_byte: u64, idle: u64, generation: Option<u64>) -> CallTimeouts {
        let seconds = Duration::from_secs;
        CallTimeouts { first_byte: seconds(first_byte), idle: seconds(idle), generation: generation.map(seconds) }
    }

    async fn after(seconds: u64, watch: &mut Watch) -> Result<(), TimeoutPhase> {
        watch.guard(tokio::time::sleep(Duration::from_secs(seconds))).await
    }

    #[tokio::test(start_paused = true)]
    async fn silence_before_the_first_event_ends_at_the_first_byte_limit() {
        let mut watch = Watch::start(timeouts(300, 10, None));

        assert_eq!(after(299, &mut watch).await, Ok(()));
        assert_eq!(after(2, &mut watch).await, Err(TimeoutPhase::FirstByte));
    }

    #[tokio::test(start_paused = true)]
    async fn silence_after_an_event_ends_at_the_idle_limit() {
        let mut watch = Watch::start(timeouts(300, 10, None));

        for _ in 0..5 {
            watch.progressed();
            assert_eq!(after(9, &mut watch).await, Ok(()));
        }
        assert_eq!(after(2, &mut watch).await, Err(TimeoutPhase::Idle));
    }

    #[tokio::test(start_paused = true)]
    async fn a_steady_answer_ends_at_the_generation_limit_which_excludes_the_wait() {
        let mut watch = Watch::start(timeouts(300, 10, Some(20)));

        assert_eq!(after(100, &mut watch).await, Ok(()));
        for _ in 0..3 {
            watch.progressed();
            assert_eq!(after(6, &mut watch).await, Ok(()));
        }
        watch.progressed();
        assert_eq!(after(6, &mut watch).await, Err(TimeoutPhase::Generation));
    }

    #[tokio::test(start_paused = true)]
    async fn limits_without_end_do_not_overflow() {
        let endless = CallTimeouts { first_byte: Duration::MAX, idle: Duration::MAX, generation: Some(Duration::MAX) };
        let mut watch = Watch::start(endless);

        assert_eq!(after(1000, &mut watch).await, Ok(()));
        watch.progressed();
        assert_eq!(after(1000, &mut watch).await, Ok(()));
    }
}
