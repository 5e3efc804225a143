//! What the logs of debates say, against a reading of them by hand.
#[cfg(test)]
mod held;
