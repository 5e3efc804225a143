//! Whole-system tests: the `agon` program as users run it, against rehearsal servers in its own process and in others.
#[cfg(test)]
mod support;

mod crash;
mod faults;
mod files;
mod machine;
mod page;
mod proof;
mod run;
mod server;
