//! What the debates of an eval wait for, while nothing goes on.
use crate::client::TELL;
use crate::store::Store;
use agon_core::{DebateId, Event, Timestamp};
use agon_eval::{EvalEffect, EvalMachine};
use agon_report::one_line;
use agon_runtime::{Clock as _, SystemClock, UnsettledTurns};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// So many open debates are looked at: what one of them waits for the others mostly do, too.
const LOOKED_AT: usize = 8;

/// What the open debates of an eval of this machine wait for, by their logs; nothing where none has failed.
pub async fn by_logs(store: &Store, eval: &EvalMachine) -> Option<String> {
    let now: Timestamp = SystemClock.now();
    let open = eval.outstanding().into_iter().filter_map(|effect| match effect {
        EvalEffect::Hold { debate, .. } => Some(debate),
        EvalEffect::Look { .. } => None,
    });
    for debate in open.take(LOOKED_AT) {
        // one that was not begun, or cannot be read now, waits for nothing that is known
        let Ok(id) = DebateId::parse(&debate) else { continue };
        let Ok(log) = store.stored_log(&id).await else { continue };
        if let Some(wait) = UnsettledTurns::of(&log.records).wait(now) {
            return Some(format!("debate {debate} waits for {wait}"));
        }
    }
    None
}

/// Whether nothing was appended to an eval for so long that it is said what it waits for; then again after as long.
#[derive(Default)]
pub struct SilentEval {
    last: Option<(u64, Instant)>,
}

impl SilentEval {
    /// Takes in how many records there are now.
    pub fn is_long(&mut self, records: u64) -> bool {
        let now = Instant::now();
        match self.last {
            Some((before, since)) if before == records && now.duration_since(since) < TELL => false,
            Some((before, _)) => {
                self.last = Some((records, now));
                before == records
            }
            None => {
                self.last = Some((records, now));
                false
            }
        }
    }
}

/// The last thing that a debate was heard to wait for, until one goes on.
#[derive(Default)]
pub struct CellWaits {
    last: Mutex<Option<String>>,
}

impl CellWaits {
    /// A turn waits for this, or goes on where the text is empty.
    pub fn heard(&self, what: &str) {
        self.note((!what.is_empty()).then(|| one_line(what)));
    }

    /// A failed turn is asked again; any other end of a turn ends the wait.
    pub fn event(&self, event: &Event) {
        match event {
            Event::TurnFailed { failure, .. } => {
                self.note(Some(format!("another try, as one has failed: {}", one_line(&failure.detail))));
            }
            event if event.settled().is_some() => self.note(None),
            _ => {}
        }
    }

    fn note(&self, what: Option<String>) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = what;
    }

    /// What is waited for, in a line.
    pub fn told(&self) -> String {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        format!("waiting for {}", last.as_deref().unwrap_or("answers of the models or programs"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_heard_last_is_told_until_a_turn_goes_on() {
        let waits = CellWaits::default();
        assert_eq!(waits.told(), "waiting for answers of the models or programs");
        waits.heard("gpu1: unavailable (503) since 10 s");
        assert_eq!(waits.told(), "waiting for gpu1: unavailable (503) since 10 s");
        waits.heard("");
        assert_eq!(waits.told(), "waiting for answers of the models or programs");
    }
}
