//! The messages of events that have many fields.
mod admission;
mod incoming;
mod outgoing;

pub(crate) use admission::{debate, priority};
pub(crate) use outgoing::{ballot, ended, failed, moderator, placed, skipped, tally, vote};
