//! What lasts is said when it begins, once a minute while it lasts, and when it is over.
use agon_bus::BusError;
use std::future::Future;
use std::time::Duration;
use tokio::time::Instant;

/// The pause between two lines about the same trouble.
const PAUSE: Duration = Duration::from_secs(60);

/// The pause before a bus that failed is asked again.
pub(crate) const BUS_PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub(crate) struct Trouble(Option<Lasting>);

#[derive(Debug)]
struct Lasting {
    since: Instant,
    said: Instant,
}

impl Trouble {
    /// It is there. Whether that is to be said now.
    pub(crate) fn is_news(&mut self) -> bool {
        let now = Instant::now();
        let Some(lasting) = &mut self.0 else {
            self.0 = Some(Lasting { since: now, said: now });
            return true;
        };
        let due = now.saturating_duration_since(lasting.said) >= PAUSE;
        if due {
            lasting.said = now;
        }
        due
    }

    /// Tells of what was tried what is news: that it failed, or that it works again and for how long it did not.
    pub(crate) fn tell<T, E>(&mut self, tried: &Result<T, E>, fails: impl FnOnce(&E), again: impl FnOnce(String)) {
        match tried {
            Ok(_) => drop(self.over().map(again)),
            Err(error) if self.is_news() => fails(error),
            Err(_) => {}
        }
    }

    /// It is not there. How long it has lasted, in words, where it was there until now.
    pub(crate) fn over(&mut self) -> Option<String> {
        self.0.take().map(|lasting| agon_bus::lasting(lasting.since.elapsed()))
    }
}

/// What the bus opens, for which it is asked again while it fails; none once it is closed.
pub(crate) async fn open<T, F>(ask: impl Fn() -> F, fails: impl Fn(&BusError), again: impl Fn(String)) -> Option<T>
where
    F: Future<Output = Result<T, BusError>>,
{
    let mut trouble = Trouble::default();
    loop {
        match ask().await {
            Err(BusError::Closed(_)) => return None,
            tried => {
                trouble.tell(&tried, &fails, &again);
                if let Ok(open) = tried {
                    return Some(open);
                }
            }
        }
        tokio::time::sleep(BUS_PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_trouble_is_said_when_it_begins_each_minute_and_once_when_it_is_over() {
        let mut trouble = Trouble::default();
        assert_eq!(trouble.over(), None);
        let mut said = 0;
        for _ in 0..150 {
            said += usize::from(trouble.is_news());
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        assert_eq!(said, 3);
        assert_eq!(trouble.over(), Some(agon_bus::lasting(Duration::from_secs(150))));
        assert_eq!(trouble.over(), None, "once");
        assert!(trouble.is_news(), "another one");
    }
}
