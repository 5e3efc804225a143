//! `/api/chat` and `/api/generate`: one call from its body to its last line.

mod parse;
mod reply;

use std::{sync::Arc, time::Duration};

use axum::{body::Bytes, extract::State, http::StatusCode, response::Response};
use serde_json::json;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep},
};

use crate::{
    answer::CastAnswer,
    cache::Lease,
    fault::Fault,
    model::Model,
    plan::ReplyPlan,
    server_state::{OpenCall, ServerState},
    stats::lock,
    token,
    wire::{LineEndpoint, error},
};

/// Modelled time to evaluate one prompt token that takes none.
pub const PREFILL_TOKEN: Duration = Duration::from_micros(50);
/// Modelled time to generate one token when the pace is unlimited.
pub const DECODE_TOKEN: Duration = Duration::from_micros(100);

/// `POST /api/chat`.
pub async fn chat(State(stage): State<Arc<ServerState>>, body: Bytes) -> Response {
    serve(stage, body, LineEndpoint::Chat).await
}

/// `POST /api/generate`.
pub async fn generate(State(stage): State<Arc<ServerState>>, body: Bytes) -> Response {
    serve(stage, body, LineEndpoint::Generate).await
}

async fn serve(stage: Arc<ServerState>, body: Bytes, shape: LineEndpoint) -> Response {
    // the body is gone before anything waits: ten thousand waiting calls hold no prompts
    match ChatJob::prepare(&stage, body, shape) {
        Ok(job) => job.perform().await,
        Err(refusal) => *refusal,
    }
}

/// A call that was understood and has yet to be performed.
struct ChatJob {
    stage: Arc<ServerState>,
    model: Arc<Model>,
    call: OpenCall,
    shape: LineEndpoint,
    stream: bool,
    plan: ReplyPlan,
    prompt: PromptBody,
    text: AnswerText,
}

/// A prompt as far as it matters.
enum PromptBody {
    /// Only its tokens.
    Counted(u64),
    /// Its text, and the context it must fit into.
    Rendered(String, Option<u64>),
}

/// What will be said.
enum AnswerText {
    /// The model's fixed-length answer of that many tokens.
    Filler(u32),
    /// An answer to the prompt.
    Composed(CastAnswer),
    /// Nothing: the model was loaded or unloaded.
    Loaded(&'static str),
}

type ErrorResponse = Box<Response>;

impl ChatJob {
    async fn perform(mut self) -> Response {
        if let Some(failure) = self.plan.failure {
            match failure.kind {
                Fault::Busy => return self.fail(StatusCode::SERVICE_UNAVAILABLE, BUSY),
                Fault::NotFound => {
                    let text = format!("model '{}' not found", self.model.name);
                    return self.fail(StatusCode::NOT_FOUND, &text);
                }
                Fault::RunnerDied => return self.fail(StatusCode::INTERNAL_SERVER_ERROR, RUNNER_DIED),
                Fault::Hang => std::future::pending().await,
                Fault::Crash if failure.after == 0 => return self.crash(failure.gone).await,
                _ => {}
            }
        }
        let queued = self.take_seat().await;
        let lease = match self.place_prompt() {
            Ok(lease) => lease,
            Err(refusal) => return *refusal,
        };
        let evaluation = times(self.stage.config.prefill_token, lease.prompt - lease.cached);
        let wait = self.stage.config.latency + self.plan.delay + evaluation;
        if !wait.is_zero() {
            sleep(wait).await;
        }
        self.model.set_loaded(!matches!(self.text, AnswerText::Loaded("unload")));
        let metrics = self.measure(queued, lease);
        if self.stream { self.play(metrics) } else { self.answer_whole(metrics).await }
    }

    fn fail(&mut self, status: StatusCode, text: &str) -> Response {
        self.call.failed();
        error(status, text)
    }

    async fn crash(mut self, gone: Duration) -> Response {
        self.call.failed();
        self.stage.crash(gone);
        // the connection is reset under this call, which is then dropped
        std::future::pending().await
    }

    /// Waits for one of the model's seats, in order of arrival, and says how long that took.
    async fn take_seat(&mut self) -> Duration {
        let Some(seats) = &self.model.seats else { return Duration::ZERO };
        let (seat, waited) = wait_for_seat(seats).await;
        if let Some(seat) = seat {
            self.call.take_seat(seat);
        }
        waited
    }

    /// Puts the prompt into the cache; refuses one that does not fit the context.
    fn place_prompt(&mut self) -> Result<Lease, ErrorResponse> {
        let (text, limit) = match &mut self.prompt {
            PromptBody::Counted(tokens) => {
                self.stage.counters.prompted(*tokens, 0);
                return Ok(Lease { slot: None, prompt: *tokens, cached: 0 });
            }
            PromptBody::Rendered(text, limit) => (std::mem::take(text), *limit),
        };
        if let Some(limit) = limit {
            let tokens = token::count(&text);
            if tokens > limit {
                self.call.failed();
                return Err(refuse(StatusCode::BAD_REQUEST, &overflow(tokens, limit)));
            }
        }
        let lease = if self.stage.config.model_cache {
            lock(&self.model.cache).begin(text)
        } else {
            Lease { slot: None, prompt: token::count(&text), cached: 0 }
        };
        self.stage.counters.prompted(lease.prompt, lease.cached);
        self.call.hold(Arc::clone(&self.model), lease);
        Ok(lease)
    }
}

/// The time of `n` of them.
fn times(each: Duration, n: u64) -> Duration {
    each.saturating_mul(u32::try_from(n).unwrap_or(u32::MAX))
}

const BUSY: &str = "server busy, please try again.  maximum pending requests exceeded";
const RUNNER_DIED: &str = "model runner has unexpectedly stopped, this may be due to resource limitations or an internal error, check ollama server logs for details";

fn refuse(status: StatusCode, text: &str) -> ErrorResponse {
    Box::new(error(status, text))
}

/// As llama-server words it and Ollama wraps it: an error inside an error.
fn overflow(tokens: u64, limit: u64) -> String {
    let message =
        format!("request ({tokens} tokens) exceeds the available context size ({limit} tokens), try increasing it");
    let inner = json!({ "code": 400, "message": message, "type": "exceed_context_size_error", "n_prompt_tokens": tokens, "n_ctx": limit });
    json!({ "error": inner }).to_string()
}

async fn wait_for_seat(seats: &Arc<Semaphore>) -> (Option<OwnedSemaphorePermit>, Duration) {
    if let Ok(seat) = Arc::clone(seats).try_acquire_owned() {
        return (Some(seat), Duration::ZERO);
    }
    let since = Instant::now();
    // never closed, so there is always a seat in the end
    (Arc::clone(seats).acquire_owned().await.ok(), since.elapsed())
}
