//! What models and their servers say.
use crate::dice::{SplitMix, mutate};
use agon_core::{Ask, DebateSpec};
use agon_llm::{Decoder, Discard, Framing, NdjsonDecoder, SseDecoder};
use agon_prompt::read_answer;
use agon_proto::{Wire, strategies};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

const OLLAMA: [&str; 4] = [
    "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"Tea \",\"thinking\":\"so\"},\"done\":false}\n",
    "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":{\"a\":1}}}]},\"done\":false}\n",
    "{\"error\":\"model requires more memory\"}\n",
    "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"eval_count\":5,\"prompt_eval_count\":18446744073709551615,\"total_duration\":1}\n",
];
const OPENAI: [&str; 5] = [
    "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Tea \"},\"finish_reason\":null}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":4294967295,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}]}\n\n",
    ": comment\n\nevent: x\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1e300}}\n\n",
    "data: [DONE]\n\n",
];

fn stream(dice: &mut SplitMix, pieces: &[&'static str]) -> Vec<u8> {
    let text: String = (0..=dice.size(300)).map(|_| dice.pick(pieces)).collect();
    let last = pieces.last().copied().unwrap_or_default();
    let text = if dice.once_in(2) { text + last } else { text };
    mutate(dice, text.into_bytes())
}

/// Reads the bytes at once and in pieces; the answers are the same.
fn decode<D: Decoder>(input: &[u8], new: fn(Framing) -> D) {
    for framing in [Framing::Streamed, Framing::Whole] {
        let read = |size: usize| {
            let mut decoder = new(framing);
            for chunk in input.chunks(size.max(1)) {
                decoder.push(chunk, &mut Discard)?;
            }
            decoder.finish(&mut Discard)
        };
        let (whole, pieces) = (read(input.len()), read(7));
        assert_eq!(whole.is_ok(), pieces.is_ok(), "the split decides: {whole:?} {pieces:?}");
    }
}

pub fn make_ollama(dice: &mut SplitMix) -> Vec<u8> {
    stream(dice, &OLLAMA)
}
pub fn run_ollama(input: &[u8]) {
    decode(input, NdjsonDecoder::new);
}
pub fn make_openai(dice: &mut SplitMix) -> Vec<u8> {
    stream(dice, &OPENAI)
}
pub fn run_openai(input: &[u8]) {
    decode(input, SseDecoder::new);
}

const ANSWERS: [&str; 8] = [
    "{\"choice\":\"tea\",\"reasons\":[\"it is hot\"],\"confidence\":0.7}",
    "{\"winner\":\"tea\",\"reasoning\":\"so\",\"citations\":[{\"entry\":1,\"quote\":\"tea is hot and good\"}],\"scores\":{\"A\":7}}",
    "{\"ranking\":[\"tea\",\"coffee\"],\"approved\":[\"tea\"]}",
    "{\"summary\":\"s\",\"next_speakers\":[\"A\"],\"questions\":[{\"to\":\"A\",\"question\":\"why?\"}],\"done\":true}",
    "<think>{\"choice\": 1}</think>\n```json\n{\"choice\":\"coffee\"}\n```",
    "I say tea. **Answer:** tea\n```check smt\n(assert true)\n```",
    "[[[[",
    "{\"a\":",
];

/// A spec and an ask, each with its length before it, then the text of the model.
pub fn make_answer(dice: &mut SplitMix) -> Vec<u8> {
    let mut seed = [0; 32];
    seed.iter_mut().for_each(|byte| *byte = u8::try_from(dice.below(256)).unwrap_or_default());
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let spec = strategies::spec().new_tree(&mut runner).map(|tree| tree.current().to_bytes()).unwrap_or_default();
    let ask = strategies::ask().new_tree(&mut runner).map(|tree| tree.current().to_bytes()).unwrap_or_default();
    let text: String = (0..=dice.size(4)).map(|_| dice.pick(&ANSWERS)).collect();
    let text = if dice.once_in(20) { dice.pick(&ANSWERS).repeat(dice.below(20_000)) } else { text };
    let text = mutate(dice, text.into_bytes());
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or_default().to_be_bytes();
    [length(&spec).as_slice(), &spec, &length(&ask), &ask, &text].concat()
}

pub fn run_answer(input: &[u8]) {
    let part = |input: &[u8]| -> Option<(Vec<u8>, Vec<u8>)> {
        let (length, rest) = input.split_first_chunk::<4>()?;
        let (part, rest) = rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
        Some((part.to_vec(), rest.to_vec()))
    };
    let Some((spec, rest)) = part(input) else { return };
    let Some((ask, text)) = part(&rest) else { return };
    let (Ok(spec), Ok(ask)) = (DebateSpec::from_bytes(&spec), Ask::from_bytes(&ask)) else { return };
    // What a model may say is bounded by its tokens and by the client, far below this.
    let _ = read_answer(&spec, &ask, &String::from_utf8_lossy(&text));
}
