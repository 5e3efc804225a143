//! Hosts and models, reflection and health.
use crate::gateway_bench::*;
use agon_proto::pb::v1 as pb;
use agon_runtime::Served;
use agon_server::{Gateway, GatewayConfig, StoreNeed};
use agon_testkit::DynamicClient;
use futures_util::StreamExt as _;
use serde_json::json;
use tonic::Code;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

#[tokio::test]
async fn live_hosts_and_their_models_are_listed() {
    let stage = GatewayBench::new().await;
    let listed = Served::List(vec!["b:1".into(), "a:1".into()]);
    let node = stage.node_with(agon_runtime::NodeConfig::embedded("n1".into()), vec![stage.host(listed)]).await;
    let gateway = stage.gateway_before(&node, config()).await;
    let hosts = gateway.cluster.clone().list_hosts(pb::ListHostsRequest {}).await.unwrap().into_inner().hosts;
    let [host] = hosts.as_slice() else { panic!("{hosts:?}") };
    assert_eq!((host.name.as_str(), host.rehearsal, host.draining, host.serves_any), ("stage", true, false, false));
    let models = gateway.cluster.clone().list_models(pb::ListModelsRequest {}).await.unwrap().into_inner().models;
    let names: Vec<_> = models.iter().map(|model| (model.name.as_str(), model.hosts[0].host.as_str())).collect();
    assert_eq!(names, [("a:1", "stage"), ("b:1", "stage")]);
}

#[tokio::test]
async fn a_host_is_drained_and_put_back() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    let drain = async |undo| loop {
        let request = pb::DrainHostRequest { host: "stage".into(), undo };
        match gateway.cluster.clone().drain_host(request).await {
            Ok(host) => return host.into_inner(),
            // the host does not listen yet
            Err(status) => assert_eq!(status.code(), Code::Unavailable, "{status}"),
        }
        tokio::task::yield_now().await;
    };
    assert!(drain(false).await.draining);
    let listed = gateway.cluster.clone().list_hosts(pb::ListHostsRequest {}).await.unwrap().into_inner().hosts;
    assert!(listed[0].draining, "a host that drains is still there");
    assert!(!drain(true).await.draining);
    let unknown = pb::DrainHostRequest { host: "nowhere".into(), undo: false };
    let (code, reason, details) = refusal(gateway.cluster.clone().drain_host(unknown).await);
    assert_eq!((code, reason.as_str()), (Code::NotFound, "HOST_NOT_FOUND"));
    assert_eq!(details.resource_info().unwrap().resource_name, "hosts/nowhere");
}

#[tokio::test]
async fn a_client_that_knows_nothing_but_the_address_can_hold_a_debate() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    let client = DynamicClient::connect(&gateway.url()).await.unwrap();
    assert!(client.services().iter().any(|name| name == "agon.v1.DebateService"), "{:?}", client.services());
    let request = json!({"file": {"text": FILE}, "debateId": "reflected", "rehearsal": true});
    let created = client.call("agon.v1.DebateService/CreateDebate", request).await.unwrap();
    assert_eq!(created["name"], "debates/reflected");
    let watch = client.stream("agon.v1.DebateService/WatchDebate", json!({"name": "reflected"})).await.unwrap();
    let told: Vec<_> = tokio::time::timeout(LIMIT, watch.map(Result::unwrap).collect()).await.unwrap();
    assert_eq!(told[0]["snapshot"]["id"], "reflected");
    assert!(told.last().unwrap()["event"]["event"].get("debateEnded").is_some());
    let unknown = client.call("agon.v1.DebateService/GetDebate", json!({"name": "missing"})).await;
    assert_eq!(unknown.unwrap_err().code(), Code::NotFound);
}

#[tokio::test]
async fn reflection_can_be_switched_off() {
    let stage = GatewayBench::new().await;
    let node = stage.idle_node().await;
    let gateway = stage.gateway_before(&node, GatewayConfig { reflection: false, ..config() }).await;
    assert!(DynamicClient::connect(&gateway.url()).await.is_err());
}

#[tokio::test]
async fn a_process_is_ready_only_once_all_its_listeners_are_open() {
    let stage = GatewayBench::new().await;
    let node = stage.idle_node().await;
    let ports = stage.ports(&node);
    let closed = ["the listeners are not open yet"];
    assert_eq!(ports.unready(StoreNeed::Answers).await, closed);

    let taken = tokio::net::TcpListener::bind(loopback()).await.unwrap();
    let wrong = GatewayConfig { http: Some(taken.local_addr().unwrap()), ..config() };
    assert!(Gateway::start(wrong, ports.clone()).await.is_err(), "gRPC listens, and HTTP does not");
    assert_eq!(ports.unready(StoreNeed::Answers).await, closed);

    let gateway = Gateway::start(config(), ports.clone()).await.unwrap();
    assert_eq!(ports.unready(StoreNeed::Answers).await, [""; 0]);
    tokio::net::TcpStream::connect(gateway.addresses().http.unwrap()).await.unwrap();
}

#[tokio::test]
async fn health_is_told_for_the_server_and_each_service() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    let mut health = HealthClient::new(gateway.channel.clone());
    let mut status = async |service: &str| {
        let request = tonic_health::pb::HealthCheckRequest { service: service.to_owned() };
        health.check(request).await.map(|answer| answer.into_inner().status())
    };
    let client = DynamicClient::connect(&gateway.url()).await.unwrap();
    let served = client.services().iter().map(String::as_str).filter(|service| !service.starts_with("grpc."));
    let served: Vec<&str> = served.collect();
    assert!(served.contains(&"agon.v1.EvalService"), "{served:?}");
    for service in served.into_iter().chain(["", "liveness"]) {
        let serving = async {
            while !matches!(status(service).await, Ok(ServingStatus::Serving)) {
                tokio::task::yield_now().await;
            }
        };
        assert!(tokio::time::timeout(LIMIT, serving).await.is_ok(), "{service:?}");
    }
    assert_eq!(status("agon.v1.Nothing").await.unwrap_err().code(), Code::NotFound);
}
