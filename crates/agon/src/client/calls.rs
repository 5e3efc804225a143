//! The questions to a server. What passes by itself is asked again, a few times.
use super::connect::{AuthChannel, Client};
use super::refusal;
use crate::exit::Stop;
use agon_core::{Position, Record, Timestamp};
use agon_proto::pb;
use agon_proto::pb::v1::archive_service_client::ArchiveServiceClient;
use agon_proto::pb::v1::debate_service_client::DebateServiceClient;
use anyhow::Context as _;
use std::future::Future;
use std::time::Duration;
use tokio::time::Instant;
use tonic::{Code, Request, Response, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;

/// How often a question is asked at most.
const TRIES: u32 = 4;
/// The wait before the second try; doubles each time.
const FIRST_WAIT: Duration = Duration::from_millis(150);
/// The longest wait between two tries.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// For how long a server is asked again that answers, and says that it can not for the moment: its store has a new leader in a few seconds.
const PATIENCE: Duration = Duration::from_secs(15);
/// Debates on a page of a list, and events on a page of a log.
const PAGE: i32 = 500;

type Debates = DebateServiceClient<AuthChannel>;
type Archive = ArchiveServiceClient<AuthChannel>;

impl Client {
    /// Submits a debate, or asks what it would take. Harmless to repeat, because it carries a request id.
    pub async fn create(&self, request: pb::v1::CreateDebateRequest) -> Result<pb::v1::Debate, Stop> {
        self.ask("submit", request, |mut to, request| async move { to.create_debate(request).await }).await
    }

    /// Whether there is such a debate.
    pub async fn exists(&self, id: &str) -> Result<bool, Stop> {
        let view = pb::v1::DebateView::Basic.into();
        let request = pb::v1::GetDebateRequest { name: id.to_owned(), view };
        let found =
            self.repeat(&self.debates, request, |mut to, request| async move { to.get_debate(request).await }).await;
        match found {
            Ok(_) => Ok(true),
            Err(status) if status.code() == Code::DataLoss => Ok(true),
            Err(status) if matches!(status.code(), Code::NotFound | Code::InvalidArgument) => Ok(false),
            Err(status) => Err(self.stop(&status, "get").await),
        }
    }

    /// The debates that fit, newest first, at most so many.
    pub async fn list(&self, filter: &pb::v1::DebateFilter, limit: usize) -> Result<Vec<pb::v1::Debate>, Stop> {
        self.list_among(filter, limit, |_| true).await
    }

    /// The same without the debates that were held for evals.
    pub async fn list_own(&self, filter: &pb::v1::DebateFilter, limit: usize) -> Result<Vec<pb::v1::Debate>, Stop> {
        self.list_among(filter, limit, |debate| !agon_eval::is_cell_id(&debate.id)).await
    }

    async fn list_among(
        &self,
        filter: &pb::v1::DebateFilter,
        limit: usize,
        among: impl Fn(&pb::v1::Debate) -> bool,
    ) -> Result<Vec<pb::v1::Debate>, Stop> {
        let mut debates = Vec::new();
        let (mut page_token, mut asked) = (String::new(), limit);
        loop {
            let rest = i32::try_from(asked.saturating_sub(debates.len())).unwrap_or(PAGE);
            let filter = Some(filter.clone());
            let request = pb::v1::ListDebatesRequest { page_size: rest.min(PAGE), page_token, filter };
            let page =
                self.ask("list", request, |mut to, request| async move { to.list_debates(request).await }).await?;
            let (found, before) = (page.debates.len(), debates.len());
            debates.extend(page.debates.into_iter().filter(&among));
            if debates.len() - before < found {
                // many more may have to be left out
                asked = usize::MAX;
            }
            page_token = page.next_page_token;
            if page_token.is_empty() || debates.len() >= limit {
                debates.truncate(limit);
                return Ok(debates);
            }
        }
    }

    /// The server's clock, if it tells.
    pub async fn date(&self) -> Option<jiff::Timestamp> {
        let request = pb::v1::ListDebatesRequest { page_size: 1, ..Default::default() };
        let answer = self.debates.clone().list_debates(self.timed(request)).await.ok()?;
        let date = answer.metadata().get("date")?.to_str().ok()?;
        Some(jiff::fmt::rfc2822::parse(date).ok()?.timestamp())
    }

    /// Whether the server says that it serves this, asked once; nothing where it does not say.
    pub async fn serves(&self, service: &str) -> Option<bool> {
        let request = HealthCheckRequest { service: service.to_owned() };
        let answer = self.health.clone().check(self.timed(request)).await.ok()?;
        Some(answer.get_ref().status() == ServingStatus::Serving)
    }

    /// Orders a debate to be ended.
    pub async fn cancel(&self, id: &str, reason: &str) -> Result<pb::v1::Debate, Stop> {
        let request = pb::v1::CancelDebateRequest { name: id.to_owned(), reason: reason.to_owned() };
        self.ask("cancel", request, |mut to, request| async move { to.cancel_debate(request).await }).await
    }

    /// Pauses a debate.
    pub async fn pause(&self, id: &str, reason: &str) -> Result<pb::v1::Debate, Stop> {
        let request = pb::v1::PauseDebateRequest { name: id.to_owned(), reason: reason.to_owned() };
        self.ask("pause", request, |mut to, request| async move { to.pause_debate(request).await }).await
    }

    /// Has an interrupted debate continued.
    pub async fn resume(&self, id: &str) -> Result<pb::v1::Debate, Stop> {
        let request = pb::v1::ResumeDebateRequest { name: id.to_owned() };
        self.ask("resume", request, |mut to, request| async move { to.resume_debate(request).await }).await
    }

    /// Whether the hash chain of a debate's log holds, asked for what is being done.
    pub async fn verify(&self, id: &str, doing: &str) -> Result<pb::v1::VerifyDebateResponse, Stop> {
        let request = pb::v1::VerifyDebateRequest { name: id.to_owned() };
        self.ask(doing, request, |mut to, request| async move { to.verify_debate(request).await }).await
    }

    /// A debate without its spec and its result.
    pub async fn get(&self, id: &str) -> Result<pb::v1::Debate, Stop> {
        let view = pb::v1::DebateView::Basic.into();
        let request = pb::v1::GetDebateRequest { name: id.to_owned(), view };
        self.ask("get", request, |mut to, request| async move { to.get_debate(request).await }).await
    }

    /// The same, asked once and for no longer than this.
    pub(super) async fn get_within(&self, id: &str, limit: Duration) -> Result<pb::v1::Debate, Status> {
        let view = pb::v1::DebateView::Basic.into();
        let request = timed(pb::v1::GetDebateRequest { name: id.to_owned(), view }, limit);
        let mut to = self.debates.clone();
        let late = |_| Status::deadline_exceeded("no answer");
        tokio::time::timeout(limit, to.get_debate(request)).await.map_err(late)?.map(Response::into_inner)
    }

    /// Has a debate that is over judged again. Harmless to repeat, because it carries a request id.
    pub async fn rejudge(&self, request: pb::v1::RejudgeDebateRequest) -> Result<pb::v1::Debate, Stop> {
        self.ask("rejudge", request, |mut to, request| async move { to.rejudge_debate(request).await }).await
    }

    /// Removes a debate that is over.
    pub async fn delete(&self, id: &str) -> Result<(), Stop> {
        let request = pb::v1::DeleteDebateRequest { name: id.to_owned() };
        self.ask("delete", request, |mut to, request| async move { to.delete_debate(request).await }).await
    }

    /// A debate as a document.
    pub async fn export(&self, id: &str, format: pb::v1::ExportFormat) -> Result<String, Stop> {
        let request = pb::v1::ExportDebateRequest { name: id.to_owned(), format: format.into() };
        let document = self.ask("report", request, |mut to, request| async move { to.export_debate(request).await });
        Ok(document.await?.content)
    }

    /// Every event of a debate, each as a record of its own: how they were written together is the server's affair.
    pub async fn events(&self, id: &str) -> Result<Vec<Record>, Stop> {
        let mut records: Vec<Record> = Vec::new();
        loop {
            let after_sequence = records.last().map_or(0, |record| record.last().0);
            let request = pb::v1::ListDebateEventsRequest { name: id.to_owned(), after_sequence, page_size: PAGE };
            let page = self
                .ask("read", request, |mut to, request| async move { to.list_debate_events(request).await })
                .await?;
            let empty = page.events.is_empty();
            for event in page.events {
                records.push(record(event)?);
            }
            if !page.more || empty {
                return Ok(records);
            }
        }
    }

    /// The hosts that live.
    pub async fn hosts(&self) -> Result<Vec<pb::v1::Host>, Stop> {
        match self.ask_hosts().await {
            Ok(answer) => Ok(answer.hosts),
            Err(status) => Err(self.stop(&status, "hosts").await),
        }
    }

    /// The same; nothing where the caller may not see them.
    pub async fn hosts_if_permitted(&self) -> Result<Option<Vec<pb::v1::Host>>, Stop> {
        match self.ask_hosts().await {
            Ok(answer) => Ok(Some(answer.hosts)),
            Err(status) if status.code() == Code::PermissionDenied => Ok(None),
            Err(status) => Err(self.stop(&status, "hosts").await),
        }
    }

    async fn ask_hosts(&self) -> Result<pb::v1::ListHostsResponse, Status> {
        let question = pb::v1::ListHostsRequest {};
        self.repeat(&self.cluster, question, |mut to, request| async move { to.list_hosts(request).await }).await
    }

    /// The ratings of the caller's debates.
    pub async fn ratings(&self, rehearsal: bool) -> Result<pb::v1::ListRatingsResponse, Stop> {
        let question = pb::v1::ListRatingsRequest { rehearsal };
        let send = |mut to: Archive, request| async move { to.list_ratings(request).await };
        self.ask_at(&self.archive, "ratings", question, send).await
    }

    /// All of one persona.
    pub async fn persona(&self, name: &str, rehearsal: bool) -> Result<pb::v1::PersonaRecord, Stop> {
        let question = pb::v1::GetPersonaRequest { name: name.to_owned(), rehearsal };
        let send = |mut to: Archive, request| async move { to.get_persona(request).await };
        self.ask_at(&self.archive, "ratings", question, send).await
    }

    async fn ask<Q: Clone, A, F>(
        &self,
        doing: &str,
        question: Q,
        send: impl Fn(Debates, Request<Q>) -> F,
    ) -> Result<A, Stop>
    where
        F: Future<Output = Result<Response<A>, Status>>,
    {
        self.ask_at(&self.debates, doing, question, send).await
    }

    pub(super) async fn ask_at<S: Clone, Q: Clone, A, F>(
        &self,
        service: &S,
        doing: &str,
        question: Q,
        send: impl Fn(S, Request<Q>) -> F,
    ) -> Result<A, Stop>
    where
        F: Future<Output = Result<Response<A>, Status>>,
    {
        match self.repeat(service, question, send).await {
            Ok(answer) => Ok(answer),
            Err(status) => Err(self.stop(&status, doing).await),
        }
    }

    async fn repeat<S: Clone, Q: Clone, A, F>(
        &self,
        service: &S,
        question: Q,
        send: impl Fn(S, Request<Q>) -> F,
    ) -> Result<A, Status>
    where
        F: Future<Output = Result<Response<A>, Status>>,
    {
        self.asked(|limit| send(service.clone(), timed(question.clone(), limit))).await
    }

    /// Asks a few times, or for as long as the patience of a client that waits lasts. `send` is told how long the question may take.
    async fn asked<A, F>(&self, mut send: impl FnMut(Duration) -> F) -> Result<A, Status>
    where
        F: Future<Output = Result<Response<A>, Status>>,
    {
        match self.says {
            Some(output) => self.insist(output, send).await,
            None => repeat(|| send(self.timeout)).await,
        }
    }

    pub(super) fn timed<Q>(&self, question: Q) -> Request<Q> {
        timed(question, self.timeout)
    }
}

fn timed<Q>(question: Q, limit: Duration) -> Request<Q> {
    let mut request = Request::new(question);
    request.set_timeout(limit);
    request
}

async fn repeat<A, F>(mut send: impl FnMut() -> F) -> Result<A, Status>
where
    F: Future<Output = Result<Response<A>, Status>>,
{
    let (mut wait, mut tries, begun) = (FIRST_WAIT, 1, Instant::now());
    loop {
        let status = match send().await {
            Err(status) if refusal::broke(&status) => status,
            answered => return answered.map(Response::into_inner),
        };
        // A server that answers and says when to come again is there, and so is worth a longer wait.
        let waits = refusal::come_again(&status) && begun.elapsed() < PATIENCE;
        if tries >= TRIES && !waits {
            return Err(status);
        }
        tracing::debug!(%status, "asked again");
        tokio::time::sleep(wait).await;
        (wait, tries) = ((wait * 2).min(LONGEST_WAIT), tries + 1);
    }
}

/// An event as a record of its own.
pub fn record(event: pb::v1::DebateEvent) -> Result<Record, Stop> {
    let what = event.event.context("the server sent an event without content")?;
    let at = event.time.unwrap_or_default();
    let at_ms = u64::try_from(at.seconds).unwrap_or(0) * 1000 + u64::try_from(at.nanos).unwrap_or(0) / 1_000_000;
    let what =
        agon_core::Event::try_from(what).context("the server sent an event that this version of Agon cannot read")?;
    Ok(Record { first: Position(event.sequence), at: Timestamp(at_ms), epoch: 0, nonce: 0, events: vec![what] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use crate::exit::Exit;
    use crate::settings::ClientSettings;
    use std::cell::Cell;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use tokio::io::AsyncReadExt as _;
    use tokio::net::TcpListener;
    use tonic_types::{ErrorDetails, StatusExt as _};

    #[tokio::test(start_paused = true)]
    async fn a_server_that_says_when_to_come_again_is_asked_for_longer() {
        let later = || {
            let details = ErrorDetails::with_retry_info(Some(Duration::from_secs(1)));
            Status::with_error_details(Code::Unavailable, "the store is unreachable", details)
        };
        let asked = Cell::new(0);
        let count = || asked.replace(asked.get() + 1) + 1;
        let answer = repeat(|| {
            let tries = count();
            async move { if tries < 10 { Err(later()) } else { Ok(Response::new(tries)) } }
        });
        assert_eq!(answer.await.unwrap(), 10);

        asked.set(0);
        let never: Result<u32, Status> = repeat(|| {
            count();
            async { Err(Status::unavailable("nobody is there")) }
        })
        .await;
        assert_eq!((never.unwrap_err().code(), asked.get()), (Code::Unavailable, TRIES));

        asked.set(0);
        let begun = Instant::now();
        let never: Result<u32, Status> = repeat(|| {
            count();
            async move { Err(later()) }
        })
        .await;
        assert!(never.is_err() && begun.elapsed() < PATIENCE * 2, "{:?}", begun.elapsed());
    }

    #[tokio::test]
    async fn a_question_whose_connection_breaks_is_asked_again_over_another_one() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Some(listener.local_addr().unwrap().to_string());
        let accepted = Arc::new(AtomicU32::new(0));
        let count = accepted.clone();
        let server_task = tokio::spawn(async move {
            // a gateway that goes: it takes the question and is gone before it answers
            loop {
                let (mut socket, _) = listener.accept().await.unwrap();
                count.fetch_add(1, Ordering::SeqCst);
                let _ = socket.read(&mut [0; 4096]).await;
            }
        });
        let client = Client::open(&ClientSettings { server, ..ClientSettings::default() }, &Environment::default());
        let stop = client.unwrap().exists("debates/none").await.unwrap_err();
        assert_eq!(stop.exit, Exit::Unavailable, "{stop:?}");
        assert!(accepted.load(Ordering::SeqCst) > 1, "it gave up with its first connection");
        server_task.abort();
    }
}
