//! The result of an eval, for people: the lines of a terminal, Markdown, and one self-contained page.
//!
//! What a report says is one document of sections and blocks; a new section is a function in `sections/` and a row in
//! `document.rs`. Questions, answers, names of models and categories are hostile input wherever they are shown.
mod cells;
mod digest;
mod document;
mod draw;
mod events;
mod html;
mod markdown;
mod sections;
mod summary;
mod terminal;
mod words;

pub use cells::DebateLinks;
pub use digest::{DigestArm, DigestFailure, DigestFinding, EvalDigest, eval_digest};
pub use events::eval_event_line;
pub use html::{eval_html, eval_policy};
pub use markdown::eval_markdown;
pub use sections::gate_lines;
pub use terminal::eval_terminal;
