//! What the debates of an eval wait for, while nothing goes on.
use agon_core::Event;
use agon_report::one_line;
use std::sync::{Mutex, PoisonError};

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
        format!("waiting for {}", last.as_deref().unwrap_or("answers of the models"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_heard_last_is_told_until_a_turn_goes_on() {
        let waits = CellWaits::default();
        assert_eq!(waits.told(), "waiting for answers of the models");
        waits.heard("gpu1: unavailable (503) since 10 s");
        assert_eq!(waits.told(), "waiting for gpu1: unavailable (503) since 10 s");
        waits.heard("");
        assert_eq!(waits.told(), "waiting for answers of the models");
    }
}
