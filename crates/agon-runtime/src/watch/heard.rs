//! What a watcher has heard of running answers, so that it hears all of them from the beginning, and nothing twice.
use agon_core::{Record, TurnId};
use agon_proto::TokenDelta;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// How long a missing piece is waited for: a host tells the whole answer again more often than that, unless it is of an earlier
/// version or the answer is very long.
const PATIENCE: Duration = Duration::from_secs(7);

/// The running answers.
#[derive(Default)]
pub(super) struct HeardAnswers(BTreeMap<TurnId, HeardAnswer>);

#[derive(Default)]
struct HeardAnswer {
    /// Bytes that were passed on.
    bytes: u64,
    /// Since when a piece is missing.
    missing: Option<Instant>,
}

impl HeardAnswers {
    /// What is new in a piece; nothing where all of it was heard, or where something before it is missing and may still come.
    pub fn new_in(&mut self, delta: TokenDelta) -> Option<TokenDelta> {
        if delta.text.is_empty() {
            return Some(delta);
        }
        let answer = self.0.entry(delta.turn).or_default();
        let end = delta.offset + delta.text.len() as u64;
        if end <= answer.bytes {
            return None;
        }
        if delta.offset > answer.bytes && answer.missing.get_or_insert_with(Instant::now).elapsed() < PATIENCE {
            return None;
        }
        let known = answer.bytes.saturating_sub(delta.offset);
        let text = delta.text.get(usize::try_from(known).ok()?..)?.to_owned();
        *answer = HeardAnswer { bytes: end, missing: None };
        Some(TokenDelta { offset: delta.offset + known, text, ..delta })
    }

    /// Forgets the answers that a record settles.
    pub fn settle(&mut self, record: &Record) {
        if self.0.is_empty() {
            return;
        }
        for (turn, _) in record.events.iter().filter_map(|event| event.settled()) {
            self.0.retain(|open, _| !open.same_slot(turn));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::DebateId;

    fn piece(offset: u64, text: &str) -> TokenDelta {
        TokenDelta {
            debate: DebateId::parse("bridge").unwrap(),
            turn: TurnId { round: 1, seat: 0, attempt: 1 },
            participant: "ada".into(),
            offset,
            text: text.to_owned(),
            waiting: String::new(),
        }
    }

    fn heard(answers: &mut HeardAnswers, offset: u64, text: &str) -> Option<(u64, String)> {
        answers.new_in(piece(offset, text)).map(|delta| (delta.offset, delta.text))
    }

    #[tokio::test(start_paused = true)]
    async fn one_who_comes_late_hears_an_answer_from_its_beginning() {
        let mut answers = HeardAnswers::default();
        assert_eq!(heard(&mut answers, 6, "pays"), None);
        assert_eq!(heard(&mut answers, 0, "Trade pays off"), Some((0, "Trade pays off".to_owned())));
        assert_eq!(heard(&mut answers, 14, "."), Some((14, ".".to_owned())));
        assert_eq!(heard(&mut answers, 0, "Trade pays off."), None, "nothing is heard twice");
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_lost_comes_with_the_whole() {
        let mut answers = HeardAnswers::default();
        assert_eq!(heard(&mut answers, 0, "a"), Some((0, "a".to_owned())));
        assert_eq!(heard(&mut answers, 2, "c"), None);
        assert_eq!(heard(&mut answers, 0, "abcd"), Some((1, "bcd".to_owned())));
        assert_eq!(heard(&mut answers, 4, "e"), Some((4, "e".to_owned())));
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_never_tells_the_whole_is_heard_after_a_while() {
        let mut answers = HeardAnswers::default();
        assert_eq!(heard(&mut answers, 5, "x"), None);
        tokio::time::advance(PATIENCE).await;
        assert_eq!(heard(&mut answers, 6, "y"), Some((6, "y".to_owned())));
        assert_eq!(heard(&mut answers, 7, "z"), Some((7, "z".to_owned())));
    }
}
