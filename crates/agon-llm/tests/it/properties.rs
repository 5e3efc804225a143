//! What holds for any split, any truncation and any bytes.

use agon_llm::{ChatAnswer, ChatError, Decoder, Framing, NdjsonDecoder, SseDecoder, ToolCall};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The outcome of a decoder and what its sink heard.
type DecodeOutcome = (Result<ChatAnswer, ChatError>, String);

fn decode<D: Decoder>(mut decoder: D, parts: &[&[u8]]) -> DecodeOutcome {
    let mut heard = String::new();
    let mut sink = |delta: &str| heard.push_str(delta);
    let outcome = (|| {
        for part in parts {
            decoder.push(part, &mut sink)?;
        }
        decoder.finish(&mut sink)
    })();
    (outcome, heard)
}

fn split<'a>(bytes: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).chain([0, bytes.len()]).collect();
    ends.sort_unstable();
    ends.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

/// Pieces of an answer: text of any kind, or thinking.
fn pieces() -> impl Strategy<Value = Vec<(String, bool)>> {
    prop::collection::vec((any::<String>(), prop::bool::weighted(0.2)), 1..12)
}

fn ndjson(pieces: &[(String, bool)], calls: &[ToolCall]) -> Vec<u8> {
    let mut text = String::new();
    for (piece, is_thinking) in pieces {
        let field = if *is_thinking { "thinking" } else { "content" };
        text += &format!("{}\n", json!({"model": "m", "message": {"role": "assistant", field: piece}, "done": false}));
    }
    let calls: Vec<Value> = calls
        .iter()
        .map(|call| json!({"id": call.id, "function": {"name": call.name, "arguments": call.arguments}}))
        .collect();
    let done =
        json!({"message": {"content": "", "tool_calls": calls}, "done": true, "done_reason": "stop", "eval_count": 3});
    text += &format!("{done}\n");
    text.into_bytes()
}

fn sse(pieces: &[(String, bool)], pings: bool, line_end: &str) -> Vec<u8> {
    let mut text = String::new();
    let mut say = |line: &str| {
        text.push_str(line);
        text.push_str(line_end);
        text.push_str(line_end);
    };
    for (piece, is_thinking) in pieces {
        let field = if *is_thinking { "reasoning" } else { "content" };
        if pings {
            say(": ping");
        }
        say(&format!("data: {}", json!({"choices": [{"index": 0, "delta": {field: piece}}]})));
    }
    say(&format!("data: {}", json!({"choices": [{"delta": {}, "finish_reason": "stop"}]})));
    say(&format!("data: {}", json!({"choices": [], "usage": {"prompt_tokens": 3}})));
    say("data: [DONE]");
    text.into_bytes()
}

fn spoken(pieces: &[(String, bool)]) -> String {
    pieces.iter().filter(|(_, is_thinking)| !is_thinking).map(|(piece, _)| piece.as_str()).collect()
}

proptest! {
    #[test]
    fn any_split_of_ndjson_gives_the_same_answer(
        pieces in pieces(),
        call in any::<bool>(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        let call = call.then(|| ToolCall { id: Some("c".into()), name: "f".into(), arguments: json!({"x": "ü"}) });
        let calls: Vec<ToolCall> = call.into_iter().collect();
        let bytes = ndjson(&pieces, &calls);

        let whole = decode(NdjsonDecoder::new(Framing::Streamed), &[&bytes]);
        let parts = decode(NdjsonDecoder::new(Framing::Streamed), &split(&bytes, &cuts));

        prop_assert_eq!(&whole, &parts);
        prop_assert_eq!(&whole.1, &spoken(&pieces));
        let empty = spoken(&pieces).trim().is_empty() && calls.is_empty();
        prop_assert_eq!(whole.0.is_err(), empty);
        if let Ok(answer) = whole.0 {
            prop_assert_eq!((answer.text, answer.tool_calls), (spoken(&pieces), calls));
        }
    }

    #[test]
    fn any_split_of_sse_gives_the_same_answer(
        pieces in pieces(),
        pings in any::<bool>(),
        returns in any::<bool>(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        let bytes = sse(&pieces, pings, if returns { "\r\n" } else { "\n" });

        let whole = decode(SseDecoder::new(Framing::Streamed), &[&bytes]);
        let parts = decode(SseDecoder::new(Framing::Streamed), &split(&bytes, &cuts));

        prop_assert_eq!(&whole, &parts);
        prop_assert_eq!(&whole.1, &spoken(&pieces));
        prop_assert_eq!(whole.0.is_err(), spoken(&pieces).trim().is_empty());
    }

    #[test]
    fn any_truncation_of_ndjson_is_a_failure(pieces in pieces(), at in any::<prop::sample::Index>()) {
        let bytes = ndjson(&pieces, &[]);
        // The last line is whole at its brace; the line end after it carries nothing.
        let kept = &bytes[..at.index(bytes.len() - 1)];

        for framing in [Framing::Streamed, Framing::Whole] {
            prop_assert!(decode(NdjsonDecoder::new(framing), &[kept]).0.is_err());
        }
    }

    #[test]
    fn any_truncation_of_sse_before_its_reason_is_a_failure(pieces in pieces(), at in any::<prop::sample::Index>()) {
        let bytes = sse(&pieces, true, "\n");
        let reason = bytes.windows(13).rposition(|window| window == b"finish_reason").unwrap();
        let end = reason + bytes[reason..].iter().position(|byte| *byte == b'\n').unwrap();

        prop_assert!(decode(SseDecoder::new(Framing::Streamed), &[&bytes[..at.index(end)]]).0.is_err());
    }

    #[test]
    fn any_truncation_of_sse_after_its_reason_fails_or_keeps_the_whole_text(
        pieces in pieces(),
        at in any::<prop::sample::Index>(),
    ) {
        let bytes = sse(&pieces, true, "\n");

        let (outcome, _) = decode(SseDecoder::new(Framing::Streamed), &[&bytes[..at.index(bytes.len())]]);

        if let Ok(answer) = outcome {
            prop_assert_eq!(answer.text, spoken(&pieces));
        }
    }

    #[test]
    fn whatever_follows_the_end_changes_nothing(pieces in pieces(), after in prop::collection::vec(any::<u8>(), 0..50)) {
        let (lines, events) = (ndjson(&pieces, &[]), sse(&pieces, false, "\n"));

        let more = decode(NdjsonDecoder::new(Framing::Streamed), &[&lines, &after]);
        prop_assert_eq!(more, decode(NdjsonDecoder::new(Framing::Streamed), &[&lines]));
        let more = decode(SseDecoder::new(Framing::Streamed), &[&events, &after]);
        prop_assert_eq!(more, decode(SseDecoder::new(Framing::Streamed), &[&events]));
    }

    #[test]
    fn no_bytes_make_a_decoder_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        for framing in [Framing::Streamed, Framing::Whole] {
            prop_assert!(decode(NdjsonDecoder::new(framing), &[&bytes]).0.is_err());
            prop_assert!(decode(SseDecoder::new(framing), &[&bytes]).0.is_err());
        }
    }

    #[test]
    fn no_damage_to_a_valid_stream_makes_a_decoder_panic(
        pieces in pieces(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        for mut bytes in [ndjson(&pieces, &[]), sse(&pieces, true, "\n")] {
            for (at, byte) in &damage {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            let cuts: Vec<&[u8]> = bytes.chunks(1).collect();
            let first = decode(NdjsonDecoder::new(Framing::Streamed), &cuts);
            prop_assert_eq!(first, decode(NdjsonDecoder::new(Framing::Streamed), &[&bytes]));
            let second = decode(SseDecoder::new(Framing::Streamed), &cuts);
            prop_assert_eq!(second, decode(SseDecoder::new(Framing::Streamed), &[&bytes]));
        }
    }

    #[test]
    fn no_json_in_place_of_an_answer_makes_a_decoder_panic(value in arbitrary_json()) {
        let line = format!("{value}\n");
        let event = format!("data: {value}\n\n");
        for parts in [[line.as_bytes()], [event.as_bytes()]] {
            let ndjson = decode(NdjsonDecoder::new(Framing::Streamed), &parts);
            prop_assert_eq!(ndjson, decode(NdjsonDecoder::new(Framing::Streamed), &parts[0].chunks(7).collect::<Vec<_>>()));
            let sse = decode(SseDecoder::new(Framing::Streamed), &parts);
            prop_assert_eq!(sse, decode(SseDecoder::new(Framing::Streamed), &parts[0].chunks(7).collect::<Vec<_>>()));
        }
    }
}

/// JSON whose keys are those that the decoders look for.
fn arbitrary_json() -> impl Strategy<Value = Value> {
    let key = prop::sample::select(vec![
        "message",
        "content",
        "done",
        "done_reason",
        "error",
        "tool_calls",
        "function",
        "name",
        "arguments",
        "choices",
        "delta",
        "finish_reason",
        "usage",
        "prompt_tokens",
        "index",
        "id",
        "eval_count",
        "timings",
        "object",
        "code",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..6)
                .prop_map(|fields| fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Value>()),
        ]
    })
}
