//! Why the store on JetStream cannot be opened, and what a request came to.
use crate::port::{AppendError, StoreError};
use agon_bus::nats::provision::ProvisionError;
use async_nats::jetstream::Error as ApiError;
use async_nats::jetstream::ErrorCode;

/// Why the store on JetStream could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum NatsStoreError {
    /// A stream is not as asked, or could not be set up.
    #[error(transparent)]
    Stream(#[from] ProvisionError),
    /// The numbers of shards and lanes decide where things are; they stay as they were first set up.
    #[error(
        "stream {stream} was set up for {found:?}, but {wanted:?} is configured: shards and lanes cannot be changed"
    )]
    Differs {
        /// Which stream.
        stream: String,
        /// What its description says.
        found: String,
        /// What it should say.
        wanted: String,
    },
    /// Two clusters would share streams, queues and hosts.
    #[error(
        "stream {stream} belongs to the cluster {found:?}, and this is {wanted}: use the same name (cluster.name), or give it its own \
         account on this NATS"
    )]
    OtherCluster {
        /// Which stream.
        stream: String,
        /// Whose it is.
        found: String,
        /// Whose it should be, in words.
        wanted: String,
    },
    /// A consumer of the job queue could not be set up.
    #[error("consumer {consumer} of the job queue cannot be set up: {detail}")]
    Consumer {
        /// Which.
        consumer: String,
        /// Why.
        detail: String,
    },
    /// The server takes smaller messages than the store would send.
    #[error("the server accepts messages of at most {server} bytes; `part_bytes` of {wanted} needs {needed}")]
    SmallMessages {
        /// What the server takes.
        server: usize,
        /// The setting.
        wanted: usize,
        /// The setting and room for headers.
        needed: usize,
    },
}

/// What became of a request whose effect did not come about, or may not have.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum StoreRefusal {
    /// The subject's last message is another than was expected.
    #[error("the subject has moved on")]
    Moved,
    /// There is no room.
    #[error("{0}")]
    Full(String),
    /// The server said no: nothing was done.
    #[error("{0}")]
    Denied(String),
    /// No answer, or one that says nothing certain: it may have been done.
    #[error("{0}")]
    Unsure(String),
}

impl StoreRefusal {
    /// Reads an error of the JetStream API.
    pub(crate) fn from_api(error: &ApiError) -> Self {
        // The second is what newer servers say where they cannot tell the sequence.
        const MOVED: [ErrorCode; 2] =
            [ErrorCode::STREAM_WRONG_LAST_SEQUENCE, ErrorCode::STREAM_WRONG_LAST_SEQUENCE_CONSTANT];
        const FULL: [ErrorCode; 4] = [
            ErrorCode::INSUFFICIENT_RESOURCES,
            ErrorCode::STORAGE_RESOURCES_EXCEEDED,
            ErrorCode::MEMORY_RESOURCES_EXCEEDED,
            ErrorCode::ACCOUNT_RESOURCES_EXCEEDED,
        ];
        let (code, text) = (error.error_code(), error.to_string());
        // A store that fails may be full, or its disk is broken.
        let at_limit =
            text.contains("no space left") || code == ErrorCode::STREAM_STORE_FAILED && text.contains("maximum");
        match (MOVED.contains(&code), FULL.contains(&code) || at_limit, (400..500).contains(&error.code())) {
            (true, _, _) => Self::Moved,
            (_, true, _) => Self::Full(text),
            (_, _, true) => Self::Denied(text),
            (false, false, false) => Self::Unsure(text),
        }
    }
    /// The same where nothing was to be written yet.
    pub(crate) fn unwritten(self) -> Self {
        match self {
            Self::Unsure(detail) => Self::Denied(detail),
            certain @ (Self::Moved | Self::Full(_) | Self::Denied(_)) => certain,
        }
    }
    /// As what a port says, with what was tried.
    pub(crate) fn during(self, what: &str) -> StoreError {
        match self {
            Self::Full(detail) => StoreError::Full(format!("the store ({what}: {detail})")),
            Self::Moved | Self::Denied(_) | Self::Unsure(_) => StoreError::Backend(format!("{what}: {self}")),
        }
    }
}

/// Says what an append came to; `Moved` has to be looked into before.
pub(crate) fn append_error(refusal: StoreRefusal) -> AppendError {
    match refusal {
        StoreRefusal::Unsure(detail) => AppendError::Unsure(detail),
        StoreRefusal::Moved | StoreRefusal::Full(_) | StoreRefusal::Denied(_) => {
            AppendError::Store(refusal.during("appending"))
        }
    }
}
