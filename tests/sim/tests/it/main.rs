//! The simulation by itself: what it finds, and that a seed is enough to find it again.
#[cfg(test)]
mod short_run;
