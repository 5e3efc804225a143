//! Servers and models: reachable, new enough, able to answer freely and to a schema.
use super::Finding;
use crate::cli::DoctorArgs;
use crate::commands::Context;
use crate::exit::Stop;
use crate::servers::{self, Found, Server};
use crate::settings::{HostKind, Settings, chosen_hosts};
use agon_core::ModelName;
use agon_llm::{ChatError, ChatErrorKind, ChatRequest, Discard, LoadedModel, Message, Sampling, Think};
use serde_json::json;
use std::sync::Arc;

/// The least context that a debate of a few rounds fits into.
const SMALL_CONTEXT: u64 = 8192;

/// Looks at every server, and at the model at each server that has it.
pub async fn check(context: &Context, args: &DoctorArgs, settings: &Settings) -> Result<Vec<Finding>, Stop> {
    let rehearsal = match args.server.rehearsal {
        true => Some(servers::start(agon_rehearsal::RehearsalConfig::default()).await?),
        false => None,
    };
    let hosts = match &rehearsal {
        Some((_, host)) => vec![host.clone()],
        None => chosen_hosts(args.server.ollama.as_deref(), &settings.hosts, &context.environment),
    };
    let model = args.model.as_deref().unwrap_or(&settings.defaults.model);
    let mut findings = Vec::new();
    for server in Server::connect_all(&hosts, &context.environment)? {
        findings.extend(host(&server, model).await);
    }
    if let Some((server, _)) = rehearsal {
        server.shutdown().await;
    }
    Ok(findings)
}

async fn host(server: &Server, model: &str) -> Vec<Finding> {
    let what = format!("host {} ({})", server.settings.name, server.client.endpoint());
    let found = match servers::probe(server, &[ModelName::from(model)]).await {
        Ok(found) => found,
        Err(error) => {
            let start = "start it (ollama serve), or name another with --ollama URL; without a model: agon run FILE --rehearsal";
            return vec![Finding::fail(what, error.to_string(), servers::hint(&error).unwrap_or(start))];
        }
    };
    let mut findings = vec![reached(&what, &found)];
    if servers::serves(server, &found, model) {
        findings.extend(model_at(server, model).await);
    } else {
        let asked = [(server.clone(), Ok(found))];
        let why = servers::check(&asked, &[ModelName::from(model)]).unwrap_or_default();
        let fix = match server.settings.kind {
            HostKind::Ollama => format!("ollama pull {model}, or choose another with --model NAME"),
            HostKind::Openai => "choose another with --model NAME".to_owned(),
        };
        findings.push(Finding::fail(format!("model {model}"), why, fix));
    }
    findings
}

fn reached(what: &str, found: &Found) -> Finding {
    let version = found.version.text.as_deref().map_or("no version told".to_owned(), |text| format!("version {text}"));
    let models = found.models.len();
    let said = format!("reached, {version}, {models} model{}", if models == 1 { "" } else { "s" });
    if found.is_rehearsal() {
        return Finding::warn(
            what,
            format!("{said}; a rehearsal server: scripted speakers, no model"),
            "nothing to mend if that is meant",
        );
    }
    match found.version.release {
        Some(release) if !release.heeds_truncate() => {
            Finding::warn(what, format!("{said}; it cuts long prompts in silence"), "update Ollama to 0.12.6 or newer")
        }
        Some(_) | None => Finding::ok(what, said),
    }
}

async fn model_at(server: &Server, model: &str) -> Vec<Finding> {
    let what = format!("model {model}");
    let mut findings = Vec::new();
    match answers(server, model).await {
        Ok(()) => findings.push(Finding::ok(&what, "answers")),
        Err(error) => {
            findings.push(Finding::fail(&what, format!("does not answer: {error}"), remedy(&error, model)));
            return findings;
        }
    }
    findings.push(match structured(server, model).await {
        Ok(true) => Finding::ok(&what, "answers to a schema, as judges and ballots need"),
        Ok(false) => Finding::warn(
            &what,
            "does not keep to a schema",
            "judge and ballots will need retries; prefer another model",
        ),
        Err(error) => Finding::warn(&what, format!("no answer to a schema: {error}"), remedy(&error, model)),
    });
    findings.extend(context_length(server, model).await);
    if server.settings.kind == HostKind::Ollama {
        let permits = server.settings.permits;
        let said = format!("{permits} call{} at a time to each model", if permits.get() == 1 { "" } else { "s" });
        findings.push(Finding::ok(
            format!("host {}", server.settings.name),
            format!("{said}; set permits to its OLLAMA_NUM_PARALLEL (default 1)"),
        ));
    }
    findings
}

fn request(server: &Server, model: &str, ask: &str, tokens: u32) -> ChatRequest {
    ChatRequest {
        sampling: Sampling { num_predict: Some(tokens), temperature: Some(0.0), ..Sampling::default() },
        timeouts: server.timeouts(),
        ..ChatRequest::new(model, vec![Message::user(ask)])
    }
}

/// One token is enough: that it was cut there is the expected end.
async fn answers(server: &Server, model: &str) -> Result<(), ChatError> {
    match server.client.chat(&request(server, model, "Say yes.", 1), &mut Discard).await {
        Ok(_) => Ok(()),
        Err(error) if is_cut(&error.kind) => Ok(()),
        Err(error) => Err(error),
    }
}

fn is_cut(kind: &ChatErrorKind) -> bool {
    matches!(kind, ChatErrorKind::Truncated { .. } | ChatErrorKind::BudgetEaten { .. })
}

async fn structured(server: &Server, model: &str) -> Result<bool, ChatError> {
    let schema = json!({"type": "object", "properties": {"sky": {"enum": ["blue", "green"]}}, "required": ["sky"]});
    let able = server.client.show(model).await.ok().and_then(|details| details.can("thinking")) == Some(true);
    let ask = ChatRequest {
        format: Some(Arc::new(schema)),
        think: able.then_some(Think::Off),
        ..request(server, model, "What colour is a clear sky? Answer as JSON.", 200)
    };
    let answer = server.client.chat(&ask, &mut Discard).await?;
    let value: Option<serde_json::Value> = serde_json::from_str(&answer.text).ok();
    Ok(value.is_some_and(|value| value.get("sky").is_some_and(|sky| sky == "blue" || sky == "green")))
}

async fn context_length(server: &Server, model: &str) -> Option<Finding> {
    let what = format!("model {model}");
    let loaded = server.client.loaded().await.ok()?;
    let same = |loaded: &&LoadedModel| loaded.name == model || loaded.name == format!("{model}:latest");
    let loaded = loaded.iter().find(same)?;
    let context = loaded.context_length?;
    if context < SMALL_CONTEXT {
        let fix = "set num_ctx of this host, or OLLAMA_CONTEXT_LENGTH at the server; long debates will not fit";
        return Some(Finding::warn(what, format!("context of {context} tokens"), fix));
    }
    if loaded.offloaded() == Some(true) {
        return Some(Finding::warn(
            what,
            "part of it runs on the CPU",
            "a smaller model or a smaller num_ctx is faster",
        ));
    }
    Some(Finding::ok(what, format!("context of {context} tokens")))
}

fn remedy(error: &ChatError, model: &str) -> String {
    match error.kind {
        ChatErrorKind::NotFound => format!("ollama pull {model}"),
        ChatErrorKind::RunnerDied | ChatErrorKind::Server5xx => {
            "look into the server's log; often the model does not fit into memory".to_owned()
        }
        ChatErrorKind::Timeout(_) => "raise first_byte_timeout of this host, or use a smaller model".to_owned(),
        _ => servers::hint(error).unwrap_or("look into the server's log").to_owned(),
    }
}
