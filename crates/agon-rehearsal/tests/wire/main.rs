//! The server as a client sees it, read from the socket byte by byte.

#[cfg(test)]
mod client;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod metrics;
#[cfg(test)]
mod support;
#[cfg(test)]
mod surface;
#[cfg(test)]
mod tools;
