//! Whatever refuses a call over gRPC, its status says why in details.
use crate::gateway_bench::*;
use agon_server::{GatewayConfig, RequestLimits};
use http_body_util::Full;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tonic::client::Grpc;
use tonic::{Code, Request, Status};
use tonic_prost::ProstCodec;

fn methods() -> Vec<String> {
    let pool = prost_reflect::DescriptorPool::decode(agon_proto::DESCRIPTORS).unwrap();
    let services = pool.services().filter(|service| service.full_name().starts_with("agon.v1."));
    let methods = services.flat_map(|service| service.methods().collect::<Vec<_>>());
    methods.map(|method| format!("/{}/{}", method.parent_service().full_name(), method.name())).collect()
}

/// Sends a message whose first field is a fixed64, which no request of ours has.
async fn odd(gateway: &TestGateway, path: &str) -> Result<(), Status> {
    let mut client = Grpc::new(gateway.channel.clone());
    client.ready().await.unwrap();
    let codec = ProstCodec::<f64, ()>::default();
    client.unary(Request::new(7.0), path.parse().unwrap(), codec).await.map(|_: tonic::Response<()>| ())
}

#[tokio::test]
async fn a_message_that_no_method_takes_and_a_method_that_is_not_there_are_refused_with_details() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    let mut refused = 0;
    for path in methods() {
        // a request without fields takes any
        let Err(status) = odd(&gateway, &path).await else { continue };
        let (code, reason, details) = refusal(Err::<(), _>(status));
        assert_eq!((code, reason.as_str()), (Code::InvalidArgument, "INVALID_REQUEST"), "{path}");
        assert!(details.bad_request().is_some(), "{path}");
        refused += 1;
    }
    assert!(refused > 10, "{refused}");
    for path in ["/agon.v1.DebateService/Nothing", "/agon.v2.DebateService/GetDebate", "/nothing"] {
        let (code, reason, _) = refusal(odd(&gateway, path).await);
        assert_eq!((code, reason.as_str()), (Code::Unimplemented, "METHOD_NOT_FOUND"), "{path}");
    }
}

#[tokio::test]
async fn messages_that_are_too_long_and_services_that_are_not_there_are_refused_with_details() {
    let stage = GatewayBench::new().await;
    let limits = RequestLimits { request_bytes: 1_000, response_bytes: 600, ..RequestLimits::default() };
    let gateway = stage.gateway_before(&stage.idle_node().await, GatewayConfig { limits, ..config() }).await;
    let mut request = wanted("large");
    request.source = Some(file(&"x".repeat(2_000)));
    let (code, reason, _) = refusal(gateway.create(request).await);
    assert_eq!((code, reason.as_str()), (Code::OutOfRange, "TOO_LARGE"));
    let (_, reason, _) = refusal(gateway.create(wanted("answer")).await);
    assert_eq!(reason, "TOO_LARGE", "the answer is too long");
    let mut health = tonic_health::pb::health_client::HealthClient::new(gateway.channel.clone());
    let unknown = tonic_health::pb::HealthCheckRequest { service: "nothing".to_owned() };
    let (code, reason, _) = refusal(health.check(unknown).await);
    assert_eq!((code, reason.as_str()), (Code::NotFound, "SERVICE_NOT_FOUND"));
}

#[tokio::test]
async fn reflection_knows_the_types_of_the_details() {
    use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
    use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
    use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    let symbols =
        ["ErrorInfo", "BadRequest", "RetryInfo", "PreconditionFailure", "ResourceInfo", "RequestInfo", "Status"];
    for symbol in symbols {
        let wanted = MessageRequest::FileContainingSymbol(format!("google.rpc.{symbol}"));
        let request = tonic_reflection::pb::v1::ServerReflectionRequest {
            message_request: Some(wanted),
            ..tonic_reflection::pb::v1::ServerReflectionRequest::default()
        };
        let mut client = ServerReflectionClient::new(gateway.channel.clone());
        let answers = client.server_reflection_info(futures_util::stream::iter([request])).await.unwrap();
        let answer = answers.into_inner().message().await.unwrap().unwrap().message_response.unwrap();
        assert!(matches!(answer, MessageResponse::FileDescriptorResponse(_)), "{symbol}: {answer:?}");
    }
}

#[tokio::test]
async fn an_order_that_the_debates_state_does_not_allow_names_what_is_violated() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    gateway.create(wanted("waiting")).await.unwrap();
    let order = agon_proto::pb::v1::DeleteDebateRequest { name: "waiting".into() };
    let (code, _, details) = refusal(gateway.debates.clone().delete_debate(order).await);
    assert_eq!(code, Code::FailedPrecondition);
    let violation = &details.precondition_failure().unwrap().violations[0];
    assert_eq!((violation.r#type.as_str(), violation.subject.as_str()), ("DEBATE_NOT_OVER", "debates/waiting"));
}

/// Sends bytes as the body of a call.
async fn raw(gateway: &TestGateway, body: &'static [u8], encoding: &str) -> Status {
    let stream = tokio::net::TcpStream::connect(gateway.gateway.addresses().grpc.unwrap()).await.unwrap();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    let connection = tokio::spawn(connection);
    let request = http::Request::post("http://localhost/agon.v1.DebateService/GetDebate")
        .header("content-type", "application/grpc")
        .header("grpc-encoding", encoding)
        .body(Full::new(bytes::Bytes::from_static(body)))
        .unwrap();
    let answer = tokio::time::timeout(LIMIT, sender.send_request(request)).await.unwrap().unwrap();
    connection.abort();
    Status::from_header_map(answer.headers()).expect("the head says it")
}

#[tokio::test]
async fn bodies_that_are_no_messages_are_the_callers_mistake() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    let bodies: [&[u8]; 6] =
        [b"\0\0\0\0\x05\xff\xff\xff\xff\xff", b"\0\0\0\x01\0ab", b"\x01\0\0\0\x01a", b"\x07\0\0\0\x01a", b"\0\0", b""];
    for body in bodies {
        let (code, reason, details) = refusal(Err::<(), _>(raw(&gateway, body, "identity").await));
        assert_eq!((code, reason.as_str()), (Code::InvalidArgument, "INVALID_REQUEST"), "{body:?}");
        assert!(details.bad_request().is_some(), "{body:?}");
    }
    let (code, reason, _) = refusal(Err::<(), _>(raw(&gateway, b"\x01\0\0\0\x01a", "gzip").await));
    assert_eq!((code, reason.as_str()), (Code::Unimplemented, "ENCODING_NOT_SUPPORTED"));
    let (code, reason, _) = refusal(Err::<(), _>(raw(&gateway, b"\0\xff\xff\xff\xff", "identity").await));
    assert_eq!((code, reason.as_str()), (Code::OutOfRange, "TOO_LARGE"));
}
