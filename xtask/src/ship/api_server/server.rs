//! etcd and kube-apiserver as processes of this machine, on free ports of loopback.

use std::fs::{self, File};
use std::io::Read;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use super::super::{ShipPaths, tools};
use super::{DEPLOYER, NAMESPACE};
use crate::process;

/// How long the server may take until it is ready.
const PATIENCE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(200);
/// How much of the server's log is shown where it does not start.
const SHOWN_LINES: usize = 20;

/// A server that is ready. It ends, and etcd after it, when this is dropped.
pub struct KubeApiServer {
    api: ServerProcess,
    etcd: ServerProcess,
    folder: PathBuf,
}

/// A process that ends when this is dropped.
struct ServerProcess {
    child: Child,
    log: PathBuf,
}

impl KubeApiServer {
    pub fn start(place: &ShipPaths) -> Result<Self> {
        let folder = place.scratch.join("api-server");
        // keys and a token of the cluster's administrator
        fs::DirBuilder::new().mode(0o700).create(&folder)?;
        let [clients, peers, port] = free_ports()?;
        let program =
            |tool: &tools::ShipTool| tool.find(&place.tools).with_context(|| format!("`{}` is gone", tool.program));
        let etcd = ServerProcess::start(&program(&tools::ETCD)?, &etcd(clients, peers), &folder)?;
        credentials(&folder, port)?;
        let api = ServerProcess::start(&program(&tools::KUBE_APISERVER)?, &api_server(clients, port), &folder)?;
        let mut server = Self { api, etcd, folder };
        server.until_ready(place)?;
        Ok(server)
    }

    fn until_ready(&mut self, place: &ShipPaths) -> Result<()> {
        let began = Instant::now();
        loop {
            for process in [&mut self.etcd, &mut self.api] {
                process.runs()?;
            }
            let mut asked = self.kubectl(place)?;
            asked.args(["get", "--raw", "/readyz"]).stdin(Stdio::null());
            if asked.output().context("cannot start kubectl")?.status.success() {
                return Ok(());
            }
            ensure!(began.elapsed() < PATIENCE, "not ready after {PATIENCE:?}\n{}", self.api.said());
            std::thread::sleep(PAUSE);
        }
    }

    /// A call of kubectl as an administrator of the cluster, in the namespace of the renders.
    pub fn kubectl(&self, place: &ShipPaths) -> Result<Command> {
        let mut command = place.command(&tools::KUBECTL)?;
        command.env("KUBECONFIG", self.kubeconfig()).env("KUBECACHEDIR", self.folder.join("cache"));
        Ok(command)
    }

    /// A call of Helm as the one who installs.
    pub fn helm(&self, place: &ShipPaths) -> Result<Command> {
        let mut command = place.command(&tools::HELM)?;
        command.env("KUBECONFIG", self.kubeconfig());
        command.args(["--namespace", NAMESPACE, "--kube-as-user", DEPLOYER]);
        Ok(command)
    }

    fn kubeconfig(&self) -> PathBuf {
        self.folder.join("kubeconfig")
    }
}

impl ServerProcess {
    /// Starts `program` in `folder`, where its log will be. It ends with this process, whatever ends that.
    fn start(program: &Path, args: &[String], folder: &Path) -> Result<Self> {
        let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let log = folder.join(format!("{name}.log"));
        let out = File::create(&log)?;
        let setpriv = process::find_on_path("setpriv").context("`setpriv` of util-linux is needed")?;
        let mut command = Command::new(setpriv);
        command.args(["--pdeathsig", "KILL"]).arg(program).args(args).current_dir(folder).stdin(Stdio::null());
        let child = command.stdout(out.try_clone()?).stderr(out).spawn();
        Ok(Self { child: child.with_context(|| format!("cannot start {name}"))?, log })
    }

    fn runs(&mut self) -> Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => bail!("{}: {status}\n{}", self.log.display(), self.said()),
        }
    }

    /// The last lines of its log.
    fn said(&self) -> String {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines.get(lines.len().saturating_sub(SHOWN_LINES)..).unwrap_or_default().join("\n")
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // nothing of it is kept, so it needs no orderly end
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Three ports that nobody has.
fn free_ports() -> Result<[u16; 3]> {
    let bind = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port");
    let held = [bind()?, bind()?, bind()?];
    let mut ports = [0; 3];
    for (port, listener) in ports.iter_mut().zip(&held) {
        *port = listener.local_addr()?.port();
    }
    Ok(ports)
}

fn etcd(clients: u16, peers: u16) -> Vec<String> {
    let (clients, peers) = (format!("http://127.0.0.1:{clients}"), format!("http://127.0.0.1:{peers}"));
    vec![
        "--data-dir=data".to_owned(),
        "--unsafe-no-fsync".to_owned(),
        format!("--listen-client-urls={clients}"),
        format!("--advertise-client-urls={clients}"),
        format!("--listen-peer-urls={peers}"),
        format!("--initial-advertise-peer-urls={peers}"),
        format!("--initial-cluster=default={peers}"),
    ]
}

fn api_server(etcd: u16, port: u16) -> Vec<String> {
    let fixed = [
        "--bind-address=127.0.0.1",
        // nobody is told of it, but it must not be loopback
        "--advertise-address=192.0.2.1",
        "--endpoint-reconciler-type=none",
        "--tls-cert-file=server.crt",
        "--tls-private-key-file=server.key",
        "--token-auth-file=tokens.csv",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://kubernetes.default.svc",
        "--service-account-signing-key-file=server.key",
        "--service-account-key-file=server.crt",
        "--service-cluster-ip-range=10.96.0.0/16",
        // as clusters have it: what refuses a privileged pod has to be its namespace
        "--allow-privileged",
    ];
    let mut args: Vec<String> = fixed.map(str::to_owned).into();
    args.extend([format!("--etcd-servers=http://127.0.0.1:{etcd}"), format!("--secure-port={port}")]);
    args
}

/// A certificate, an administrator with a token, and how to call the server as that one.
fn credentials(folder: &Path, port: u16) -> Result<()> {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).context("cannot make a certificate")?;
    fs::write(folder.join("server.crt"), made.cert.pem())?;
    fs::write(folder.join("server.key"), made.signing_key.serialize_pem())?;
    let mut random = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    let token: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    fs::write(folder.join("tokens.csv"), format!("{token},xtask,xtask,system:masters\n"))?;
    let cluster = json!({ "server": format!("https://127.0.0.1:{port}"), "certificate-authority": "server.crt" });
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "clusters": [{ "name": "here", "cluster": cluster }],
        "users": [{ "name": "here", "user": { "token": token } }],
        "contexts": [{ "name": "here", "context": { "cluster": "here", "user": "here", "namespace": NAMESPACE } }],
    });
    fs::write(folder.join("kubeconfig"), config.to_string())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_three() {
        let [one, two, three] = free_ports().unwrap();
        assert!(one != two && two != three && one != three && one > 0);
    }

    #[test]
    fn a_process_ends_with_its_owner_and_its_last_words_are_shown() {
        let folder = std::env::temp_dir().join(format!("agon-xtask-running-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let args = |script: &str| ["-c".to_owned(), script.to_owned()];
        let mut ended = ServerProcess::start(Path::new("/bin/sh"), &args("echo why; exit 3"), &folder).unwrap();
        let status = ended.child.wait().unwrap();
        assert_eq!(status.code(), Some(3));
        assert!(ended.runs().unwrap_err().to_string().contains("why"));
        let running = ServerProcess::start(Path::new("/bin/sh"), &args("exec tail -f /dev/null"), &folder).unwrap();
        let id = running.child.id();
        drop(running);
        assert!(!Path::new(&format!("/proc/{id}")).exists());
        fs::remove_dir_all(&folder).unwrap();
    }
}
