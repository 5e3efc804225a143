//! A debate as it happens, for a terminal: what to print once and for all, and what stands below it for the moment.
mod decision;
mod lines;
mod live;
mod pace;
mod styled;

pub(crate) use lines::text as indented_text;
pub use live::{LiveView, Speaking, Waiting};
pub(crate) use styled::rehearsal_mark;
pub use styled::{StyledLine, StyledSpan, TextStyle};
