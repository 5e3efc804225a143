//! What a watcher waits for, and for how long.
use agon_core::{Event, Record};
use agon_report::one_line;
use std::time::Duration;
use tokio::time::Instant;

/// How often a watcher is told what is waited for, while nothing happens.
pub const TELL: Duration = Duration::from_secs(10);

/// A wait for the next event.
#[derive(Debug)]
pub struct EventWait {
    /// When the last event or piece of a speech came.
    news: Instant,
    /// When the watcher was last told.
    told: Option<Instant>,
    /// The watcher knows why the debate cannot go on.
    why_told: bool,
    /// Since when the debate cannot go on, as far as is known.
    pub stuck_since: Option<Instant>,
    /// Why not.
    pub why: Option<String>,
    /// Nobody has taken the debate yet.
    pub queued: bool,
    /// Whose turn it was last.
    turn: Option<String>,
}

impl EventWait {
    /// A wait that begins.
    pub fn new() -> Self {
        Self {
            news: Instant::now(),
            told: None,
            why_told: false,
            stuck_since: None,
            why: None,
            queued: false,
            turn: None,
        }
    }

    /// The debate cannot go on.
    pub fn stuck(&mut self, why: &str) {
        self.stuck_since.get_or_insert_with(Instant::now);
        self.why = Some(why.to_owned());
    }

    /// Nothing is known to keep the debate. What to say of it, where the watcher was told why it could not go on.
    pub fn well(&mut self) -> Option<String> {
        let seconds = self.news.elapsed().as_secs();
        let told = self.why_told;
        (self.stuck_since, self.why, self.why_told) = (None, None, false);
        told.then(|| format!("No longer waiting, after {seconds} s."))
    }

    /// Something came. Whether the watcher was told of a wait, and what to say of its end.
    pub fn over(&mut self) -> (bool, Option<String>) {
        let end = self.well();
        self.news = Instant::now();
        self.queued = false;
        (self.told.take().is_some(), end)
    }

    /// How long until the watcher is to be told something.
    pub fn due_in(&self) -> Duration {
        (self.told.unwrap_or(self.news) + TELL).saturating_duration_since(Instant::now())
    }

    /// Whether the debate could not go on for so long.
    pub fn exceeds(&self, patience: Duration) -> bool {
        self.stuck_since.is_some_and(|since| since.elapsed() >= patience)
    }

    /// How much of a patience is left.
    pub fn left(&self, patience: Duration) -> Duration {
        self.stuck_since.map_or(patience, |since| patience.saturating_sub(since.elapsed()))
    }

    /// Takes note of whose turn it is.
    pub fn asked(&mut self, record: &Record) {
        for event in &record.events {
            if let Event::TurnAsked(ask) = event {
                self.turn = Some(format!("{} (turn {})", one_line(ask.participant.as_str()), ask.turn));
            }
        }
    }

    /// What the watcher is to be told now, if it is time to.
    pub fn notice(&mut self) -> Option<String> {
        let at_once = self.why.is_some() && !self.why_told;
        if !at_once && !self.due_in().is_zero() {
            return None;
        }
        self.told = Some(Instant::now());
        self.why_told = self.why.is_some();
        let seconds = self.news.elapsed().as_secs();
        Some(match (&self.why, self.queued, &self.turn) {
            (Some(why), _, _) => format!("Waiting for {seconds} s: {why}."),
            (None, true, _) => format!("Waiting for {seconds} s: no coordinator has taken the debate yet."),
            (None, false, Some(turn)) => format!("Waiting for {seconds} s: last asked is {turn}."),
            (None, false, None) => format!("Waiting for {seconds} s for the first turn."),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_watcher_is_told_every_ten_seconds_what_is_waited_for_until_something_comes() {
        let mut wait = EventWait::new();
        assert_eq!(wait.notice(), None);
        let mut told = Vec::new();
        for _ in 0..25 {
            tokio::time::advance(Duration::from_secs(1)).await;
            told.extend(wait.notice());
        }
        assert_eq!(told, ["Waiting for 10 s for the first turn.", "Waiting for 20 s for the first turn."]);
        assert_eq!(wait.over(), (true, None), "the notice is to be taken back");
        assert_eq!(wait.over(), (false, None));
        tokio::time::advance(Duration::from_secs(9)).await;
        assert_eq!(wait.notice(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_store_in_trouble_is_told_at_once_and_uses_up_patience_and_a_queue_does_not() {
        let mut wait = EventWait::new();
        wait.queued = true;
        tokio::time::advance(Duration::from_secs(600)).await;
        assert!(wait.notice().unwrap().contains("no coordinator"));
        assert!(!wait.exceeds(Duration::from_secs(300)));

        let mut wait = EventWait::new();
        wait.stuck("stream AGON_LOG_0 does not exist");
        assert_eq!(wait.notice().unwrap(), "Waiting for 0 s: stream AGON_LOG_0 does not exist.");
        tokio::time::advance(Duration::from_secs(301)).await;
        wait.stuck("stream AGON_LOG_0 does not exist");
        assert!(wait.exceeds(Duration::from_secs(300)));
        assert_eq!(wait.left(Duration::from_secs(310)), Duration::from_secs(9));
        assert!(wait.well().is_some());
        assert!(!wait.exceeds(Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn a_cause_is_told_as_soon_as_it_is_known() {
        let mut wait = EventWait::new();
        tokio::time::advance(Duration::from_secs(10)).await;
        assert!(wait.notice().unwrap().contains("first turn"));
        tokio::time::advance(Duration::from_secs(1)).await;
        wait.stuck("the disk is full");
        assert_eq!(wait.notice().unwrap(), "Waiting for 11 s: the disk is full.");
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!((wait.notice(), wait.due_in()), (None, Duration::from_secs(9)));
        tokio::time::advance(Duration::from_secs(9)).await;
        assert_eq!(wait.notice().unwrap(), "Waiting for 21 s: the disk is full.");
        let end = Some("No longer waiting, after 21 s.".to_owned());
        assert_eq!(wait.well(), end);
        assert_eq!(wait.well(), None);
        wait.stuck("the disk is full");
        assert_eq!(wait.over(), (true, None), "the watcher was not told of it this time");
    }
}
