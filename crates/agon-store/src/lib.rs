//! What must survive: the journal, the write-once registers and the job queue, as ports, with their SQLite adapter and in-memory twin.
//!
//! Invariant: nothing here knows a rule of debates; records are appended, fenced and read, never interpreted.

mod port;

pub use port::*;
