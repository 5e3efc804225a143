//! How model servers say that a prompt is too long for the context, and which numbers they give.

/// Codes and phrases that say nothing else, whatever the status.
const ALWAYS: [&str; 3] = ["exceed_context_size", "context_length_exceeded", "maximum context length"];
/// Phrases of their own.
const TOLD: [&str; 8] = [
    "prompt is too long",
    "prompt too long",
    "prompt is longer than",
    "input is too long",
    "input too long",
    "inputs are too long",
    "input token count",
    "maximum prompt length",
];
/// What can be passed.
const BOUNDS: [&str; 6] =
    ["context length", "context size", "context window", "context limit", "maximum model length", "max_model_len"];
/// That it was passed.
const PASSED: [&str; 7] = ["exceed", "longer than", "too long", "too large", "greater than", "overflow", "not enough"];
/// What comes before the number of the prompt's tokens.
const BEFORE_PROMPT: [&str; 13] = [
    "requested a total of ",
    "you requested ",
    "resulted in ",
    "your request has ",
    "request contains ",
    "request (",
    "prompt contains ",
    "prompt (length ",
    "input (",
    "input token count (",
    "too long: ",
    "keep the first ",
    "context limit: ",
];
/// What comes before the number of tokens that the context has.
const BEFORE_CONTEXT: [&str; 10] = [
    "maximum context length is ",
    "context length (",
    "context size (",
    "context length of only ",
    "context length of ",
    "model length of ",
    "tokens allowed (",
    "maximum prompt length is ",
    " > ",
    "context ",
];

/// Whether words, in lower case, say so beyond doubt.
pub(crate) fn is_certain(words: &str) -> bool {
    has(words, &ALWAYS)
}

/// Whether the words of a server that refuses a request say so: by a phrase, or by a line that names the bound and says
/// that it was passed.
pub(crate) fn is_told(words: &str) -> bool {
    has(words, &TOLD) || words.lines().any(|line| has(line, &BOUNDS) && has(line, &PASSED))
}

/// The tokens of the prompt, where the words name them.
pub(crate) fn prompt_tokens(words: &str) -> Option<u32> {
    BEFORE_PROMPT.iter().find_map(|phrase| number_after(words, phrase))
}

/// The tokens of the context, where the words name them.
pub(crate) fn context(words: &str) -> Option<u32> {
    BEFORE_CONTEXT.iter().find_map(|phrase| number_after(words, phrase))
}

fn has(words: &str, any: &[&str]) -> bool {
    any.iter().any(|phrase| words.contains(phrase))
}

/// The number behind the first place of a phrase that has one.
fn number_after(text: &str, phrase: &str) -> Option<u32> {
    text.match_indices(phrase).find_map(|(at, _)| {
        let rest = text.get(at + phrase.len()..)?;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest.get(..digits)?.parse().ok()
    })
}
