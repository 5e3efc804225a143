//! Whether debating helps, on the user's own questions, at equal tokens.
//!
//! An eval holds debates and simpler methods on the same questions. [`Question`]s come from a file, [`EvalSpec`] says what is
//! compared, [`EvalEvent`]s are its log, [`Facts`] is what a cell's debate said, as far as figures need it.
//!
//! Invariant: nothing here awaits, reads a clock, rolls dice, logs or touches a file; randomness comes from the recorded seed.

mod at_once;
mod cell;
mod cell_specs;
mod cells;
mod data;
mod draw;
mod eval_file;
mod event;
mod export;
mod facts;
mod finding;
pub mod gate;
mod grade;
mod label_sheet;
mod machine;
mod matching;
mod names;
mod order;
mod persona_calibration;
mod plan;
mod pool;
mod program;
mod question;
mod record;
mod refused;
mod result;
mod score;
mod spec;
pub mod stats;
mod template;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod verdict;

pub use cell::*;
pub use cell_specs::*;
pub use cells::*;
pub use data::*;
pub use draw::drawn_questions;
pub use eval_file::*;
pub use event::*;
pub use export::*;
pub use facts::*;
pub use finding::*;
pub use grade::*;
pub use label_sheet::*;
pub use machine::*;
pub use matching::*;
pub use order::*;
pub use persona_calibration::*;
pub use plan::*;
pub use pool::*;
pub use program::*;
pub use question::*;
pub use record::*;
pub use refused::EvalRefused;
pub use result::*;
pub use spec::*;
pub use template::*;
pub use verdict::*;
