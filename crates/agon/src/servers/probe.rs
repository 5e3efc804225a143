//! Asking a server whether it is there, and what it has.
use super::{ReachableServer, is_meant};
use crate::settings::HostKind;
use agon_core::{CallOptions, ModelName};
use agon_llm::{CallTimeouts, ChatError, ChatErrorKind, ChatMessage, ChatRequest, Discard, ModelInfo, ServerVersion};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// What a server said of itself.
#[derive(Clone, Debug)]
pub struct ProbedModels {
    /// Its kind and release.
    pub version: ServerVersion,
    /// What it could run.
    pub models: Vec<ModelInfo>,
}

impl ProbedModels {
    /// Whether it says that it is a rehearsal server.
    pub fn is_rehearsal(&self) -> bool {
        self.version.text.as_deref().is_some_and(|text| text.ends_with("-rehearsal"))
    }
}

/// Asks for the version and the models, each bounded to a few seconds.
///
/// A server may run more than it lists: models that it only forwards to, or other names. So `wanted` are asked for by name.
pub async fn probe(server: &ReachableServer, wanted: &[ModelName]) -> Result<ProbedModels, ChatError> {
    let version = server.client.version().await?;
    let mut models = if server.settings.lists_models() { listed(server, wanted).await? } else { Vec::new() };
    for model in wanted {
        let listed = models.iter().any(|listed| same_model(&listed.name, model.as_str()));
        if !listed && server.settings.kind == HostKind::Ollama && server.client.show(model.as_str()).await.is_ok() {
            models.push(ModelInfo { name: model.to_string(), ..ModelInfo::default() });
        }
    }
    Ok(ProbedModels { version, models })
}

/// The models that the server lists. A gateway may have no list, or none for this key: that it answers is enough where a model is
/// named for it.
async fn listed(server: &ReachableServer, wanted: &[ModelName]) -> Result<Vec<ModelInfo>, ChatError> {
    let error = match server.client.models().await {
        Ok(models) => return Ok(models),
        Err(error) => error,
    };
    let is_redirect = error.status.is_some_and(|status| (300..400).contains(&status));
    let is_refusal = error.status.is_some_and(|status| status >= 400) || error.kind == ChatErrorKind::Malformed;
    let meant = || wanted.iter().find(|model| is_meant(server, std::slice::from_ref(*model)));
    let named = server.settings.models.first().map(String::as_str).or_else(|| meant().map(ModelName::as_str));
    let Some(model) = named.filter(|_| server.settings.kind == HostKind::Openai && is_refusal && !is_redirect) else {
        return Err(error);
    };
    match answers(server, model, PATIENCE).await {
        Err(ChatError { kind: ChatErrorKind::PathNotFound | ChatErrorKind::Malformed, .. }) => Err(error),
        Err(refusal) if matches!(refusal.kind, ChatErrorKind::Unauthorized | ChatErrorKind::NotFound) => Err(refusal),
        Err(away) if matches!(away.kind, ChatErrorKind::Transport(_)) => Err(away),
        Ok(()) | Err(_) => {
            tracing::info!(server = %server.client.endpoint(), %error, "no list of models: the names that are given are used");
            Ok(Vec::new())
        }
    }
}

/// Whether the model answers: one token is enough, and that it was cut there is the expected end.
pub async fn answers(server: &ReachableServer, model: &str, turn: Option<Duration>) -> Result<(), ChatError> {
    let options = CallOptions { max_tokens: Some(1), temperature: Some(0.0), ..CallOptions::default() };
    let timeouts = CallTimeouts { turn, ..server.timeouts() };
    let messages = vec![ChatMessage::user("Say yes.")];
    let ask = ChatRequest { options, timeouts, ..ChatRequest::new(model, messages) };
    match server.client.chat(&ask, &mut Discard).await.map_err(|error| (error.kind.clone(), error)) {
        Ok(_) | Err((ChatErrorKind::Truncated { .. } | ChatErrorKind::BudgetEaten { .. }, _)) => Ok(()),
        Err((_, error)) => Err(error),
    }
}

/// Asks all servers at once; their order stays.
pub async fn probe_all(
    servers: Vec<ReachableServer>,
    wanted: Vec<ModelName>,
) -> Vec<(ReachableServer, Result<ProbedModels, ChatError>)> {
    let mut probes = JoinSet::new();
    let wanted: Arc<[ModelName]> = wanted.into();
    for (at, server) in servers.into_iter().enumerate() {
        let wanted = Arc::clone(&wanted);
        probes.spawn(async move {
            let found = probe(&server, &wanted).await;
            (at, server, found)
        });
    }
    let mut asked = probes.join_all().await;
    asked.sort_by_key(|(at, ..)| *at);
    asked.into_iter().map(|(_, server, found)| (server, found)).collect()
}

/// Whether both names mean one model. Ollama takes a name without a tag for the tag `latest`.
pub fn same_model(one: &str, other: &str) -> bool {
    one == other || one.strip_suffix(LATEST) == Some(other) || other.strip_suffix(LATEST) == Some(one)
}

const LATEST: &str = ":latest";
/// How long a server without a list may take to show that it answers.
const PATIENCE: Option<Duration> = Some(Duration::from_secs(15));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use crate::settings::HostSettings;
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpListener;

    const WORKS: (u16, &str) = (200, r#"{"choices":[{"message":{"content":"Yes"},"finish_reason":"length"}]}"#);
    const PAGE: (u16, &str) = (200, "<!doctype html><title>gateway</title>");

    /// A server with one answer to the question for its models, and one to chats.
    fn server(list: (u16, &'static str), chat: (u16, &'static str)) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let mut socket = socket.unwrap();
                let mut reader = BufReader::new(socket.try_clone().unwrap());
                let head: Vec<String> =
                    reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
                let length =
                    head.iter().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
                let mut body = vec![0; length.unwrap_or(0)];
                reader.read_exact(&mut body).unwrap();
                let (status, text) = if head[0].starts_with("GET") { list } else { chat };
                let kind = if text.starts_with('<') { "text/html" } else { "application/json" };
                let length = text.len();
                write!(
                    socket,
                    "HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nLocation: /x\r\nConnection: close\r\n\r\n{text}"
                )
                .unwrap();
            }
        });
        url
    }

    async fn probed(url: &str, models: &[&str], wanted: &[&str]) -> Result<usize, ChatErrorKind> {
        let models = models.iter().map(|model| (*model).to_owned()).collect();
        let host = HostSettings { models, ..HostSettings::openai("gateway", url, None) };
        let server = ReachableServer::connect(&host, &[], &Environment::default()).unwrap();
        let wanted: Vec<ModelName> = wanted.iter().map(|name| ModelName::from(*name)).collect();
        probe(&server, &wanted).await.map(|found| found.models.len()).map_err(|error| error.kind)
    }

    #[tokio::test]
    async fn a_server_without_a_usable_list_is_one_if_it_answers_a_named_model() {
        let lists = [
            (404, r#"{"error":{"message":"Not Found"}}"#),
            (403, r#"{"error":{"message":"This key may not list models"}}"#),
            (401, r#"{"error":"no"}"#),
            (405, ""),
            (400, r#"{"error":"unsupported"}"#),
            (500, "internal"),
            (200, "not JSON"),
            PAGE,
        ];
        for list in lists {
            let works = server(list, WORKS);
            assert_eq!(probed(&works, &[], &["m"]).await, Ok(0), "{list:?}");
            assert_eq!(probed(&works, &["m"], &[]).await, Ok(0), "{list:?}");
            assert!(probed(&works, &[], &[]).await.is_err(), "{list:?}: no model is named");
        }
        assert_eq!(probed(&server((200, r#"[{"id":"m"}]"#), PAGE), &[], &["m"]).await, Ok(1));
    }

    #[tokio::test]
    async fn what_answers_no_chat_is_no_server() {
        let forbidden = (403, r#"{"error":"no"}"#);
        let unknown = (404, r#"{"error":{"message":"model m not found"}}"#);
        for (list, chat, kind) in [
            (PAGE, PAGE, ChatErrorKind::Malformed),
            ((404, "404 page not found"), (404, "404 page not found"), ChatErrorKind::PathNotFound),
            (forbidden, forbidden, ChatErrorKind::Unauthorized),
            ((404, "404 page not found"), unknown, ChatErrorKind::NotFound),
            ((301, ""), WORKS, ChatErrorKind::BadRequest),
        ] {
            assert_eq!(probed(&server(list, chat), &[], &["m"]).await, Err(kind), "{list:?} {chat:?}");
        }
    }
}
