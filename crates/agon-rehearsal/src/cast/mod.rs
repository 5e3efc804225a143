//! The scripted cast: what is said in answer to a debate prompt, derived from the prompt and the seed alone.

mod desk;
mod lines;
mod scene;
mod speech;
mod wish;

pub use scene::{Scene, position};
pub use speech::speak;
pub use wish::{small_talk, wish_for};

#[cfg(test)]
mod tests;
