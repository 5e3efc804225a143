//! Why a turn failed, and whether trying again can help.
use serde::Serialize;

/// Why a try failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The kind.
    pub cause: FailureCause,
    /// What happened, for a person.
    pub detail: String,
    /// The server's own wish, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}
impl Failure {
    /// A failure without a retry hint.
    pub fn new(cause: FailureCause, detail: impl Into<String>) -> Self {
        Self { cause, detail: detail.into(), retry_after_ms: None }
    }
}

named! {
    /// The kind of a failure.
    #[derive(PartialOrd, Ord)]
    pub enum FailureCause {
        /// No answer in time.
        Timeout = "timeout",
        /// The server is at its limit.
        Busy = "busy",
        /// Nobody serves the model.
        NotFound = "not_found",
        /// The prompt does not fit the model's context.
        ContextOverflow = "context_overflow",
        /// Generation was cut by the token limit.
        Truncated = "truncated",
        /// The answer is empty, refused, withheld by the service, or not of the form that was asked for.
        Malformed = "malformed",
        /// No connection, or one that broke.
        Transport = "transport",
        /// The server failed.
        ServerError = "server_error",
        /// The server refuses the request as it is.
        BadRequest = "bad_request",
        /// The server refuses the credentials.
        Unauthorized = "unauthorized",
        /// The account's quota is spent.
        Quota = "quota",
        /// The breaker of every host that could serve it is open, so that no call was made.
        BreakerOpen = "breaker_open",
        /// The model server could not be reached, or had no room, for as long as a turn waits for that. No call was answered.
        ServerAway = "server_away",
        /// The participant's actor failed.
        Internal = "internal",
        /// The turn was cancelled.
        Cancelled = "cancelled",
        /// The host does not have a tool that the participant is to have.
        ToolMissing = "tool_missing",
        /// The answer came steadily, and too slowly to end within the turn's time.
        TooSlow = "too_slow",
    }
}
impl FailureCause {
    /// How often the same model is asked again at the most, this first try included.
    pub fn tries(self, policy: &RetryPolicy) -> u32 {
        match self {
            Self::Timeout | Self::Busy | Self::Transport | Self::ServerError | Self::Internal => policy.max_attempts,
            Self::Malformed | Self::Truncated => policy.max_attempts.min(2),
            Self::NotFound
            | Self::ContextOverflow
            | Self::BadRequest
            | Self::Unauthorized
            | Self::Quota
            | Self::ToolMissing
            // no call was made; whether the debate waits for the breaker depends on who else can go on
            | Self::BreakerOpen
            | Self::ServerAway
            // the same call would take as long again
            | Self::TooSlow
            | Self::Cancelled => 1,
        }
    }
    /// Whether the next try may start at once, because the fault lies in the answer and not in the server.
    pub fn retries_at_once(self) -> bool {
        matches!(self, Self::Malformed | Self::Truncated)
    }
}

/// How tries follow each other. Recorded at admission, so that a replay knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RetryPolicy {
    /// Tries per model and turn, 1 or more.
    pub max_attempts: u32,
    /// Wait before the second try, in milliseconds; doubles each time.
    pub base_delay_ms: u64,
    /// Longest wait, in milliseconds.
    pub max_delay_ms: u64,
    /// How long a turn may wait for a host before its generation starts, in milliseconds.
    pub wait_limit_ms: u64,
}
impl Default for RetryPolicy {
    fn default() -> Self {
        Self { max_attempts: 3, base_delay_ms: 500, max_delay_ms: 30_000, wait_limit_ms: 600_000 }
    }
}
