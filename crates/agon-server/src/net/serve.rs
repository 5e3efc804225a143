//! Accepting connections and serving them, each in a task that this module owns.
use super::answering::ResponseBody;
use super::connections::{Connection, ConnectionSlot, Connections};
use super::front::{Front, receive};
use super::{Peer, TlsConfig, TlsError};
use axum::Router;
use axum::body::Body;
use axum::middleware::from_fn_with_state;
use futures_util::FutureExt as _;
use http::Request;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// Bytes of a request's header block.
const HEADER_BYTES: u32 = 32 * 1024;
/// Bytes that an HTTP/1 connection buffers of a request or an answer.
const BUFFER_BYTES: usize = 2 * HEADER_BYTES as usize;
/// Streams of an HTTP/2 connection that its client has reset, before it is closed as an attack.
const RESET_STREAMS: usize = 64;
/// How long a connection that makes room for another one may take to say so.
const LEAVE: Duration = Duration::from_secs(1);
/// Pause after an accept that failed, for example because there are no file handles left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Bounds of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Connections of one listener at once. For a further one an idle one is closed; where none is, it is refused.
    pub connections: usize,
    /// The same for one address.
    pub connections_per_address: usize,
    /// Calls of one HTTP/2 connection at once.
    pub streams: u32,
    /// How long a client may take for the TLS handshake, for its first byte, and for a request's headers.
    pub handshake: Duration,
    /// How long a connection may be open before its first call.
    pub first_call: Duration,
    /// How long it may be open without a call after that.
    pub idle: Duration,
    /// How often an idle HTTP/2 connection is pinged.
    pub keep_alive: Duration,
    /// How long a ping may go unanswered.
    pub keep_alive_timeout: Duration,
    /// How long a client may leave an answer unread.
    pub unread: Duration,
    /// A connection this old takes no more calls, so that clients spread over the gateways again.
    pub max_age: Duration,
    /// How long the calls of such a connection may still take.
    pub max_age_grace: Duration,
}
impl Default for ConnectionLimits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            connections: 4096,
            connections_per_address: 1024,
            streams: 256,
            handshake: seconds(10),
            first_call: seconds(30),
            idle: seconds(300),
            keep_alive: seconds(20),
            keep_alive_timeout: seconds(10),
            unread: seconds(60),
            max_age: seconds(1_800),
            max_age_grace: seconds(1_860),
        }
    }
}

/// What a listener speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocols {
    /// HTTP/2 alone, as gRPC needs it.
    Http2,
    /// HTTP/1.1 and HTTP/2.
    Both,
}

/// A bound listener that serves nobody yet.
pub(crate) struct Listening {
    tcp: TcpListener,
    tls: Option<TlsAcceptor>,
    limits: ConnectionLimits,
    protocols: Protocols,
    front: Front,
}

/// Why a listener cannot be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ListenError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Tls(#[from] TlsError),
}

/// Binds an address.
pub(crate) async fn listen(
    address: SocketAddr,
    tls: Option<&TlsConfig>,
    limits: ConnectionLimits,
    protocols: Protocols,
    front: Front,
) -> Result<Listening, ListenError> {
    let names: &[&[u8]] = match protocols {
        Protocols::Http2 => &[b"h2"],
        Protocols::Both => &[b"h2", b"http/1.1"],
    };
    let tls = tls.map(|tls| tls.acceptor(names)).transpose()?;
    Ok(Listening { tcp: TcpListener::bind(address).await?, tls, limits, protocols, front })
}

impl Listening {
    /// The address, with the port that was chosen.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.tcp.local_addr()
    }

    /// Serves until `stop`; then nothing new is accepted, and every connection ends with its last call.
    pub async fn serve(self, app: Router, stop: CancellationToken) {
        let Self { tcp, tls, limits, protocols, front } = self;
        let app = app.layer(from_fn_with_state(front, receive));
        let shared = Arc::new(ServeState { app, tls, limits, protocols, stop: stop.clone() });
        let connections = Connections::new(limits);
        let mut open = JoinSet::new();
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                accepted = tcp.accept() => match accepted {
                    Ok((stream, address)) => match connections.admit(address.ip()) {
                        Some(place) => {
                            let shared = shared.clone();
                            open.spawn(async move { shared.connection(stream, address, place).await });
                        }
                        None => tracing::debug!(%address, "connection refused: there are too many, all of them at work"),
                    },
                    Err(error) => {
                        tracing::warn!(%error, "connection not accepted");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
                Some(ended) = open.join_next() => tell(ended),
            }
        }
        drop(tcp);
        while let Some(ended) = open.join_next().await {
            tell(ended);
        }
    }
}

fn tell(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!(%error, "connection task panicked");
    }
}

struct ServeState {
    app: Router,
    tls: Option<TlsAcceptor>,
    limits: ConnectionLimits,
    protocols: Protocols,
    stop: CancellationToken,
}

impl ServeState {
    async fn connection(&self, stream: TcpStream, address: SocketAddr, place: ConnectionSlot) {
        // small answers should not wait for more; it only fails on dead sockets
        stream.set_nodelay(true).ok();
        let connection = place.connection.clone();
        let mut first = [0];
        let spoken = tokio::select! {
            spoken = tokio::time::timeout(self.limits.handshake, stream.peek(&mut first)) => matches!(spoken, Ok(Ok(1))),
            () = self.stop.cancelled() => false,
            () = connection.evicted.cancelled() => false,
        };
        if !spoken {
            return;
        }
        let Some(tls) = &self.tls else {
            return self.serve(stream, Peer { address, certificate: None }, connection).await;
        };
        let accepted = tokio::select! {
            accepted = tokio::time::timeout(self.limits.handshake, tls.accept(stream)) => accepted,
            () = connection.evicted.cancelled() => return,
        };
        match accepted {
            Ok(Ok(stream)) => {
                let certificate = stream.get_ref().1.peer_certificates().and_then(<[_]>::first);
                let certificate = certificate.map(|certificate| certificate.as_ref().into());
                self.serve(stream, Peer { address, certificate }, connection).await;
            }
            Ok(Err(error)) => tracing::debug!(%address, %error, "TLS handshake failed"),
            Err(_) => tracing::debug!(%address, "TLS handshake took too long"),
        }
    }

    async fn serve<S>(&self, stream: S, peer: Peer, place: Arc<Connection>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let connection = place.clone();
        let app = self.app.clone().map_request(move |request: Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(peer.clone());
            request
        });
        // the connection is at work until the last byte of the answer has left it
        let app = tower::service_fn(move |request| {
            let (app, work) = (app.clone(), connection.work());
            async move {
                let answer = app.oneshot(request).await?;
                Ok::<_, Infallible>(answer.map(|body| Body::new(ResponseBody::new(body, work))))
            }
        });
        let builder = self.builder();
        let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(app)));
        let limits = self.limits;
        let mut aged = pin!(tokio::time::sleep(limits.max_age.mul_f64(1.0 + rand::random::<f64>() / 10.0)));
        let grace = tokio::select! {
            ended = &mut connection => return debug(ended),
            () = &mut aged => limits.max_age_grace,
            // whoever stopped the listener bounds the wait himself
            () = self.stop.cancelled() => limits.max_age_grace,
            () = place.over(&limits) => LEAVE,
            () = place.evicted.cancelled() => LEAVE,
        };
        connection.as_mut().graceful_shutdown();
        let grace = tokio::time::timeout(grace, connection);
        grace.map(|ended| ended.map_or_else(|_| tracing::debug!("old connection cut off"), debug)).await;
    }

    fn builder(&self) -> Builder<TokioExecutor> {
        let mut builder = Builder::new(TokioExecutor::new());
        if self.protocols == Protocols::Http2 {
            builder = builder.http2_only();
        }
        let limits = self.limits;
        let mut http1 = builder.http1();
        http1.timer(TokioTimer::new()).header_read_timeout(limits.handshake).max_buf_size(BUFFER_BYTES);
        let mut http2 = builder.http2();
        http2.timer(TokioTimer::new()).max_concurrent_streams(limits.streams).max_header_list_size(HEADER_BYTES);
        http2.max_pending_accept_reset_streams(RESET_STREAMS).max_local_error_reset_streams(RESET_STREAMS);
        http2.keep_alive_interval(limits.keep_alive).keep_alive_timeout(limits.keep_alive_timeout);
        builder
    }
}

fn debug(ended: Result<(), Box<dyn std::error::Error + Send + Sync>>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "connection ended");
    }
}
