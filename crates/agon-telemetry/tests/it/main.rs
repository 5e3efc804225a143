//! Traces and metrics as a collector and a scraper see them.

#[cfg(test)]
mod cluster;
#[cfg(test)]
mod delivery;
#[cfg(test)]
mod metrics;
#[cfg(test)]
mod picture;
#[cfg(test)]
mod privacy;
#[cfg(test)]
mod rpc;
#[cfg(test)]
mod test_bench;
#[cfg(test)]
mod tree;
#[cfg(test)]
mod tries;
