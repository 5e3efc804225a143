//! Free ports.
use anyhow::{Context, Result};
use std::net::TcpListener;

/// A loopback port that nobody listens on now.
pub fn free_port() -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("no loopback port is free")?;
    Ok(listener.local_addr()?.port())
}
