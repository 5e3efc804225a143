//! Every field of a reply, without end: the decoders give up within the bytes that a reply may have, and keep little of it.

use agon_llm::{
    ChatAnswer, ChatError, ChatErrorKind as Kind, Decoder, DeltaSink, Framing, MAX_LINE_BYTES, MAX_REPLY_BYTES,
    NdjsonDecoder, SseDecoder,
};
use serde_json::{Value, json};

use crate::stub::{LAST_CHUNK, Stub, StubStep, chunk, chunked_head};

/// Every field that the decoder of Ollama's chats reads; the same list as the structs in `ollama/decode.rs`.
const OLLAMA: [&str; 16] = [
    "model",
    "message.content",
    "message.thinking",
    "message.tool_calls",
    "message.tool_calls.0.id",
    "message.tool_calls.0.function.name",
    "message.tool_calls.0.function.arguments",
    "done_reason",
    "error",
    "total_duration",
    "load_duration",
    "prompt_eval_count",
    "prompt_eval_cached_count",
    "prompt_eval_duration",
    "eval_count",
    "eval_duration",
];

/// Every field that the decoder of OpenAI-compatible chats reads; the same list as the structs in `openai/decode.rs`.
const OPENAI: [&str; 22] = [
    "model",
    "choices",
    "choices.0.index",
    "choices.0.delta.content",
    "choices.0.delta.refusal",
    "choices.0.delta.reasoning",
    "choices.0.delta.reasoning_content",
    "choices.0.delta.tool_calls",
    "choices.0.delta.tool_calls.0.index",
    "choices.0.delta.tool_calls.0.id",
    "choices.0.delta.tool_calls.0.function.name",
    "choices.0.delta.tool_calls.0.function.arguments",
    "choices.0.message.content",
    "choices.0.finish_reason",
    "choices.0.error",
    "usage.prompt_tokens",
    "usage.prompt_tokens_details.cached_tokens",
    "timings.cache_n",
    "error",
    "object",
    "message",
    "code",
];

/// What a field may hold: much text, many values, much of anything.
fn fillings() -> [Value; 5] {
    let object: Value = (0..1_000).map(|n| (n.to_string(), json!([n]))).collect::<serde_json::Map<_, _>>().into();
    let calls = vec![json!({"id": "c", "function": {"name": "f", "arguments": {"x": vec![0; 50]}}}); 100];
    [json!("a".repeat(60_000)), json!(vec![0; 21_000]), object, json!(calls), json!(9e300)]
}

/// A document with `value` at the dotted path.
fn at(path: &str, value: Value) -> Value {
    path.rsplit('.').fold(value, |inner, name| if name == "0" { json!([inner]) } else { json!({ name: inner }) })
}

/// Enough for every bound but that of all bytes together, which counts them before it looks at them.
const SOME: usize = 200 * 1024;
const ALL: usize = 2 * MAX_REPLY_BYTES;

/// What came of feeding the same piece again and again.
struct Fed {
    bytes: usize,
    outcome: Result<ChatAnswer, ChatError>,
}

struct Nothing;
impl DeltaSink for Nothing {
    fn text(&mut self, _delta: &str) {}
}

/// Feeds a decoder until it gives up, and no more than `most` bytes.
fn feed(mut decoder: impl Decoder, piece: &[u8], most: usize) -> Fed {
    let mut bytes = 0;
    while bytes < most {
        bytes += piece.len();
        match decoder.push(piece, &mut Nothing) {
            Ok(progress) if progress.complete => break,
            Ok(_) => {}
            Err(error) => return Fed { bytes, outcome: Err(error) },
        }
    }
    Fed { bytes, outcome: decoder.finish(&mut Nothing) }
}

/// The bytes of an answer's own text, names and arguments.
fn kept(answer: &ChatAnswer) -> usize {
    let calls = answer.tool_calls.iter();
    let calls =
        calls.map(|call| call.name.len() + call.arguments.to_string().len() + call.id.as_ref().map_or(0, String::len));
    answer.text.len() + answer.model.as_ref().map_or(0, String::len) + calls.sum::<usize>()
}

fn check(name: &str, fed: Fed) {
    match fed.outcome {
        Ok(answer) => assert!(kept(&answer) <= MAX_LINE_BYTES, "{name}: kept {} bytes", kept(&answer)),
        Err(error) => {
            assert!(error.detail.len() <= 2_000, "{name}: an error of {} bytes", error.detail.len());
            assert!(fed.bytes <= MAX_REPLY_BYTES + MAX_LINE_BYTES, "{name}: read {} bytes", fed.bytes);
        }
    }
}

#[test]
fn no_field_of_an_answer_of_ollama_is_without_end() {
    for path in OLLAMA.into_iter().chain(["unknown.field"]) {
        for (n, filling) in fillings().into_iter().enumerate() {
            let mut line = at(path, filling).to_string();
            line.push('\n');
            check(
                &format!("ollama {path}, filling {n}"),
                feed(NdjsonDecoder::new(Framing::Streamed), line.as_bytes(), SOME),
            );
        }
    }
}

#[test]
fn no_field_of_an_answer_of_openai_is_without_end() {
    for path in OPENAI.into_iter().chain(["unknown.field"]) {
        for (n, filling) in fillings().into_iter().enumerate() {
            let event = format!("data: {}\n\n", at(path, filling));
            check(
                &format!("openai {path}, filling {n}"),
                feed(SseDecoder::new(Framing::Streamed), event.as_bytes(), SOME),
            );
        }
    }
}

#[test]
fn what_is_no_field_is_not_without_end_either() {
    let pieces: [(&str, Vec<u8>); 4] = [
        ("comments", [b":".to_vec(), vec![b' '; 1 << 20], b"\n".to_vec()].concat()),
        ("one line", vec![b'x'; 1 << 20]),
        ("lines of one event", [b"data: ".to_vec(), vec![b'1'; 1 << 20], b"\n".to_vec()].concat()),
        ("spaces", vec![b' '; 1 << 20]),
    ];
    for (name, piece) in pieces {
        for framing in [Framing::Streamed, Framing::Whole] {
            let fed = [feed(NdjsonDecoder::new(framing), &piece, ALL), feed(SseDecoder::new(framing), &piece, ALL)];
            for fed in fed {
                assert!(fed.outcome.is_err_and(|error| error.kind == Kind::Malformed), "{name}");
                assert!(fed.bytes <= MAX_REPLY_BYTES + piece.len(), "{name}: read {} bytes", fed.bytes);
            }
        }
    }
}

#[test]
fn calls_and_their_arguments_are_counted_before_they_are_kept() {
    let call = |arguments: Value| json!({"function": {"name": "search", "arguments": arguments}});
    let many = json!({"message": {"content": "", "tool_calls": vec![call(json!({})); 129]}}).to_string() + "\n";
    let fed = feed(NdjsonDecoder::new(Framing::Streamed), many.as_bytes(), SOME);
    assert_eq!((fed.bytes, fed.outcome.unwrap_err().kind), (many.len(), Kind::Malformed));

    let one = json!({"message": {"content": "", "tool_calls": [call(json!({"q": "tea"}))]}}).to_string() + "\n";
    let fed = feed(NdjsonDecoder::new(Framing::Streamed), one.as_bytes(), SOME);
    assert_eq!((fed.bytes, fed.outcome.unwrap_err().kind), (one.len() * 129, Kind::Malformed));

    let deep = json!({"message": {"content": "", "tool_calls": [call(json!(vec![0; 20_001]))]}}).to_string() + "\n";
    let fed = feed(NdjsonDecoder::new(Framing::Streamed), deep.as_bytes(), SOME);
    assert_eq!((fed.bytes, fed.outcome.unwrap_err().kind), (deep.len(), Kind::Malformed));
}

/// The reproduction: a server that never ends its calls.
#[tokio::test]
async fn a_server_that_calls_tools_without_end_is_cut_off() {
    let calls = vec![json!({"function": {"name": "search", "arguments": {"query": "x".repeat(1_000)}}}); 100];
    let line =
        json!({"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": calls}, "done": false});
    let piece = chunk(format!("{line}\n").as_bytes());
    let steps = std::iter::once(StubStep::Send(chunked_head("application/x-ndjson")));
    let steps: Vec<StubStep> = steps
        .chain(std::iter::repeat_n(StubStep::Send(piece), 1_000))
        .chain([StubStep::Send(LAST_CHUNK.to_vec())])
        .collect();
    let stub = Stub::serve(move |_| steps.clone()).await;
    let client = agon_llm::connect(&stub.ollama(), None, &agon_llm::Http::default());
    let request = agon_llm::ChatRequest::new("m", vec![agon_llm::ChatMessage::user("Speak.")]);

    let error = client.chat(&request, &mut agon_llm::Discard).await.unwrap_err();

    assert_eq!(error.kind, Kind::Malformed, "{error}");
    assert!(error.detail.contains("128 tool calls"), "{error}");
}

/// Lists, details and vectors.
#[tokio::test]
async fn no_list_of_a_server_is_without_end() {
    let many = |one: Value, count: usize| Value::Array(vec![one; count]);
    let ollama = json!({
        "models": many(json!({"name": "m"}), 10_001), "version": "0.1", "capabilities": many(json!("tools"), 65),
        "model_info": {"tokens": many(json!(0), 20_001)}, "embeddings": many(json!([0.5]), 3),
    });
    let open_ai = json!({"data": many(json!({"id": "m", "index": 0, "embedding": [0.5]}), 10_001)});
    let (one, other) =
        (Stub::always(crate::stub::json(&ollama)).await, Stub::always(crate::stub::json(&open_ai)).await);
    let http = agon_llm::Http::default();
    for client in [agon_llm::connect(&one.ollama(), None, &http), agon_llm::connect(&other.open_ai(), None, &http)] {
        assert_eq!(client.models().await.unwrap_err().kind, Kind::Malformed);
        assert_eq!(client.embed("m", &["a".to_owned()]).await.unwrap_err().kind, Kind::Malformed);
    }
    let ollama = agon_llm::connect(&one.ollama(), None, &http);
    assert_eq!(ollama.loaded().await.unwrap_err().kind, Kind::Malformed);
    assert_eq!(ollama.show("m").await.unwrap_err().kind, Kind::Malformed);
}
