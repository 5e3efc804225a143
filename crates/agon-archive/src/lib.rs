//! What debates that are over say to people and to later debates.
//!
//! [`ratings`] folds the cards that debates leave into ratings, positions, habits and failed arguments; [`recall`] finds
//! the earlier debates that are most like a new one. The cards and the past debates themselves are parts of logs and of
//! the catalogue, and stand in `agon-core`.
//!
//! Invariant: nothing here awaits, reads a clock, rolls dice, logs or touches a file, and nothing is kept: the same cards
//! give the same answers.

pub mod ratings;
pub mod recall;

pub use ratings::{Ledger, failed_arguments, ratings_for, wants_ratings};
