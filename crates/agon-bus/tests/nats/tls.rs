//! Secure connections.
use crate::servers::{SOON, programs, soon, start};
use agon_bus::nats::{NatsConfig, NatsError, NatsLink, NatsTls, connect};
use agon_testkit::NatsServer;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use std::path::{Path, PathBuf};

/// An authority with the certificates of one server and one client, as files.
struct Files {
    folder: tempfile::TempDir,
    ca: PathBuf,
}

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let ca = write(folder.path(), "ca.pem", &params.self_signed(&key).unwrap().pem());
        let issuer = Issuer::new(params, key);
        for (name, host) in [("server", "127.0.0.1"), ("client", "host")] {
            let key = KeyPair::generate().unwrap();
            let params = CertificateParams::new(vec![host.to_owned()]).unwrap();
            write(folder.path(), &format!("{name}.pem"), &params.signed_by(&key, &issuer).unwrap().pem());
            write(folder.path(), &format!("{name}.key"), &key.serialize_pem());
        }
        Self { folder, ca }
    }
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    fn server_config(&self, verify: bool) -> String {
        let (cert, key) = (self.path("server.pem"), self.path("server.key"));
        format!("tls {{ cert_file: {cert:?}, key_file: {key:?}, ca_file: {:?}, verify: {verify} }}", self.ca)
    }
    fn trust(&self) -> NatsTls {
        NatsTls { ca_file: Some(self.ca.clone()), ..NatsTls::default() }
    }
    fn identify(&self) -> NatsTls {
        NatsTls { cert_file: Some(self.path("client.pem")), key_file: Some(self.path("client.key")), ..self.trust() }
    }
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

async fn connect_with(server: &NatsServer, tls: NatsTls) -> Result<NatsLink, NatsError> {
    let url = format!("tls://127.0.0.1:{}", server.port());
    soon(connect(NatsConfig { tls, wait: SOON, ..NatsConfig::new([url], "host", "gpu-1") })).await
}

#[tokio::test]
async fn a_server_whose_authority_is_trusted_is_connected_to() {
    let files = Files::new();
    for program in programs() {
        let server = start(&program, &files.server_config(false));
        assert!(connect_with(&server, files.trust()).await.unwrap().is_connected());
    }
}

#[tokio::test]
async fn a_server_of_another_authority_is_refused_at_once() {
    let (files, others) = (Files::new(), Files::new());
    for program in programs() {
        let server = start(&program, &files.server_config(false));
        let Err(error @ NatsError::Tls { .. }) = connect_with(&server, others.trust()).await else { panic!("trusted") };
        assert!(error.to_string().contains("check the CA file"), "{error}");
    }
}

#[tokio::test]
async fn a_server_that_wants_certificates_takes_those_of_its_authority() {
    let files = Files::new();
    for program in programs() {
        let server = start(&program, &files.server_config(true));
        connect_with(&server, files.identify()).await.unwrap();
        let nobody = connect_with(&server, files.trust()).await;
        assert!(matches!(nobody, Err(NatsError::Tls { .. })), "{:?}", nobody.err());
    }
}

#[tokio::test]
async fn a_server_without_tls_is_refused_where_tls_is_wanted() {
    let files = Files::new();
    for program in programs() {
        let server = start(&program, "");
        let tls = NatsTls { require: true, ..files.trust() };
        let config = NatsConfig { tls, ..NatsConfig::new([server.url()], "host", "gpu-1") };
        let plain = soon(connect(config)).await;
        assert!(plain.is_err());
    }
}

#[tokio::test]
async fn a_certificate_without_its_key_is_refused_before_anything_is_tried() {
    let files = Files::new();
    let tls = NatsTls { key_file: None, ..files.identify() };
    let half = connect(NatsConfig { tls, ..NatsConfig::new(["tls://127.0.0.1:1"], "a", "b") }).await;
    assert!(matches!(half, Err(NatsError::HalfCertificate("the certificate"))));
    let tls = NatsTls { ca_file: Some(files.path("none.pem")), ..NatsTls::default() };
    let missing = connect(NatsConfig { tls, ..NatsConfig::new(["tls://127.0.0.1:1"], "a", "b") }).await;
    assert!(matches!(missing, Err(NatsError::File { what: "CA file", .. })));
}
