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
  agon rehearsal --minds minds.toml             speakers who know some answers, and are moved by arguments

The address goes to stdout when the server is ready. Ctrl-C ends it.")]
pub struct RehearsalArgs {
    /// The address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// What the cast says and decides.
    #[command(flatten)]
    pub cast: CastArgs,
    /// Concurrent calls per model, as OLLAMA_NUM_PARALLEL; the others wait in order [default: no limit]
    #[arg(long, value_name = "N")]
    pub parallel: Option<NonZeroUsize>,
    /// Slots of the modelled prompt cache, per model
    #[arg(long, value_name = "N", default_value = "1")]
    pub slots: NonZeroUsize,
    /// Tokens of prompts that the modelled cache keeps beside its slots, per model, as llama.cpp's --cache-ram
    #[arg(long, value_name = "TOKENS", default_value_t = 65_536)]
    pub ram_cache: u64,
    /// Time to evaluate one token of a prompt that the modelled cache does not cover, such as 500us
    #[arg(long, value_name = "TIME", default_value = "0")]
    pub prefill_token: Length,
    /// Count every prompt as fully evaluated
    #[arg(long)]
    pub no_model_cache: bool,
    /// Count request bodies by their hash in GET /rehearsal/stats
    #[arg(long)]
    pub fingerprints: bool,
    /// Write a line of JSON to this file for each call that ends: the hash of its body, its times, and how it ended
    #[arg(long, value_name = "FILE")]
    pub calls: Option<PathBuf>,
    /// Write the body of each chat call (the prompt of each speaker) to a file in this folder, which must be new or empty
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Print one JSON object, with the address
    #[arg(long)]
    pub json: bool,
}

/// What a cast says, how fast, and what goes wrong.
#[derive(Clone, Debug, Args)]
pub struct CastArgs {
    /// Seed of everything that the cast says and decides
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Time before the first token
    #[arg(long, value_name = "TIME", default_value = "0")]
    pub latency: Length,
    /// Time between tokens
    #[arg(long, value_name = "TIME", default_value = "0")]
    pub token_interval: Length,
    /// Inject the failures described in this script (TOML or JSON)
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// Let the speakers know the answers to the questions in this file, with the chances it gives (TOML)
    #[arg(long, value_name = "FILE", conflicts_with = "answer_tokens")]
    pub minds: Option<PathBuf>,
    /// The installed models, comma-separated [default: any name]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub models: Option<Vec<String>>,
    /// Answer every call with this many tokens; for benchmarks
    #[arg(long, value_name = "N")]
    pub answer_tokens: Option<NonZeroU32>,
}
