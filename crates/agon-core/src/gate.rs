//! The gate: whether a debate is worth its tokens, by its first ballots.
//!
//! [`GateFeatures`] are pure functions of the log, and [`GateRule`] decides by them. Learning and deciding use the same function.
mod features;
mod heard;
mod read;
mod rule;
#[cfg(test)]
mod tests;

pub use features::*;
pub use heard::*;
pub use read::*;
pub use rule::*;
