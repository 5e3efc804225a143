//! A client of the API that goes on at another gateway when one is gone, and counts every event that it is told.
use agon_core::Record;
use agon_proto::pb::v1::create_debate_request::Source;
use agon_proto::pb::v1::debate::State;
use agon_proto::pb::v1::debate_service_client::DebateServiceClient;
use agon_proto::pb::v1::watch_debate_response::Kind;
use agon_proto::pb::v1::{
    CreateDebateRequest, DebateEvent, DebateFile, DebateFilter, DebateView, FileFormat, GetDebateRequest,
    ListDebatesRequest, WatchDebateRequest,
};
use anyhow::{Context, Result, bail};
use prost::Message as _;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

/// How long one call may take.
const CALL: Duration = Duration::from_secs(10);
/// How long a stream may be silent: the server gives a sign of life every 15 s.
const SILENCE: Duration = Duration::from_secs(40);
/// The pause before a call is tried again.
const PAUSE: Duration = Duration::from_millis(200);

/// A client of several gateways.
#[derive(Clone)]
pub struct GatewayClient {
    gateways: Arc<[Channel]>,
    next: Arc<AtomicUsize>,
}

/// What a watcher was told of a debate until its end.
#[derive(Clone, Debug, Default)]
pub struct WatchRecord {
    /// How often each event came, and what it was.
    pub events: BTreeMap<u64, WatchedEvent>,
    /// How often the stream had to be taken up again.
    pub resumed: u64,
}

/// An event as a watcher was told it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchedEvent {
    /// How often.
    pub times: u64,
    /// Its bytes, the first time.
    pub bytes: Vec<u8>,
}

impl WatchRecord {
    /// Events that are not byte for byte what the log holds.
    pub fn differing(&self, records: &[Record]) -> u64 {
        let logged = records.iter().flat_map(|record| record.entries().map(|entry| (entry, record.at)));
        let logged: BTreeMap<u64, Vec<u8>> = logged
            .map(|((position, event), at)| {
                let time = Some(prost_types::Timestamp {
                    seconds: i64::try_from(at.0 / 1_000).unwrap_or(i64::MAX),
                    nanos: i32::try_from(at.0 % 1_000).unwrap_or(0) * 1_000_000,
                });
                (
                    position.0,
                    bytes(&DebateEvent { sequence: position.0, time, event: Some(event.into()), ..Default::default() }),
                )
            })
            .collect();
        self.events.iter().filter(|(sequence, told)| logged.get(sequence) != Some(&told.bytes)).count() as u64
    }
    /// Events up to the last one that never came.
    pub fn lost(&self, last: u64) -> u64 {
        (1..=last).filter(|sequence| !self.events.contains_key(sequence)).count() as u64
    }
    /// Events that came more than once, or that the log does not have.
    pub fn doubled(&self, last: u64) -> u64 {
        self.events.iter().filter(|(sequence, told)| told.times > 1 || **sequence > last).count() as u64
    }
}

impl GatewayClient {
    /// A client of the gateways at these addresses, `host:port`. Needs a runtime; connects when it is asked something.
    pub fn new(addresses: &[String]) -> Result<Self> {
        let channel = |address: &String| -> Result<Channel> {
            let endpoint = Endpoint::from_shared(format!("http://{address}"))?;
            let keep_alive = Duration::from_secs(5);
            let endpoint = endpoint.connect_timeout(CALL).http2_keep_alive_interval(keep_alive);
            Ok(endpoint.keep_alive_timeout(keep_alive).connect_lazy())
        };
        let gateways: Vec<Channel> = addresses.iter().map(channel).collect::<Result<_>>()?;
        Ok(Self { gateways: gateways.into(), next: Arc::default() })
    }

    fn debates(&self) -> Result<DebateServiceClient<Channel>> {
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        let at = turn.checked_rem(self.gateways.len()).context("there is no gateway")?;
        let channel = self.gateways.get(at).context("there is no gateway")?;
        Ok(DebateServiceClient::new(channel.clone()).max_decoding_message_size(64 << 20))
    }

    /// Submits a debate file under an id, again and again until a gateway has taken it; the key makes that harmless.
    pub async fn submit(&self, id: &str, file: &str, patience: Duration) -> Result<()> {
        let source = DebateFile { text: file.to_owned(), format: FileFormat::Yaml.into(), file_name: None };
        let request = CreateDebateRequest {
            source: Some(Source::File(source)),
            debate_id: Some(id.to_owned()),
            request_id: Some(format!("submit-{id}")),
            seed: Some(7),
            rehearsal: true,
            ..CreateDebateRequest::default()
        };
        let until = Instant::now() + patience;
        loop {
            let mut debates = self.debates()?;
            let status = match timeout(CALL, debates.create_debate(request.clone())).await {
                Ok(Ok(_)) => return Ok(()),
                Ok(Err(status)) => status,
                Err(_) => Status::deadline_exceeded("no answer"),
            };
            if is_final(&status) || Instant::now() > until {
                bail!("{id} is not taken: {status}");
            }
            sleep(PAUSE).await;
        }
    }

    /// Follows a debate from its first event to its last, over whichever gateway answers.
    pub async fn watch(&self, id: &str, until: Instant) -> Result<WatchRecord> {
        let mut sight = WatchRecord::default();
        let mut after = 0;
        while !self.watch_once(id, &mut sight, &mut after, until).await? {
            if Instant::now() > until {
                bail!("{id} is not over: its last event is {after}");
            }
            sight.resumed += 1;
            sleep(PAUSE).await;
        }
        Ok(sight)
    }

    /// True once the debate is over and told in full.
    async fn watch_once(&self, id: &str, sight: &mut WatchRecord, after: &mut u64, until: Instant) -> Result<bool> {
        let request = WatchDebateRequest { name: id.to_owned(), after_sequence: *after, include_deltas: false };
        let mut debates = self.debates()?;
        let mut stream = match timeout(CALL, debates.watch_debate(request)).await {
            Ok(Ok(stream)) => stream.into_inner(),
            Ok(Err(status)) if is_final(&status) => bail!("{id} cannot be watched: {status}"),
            Ok(Err(_)) | Err(_) => return Ok(false),
        };
        loop {
            let rest = until.saturating_duration_since(Instant::now()).min(SILENCE);
            let message = match timeout(rest, stream.message()).await {
                Ok(Ok(message)) => message,
                Ok(Err(status)) if is_final(&status) => bail!("{id} cannot be watched on: {status}"),
                Ok(Err(_)) | Err(_) => return Ok(false),
            };
            // The stream ends by itself once all is told, or when its gateway ends.
            let Some(message) = message else { return self.is_told(id, *after).await };
            if let Some(Kind::Event(event)) = message.kind {
                *after = event.sequence.max(*after);
                let told = sight.events.entry(event.sequence).or_default();
                told.times += 1;
                if told.bytes.is_empty() {
                    told.bytes = bytes(&event);
                }
            }
        }
    }

    async fn is_told(&self, id: &str, after: u64) -> Result<bool> {
        let debate = self.get(id).await;
        Ok(debate.is_ok_and(|(state, sequence)| is_terminal(state) && sequence <= after))
    }

    /// Whether any debate is not over.
    pub async fn has_unfinished(&self) -> Result<bool> {
        self.has_any(&[State::Queued, State::Running, State::Cancelling]).await
    }

    /// Whether a debate is in one of these states.
    pub async fn has_any(&self, states: &[State]) -> Result<bool> {
        let states = states.iter().copied().map(i32::from).collect();
        let filter = Some(DebateFilter { states, ..DebateFilter::default() });
        let request = ListDebatesRequest { page_size: 1, filter, ..ListDebatesRequest::default() };
        let page = timeout(CALL, self.debates()?.list_debates(request)).await.context("no answer")??.into_inner();
        Ok(!page.debates.is_empty())
    }

    /// A debate's state and its last event.
    pub async fn get(&self, id: &str) -> Result<(State, u64)> {
        let request = GetDebateRequest { name: id.to_owned(), view: DebateView::Basic.into() };
        let mut debates = self.debates()?;
        let debate = timeout(CALL, debates.get_debate(request)).await.context("no answer")??.into_inner();
        Ok((debate.state(), debate.sequence))
    }
}

/// What of an event is in the log, too: how far the debate was with it is not.
fn bytes(event: &DebateEvent) -> Vec<u8> {
    DebateEvent { calls_done: None, calls_planned: None, ..event.clone() }.encode_to_vec()
}

/// Whether a debate in this state is over.
pub fn is_terminal(state: State) -> bool {
    match state {
        State::Succeeded | State::Failed | State::Cancelled => true,
        State::Unspecified
        | State::Queued
        | State::Running
        | State::Cancelling
        | State::Paused
        | State::Interrupted
        | State::Lost => false,
    }
}

/// Whether trying again would end the same way.
fn is_final(status: &Status) -> bool {
    matches!(
        status.code(),
        Code::InvalidArgument
            | Code::AlreadyExists
            | Code::PermissionDenied
            | Code::Unauthenticated
            | Code::FailedPrecondition
            | Code::Unimplemented
            | Code::DataLoss
    )
}
