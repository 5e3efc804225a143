//! The endpoints about models and about the server itself. Every model says that it is a rehearsal.

use std::{convert::Infallible, sync::Arc};

use axum::{
    body::{Body, Bytes},
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures_util::stream;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    model::{CONTEXT_LENGTH, digest, embeds, full_name, has_tools},
    server::VERSION,
    server_state::ServerState,
    wire::{CREATED_AT, error, json_response},
};

/// The model that is listed when nobody named any.
const DEFAULT_MODEL: &str = "rehearsal:latest";

#[derive(Debug, Deserialize)]
struct NamedModel {
    #[serde(alias = "name", default)]
    model: String,
    #[serde(default)]
    stream: Option<bool>,
}

/// `GET /`.
pub async fn root() -> &'static str {
    "Agon rehearsal is running. It speaks Ollama's protocol; no model is behind it."
}

/// `GET /api/version`.
pub async fn version() -> Response {
    ok(json!({ "version": VERSION }))
}

/// `GET /api/tags`.
pub async fn tags(State(stage): State<Arc<ServerState>>) -> Response {
    let mut names: Vec<String> = match &stage.config.models {
        Some(list) => list.iter().map(|name| full_name(name)).collect(),
        None => {
            let used = stage.used_models();
            used.iter().map(|model| full_name(&model.name)).chain([DEFAULT_MODEL.to_owned()]).collect()
        }
    };
    names.sort();
    names.dedup();
    let models: Vec<Value> = names.iter().map(|name| listed(name)).collect();
    ok(json!({ "models": models }))
}

/// `GET /api/ps`.
pub async fn ps(State(stage): State<Arc<ServerState>>) -> Response {
    let loaded = stage.used_models().into_iter().filter(|model| model.is_loaded());
    let models: Vec<Value> = loaded
        .map(|model| {
            let name = full_name(&model.name);
            json!({
                "name": name,
                "model": name,
                "size": 0,
                "digest": model.digest,
                "details": details(),
                "expires_at": "2318-01-01T00:00:00Z",
                "size_vram": 0,
                "context_length": CONTEXT_LENGTH,
            })
        })
        .collect();
    ok(json!({ "models": models }))
}

/// `POST /api/show`.
pub async fn show(State(stage): State<Arc<ServerState>>, body: Bytes) -> Response {
    let asked = match named(&body) {
        Ok(asked) => asked,
        Err(refusal) => return *refusal,
    };
    if !stage.serves(&asked.model) {
        return error(StatusCode::NOT_FOUND, &format!("model '{}' not found", asked.model));
    }
    ok(json!({
        "license": "none: no weights are involved",
        "modelfile": "# a rehearsal: scripted answers, no model",
        "parameters": "",
        "template": "<role>{{ .Content }}",
        "digest": digest(&asked.model),
        "details": details(),
        "model_info": {
            "general.architecture": "rehearsal",
            "general.parameter_count": 0,
            "rehearsal.context_length": CONTEXT_LENGTH,
        },
        "capabilities": capabilities(&asked.model),
        "modified_at": CREATED_AT,
    }))
}

/// `POST /api/pull`: there is nothing to fetch, which takes five lines to say.
pub async fn pull(State(stage): State<Arc<ServerState>>, body: Bytes) -> Response {
    let asked = match named(&body) {
        Ok(asked) => asked,
        Err(refusal) => return *refusal,
    };
    let known = stage.serves(&asked.model);
    let missing = json!({ "error": "pull model manifest: file does not exist" });
    if asked.stream == Some(false) {
        let status = if known { StatusCode::OK } else { StatusCode::INTERNAL_SERVER_ERROR };
        return json_response(status, if known { json!({ "status": "success" }) } else { missing }.to_string());
    }
    let id: String = blake3::hash(asked.model.as_bytes()).to_hex().chars().take(12).collect();
    let digest = digest(&asked.model);
    let mut lines = vec![json!({ "status": "pulling manifest" })];
    if known {
        lines.push(json!({ "status": format!("pulling {id}"), "digest": digest, "total": 1, "completed": 1 }));
        lines.extend(
            ["verifying sha256 digest", "writing manifest", "success"].map(|status| json!({ "status": status })),
        );
    } else {
        lines.push(missing);
    }
    let lines = lines.into_iter().map(|line| Ok::<_, Infallible>(Bytes::from(line.to_string() + "\n")));
    let kind = HeaderValue::from_static("application/x-ndjson");
    ([(header::CONTENT_TYPE, kind)], Body::from_stream(stream::iter(lines))).into_response()
}

/// `GET /rehearsal/stats`.
pub async fn stats(State(stage): State<Arc<ServerState>>) -> Response {
    json_response(StatusCode::OK, serde_json::to_string(&stage.counters.read()).unwrap_or_default())
}

/// `POST /rehearsal/reset`.
pub async fn reset(State(stage): State<Arc<ServerState>>) -> StatusCode {
    stage.reset();
    StatusCode::NO_CONTENT
}

/// Any other path.
pub async fn lost() -> (StatusCode, &'static str) {
    (StatusCode::NOT_FOUND, "404 page not found")
}

/// What a model of this name can do.
fn capabilities(name: &str) -> Vec<&'static str> {
    let known = [("completion", true), ("tools", has_tools(name)), ("thinking", true), ("embedding", embeds(name))];
    known.into_iter().filter(|(_, can)| *can).map(|(capability, _)| capability).collect()
}

fn listed(name: &str) -> Value {
    json!({
        "name": name,
        "model": name,
        "modified_at": CREATED_AT,
        "size": 0,
        "digest": digest(name),
        "details": details(),
        "capabilities": capabilities(name),
    })
}

fn details() -> Value {
    json!({
        "parent_model": "",
        "format": "script",
        "family": "rehearsal",
        "families": ["rehearsal"],
        "parameter_size": "0",
        "quantization_level": "none",
        "context_length": CONTEXT_LENGTH,
    })
}

fn named(body: &[u8]) -> Result<NamedModel, Box<Response>> {
    let named: NamedModel = serde_json::from_slice(body)
        .map_err(|problem| Box::new(error(StatusCode::BAD_REQUEST, &problem.to_string())))?;
    if named.model.is_empty() {
        return Err(Box::new(error(StatusCode::BAD_REQUEST, "model is required")));
    }
    Ok(named)
}

fn ok(body: Value) -> Response {
    json_response(StatusCode::OK, body.to_string())
}
