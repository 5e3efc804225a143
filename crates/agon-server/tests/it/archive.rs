//! Ratings and personas, over both interfaces.
use crate::gateway_bench::*;
use crate::http::{http, status_of};
use agon_core::{
    Card, CardSeat, DebateId, DebateState, MajorityShift, Outcome, Position, Priority, TenantId, Timestamp,
};
use agon_proto::pb::v1 as pb;
use agon_proto::pb::v1::archive_service_client::ArchiveServiceClient;
use agon_proto::{DebateSummary, SummaryState};
use agon_server::{AuthConfig, GatewayConfig, Scope, TokenFile, token_line};
use agon_store::Catalogue;
use serde_json::{Value, json};
use tonic::transport::Channel;
use tonic::{Code, Request};

fn seat(persona: &str, stance: &str) -> CardSeat {
    CardSeat {
        persona: persona.into(),
        model: "m:1".into(),
        stance: Some(stance.to_owned()),
        first: Some(stance.to_owned()),
        last: Some(stance.to_owned()),
    }
}

/// Ada for tea against Bo Li for coffee; a debate ends with this number.
fn ended(tenant: &str, number: u64, winner: &str, rehearsal: bool) -> DebateSummary {
    let tenant = TenantId::parse(tenant).unwrap();
    let outcome = Outcome::Decided;
    DebateSummary {
        id: DebateId::in_tenant(&tenant, &format!("ended-{number}")).unwrap(),
        topic: "Tea or coffee?".into(),
        state: SummaryState::Ended { state: DebateState::Succeeded, outcome: Some(outcome) },
        labels: Default::default(),
        priority: Priority::Normal,
        creator: None,
        rehearsal,
        epoch: 1,
        last: Position(9),
        admitted: Timestamp(1_800_000_000_000 + number),
        updated: Timestamp(1_800_000_000_000 + number),
        paused_ms: 0,
        claimed: None,
        rounds: None,
        figures: None,
        card: Some(Card {
            outcome,
            verdict: None,
            winner: Some(winner.to_owned()),
            majority: MajorityShift::None,
            seats: vec![seat("Ada", "tea"), seat("Bo Li", "coffee")],
            course: None,
        }),
    }
}

fn archive(gateway: &TestGateway) -> ArchiveServiceClient<Channel> {
    ArchiveServiceClient::new(gateway.channel.clone())
}

fn elo(answer: &pb::ListRatingsResponse) -> Vec<(String, f64)> {
    let one = |row: &pb::PersonaRating| {
        (row.debater.as_ref().unwrap().persona.clone(), row.rating.as_ref().unwrap().elo.round())
    };
    answer.personas.iter().map(one).collect()
}

#[tokio::test]
async fn a_debate_that_was_rehearsed_is_rated_among_rehearsed_ones_only() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("rated")).await.unwrap();
    gateway.finish("debates/rated").await;
    let of = async |rehearsal| {
        archive(&gateway).list_ratings(pb::ListRatingsRequest { rehearsal }).await.unwrap().into_inner()
    };
    // The catalogue may be a moment behind the log.
    let noted = async {
        while of(true).await.basis.unwrap().debates == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, noted).await.unwrap();
    let rehearsed = of(true).await;
    assert_eq!(rehearsed.basis, Some(pb::Basis { debates: 1, truncated: false, rehearsal: true }));
    assert_eq!((rehearsed.personas.len(), rehearsed.models.len()), (2, 1));
    assert_eq!(of(false).await.basis, Some(pb::Basis { debates: 0, truncated: false, rehearsal: false }));
}

#[tokio::test]
async fn ratings_and_personas_are_told_over_rest_too() {
    let stage = GatewayBench::new().await;
    for (number, winner) in ["tea", "tea", "tea", "coffee"].into_iter().enumerate() {
        stage.store.note(ended("default", number as u64, winner, false)).await.unwrap();
    }
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    let url = format!("http://{}/v1/ratings", gateway.http);
    let get = async |path: &str| http().get(format!("{url}{path}")).send().await.unwrap();
    let ratings: Value = get("").await.json().await.unwrap();
    assert_eq!(ratings["basis"], json!({"debates": "4"}));
    let first = &ratings["personas"][0];
    assert_eq!((&first["debater"]["persona"], &first["rating"]["won"]), (&json!("Ada"), &json!(3)));
    let bo: Value = get("/Bo%20Li?rehearsal=false").await.json().await.unwrap();
    let kinds: Vec<&Value> = bo["moments"].as_array().unwrap().iter().map(|moment| &moment["kind"]).collect();
    assert_eq!(kinds, ["MOMENT_KIND_VINDICATION", "MOMENT_KIND_BREAKTHROUGH"]);
    assert_eq!(bo["positions"][3]["resolution"], "RESOLUTION_WON");
    assert_eq!(bo["relationships"][0]["debates"], 4);
    let unknown = status_of(get("/Nobody").await).await;
    assert_eq!(unknown, (404, "PERSONA_NOT_FOUND".to_owned()));
    assert_eq!(status_of(get("?odd=1").await).await.0, 400);
    assert_eq!(status_of(get("/Ada?rehearsal=perhaps").await).await.0, 400);
}

#[tokio::test]
async fn ratings_are_those_of_the_callers_tenant_and_need_the_scope_to_read() {
    let stage = GatewayBench::new().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    let line = |tenant: &str, scope, token| {
        let tenant = TenantId::parse(tenant).unwrap();
        token_line(&tenant, token, &[scope], token).unwrap()
    };
    let lines = [
        line("acme", Scope::DebatesRead, "acme-token"),
        line("other", Scope::DebatesRead, "other-token"),
        line("acme", Scope::DebatesWrite, "writer-token"),
    ];
    std::fs::write(&path, lines.join("\n")).unwrap();
    let auth = AuthConfig { tokens: Some(TokenFile::new(&path)), ..AuthConfig::default() };
    stage.store.note(ended("acme", 1, "tea", false)).await.unwrap();
    stage.store.note(ended("other", 2, "coffee", false)).await.unwrap();
    let gateway = stage.gateway_before(&stage.idle_node().await, GatewayConfig { auth, ..config() }).await;
    let by = async |token: &str| {
        let mut request = Request::new(pb::ListRatingsRequest { rehearsal: false });
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        archive(&gateway).list_ratings(request).await
    };
    let acme = by("acme-token").await.unwrap().into_inner();
    assert_eq!(elo(&acme), [("Ada".to_owned(), 1_516.0), ("Bo Li".to_owned(), 1_484.0)]);
    let other = by("other-token").await.unwrap().into_inner();
    assert_eq!(elo(&other), [("Bo Li".to_owned(), 1_516.0), ("Ada".to_owned(), 1_484.0)]);
    let (code, reason, details) = refusal(by("writer-token").await);
    assert_eq!((code, reason.as_str()), (Code::PermissionDenied, "MISSING_SCOPE"));
    assert_eq!(details.error_info().unwrap().metadata["scope"], "debates:read");
    let mut unknown = Request::new(pb::GetPersonaRequest { name: "Nobody".into(), rehearsal: false });
    unknown.metadata_mut().insert("authorization", "Bearer acme-token".parse().unwrap());
    let (code, reason, details) = refusal(archive(&gateway).get_persona(unknown).await);
    assert_eq!((code, reason.as_str()), (Code::NotFound, "PERSONA_NOT_FOUND"));
    assert_eq!(details.resource_info().unwrap().resource_name, "ratings/Nobody");
}

#[tokio::test]
async fn an_answer_has_a_thousand_rows_of_a_kind_and_says_how_many_are_left_off() {
    let stage = GatewayBench::new().await;
    let crowd = |number: u64| {
        let mut summary = ended("default", number, "tea", false);
        let name = |seat| format!("P{number}-{seat}");
        let seats = (0..4).map(|at| seat(&name(at), "coffee")).chain([seat("Ada", "tea")]).collect();
        summary.card = summary.card.map(|card| Card { seats, ..card });
        summary
    };
    for number in 0..300 {
        stage.store.note(crowd(number)).await.unwrap();
    }
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    let ratings = archive(&gateway).list_ratings(pb::ListRatingsRequest { rehearsal: false }).await;
    let ratings = ratings.unwrap().into_inner();
    assert_eq!((ratings.personas.len(), ratings.left_off), (1_000, 201));
    assert_eq!(elo(&ratings)[0].0, "Ada");
    let request = pb::GetPersonaRequest { name: "Ada".into(), rehearsal: false };
    let ada = archive(&gateway).get_persona(request).await.unwrap().into_inner();
    assert_eq!((ada.positions.len(), ada.relationships.len(), ada.left_off), (300, 1_000, 200));
}
