//! Connections: listening, TLS, limits, an orderly end.
mod answering;
mod call;
mod connections;
mod details;
mod front;
mod incoming;
mod limit;
mod serve;
mod sites;
mod tenant_room;
mod tls;
mod traced;

pub(crate) use call::{call_of, call_of_extensions};
pub(crate) use details::detailed;
pub(crate) use front::{Face, Front, RefusalForm, is_grpc};
pub(crate) use limit::{Bounds, Deadline, bound};
pub use serve::ConnectionLimits;
pub(crate) use serve::{ListenError, Listening, Protocols, listen};
pub use sites::SitePolicy;
pub(crate) use sites::{Names, SiteRules, media_type};
pub(crate) use tenant_room::{NoRoom, RoomShare, TenantRoom};
pub use tls::{TlsConfig, TlsError};
pub(crate) use traced::traced;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// Who is at the other end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Peer {
    /// Of the socket: behind a proxy, the proxy's.
    pub address: SocketAddr,
    /// Its certificate (DER), checked by TLS.
    pub certificate: Option<Arc<[u8]>>,
}

/// Who is at the other end of the connection by which a request came.
pub(crate) fn peer_of(extensions: &http::Extensions) -> Peer {
    let nobody = || Peer { address: SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0), certificate: None };
    extensions.get::<Peer>().cloned().unwrap_or_else(nobody)
}

/// Makes ring the crypto of this process, unless something else already is.
pub(crate) fn use_ring() {
    // it fails where a provider is installed, which is as good
    drop(rustls::crypto::ring::default_provider().install_default());
}
