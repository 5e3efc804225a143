//! Debates whose log is gone while the store goes by its last look.
use crate::gateway_bench::*;
use agon_core::{DebateId, Timestamp, TurnId};
use agon_proto::pb::v1 as pb;
use agon_server::{Gateway, GatewayPorts};
use agon_store::{DebateHead, ListPage, MemoryStore, RawRecord, StoreError, Upkeep, VerifiedLog};
use async_trait::async_trait;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use tonic::Code;

const AWAY: u8 = 0;
const BACK: u8 = 1;
const LOOKED: u8 = 2;

/// A store whose stream of logs was deleted since it was last looked at, and then set up again.
struct Lagging(MemoryStore, AtomicU8);

#[async_trait]
impl Upkeep for Lagging {
    async fn verify(&self, debate: &DebateId) -> Result<VerifiedLog, StoreError> {
        self.0.verify(debate).await
    }
    async fn raw_records(&self, debate: &DebateId) -> Result<Vec<RawRecord>, StoreError> {
        self.0.raw_records(debate).await
    }
    async fn purge_registers(&self, debate: &DebateId, turns: &[TurnId]) -> Result<(), StoreError> {
        self.0.purge_registers(debate, turns).await
    }
    async fn list(&self, page: ListPage) -> Result<Vec<DebateHead>, StoreError> {
        self.0.list(page).await
    }
    async fn is_lost(&self, _: &DebateId, _: Timestamp) -> Result<bool, StoreError> {
        Ok(self.1.load(Ordering::SeqCst) == LOOKED)
    }
    async fn look_again(&self, _: &DebateId) -> Result<(), StoreError> {
        match self.1.load(Ordering::SeqCst) {
            AWAY => Err(StoreError::Backend("stream not found".to_owned())),
            _ => {
                self.1.store(LOOKED, Ordering::SeqCst);
                Ok(())
            }
        }
    }
    async fn delete(&self, debate: &DebateId) -> Result<bool, StoreError> {
        self.0.delete(debate).await
    }
}

#[tokio::test]
async fn a_debate_whose_log_is_gone_is_waited_for_or_lost_and_never_unknown() {
    let stage = GatewayBench::new().await;
    let node = stage.idle_node().await;
    let whole = stage.gateway_before(&node, config()).await;
    whole.create(wanted("cut-off")).await.unwrap();
    let upkeep = Arc::new(Lagging(MemoryStore::new(), AtomicU8::new(AWAY)));
    let journal = Arc::new(MemoryStore::new());
    let ports = GatewayPorts { journal, upkeep: upkeep.clone(), ..stage.ports(&node) };
    let gateway = TestGateway::of(Gateway::start(config(), ports).await.unwrap());

    let verify = |name: &str| {
        let (mut debates, request) = (gateway.debates.clone(), pb::VerifyDebateRequest { name: name.to_owned() });
        async move { debates.verify_debate(request).await }
    };
    assert_eq!(refusal(gateway.watch("cut-off", 0).await).0, Code::Unavailable);
    assert_eq!(refusal(gateway.get("cut-off").await).0, Code::Unavailable);
    assert_eq!(refusal(verify("cut-off").await).0, Code::Unavailable);

    upkeep.1.store(BACK, Ordering::SeqCst);
    assert_eq!(refusal(gateway.watch("cut-off", 0).await).1, "LOG_LOST");
    upkeep.1.store(BACK, Ordering::SeqCst);
    assert_eq!(refusal(verify("cut-off").await).1, "LOG_LOST");
    upkeep.1.store(BACK, Ordering::SeqCst);
    assert_eq!(gateway.get("cut-off").await.unwrap().state(), pb::debate::State::Lost);
    assert_eq!(refusal(gateway.get("never-was").await).1, "DEBATE_NOT_FOUND");
}
