//! The gateway: its listeners, and their orderly end.
use crate::api::Api;
use crate::auth::{AuthStartError, Authenticator, Calls, guard};
use crate::config::{GatewayConfig, GatewayPorts};
use crate::error::Problem;
use crate::grpc::Grpc;
use crate::net::{
    Bounds, Face, Front, ListenError, Listening, Names, Protocols, RefusalForm, SiteRules, TenantRoom, TlsError, bound,
    call_of, detailed, is_grpc, listen, traced,
};
use crate::pages::{Door, PagePorts, SitePages};
use crate::{cluster_metrics, health, rest};
use agon_proto::pb::v1::archive_service_server::ArchiveServiceServer;
use agon_proto::pb::v1::cluster_service_server::ClusterServiceServer;
use agon_proto::pb::v1::debate_service_server::DebateServiceServer;
use agon_proto::pb::v1::eval_service_server::EvalServiceServer;
use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use http::request::Parts;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tower::ServiceExt as _;

/// Why a gateway did not start.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// It has nothing to listen on.
    #[error("a gateway needs an address for gRPC, for HTTP, or both")]
    NoAddress,
    /// Everybody could use it.
    #[error(
        "{0} is reachable from other machines, but has no authentication: set up auth, listen on loopback, or allow it with `insecure`"
    )]
    Open(SocketAddr),
    /// An address cannot be had.
    #[error("cannot listen on {address}")]
    Listen {
        /// Which.
        address: SocketAddr,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// TLS cannot be set up.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// Credentials cannot be checked.
    #[error(transparent)]
    Auth(#[from] AuthStartError),
    /// The descriptors that reflection and JSON stand on cannot be read.
    #[error("the service descriptors cannot be read: {0}")]
    Descriptors(String),
}

/// Where a gateway listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// For gRPC; none while it is off.
    pub grpc: Option<SocketAddr>,
    /// For REST and event streams; none while they are off.
    pub http: Option<SocketAddr>,
}

/// A running gateway. Dropping it cuts every connection off: see [`Gateway::drain`].
pub struct Gateway {
    addresses: Addresses,
    stop: CancellationToken,
    tasks: JoinSet<()>,
    limit: Duration,
}

impl Gateway {
    /// Binds the addresses and serves the API.
    pub async fn start(config: GatewayConfig, ports: GatewayPorts) -> Result<Self, GatewayError> {
        Self::start_with(config, ports, None).await
    }

    /// The same, with pages for browsers beside REST.
    pub async fn start_with(
        config: GatewayConfig,
        ports: GatewayPorts,
        pages: Option<SitePages>,
    ) -> Result<Self, GatewayError> {
        check(&config)?;
        let authenticator = Arc::new(Authenticator::open(config.auth.clone(), ports.credentials.clone()).await?);
        let stop = CancellationToken::new();
        let api = Arc::new(Api::new(&config, ports.clone(), stop.clone()));
        let rooms = Rooms::new(&config);
        let mut gateway = Self {
            addresses: Addresses { grpc: None, http: None },
            stop: stop.clone(),
            tasks: JoinSet::new(),
            limit: config.times.drain,
        };
        gateway.tasks.spawn(cluster_metrics::debates(ports.clone(), config.times.debates_look, stop.clone()));
        gateway.tasks.spawn(cluster_metrics::turns(ports.clone(), config.times.turns_look, stop.clone()));
        if let Some(watch) = ports.streams.clone() {
            let told = ports.cluster.clone();
            gateway.tasks.spawn(cluster_metrics::streams(watch, told, config.times.streams_look, stop.clone()));
        }
        let (reporter, health) = tonic_health::server::health_reporter();
        health::start(&reporter).await;
        let app = grpc_app(&config, api.clone())?.add_service(health).into_axum_router();
        let access = AccessPolicy { exempt: is_exempt, refuse: refuse_grpc };
        let app = behind_door(app, &config, &authenticator, &rooms, access);
        let grpc = app.layer(from_fn(detailed)).layer(from_fn_with_state(ports.rpc.clone(), traced));
        if let Some(address) = config.grpc {
            let front = front(&config, address, |_| Face::Grpc, rest::refuse);
            let listening = open(&config, address, Protocols::Http2, front).await?;
            gateway.addresses.grpc =
                Some(listening.address().map_err(|error| GatewayError::Listen { address, error })?);
            gateway.tasks.spawn(listening.serve(grpc.clone(), stop.clone()));
        }
        if let Some(address) = config.http {
            let app = rest::router(api.clone(), config.limits);
            let app = app.map_err(|problem| GatewayError::Descriptors(problem.to_string()))?;
            let access = AccessPolicy { exempt: |_| false, refuse: rest::refuse };
            let rest = behind_door(app, &config, &authenticator, &rooms, access);
            let (face, refuse): (fn(&Parts) -> Face, RefusalForm) = match &pages {
                Some(pages) => (face_of_all, pages.refuse),
                None => (face_of_api, rest::refuse),
            };
            let app = match pages {
                Some(pages) => {
                    let ports = PagePorts { api, door: Door(authenticator), tls: config.tls.is_some() };
                    bounded((pages.router)(ports), &config, &rooms, refuse)
                        .fallback(move |request| api_or_nothing(rest, request, refuse))
                }
                None => rest,
            };
            let app = app.layer(from_fn_with_state(grpc, by_content));
            let front = front(&config, address, face, refuse);
            let listening = open(&config, address, Protocols::Both, front).await?;
            gateway.addresses.http =
                Some(listening.address().map_err(|error| GatewayError::Listen { address, error })?);
            gateway.tasks.spawn(listening.serve(app, stop.clone()));
        }
        ports.listeners.open();
        gateway.tasks.spawn(health::report(reporter, ports, config.times.health_look, stop));
        Ok(gateway)
    }

    /// Where it listens, with the ports that were chosen.
    pub fn addresses(&self) -> Addresses {
        self.addresses
    }

    /// Ends in order: no more connections and calls are taken, watches end with a cursor to go on from, other calls finish.
    /// False when something had to be cut off.
    pub async fn drain(mut self) -> bool {
        self.stop.cancel();
        let quiet = async { while self.tasks.join_next().await.is_some() {} };
        let drained = tokio::time::timeout(self.limit, quiet).await.is_ok();
        self.tasks.shutdown().await;
        drained
    }
}

fn check(config: &GatewayConfig) -> Result<(), GatewayError> {
    let addresses: Vec<SocketAddr> = config.grpc.into_iter().chain(config.http).collect();
    if addresses.is_empty() {
        return Err(GatewayError::NoAddress);
    }
    if config.auth.certificates.is_some() && config.tls.as_ref().is_none_or(|tls| tls.client_ca.is_none()) {
        let text = "client certificates need TLS with the authorities that they come from (`client_ca`)";
        return Err(AuthStartError::Setting(text).into());
    }
    let open = config.auth.is_off() && !config.insecure;
    match addresses.into_iter().find(|address| open && !address.ip().is_loopback()) {
        Some(address) => Err(GatewayError::Open(address)),
        None => Ok(()),
    }
}

fn front(config: &GatewayConfig, address: SocketAddr, face: fn(&Parts) -> Face, pages: RefusalForm) -> Front {
    let names = Names::of(address, !config.auth.is_off());
    let rules = SiteRules { policy: config.sites.clone(), names, section: "gateway" };
    Front { rules: Arc::new(rules), face, pages }
}

/// For which interface a request is where REST and gRPC share an address.
fn face_of_api(request: &Parts) -> Face {
    if is_grpc(&request.headers) { Face::Grpc } else { Face::Rest }
}

/// The same where pages do, too.
fn face_of_all(request: &Parts) -> Face {
    match face_of_api(request) {
        Face::Rest if !request.uri.path().starts_with(rest::PREFIX) => Face::SitePages,
        face => face,
    }
}

/// Gives a request that no page is for to the API, or says that there is nothing.
async fn api_or_nothing(api: Router, request: Request, refuse: RefusalForm) -> Response {
    match request.uri().path().starts_with(rest::PREFIX) {
        true => api.oneshot(request).await.into_response(),
        false => refuse(&Problem::NoRoute, &call_of(&request)),
    }
}

/// Gives gRPC calls to their service, whatever else there is at the address.
async fn by_content(State(grpc): State<Router>, request: Request, next: Next) -> Response {
    match is_grpc(request.headers()) {
        true => grpc.oneshot(request).await.into_response(),
        false => next.run(request).await,
    }
}

async fn open(
    config: &GatewayConfig,
    address: SocketAddr,
    protocols: Protocols,
    front: Front,
) -> Result<Listening, GatewayError> {
    let listening = listen(address, config.tls.as_ref(), config.connections, protocols, front).await;
    listening.map_err(|error| match error {
        ListenError::Io(error) => GatewayError::Listen { address, error },
        ListenError::Tls(error) => GatewayError::Tls(error),
    })
}

fn grpc_app(config: &GatewayConfig, api: Arc<Api>) -> Result<Routes, GatewayError> {
    let (most_in, most_out) = (config.limits.request_bytes, config.limits.response_bytes);
    let service = Grpc(api);
    let debates = DebateServiceServer::new(service.clone());
    let archive = ArchiveServiceServer::new(service.clone());
    let evals = EvalServiceServer::new(service.clone());
    let cluster = ClusterServiceServer::new(service);
    let routes = Routes::new(debates.max_decoding_message_size(most_in).max_encoding_message_size(most_out))
        .add_service(archive.max_decoding_message_size(most_in).max_encoding_message_size(most_out))
        .add_service(evals.max_decoding_message_size(most_in).max_encoding_message_size(most_out))
        .add_service(cluster.max_decoding_message_size(most_in).max_encoding_message_size(most_out));
    if !config.reflection {
        return Ok(routes);
    }
    let told = |error: tonic_reflection::server::Error| GatewayError::Descriptors(error.to_string());
    let builder = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(agon_proto::DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_types::pb::FILE_DESCRIPTOR_SET)
    };
    Ok(routes.add_service(builder().build_v1().map_err(told)?).add_service(builder().build_v1alpha().map_err(told)?))
}

/// What the calls of both interfaces share.
struct Rooms {
    calls: Arc<TenantRoom>,
    bytes: Arc<TenantRoom>,
}

impl Rooms {
    fn new(config: &GatewayConfig) -> Self {
        let apart = !config.auth.is_off();
        Self {
            calls: TenantRoom::new(config.limits.calls, apart),
            bytes: TenantRoom::new(config.limits.requests_bytes, apart),
        }
    }
}

/// What an interface asks of its door.
struct AccessPolicy {
    /// Paths that need no credentials.
    exempt: fn(&str) -> bool,
    /// The form of a refusal.
    refuse: fn(&Problem, &str) -> Response,
}

/// Puts the door and the bounds of calls before an interface, in its own way to refuse.
fn behind_door(
    app: Router,
    config: &GatewayConfig,
    authenticator: &Arc<Authenticator>,
    rooms: &Rooms,
    door: AccessPolicy,
) -> Router {
    let AccessPolicy { exempt, refuse } = door;
    let calls = Calls { authenticator: authenticator.clone(), exempt, refuse };
    bounded(app, config, rooms, refuse).layer(from_fn_with_state(calls, guard))
}

/// Puts the bounds of calls before an interface.
fn bounded(app: Router, config: &GatewayConfig, rooms: &Rooms, refuse: RefusalForm) -> Router {
    let bounds = Bounds { time: config.times.call, calls: rooms.calls.clone(), bytes: rooms.bytes.clone(), refuse };
    app.layer(from_fn_with_state(bounds, bound))
}

/// Probes and tools that read the services need no credentials.
fn is_exempt(path: &str) -> bool {
    path.starts_with("/grpc.health.v1.Health/") || path.starts_with("/grpc.reflection.")
}

pub(crate) fn refuse_grpc(problem: &Problem, call: &str) -> Response {
    problem.status(call).into_http()
}
