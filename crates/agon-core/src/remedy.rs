//! What a person can do about a call that failed. One table of words for the reports, the terminal and `agon doctor`.
use crate::call::Call;
use crate::failure::{Failure, FailureCause};
use crate::spec::{Outgrown, Overlong};

/// For a model that its server has no memory for.
pub const SMALLER_MODEL: &str =
    "use a smaller model or quantisation, or a smaller `num_ctx`; the server's log says what it lacks";
/// For a server that takes calls and does not answer.
pub const SILENT: &str = "look into the server's log and restart it; where it is only slow, use a smaller model, or raise `first_byte_timeout` of this host";

/// For a model that thinks until its limit, or says nothing after it.
const THINK_LESS: &str = "the model only thought: raise `max_tokens`, or set `think: false` or `think: low` where its server can turn thinking down";
/// What failures say of such a model.
const THINKING: [&str; 2] = ["characters of thinking", "token limit was spent"];
/// For an answer that was longer than it may be.
const MORE_TOKENS: &str = "raise `max_tokens` of this role";
/// For a model that does not come to an end.
const LESS_OF_THE_SAME: &str = "set `presence_penalty` of this role, such as 1.5, or use a larger model";
/// What Ollama and its runner say of a model that does not fit, in lower case.
const NO_MEMORY: [&str; 4] = ["more system memory", "out of memory", "insufficient memory", "runner died"];
/// What clients say of a server that is not there, in lower case.
const NOT_THERE: [&str; 3] = ["could not connect", "connecting took too long", "no connection"];

/// The command that gets a model at Ollama.
pub fn pull(model: &str) -> String {
    format!("ollama pull {model}")
}

impl Failure {
    /// What to do about it, in one line, where something is known to help and the failure does not say so itself, as logs of
    /// earlier versions do. It follows from the log: `call` is the one that failed.
    pub fn remedy(&self, call: &Call) -> Option<String> {
        // what no host was asked for says itself who serves what
        let host = call.host.as_deref()?;
        let said = self.detail.to_lowercase();
        let has = |any: &[&str]| any.iter().any(|words| said.contains(words));
        match self.cause {
            FailureCause::NotFound => Some(match missing(&self.detail) {
                Some(model) => format!("`{}` at the server of {host}, or name a model that it has", pull(model)),
                None => format!("name a model that the server of {host} offers"),
            }),
            FailureCause::ContextOverflow if !has(&["`num_ctx`"]) => Some(format!(
                "{}; servers other than Ollama are given the context when they start (`--ctx-size`, `--max-model-len`)",
                Outgrown::REMEDY
            )),
            FailureCause::Truncated | FailureCause::Malformed if has(&THINKING) => Some(THINK_LESS.to_owned()),
            FailureCause::Truncated if has(&["over and over"]) => Some(LESS_OF_THE_SAME.to_owned()),
            FailureCause::Truncated if has(&["cut at its token limit"]) => Some(MORE_TOKENS.to_owned()),
            FailureCause::TooSlow if !has(&["`timeout_per_turn`"]) => Some(Overlong::REMEDY.to_owned()),
            // an empty 403 is about addresses, and says so
            FailureCause::Unauthorized if !has(&["host header"]) => Some(format!(
                "see to the key of {host}: `api_key` of this host in `[[hosts]]` names its variable or file, `--api-key-env` on the command line, and services have their own, such as `OPENAI_API_KEY`"
            )),
            FailureCause::Transport | FailureCause::ServerAway | FailureCause::Timeout if has(&NOT_THERE) => {
                Some(format!(
                    "is the model server of {host} running, and at the address in the settings? `agon doctor` looks"
                ))
            }
            FailureCause::Timeout if has(&["no answer began in time"]) => Some(SILENT.to_owned()),
            FailureCause::ServerError if has(&NO_MEMORY) => Some(SMALLER_MODEL.to_owned()),
            _ => None,
        }
    }

    /// What happened and what to do about it.
    pub fn with_remedy(&self, call: Option<&Call>) -> String {
        match call.and_then(|call| self.remedy(call)) {
            Some(remedy) => format!("{}; {remedy}", self.detail),
            None => self.detail.clone(),
        }
    }
}

/// The model that Ollama has not got, by its words: `model 'x' not found`, in older versions `model "x" not found, try pulling it
/// first`. A name that no shell would take for one word is none.
fn missing(said: &str) -> Option<&str> {
    let (_, rest) = said.split_once("model '").or_else(|| said.split_once("model \""))?;
    let (name, rest) = rest.split_once(['\'', '"'])?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "._:/-".contains(c);
    let is_name = name.chars().all(plain) && name.starts_with(|c: char| c.is_ascii_alphanumeric());
    (is_name && rest.starts_with(" not found")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remedy(cause: FailureCause, detail: &str) -> Option<String> {
        let call = Call { host: Some("gpu1".to_owned()), ..Call::default() };
        Failure::new(cause, detail).remedy(&call)
    }

    #[test]
    fn failures_of_calls_have_a_remedy_in_one_line() {
        use FailureCause as Cause;
        let connect = "could not connect: Connection refused (os error 111)";
        let cases = [
            // as recorded of Ollama, natively and under /v1
            (
                Cause::NotFound,
                "the server does not have the model: model 'nobody:1b' not found",
                "`ollama pull nobody:1b` at the server of gpu1",
            ),
            (Cause::NotFound, "model \"llama3\" not found, try pulling it first", "`ollama pull llama3`"),
            (Cause::NotFound, "The model `x` does not exist.", "name a model that the server of gpu1 offers"),
            // as recorded of llama.cpp
            (
                Cause::ContextOverflow,
                "the prompt does not fit the context: request (732 tokens) exceeds the available context size (512 tokens), try increasing it",
                "`memory: rolling_window`",
            ),
            (Cause::ContextOverflow, "the prompt does not fit the context", "`--ctx-size`"),
            (Cause::Unauthorized, "the server refused access: unauthorized", "`api_key`"),
            (Cause::Transport, connect, "`agon doctor`"),
            (Cause::ServerAway, "gpu1: no connection since 600 s", "is the model server of gpu1 running"),
            (
                Cause::ServerError,
                "the server failed: model requires more system memory (5.6 GiB) than is available (3.1 GiB)",
                "quantisation",
            ),
            (Cause::ServerError, "the model's runner died: exit status 2", "quantisation"),
            (Cause::Timeout, "no answer began in time", "`first_byte_timeout`"),
            (Cause::TooSlow, "timed out after 2 min 0 s", "`timeout_per_turn`"),
            (Cause::Truncated, "the token limit was spent on 2550 characters of thinking", "`max_tokens`"),
            (Cause::Truncated, "the token limit was spent before any text", "`think: false`"),
            (Cause::Truncated, "the answer was cut at its token limit after 3000 characters", "`max_tokens`"),
            (Cause::Truncated, "gpu1: the answer says the same over and over", "`presence_penalty`"),
            (Cause::Malformed, "the answer is empty after 360 characters of thinking", "`think: false`"),
        ];
        for (cause, detail, wanted) in cases {
            let remedy = remedy(cause, detail).unwrap_or_default();
            assert!(remedy.contains(wanted) && !remedy.contains('\n'), "{detail}: {remedy:?}");
        }
    }

    #[test]
    fn nothing_is_said_where_nothing_helps_or_the_failure_says_it_itself() {
        let older = format!("a prompt of about 9 tokens leaves 1 of a context of 10; {}", Outgrown::REMEDY);
        for (cause, detail) in [
            (FailureCause::ContextOverflow, older.as_str()),
            (FailureCause::TooSlow, "timed out; raise `timeout_per_turn`"),
            (FailureCause::Unauthorized, "empty reply: Ollama bound to loopback refuses foreign Host headers"),
            (FailureCause::ServerAway, "gpu1: loading the model since 600 s"),
            (FailureCause::ServerError, "the server failed: teapot"),
            (FailureCause::Malformed, "no JSON"),
            (FailureCause::Malformed, "the answer is empty"),
        ] {
            assert_eq!(remedy(cause, detail), None, "{detail}");
        }
        let unasked = Failure::new(FailureCause::NotFound, "no host serves absent: gpu1 serves m");
        assert_eq!(unasked.with_remedy(Some(&Call::default())), unasked.detail);
    }

    #[test]
    fn a_server_cannot_put_a_command_into_a_remedy() {
        for name in ["x; rm -rf /", "$(reboot)", "-h", ""] {
            let said = remedy(FailureCause::NotFound, &format!("model '{name}' not found")).unwrap_or_default();
            assert!(!said.contains("ollama pull"), "{said}");
        }
    }
}
