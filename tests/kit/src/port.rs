//! Free ports.
use anyhow::{Result, bail};
use std::net::TcpListener;
use std::sync::atomic::{AtomicU16, Ordering};

/// Below the range that systems take ports of outgoing connections from: none of these takes one away before it is used, or
/// while the process that used it is being started again.
const PORTS: std::ops::Range<u16> = 12_000..32_000;

/// How many were tried in this process.
static TRIED: AtomicU16 = AtomicU16::new(0);

/// A loopback port that nobody listens on now.
pub fn free_port() -> Result<u16> {
    let count = PORTS.end - PORTS.start;
    // Processes that run beside this one begin elsewhere.
    let begin = u16::try_from(std::process::id().wrapping_mul(97) % u32::from(count))?;
    for _ in 0..count {
        let tried = TRIED.fetch_add(1, Ordering::Relaxed) % count;
        let port = PORTS.start + u16::try_from((u32::from(begin) + u32::from(tried)) % u32::from(count))?;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    bail!("every port from {} to {} is taken", PORTS.start, PORTS.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_port_is_given_twice_and_none_that_is_taken() {
        let taken = TcpListener::bind(("127.0.0.1", free_port().unwrap())).unwrap();
        let ports: Vec<u16> = (0..50).map(|_| free_port().unwrap()).collect();
        let mut unique = ports.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), ports.len());
        assert!(!ports.contains(&taken.local_addr().unwrap().port()));
    }
}
