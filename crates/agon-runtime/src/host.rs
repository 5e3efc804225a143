//! The model servers of this process, and the turns that are played there.
//!
//! Owns every call to a model: its gate, its prompt, its tokens, its result's way into the register. It may use `base` and
//! `cluster`. Who owns a debate it learns from offers and hints; it never writes a log.

mod announce;
mod cell;
mod contexts;
mod discovery;
mod failure;
mod gate;
mod host_actor;
mod host_state;
pub(crate) mod hosts;
mod offer_server;
mod open_turns;
mod participant;
mod preload;
mod read_ahead;
mod replica;
mod request;
mod speeds;
mod tool_models;
mod turn;
mod turn_consumer;

pub(crate) use announce::take_leave;
pub use gate::line::Scheduling;
pub(crate) use gate::{GateLink, GateSettings};
pub use speeds::Speeds;
pub(crate) use tool_models::{NodeSlot, find as find_for_tools, for_debates as find_for_debates};
