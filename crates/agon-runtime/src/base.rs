//! What every other folder stands on: what a node is told at its start, what its actors share, tasks that have an owner,
//! how exits are read, and the store as actors use it.
//!
//! It knows no actor. [`shared`] alone names what the other folders keep for the whole node: the directory of hosts,
//! the peers, the debates that are owned, the feeds of those that are watched.

pub(crate) mod catalogue;
pub(crate) mod clock;
pub(crate) mod config;
#[cfg(any(test, feature = "test-hooks"))]
pub(crate) mod hooks;
pub(crate) mod journal;
pub(crate) mod random;
pub(crate) mod shared;
pub(crate) mod subjects;
pub(crate) mod supervision;
pub(crate) mod tasks;
pub(crate) mod time_left;
pub(crate) mod trouble;
