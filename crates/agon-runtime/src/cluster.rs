//! Who else is there: the hosts of all processes, the nodes with coordinators, and which of them live.
//!
//! Owns what was heard, and judges by it: where a turn is best played, who takes over whose debates. It may use `base`,
//! and of `host` what is read without asking an actor: a gate's link and the speeds.

mod directory;
mod needs;
pub(crate) mod peers;
pub(crate) mod probe;

pub use directory::KnownHost;
pub(crate) use directory::{Directory, Listed, ModelFacts, OrderProof, plain, seats_of};
pub(crate) use needs::{TurnNeeds, is_speech};
pub use peers::KnownNode;
pub(crate) use peers::{Life, Peers};
