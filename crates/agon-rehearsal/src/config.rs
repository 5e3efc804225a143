//! Settings of a rehearsal server, and what can go wrong when it starts.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use crate::{fault::FaultScript, mind::Minds};

/// How a rehearsal server behaves; the default listens on a free loopback port and answers at once.
#[derive(Debug, Clone)]
pub struct RehearsalConfig {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Seed of everything the cast says and decides.
    pub seed: u64,
    /// The models there are; `None` serves any name.
    pub models: Option<Vec<String>>,
    /// Time before the first token.
    pub latency: Duration,
    /// Time to evaluate one token of a prompt that the modelled cache does not cover.
    pub prefill_token: Duration,
    /// Time between tokens; zero sends them as fast as the client reads.
    pub token_interval: Duration,
    /// Fixed answer length in tokens for benchmarks: prompts are then neither read nor answered, only counted.
    pub answer_tokens: Option<u32>,
    /// Slots of the modelled prompt cache, per model.
    pub slots: usize,
    /// Tokens of stored states beside the slots, per model; 65,536 is 8 GiB of an 8B model.
    pub ram_cache_tokens: u64,
    /// Whether prompts are compared with what a model has seen; off, every prompt counts as evaluated in full.
    pub model_cache: bool,
    /// Which calls go wrong.
    pub faults: FaultScript,
    /// What the speakers know of questions; without it, the cast decides by its own merits.
    pub minds: Option<Arc<Minds>>,
    /// Calls per model that run at one time, as `OLLAMA_NUM_PARALLEL`; the others wait in order. `None` sets no limit.
    pub parallel: Option<usize>,
    /// Tokens per line of a stream.
    pub chunk_tokens: usize,
    /// Whether the statistics count request bodies by their hash.
    pub fingerprints: bool,
    /// A file that gets a line for each call that ends; an old one is replaced.
    pub calls: Option<PathBuf>,
    /// A new or empty folder that gets the body of each chat call, numbered in the order in which they came.
    pub record: Option<PathBuf>,
}

impl Default for RehearsalConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            seed: 0,
            models: None,
            latency: Duration::ZERO,
            prefill_token: Duration::ZERO,
            token_interval: Duration::ZERO,
            answer_tokens: None,
            slots: 1,
            ram_cache_tokens: 65_536,
            model_cache: true,
            faults: FaultScript::default(),
            minds: None,
            parallel: None,
            chunk_tokens: 1,
            fingerprints: false,
            calls: None,
            record: None,
        }
    }
}

/// Why a rehearsal server did not start or stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RehearsalError {
    /// The address could not be bound.
    #[error("cannot listen on {addr}")]
    Listen {
        /// The address asked for.
        addr: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The file of the calls cannot be written.
    #[error("cannot write {}", path.display())]
    Ledger {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder of the bodies cannot be used.
    #[error("cannot record in {}", path.display())]
    Record {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder of the bodies holds something already.
    #[error("cannot record in {}: it is not empty", path.display())]
    RecordTaken {
        /// Where.
        path: PathBuf,
    },
    /// The fault script was refused.
    #[error("fault script: {0}")]
    Script(String),
}
