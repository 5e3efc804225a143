//! What can go wrong with a call, and how it is told: one table for gRPC and REST.
use agon_core::{DebateId, Position};
use agon_store::StoreError;
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
const MAKE_ROOM: &str = "delete ended debates (agon delete), raise its limit (nats.limits), or free space on its disk";
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
        match self {
            Self::Invalid(_) | Self::MediaType(_) => Code::InvalidArgument,
            Self::NoDebate(_) | Self::NoHost(_) | Self::NoPersona(_) | Self::NoRoute => Code::NotFound,
            Self::DebateExists(_) | Self::DebateDeleted(_) | Self::RequestIdConflict { .. } => Code::AlreadyExists,
            Self::NotOver(_) | Self::State { .. } | Self::NotOffered(_) => Code::FailedPrecondition,
            Self::Full { .. } | Self::StoreFull(_) => Code::ResourceExhausted,
            Self::Unavailable(_) | Self::Draining => Code::Unavailable,
            Self::Unauthenticated(_) => Code::Unauthenticated,
            Self::MissingScope(_) | Self::CrossSite(_) | Self::Host(_) => Code::PermissionDenied,
            Self::NoMethod => Code::Unimplemented,
            Self::TooLarge { .. } => Code::OutOfRange,
            Self::Deadline(_) => Code::DeadlineExceeded,
            Self::Damaged { .. } | Self::Lost(_) => Code::DataLoss,
            Self::Internal(_) => Code::Internal,
        }
    }

    /// The constant that programs branch on.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "INVALID_REQUEST",
            Self::NoDebate(_) => "DEBATE_NOT_FOUND",
            Self::NoHost(_) => "HOST_NOT_FOUND",
            Self::NoPersona(_) => "PERSONA_NOT_FOUND",
            Self::DebateExists(_) => "DEBATE_EXISTS",
            Self::DebateDeleted(_) => "DEBATE_DELETED",
            Self::RequestIdConflict { .. } => "REQUEST_ID_CONFLICT",
            Self::NotOver(_) => "DEBATE_NOT_OVER",
            Self::State { .. } => "DEBATE_STATE",
            Self::NotOffered(_) => "TOOL_NOT_OFFERED",
            Self::Full { reason, .. } => reason,
            Self::StoreFull(_) => "STORE_FULL",
            Self::Unavailable(_) => "UNAVAILABLE",
            Self::Draining => "DRAINING",
            Self::Unauthenticated(_) => "UNAUTHENTICATED",
            Self::MissingScope(_) => "MISSING_SCOPE",
            Self::CrossSite(_) => "CROSS_SITE",
            Self::Host(_) => "HOST_NOT_ALLOWED",
            Self::MediaType(_) => "MEDIA_TYPE",
            Self::NoRoute => "PATH_NOT_FOUND",
            Self::NoMethod => "METHOD_NOT_FOUND",
            Self::TooLarge { .. } => "TOO_LARGE",
            Self::Deadline(_) => "DEADLINE_EXCEEDED",
            Self::Damaged { .. } => "LOG_DAMAGED",
            Self::Lost(_) => "LOG_LOST",
            Self::Internal(_) => "INTERNAL",
        }
    }

    /// When to try again, where that can help.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Full { retry, .. } => Some(*retry),
            Self::StoreFull(_) => Some(RETRY_FULL),
            Self::Unavailable(_) | Self::Draining => Some(RETRY_UNAVAILABLE),
            Self::Invalid(_)
            | Self::NoDebate(_)
            | Self::NoHost(_)
            | Self::NoPersona(_)
            | Self::DebateExists(_)
            | Self::DebateDeleted(_)
            | Self::RequestIdConflict { .. }
            | Self::NotOver(_)
            | Self::State { .. }
            | Self::NotOffered(_)
            | Self::Unauthenticated(_)
            | Self::MissingScope(_)
            | Self::CrossSite(_)
            | Self::Host(_)
            | Self::MediaType(_)
            | Self::NoRoute
            | Self::NoMethod
            | Self::TooLarge { .. }
            | Self::Deadline(_)
            | Self::Damaged { .. }
            | Self::Lost(_)
            | Self::Internal(_) => None,
        }
    }

    /// The debate or host that it is about.
    fn resource(&self) -> Option<(&'static str, String)> {
        let debate = |name: &str| Some(("agon.v1.Debate", format!("debates/{name}")));
        match self {
            Self::NoDebate(name)
            | Self::DebateExists(name)
            | Self::DebateDeleted(name)
            | Self::NotOver(name)
            | Self::Lost(name) => debate(name),
            Self::RequestIdConflict { debate: name, .. }
            | Self::State { debate: name, .. }
            | Self::Damaged { debate: name, .. } => debate(name),
            Self::NoHost(name) => Some(("agon.v1.Host", format!("hosts/{name}"))),
            Self::NoPersona(name) => Some(("agon.v1.PersonaRecord", format!("ratings/{name}"))),
            Self::Invalid(_)
            | Self::NotOffered(_)
            | Self::Full { .. }
            | Self::StoreFull(_)
            | Self::Unavailable(_)
            | Self::Draining
            | Self::Unauthenticated(_)
            | Self::MissingScope(_)
            | Self::CrossSite(_)
            | Self::Host(_)
            | Self::MediaType(_)
            | Self::NoRoute
            | Self::NoMethod
            | Self::TooLarge { .. }
            | Self::Deadline(_)
            | Self::Internal(_) => None,
        }
    }

    /// What else programs may read.
    fn metadata(&self) -> HashMap<String, String> {
        let pairs: Vec<(&str, String)> = match self {
            Self::RequestIdConflict { request_id, debate } => {
                vec![("request_id", request_id.clone()), ("debate", debate.clone())]
            }
            Self::Full { held, limit, .. } => vec![("held", held.to_string()), ("limit", limit.to_string())],
            Self::TooLarge { limit, .. } => vec![("limit", limit.to_string())],
            Self::MissingScope(scope) => vec![("scope", (*scope).to_owned())],
            Self::Damaged { at, .. } => vec![("at", at.0.to_string())],
            Self::Invalid(all) => vec![("violations", all.len().to_string())],
            Self::NotOffered(all) => {
                vec![("missing", all.iter().map(MissingTool::setting).collect::<Vec<_>>().join(","))]
            }
            Self::NoDebate(_)
            | Self::NoHost(_)
            | Self::NoPersona(_)
            | Self::DebateExists(_)
            | Self::DebateDeleted(_)
            | Self::NotOver(_)
            | Self::State { .. }
            | Self::StoreFull(_)
            | Self::Lost(_)
            | Self::Unavailable(_)
            | Self::Draining
            | Self::Unauthenticated(_)
            | Self::CrossSite(_)
            | Self::Host(_)
            | Self::MediaType(_)
            | Self::NoRoute
            | Self::NoMethod
            | Self::Deadline(_)
            | Self::Internal(_) => Vec::new(),
        };
        pairs.into_iter().map(|(name, value)| (name.to_owned(), cut(&value))).collect()
    }

    /// The details of its status; `call` is the id under which the logs know the call.
    pub fn details(&self, call: &str) -> ErrorDetails {
        let mut details = ErrorDetails::new();
        details.set_error_info(self.reason(), ERROR_DOMAIN, self.metadata());
        if let Self::Invalid(violations) = self {
            let mut room = MAX_VIOLATIONS;
            for violation in violations {
                let (field, text) = (cut(&violation.field), cut(&violation.text));
                let Some(left) = room.checked_sub(field.len() + text.len()) else { break };
                room = left;
                details.add_bad_request_violation(field, text);
            }
        }
        if let Self::NotOffered(all) = self {
            let mut room = MAX_VIOLATIONS;
            for missing in all {
                let (setting, text) = (cut(&missing.setting()), cut(&missing.circumstances()));
                let Some(left) = room.checked_sub(setting.len() + text.len()) else { break };
                room = left;
                details.add_precondition_failure_violation(self.reason(), setting, text);
            }
        }
        if let Self::MediaType(_) = self {
            details.add_bad_request_violation("content-type", cut(&self.to_string()));
        }
        if let Some(retry) = self.retry_after() {
            details.set_retry_info(Some(retry));
        }
        if self.code() == Code::FailedPrecondition
            && let Some((_, name)) = self.resource()
        {
            details.add_precondition_failure_violation(self.reason(), cut(&name), cut(&self.to_string()));
        }
        if let Some((kind, name)) = self.resource() {
            details.set_resource_info(kind, cut(&name), "", cut(&self.to_string()));
        }
        details.set_request_info(call, "");
        details
    }

    /// The gRPC status.
    pub fn status(&self, call: &str) -> Status {
        Status::with_error_details(self.code(), cut(&self.to_string()), self.details(call))
    }
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
