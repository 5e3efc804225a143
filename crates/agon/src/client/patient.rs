//! Questions of a command that waits: they are asked until they are answered.
use super::connect::Client;
use super::refusal;
use super::wait::{EventWait, TELL};
use crate::output::OutputMode;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;
use tokio::time::Instant;
use tonic::{Response, Status};

/// The wait before the second try; doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(150);
/// The longest wait between two tries, whatever a server asks for.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// However little is left of the patience, a question has so long.
const SHORTEST_QUESTION: Duration = Duration::from_secs(1);

impl Client {
    /// Asks until there is an answer, a refusal that stays, or an end of the patience.
    pub(super) async fn insist<A, F>(
        &self,
        output: OutputMode,
        mut send: impl FnMut(Duration) -> F,
    ) -> Result<A, Status>
    where
        F: Future<Output = Result<Response<A>, Status>>,
    {
        let (begun, mut wait, mut pause) = (Instant::now(), EventWait::new(), FIRST_PAUSE);
        let mut known: Option<Status> = None;
        loop {
            let limit = self.timeout.min(self.left(begun).max(SHORTEST_QUESTION));
            let status = match self.told_of(tokio::time::timeout(limit, send(limit)), output, &mut wait).await {
                Ok(Err(status)) if refusal::passes(&status) => status,
                Ok(answered) => {
                    if let Some(end) = wait.well().filter(|_| answered.is_ok()) {
                        output.note(&end);
                    }
                    return answered.map(Response::into_inner);
                }
                Err(_) => Status::deadline_exceeded("no answer"),
            };
            if known.is_none() && self.is_wrong_door(&status).await {
                return Err(status);
            }
            // that an answer is late says less than a refusal
            let status = if refusal::is_late(&status) { known.take().unwrap_or(status) } else { status };
            let left = self.left(begun);
            if left.is_zero() {
                return Err(status);
            }
            wait.stuck(&refusal::what(&status, &self.address));
            if let Some(notice) = wait.notice() {
                output.note(&notice);
            }
            tokio::time::sleep(refusal::retry_delay(&status).unwrap_or(pause).min(LONGEST_PAUSE).min(left)).await;
            (pause, known) = ((pause * 2).min(LONGEST_PAUSE), Some(status));
        }
    }

    /// Says what is waited for while there is no answer.
    async fn told_of<T>(&self, asked: impl Future<Output = T>, output: OutputMode, wait: &mut EventWait) -> T {
        let mut asked = pin!(asked);
        loop {
            if let Ok(answered) = tokio::time::timeout(TELL, &mut asked).await {
                return answered;
            }
            if wait.why.is_none() {
                wait.stuck(&format!("the server {} has not answered", self.address));
            }
            if let Some(notice) = wait.notice() {
                output.note(&notice);
            }
        }
    }

    fn left(&self, begun: Instant) -> Duration {
        self.patience.saturating_sub(begun.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use crate::settings::{ClientSettings, Length};
    use std::cell::Cell;
    use tonic::Code;
    use tonic_types::{ErrorDetails, StatusExt as _};

    fn patient(seconds: u64) -> (Client, OutputMode) {
        let settings = ClientSettings {
            server: Some("127.0.0.1:9".to_owned()),
            patience: Length::seconds(seconds),
            ..ClientSettings::default()
        };
        let output = OutputMode::new(crate::cli::ColorChoice::Never, &Environment::default()).quiet(true);
        (Client::open(&settings, &Environment::default()).unwrap().patient(output), output)
    }

    fn full() -> Status {
        let details = ErrorDetails::with_retry_info(Some(Duration::from_secs(5)));
        Status::with_error_details(Code::ResourceExhausted, "the store is full", details)
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_store_is_asked_again_until_it_has_room() {
        let ((client, output), asked) = (patient(60), Cell::new(0));
        let answer = client.insist(output, |_| {
            asked.set(asked.get() + 1);
            let tries = asked.get();
            async move { if tries < 8 { Err(full()) } else { Ok(Response::new(tries)) } }
        });
        assert_eq!(answer.await.unwrap(), 8);
    }

    #[tokio::test(start_paused = true)]
    async fn patience_ends_when_it_was_to_end_with_the_refusal_that_is_known() {
        let ((client, output), asked, begun) = (patient(15), Cell::new(0), Instant::now());
        let answer: Result<(), Status> = client
            .insist(output, |_| {
                asked.set(asked.get() + 1);
                let first = asked.get() == 1;
                async move { if first { Err(full()) } else { std::future::pending().await } }
            })
            .await;
        assert_eq!(answer.unwrap_err().code(), Code::ResourceExhausted);
        let took = begun.elapsed();
        assert!(took >= Duration::from_secs(15) && took <= Duration::from_secs(17), "{took:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_that_stays_is_told_at_once() {
        let ((client, output), begun) = (patient(60), Instant::now());
        for code in [Code::InvalidArgument, Code::NotFound, Code::ResourceExhausted] {
            let answer: Result<(), Status> =
                client.insist(output, |_| async move { Err(Status::new(code, "no")) }).await;
            assert_eq!(answer.unwrap_err().code(), code);
        }
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }
}
