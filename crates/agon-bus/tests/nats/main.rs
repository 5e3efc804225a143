//! The bus over real NATS servers: the contract of the port, and what NATS alone can do to it.
#[cfg(test)]
mod access;
#[cfg(test)]
mod contract;
#[cfg(test)]
mod outage;
#[cfg(test)]
mod provisioning;
#[cfg(test)]
mod queues;
#[cfg(test)]
mod servers;
#[cfg(test)]
mod tls;
