//! The bus as it is for a node that only plays turns: its user at NATS may take turns from queues and put none there.
use crate::wired::{PortUse, Valve};
use agon_bus::BusError;
use agon_store::StoreError;
use std::future::Future;

pub struct OfHosts;

impl Valve for OfHosts {
    async fn store<T: Send, E: From<StoreError> + Send>(
        &self,
        _: PortUse,
        run: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        run.await
    }
    async fn bus<T: Send>(
        &self,
        what: PortUse,
        run: impl Future<Output = Result<T, BusError>> + Send,
    ) -> Result<T, BusError> {
        match what {
            PortUse::Effect("enqueue") => Err(BusError::Denied("publish to a queue".to_owned())),
            _ => run.await,
        }
    }
}
