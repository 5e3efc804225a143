//! `agon rehearsal`: the server with scripted speakers.
use crate::settings::Length;
use clap::Args;
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

/// `agon rehearsal`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  agon rehearsal --listen 127.0.0.1:11999       then: agon run debate.md --ollama http://127.0.0.1:11999
  agon rehearsal --script faults.toml --latency 200ms

The address is printed on standard output once the server answers. Ctrl-C ends it.")]
pub struct RehearsalArgs {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// What the cast says and decides.
    #[command(flatten)]
    pub cast: CastArgs,
    /// Calls per model at one time, as OLLAMA_NUM_PARALLEL; the others wait in order [default: no limit]
    #[arg(long, value_name = "N")]
    pub parallel: Option<NonZeroUsize>,
    /// Slots of the modelled prompt cache, per model
    #[arg(long, value_name = "N", default_value = "1")]
    pub slots: NonZeroUsize,
    /// Count every prompt as evaluated in full
    #[arg(long)]
    pub no_model_cache: bool,
    /// Count request bodies by their hash in GET /rehearsal/stats
    #[arg(long)]
    pub fingerprints: bool,
    /// Write a line of JSON to this file for each call that ends: the hash of its body, its times, and how it ended
    #[arg(long, value_name = "FILE")]
    pub calls: Option<PathBuf>,
    /// Write the body of each chat call, and so what each speaker is told, to a file of this folder, which must be new or empty
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Print one JSON object, with the address
    #[arg(long)]
    pub json: bool,
}

/// What a cast says, how fast, and what goes wrong.
#[derive(Clone, Debug, Args)]
pub struct CastArgs {
    /// Seed of everything the cast says and decides
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Time before the first token
    #[arg(long, value_name = "TIME", default_value = "0")]
    pub latency: Length,
    /// Time between tokens
    #[arg(long, value_name = "TIME", default_value = "0")]
    pub token_interval: Length,
    /// Let the calls fail that this script (TOML or JSON) names
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// The models that there are, apart by commas [default: any name]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub models: Option<Vec<String>>,
    /// Answer with this many tokens, whatever was asked; for benchmarks
    #[arg(long, value_name = "N")]
    pub answer_tokens: Option<NonZeroU32>,
}
