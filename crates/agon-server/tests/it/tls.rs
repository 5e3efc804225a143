//! TLS, client certificates, and the port of operators.
use crate::gateway_bench::*;
use crate::http::http;
use agon_proto::pb::v1 as pb;
use agon_proto::pb::v1::debate_service_client::DebateServiceClient;
use agon_server::{
    Admin, AdminPorts, AuthConfig, CertificateAuth, CertificateName, CertificateTenant, Gateway, GatewayConfig, Scope,
    TlsConfig,
};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, SanType};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Identity};
use tonic::{Code, Status};

struct Authority {
    folder: TempDir,
    issuer: Issuer<'static, KeyPair>,
    ca: String,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let ca = params.self_signed(&key).unwrap().pem();
        let authority = Self { folder: tempfile::tempdir().unwrap(), issuer: Issuer::new(params, key), ca };
        let (certificate, key) = authority.issue(CertificateParams::new(vec!["localhost".to_owned()]).unwrap());
        for (name, text) in [("ca.pem", &authority.ca), ("server.pem", &certificate), ("server.key", &key)] {
            std::fs::write(authority.folder.path().join(name), text).unwrap();
        }
        authority
    }
    fn issue(&self, params: CertificateParams) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.issuer).unwrap().pem(), key.serialize_pem())
    }
    fn client(&self, organization: Option<&str>) -> Identity {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "builder");
        if let Some(organization) = organization {
            params.distinguished_name.push(DnType::OrganizationName, organization);
        }
        params.subject_alt_names = vec![SanType::URI("spiffe://acme/builder".try_into().unwrap())];
        let (certificate, key) = self.issue(params);
        Identity::from_pem(certificate, key)
    }
    fn tls(&self, client_required: bool) -> TlsConfig {
        let path = |name: &str| self.folder.path().join(name);
        let (certificate, key) = (path("server.pem"), path("server.key"));
        TlsConfig { certificate, key, client_ca: Some(path("ca.pem")), client_required }
    }
    async fn connect(&self, gateway: &Gateway, identity: Option<Identity>) -> DebateServiceClient<Channel> {
        let tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&self.ca)).domain_name("localhost");
        let tls = identity.into_iter().fold(tls, ClientTlsConfig::identity);
        let url = format!("https://{}", gateway.addresses().grpc.unwrap());
        let endpoint = Channel::from_shared(url).unwrap().tls_config(tls).unwrap();
        DebateServiceClient::new(endpoint.connect_lazy())
    }
}

fn by_certificate(principal: CertificateName, tls: TlsConfig) -> GatewayConfig {
    let certificates = CertificateAuth {
        principal,
        tenant: CertificateTenant::Organization,
        scopes: [Scope::DebatesRead, Scope::DebatesWrite].into(),
    };
    let auth = AuthConfig { certificates: Some(certificates), ..AuthConfig::default() };
    GatewayConfig { auth, tls: Some(tls), ..config() }
}

async fn create(client: &DebateServiceClient<Channel>, name: &str) -> Result<pb::Debate, Status> {
    client.clone().create_debate(wanted(name)).await.map(tonic::Response::into_inner)
}

#[tokio::test]
async fn a_client_certificate_names_principal_and_tenant() {
    let (stage, authority) = (GatewayBench::new().await, Authority::new());
    let node = stage.idle_node().await;
    for (name, principal) in [(CertificateName::CommonName, "builder"), (CertificateName::Uri, "spiffe://acme/builder")]
    {
        let settings = by_certificate(name, authority.tls(true));
        let gateway = Gateway::start(settings, stage.ports(&node)).await.unwrap();
        let client = authority.connect(&gateway, Some(authority.client(Some("acme")))).await;
        let debate = format!("certified-{}", principal.len());
        assert_eq!(create(&client, &debate).await.unwrap().creator.as_deref(), Some(principal));
        let log =
            agon_store::Journal::read(&*stage.store, &id(&format!("acme/{debate}")), agon_core::Position(0)).await;
        assert_eq!(log.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn without_a_certificate_or_with_one_that_names_no_tenant_nobody_comes_in() {
    let (stage, authority) = (GatewayBench::new().await, Authority::new());
    let node = stage.idle_node().await;
    let strict = by_certificate(CertificateName::CommonName, authority.tls(true));
    let gateway = Gateway::start(strict, stage.ports(&node)).await.unwrap();
    assert!(create(&authority.connect(&gateway, None).await, "nobody").await.is_err());
    let stranger = Authority::new().client(Some("acme"));
    assert!(create(&authority.connect(&gateway, Some(stranger)).await, "nobody").await.is_err());
    let homeless = authority.connect(&gateway, Some(authority.client(None))).await;
    assert_eq!(refusal(create(&homeless, "nobody").await).0, Code::Unauthenticated);

    let lenient = by_certificate(CertificateName::CommonName, authority.tls(false));
    let gateway = Gateway::start(lenient, stage.ports(&node)).await.unwrap();
    let (code, _, _) = refusal(create(&authority.connect(&gateway, None).await, "nobody").await);
    assert_eq!(code, Code::Unauthenticated);
    assert_eq!(gateway.addresses().grpc.is_some(), gateway.addresses().http.is_some());
}

#[tokio::test]
async fn certificates_without_their_authority_stop_the_start() {
    let (stage, authority) = (GatewayBench::new().await, Authority::new());
    let node = stage.idle_node().await;
    let plain = GatewayConfig { tls: None, ..by_certificate(CertificateName::Dns, authority.tls(true)) };
    let error = Gateway::start(plain, stage.ports(&node)).await.err().unwrap().to_string();
    assert!(error.contains("client_ca"), "{error}");
    let missing = TlsConfig { certificate: "/nowhere.pem".into(), ..authority.tls(true) };
    let error = Gateway::start(by_certificate(CertificateName::Dns, missing), stage.ports(&node)).await;
    assert!(error.err().unwrap().to_string().contains("/nowhere.pem"));
}

#[tokio::test]
async fn rest_speaks_tls_with_a_client_of_the_older_http() {
    let (stage, authority) = (GatewayBench::new().await, Authority::new());
    let node = stage.idle_node().await;
    let tls = TlsConfig { client_ca: None, ..authority.tls(false) };
    let gateway = Gateway::start(GatewayConfig { tls: Some(tls), ..config() }, stage.ports(&node)).await.unwrap();
    drop(http());
    let ca = reqwest::Certificate::from_pem(authority.ca.as_bytes()).unwrap();
    let address = gateway.addresses().http.unwrap();
    let client = reqwest::Client::builder().add_root_certificate(ca).resolve("localhost", address).build().unwrap();
    let answer = client.get(format!("https://localhost:{}/v1/debates", address.port())).send().await.unwrap();
    assert_eq!(answer.json::<Value>().await.unwrap(), json!({}));
}

#[tokio::test]
async fn the_port_of_operators_shows_metrics_and_whether_the_process_can_work() {
    let well = Arc::new(AtomicBool::new(true));
    let seen = well.clone();
    let unready = move || {
        let reasons = if seen.load(Ordering::SeqCst) { vec![] } else { vec!["the bus is unreachable".to_owned()] };
        Box::pin(async move { reasons }) as futures_util::future::BoxFuture<'static, Vec<String>>
    };
    let ports = AdminPorts {
        metrics: Arc::new(|| "agon_debates_active 3\n".to_owned()),
        sites: agon_server::SitePolicy::default(),
        unready: Arc::new(unready),
    };
    let admin = Admin::start(loopback(), ports).await.unwrap();
    let get = async |path: &str| http().get(format!("http://{}{path}", admin.address())).send().await.unwrap();
    let metrics = get("/metrics").await;
    assert!(metrics.headers()["content-type"].to_str().unwrap().starts_with("text/plain; version=0.0.4"));
    assert_eq!(metrics.text().await.unwrap(), "agon_debates_active 3\n");
    assert_eq!(get("/readyz").await.json::<Value>().await.unwrap(), json!({"ready": true, "reasons": []}));
    well.store(false, Ordering::SeqCst);
    let away = get("/readyz").await;
    assert_eq!(away.status(), 503);
    assert_eq!(away.json::<Value>().await.unwrap()["reasons"], json!(["the bus is unreachable"]));
    assert_eq!(get("/healthz").await.status(), 200, "an outage elsewhere is no reason to restart");
    let address = admin.address();
    admin.stop().await;
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}
