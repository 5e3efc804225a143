//! The messages of events that have many fields.
mod admission;
mod between;
mod incoming;
mod outgoing;
mod said;

pub(crate) use admission::{debate, priority};
pub(crate) use between::{concluded, interjected, measured, researched, speeches_scored, summarised, synthesised};
pub(crate) use outgoing::{By, count, ended, failed, moderator, placed, skipped, speech_heard, tool_called};
