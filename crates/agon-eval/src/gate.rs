//! Learning a gate from an eval: on which questions a debate is worth its tokens.
//!
//! A learned gate is an [`agon_core::gate::GateRule`]; here are the rows that it is learned from, the choice among candidates by
//! cross-validation, the figures out of fold, and the file `gate.json`.
mod choice;
mod cuts;
mod errors;
mod figures;
mod file;
mod folds;
mod learn;
mod logistic;
mod of_eval;
mod rows;
#[cfg(test)]
mod tests;

pub use choice::*;
#[cfg(any(test, feature = "testing"))]
pub(crate) use cuts::Cuts;
pub use file::*;
pub use learn::*;
pub use of_eval::*;
pub use rows::*;
