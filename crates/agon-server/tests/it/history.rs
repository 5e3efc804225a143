//! Debates that are told of earlier ones.
use crate::gateway_bench::*;
use agon_core::*;
use agon_proto::pb::v1 as pb;
use agon_proto::{DebateSummary, SummaryState};
use agon_server::{AuthConfig, GatewayConfig, Scope, TokenFile, token_line};
use agon_store::{Catalogue, Journal};
use std::collections::BTreeMap;
use std::time::Duration;
use tonic::{Code, Request};

/// A rehearsal of the bridge's debate that is over.
fn ended(id: &str, admitted: u64) -> DebateSummary {
    DebateSummary {
        id: DebateId::parse(id).unwrap(),
        topic: "Should the town build a bridge?".into(),
        state: SummaryState::Ended { state: DebateState::Succeeded, outcome: Some(Outcome::Decided) },
        labels: BTreeMap::new(),
        priority: Priority::Normal,
        creator: None,
        rehearsal: true,
        epoch: 1,
        last: Position(9),
        admitted: Timestamp(admitted),
        updated: Timestamp(admitted),
        paused_ms: 0,
        claimed: None,
        rounds: None,
        figures: None,
        card: Some(Card {
            outcome: Outcome::Decided,
            verdict: Some("Build it.".into()),
            winner: Some("Build it".into()),
            majority: MajorityShift::None,
            seats: Vec::new(),
            course: None,
        }),
    }
}

/// A submission of the bridge's debate that wants to know of earlier ones.
fn asking(id: &str) -> pb::CreateDebateRequest {
    let text = FILE.replace("model: m:1", "model: m:1\nhistory_limit: 3");
    pb::CreateDebateRequest { source: Some(file(&text)), ..wanted(id) }
}

/// The ids of the debates that a debate was told of.
async fn told(stage: &GatewayBench, id: &str) -> Vec<String> {
    let log = stage.store.read(&DebateId::parse(id).unwrap(), Position(0)).await.unwrap();
    let Event::DebateAdmitted(admission) = &log[0].events[0] else { panic!("an admission") };
    admission.history.iter().map(|past| past.id.to_string()).collect()
}

#[tokio::test]
async fn a_debate_that_asks_for_history_is_told_of_the_one_before_it() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("first")).await.unwrap();
    gateway.finish("first").await;
    stage.store.note(ended("second", 1)).await.unwrap();
    gateway.create(asking("third")).await.unwrap();
    let told = told(&stage, "third").await;
    assert!(told.contains(&"second".to_owned()) && !told.contains(&"third".to_owned()), "{told:?}");
    gateway.finish("third").await;
    let again = pb::RejudgeDebateRequest {
        name: "third".into(),
        debate_id: Some("again".into()),
        ..pb::RejudgeDebateRequest::default()
    };
    gateway.debates.clone().rejudge_debate(again).await.unwrap();
    assert_eq!(self::told(&stage, "again").await, told, "who judges again reads the same");
}

#[tokio::test]
async fn a_gateway_with_a_host_compares_by_embeddings_and_one_without_by_words() {
    let stage = GatewayBench::new().await;
    stage.store.note(ended("first", 1)).await.unwrap();
    let text = FILE.replace("model: m:1", "model: m:1\nhistory_limit: 3\nembedding_model: e:1");
    let asking = |id: &str| pb::CreateDebateRequest { source: Some(file(&text)), ..wanted(id) };
    let alone = stage.gateway_before(&stage.idle_node().await, config()).await;
    for (gateway, id, method) in
        [(&alone, "second", Method::WordsInstead), (&stage.gateway().await, "third", Method::Embeddings)]
    {
        gateway.create(asking(id)).await.unwrap();
        let log = stage.store.read(&DebateId::parse(id).unwrap(), Position(0)).await.unwrap();
        let Event::DebateAdmitted(admission) = &log[0].events[0] else { panic!("an admission") };
        assert_eq!(admission.recalled, Some(Recalled { method, model: "e:1".into() }), "{id}");
        assert_eq!(admission.history.len(), 1, "{id}");
    }
}

#[tokio::test]
async fn the_same_submission_again_is_the_same_debate_whatever_ended_meanwhile() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    stage.store.note(ended("first", 1)).await.unwrap();
    let by_name = asking("by-name");
    let by_request = pb::CreateDebateRequest { debate_id: None, request_id: Some("once".into()), ..asking("x") };
    let id = gateway.create(by_request.clone()).await.unwrap().id;
    gateway.create(by_name.clone()).await.unwrap();
    stage.store.note(ended("second", 2)).await.unwrap();
    assert_eq!(gateway.create(by_request).await.unwrap().id, id);
    gateway.create(by_name).await.unwrap();
    for id in [id.as_str(), "by-name"] {
        assert_eq!(told(&stage, id).await, ["first"], "{id}");
    }
}

#[tokio::test]
async fn other_tenants_debates_are_never_told() {
    let stage = GatewayBench::new().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    let line = |tenant: &str, token: &str| {
        token_line(&TenantId::parse(tenant).unwrap(), "someone", &Scope::ALL, token).unwrap()
    };
    std::fs::write(&path, format!("{}\n{}\n", line("acme", "acme-token"), line("other", "other-token"))).unwrap();
    let tokens = TokenFile { look_every: Duration::ZERO, ..TokenFile::new(&path) };
    let settings = GatewayConfig { auth: AuthConfig { tokens: Some(tokens), ..AuthConfig::default() }, ..config() };
    let gateway = stage.gateway_before(&stage.idle_node().await, settings).await;
    for id in ["acme/first", "open-to-all"] {
        stage.store.note(ended(id, 1)).await.unwrap();
    }
    for (token, tenant, wanted) in [("other-token", "other", &[][..]), ("acme-token", "acme", &["acme/first"])] {
        let mut request = Request::new(asking("asking"));
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        gateway.debates.clone().create_debate(request).await.unwrap();
        assert_eq!(told(&stage, &format!("{tenant}/asking")).await, wanted, "{tenant}");
    }
}

#[tokio::test]
async fn a_plan_looks_up_nothing_and_a_debate_that_asks_for_history_waits_for_the_catalogue() {
    let stage = GatewayBench::new().await;
    let node = stage.idle_node().await;
    let ports = agon_server::GatewayPorts { catalogue: std::sync::Arc::new(Forgetful), ..stage.ports(&node) };
    let gateway = TestGateway::of(agon_server::Gateway::start(config(), ports).await.unwrap());
    gateway.create(wanted("without")).await.unwrap();
    gateway.create(pb::CreateDebateRequest { validate_only: true, ..asking("planned") }).await.unwrap();
    let refused = gateway.create(asking("asking")).await;
    let text = refused.as_ref().err().map(|status| status.message().to_owned()).unwrap_or_default();
    assert!(text.contains("earlier debates"), "{text}");
    let (code, reason, _) = refusal(refused);
    assert_eq!((code, reason.as_str()), (Code::Unavailable, "UNAVAILABLE"));
    assert_eq!(refusal(gateway.get("asking").await).0, Code::NotFound);
}

/// A catalogue that cannot say what has ended, and knows how much stands.
struct Forgetful;
#[async_trait::async_trait]
impl Catalogue for Forgetful {
    async fn note(&self, _: DebateSummary) -> Result<(), agon_store::StoreError> {
        Ok(())
    }
    async fn get_summary(&self, _: &DebateId) -> Result<Option<DebateSummary>, agon_store::StoreError> {
        Ok(None)
    }
    async fn find(&self, _: &agon_store::CatalogueQuery) -> Result<Vec<DebateSummary>, agon_store::StoreError> {
        Err(agon_store::StoreError::Backend("connection refused".into()))
    }
    async fn unfinished(&self) -> Result<Vec<DebateSummary>, agon_store::StoreError> {
        Ok(Vec::new())
    }
    async fn standing(&self) -> Result<agon_store::DebateBacklog, agon_store::StoreError> {
        Ok(agon_store::DebateBacklog::default())
    }
    async fn strike(&self, _: &DebateId) -> Result<(), agon_store::StoreError> {
        Ok(())
    }
}
