//! What is refused because there is too much of it, or because something is away.
use crate::gateway_bench::*;
use crate::http::{http, status_of};
use agon_server::{ConnectionLimits, GatewayConfig, GatewayError, GatewayTimes, RequestLimits};
use agon_store::{Catalogue, CatalogueQuery, DebateBacklog, DebateSummary, ListState, StoreError};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;
use tonic::Code;

fn fresh_counts() -> GatewayTimes {
    GatewayTimes { load_age: Duration::ZERO, retry_full: Duration::from_secs(7), ..GatewayTimes::default() }
}

#[tokio::test]
async fn a_full_queue_refuses_new_debates_and_says_when_to_come_back() {
    let stage = GatewayBench::new().await;
    let limits = RequestLimits { queued: 2, ..RequestLimits::default() };
    let settings = GatewayConfig { limits, times: fresh_counts(), ..config() };
    let gateway = stage.gateway_before(&stage.idle_node().await, settings).await;
    for name in ["one-1", "two-2"] {
        gateway.create(wanted(name)).await.unwrap();
    }
    let (code, reason, details) = refusal(gateway.create(wanted("three-3")).await);
    assert_eq!((code, reason.as_str()), (Code::ResourceExhausted, "QUEUE_FULL"));
    assert_eq!(details.retry_info().unwrap().retry_delay, Some(Duration::from_secs(7)));
    let metadata = &details.error_info().unwrap().metadata;
    assert_eq!((metadata["held"].as_str(), metadata["limit"].as_str()), ("2", "2"));
    assert_eq!(gateway.create(wanted("one-1")).await.unwrap().id, "one-1", "what is there already is no new debate");
    assert_eq!(refusal(gateway.get("three-3").await).0, Code::NotFound);
}

#[tokio::test]
async fn submissions_between_two_counts_are_counted_too() {
    let stage = GatewayBench::new().await;
    let limits = RequestLimits { queued: 2, ..RequestLimits::default() };
    let times = GatewayTimes { load_age: Duration::from_secs(3_600), ..GatewayTimes::default() };
    let gateway = stage.gateway_before(&stage.idle_node().await, GatewayConfig { limits, times, ..config() }).await;
    for name in ["one-1", "two-2"] {
        gateway.create(wanted(name)).await.unwrap();
    }
    assert_eq!(refusal(gateway.create(wanted("three-3")).await).1, "QUEUE_FULL");
}

#[tokio::test]
async fn a_tenant_at_its_cap_is_refused() {
    let stage = GatewayBench::new().await;
    let limits = RequestLimits { tenant_unfinished: Some(1), ..RequestLimits::default() };
    let settings = GatewayConfig { limits, times: fresh_counts(), ..config() };
    let gateway = stage.gateway_before(&stage.idle_node().await, settings).await;
    gateway.create(wanted("one-1")).await.unwrap();
    let (code, reason, details) = refusal(gateway.create(wanted("two-2")).await);
    assert_eq!((code, reason.as_str()), (Code::ResourceExhausted, "TENANT_LIMIT"));
    assert!(details.retry_info().is_some());
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_given_up() {
    let stage = GatewayBench::new().await;
    let node = stage.idle_node().await;
    let times = GatewayTimes { call: Duration::from_millis(50), ..GatewayTimes::default() };
    let ports = agon_server::GatewayPorts { catalogue: Arc::new(Stuck), ..stage.ports(&node) };
    let gateway = agon_server::Gateway::start(GatewayConfig { times, ..config() }, ports).await.unwrap();
    let gateway = TestGateway::of(gateway);
    let (code, reason, _) =
        refusal(gateway.debates.clone().list_debates(agon_proto::pb::v1::ListDebatesRequest::default()).await);
    assert_eq!((code, reason.as_str()), (Code::DeadlineExceeded, "DEADLINE_EXCEEDED"));
}

/// A catalogue that never answers.
struct Stuck;
#[async_trait]
impl Catalogue for Stuck {
    async fn note(&self, _: DebateSummary) -> Result<(), StoreError> {
        std::future::pending().await
    }
    async fn get_summary(&self, _: &agon_core::DebateId) -> Result<Option<DebateSummary>, StoreError> {
        std::future::pending().await
    }
    async fn find(&self, _: &CatalogueQuery) -> Result<Vec<DebateSummary>, StoreError> {
        std::future::pending().await
    }
    async fn unfinished(&self) -> Result<Vec<DebateSummary>, StoreError> {
        std::future::pending().await
    }
    async fn standing(&self) -> Result<DebateBacklog, StoreError> {
        std::future::pending().await
    }
    async fn strike(&self, _: &agon_core::DebateId) -> Result<(), StoreError> {
        std::future::pending().await
    }
}

/// A catalogue whose server is away.
struct UnreachableCatalogue;
#[async_trait]
impl Catalogue for UnreachableCatalogue {
    async fn note(&self, _: DebateSummary) -> Result<(), StoreError> {
        Err(StoreError::Backend("connection refused".into()))
    }
    async fn get_summary(&self, _: &agon_core::DebateId) -> Result<Option<DebateSummary>, StoreError> {
        Err(StoreError::Backend("connection refused".into()))
    }
    async fn find(&self, query: &CatalogueQuery) -> Result<Vec<DebateSummary>, StoreError> {
        assert_ne!(query.states, [ListState::Queued]);
        Err(StoreError::Backend("connection refused".into()))
    }
    async fn unfinished(&self) -> Result<Vec<DebateSummary>, StoreError> {
        Err(StoreError::Backend("connection refused".into()))
    }
    async fn standing(&self) -> Result<DebateBacklog, StoreError> {
        Err(StoreError::Backend("connection refused".into()))
    }
    async fn strike(&self, _: &agon_core::DebateId) -> Result<(), StoreError> {
        Err(StoreError::Backend("connection refused".into()))
    }
}

#[tokio::test]
async fn a_store_that_is_away_is_unavailable_and_worth_another_try() {
    let stage = GatewayBench::new().await;
    let node = stage.idle_node().await;
    let ports = agon_server::GatewayPorts { catalogue: Arc::new(UnreachableCatalogue), ..stage.ports(&node) };
    let gateway = TestGateway::of(agon_server::Gateway::start(config(), ports).await.unwrap());
    let (code, reason, details) = refusal(gateway.create(wanted("nowhere")).await);
    assert_eq!((code, reason.as_str()), (Code::Unavailable, "UNAVAILABLE"));
    assert!(details.retry_info().unwrap().retry_delay.is_some());
    let mut health = tonic_health::pb::health_client::HealthClient::new(gateway.channel.clone());
    let mut status = async |service: &str| {
        let request = tonic_health::pb::HealthCheckRequest { service: service.to_owned() };
        health.check(request).await.unwrap().into_inner().status()
    };
    use tonic_health::pb::health_check_response::ServingStatus;
    let told = async {
        while status("agon.v1.DebateService").await != ServingStatus::NotServing {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, told).await.unwrap();
    assert_eq!(status("liveness").await, ServingStatus::Serving);
}

#[tokio::test]
async fn a_gateway_that_everybody_could_use_does_not_start() {
    let stage = GatewayBench::new().await;
    let node = stage.idle_node().await;
    let start = async |config| agon_server::Gateway::start(config, stage.ports(&node)).await;
    let open = GatewayConfig { grpc: Some("0.0.0.0:0".parse().unwrap()), ..config() };
    assert!(matches!(start(open.clone()).await, Err(GatewayError::Open(_))));
    assert!(start(GatewayConfig { insecure: true, ..open }).await.is_ok());
    let nothing = GatewayConfig { grpc: None, http: None, ..config() };
    assert!(matches!(start(nothing).await, Err(GatewayError::NoAddress)));
}

#[tokio::test]
async fn a_connection_that_grew_old_carries_its_watch_to_the_end() {
    let stage = GatewayBench::new().await;
    let connections = ConnectionLimits { max_age: Duration::from_millis(20), ..ConnectionLimits::default() };
    let gateway = stage.gateway_before(&stage.idle_node().await, GatewayConfig { connections, ..config() }).await;
    stage.gateway_before(&stage.idle_node().await, config()).await.create(wanted("lasting")).await.unwrap();
    // a connection may reach its age before its first call: clients try again
    let opened = async {
        loop {
            let Ok(mut watch) = gateway.watch("lasting", 0).await else { continue };
            if watch.message().await.is_ok() {
                return watch;
            }
        }
    };
    let mut watch = tokio::time::timeout(LIMIT, opened).await.unwrap();
    // new calls go over new connections once the old one is of age
    let others = async {
        let mut refused = 0;
        for _ in 0..200 {
            refused += u32::from(gateway.get("lasting").await.is_err());
        }
        refused
    };
    assert!(tokio::time::timeout(LIMIT, others).await.unwrap() < 200);
    let _node = stage.node().await;
    let rest = async {
        let mut last = 0;
        while let Some(message) = watch.message().await.unwrap() {
            if let Some(agon_proto::pb::v1::watch_debate_response::Kind::Event(event)) = message.kind {
                assert_eq!(event.sequence, last + 1);
                last = event.sequence;
            }
        }
        last
    };
    assert!(tokio::time::timeout(LIMIT, rest).await.unwrap() > 1);
}

#[tokio::test]
async fn what_an_old_connection_still_carries_is_cut_off_after_its_grace() {
    let stage = GatewayBench::new().await;
    let short = Duration::from_millis(20);
    let connections = ConnectionLimits { max_age: short, max_age_grace: short, ..ConnectionLimits::default() };
    let gateway = stage.gateway_before(&stage.idle_node().await, GatewayConfig { connections, ..config() }).await;
    let created = async { while gateway.create(wanted("cut-off")).await.is_err() {} };
    tokio::time::timeout(LIMIT, created).await.unwrap();
    let cut = async {
        loop {
            let Ok(mut watch) = gateway.watch("cut-off", 0).await else { continue };
            while let Ok(message) = watch.message().await {
                assert!(message.is_some(), "a debate that waits is not over");
            }
            return;
        }
    };
    tokio::time::timeout(LIMIT, cut).await.unwrap();
}

#[tokio::test]
async fn a_connection_on_which_nothing_is_said_is_closed() {
    use tokio::io::AsyncReadExt as _;
    let stage = GatewayBench::new().await;
    let connections = ConnectionLimits { handshake: Duration::from_millis(20), ..ConnectionLimits::default() };
    let gateway = stage.gateway_before(&stage.idle_node().await, GatewayConfig { connections, ..config() }).await;
    for address in [gateway.gateway.addresses().grpc.unwrap(), gateway.http] {
        let mut silent = tokio::net::TcpStream::connect(address).await.unwrap();
        let read = tokio::time::timeout(LIMIT, silent.read(&mut [0; 16])).await.unwrap();
        assert_eq!(read.unwrap_or(0), 0);
    }
}

/// A debate file of more bytes than this.
fn long(bytes: usize) -> String {
    format!("{FILE}{}\n", "x".repeat(bytes))
}

#[tokio::test]
async fn requests_that_together_are_too_many_bytes_are_refused_and_leave_their_room() {
    let stage = GatewayBench::new().await;
    let limits = RequestLimits { requests_bytes: 4_000, ..RequestLimits::default() };
    let gateway = stage.gateway_before(&stage.idle_node().await, GatewayConfig { limits, ..config() }).await;
    let mut request = wanted("long-one");
    request.source = Some(file(&long(8_000)));
    let (code, reason, details) = refusal(gateway.create(request).await);
    assert_eq!((code, reason.as_str()), (Code::ResourceExhausted, "BYTES_LIMIT"));
    assert!(details.retry_info().unwrap().retry_delay.is_some());
    assert_eq!(details.error_info().unwrap().metadata["limit"], "4000");
    let url = format!("http://{}/v1/debates", gateway.http);
    let posted = http().post(&url).header("content-type", "text/markdown").body(long(8_000)).send().await.unwrap();
    assert_eq!(posted.headers()["retry-after"], "1");
    assert_eq!(status_of(posted).await, (429, "BYTES_LIMIT".to_owned()));
    // more than fits at once, one after the other
    for number in 0..20 {
        gateway.create(wanted(&format!("short-{number}"))).await.unwrap();
    }
}

#[tokio::test]
async fn a_body_that_never_ends_counts_until_its_call_is_given_up() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let stage = GatewayBench::new().await;
    let limits = RequestLimits { requests_bytes: 4_000, ..RequestLimits::default() };
    let times = GatewayTimes { call: Duration::from_secs(2), ..GatewayTimes::default() };
    let gateway = stage.gateway_before(&stage.idle_node().await, GatewayConfig { limits, times, ..config() }).await;
    let mut slow = tokio::net::TcpStream::connect(gateway.http).await.unwrap();
    let head =
        "POST /v1/debates HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/markdown\r\ncontent-length: 9000\r\n\r\n";
    slow.write_all(format!("{head}{}", "x".repeat(3_900)).as_bytes()).await.unwrap();
    let reason = async || gateway.create(wanted("waiting")).await.map_err(|status| refusal::<()>(Err(status)).1);
    let refused = async {
        while reason().await.err().as_deref() != Some("BYTES_LIMIT") {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, refused).await.unwrap();
    let mut answer = [0; 12];
    tokio::time::timeout(LIMIT, slow.read_exact(&mut answer)).await.unwrap().unwrap();
    assert_eq!(&answer, b"HTTP/1.1 504");
    gateway.create(wanted("let-in")).await.unwrap();
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_refused_alike_over_grpc_and_rest() {
    let stage = GatewayBench::new().await;
    let limits = RequestLimits { response_bytes: 300, ..RequestLimits::default() };
    let gateway = stage.gateway_before(&stage.idle_node().await, GatewayConfig { limits, ..config() }).await;
    stage.gateway_before(&stage.idle_node().await, config()).await.create(wanted("wordy-one")).await.unwrap();
    let (code, reason, _) = refusal(gateway.get("wordy-one").await);
    assert_eq!((code, reason.as_str()), (Code::OutOfRange, "TOO_LARGE"));
    let get = async |path: &str| {
        let asked = http().get(format!("http://{}/v1/debates/wordy-one{path}", gateway.http));
        asked.header("accept", "application/json").send().await.unwrap()
    };
    for path in ["", "/events", "/report.json", "/report.md", "/report.html"] {
        assert_eq!(status_of(get(path).await).await, (413, "TOO_LARGE".to_owned()), "{path}");
    }
    let stream = http().get(format!("http://{}/v1/debates/wordy-one/events", gateway.http)).send().await.unwrap();
    let told = tokio::time::timeout(LIMIT, stream.text()).await.expect("it ends with the refusal").unwrap();
    assert!(told.contains("event: error") && told.contains("TOO_LARGE"), "{told}");
    assert!(!told.contains("snapshot"), "{told}");
    let hosts = http().get(format!("http://{}/v1/hosts", gateway.http)).send().await.unwrap();
    assert_eq!(hosts.status(), 200);
}
