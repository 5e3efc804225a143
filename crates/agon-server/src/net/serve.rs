//! Accepting connections and serving them, each in a task that this module owns.
use super::{Peer, TlsConfig, TlsError};
use axum::Router;
use axum::body::Body;
use futures_util::FutureExt as _;
use http::Request;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// Bytes of a request's header block.
const HEADER_BYTES: u32 = 32 * 1024;
/// Pause after an accept that failed, for example because there are no file handles left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Bounds of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Connections of one listener at once; further ones wait.
    pub connections: usize,
    /// Calls of one HTTP/2 connection at once.
    pub streams: u32,
    /// How long a client may take for the TLS handshake, for its first byte, and for a request's headers.
    pub handshake: Duration,
    /// How often an idle HTTP/2 connection is pinged.
    pub keep_alive: Duration,
    /// How long a ping may go unanswered.
    pub keep_alive_timeout: Duration,
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
            streams: 256,
            handshake: seconds(10),
            keep_alive: seconds(20),
            keep_alive_timeout: seconds(10),
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
) -> Result<Listening, ListenError> {
    let names: &[&[u8]] = match protocols {
        Protocols::Http2 => &[b"h2"],
        Protocols::Both => &[b"h2", b"http/1.1"],
    };
    let tls = tls.map(|tls| tls.acceptor(names)).transpose()?;
    Ok(Listening { tcp: TcpListener::bind(address).await?, tls, limits, protocols })
}

impl Listening {
    /// The address, with the port that was chosen.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.tcp.local_addr()
    }

    /// Serves until `stop`; then nothing new is accepted, and every connection ends with its last call.
    pub async fn serve(self, app: Router, stop: CancellationToken) {
        let Self { tcp, tls, limits, protocols } = self;
        let shared = Arc::new(Shared { app, tls, limits, protocols, stop: stop.clone() });
        let room = Arc::new(Semaphore::new(limits.connections));
        let mut open = JoinSet::new();
        loop {
            let accepted = async {
                // the semaphore is never closed
                let place = room.clone().acquire_owned().await.ok();
                (place, tcp.accept().await)
            };
            tokio::select! {
                () = stop.cancelled() => break,
                (place, accepted) = accepted => match accepted {
                    Ok((stream, address)) => {
                        let shared = shared.clone();
                        open.spawn(async move {
                            shared.connection(stream, address).await;
                            drop(place);
                        });
                    }
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

struct Shared {
    app: Router,
    tls: Option<TlsAcceptor>,
    limits: ConnectionLimits,
    protocols: Protocols,
    stop: CancellationToken,
}

impl Shared {
    async fn connection(&self, stream: TcpStream, address: SocketAddr) {
        // small answers should not wait for more; it only fails on dead sockets
        stream.set_nodelay(true).ok();
        let mut first = [0];
        let spoken = tokio::select! {
            spoken = tokio::time::timeout(self.limits.handshake, stream.peek(&mut first)) => matches!(spoken, Ok(Ok(1))),
            () = self.stop.cancelled() => false,
        };
        if !spoken {
            return;
        }
        let Some(tls) = &self.tls else { return self.serve(stream, Peer { address, certificate: None }).await };
        match tokio::time::timeout(self.limits.handshake, tls.accept(stream)).await {
            Ok(Ok(stream)) => {
                let certificate = stream.get_ref().1.peer_certificates().and_then(<[_]>::first);
                let certificate = certificate.map(|certificate| certificate.as_ref().into());
                self.serve(stream, Peer { address, certificate }).await;
            }
            Ok(Err(error)) => tracing::debug!(%address, %error, "TLS handshake failed"),
            Err(_) => tracing::debug!(%address, "TLS handshake took too long"),
        }
    }

    async fn serve<S>(&self, stream: S, peer: Peer)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let app = self.app.clone().map_request(move |request: Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(peer.clone());
            request
        });
        let builder = self.builder();
        let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(app)));
        let limits = self.limits;
        let mut aged = pin!(tokio::time::sleep(limits.max_age.mul_f64(1.0 + rand::random::<f64>() / 10.0)));
        tokio::select! {
            ended = &mut connection => return debug(ended),
            () = &mut aged => {}
            () = self.stop.cancelled() => {}
        }
        connection.as_mut().graceful_shutdown();
        // whoever stopped the listener bounds the wait himself
        let grace = tokio::time::timeout(limits.max_age_grace, connection);
        grace.map(|ended| ended.map_or_else(|_| tracing::debug!("old connection cut off"), debug)).await;
    }

    fn builder(&self) -> Builder<TokioExecutor> {
        let mut builder = Builder::new(TokioExecutor::new());
        if self.protocols == Protocols::Http2 {
            builder = builder.http2_only();
        }
        let limits = self.limits;
        builder.http1().timer(TokioTimer::new()).header_read_timeout(limits.handshake);
        let mut http2 = builder.http2();
        http2.timer(TokioTimer::new()).max_concurrent_streams(limits.streams).max_header_list_size(HEADER_BYTES);
        http2.keep_alive_interval(limits.keep_alive).keep_alive_timeout(limits.keep_alive_timeout);
        builder
    }
}

fn debug(ended: Result<(), Box<dyn std::error::Error + Send + Sync>>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "connection ended");
    }
}
