//! The spans of one try at its host: written when it is over, under the coordinator's span of the same try.
//!
//! How long a tool took is measured, when it began is not: the tools of a try follow each other from where its speaker
//! begins.
use crate::content;
use crate::context::{SpanPlace, TraceContext, span_id};
use crate::names::{BUS, TURNS, attribute, operation};
use crate::observer::{ModelServer, TurnEnd, TurnPlayed};
use crate::span::SpanDraft;
use crate::task;
use agon_core::{Audience, Failure, FailureCause, Timestamp, ToolUse, Work};
use opentelemetry::trace::SpanKind;
use opentelemetry::{Array, StringValue, Value};
use opentelemetry_sdk::trace::SpanData;

/// So many bytes of a stance or of an error's detail are told.
const TEXT_LIMIT: usize = 256;

/// `process`, `invoke_agent`, `chat` and `execute_tool`, as far as the try came.
pub(crate) fn spans(played: &TurnPlayed<'_>) -> Vec<SpanData> {
    let called = played.sent.zip(played.server);
    let admitted = played.sent.is_some() || played.call.timing.queue_ms.is_some();
    let mut spans = vec![process(played)];
    spans.extend(admitted.then(|| agent(played)));
    spans.extend(called.map(|(sent, server)| chat(played, sent, server)));
    spans.extend(tools(played));
    spans
}

/// One span for each use of a tool: neither arguments nor results.
fn tools<'a>(played: &'a TurnPlayed<'_>) -> impl Iterator<Item = SpanData> + 'a {
    let mut at = begun(played);
    played.call.tools.iter().zip(0u32..).map(move |(used, index)| {
        let from = at;
        at = at.plus(used.duration_ms).min(played.ended);
        tool(played, used, index, (from, at))
    })
}

fn tool(played: &TurnPlayed<'_>, used: &ToolUse, index: u32, span: (Timestamp, Timestamp)) -> SpanData {
    // a function that failed may be the model's invention: then only the tool is named
    let name = match task::tool(played.admission, &played.ask.participant, &used.tool) {
        Some(_) if used.error.is_none() => used.tool.as_str(),
        Some(known) => known,
        None => task::OTHER_TOOL,
    };
    let key = format!("tool {index}");
    let draft = draft(played, &key, format!("{} {name}", operation::TOOL), span)
        .under(context(played, "agent").span_id())
        .set(attribute::OPERATION, operation::TOOL)
        .set(attribute::TOOL, name.to_owned())
        .set(attribute::TURN, played.ask.turn.to_string())
        .maybe(attribute::TRUNCATED, used.truncated.then_some(true));
    match &used.error {
        Some(_) => draft.failed(TOOL_FAILED.to_owned(), None).done(),
        None => draft.done(),
    }
}

/// The type of every tool's error: why it failed may quote what it was asked.
pub(crate) const TOOL_FAILED: &str = "tool_error";

/// One try may be played twice, here or elsewhere: host and time are part of the name.
fn context(played: &TurnPlayed<'_>, kind: &str) -> TraceContext {
    let key = format!("{kind}\n{}\n{}\n{}", played.ask.turn, played.host, played.taken.0);
    TraceContext::of_try(played.debate, &key)
}

fn draft(played: &TurnPlayed<'_>, kind: &str, name: String, span: (Timestamp, Timestamp)) -> SpanDraft {
    SpanDraft::new(name, context(played, kind), span.0, span.1)
        .set(attribute::CONVERSATION, played.debate.to_string())
        .set(attribute::HOST, played.host.to_string())
}

fn process(played: &TurnPlayed<'_>) -> SpanData {
    let draft = draft(played, "process", format!("process {TURNS}"), (played.taken, played.ended))
        .kind(SpanKind::Consumer)
        .under(span_id(played.debate, SpanPlace::Turn(played.ask.turn)))
        .set(attribute::MESSAGING_SYSTEM, BUS)
        .set(attribute::MESSAGING_OPERATION, "process")
        .set(attribute::MESSAGING_TYPE, "process")
        .set(attribute::DESTINATION, TURNS)
        .set(attribute::MESSAGE_ID, played.ask.turn.to_string())
        .set(attribute::TURN, played.ask.turn.to_string())
        .set(attribute::TASK, played.ask.task.work.traits().name)
        .maybe(attribute::TASK_KIND, played.ask.task.work.traits().sort)
        .maybe_millis(attribute::QUEUE_WAIT, played.call.timing.queue_ms)
        .maybe_millis(attribute::AWAY_WAIT, played.call.timing.away_ms)
        .maybe(attribute::WON, played.won);
    let draft = match played.end {
        TurnEnd::Overtaken => draft.set(attribute::OVERTAKEN, true),
        TurnEnd::Answered | TurnEnd::Failed(_) => draft,
    };
    with_failure(draft, played).done()
}

/// From the permit to the end: the wait before it is the gap at its left.
fn agent(played: &TurnPlayed<'_>) -> SpanData {
    let (ask, begun) = (played.ask, begun(played));
    let stance = played.admission.and_then(|admission| task::stance(admission, &ask.participant));
    let draft = draft(played, "agent", format!("{} {}", operation::AGENT, ask.participant), (begun, played.ended))
        .under(context(played, "process").span_id())
        .set(attribute::OPERATION, operation::AGENT)
        .set(attribute::AGENT, ask.participant.to_string())
        .set(attribute::REQUEST_MODEL, ask.model.to_string())
        .set(attribute::ROLE, task::role(ask))
        .maybe(attribute::STANCE, stance.map(|stance| content::truncated(stance, TEXT_LIMIT)))
        .set(attribute::TURN, ask.turn.to_string())
        .set(attribute::TASK, ask.task.work.traits().name)
        .maybe(attribute::TASK_KIND, ask.task.work.traits().sort)
        .set(attribute::ATTEMPT, i64::from(ask.turn.attempt));
    with_failure(draft, played).done()
}

fn begun(played: &TurnPlayed<'_>) -> Timestamp {
    let timing = &played.call.timing;
    let waited = timing.queue_ms.unwrap_or(0).saturating_add(timing.away_ms.unwrap_or(0));
    let admitted = played.taken.plus(waited);
    played.sent.map_or(admitted, |sent| sent.min(admitted))
}

/// What the conventions call the call to the model.
pub(crate) fn call_operation(work: &Work) -> &'static str {
    if work.traits().audience == Audience::Embedder { operation::EMBEDDINGS } else { operation::CHAT }
}

fn chat(played: &TurnPlayed<'_>, sent: Timestamp, server: &ModelServer) -> SpanData {
    let (call, timing) = (played.call, &played.call.timing);
    let operation = call_operation(&played.ask.task.work);
    let over = timing.total_ms.map_or(played.ended, |total| sent.plus(total).min(played.ended));
    let draft = draft(played, "chat", format!("{operation} {}", played.ask.model), (sent, over))
        .kind(SpanKind::Client)
        .under(context(played, "agent").span_id())
        .set(attribute::OPERATION, operation)
        .set(attribute::PROVIDER, server.provider)
        .set(attribute::REQUEST_MODEL, played.ask.model.to_string())
        .maybe(attribute::RESPONSE_MODEL, played.response_model.map(str::to_owned))
        .set(attribute::SERVER_ADDRESS, server.address.clone())
        .maybe(attribute::SERVER_PORT, server.port.map(i64::from))
        .maybe(attribute::DIGEST, call.digest.clone())
        .maybe(attribute::PROMPT_HASH, call.prompt_hash.clone())
        .maybe(attribute::FINISH_REASONS, call.finish_reason.clone().map(list))
        .maybe_millis(attribute::FIRST_CHUNK, timing.first_byte_ms)
        .maybe_millis(attribute::LOAD, timing.load_ms)
        .maybe_millis(attribute::PREFILL, timing.prefill_ms)
        .maybe_millis(attribute::DECODE, timing.decode_ms);
    let draft = with_usage(with_options(draft, played), played);
    let draft = match played.content {
        Some(content) => content::attach(draft, content, call.finish_reason.as_deref()),
        None => draft,
    };
    // a call that came to its end did not fail, whatever was made of its answer
    if call.finish_reason.is_some() { draft.done() } else { with_failure(draft, played).done() }
}

fn with_options(draft: SpanDraft, played: &TurnPlayed<'_>) -> SpanDraft {
    let options = &played.call.options;
    draft
        .maybe(attribute::TEMPERATURE, options.temperature)
        .maybe(attribute::TOP_P, options.top_p)
        .maybe(attribute::PRESENCE_PENALTY, options.presence_penalty)
        .maybe_count(attribute::SEED, options.seed)
        .maybe(attribute::MAX_TOKENS, options.max_tokens.map(i64::from))
}

fn with_usage(draft: SpanDraft, played: &TurnPlayed<'_>) -> SpanDraft {
    let usage = &played.call.usage;
    draft
        .maybe_count(attribute::INPUT_TOKENS, usage.prompt_tokens)
        .maybe_count(attribute::CACHED_TOKENS, usage.cached_tokens)
        .maybe_count(attribute::OUTPUT_TOKENS, usage.completion_tokens)
}

fn with_failure(draft: SpanDraft, played: &TurnPlayed<'_>) -> SpanDraft {
    match played.end {
        TurnEnd::Failed(failure) => {
            let detail = tells_no_content(failure, played).then(|| content::truncated(&failure.detail, TEXT_LIMIT));
            draft.failed(failure.cause.as_str().to_owned(), detail)
        }
        TurnEnd::Answered | TurnEnd::Overtaken => draft,
    }
}

/// What is said of a malformed answer may quote it.
fn tells_no_content(failure: &Failure, played: &TurnPlayed<'_>) -> bool {
    failure.cause != FailureCause::Malformed || played.content.is_some()
}

fn list(word: String) -> Value {
    Value::Array(Array::String(vec![StringValue::from(word)]))
}
