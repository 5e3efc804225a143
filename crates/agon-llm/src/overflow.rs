//! How model servers say that a prompt is too long for the context, with which numbers, and that they do not have a model.

/// Codes and phrases that say nothing else, whatever the status.
const ALWAYS: [&str; 6] = [
    "exceed_context_size",
    "context_length_exceeded",
    "contextwindowexceeded",
    "model_context_window_exceeded",
    "maximum context length",
    "exceeded model token limit",
];
/// Phrases of their own.
const TOLD: [&str; 22] = [
    "prompt is too long",
    "prompt too long",
    "prompt is longer than",
    "input is too long",
    "input too long",
    "inputs are too long",
    "input token count",
    "prompt token count",
    "number of input tokens",
    "input tokens exceed",
    "maximum prompt length",
    "maximum input length",
    "input length limit",
    "`inputs` tokens",
    "`inputs` must have less than",
    "range of input length should be",
    "configured context size is",
    "too many tokens: size limit exceeded",
    "reduce the length of the",
    "tokens in the prompt cannot exceed",
    "prompt 超长",
    "输入长度超",
];
/// What can be passed.
const BOUNDS: [&str; 7] = [
    "context length",
    "context size",
    "context window",
    "context limit",
    "maximum model length",
    "max_model_len",
    "max_seq_len",
];
/// That it was passed.
const PASSED: [&str; 7] = ["exceed", "longer than", "too long", "too large", "greater than", "overflow", "not enough"];
/// What comes before the number of the prompt's tokens.
const BEFORE_PROMPT: [&str; 24] = [
    "requested a total of ",
    "you requested about ",
    "you requested ",
    "requested tokens (",
    "(requested: ",
    "resulted in over ",
    "resulted in ",
    "your request has ",
    "request contains ",
    "request length ",
    "request (",
    "prompt contains ",
    "prompt has ",
    "prompt length (",
    "prompt (length ",
    "input token count is ",
    "input token count (",
    "prompt token count of ",
    "input (",
    "input tokens ",
    "output tokens (",
    "current length is ",
    "given: ",
    "too long: ",
];
/// The same, where another number comes after what seems to be one of these.
const BEFORE_PROMPT_ELSE: [&str; 2] = ["keep the first ", "context limit: "];
/// What comes before the number of tokens that the context has.
const BEFORE_CONTEXT: [&str; 24] = [
    "maximum context length is ",
    "maximum context length: ",
    "model with ",
    "context length (",
    "context size (",
    "context size is ",
    "context length of only ",
    "context length of ",
    "context window of ",
    "window limit (",
    "model length of ",
    "tokens allowed (",
    "maximum prompt length is ",
    "maximum input length (",
    "length limit ",
    "limit for this model is ",
    "configured limit of ",
    "model token limit: ",
    "tokens limit ",
    "supports up to ",
    "max_seq_len ",
    "should be [1, ",
    "while limit is ",
    "exceeds the limit of ",
];
const BEFORE_CONTEXT_ELSE: [&str; 5] = ["must be <= ", "must have less than ", "cannot exceed ", " > ", "context "];

/// Whether words, in lower case, say so beyond doubt.
pub(crate) fn is_certain(words: &str) -> bool {
    has(words, &ALWAYS)
}

/// Whether the words of a server that refuses a request say so: by a phrase, or by a line that names the bound and says
/// that it was passed.
pub(crate) fn is_told(words: &str) -> bool {
    has(words, &TOLD) || words.lines().any(|line| has(line, &BOUNDS) && has(line, &PASSED))
}

/// How servers say that they do not have a model, whatever the status.
const MISSING: [&str; 20] = [
    "model_not_found",
    "model not found",
    "modelnotfound",
    "model not exist",
    "model does not exist",
    "no such model",
    "unknown model",
    "unknown_model",
    "invalid model",
    "invalid_model",
    "model identifier is invalid",
    "not a valid model",
    "unable to access model",
    "no models loaded",
    "no models are currently loaded",
    "no endpoints found for",
    "could not find real modelid",
    "deploymentnotfound",
    "api deployment for this resource does not exist",
    "模型不存在",
];
/// What is said of a model, with its name between.
const ABSENT: [&str; 3] = ["does not exist", "not found", "is not available"];
/// How such a line may begin.
const NAMED: [&str; 4] = ["model '", "model `", "model \"", "requested model"];

/// Whether words, in lower case, say that the server does not have the model.
pub(crate) fn is_missing(words: &str) -> bool {
    has(words, &MISSING) || words.lines().any(|line| has(line, &NAMED) && has(line, &ABSENT))
}

/// The tokens of the prompt, where the words name them.
pub(crate) fn prompt_tokens(words: &str) -> Option<u32> {
    BEFORE_PROMPT.iter().chain(&BEFORE_PROMPT_ELSE).find_map(|phrase| number_after(words, phrase))
}

/// The tokens of the context, where the words name them.
pub(crate) fn context(words: &str) -> Option<u32> {
    BEFORE_CONTEXT.iter().chain(&BEFORE_CONTEXT_ELSE).find_map(|phrase| number_after(words, phrase))
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
