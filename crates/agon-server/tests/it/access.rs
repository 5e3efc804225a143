//! Tokens, scopes and tenants.
use crate::gateway_bench::*;
use crate::http::{http, status_of};
use agon_core::TenantId;
use agon_proto::pb::v1 as pb;
use agon_server::{AuthConfig, GatewayConfig, RequestLimits, Scope, TokenFile, token_line};
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;
use tonic::{Code, Request};

const ALL: [Scope; 3] = Scope::ALL;

/// A token file, and the settings of a gateway that reads it.
struct TokenSetup {
    folder: TempDir,
}

impl TokenSetup {
    fn new() -> Self {
        let door = Self { folder: tempfile::tempdir().unwrap() };
        door.write(&[
            line("acme", "alice", &ALL, "alice-token"),
            line("acme", "reader", &[Scope::DebatesRead], "reader-token"),
            line("other", "oscar", &ALL, "oscar-token"),
        ]);
        door
    }
    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("tokens")
    }
    fn write(&self, lines: &[String]) {
        std::fs::write(self.path(), format!("# who may do what\n\n{}\n", lines.join("\n"))).unwrap();
    }
    fn config(&self) -> GatewayConfig {
        with_tokens(&self.path())
    }
}

fn with_tokens(path: &Path) -> GatewayConfig {
    let tokens = TokenFile { look_every: Duration::ZERO, ..TokenFile::new(path) };
    GatewayConfig { auth: AuthConfig { tokens: Some(tokens), ..AuthConfig::default() }, ..config() }
}

fn line(tenant: &str, principal: &str, scopes: &[Scope], token: &str) -> String {
    token_line(&TenantId::parse(tenant).unwrap(), principal, scopes, token).unwrap()
}

fn by<T>(token: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    request
}

fn named(name: &str) -> pb::GetDebateRequest {
    pb::GetDebateRequest { name: name.into(), view: 0 }
}

#[tokio::test]
async fn without_a_known_token_nobody_comes_in() {
    let (stage, door) = (GatewayBench::new().await, TokenSetup::new());
    let gateway = stage.gateway_before(&stage.idle_node().await, door.config()).await;
    let mut client = gateway.debates.clone();
    for answer in
        [client.get_debate(named("some")).await, client.clone().get_debate(by("guessed", named("some"))).await]
    {
        let (code, reason, _) = refusal(answer);
        assert_eq!((code, reason.as_str()), (Code::Unauthenticated, "UNAUTHENTICATED"));
    }
    let mut odd = Request::new(named("some"));
    odd.metadata_mut().insert("authorization", "Basic YTpi".parse().unwrap());
    assert_eq!(refusal(client.get_debate(odd).await).0, Code::Unauthenticated);
}

#[tokio::test]
async fn a_tenant_does_not_see_that_the_debate_of_another_exists() {
    let (stage, door) = (GatewayBench::new().await, TokenSetup::new());
    let gateway = stage.gateway_before(&stage.idle_node().await, door.config()).await;
    let mut client = gateway.debates.clone();
    let created = client.create_debate(by("alice-token", wanted("private"))).await.unwrap().into_inner();
    assert_eq!((created.name.as_str(), created.creator.as_deref()), ("debates/private", Some("alice")));
    assert_eq!(client.get_debate(by("reader-token", named("private"))).await.unwrap().into_inner().id, "private");
    let (code, reason, _) = refusal(client.get_debate(by("oscar-token", named("private"))).await);
    assert_eq!((code, reason.as_str()), (Code::NotFound, "DEBATE_NOT_FOUND"));
    let (code, _, _) = refusal(client.get_debate(by("oscar-token", named("acme/private"))).await);
    assert_eq!(code, Code::InvalidArgument, "a name never names a tenant");
    let order = pb::ResumeDebateRequest { name: "private".into() };
    assert_eq!(refusal(client.resume_debate(by("oscar-token", order)).await).0, Code::NotFound);
    let list = client.list_debates(by("oscar-token", pb::ListDebatesRequest::default())).await.unwrap().into_inner();
    assert!(list.debates.is_empty());
    let own = client.create_debate(by("oscar-token", wanted("private"))).await.unwrap().into_inner();
    assert_eq!(own.creator.as_deref(), Some("oscar"), "ids of tenants are apart");
}

#[tokio::test]
async fn a_scope_that_is_missing_is_named() {
    let (stage, door) = (GatewayBench::new().await, TokenSetup::new());
    let gateway = stage.gateway_before(&stage.idle_node().await, door.config()).await;
    let (code, reason, details) = refusal(gateway.debates.clone().create_debate(by("reader-token", wanted("x"))).await);
    assert_eq!((code, reason.as_str()), (Code::PermissionDenied, "MISSING_SCOPE"));
    assert_eq!(details.error_info().unwrap().metadata["scope"], "debates:write");
    let order = pb::ResumeDebateRequest { name: "x".into() };
    let (_, _, details) = refusal(gateway.debates.clone().resume_debate(by("reader-token", order)).await);
    assert_eq!(details.error_info().unwrap().metadata["scope"], "debates:write");
    let (_, _, details) =
        refusal(gateway.cluster.clone().list_hosts(by("reader-token", pb::ListHostsRequest {})).await);
    assert_eq!(details.error_info().unwrap().metadata["scope"], "cluster:admin");
}

#[tokio::test]
async fn health_and_reflection_ask_nobody_for_a_token() {
    let (stage, door) = (GatewayBench::new().await, TokenSetup::new());
    let gateway = stage.gateway_before(&stage.idle_node().await, door.config()).await;
    let client = agon_testkit::DynamicClient::connect(&gateway.url()).await.unwrap();
    client.call("grpc.health.v1.Health/Check", serde_json::json!({})).await.unwrap();
    let refused = client.call("agon.v1.ClusterService/ListHosts", serde_json::json!({})).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    client.with_token("alice-token").call("agon.v1.ClusterService/ListHosts", serde_json::json!({})).await.unwrap();
}

#[tokio::test]
async fn a_changed_token_file_is_read_again_and_a_broken_one_changes_nothing() {
    let (stage, door) = (GatewayBench::new().await, TokenSetup::new());
    let gateway = stage.gateway_before(&stage.idle_node().await, door.config()).await;
    let mut client = gateway.debates.clone();
    let mut list = async |token: &str| client.list_debates(by(token, pb::ListDebatesRequest::default())).await;
    list("alice-token").await.unwrap();
    door.write(&[line("acme", "bob", &ALL, "bob-token")]);
    list("bob-token").await.unwrap();
    assert_eq!(refusal(list("alice-token").await).0, Code::Unauthenticated, "a token that was taken out is void");
    door.write(&["only three words".to_owned()]);
    list("bob-token").await.unwrap();
}

#[tokio::test]
async fn who_follows_a_debate_hears_no_more_once_the_token_is_taken_back() {
    let (stage, door) = (GatewayBench::new().await, TokenSetup::new());
    let gateway = stage.gateway_before(&stage.idle_node().await, door.config()).await;
    let mut client = gateway.debates.clone();
    client.create_debate(by("alice-token", wanted("waits"))).await.unwrap();
    let request = pb::WatchDebateRequest { name: "waits".into(), ..Default::default() };
    let mut watch = client.watch_debate(by("alice-token", request)).await.unwrap().into_inner();
    watch.message().await.unwrap();
    let url = format!("http://{}/v1/debates/waits/events", gateway.http);
    let follow = |token: &str| http().get(&url).bearer_auth(token).send();
    let taken = follow("alice-token").await.unwrap();
    assert_eq!(taken.status(), 200);

    door.write(&[line("acme", "reader", &[Scope::DebatesRead], "reader-token")]);
    let ends = async {
        let status = loop {
            if let Err(status) = watch.message().await {
                break status;
            }
        };
        taken.text().await.unwrap();
        status
    };
    let status = tokio::time::timeout(LIMIT, ends).await.expect("both streams end");
    assert_eq!(status.code(), Code::Unauthenticated);
    assert_eq!(follow("alice-token").await.unwrap().status(), 401);
    assert_eq!(follow("reader-token").await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_token_file_with_a_mistake_stops_the_start_and_names_the_line() {
    let (stage, door) = (GatewayBench::new().await, TokenSetup::new());
    door.write(&[line("acme", "bob", &ALL, "t"), "acme bob debates:fly 00".to_owned()]);
    let node = stage.idle_node().await;
    let error = agon_server::Gateway::start(door.config(), stage.ports(&node)).await.err().unwrap().to_string();
    assert!(error.contains("line 4") && error.contains("debates:fly"), "{error}");
}

#[tokio::test]
async fn rest_passes_the_same_door() {
    let (stage, door) = (GatewayBench::new().await, TokenSetup::new());
    let gateway = stage.gateway_before(&stage.idle_node().await, door.config()).await;
    let url = format!("http://{}/v1/debates", gateway.http);
    let refused = http().get(&url).send().await.unwrap();
    assert_eq!(refused.headers()["www-authenticate"], "Bearer realm=\"agon\"");
    let (status, reason) = status_of(refused).await;
    assert_eq!((status, reason.as_str()), (401, "UNAUTHENTICATED"));
    let listed = http().get(&url).bearer_auth("alice-token").send().await.unwrap();
    assert_eq!(listed.status(), 200);
    let hosts =
        http().get(format!("http://{}/v1/hosts", gateway.http)).bearer_auth("reader-token").send().await.unwrap();
    assert_eq!(status_of(hosts).await, (403, "MISSING_SCOPE".to_owned()));
}

#[tokio::test]
async fn two_authorization_headers_are_refused_even_where_one_is_good() {
    let (stage, door) = (GatewayBench::new().await, TokenSetup::new());
    let gateway = stage.gateway_before(&stage.idle_node().await, door.config()).await;
    for second in ["Bearer alice-token", "Bearer oscar-token", "Basic YTpi", ""] {
        let mut twice = by("alice-token", named("some"));
        twice.metadata_mut().append("authorization", second.parse().unwrap());
        let status = gateway.debates.clone().get_debate(twice).await.unwrap_err();
        assert!(status.message().contains("more than one authorization"), "{second:?}: {status}");
        assert_eq!(refusal::<()>(Err(status)).1, "UNAUTHENTICATED");
        let url = format!("http://{}/v1/debates", gateway.http);
        let asked = http().get(&url).header("authorization", "Bearer alice-token").header("authorization", second);
        assert_eq!(status_of(asked.send().await.unwrap()).await, (401, "UNAUTHENTICATED".to_owned()), "{second:?}");
    }
}

#[tokio::test]
async fn a_tenant_that_watches_all_it_can_leaves_watches_for_others() {
    let (stage, door) = (GatewayBench::new().await, TokenSetup::new());
    let limits = RequestLimits { watches: 4, ..RequestLimits::default() };
    let gateway = stage.gateway_before(&stage.idle_node().await, GatewayConfig { limits, ..door.config() }).await;
    let watch = async |token: &str| {
        let request = pb::WatchDebateRequest { name: "watched".into(), ..Default::default() };
        gateway.debates.clone().watch_debate(by(token, request)).await
    };
    for token in ["alice-token", "oscar-token"] {
        gateway.debates.clone().create_debate(by(token, wanted("watched"))).await.unwrap();
    }
    let _held = [watch("alice-token").await.unwrap(), watch("reader-token").await.unwrap()];
    let (code, reason, details) = refusal(watch("alice-token").await);
    assert_eq!((code, reason.as_str()), (Code::ResourceExhausted, "WATCH_LIMIT"));
    let metadata = &details.error_info().unwrap().metadata;
    assert_eq!((metadata["held"].as_str(), metadata["limit"].as_str()), ("2", "2"));
    watch("oscar-token").await.unwrap();
}
