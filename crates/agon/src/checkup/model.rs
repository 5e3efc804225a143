//! A model: fits into memory, answers freely and to a schema, has room for a debate.
use super::{Finding, hosts::is_here, machine};
use crate::servers::{self, Found, Server};
use crate::settings::HostKind;
use agon_llm::{ChatError, ChatErrorKind, ChatRequest, Discard, LoadedModel, Message, Sampling, Think};
use serde_json::json;
use std::sync::Arc;

/// The least context that a debate of a few rounds fits into.
const SMALL_CONTEXT: u64 = 8192;

/// Looks at one model of a server.
pub async fn check(server: &Server, found: &Found, model: &str) -> Vec<Finding> {
    let what = format!("model {model}");
    let tight = too_large(server, found, model).await;
    let mut findings = Vec::new();
    match answers(server, model).await {
        Ok(()) => findings.push(Finding::ok(&what, "answers")),
        Err(error) => {
            let fix = tight.as_ref().and_then(|tight| tight.fix.clone());
            let why = tight.map_or_else(String::new, |tight| format!("; {}", tight.found));
            let fix = fix.unwrap_or_else(|| remedy(server, &error, model));
            findings.push(Finding::fail(&what, format!("does not answer: {error}{why}"), fix));
            return findings;
        }
    }
    findings.extend(tight);
    findings.push(match structured(server, model).await {
        Ok(true) => Finding::ok(&what, "answers to a schema, as judges and ballots need"),
        Ok(false) => Finding::warn(
            &what,
            "does not keep to a schema",
            "judge and ballots will need retries; prefer another model",
        ),
        Err(error) => Finding::warn(&what, format!("no answer to a schema: {error}"), remedy(server, &error, model)),
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

/// A model that is not loaded and needs more memory than this machine has left. A graphics card may have room that nobody tells of.
async fn too_large(server: &Server, found: &Found, model: &str) -> Option<Finding> {
    let available = machine::available_memory().filter(|_| is_here(server))?;
    let size = found.models.iter().find(|listed| servers::same_model(&listed.name, model))?.size?;
    let loaded = server.client.loaded().await.unwrap_or_default();
    if size <= available || loaded.iter().any(|loaded| servers::same_model(&loaded.name, model)) {
        return None;
    }
    let fits = |listed: &&agon_llm::ModelInfo| listed.size.is_some_and(|size| size <= available);
    let smaller = found.models.iter().filter(fits).max_by_key(|listed| listed.size);
    let smaller = smaller.map_or_else(
        || "get a smaller model, such as: ollama pull llama3.2:1b".to_owned(),
        |listed| format!("use a smaller model: --model {}", listed.name),
    );
    let found = format!(
        "too large for memory: it needs {}, and {} are available on this machine",
        machine::bytes(size),
        machine::bytes(available)
    );
    Some(Finding::warn(format!("model {model}"), found, format!("{smaller}; or free memory")))
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
    let same = |loaded: &&LoadedModel| servers::same_model(&loaded.name, model);
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

fn remedy(server: &Server, error: &ChatError, model: &str) -> String {
    match error.kind {
        ChatErrorKind::NotFound => format!("ollama pull {model}"),
        ChatErrorKind::RunnerDied | ChatErrorKind::Server5xx => {
            "the model likely needs more memory than the server has: use a smaller one (--model NAME) or a smaller num_ctx; see the server's log".to_owned()
        }
        ChatErrorKind::Timeout(_) => {
            "the server takes calls and does not answer: look into its log and restart it; where it is only slow, use a smaller model, \
             or raise first_byte_timeout of this host"
                .to_owned()
        }
        _ => servers::hint(server, error).unwrap_or_else(|| "look into the server's log".to_owned()),
    }
}
