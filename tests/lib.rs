//! Whole-system tests live in `it/`.
//!
//! Invariant: there is nothing here that ships.
