//! Why a model server cannot be asked, and what helps.
use super::CheckupFinding;
use crate::environment::Environment;
use crate::servers::{self, ReachableServer};
use crate::settings::{HostKind, HostSettings};
use agon_core::ModelName;
use agon_llm::{ChatError, ChatErrorKind, TransportFault};

/// Where Ollama usually listens.
const OLLAMA_PORT: u16 = 11434;

/// What is wrong with a server that did not answer as it should.
pub async fn failed(
    what: &str,
    server: &ReachableServer,
    error: &ChatError,
    environment: &Environment,
) -> CheckupFinding {
    let Some((found, fix)) = special(server, error, environment).await else {
        let start = match server.settings.kind {
            HostKind::Ollama => {
                "start it (ollama serve), or name another with --ollama URL; without a model: agon run FILE --rehearsal"
            }
            HostKind::Openai => "start it, or check its address (url of the host, or --base-url)",
        };
        let fix = servers::hint(server, error).unwrap_or_else(|| start.to_owned());
        return CheckupFinding::fail(what, error.to_string(), fix);
    };
    CheckupFinding::fail(what, found, fix)
}

async fn special(server: &ReachableServer, error: &ChatError, environment: &Environment) -> Option<(String, String)> {
    let told = error.to_string();
    match &error.kind {
        ChatErrorKind::Transport(TransportFault::Connect) if is_certificate(error) => Some((
            told,
            "if your own authority signed its certificate, name it: ca_file = \"PATH\" (PEM) of this host in [[hosts]]"
                .to_owned(),
        )),
        ChatErrorKind::Transport(TransportFault::Connect) if error.detail.contains("InvalidContentType") => {
            Some((format!("{told}; it does not speak TLS"), "write http:// instead of https://".to_owned()))
        }
        ChatErrorKind::Transport(_) | ChatErrorKind::Timeout(_) => match by_proxy(server, environment) {
            Some(fix) => Some((told, fix)),
            None => unanswered(server, error).await,
        },
        ChatErrorKind::Malformed => Some((
            format!("{told}; another program answers at this address"),
            servers::hint(server, error).unwrap_or_default(),
        )),
        _ => None,
    }
}

fn is_certificate(error: &ChatError) -> bool {
    error.detail.contains("certificate") || error.detail.contains("UnknownIssuer")
}

/// What helps where a proxy stands between, which nobody may have thought of.
fn by_proxy(server: &ReachableServer, environment: &Environment) -> Option<String> {
    let endpoint = server.client.endpoint();
    if endpoint.is_near() {
        return None;
    }
    let names = match endpoint.is_encrypted() {
        true => ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"],
        false => ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"],
    };
    let (name, proxy) = names.into_iter().find_map(|name| Some((name, environment.get(name)?)))?;
    let bare = proxy.rsplit('@').next().unwrap_or_default();
    let host = endpoint.host();
    Some(format!("calls go through the proxy {bare} ({name}): check it, or bypass it: NO_PROXY={host}"))
}

/// What is the matter where nothing or nobody answers.
async fn unanswered(server: &ReachableServer, error: &ChatError) -> Option<(String, String)> {
    let told = error.to_string();
    let port = server.client.endpoint().port().unwrap_or(OLLAMA_PORT);
    match &error.kind {
        ChatErrorKind::Transport(TransportFault::Connect) if port != OLLAMA_PORT => {
            let usual = at_usual_port(server).await?;
            Some((
                format!("{told}; nothing listens on port {port}"),
                format!(
                    "Ollama answers at {usual}: use that address (--ollama {usual}, OLLAMA_HOST or url of the host)"
                ),
            ))
        }
        ChatErrorKind::Transport(TransportFault::Closed | TransportFault::Cut | TransportFault::Reset) => Some((
            format!("{told}; the program on port {port} does not speak HTTP"),
            format!("check the port: Ollama's is {OLLAMA_PORT}"),
        )),
        ChatErrorKind::Timeout(agon_llm::TimeoutPhase::Connect) => Some((
            told,
            "check the address and the firewall: the connection is neither accepted nor refused".to_owned(),
        )),
        ChatErrorKind::Timeout(_) => Some((
            format!("it accepts connections, but does not answer: {told}"),
            "restart it (ollama serve) and read its log; or another program listens there".to_owned(),
        )),
        _ => None,
    }
}

/// Whether Ollama answers on the same machine at its usual port.
async fn at_usual_port(server: &ReachableServer) -> Option<String> {
    if server.settings.kind != HostKind::Ollama {
        return None;
    }
    let url = format!("http://{}:{OLLAMA_PORT}", server.client.endpoint().host());
    let host = HostSettings::ollama("usual", &url);
    let usual = ReachableServer::connect(&host, &[], &Environment::default()).ok()?;
    servers::probe(&usual, &[] as &[ModelName]).await.ok().map(|_| url)
}
