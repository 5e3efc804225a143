//! Shapes in which servers give counts and thinking, streamed in pieces of every size and as a whole.
use agon_core::Usage;
use agon_llm::{ChatAnswer, ChatError, ChatErrorKind as Kind, Decoder, DeltaSink, Framing, NdjsonDecoder, SseDecoder};
use serde_json::{Value, json};

/// What a watcher has heard.
#[derive(Default)]
struct HeardPieces {
    text: String,
    thought: usize,
}
impl DeltaSink for HeardPieces {
    fn text(&mut self, delta: &str) {
        self.text.push_str(delta);
    }
    fn thinking(&mut self, chars: usize) {
        self.thought += chars;
    }
    fn retract(&mut self) {
        self.text.clear();
    }
}

/// The answer of a body that comes in pieces of so many bytes, and what was heard of it.
fn decode(mut decoder: impl Decoder, body: &[u8], length: usize) -> (Result<ChatAnswer, ChatError>, HeardPieces) {
    let mut heard = HeardPieces::default();
    for piece in body.chunks(length) {
        if let Err(error) = decoder.push(piece, &mut heard) {
            return (Err(error), heard);
        }
    }
    (decoder.finish(&mut heard), heard)
}

fn sse(events: &[String]) -> Vec<u8> {
    let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    format!("{body}data: [DONE]\n\n").into_bytes()
}

fn event(delta: Value, finish: Option<&str>) -> String {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}).to_string()
}

fn whole(message: Value, finish: &str) -> Vec<u8> {
    json!({"choices": [{"index": 0, "message": message, "finish_reason": finish}]}).to_string().into_bytes()
}

/// The same message streamed, and as a whole.
fn both(message: &Value, finish: &str) -> Vec<(Result<ChatAnswer, ChatError>, HeardPieces)> {
    let streamed =
        sse(&[event(json!({"role": "assistant"}), None), event(message.clone(), None), event(json!({}), Some(finish))]);
    let whole = whole(message.clone(), finish);
    let mut all = vec![decode(SseDecoder::new(Framing::Whole), &whole, 7)];
    all.extend([1, 5, 4096].map(|length| decode(SseDecoder::new(Framing::Streamed), &streamed, length)));
    all
}

#[test]
fn thinking_in_any_field_or_part_is_counted_and_dropped() {
    let part = |kind: &str, field: &str, content: Value| json!({"type": kind, field: content});
    let said = part("text", "text", json!("Tea."));
    for message in [
        json!({"reasoning": "PLAN", "content": "Tea."}),
        json!({"reasoning_content": "PLAN", "content": "Tea."}),
        json!({"thinking": "PLAN", "content": "Tea."}),
        json!({"thinking_content": "PLAN", "content": "Tea."}),
        // some name it twice
        json!({"reasoning": "PLAN", "reasoning_content": "PLAN", "content": "Tea."}),
        json!({"reasoning": "", "reasoning_content": "PLAN", "content": "Tea."}),
        json!({"reasoning": {"content": "PLAN"}, "content": "Tea."}),
        // Magistral
        json!({"content": [part("thinking", "thinking", json!([part("text", "text", json!("PLAN"))])), said]}),
        json!({"content": [part("reasoning", "text", json!("PLAN")), said]}),
        json!({"content": [part("reasoning", "summary", json!([part("summary_text", "text", json!("PLAN"))])), said]}),
        json!({"content": "<think>PLAN</think>\n\nTea."}),
        json!({"content": "PLAN</think>Tea."}),
    ] {
        for (answer, heard) in both(&message, "stop") {
            let answer = answer.unwrap_or_else(|error| panic!("{message}: {error}"));
            assert_eq!((answer.text.as_str(), answer.thinking_chars), ("Tea.", 4), "{message}");
            assert_eq!((heard.text.as_str(), heard.thought), ("Tea.", 4), "{message}");
        }
    }
    let plain = json!({"content": ["Tea", {"type": "text", "text": "."}, {"type": "image_url", "image_url": "x"}]});
    for (answer, _) in both(&plain, "stop") {
        assert_eq!(answer.unwrap().text, "Tea.");
    }
}

#[test]
fn thinking_alone_is_no_answer() {
    for message in [
        json!({"reasoning": "PLAN", "content": ""}),
        json!({"reasoning_content": "PLAN", "content": null}),
        json!({"thinking": "PLAN"}),
        json!({"content": "<think>PLAN"}),
        json!({"content": "[THINK]PLAN[/THINK] "}),
        json!({"content": [{"type": "thinking", "thinking": "PLAN"}]}),
    ] {
        for (finish, kind) in
            [("stop", Kind::Empty { thinking_chars: 4 }), ("length", Kind::BudgetEaten { thinking_chars: 4 })]
        {
            for (answer, heard) in both(&message, finish) {
                let error = answer.unwrap_err();
                assert_eq!((&error.kind, heard.text.trim()), (&kind, ""), "{message} {finish}");
                assert!(error.is_thinking_alone());
            }
        }
    }
}

#[test]
fn ollama_s_answers_are_read_likewise() {
    for message in [
        json!({"content": "[THINK]PLAN[/THINK]Tea."}),
        json!({"content": "Tea.", "thinking": "PLAN"}),
        json!({"content": "◁think▷PLAN◁/think▷Tea."}),
    ] {
        let line =
            json!({"model": "m", "message": message, "done": true, "done_reason": "stop", "eval_count": 0}).to_string();
        for length in [1, 3, 4096] {
            let (answer, heard) = decode(NdjsonDecoder::new(Framing::Streamed), format!("{line}\n").as_bytes(), length);
            let answer = answer.unwrap();
            assert_eq!(
                (answer.text.as_str(), answer.thinking_chars, heard.text.as_str()),
                ("Tea.", 4, "Tea."),
                "{message}"
            );
            assert_eq!(answer.usage.completion_tokens, None);
        }
    }
}

/// What is read of the usages of several events: prompt, cached, completion.
fn usage(usages: &[&str]) -> (Option<u64>, Option<u64>, Option<u64>) {
    let mut events = vec![event(json!({"content": "Tea, said in more than a few words."}), None)];
    events.extend(usages.iter().map(|usage| format!("{{\"choices\": [], \"usage\": {usage}}}")));
    events.insert(1, event(json!({}), Some("stop")));
    let (answer, _) = decode(SseDecoder::new(Framing::Streamed), &sse(&events), 11);
    let Usage { prompt_tokens, cached_tokens, completion_tokens } = answer.unwrap().usage;
    (prompt_tokens, cached_tokens, completion_tokens)
}

#[test]
fn usage_of_any_shape_is_read_or_unknown() {
    let none = (None, None, None);
    for (usages, read) in [
        // LocalAI: zeros in each piece and at the end
        (&[r#"{"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}"#][..], none),
        (
            &[r#"{"prompt_tokens": 900, "completion_tokens": 9}"#, r#"{"prompt_tokens": 0, "completion_tokens": 0}"#],
            (Some(900), None, Some(9)),
        ),
        (&["null"], none),
        (&[r#"{"prompt_tokens": null, "completion_tokens": null}"#], none),
        (&[r#"{"prompt_tokens": NaN, "completion_tokens": 9, "x": Infinity}"#], (None, None, Some(9))),
        (&["\"unknown\""], none),
        (&["[]"], none),
        (&[r#"{"prompt_tokens": "900", "completion_tokens": {}}"#], none),
        (&[r#"{"prompt_tokens": 900.0, "completion_tokens": 9.0}"#], (Some(900), None, Some(9))),
        // vLLM with continuous usage
        (
            &[r#"{"prompt_tokens": 900, "completion_tokens": 1}"#, r#"{"prompt_tokens": 900, "completion_tokens": 9}"#],
            (Some(900), None, Some(9)),
        ),
        // Anthropic's events through a gateway: what is in one is not in the other
        (
            &[r#"{"prompt_tokens": 900, "completion_tokens": 4}"#, r#"{"completion_tokens": 9}"#],
            (Some(900), None, Some(9)),
        ),
        // fewer tokens than the answer can have
        (&[r#"{"prompt_tokens": 900, "completion_tokens": 1}"#], (Some(900), None, None)),
        (&[r#"{"input_tokens": 900, "output_tokens": 9}"#], (Some(900), None, Some(9))),
        (
            &[r#"{"prompt_tokens": 12, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 888}}"#],
            (Some(900), Some(888), Some(9)),
        ),
        (
            &[r#"{"prompt_tokens": 900, "completion_tokens": 9, "prompt_tokens_details": null, "cached_tokens": 800}"#],
            (Some(900), Some(800), Some(9)),
        ),
        (
            &[
                r#"{"prompt_tokens": 900, "completion_tokens": 9, "prompt_cache_hit_tokens": 0, "prompt_cache_miss_tokens": 900}"#,
            ],
            (Some(900), Some(0), Some(9)),
        ),
        (
            &[r#"{"input_tokens": 12, "output_tokens": 9, "cache_read_input_tokens": 888}"#],
            (Some(900), Some(888), Some(9)),
        ),
    ] {
        assert_eq!(usage(usages), read, "{usages:?}");
    }
}
