//! Whole-system tests live in `it/`.
