//! The shipped configuration with TLS: both sides show certificates, and still say which user they are.
use super::{options, violations};
use crate::support::{TestCluster, nats_config};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use std::path::{Path, PathBuf};

/// An authority with the certificates of one server and one client, as files of a folder.
pub struct CertificateFiles {
    folder: PathBuf,
}

impl CertificateFiles {
    pub fn new(folder: &Path) -> Self {
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        write("ca.crt", &params.self_signed(&key).unwrap().pem());
        let issuer = Issuer::new(params, key);
        for (name, host) in [("tls", "127.0.0.1"), ("client", "agon")] {
            let key = KeyPair::generate().unwrap();
            let params = CertificateParams::new(vec![host.to_owned()]).unwrap();
            write(&format!("{name}.crt"), &params.signed_by(&key, &issuer).unwrap().pem());
            write(&format!("{name}.key"), &key.serialize_pem());
        }
        Self { folder: folder.to_owned() }
    }
    /// Where the files are.
    pub fn folder(&self) -> &str {
        self.folder.to_str().unwrap()
    }
    fn file(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }
}

fn secured() -> (TestCluster, CertificateFiles) {
    let cluster = TestCluster::start();
    let authority = CertificateFiles::new(&cluster.world.path(""));
    let conf = nats_config(&["--tls", authority.folder()]);
    let cluster = cluster.nats_with(options(conf)).with_users("right");
    (cluster.setting("AGON__NATS__TLS__CA", &authority.file("ca.crt")), authority)
}

fn certified(cluster: TestCluster, authority: &CertificateFiles) -> TestCluster {
    let cluster = cluster.setting("AGON__NATS__TLS__CERT", &authority.file("client.crt"));
    cluster.setting("AGON__NATS__TLS__KEY", &authority.file("client.key"))
}

#[test]
fn a_debate_runs_over_tls_with_certificates_on_both_sides() {
    let (cluster, authority) = secured();
    let cluster = certified(cluster, &authority).setting("AGON__NATS__TLS__REQUIRE", "true");
    cluster.provision().ok();
    let mut cluster = cluster.gateway().coordinators(1).hosts(1);

    cluster.decides("secured");
    let violations = violations(cluster.nats_server());
    assert!(violations.is_empty(), "{violations:#?}");
}

#[test]
fn a_password_without_a_certificate_and_a_certificate_without_a_password_are_refused() {
    let (cluster, authority) = secured();
    // the server ends the handshake, which its client sees as a connection that was refused or as one that broke
    let uncertified = cluster.provision();
    assert!(matches!(uncertified.code, Some(64 | 69)), "{uncertified:?}");
    let wrong = certified(cluster, &authority).with_users("wrong").provision().code(64);
    assert!(wrong.stderr.contains("check the credentials"), "{wrong:?}");
}
