//! Pages of other sites, and names of other machines: every route of every listener refuses them.
use crate::gateway_bench::*;
use crate::http::http;
use agon_server::{Admin, AdminPorts, AuthConfig, GatewayConfig, SitePolicy, TokenFile};
use serde_json::Value;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tonic::Code;
use tonic::transport::Channel;

const DOCUMENT: &str = include_str!("../../../../docs/reference/openapi.yaml");
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/// Headers of which each says that a page of another site, or a name of a stranger, is behind the request.
const FOREIGN: [(&str, &str); 11] = [
    ("host", "evil.example"),
    ("host", "127.0.0.1.evil.example"),
    ("host", "0.0.0.0"),
    ("origin", "https://evil.example"),
    ("origin", "http://localhost:1"),
    ("origin", "null"),
    ("sec-fetch-site", "cross-site"),
    ("sec-fetch-site", "same-site"),
    ("host", ""),
    ("host", "evil.example\r\nhost: localhost"),
    ("host", "localhost\r\nhost: evil.example"),
];

/// Paths that the document names, with something in the place of their parameters.
fn paths() -> BTreeSet<String> {
    let paths = DOCUMENT.lines().skip_while(|line| *line != "paths:").skip(1);
    let paths = paths.filter_map(|line| line.strip_prefix("  ")?.trim_matches('"').strip_suffix(':'));
    let paths = paths.filter(|path| path.starts_with('/') || path.starts_with('"'));
    let filled = |path: &str| {
        let path = path.trim_matches('"');
        path.replace("{id}", "bridge-1").replace("{form}", "md").replace("{persona}", "ada")
    };
    paths.map(filled).chain(["/".to_owned(), "/nowhere".to_owned()]).collect()
}

/// The status of an answer, and its body.
async fn send(address: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)]) -> (u16, String) {
    let mut text = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: 0\r\n");
    if !headers.iter().any(|(name, _)| *name == "host") {
        text.push_str("host: localhost\r\n");
    }
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(format!("{text}\r\n").as_bytes()).await.unwrap();
    let mut answer = String::new();
    tokio::time::timeout(LIMIT, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    let status = answer.split(' ').nth(1).and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{answer}"));
    (status, answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
}

fn reason(body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"));
    body["details"][0]["reason"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn no_route_takes_what_the_page_of_another_site_may_have_sent() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    gateway.create(wanted("bridge-1")).await.unwrap();
    assert!(paths().len() >= 14, "{:?}", paths());
    for path in paths() {
        for method in METHODS {
            for foreign in FOREIGN {
                let json = ("content-type", "application/json");
                let (status, body) = send(gateway.http, method, &path, &[json, foreign]).await;
                assert_eq!(status, 403, "{method} {path} with {foreign:?}");
                if method != "HEAD" {
                    let wanted = if foreign.0 == "host" { "HOST_NOT_ALLOWED" } else { "CROSS_SITE" };
                    assert_eq!(reason(&body), wanted, "{method} {path} with {foreign:?}");
                }
            }
        }
    }
    let (_, state) = send(gateway.http, "GET", "/v1/debates/bridge-1", &[]).await;
    assert!(state.contains("STATE_QUEUED"), "{state}");
}

#[tokio::test]
async fn no_route_takes_a_post_that_a_form_could_have_sent() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    gateway.create(wanted("bridge-1")).await.unwrap();
    let simple = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"];
    for path in paths() {
        for media in simple {
            let (status, body) = send(gateway.http, "POST", &path, &[("content-type", media)]).await;
            assert_eq!((status, reason(&body).as_str()), (415, "MEDIA_TYPE"), "{path} as {media}");
        }
        assert_eq!(send(gateway.http, "POST", &path, &[]).await.0, 415, "{path} without a type");
    }
    let order = "/v1/debates/bridge-1:cancel";
    assert_eq!(send(gateway.http, "POST", order, &[("content-type", "text/markdown")]).await.0, 415);
    assert_eq!(send(gateway.http, "POST", order, &[("content-type", "application/json")]).await.0, 200);
}

#[tokio::test]
async fn requests_of_programs_and_of_pages_of_this_address_pass() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    let port = gateway.http.port();
    let own = format!("http://127.0.0.1:{port}");
    let host = format!("127.0.0.1:{port}");
    let list = async |headers: &[(&str, &str)]| send(gateway.http, "GET", "/v1/debates", headers).await.0;
    assert_eq!(list(&[]).await, 200);
    assert_eq!(list(&[("host", &host), ("origin", &own), ("sec-fetch-site", "same-origin")]).await, 200);
    let link = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
    assert_eq!(list(&link).await, 200, "a link to a report may be followed");
}

#[tokio::test]
async fn every_method_over_grpc_refuses_them_too() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    gateway.create(wanted("bridge-1")).await.unwrap();
    let strange = Channel::from_shared(gateway.url()).unwrap().origin("http://evil.example".parse().unwrap());
    let strange = strange.connect_lazy();
    let pool = prost_reflect::DescriptorPool::decode(agon_proto::DESCRIPTORS).unwrap();
    let methods = pool.services().flat_map(|service| service.methods().collect::<Vec<_>>());
    let mut paths: Vec<String> =
        methods.map(|method| format!("/{}/{}", method.parent_service().full_name(), method.name())).collect();
    paths.retain(|path| path.starts_with("/agon.v1."));
    assert!(paths.len() > 15, "{paths:?}");
    paths.extend(["/grpc.health.v1.Health/Check", "/agon.v1.DebateService/Nothing"].map(str::to_owned));
    for path in &paths {
        let refused = refusal(call(strange.clone(), path, None).await);
        assert_eq!((refused.0, refused.1.as_str()), (Code::PermissionDenied, "HOST_NOT_ALLOWED"), "{path}");
        for (name, value) in FOREIGN.into_iter().filter(|(name, _)| *name != "host") {
            let refused = refusal(call(gateway.channel.clone(), path, Some((name, value))).await);
            assert_eq!((refused.0, refused.1.as_str()), (Code::PermissionDenied, "CROSS_SITE"), "{path} {name}");
        }
    }
}

async fn call(channel: Channel, path: &str, header: Option<(&'static str, &'static str)>) -> Result<(), tonic::Status> {
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.unwrap();
    let mut request = tonic::Request::new(());
    if let Some((name, value)) = header {
        request.metadata_mut().insert(name, value.parse().unwrap());
    }
    let codec = tonic_prost::ProstCodec::<(), ()>::default();
    client.unary(request, path.parse().unwrap(), codec).await.map(|_: tonic::Response<()>| ())
}

#[tokio::test]
async fn the_port_of_operators_refuses_them_too() {
    let ports = AdminPorts {
        metrics: Arc::new(|| "agon_debates_active 3\n".to_owned()),
        sites: SitePolicy::parse(&["ops.example.org".to_owned()], &[]).unwrap(),
        unready: Arc::new(|| Box::pin(async { Vec::new() })),
    };
    let admin = Admin::start(loopback(), ports).await.unwrap();
    for path in ["/metrics", "/healthz", "/readyz", "/nothing"] {
        for foreign in FOREIGN {
            assert_eq!(send(admin.address(), "GET", path, &[foreign]).await.0, 403, "{path} with {foreign:?}");
        }
        assert_eq!(send(admin.address(), "POST", path, &[]).await.0, 415, "{path}");
    }
    assert_eq!(send(admin.address(), "GET", "/metrics", &[]).await.0, 200);
    assert_eq!(send(admin.address(), "GET", "/metrics", &[("host", "ops.example.org:9090")]).await.0, 200);
    admin.stop().await;
}

#[tokio::test]
async fn where_callers_show_credentials_names_are_free_and_other_sites_are_still_refused() {
    let (stage, folder) = (GatewayBench::new().await, tempfile::tempdir().unwrap());
    let path = folder.path().join("tokens");
    let line = agon_server::token_line(&agon_core::TenantId::default(), "ada", &agon_server::Scope::ALL, "t0ken");
    std::fs::write(&path, line.unwrap() + "\n").unwrap();
    let auth = AuthConfig { tokens: Some(TokenFile::new(&path)), ..AuthConfig::default() };
    let gateway = stage.gateway_before(&stage.idle_node().await, GatewayConfig { auth, ..config() }).await;
    let token = ("authorization", "Bearer t0ken");
    let list = async |headers: &[(&str, &str)]| send(gateway.http, "GET", "/v1/debates", headers).await.0;
    assert_eq!(list(&[token, ("host", "agon.example.org")]).await, 200);
    assert_eq!(list(&[token, ("origin", "https://evil.example")]).await, 403);
    assert_eq!(list(&[token, ("sec-fetch-site", "cross-site")]).await, 403);
    let behind_a_proxy = [token, ("host", "agon.example.org"), ("origin", "https://agon.example.org")];
    assert_eq!(list(&behind_a_proxy).await, 200);
}

#[tokio::test]
async fn an_allowed_site_is_told_by_a_preflight_what_its_pages_may_send() {
    let stage = GatewayBench::new().await;
    let sites = SitePolicy::parse(&[], &["https://app.example.org".to_owned()]).unwrap();
    let gateway = stage.gateway_before(&stage.idle_node().await, GatewayConfig { sites, ..config() }).await;
    let url = format!("http://{}/v1/debates", gateway.http);
    let from = |origin: &'static str| {
        let asked = http().request(http::Method::OPTIONS, &url).header("origin", origin);
        asked.header("access-control-request-method", "POST").send()
    };
    let told = from("https://app.example.org").await.unwrap();
    assert_eq!(told.status(), 204);
    assert_eq!(told.headers()["access-control-allow-origin"], "https://app.example.org");
    assert!(told.headers()["access-control-allow-methods"].to_str().unwrap().contains("POST"));
    assert_eq!(from("https://evil.example").await.unwrap().status(), 403);
    let listed = http().get(&url).header("origin", "https://app.example.org").header("sec-fetch-site", "cross-site");
    let listed = listed.send().await.unwrap();
    assert_eq!(listed.status(), 200);
    assert_eq!(listed.headers()["access-control-allow-origin"], "https://app.example.org");
    let plain = http().get(&url).send().await.unwrap();
    assert!(!plain.headers().contains_key("access-control-allow-origin"));
}
