//! The secrets of the namespace, made by the very commands of the guide, with a stand-in for kubectl.
use crate::support::{agon, root};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The page, and the heading of its section.
const GUIDE: &str = "docs/guide/kubernetes.md";
const SECTION: &str = "\n## Secrets\n";

/// Takes `kubectl create` as the guide has it, and makes of each secret a folder with a file for each key.
const KUBECTL: &str = r#"#!/bin/sh -eu
[ "$*" = "create namespace agon" ] && exit
[ "$1 $2 $3 $4 $5" = "--namespace agon create secret generic" ]
name=$6
shift 6
mkdir "secrets/$name"
for option; do
  case $option in
    --from-literal=*=*) pair=${option#--from-literal=}; printf %s "${pair#*=}" > "secrets/$name/${pair%%=*}" ;;
    --from-file=*=*) pair=${option#--from-file=}; cp "${pair#*=}" "secrets/$name/${pair%%=*}" ;;
    --from-file=*) file=${option#--from-file=}; cp "$file" "secrets/$name/$(basename "$file")" ;;
    *) exit 64 ;;
  esac
done
"#;

/// Secrets in a folder.
pub struct Secrets(PathBuf);

impl Secrets {
    /// Runs the commands of the guide's section in `folder`.
    pub fn make(folder: &Path) -> Self {
        for inner in ["bin", "secrets"] {
            std::fs::create_dir_all(folder.join(inner)).unwrap();
        }
        let kubectl = folder.join("bin/kubectl");
        std::fs::write(&kubectl, KUBECTL).unwrap();
        std::fs::set_permissions(&kubectl, std::fs::Permissions::from_mode(0o755)).unwrap();
        symlink(agon(), folder.join("bin/agon")).unwrap();
        certificates(folder);
        std::fs::write(folder.join("key.txt"), "the-key-of-the-model-server").unwrap();
        let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("sh");
        shell.args(["-eu", "-c", &commands()]).current_dir(folder).env_clear().env("PATH", path).stdin(Stdio::null());
        let output = shell.output().unwrap();
        assert!(output.status.success(), "the commands of {GUIDE} fail: {}", String::from_utf8_lossy(&output.stderr));
        Self(folder.join("secrets"))
    }

    /// The value of a key.
    pub fn value(&self, secret: &str, key: &str) -> Vec<u8> {
        let read = std::fs::read(self.0.join(secret).join(key));
        read.unwrap_or_else(|_| panic!("the commands of {GUIDE} make no secret {secret} with a key {key}"))
    }
    /// All keys of a secret.
    pub fn keys(&self, secret: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.join(secret));
        let entries = entries.unwrap_or_else(|_| panic!("the commands of {GUIDE} make no secret {secret}"));
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

/// The blocks of the section that hold commands.
fn commands() -> String {
    let path = root().join(GUIDE);
    let page = std::fs::read_to_string(path).unwrap();
    let (_, section) = page.split_once(SECTION).expect("the guide has a section on secrets");
    let section = section.split("\n## ").next().unwrap();
    let blocks = section.split("\n```sh\n").skip(1).map(|rest| rest.split_once("\n```").unwrap().0);
    blocks.collect::<Vec<_>>().join("\n")
}

/// An authority, and certificates that are valid for the names that the guide says, and for this machine.
fn certificates(folder: &Path) {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let ca = params.self_signed(&key).unwrap().pem();
    let issuer = Issuer::new(params, key);
    std::fs::write(folder.join("ca.crt"), ca).unwrap();
    for (name, hosts) in [
        ("nats", ["agon-nats.agon.svc", "*.agon-nats-headless.agon.svc", "127.0.0.1"]),
        ("gateway", ["agon-gateway.agon.svc", "agon.example.org", "127.0.0.1"]),
    ] {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(hosts.map(str::to_owned)).unwrap();
        std::fs::write(folder.join(format!("{name}.crt")), params.signed_by(&key, &issuer).unwrap().pem()).unwrap();
        std::fs::write(folder.join(format!("{name}.key")), key.serialize_pem()).unwrap();
    }
}
