//! The debates that this node owns: who takes them, who coordinates them, and how they leave.
//!
//! Owns the log's pen: only a coordinator appends to the log of a debate that runs, and only it offers turns. It may use
//! `base` and `cluster`. What hosts do it learns from registers and hints, never from the actors of `host`.

mod coordinator;
pub(crate) mod coordinators;
mod due_queue;
mod hint_listener;
mod job_consumer;
mod offer;
mod orders;
mod owned;
mod pings;
mod register_purge;
mod replay;
mod sweeper;
mod takeover;
mod turn_checks;

pub(crate) use hint_listener::HintListener;
pub(crate) use owned::OwnedDebates;
pub(crate) use register_purge::EndedDebates;
pub(crate) use replay::{owner, was_resumed};
pub(crate) use takeover::LeftSince;
pub(crate) use turn_checks::TurnChecks;
