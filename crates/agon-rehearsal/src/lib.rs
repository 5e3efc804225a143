//! An Ollama-compatible server with a scripted cast: for trying Agon with no model, for demos, tests and benchmarks.
//!
//! Answers are derived from the prompt and a seed: debaters argue their stance and quote each other, judges cite the transcript they were shown,
//! and a structured answer fits whatever schema was asked for. A fault script makes chosen calls go wrong. The prompt cache of a real server
//! is modelled, so that the token figures of an answer say what a prompt layout would cost.
//!
//! ```no_run
//! # async fn example() -> Result<(), agon_rehearsal::RehearsalError> {
//! use agon_rehearsal::{RehearsalConfig, RehearsalServer};
//!
//! let server = RehearsalServer::start(RehearsalConfig { seed: 7, ..RehearsalConfig::default() }).await?;
//! println!("listening on {}", server.url());
//! server.shutdown().await;
//! # Ok(()) }
//! ```
//!
//! Invariant: nothing here asks a model, and nothing here knows the rest of Agon: it is reached by HTTP alone.

mod answer;
pub mod cache;
mod call_log;
mod cast;
mod catalogue;
mod chat;
mod config;
mod dice;
mod embed;
mod fault;
mod listener;
pub mod mind;
mod model;
mod plan;
mod playback;
mod prompt;
mod recorder;
mod request;
mod schema;
mod server;
mod server_state;
mod sites;
mod stats;
mod task;
mod token;
mod tools;
mod wire;
mod words;

pub use config::{RehearsalConfig, RehearsalError};
pub use fault::{Fault, FaultScript, Rule, RuleDuration, When};
pub use prompt::Brief;
pub use server::{HEADER, RehearsalServer, VERSION};
pub use stats::Stats;
pub use task::PromptTask;
