//! The port: what the runtime tells of its work.
use agon_core::{
    Admission, Ask, Call, DebateId, Failure, HostId, ModelName, NodeId, Position, Record, Timestamp, TurnId, Usage,
};
use std::sync::Arc;

/// Is told what happens. Every call returns at once and none can fail: watching never holds a debate up.
pub trait Observer: Send + Sync {
    /// This process has written a new debate's admission.
    fn debate_admitted(&self, _: &Admission, _: Timestamp) {}
    /// This process has claimed a debate.
    fn debate_claimed(&self, _: &DebateClaimed<'_>) {}
    /// This process's coordinator has appended a record.
    fn recorded(&self, _: &DebateId, _: &Record) {}
    /// Whether [`Observer::debate_ended`] wants the log; spares its reading.
    fn wants_log(&self) -> bool {
        false
    }
    /// The whole log of a debate, told once: by the process that appended its end.
    fn debate_ended(&self, _: &[Arc<Record>]) {}
    /// A host of this process has tried a turn.
    fn turn_played(&self, _: &TurnPlayed<'_>) {}
    /// A breaker has changed; told once at its start, too.
    fn breaker_changed(&self, _: HostedModel<'_>, _: CircuitState) {}
    /// A host of this process was given an order by somebody who does not know its key.
    fn order_refused(&self, _: &HostId) {}
    /// Permits were taken, given back or changed in number.
    fn permits_changed(&self, _: HostedModel<'_>, _: Permits) {}
    /// A model was to read what was said while others spoke.
    fn read_ahead(&self, _: HostedModel<'_>, _: ReadEnd) {}
    /// So many debates are coordinated by this process.
    fn debates_active(&self, _: usize) {}
    /// So many evals are driven by this process.
    fn evals_active(&self, _: usize) {}
    /// This process's driver of an eval has written down that a cell is over.
    fn eval_cell_closed(&self, _: EvalCellEnd) {}
    /// This process's driver has ended an eval: `complete`, `stopped`, `cancelled` or `failed`.
    fn eval_ended(&self, _: &str) {}
    /// Whether [`TurnPlayed::content`] is wanted; spares keeping the prompt.
    fn captures_content(&self) -> bool {
        false
    }
    /// The W3C `traceparent` that messages about a turn travel with.
    fn traceparent(&self, _: &DebateId, _: TurnId) -> Option<Arc<str>> {
        None
    }
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Silent;

impl Observer for Silent {}

/// A claim of a debate.
#[derive(Clone, Copy, Debug)]
pub struct DebateClaimed<'a> {
    /// The debate.
    pub admission: &'a Admission,
    /// Who claimed it.
    pub writer: &'a NodeId,
    /// When the debate was admitted.
    pub admitted: Timestamp,
    /// When it was claimed.
    pub at: Timestamp,
    /// Which claim it is, from 1; a later one is a takeover.
    pub epoch: u64,
    /// The end of the log before the claim.
    pub after: Position,
}

/// A cell of an eval that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvalCellEnd {
    /// It grades answers, and gives none.
    pub grades: bool,
    /// `answered`, `no_answer` or `failed`.
    pub state: &'static str,
    /// An earlier eval has paid for it.
    pub reused: bool,
}

/// One try of a turn at one host.
#[derive(Clone, Copy, Debug)]
pub struct TurnPlayed<'a> {
    /// Whose turn it is.
    pub debate: &'a DebateId,
    /// Its beginning; absent where the host could not read the log.
    pub admission: Option<&'a Admission>,
    /// What was asked.
    pub ask: &'a Ask,
    /// The host that played it.
    pub host: &'a HostId,
    /// The model server behind it; absent where a participant outside Agon answers.
    pub server: Option<&'a ModelServer>,
    /// When the host took the turn.
    pub taken: Timestamp,
    /// When the request went out; absent where it never did.
    pub sent: Option<Timestamp>,
    /// When the try was over, the register's word included.
    pub ended: Timestamp,
    /// What it cost, as far as it is known. `timing.queue_ms` is the wait for a permit.
    pub call: &'a Call,
    /// The model that answered, by the server's own word.
    pub response_model: Option<&'a str>,
    /// How it ended.
    pub end: TurnEnd<'a>,
    /// Whether this try decided the turn's register; absent where it did not come to that.
    pub won: Option<bool>,
    /// What was said, where [`Observer::captures_content`] asks for it.
    pub content: Option<&'a Content<'a>>,
}

/// How a try ended at its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnEnd<'a> {
    /// With a well-formed answer.
    Answered,
    /// With a failure.
    Failed(&'a Failure),
    /// It was aborted, because the register was decided elsewhere.
    Overtaken,
}

/// How reading ahead ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadEnd {
    /// The model has read, which took these tokens.
    Read(Usage),
    /// It gave way to a turn. What it had read by then is not known.
    GaveWay,
    /// The call failed.
    Failed,
}
impl ReadEnd {
    /// Its name in metrics.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Read(_) => "read",
            Self::GaveWay => "gave_way",
            Self::Failed => "failed",
        }
    }
}

/// What a model was told and what it said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content<'a> {
    /// The prompt, in order.
    pub input: Vec<ConversationMessage<'a>>,
    /// The answer, as far as it came.
    pub output: Option<&'a str>,
}

/// A message of a conversation with a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConversationMessage<'a> {
    /// `system`, `user` or `assistant`.
    pub role: &'a str,
    /// In full; a trace keeps it only where content is exported.
    pub text: &'a str,
}

/// A model server as a trace names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelServer {
    /// `ollama`, or `openai-compatible`.
    pub provider: &'static str,
    /// Its host name or address.
    pub address: String,
    /// Absent where the address names none.
    pub port: Option<u16>,
}

/// The place of a model at a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostedModel<'a> {
    /// The host.
    pub host: &'a HostId,
    /// The model.
    pub model: &'a ModelName,
}

/// What is let through to a model server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CircuitState {
    /// Everything.
    Closed,
    /// One probe at a time.
    HalfOpen,
    /// Nothing.
    Open,
    /// One look at a time, because the model server is away; that is no matter of the breaker.
    Away,
}

/// The permits of a model at a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permits {
    /// Calls that run.
    pub in_use: usize,
    /// Calls that may run at once.
    pub limit: usize,
    /// Turns that wait for one.
    pub waiting: usize,
}
