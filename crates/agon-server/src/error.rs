//! What can go wrong with a call, and how it is told: one table for gRPC and REST.
mod eval;

pub use eval::EvalProblem;

use agon_core::{DebateId, Position};
use agon_store::StoreError;
use http::StatusCode;
use std::collections::HashMap;
use std::time::Duration;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

/// Why a debate cannot be shown whose log is gone.
pub(crate) const LOST: &str =
    "its log is missing: its stream was deleted or purged, or a backup without it was restored";
/// The `domain` of every `ErrorInfo`.
pub const ERROR_DOMAIN: &str = "agon";
/// Bytes of the violations that one answer names: it travels in a header, and some clients take 8 KiB of headers at most.
const MAX_VIOLATIONS: usize = 4_000;
/// Bytes of one violation's text.
const MAX_TEXT: usize = 200;
/// What JetStream says of a stream that does not exist.
const GONE: &str = "stream not found";
/// What to do where a store is full.
const MAKE_ROOM: &str = "free space on its disk, raise its limit (nats.limits, where NATS is the store), or delete ended debates (agon delete)";
/// When to try again after a failure of a store or the bus.
const RETRY_UNAVAILABLE: Duration = Duration::from_secs(1);
/// When to try again after a store was full.
const RETRY_FULL: Duration = Duration::from_secs(5);

/// A field that cannot be taken as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Its path, such as `personas[1].stance`.
    pub field: String,
    /// What is wrong, and what is allowed.
    pub text: String,
}

impl Violation {
    /// A violation of one field.
    pub fn of(field: impl Into<String>, text: impl Into<String>) -> Self {
        Self { field: field.into(), text: text.into() }
    }
}

/// What a debate names that runs at hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MissingKind {
    /// Named under `tools`.
    Tool,
    /// Named under `verifiers`.
    Verifier,
}

/// A tool or verifier that no live host has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingTool {
    /// Which of both.
    pub kind: MissingKind,
    /// As the debate file has it.
    pub name: String,
    /// The participants that are to use it.
    pub wanted_by: Vec<String>,
    /// Those of its kind that live hosts have.
    pub offered: Vec<String>,
}

impl MissingTool {
    /// It, in words.
    pub fn what(&self) -> String {
        match self.kind {
            MissingKind::Tool => format!("the tool {:?}", self.name),
            MissingKind::Verifier => format!("the verifier {:?}", self.name),
        }
    }
    /// The table of the settings that would define it.
    pub fn setting(&self) -> String {
        match self.kind {
            MissingKind::Tool => format!("tools.{}", self.name),
            MissingKind::Verifier => format!("verifiers.{}", self.name),
        }
    }
    fn circumstances(&self) -> String {
        let offered = if self.offered.is_empty() { "none".to_owned() } else { self.offered.join(", ") };
        format!("needed by {}; offered by live hosts: {offered}", self.wanted_by.join(", "))
    }
}

/// Why a call was refused or failed. The table of `docs/reference/api.md` says the same in words.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Problem {
    /// Fields of the request, or the debate file in it, are wrong.
    #[error("{}", summary(.0))]
    Invalid(Vec<Violation>),
    /// The caller's tenant has no such debate.
    #[error("there is no debate {0}")]
    NoDebate(String),
    /// No live host has this name.
    #[error("there is no live host {0}")]
    NoHost(String),
    /// No debate that counts knows this persona.
    #[error("no ended debate has a persona {0:?}")]
    NoPersona(String),
    /// Another debate has the id.
    #[error("another debate has the id {0}")]
    DebateExists(String),
    /// A debate with the id was deleted.
    #[error("the id {0} belonged to a deleted debate; choose another one")]
    DebateDeleted(String),
    /// The request id was used for something else.
    #[error("the request id {request_id:?} was used for another request, which created debate {debate}")]
    RequestIdConflict {
        /// As the caller sent it.
        request_id: String,
        /// What it stands for.
        debate: String,
    },
    /// The debate is not over.
    #[error("debate {0} has not ended; cancel it first")]
    NotOver(String),
    /// The debate's state does not allow it.
    #[error("{detail}")]
    State {
        /// Which debate.
        debate: String,
        /// Why not.
        detail: String,
    },
    /// No live host has tools or verifiers that the debate names.
    #[error("{}", no_host_has(.0))]
    NotOffered(Vec<MissingTool>),
    /// So much waits already, or so many calls of this kind are open.
    #[error("{what}: {held} of at most {limit}; try again later")]
    Full {
        /// Which bound, as `ErrorInfo.reason`.
        reason: &'static str,
        /// Which bound, in words.
        what: &'static str,
        /// What is there.
        held: usize,
        /// What may be.
        limit: usize,
        /// When to try again.
        retry: Duration,
    },
    /// A store holds as much as it may: what is full, and what to do.
    #[error("{0}")]
    StoreFull(String),
    /// The log of a debate is gone, and the catalogue still knows of it.
    #[error("debate {0} is lost: {LOST}; `agon delete {0}` deletes the rest of it")]
    Lost(String),
    /// The bus or the stores cannot be reached, or it is unknown what became of a write.
    #[error("{0}; try again")]
    Unavailable(String),
    /// This gateway shuts down.
    #[error("this gateway is shutting down; try again with another one")]
    Draining,
    /// No credentials came, or they are not good.
    #[error("{0}")]
    Unauthenticated(&'static str),
    /// The caller may not do this.
    #[error("this needs the scope {0}")]
    MissingScope(&'static str),
    /// The page of another site may be behind the call.
    #[error("{0}")]
    CrossSite(String),
    /// The call names a host that this is not.
    #[error("{0}")]
    Host(String),
    /// The body is of no media type that is taken here.
    #[error("the content-type must be one of: {0}")]
    MediaType(String),
    /// There is nothing at the path of the call.
    #[error("there is nothing at this path")]
    NoRoute,
    /// The path of the call does not have its method.
    #[error("this path does not have the method")]
    NoMethod,
    /// A message or body is longer than it may be.
    #[error("the {what} is longer than {limit} bytes")]
    TooLarge {
        /// Which: the request or the answer.
        what: &'static str,
        /// What is allowed.
        limit: usize,
    },
    /// The caller's own deadline, or the server's, has passed.
    #[error("the call took longer than {} ms", .0.as_millis())]
    Deadline(Duration),
    /// A log is not what was written.
    #[error("the log of debate {debate} is damaged at event {}", at.0)]
    Damaged {
        /// Which debate.
        debate: String,
        /// First event of the damage.
        at: Position,
    },
    /// About an eval.
    #[error(transparent)]
    Eval(EvalProblem),
    /// A mistake in Agon.
    #[error("internal error: {0}")]
    Internal(String),
}

fn summary(violations: &[Violation]) -> String {
    let first = violations.first().map_or("the request is not valid", |violation| violation.text.as_str());
    match violations.len() {
        0 | 1 => first.to_owned(),
        count => format!("{first} (and {} more)", count - 1),
    }
}

fn no_host_has(missing: &[MissingTool]) -> String {
    let Some(first) = missing.first() else { return "no live host has what the debate names".to_owned() };
    let more = if missing.len() > 1 { format!(" (and {} more)", missing.len() - 1) } else { String::new() };
    let (what, setting) = (first.what(), first.setting());
    format!(
        "no live host has {what}{more}: start a host with [{setting}] in its settings, or remove it from the debate"
    )
}

impl Problem {
    /// One wrong field.
    pub fn invalid(field: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Invalid(vec![Violation::of(field, text)])
    }

    /// What a store's failure means to the caller.
    pub fn of_store(error: &StoreError) -> Self {
        match error {
            StoreError::Backend(detail) => {
                tracing::warn!(%error, "store failed");
                // other words of a database are not for callers
                let known = [(GONE, ": a stream of it does not exist"), ("JetStream", ": JetStream does not answer")];
                let why = known.into_iter().find(|(word, _)| detail.contains(word)).map_or("", |(_, why)| why);
                Self::Unavailable(format!("the store is unreachable{why}"))
            }
            StoreError::Damaged { debate, at, detail } => {
                tracing::error!(%debate, at = at.0, detail, "log damaged");
                Self::Damaged { debate: debate.name().to_owned(), at: *at }
            }
            StoreError::NotFound(debate) => Self::no_debate(debate),
            StoreError::Full(what) if what.starts_with("the job queue") => {
                Self::StoreFull(format!("{what} is full; try again later"))
            }
            StoreError::Full(what) => Self::StoreFull(format!("{what} is full; {MAKE_ROOM}")),
        }
    }

    /// The debate is unknown in its tenant.
    pub fn no_debate(debate: &DebateId) -> Self {
        Self::NoDebate(debate.name().to_owned())
    }

    /// The gRPC code.
    pub fn code(&self) -> Code {
        self.row().code
    }

    /// The status over HTTP.
    pub fn http_status(&self) -> StatusCode {
        match self {
            Problem::MediaType(_) => return StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Problem::TooLarge { .. } => return StatusCode::PAYLOAD_TOO_LARGE,
            Problem::NoMethod => return StatusCode::METHOD_NOT_ALLOWED,
            _ => {}
        }
        match self.code() {
            Code::InvalidArgument | Code::FailedPrecondition | Code::OutOfRange => StatusCode::BAD_REQUEST,
            Code::NotFound => StatusCode::NOT_FOUND,
            Code::AlreadyExists | Code::Aborted => StatusCode::CONFLICT,
            Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
            Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Code::Unauthenticated => StatusCode::UNAUTHORIZED,
            Code::PermissionDenied => StatusCode::FORBIDDEN,
            Code::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
            Code::Unimplemented => StatusCode::NOT_IMPLEMENTED,
            Code::Ok | Code::Cancelled | Code::Unknown | Code::Internal | Code::DataLoss => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        }
    }

    /// The constant that programs branch on.
    pub fn reason(&self) -> &'static str {
        self.row().reason
    }

    /// When to try again, where that can help.
    pub fn retry_after(&self) -> Option<Duration> {
        self.row().retry
    }

    /// Its row of the table.
    fn row(&self) -> Row {
        match self {
            Self::Invalid(all) => Row::of(Code::InvalidArgument, "INVALID_REQUEST").with("violations", all.len()),
            Self::MediaType(_) => Row::of(Code::InvalidArgument, "MEDIA_TYPE"),
            Self::NoDebate(name) => Row::of(Code::NotFound, "DEBATE_NOT_FOUND").debate(name),
            Self::NoHost(name) => {
                Row::of(Code::NotFound, "HOST_NOT_FOUND").about("agon.v1.Host", format!("hosts/{name}"))
            }
            Self::NoPersona(name) => {
                Row::of(Code::NotFound, "PERSONA_NOT_FOUND").about("agon.v1.PersonaRecord", format!("ratings/{name}"))
            }
            Self::NoRoute => Row::of(Code::NotFound, "PATH_NOT_FOUND"),
            Self::DebateExists(name) => Row::of(Code::AlreadyExists, "DEBATE_EXISTS").debate(name),
            Self::DebateDeleted(name) => Row::of(Code::AlreadyExists, "DEBATE_DELETED").debate(name),
            Self::RequestIdConflict { request_id, debate } => {
                let row = Row::of(Code::AlreadyExists, "REQUEST_ID_CONFLICT").debate(debate);
                row.with("request_id", request_id).with("debate", debate)
            }
            Self::NotOver(name) => Row::of(Code::FailedPrecondition, "DEBATE_NOT_OVER").debate(name),
            Self::State { debate, .. } => Row::of(Code::FailedPrecondition, "DEBATE_STATE").debate(debate),
            Self::NotOffered(all) => {
                let missing: Vec<String> = all.iter().map(MissingTool::setting).collect();
                Row::of(Code::FailedPrecondition, "TOOL_NOT_OFFERED").with("missing", missing.join(","))
            }
            Self::Full { reason, held, limit, retry, .. } => {
                Row::of(Code::ResourceExhausted, reason).with("held", held).with("limit", limit).retry(*retry)
            }
            Self::StoreFull(_) => Row::of(Code::ResourceExhausted, "STORE_FULL").retry(RETRY_FULL),
            Self::Unavailable(_) => Row::of(Code::Unavailable, "UNAVAILABLE").retry(RETRY_UNAVAILABLE),
            Self::Draining => Row::of(Code::Unavailable, "DRAINING").retry(RETRY_UNAVAILABLE),
            Self::Unauthenticated(_) => Row::of(Code::Unauthenticated, "UNAUTHENTICATED"),
            Self::MissingScope(scope) => Row::of(Code::PermissionDenied, "MISSING_SCOPE").with("scope", scope),
            Self::CrossSite(_) => Row::of(Code::PermissionDenied, "CROSS_SITE"),
            Self::Host(_) => Row::of(Code::PermissionDenied, "HOST_NOT_ALLOWED"),
            Self::NoMethod => Row::of(Code::Unimplemented, "METHOD_NOT_FOUND"),
            Self::TooLarge { limit, .. } => Row::of(Code::OutOfRange, "TOO_LARGE").with("limit", limit),
            Self::Deadline(_) => Row::of(Code::DeadlineExceeded, "DEADLINE_EXCEEDED"),
            Self::Damaged { debate, at } => Row::of(Code::DataLoss, "LOG_DAMAGED").debate(debate).with("at", at.0),
            Self::Lost(name) => Row::of(Code::DataLoss, "LOG_LOST").debate(name),
            Self::Eval(problem) => problem.row(),
            Self::Internal(_) => Row::of(Code::Internal, "INTERNAL"),
        }
    }

    /// The details of its status; `call` is the id under which the logs know the call.
    pub fn details(&self, call: &str) -> ErrorDetails {
        let mut details = ErrorDetails::new();
        let Row { code, reason, retry, resource, metadata } = self.row();
        let said = cut(&self.to_string());
        details.set_error_info(reason, ERROR_DOMAIN, metadata);
        if let Self::Invalid(violations) = self {
            for (field, text) in fitting(violations.iter().map(|one| (cut(&one.field), cut(&one.text)))) {
                details.add_bad_request_violation(field, text);
            }
        }
        if let Self::NotOffered(all) = self {
            for (setting, text) in fitting(all.iter().map(|one| (cut(&one.setting()), cut(&one.circumstances())))) {
                details.add_precondition_failure_violation(reason, setting, text);
            }
        }
        if let Self::MediaType(_) = self {
            details.add_bad_request_violation("content-type", said.as_str());
        }
        if let Some(retry) = retry {
            details.set_retry_info(Some(retry));
        }
        if let Some((kind, name)) = resource {
            let name = cut(&name);
            if code == Code::FailedPrecondition {
                details.add_precondition_failure_violation(reason, name.as_str(), said.as_str());
            }
            details.set_resource_info(kind, name, "", said);
        }
        details.set_request_info(call, "");
        details
    }

    /// The gRPC status.
    pub fn status(&self, call: &str) -> Status {
        Status::with_error_details(self.code(), cut(&self.to_string()), self.details(call))
    }
}

/// How programs are told of a problem.
struct Row {
    code: Code,
    reason: &'static str,
    retry: Option<Duration>,
    /// Type and name of the debate, host or persona that it is about.
    resource: Option<(&'static str, String)>,
    /// What else programs may read.
    metadata: HashMap<String, String>,
}

impl Row {
    fn of(code: Code, reason: &'static str) -> Self {
        Self { code, reason, retry: None, resource: None, metadata: HashMap::new() }
    }
    fn retry(self, after: Duration) -> Self {
        Self { retry: Some(after), ..self }
    }
    fn about(self, kind: &'static str, name: String) -> Self {
        Self { resource: Some((kind, name)), ..self }
    }
    fn debate(self, name: &str) -> Self {
        self.about("agon.v1.Debate", format!("debates/{name}"))
    }
    fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.metadata.insert(name.to_owned(), cut(&value.to_string()));
        self
    }
}

/// The first violations, as far as an answer has room for them.
fn fitting(all: impl Iterator<Item = (String, String)>) -> impl Iterator<Item = (String, String)> {
    all.scan(MAX_VIOLATIONS, |room, (subject, text)| {
        *room = room.checked_sub(subject.len() + text.len())?;
        Some((subject, text))
    })
}

/// The text, cut to what a header has room for.
pub(crate) fn cut(text: &str) -> String {
    if text.len() <= MAX_TEXT {
        return text.to_owned();
    }
    let end = (0..=MAX_TEXT).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}...", text.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message as _;

    #[test]
    fn the_details_of_many_mistakes_fit_into_a_header() {
        let text = "the number is out of range ".repeat(20);
        let many = (0..500).map(|number| Violation::of(format!("personas[{number}].stance"), text.clone())).collect();
        let problem = Problem::Invalid(many);
        let status = problem.status("call");
        let named = status.get_details_bad_request().unwrap().field_violations.len();
        assert!(status.details().len() * 4 / 3 + status.message().len() < 8 * 1024, "{}", status.details().len());
        assert!((10..500).contains(&named), "{named}");
        assert_eq!(status.get_details_error_info().unwrap().metadata["violations"], "500");
    }

    #[test]
    fn every_refusal_says_reason_and_call_and_whether_to_try_again() {
        let debate = || "bridge".to_owned();
        let eval = || "panel".to_owned();
        let problems = [
            Problem::invalid("f", "t"),
            Problem::NoDebate(debate()),
            Problem::NoHost("gpu".to_owned()),
            Problem::NoPersona("Ada".to_owned()),
            Problem::DebateExists(debate()),
            Problem::DebateDeleted(debate()),
            Problem::RequestIdConflict { request_id: "r".to_owned(), debate: debate() },
            Problem::NotOver(debate()),
            Problem::State { debate: debate(), detail: "d".to_owned() },
            Problem::NotOffered(vec![MissingTool {
                kind: MissingKind::Tool,
                name: "docs".to_owned(),
                wanted_by: vec!["ada".to_owned()],
                offered: Vec::new(),
            }]),
            Problem::Full { reason: "QUEUE_FULL", what: "w", held: 1, limit: 1, retry: RETRY_FULL },
            Problem::StoreFull("the queue".to_owned()),
            Problem::Unavailable("u".to_owned()),
            Problem::Draining,
            Problem::Unauthenticated("u"),
            Problem::MissingScope("s"),
            Problem::CrossSite("c".to_owned()),
            Problem::Host("h".to_owned()),
            Problem::MediaType("m".to_owned()),
            Problem::NoRoute,
            Problem::NoMethod,
            Problem::TooLarge { what: "request", limit: 1 },
            Problem::Deadline(RETRY_FULL),
            Problem::Damaged { debate: debate(), at: Position(1) },
            Problem::Lost(debate()),
            EvalProblem::Unknown(eval()).into(),
            EvalProblem::Exists(eval()).into(),
            EvalProblem::Deleted(eval()).into(),
            EvalProblem::RequestIdConflict { request_id: "r".to_owned(), eval: eval() }.into(),
            EvalProblem::NotOver(eval()).into(),
            EvalProblem::State { eval: eval(), detail: "d".to_owned() }.into(),
            EvalProblem::Damaged(eval()).into(),
            Problem::Internal("i".to_owned()),
        ];
        for problem in problems {
            let status = problem.status("call-1");
            let bytes = tonic_types::pb::Status::decode(status.details()).unwrap();
            assert_eq!(bytes.code, i32::from(status.code()));
            assert_eq!(status.get_details_error_info().unwrap().reason, problem.reason());
            assert_eq!(status.get_details_request_info().unwrap().request_id, "call-1");
            let passing = matches!(status.code(), Code::Unavailable | Code::ResourceExhausted);
            assert_eq!(status.get_details_retry_info().is_some(), passing, "{problem:?}");
            assert_eq!(
                status.get_details_bad_request().is_some(),
                status.code() == Code::InvalidArgument,
                "{problem:?}"
            );
            assert_eq!(status.get_details_precondition_failure().is_some(), status.code() == Code::FailedPrecondition);
            let table = include_str!("../../../docs/reference/api.md");
            assert!(table.contains(&format!("`{}`", problem.reason())), "{}", problem.reason());
        }
    }

    #[test]
    fn a_cut_text_stays_a_text() {
        let cut = cut(&"é".repeat(200));
        assert!(cut.ends_with("é...") && cut.len() <= MAX_TEXT + 3, "{cut}");
    }
}
