//! The scripted cast: what is said in answer to a debate prompt, derived from the prompt and the seed alone.

mod chair;
mod conviction;
mod critic;
mod floor;
mod hostile;
mod marks;
mod officials;
mod prose;
mod scene;
mod slots;
mod speech;
mod steps;
mod synthesis;
mod turns;
mod wish;

pub use scene::{Scene, position, position_among};
pub use speech::speak;
pub use wish::{small_talk, wish_for};

#[cfg(test)]
mod tests;
