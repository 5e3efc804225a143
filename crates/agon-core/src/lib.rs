//! The debate as a pure machine over an event log.
//!
//! A `Debate` is folded from [`Event`]s and knows every rule: phases, turn order, who sees what, stopping, ballots, votes and
//! verdicts. `Debate::decide` says which events follow from an input, `Debate::apply_record` takes a step in, `Debate::outstanding` says what the world
//! owes the debate. A shell around it appends events to a journal and performs effects; after a crash it folds the log again and
//! performs what is outstanding.
//!
//! Invariant: nothing here awaits, reads a clock, rolls dice, logs or touches a file; randomness comes from the recorded seed, time from the caller.

#[macro_use]
mod named;

mod answer;
mod archive;
pub mod breaker;
mod call;
mod checks;
mod debate;
mod event;
mod failure;
mod feed;
pub mod fence;
pub mod gate;
mod ids;
pub mod json;
pub mod names;
mod number;
mod outcome;
mod plan;
mod progress;
mod rejudge;
pub mod remedy;
pub mod restart;
pub mod seed;
pub mod signals;
mod spec;
mod stop;
mod summary_figures;
pub mod tally;
mod task;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod thinking;
mod transcript;
pub mod words;
mod work;

pub use answer::*;
pub use archive::*;
pub use call::*;
pub use checks::*;
pub use debate::{Debate, Effect, FIRST_WAIT_MS, Input, Rejection, least_token_budget, may_be_interrupted, steps};
pub use event::*;
pub use failure::*;
pub use feed::*;
pub use ids::*;
pub use named::{Choice, Named};
pub use number::{NumberAnswer, Tolerance, money, thousands};
pub use outcome::*;
pub use plan::CallPlan;
pub use progress::{CallCounts, CallProgress};
pub use rejudge::{RejudgeError, rejudge, rejudged_spec};
pub use spec::*;
pub use stop::{
    ExpressionError, Figures, MAX_EXPRESSION_CHARS, MAX_EXPRESSION_LEVELS, MAX_EXPRESSION_STEPS, MOST_EXPRESSION_STEPS,
    VARIABLES, check_terminate_when, terminates,
};
pub use summary_figures::*;
pub use task::*;
pub use transcript::*;
pub use work::*;
