//! From closed cells to every figure of the result.
mod types;

pub use types::*;
