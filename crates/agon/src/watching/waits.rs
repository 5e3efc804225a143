//! What turns wait for, as plain lines for those who have no live view.
use crate::client::TELL;
use agon_core::{Event, FailureCause, TurnId};
use agon_report::one_line;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// A wait of which nothing was heard for so long is over. Hosts report it every second, but not while they try to connect.
const STALE: Duration = Duration::from_secs(15);

/// The turns that wait for a model server or a host, by what they wait for.
#[derive(Debug, Default)]
pub struct TurnWaits {
    waits: BTreeMap<String, TurnWait>,
    /// Who was asked for the turns that are open.
    asked: BTreeMap<TurnId, String>,
}

#[derive(Debug)]
struct TurnWait {
    since: Instant,
    /// When the last line about it was printed.
    told: Instant,
    /// When each turn was last reported to wait.
    turns: BTreeMap<TurnId, Instant>,
}

impl TurnWaits {
    /// Takes in that a turn waits. Returns the line to print: at the beginning of a wait, and every [`TELL`] while it lasts.
    pub fn waits(&mut self, turn: TurnId, what: &str) -> Option<String> {
        let now = Instant::now();
        let (key, before) = what.rsplit_once(" since ").unwrap_or((what, ""));
        let is_new = !self.waits.contains_key(key);
        // who joins late is told how long it has lasted
        let before = before.strip_suffix(" s").and_then(|seconds| seconds.parse().ok()).map(Duration::from_secs);
        let since = before.and_then(|before| now.checked_sub(before)).unwrap_or(now);
        let wait = self.waits.entry(key.to_owned());
        let wait = wait.or_insert_with(|| TurnWait { since, told: now, turns: BTreeMap::new() });
        wait.turns.insert(turn, now);
        if !is_new && now < wait.told + TELL {
            return None;
        }
        wait.told = now;
        let names: Vec<&str> = wait.turns.keys().filter_map(|turn| self.asked.get(turn)).map(String::as_str).collect();
        let names = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
        let lasts = match what.contains(" since ") || is_new {
            true => String::new(),
            false => format!(", since {} s", wait.since.elapsed().as_secs()),
        };
        Some(format!("Waiting for {}{names}{lasts}.", one_line(what)))
    }

    /// Takes in an event. Returns the lines to print about waits that are over with it.
    pub fn event(&mut self, event: &Event) -> Vec<String> {
        if let Event::TurnAsked(ask) = event {
            self.asked.insert(ask.turn, one_line(ask.participant.as_str()));
        }
        let Some((turn, _)) = event.settled() else { return Vec::new() };
        self.asked.retain(|open, _| !open.same_slot(turn));
        let given_up = matches!(event, Event::TurnFailed { failure, .. } if ended_a_wait(failure.cause));
        self.over(given_up, |open, _| open.same_slot(turn))
    }

    /// Takes in that a turn has gone on. Returns the lines to print about waits that are over with it.
    pub fn goes_on(&mut self, turn: TurnId) -> Vec<String> {
        self.over(false, |open, _| open == turn)
    }

    /// Returns the lines to print about waits of which nothing was heard for long.
    pub fn expire(&mut self) -> Vec<String> {
        self.over(false, |_, heard| heard.elapsed() >= STALE)
    }

    fn over(&mut self, given_up: bool, ends: impl Fn(TurnId, Instant) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        let how = if given_up { "Gave up waiting for" } else { "No longer waiting for" };
        self.waits.retain(|what, wait| {
            wait.turns.retain(|turn, heard| !ends(*turn, *heard));
            if wait.turns.is_empty() {
                let server = what.split_once(": ").map_or(what.as_str(), |(server, _)| server);
                let seconds = wait.since.elapsed().as_secs();
                lines.push(format!("{how} {}, after {seconds} s.", one_line(server)));
            }
            !wait.turns.is_empty()
        });
        lines
    }
}

/// Whether a try that failed of this was waiting when it was given up.
fn ended_a_wait(cause: FailureCause) -> bool {
    matches!(cause, FailureCause::ServerAway | FailureCause::NotFound | FailureCause::Busy | FailureCause::Timeout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::Failure;

    fn turn(seat: u32) -> TurnId {
        TurnId { round: 1, seat, attempt: 0 }
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_is_reported_when_it_begins_then_every_ten_seconds_and_when_it_is_over() {
        let mut waits = TurnWaits::default();
        waits.asked.insert(turn(0), "Bull".to_owned());
        let mut lines = Vec::new();
        for second in 0..25 {
            lines.extend(waits.waits(turn(0), &format!("ollama: no connection since {second} s")));
            assert_eq!(waits.expire(), Vec::<String>::new());
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        lines.extend(waits.goes_on(turn(1)));
        lines.extend(waits.goes_on(turn(0)));
        assert_eq!(
            lines,
            [
                "Waiting for ollama: no connection since 0 s (Bull).",
                "Waiting for ollama: no connection since 10 s (Bull).",
                "Waiting for ollama: no connection since 20 s (Bull).",
                "No longer waiting for ollama, after 25 s.",
            ]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_that_was_in_vain_is_said_to_be_given_up_and_counted_from_its_beginning() {
        let mut waits = TurnWaits::default();
        tokio::time::advance(Duration::from_secs(60)).await;
        assert!(waits.waits(turn(0), "ollama: unavailable (503) since 4 s").is_some());
        tokio::time::advance(Duration::from_secs(8)).await;
        let failure = Failure::new(FailureCause::ServerAway, "ollama: unavailable (503) since 12 s");
        let failed = Event::TurnFailed {
            turn: turn(0),
            participant: "Bull".into(),
            failure,
            retry_at: None,
            call: Box::default(),
        };

        assert_eq!(waits.event(&failed), ["Gave up waiting for ollama, after 12 s."]);
    }

    #[tokio::test(start_paused = true)]
    async fn turns_that_wait_for_the_same_are_reported_together_and_what_falls_silent_is_over() {
        let mut waits = TurnWaits::default();
        waits.asked.extend([(turn(0), "Bull".to_owned()), (turn(1), "Bear".to_owned())]);
        assert!(waits.waits(turn(0), "gpu1: unavailable (503) since 0 s").is_some());
        assert_eq!(waits.waits(turn(1), "gpu1: unavailable (503) since 0 s"), None);
        let other = waits.waits(turn(1), "a host that serves qwen3:8b").unwrap();
        assert_eq!(other, "Waiting for a host that serves qwen3:8b (Bear).");

        tokio::time::advance(TELL).await;
        let both = waits.waits(turn(0), "gpu1: unavailable (503) since 10 s").unwrap();
        assert_eq!(both, "Waiting for gpu1: unavailable (503) since 10 s (Bull, Bear).");

        tokio::time::advance(STALE).await;
        assert_eq!(waits.expire().len(), 2);
        assert_eq!(waits.expire(), Vec::<String>::new());
    }
}
