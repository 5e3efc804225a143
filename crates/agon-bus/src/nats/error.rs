//! Why there is no connection.
use crate::port::lasting;
use async_nats::ConnectError;
use std::path::PathBuf;
use std::time::Duration;

/// Why NATS could not be connected to.
#[derive(Debug, thiserror::Error)]
pub enum NatsError {
    /// The settings name no server.
    #[error("no NATS server is named; name one as nats://host:4222")]
    NoAddress,
    /// An address that is none.
    #[error("{url:?} is not the address of a NATS server: {reason}; write nats://host:4222 or tls://host:4222")]
    Address {
        /// The address as it was given.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An address that carries credentials, which would show up in logs.
    #[error("the address of NATS server {host:?} carries a user; set user and password separately")]
    UserInAddress {
        /// The server.
        host: String,
    },
    /// The inbox prefix cannot start a subject.
    #[error("{0:?} cannot start a subject: allowed are letters, digits, `_`, `-`, and dots in between")]
    InboxPrefix(String),
    /// A certificate without its key, or the other way round.
    #[error("the client certificate and its key go together; only {0} is set")]
    HalfCertificate(&'static str),
    /// A file cannot be read.
    #[error("cannot read the {what} {}", path.display())]
    File {
        /// What the file should hold.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file does not hold what it should.
    #[error("{} is no {what}: {reason}", path.display())]
    BadFile {
        /// What the file should hold.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The server does not accept the credentials.
    #[error("NATS at {servers} refuses {who}; check the credentials, and the server's users")]
    Refused {
        /// The addresses that were tried.
        servers: String,
        /// Who asked, without secrets.
        who: String,
        /// Why, where more is known than the refusal.
        source: Option<ConnectError>,
    },
    /// No secure connection.
    #[error(
        "no secure connection to NATS at {servers}; check the CA file, the certificates and the server's name in them"
    )]
    Tls {
        /// The addresses that were tried.
        servers: String,
        /// Why.
        source: ConnectError,
    },
    /// Nobody answers.
    #[error("cannot reach NATS at {servers} (tried for {}); start a server there, or name another address", lasting(*waited))]
    Unreachable {
        /// The addresses that were tried.
        servers: String,
        /// For how long.
        waited: Duration,
        /// Why, at the last attempt.
        source: ConnectError,
    },
    /// The server stopped answering.
    #[error("NATS at {servers} does not answer")]
    Silent {
        /// The addresses.
        servers: String,
    },
}
