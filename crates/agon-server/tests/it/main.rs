//! The gateway over real TCP, with a node and a rehearsal server behind it.
#[cfg(test)]
mod access;
#[cfg(test)]
mod archive;
#[cfg(test)]
mod cluster;
#[cfg(test)]
mod cluster_metrics;
#[cfg(test)]
mod create;
#[cfg(test)]
mod details;
#[cfg(test)]
mod evals;
#[cfg(test)]
mod feeds;
#[cfg(test)]
mod follow;
#[cfg(test)]
mod gateway_bench;
#[cfg(test)]
mod gone;
#[cfg(test)]
mod history;
#[cfg(test)]
mod http;
#[cfg(test)]
mod interrupted;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod read;
#[cfg(test)]
mod rest;
#[cfg(test)]
mod signed;
#[cfg(test)]
mod sites;
#[cfg(test)]
mod sse;
#[cfg(test)]
mod tls;
#[cfg(test)]
mod traced;
#[cfg(test)]
mod visible;
