//! What a model is told, and what its answer means.
//!
//! A [`View`] folds a debate's log into what its speakers know; [`prompt`] lays out what one [`agon_core::Ask`] says to the
//! model; [`read_answer`] turns the model's text into an [`agon_core::Answer`] or says what is wrong with it.
//! The fixed wording stands in `templates/`, the layout in `docs/reference/prompts.md`.
//!
//! Invariant: nothing here does IO, reads a clock or rolls dice: the same log and the same ask give the same bytes.

mod answer;
mod head;
mod judge;
mod mask;
mod prompt;
mod schema;
mod tail;
mod tasks;
mod template;
mod text;
mod tools;
mod view;

pub use answer::{Malformed, Reading, read_answer};
pub use mask::shown_ask;
pub use prompt::{Prompt, PromptError, PromptMessage, PromptRole, prompt, prompt_within, read_ahead};
pub use tools::{LoopStep, ToolInfo, ToolLoop, ToolText};
pub use view::View;
