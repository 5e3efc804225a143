//! The deadlines of one call, kept without a timer for every chunk.

use std::future::Future;
use std::pin::{Pin, pin};

use tokio::time::{Duration, Instant, Sleep, sleep_until};

use crate::{CallTimeouts, DeltaSink, TimeoutPhase};

/// How long a silent server is left alone before it is asked whether it loads the model: a quarter of the turn's limit, or this.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Asks a server whether it is still loading the model of a call that it has not begun to answer.
#[async_trait::async_trait]
pub(crate) trait LoadCheck: Send + Sync {
    /// Answers within a short deadline of its own; false where nothing speaks for a load.
    async fn is_loading(&self) -> bool;
}

/// What has happened in a call, and so what may not take longer.
#[derive(Debug)]
struct CallClock {
    timeouts: CallTimeouts,
    started: Instant,
    /// From here the turn's limit counts: the start, or the last moment at which the server was loading.
    counted: Instant,
    loading: bool,
    first: Option<Instant>,
    last: Instant,
}

impl CallClock {
    /// The next deadline and what it means.
    fn deadline(&self) -> (Option<Instant>, TimeoutPhase) {
        let turn = self.timeouts.turn.and_then(|limit| self.counted.checked_add(limit));
        let (silence, phase) = match self.first {
            None => (self.load_deadline(), TimeoutPhase::FirstByte),
            Some(_) => (self.last.checked_add(self.timeouts.idle), TimeoutPhase::Idle),
        };
        match (silence, turn) {
            (Some(silence), Some(turn)) if silence <= turn => (Some(silence), phase),
            (_, Some(turn)) if self.first.is_none() => (Some(turn), phase),
            (_, Some(turn)) => (Some(turn), TimeoutPhase::Turn),
            (silence, None) => (silence, phase),
        }
    }

    /// Until when the first event has to come, whatever the server is doing.
    fn load_deadline(&self) -> Option<Instant> {
        self.started.checked_add(self.timeouts.first_byte)
    }

    /// How long until the server is asked; none where no turn's limit is at stake.
    fn look_after(&self) -> Option<Duration> {
        self.timeouts.turn.filter(|_| self.first.is_none()).map(|turn| (turn / 4).min(LOOK_EVERY))
    }

    fn saw(&mut self, loading: bool) {
        // a load that has ended since the last look may have ended just now
        if loading || self.loading {
            self.counted = Instant::now();
        }
        self.loading = loading;
    }

    fn progressed(&mut self) -> bool {
        self.last = Instant::now();
        let is_first = self.first.is_none();
        if is_first {
            self.first = Some(self.last);
            self.saw(self.loading);
        }
        is_first
    }
}

type Look<'a> = Pin<Box<dyn Future<Output = bool> + Send + 'a>>;

/// Guards the steps of one call with a single timer, which is moved when it fires too early.
pub(crate) struct CallWatchdog<'a> {
    clock: CallClock,
    timer: Pin<Box<Sleep>>,
    check: Option<&'a dyn LoadCheck>,
    /// The question that is under way, and when the next one is due.
    look: Option<Look<'a>>,
    next_look: Option<Instant>,
}

// Stands for never; far enough away, near enough for the timer.
const FAR: Duration = Duration::from_secs(365 * 24 * 3600);

impl<'a> CallWatchdog<'a> {
    /// Starts the clock of a call; `check` asks the server, should it stay silent.
    pub(crate) fn start(timeouts: CallTimeouts, check: Option<&'a dyn LoadCheck>) -> Self {
        let now = Instant::now();
        let clock = CallClock { timeouts, started: now, counted: now, loading: false, first: None, last: now };
        let mut watch = Self { clock, timer: Box::pin(sleep_until(now)), check, look: None, next_look: None };
        watch.plan_look();
        watch.rearm();
        watch
    }

    /// Notes that the server made progress.
    pub(crate) fn progressed(&mut self) {
        if self.clock.progressed() {
            (self.look, self.next_look) = (None, None);
            // The only early move: later deadlines are no earlier than the timer and are looked at when it fires.
            self.rearm();
        }
    }

    /// Notes that the server said it is loading the model.
    pub(crate) fn loading(&mut self) {
        self.clock.saw(true);
        self.rearm();
    }

    /// How long the first event took.
    pub(crate) fn first_byte(&self) -> Option<Duration> {
        self.clock.first.map(|first| first.duration_since(self.clock.started))
    }

    /// How long tokens have come, and for how long none did; none before the first.
    pub(crate) fn generated(&self) -> Option<(Duration, Duration)> {
        Some((self.clock.first?.elapsed(), self.clock.last.elapsed()))
    }

    /// How long the turn may take.
    pub(crate) fn turn(&self) -> Option<Duration> {
        self.clock.timeouts.turn
    }

    /// How long the call has taken so far.
    pub(crate) fn elapsed(&self) -> Duration {
        self.clock.started.elapsed()
    }

    /// Runs `step` until it ends or a deadline passes; `sink` learns of a load.
    pub(crate) async fn guard<T>(
        &mut self,
        step: impl Future<Output = T>,
        sink: &mut dyn DeltaSink,
    ) -> Result<T, TimeoutPhase> {
        let mut step = pin!(step);
        loop {
            tokio::select! {
                biased;
                output = &mut step => return Ok(output),
                loading = async { match self.look.as_mut() {
                    Some(look) => look.await,
                    None => std::future::pending().await,
                } } => {
                    self.look = None;
                    self.clock.saw(loading);
                    self.plan_look();
                    if loading {
                        sink.loading();
                    }
                }
                () = self.timer.as_mut() => self.timer_fired()?,
            }
            self.rearm();
        }
    }

    /// Ends the call where a deadline has passed; a server that is being asked may still say that it loads.
    fn timer_fired(&mut self) -> Result<(), TimeoutPhase> {
        let now = Instant::now();
        let (deadline, phase) = self.clock.deadline();
        if deadline.is_some_and(|deadline| deadline <= now) {
            let too_late = self.clock.load_deadline().is_some_and(|deadline| deadline <= now);
            return if self.look.is_some() && !too_late { Ok(()) } else { Err(phase) };
        }
        if self.next_look.is_some_and(|at| at <= now) {
            self.next_look = None;
            self.look = self.check.map(|check| check.is_loading());
        }
        Ok(())
    }

    fn plan_look(&mut self) {
        let pause = self.check.and_then(|_| self.clock.look_after());
        self.next_look = pause.map(|pause| Instant::now() + pause);
    }

    fn rearm(&mut self) {
        let now = Instant::now();
        let deadline = match self.look {
            Some(_) => self.clock.deadline().0.filter(|at| *at > now).or_else(|| self.clock.load_deadline()),
            None => self.clock.deadline().0,
        };
        let wake = deadline.into_iter().chain(self.next_look).min();
        self.timer.as_mut().reset(wake.unwrap_or_else(|| now + FAR));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeouts(first_byte: u64, idle: u64, turn: Option<u64>) -> CallTimeouts {
        let seconds = Duration::from_secs;
        CallTimeouts { first_byte: seconds(first_byte), idle: seconds(idle), turn: turn.map(seconds) }
    }

    async fn after(seconds: u64, watch: &mut CallWatchdog<'_>) -> Result<(), TimeoutPhase> {
        watch.guard(tokio::time::sleep(Duration::from_secs(seconds)), &mut crate::Discard).await
    }

    #[tokio::test(start_paused = true)]
    async fn silence_before_the_first_event_ends_at_the_first_byte_limit() {
        let mut watch = CallWatchdog::start(timeouts(300, 10, None), None);

        assert_eq!(after(299, &mut watch).await, Ok(()));
        assert_eq!(after(2, &mut watch).await, Err(TimeoutPhase::FirstByte));
    }

    #[tokio::test(start_paused = true)]
    async fn silence_after_an_event_ends_at_the_idle_limit() {
        let mut watch = CallWatchdog::start(timeouts(300, 10, None), None);

        for _ in 0..5 {
            watch.progressed();
            assert_eq!(after(9, &mut watch).await, Ok(()));
        }
        assert_eq!(after(2, &mut watch).await, Err(TimeoutPhase::Idle));
    }

    #[tokio::test(start_paused = true)]
    async fn a_steady_answer_ends_at_the_turns_limit_which_counts_from_the_call() {
        let mut watch = CallWatchdog::start(timeouts(300, 10, Some(20)), None);

        assert_eq!(after(5, &mut watch).await, Ok(()));
        for _ in 0..2 {
            watch.progressed();
            assert_eq!(after(6, &mut watch).await, Ok(()));
        }
        watch.progressed();
        assert_eq!(after(6, &mut watch).await, Err(TimeoutPhase::Turn));
    }

    /// A server that loads for so long after the call, and takes so long to say whether it does.
    struct SlowLoad {
        until: Instant,
        answer: Duration,
    }
    #[async_trait::async_trait]
    impl LoadCheck for SlowLoad {
        async fn is_loading(&self) -> bool {
            tokio::time::sleep(self.answer).await;
            Instant::now() < self.until
        }
    }
    fn loads(seconds: u64, answer: u64) -> SlowLoad {
        SlowLoad { until: Instant::now() + Duration::from_secs(seconds), answer: Duration::from_secs(answer) }
    }

    #[tokio::test(start_paused = true)]
    async fn silence_ends_at_the_turns_limit_where_the_server_is_not_loading() {
        let (check, started) = (loads(0, 1), Instant::now());
        let mut watch = CallWatchdog::start(timeouts(300, 10, Some(20)), Some(&check));

        assert_eq!(after(400, &mut watch).await, Err(TimeoutPhase::FirstByte));
        assert_eq!(started.elapsed().as_secs(), 20);
    }

    #[tokio::test(start_paused = true)]
    async fn a_load_is_no_part_of_the_turns_limit() {
        let check = loads(60, 1);
        let mut watch = CallWatchdog::start(timeouts(300, 100, Some(20)), Some(&check));

        assert_eq!(after(65, &mut watch).await, Ok(()));
        watch.progressed();
        assert_eq!(after(10, &mut watch).await, Ok(()));
        watch.progressed();
        assert_eq!(after(10, &mut watch).await, Err(TimeoutPhase::Turn));
    }

    #[tokio::test(start_paused = true)]
    async fn a_load_without_end_is_bounded_by_the_first_byte_limit() {
        let (check, started) = (loads(10_000, 1), Instant::now());
        let mut watch = CallWatchdog::start(timeouts(300, 10, Some(20)), Some(&check));

        assert_eq!(after(400, &mut watch).await, Err(TimeoutPhase::FirstByte));
        assert_eq!(started.elapsed().as_secs(), 300);
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_is_being_asked_at_the_deadline_may_still_say_that_it_loads() {
        let check = loads(60, 17);
        let mut watch = CallWatchdog::start(timeouts(300, 100, Some(20)), Some(&check));

        assert_eq!(after(40, &mut watch).await, Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn limits_without_end_do_not_overflow() {
        let endless = CallTimeouts { first_byte: Duration::MAX, idle: Duration::MAX, turn: Some(Duration::MAX) };
        let mut watch = CallWatchdog::start(endless, None);

        assert_eq!(after(1000, &mut watch).await, Ok(()));
        watch.progressed();
        assert_eq!(after(1000, &mut watch).await, Ok(()));
    }
}
