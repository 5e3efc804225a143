//! What is left of a turn's time when it reaches its host. The clocks of coordinators and hosts need not agree: hours may lie between them.
use crate::base::clock::millis;
use agon_core::{NodeId, Timestamp};
use agon_proto::{TimeLeft, TurnOffer};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// So many coordinators are remembered. A restarted one is another, so that old ones are forgotten now and then.
const MOST: usize = 256;

/// The way that an offer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfferWay {
    /// As a request, which takes no time to speak of.
    Request,
    /// Through a queue, where it may have waited for long.
    Queue,
}

/// Measures how long offers took, by what the processes of both sides have run for.
pub(crate) struct Stopwatch {
    started: Instant,
    /// By how many milliseconds this process is older than each coordinator's, going by the quickest of its offers.
    older: Mutex<BTreeMap<NodeId, i64>>,
}

impl Stopwatch {
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), older: Mutex::default() }
    }

    /// What an offer that is sent now says of a turn that is given up at `until`.
    pub(crate) fn time_left(&self, until: Instant) -> TimeLeft {
        let left = until.saturating_duration_since(Instant::now());
        TimeLeft { left_ms: millis(left), sent_ms: self.runs_for() }
    }

    /// The time that is left for a turn that has just come. `now` counts only where the coordinator's version says nothing else.
    pub(crate) fn left(&self, offer: &TurnOffer, way: OfferWay, now: Timestamp) -> Duration {
        let Some(TimeLeft { left_ms, sent_ms }) = offer.time_left else {
            return Duration::from_millis(offer.ask.deadline.since(now));
        };
        let took = offer.owner.as_ref().map_or(0, |owner| self.took(owner, sent_ms, way));
        Duration::from_millis(left_ms.saturating_sub(took))
    }

    /// Milliseconds between the sending of an offer and now.
    fn took(&self, owner: &NodeId, sent_ms: u64, way: OfferWay) -> u64 {
        let seen = signed(self.runs_for()).saturating_sub(signed(sent_ms));
        // every change under this lock is one call
        let mut older = self.older.lock().unwrap_or_else(PoisonError::into_inner);
        if older.len() >= MOST && !older.contains_key(owner) {
            older.clear();
        }
        let quickest = older.entry(owner.clone()).or_insert(seen);
        *quickest = match way {
            OfferWay::Request => seen,
            OfferWay::Queue => seen.min(*quickest),
        };
        u64::try_from(seen.saturating_sub(*quickest)).unwrap_or(0)
    }

    fn runs_for(&self) -> u64 {
        millis(self.started.elapsed())
    }
}

fn signed(millis: u64) -> i64 {
    i64::try_from(millis).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{Ask, DebateId, Position, Priority, TurnId, Work};

    const HOUR: u64 = 3_600_000;
    const NOON: Timestamp = Timestamp(1_800_000_000_000);
    const SECOND: Duration = Duration::from_secs(1);

    fn offer(time_left: Option<TimeLeft>) -> TurnOffer {
        let ask = Ask {
            turn: TurnId { round: 1, seat: 0, attempt: 1 },
            participant: "Ada".into(),
            model: "m".into(),
            task: Work::Opening.into(),
            sees: Position(3),
            deadline: NOON.plus(90_000),
            correction: None,
            kept: false,
        };
        let debate = DebateId::parse("a-debate").unwrap();
        let priority = Priority::Normal;
        TurnOffer { debate, ask, first: true, owner: Some("n1".into()), priority, time_left, beginning: false }
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_has_the_time_that_its_coordinator_gives_it_whatever_the_hosts_clock_says() {
        let coordinator = Stopwatch::new();
        tokio::time::advance(5 * SECOND).await;
        let host = Stopwatch::new();
        let sent = offer(Some(coordinator.time_left(Instant::now() + 90 * SECOND)));
        for now in [Timestamp(NOON.0 - HOUR), NOON, NOON.plus(HOUR)] {
            for way in [OfferWay::Request, OfferWay::Queue] {
                assert_eq!(host.left(&sent, way, now), 90 * SECOND, "{now:?} {way:?}");
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_that_a_turn_waited_in_a_queue_is_gone() {
        let (host, coordinator) = (Stopwatch::new(), Stopwatch::new());
        let first = offer(Some(coordinator.time_left(Instant::now() + 90 * SECOND)));
        assert_eq!(host.left(&first, OfferWay::Request, NOON), 90 * SECOND);
        let second = offer(Some(coordinator.time_left(Instant::now() + 90 * SECOND)));
        tokio::time::advance(30 * SECOND).await;
        assert_eq!(host.left(&second, OfferWay::Queue, NOON), 60 * SECOND);
        tokio::time::advance(100 * SECOND).await;
        assert_eq!(host.left(&second, OfferWay::Queue, NOON), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn of_two_offers_the_quicker_one_tells_how_long_the_other_took() {
        let (coordinator, host) = (Stopwatch::new(), Stopwatch::new());
        let old = offer(Some(coordinator.time_left(Instant::now() + 90 * SECOND)));
        tokio::time::advance(40 * SECOND).await;
        let new = offer(Some(coordinator.time_left(Instant::now() + 90 * SECOND)));
        assert_eq!(host.left(&old, OfferWay::Queue, NOON), 90 * SECOND, "nothing else is known yet");
        assert_eq!(host.left(&new, OfferWay::Queue, NOON), 90 * SECOND);
        assert_eq!(host.left(&old, OfferWay::Queue, NOON), 50 * SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn an_offer_of_an_earlier_version_counts_by_the_hosts_clock() {
        assert_eq!(Stopwatch::new().left(&offer(None), OfferWay::Queue, NOON.plus(30_000)), 60 * SECOND);
    }
}
