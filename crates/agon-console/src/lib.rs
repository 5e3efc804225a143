//! Pages for browsers: the table of debates, a debate as it happens and its report, a form for a new one, hosts, ratings, evals.
//!
//! Pages are drawn by the server, over the same [`agon_server::Api`] as gRPC and REST, from the pieces of the report. They work
//! without script; with it, fragments are fetched by htmx, and a debate grows by an event stream (`live`).
//!
//! Invariant: no page asks for anything from another place, runs anything but the three scripts of `assets`, or shows a text of a
//! model, a file or a server other than escaped; and none keeps state of debates: any gateway shows the same.

mod assets;
mod compare;
mod config;
mod debate;
mod debates;
mod evals;
mod form;
mod help;
mod hosts;
mod live;
mod new_debate;
mod query;
mod ratings;
mod refusal;
mod session;
mod session_pages;
mod shell;
mod site;
mod visitor;
mod words;

pub use config::{ConsoleConfig, OneTimeCodes};
pub use site::pages;
