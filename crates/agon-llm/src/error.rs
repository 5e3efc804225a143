//! Why a call failed, and what that means for the next one.

use std::time::Duration;

use crate::Pace;
use agon_core::Usage;

const MAX_DETAIL_CHARS: usize = 400;

/// A call that gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}{}{detail}", if detail.is_empty() { "" } else { ": " })]
pub struct ChatError {
    /// What happened.
    pub kind: ChatErrorKind,
    /// The server's words or the system's, shortened, without keys.
    pub detail: String,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// The tokens that were counted before the failure.
    pub usage: Usage,
    /// The HTTP status, when there was one.
    pub status: Option<u16>,
}

/// What happened to a failed call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChatErrorKind {
    /// The server has too much to do, or is still loading.
    #[error("the server is busy")]
    Busy,
    /// The server does not have the model.
    #[error("the server does not have the model")]
    NotFound,
    /// The server does not have the path: it is another kind of server, or the base address is wrong.
    #[error("the server does not know the path")]
    PathNotFound,
    /// The prompt does not fit the context.
    #[error("the prompt does not fit the context")]
    ContextOverflow {
        /// The prompt's size, when told.
        prompt_tokens: Option<u32>,
        /// The context's size, when told.
        context: Option<u32>,
    },
    /// The account has nothing left.
    #[error("the quota is used up")]
    Quota,
    /// The answer ran out of tokens.
    #[error("the answer was cut at its token limit after {partial_chars} characters")]
    Truncated {
        /// How much text there was.
        partial_chars: usize,
    },
    /// All tokens went into thinking.
    #[error("the token limit was spent {}", thought("on", *thinking_chars).unwrap_or_else(|| "before any text".to_owned()))]
    BudgetEaten {
        /// How much thinking there was.
        thinking_chars: usize,
    },
    /// The model ended without text and without a tool call.
    #[error("the answer is empty{}", thought(" after", *thinking_chars).unwrap_or_default())]
    Empty {
        /// How much thinking there was.
        thinking_chars: usize,
    },
    /// The model refused to answer, or the service withheld the answer.
    #[error("the answer was refused or withheld")]
    Refused,
    /// The server counted fewer prompt tokens than were sent.
    #[error("the server read {prompt_tokens} prompt tokens where at least {expected} were sent")]
    SilentTruncation {
        /// What the server counted.
        prompt_tokens: u64,
        /// What the caller knows to be the least.
        expected: u64,
    },
    /// The server sent something that is not its protocol.
    #[error("the server's reply is malformed")]
    Malformed,
    /// The request can never succeed as it is.
    #[error("the server refused the request")]
    BadRequest,
    /// The server wants a key, a sign-in or another address.
    #[error("the server refused access")]
    Unauthorized,
    /// The connection failed.
    #[error("{0}")]
    Transport(TransportFault),
    /// Something took too long.
    #[error("{0}")]
    Timeout(TimeoutPhase),
    /// The answer came steadily, and too slowly for the turn's limit: the same call would not end in time either.
    #[error("{0}")]
    Slow(Pace),
    /// The server failed.
    #[error("the server failed")]
    Server5xx,
    /// The process that runs the model died or could not start.
    #[error("the model's runner died")]
    RunnerDied,
    /// The server is loading the model, and was for as long as a call waits for that.
    #[error("the server is loading the model")]
    Loading,
    /// The call was given up by this side.
    #[error("the call was cancelled")]
    Cancelled,
}

/// How much was thought, where anything was.
fn thought(how: &str, chars: usize) -> Option<String> {
    (chars > 0).then(|| format!("{how} {chars} characters of thinking"))
}

/// How a connection failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransportFault {
    /// There was none: refused, no route, unknown name, TLS.
    #[error("could not connect")]
    Connect,
    /// It was closed before any answer came.
    #[error("the connection was closed before any answer")]
    Closed,
    /// It was torn down within an answer.
    #[error("the connection was reset")]
    Reset,
    /// It ended before the answer did.
    #[error("the answer ended before the server declared it done")]
    Cut,
}

/// Which limit was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeoutPhase {
    /// The connection was not made in time.
    #[error("connecting took too long")]
    Connect,
    /// Nothing came.
    #[error("no answer began in time")]
    FirstByte,
    /// Nothing more came.
    #[error("nothing more came within the idle limit")]
    Idle,
    /// The answer took too long in all.
    #[error("the answer was not complete in time")]
    Turn,
}

impl ChatError {
    /// An error with a bounded detail.
    #[must_use]
    pub fn new(kind: ChatErrorKind, detail: &str) -> Self {
        Self { kind, detail: shorten(detail), retry_after: None, usage: Usage::default(), status: None }
    }

    /// A call that this side gave up.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::new(ChatErrorKind::Cancelled, "")
    }

    pub(crate) fn malformed(detail: &str) -> Self {
        Self::new(ChatErrorKind::Malformed, detail)
    }

    pub(crate) fn cut(detail: &str) -> Self {
        Self::new(ChatErrorKind::Transport(TransportFault::Cut), detail)
    }

    pub(crate) fn timeout(phase: TimeoutPhase) -> Self {
        Self::new(ChatErrorKind::Timeout(phase), "")
    }

    /// Whether the same call may succeed when made again, here or at another host.
    #[must_use]
    pub fn can_retry(&self) -> bool {
        use ChatErrorKind as Kind;
        match self.kind {
            Kind::Busy | Kind::Loading | Kind::Transport(_) | Kind::Timeout(_) => true,
            Kind::Server5xx | Kind::RunnerDied => true,
            // A model draws anew: the next answer may well be a good one.
            Kind::Malformed | Kind::Empty { .. } | Kind::Refused => true,
            Kind::NotFound | Kind::PathNotFound | Kind::BadRequest | Kind::Unauthorized | Kind::Quota => false,
            Kind::ContextOverflow { .. } | Kind::SilentTruncation { .. } => false,
            Kind::Truncated { .. } | Kind::BudgetEaten { .. } | Kind::Slow(_) => false,
            Kind::Cancelled => false,
        }
    }

    /// Whether the server is away or has no room, and a call made again somewhat later finds it: connections are refused, its
    /// name is not known or it is not reached, as while it restarts, or it answers 503. Certificates that do not fit stay so.
    #[must_use]
    pub fn is_away(&self) -> bool {
        use ChatErrorKind as Kind;
        match self.kind {
            Kind::Transport(TransportFault::Connect) => {
                let told = self.detail.to_lowercase();
                !["certificate", "contenttype", "handshake", "tls"].iter().any(|word| told.contains(word))
            }
            Kind::Timeout(TimeoutPhase::Connect) | Kind::Loading => true,
            Kind::Busy => self.status == Some(503),
            _ => false,
        }
    }

    /// Whether nothing of an answer had come when the connection was closed.
    #[must_use]
    pub fn was_unanswered(&self) -> bool {
        self.kind == ChatErrorKind::Transport(TransportFault::Closed)
    }

    /// Whether the model thought and said nothing.
    #[must_use]
    pub fn is_thinking_alone(&self) -> bool {
        use ChatErrorKind as Kind;
        matches!(self.kind, Kind::BudgetEaten { .. })
            || matches!(self.kind, Kind::Empty { thinking_chars } if thinking_chars > 0)
    }

    /// Whether the failure speaks against the host: connection, time or a status of 500 and above.
    #[must_use]
    pub fn counts_for_breaker(&self) -> bool {
        use ChatErrorKind as Kind;
        match self.kind {
            Kind::Transport(_) | Kind::Timeout(_) | Kind::Server5xx | Kind::RunnerDied => true,
            Kind::Busy => self.status.is_some_and(|status| status >= 500),
            Kind::NotFound | Kind::PathNotFound | Kind::BadRequest | Kind::Unauthorized | Kind::Quota => false,
            Kind::ContextOverflow { .. } | Kind::SilentTruncation { .. } => false,
            Kind::Truncated { .. } | Kind::BudgetEaten { .. } | Kind::Empty { .. } => false,
            Kind::Malformed | Kind::Refused | Kind::Slow(_) => false,
            Kind::Loading | Kind::Cancelled => false,
        }
    }

    /// Removes `secret` from the detail, should the server have repeated it.
    pub(crate) fn redact(mut self, secret: &str) -> Self {
        self.detail = without_key(&self.detail, secret);
        self
    }
}

/// As many characters of a key give it away; fewer may be a word.
const TELLING: usize = 8;

/// The text without the key and without longer parts of it: some services repeat its beginning.
pub(crate) fn without_key(text: &str, key: &str) -> String {
    let least = TELLING.min(key.chars().count());
    if least == 0 {
        return text.to_owned();
    }
    let mut cleaned = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let part = longest_part(rest, key);
        let repeated = part.chars().count() >= least;
        if repeated {
            cleaned.push_str("[key]");
        } else {
            cleaned.push(first);
        }
        let taken = if repeated { part.len() } else { first.len_utf8() };
        rest = rest.get(taken..).unwrap_or_default();
    }
    cleaned
}

/// The longest beginning of `text` that is a part of the key.
fn longest_part<'a>(text: &'a str, key: &str) -> &'a str {
    let shared = |from: usize| {
        let part = key.get(from..).unwrap_or_default();
        let alike = text.char_indices().zip(part.chars()).take_while(|((_, one), other)| one == other);
        alike.last().map_or(0, |((at, c), _)| at + c.len_utf8())
    };
    let longest = key.char_indices().map(|(from, _)| shared(from)).max();
    text.get(..longest.unwrap_or_default()).unwrap_or_default()
}

/// Keeps the head of a text, on one line.
fn shorten(text: &str) -> String {
    let mut chars = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = chars.by_ref().take(MAX_DETAIL_CHARS).collect();
    if chars.next().is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_detail_is_bounded_and_on_one_line() {
        let error = ChatError::malformed(&"ä\n".repeat(1000));

        assert_eq!(error.detail.chars().count(), MAX_DETAIL_CHARS + 1);
        assert!(!error.detail.contains('\n'));
    }

    #[test]
    fn a_key_that_the_server_repeats_is_removed() {
        let error = ChatError::new(ChatErrorKind::Unauthorized, "bad key sk-123!").redact("sk-123");

        assert_eq!(error.to_string(), "the server refused access: bad key [key]!");
    }

    #[test]
    fn a_part_of_the_key_is_removed_too() {
        let key = "sk-proj-0123456789abcdef";
        assert_eq!(without_key("Incorrect key sk-proj-01234567****: no", key), "Incorrect key [key]****: no");
        assert_eq!(without_key("it ends with 789abcdef", key), "it ends with [key]");
        assert_eq!(without_key("a project of 0123 users", key), "a project of 0123 users");
        assert_eq!(without_key("key k7 is bad", "k7"), "key [key] is bad");
        assert_eq!(without_key("as is", ""), "as is");
    }

    #[test]
    fn a_busy_host_counts_for_the_breaker_only_with_a_5xx_status() {
        let busy = |status| ChatError { status: Some(status), ..ChatError::new(ChatErrorKind::Busy, "") };

        assert!(busy(503).counts_for_breaker());
        assert!(!busy(429).counts_for_breaker());
    }

    #[test]
    fn thinking_is_named_where_there_was_some() {
        for (kind, said) in [
            (ChatErrorKind::Empty { thinking_chars: 0 }, "the answer is empty"),
            (ChatErrorKind::Empty { thinking_chars: 9 }, "the answer is empty after 9 characters of thinking"),
            (ChatErrorKind::BudgetEaten { thinking_chars: 0 }, "the token limit was spent before any text"),
            (ChatErrorKind::BudgetEaten { thinking_chars: 9 }, "the token limit was spent on 9 characters of thinking"),
        ] {
            assert_eq!(kind.to_string(), said);
        }
    }

    #[test]
    fn an_error_is_small_enough_to_return_by_value() {
        assert!(size_of::<ChatError>() < 128, "{}", size_of::<ChatError>());
    }
}
