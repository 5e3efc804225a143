//! Debates that the servers gave up for now, and checking a log.
use crate::gateway_bench::*;
use crate::http::*;
use agon_core::{Debate, Input, Position, Reason, ReasonCode, Timestamp};
use agon_proto::pb::v1 as pb;
use agon_store::{Catalogue, Journal};
use pb::debate::State;
use serde_json::{Value, json};
use tonic::Code;

/// A gateway before a node that plays, at which this debate is interrupted since an hour.
async fn interrupted(stage: &GatewayBench, name: &str) -> TestGateway {
    let idle = stage.gateway_before(&stage.idle_node().await, config()).await;
    idle.create(wanted(name)).await.unwrap();
    let log = stage.store.read(&id(name), Position(0)).await.unwrap();
    let debate = Debate::fold(log.iter().map(AsRef::as_ref)).unwrap();
    let reason = Reason::with(ReasonCode::Poison, "5 claims in a row brought nothing");
    let at = Timestamp(log[0].at.0 - 3_600_000).max(Timestamp(1));
    let record = debate.record(at, 7, debate.decide(at, Input::Interrupt { reason }).unwrap());
    stage.store.append(&id(name), record).await.unwrap();
    let gateway = stage.gateway().await;
    let looked = async {
        while !stage.store.unfinished().await.unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, looked).await.expect("the node looks at the debate");
    gateway
}

fn order(name: &str) -> pb::ResumeDebateRequest {
    pb::ResumeDebateRequest { name: name.into() }
}

#[tokio::test]
async fn an_interrupted_debate_is_shown_as_such_and_goes_on_once_it_is_resumed() {
    let stage = GatewayBench::new().await;
    let gateway = interrupted(&stage, "given-up").await;
    let shown = gateway.get("given-up").await.unwrap();
    assert_eq!((shown.state(), shown.reason.unwrap().code()), (State::Interrupted, pb_reason()));
    let filter = pb::DebateFilter { states: vec![State::Interrupted.into()], ..Default::default() };
    let request = pb::ListDebatesRequest { filter: Some(filter), ..Default::default() };
    let page = gateway.debates.clone().list_debates(request).await.unwrap().into_inner();
    assert_eq!(page.debates.iter().map(|debate| debate.state()).collect::<Vec<_>>(), [State::Interrupted]);

    let mut client = gateway.debates.clone();
    client.resume_debate(order("given-up")).await.unwrap();
    let over = gateway.finish("given-up").await;
    assert_eq!(over.state(), State::Succeeded);
    assert!(over.paused_ms >= 3_600_000, "{}", over.paused_ms);
    let result = over.result.unwrap();
    let timing = |name: &str| match result.fields["timing"].kind.clone().unwrap() {
        prost_types::value::Kind::StructValue(timing) => match timing.fields[name].kind {
            Some(prost_types::value::Kind::NumberValue(ms)) => ms,
            ref other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    assert!(timing("duration_ms") < 3_600_000.0 && timing("paused_ms") >= 3_600_000.0);

    let (code, reason, _) = refusal(client.resume_debate(order("given-up")).await);
    assert_eq!((code, reason.as_str()), (Code::FailedPrecondition, "DEBATE_STATE"));
}

fn pb_reason() -> agon_proto::pb::debate::v1::ReasonCode {
    agon_proto::pb::debate::v1::ReasonCode::Poison
}

#[tokio::test]
async fn a_debate_that_runs_is_not_resumed() {
    let stage = GatewayBench::slow().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("runs")).await.unwrap();
    let (code, reason, _) = refusal(gateway.debates.clone().resume_debate(order("runs")).await);
    assert_eq!((code, reason.as_str()), (Code::FailedPrecondition, "DEBATE_STATE"));
}

#[tokio::test]
async fn an_interrupted_debate_can_be_cancelled() {
    let stage = GatewayBench::new().await;
    let gateway = interrupted(&stage, "left-lying").await;
    let order = pb::CancelDebateRequest { name: "left-lying".into(), reason: "enough".into() };
    gateway.debates.clone().cancel_debate(order).await.unwrap();
    assert_eq!(gateway.finish("left-lying").await.state(), State::Cancelled);
}

#[tokio::test]
async fn a_log_is_verified_and_a_debate_is_resumed_over_rest() {
    let stage = GatewayBench::new().await;
    let gateway = interrupted(&stage, "by-rest").await;
    let url = format!("http://{}/v1/debates/by-rest", gateway.http);
    let resumed =
        json_of(http().post(format!("{url}:resume")).json(&serde_json::json!({})).send().await.unwrap()).await;
    assert_eq!(resumed["id"], "by-rest");
    let over = gateway.finish("by-rest").await;
    let found: Value =
        json_of(http().post(format!("{url}:verify")).json(&serde_json::json!({})).send().await.unwrap()).await;
    assert_eq!((&found["id"], &found["whole"]["events"]), (&json!("by-rest"), &json!(over.sequence.to_string())));
    assert_eq!(found["whole"]["hash"].as_str().unwrap().len(), 64);
}

#[tokio::test]
async fn a_debate_that_runs_is_paused_once_and_one_that_is_over_is_not() {
    let stage = GatewayBench::slow().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("lunch")).await.unwrap();
    let url = format!("http://{}/v1/debates/lunch", gateway.http);
    let pause = async |reason: &str| {
        json_of(http().post(format!("{url}:pause")).json(&json!({"reason": reason})).send().await.unwrap()).await
    };
    let paused = pause("lunch time").await;
    assert_eq!(
        (&paused["state"], &paused["reason"]["code"]),
        (&json!("STATE_PAUSED"), &json!("REASON_CODE_PAUSED")),
        "{paused}"
    );
    assert_eq!(pause("again").await["reason"]["detail"], "lunch time");
    assert_eq!(gateway.get("lunch").await.unwrap().state(), State::Paused);
    let long = json!({"reason": "x".repeat(5_000)});
    assert_eq!(http().post(format!("{url}:pause")).json(&long).send().await.unwrap().status(), 400);

    let order = pb::CancelDebateRequest { name: "lunch".into(), reason: "enough".into() };
    gateway.debates.clone().cancel_debate(order).await.unwrap();
    assert_eq!(gateway.finish("lunch").await.state(), State::Cancelled);
    let order = pb::PauseDebateRequest { name: "lunch".into(), ..Default::default() };
    let (code, reason, _) = refusal(gateway.debates.clone().pause_debate(order).await);
    assert_eq!((code, reason.as_str()), (Code::FailedPrecondition, "DEBATE_STATE"));
}
