use super::MemoryStore;
use crate::contract::{Rig, contract_tests};
use std::sync::Arc;
use std::time::Duration;

struct Memory;
impl Rig for Memory {
    type Store = MemoryStore;
    async fn store(&self) -> Arc<MemoryStore> {
        Arc::default()
    }
    async fn pass(&self, time: Duration) {
        tokio::time::advance(time).await;
    }
}
contract_tests!(super::Memory; (start_paused = true));
