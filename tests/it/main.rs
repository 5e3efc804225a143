//! Whole-system tests: the `agon` program as users run it, against rehearsal servers in its own process and in others.
//!
//! Each module is marked as test code for the lints, which here would not know by themselves.
#[cfg(test)]
mod bombs;
#[cfg(test)]
mod browser;
#[cfg(test)]
mod chart;
#[cfg(test)]
mod checks;
#[cfg(test)]
mod cluster_access;
#[cfg(test)]
mod cluster_bench;
#[cfg(test)]
mod cluster_cli;
#[cfg(test)]
mod cluster_clients;
#[cfg(test)]
mod cluster_evals;
#[cfg(test)]
mod cluster_hosts;
#[cfg(test)]
mod cluster_metrics;
#[cfg(test)]
mod cluster_nats;
#[cfg(test)]
mod cluster_owners;
#[cfg(test)]
mod cluster_proof;
#[cfg(test)]
mod cluster_store;
#[cfg(test)]
mod compose;
#[cfg(test)]
mod console;
#[cfg(test)]
mod cookbook;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod doctor;
#[cfg(test)]
mod documents;
#[cfg(test)]
mod eval;
#[cfg(test)]
mod eval_faces;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod feeds;
#[cfg(test)]
mod files;
#[cfg(test)]
mod formats;
#[cfg(test)]
mod health;
#[cfg(test)]
mod history;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod keys;
#[cfg(test)]
mod live;
#[cfg(test)]
mod machine;
#[cfg(test)]
mod minds;
#[cfg(test)]
mod model_server;
#[cfg(test)]
mod monitoring;
#[cfg(test)]
mod one_server;
#[cfg(test)]
mod options;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod pictures;
#[cfg(test)]
mod proof;
#[cfg(test)]
mod ratings;
#[cfg(test)]
mod real;
#[cfg(test)]
mod run;
#[cfg(test)]
mod scale;
#[cfg(test)]
mod seat_example;
#[cfg(test)]
mod security;
#[cfg(test)]
mod server;
#[cfg(test)]
mod sight;
#[cfg(test)]
mod stop;
#[cfg(test)]
mod stores;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tools;
#[cfg(test)]
mod ui;
