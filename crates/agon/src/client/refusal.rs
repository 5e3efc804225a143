//! What a server's refusal means, in words: never as debug text.
use crate::exit::{Exit, Stop};
use agon_report::{one_line, plain};
use std::error::Error;
use std::fmt::Write;
use std::time::Duration;
use tonic::{Code, Status, TimeoutExpired};
use tonic_types::{ErrorDetails, StatusExt as _};

/// What a server refuses, as a person reads it, and the word that programs branch on; empty where the server gives none.
#[derive(Debug)]
pub struct Refusal {
    told: String,
    reason: String,
}
impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.told)
    }
}
impl Error for Refusal {}
impl Refusal {
    /// Whether the log of the debate is damaged.
    pub fn is_of_damage(&self) -> bool {
        self.reason == "LOG_DAMAGED"
    }
}

/// The program's end that follows from a refusal.
pub fn stop(status: &Status, doing: &str, address: &str) -> Stop {
    let exit = if broke(status) { Exit::Unavailable } else { exit(status.code()) };
    let reason = status.get_error_details().error_info().map(|info| info.reason.clone()).unwrap_or_default();
    Stop::new(exit, Refusal { told: text(status, doing, address), reason })
}

/// Whether the connection failed before there was an answer, so that another one may do. What a server sends has no cause; a question
/// that took too long has one and is none of these.
pub fn broke(status: &Status) -> bool {
    let causes = causes(status);
    let late = causes.iter().any(|cause| cause.is::<TimeoutExpired>());
    status.code() == Code::Unavailable || !causes.is_empty() && !late
}

/// Whether the server says that the same question may be answered later, and when.
pub fn come_again(status: &Status) -> bool {
    retry_delay(status).is_some()
}

/// When the server says that it may be asked again.
pub fn retry_delay(status: &Status) -> Option<Duration> {
    status.get_error_details().retry_info()?.retry_delay
}

/// Whether there was no answer in time.
pub fn is_late(status: &Status) -> bool {
    matches!(status.code(), Code::DeadlineExceeded | Code::Cancelled)
}

/// Whether the answer may come from a server that speaks HTTP/2 and not gRPC.
pub fn is_foreign(status: &Status) -> bool {
    match status.code() {
        Code::Unimplemented => true,
        Code::Internal | Code::Unknown => status.message().contains("protocol error"),
        _ => false,
    }
}

/// Whether the same question may be answered later: the server or its store is away or full.
pub fn passes(status: &Status) -> bool {
    match status.code() {
        Code::Unavailable | Code::Aborted | Code::DeadlineExceeded | Code::Unknown | Code::Cancelled => true,
        Code::ResourceExhausted => come_again(status),
        _ => false,
    }
}

fn exit(code: Code) -> Exit {
    match code {
        Code::InvalidArgument
        | Code::NotFound
        | Code::AlreadyExists
        | Code::FailedPrecondition
        | Code::OutOfRange
        | Code::Unauthenticated
        | Code::PermissionDenied => Exit::Usage,
        Code::Unavailable
        | Code::DeadlineExceeded
        | Code::ResourceExhausted
        | Code::Aborted
        | Code::Cancelled
        | Code::Unimplemented => Exit::Unavailable,
        Code::DataLoss => Exit::Failed,
        Code::Ok | Code::Unknown | Code::Internal => Exit::Internal,
    }
}

/// The refusal with everything that the server said of it: one line of what, then one for each detail.
fn text(status: &Status, doing: &str, address: &str) -> String {
    let details = status.get_error_details();
    let mut said = format!("{doing}: {}", what(status, address));
    for violation in details.bad_request().into_iter().flat_map(|bad| &bad.field_violations) {
        // Writing to a string cannot fail.
        let _ = match violation.field.as_str() {
            "" => write!(said, "\n  {}", indented(&violation.description)),
            field => write!(said, "\n  {}: {}", one_line(field), indented(&violation.description)),
        };
    }
    said.push_str(&others(&details));
    if let Some(hint) = hint(status) {
        let _ = write!(said, "\n  {hint}");
    }
    said
}

fn others(details: &ErrorDetails) -> String {
    let mut said = String::new();
    for violation in details.precondition_failure().into_iter().flat_map(|failure| &failure.violations) {
        let _ = write!(said, "\n  {}: {}", one_line(&violation.subject), indented(&violation.description));
    }
    for violation in details.quota_failure().into_iter().flat_map(|failure| &failure.violations) {
        let _ = write!(said, "\n  {}: {}", one_line(&violation.subject), indented(&violation.description));
    }
    if let Some(delay) = details.retry_info().and_then(|retry| retry.retry_delay) {
        let _ = write!(said, "\n  try again in {}", crate::settings::Length(delay));
    }
    if let Some(info) = details.error_info().filter(|info| !info.reason.is_empty()) {
        let _ = write!(said, "\n  reason: {}", one_line(&info.reason));
        let metadata: std::collections::BTreeMap<_, _> = info.metadata.iter().collect();
        for (key, value) in metadata {
            let _ = write!(said, ", {} {}", one_line(key), one_line(value));
        }
    }
    said
}

fn indented(text: &str) -> String {
    plain(text).trim_end().replace('\n', "\n    ")
}

/// A refusal in one line.
pub fn what(status: &Status, address: &str) -> String {
    let causes = causes(status);
    let io = causes.iter().find_map(|cause| cause.downcast_ref::<std::io::Error>());
    match (status.code(), io, causes.last()) {
        (Code::Unavailable, Some(io), _) => format!("the server {address} cannot be reached: {io}"),
        (_, Some(io), _) if broke(status) => format!("the connection to {address} broke: {io}"),
        (_, None, Some(cause)) if broke(status) => {
            format!("the connection to {address} failed: {}", one_line(&cause.to_string()))
        }
        (Code::DeadlineExceeded | Code::Cancelled, _, _) => format!("the server {address} did not answer in time"),
        (code, _, _) if status.message().is_empty() => format!("the server says: {}", describe(code)),
        (_, _, _) => one_line(status.message()),
    }
}

/// A refusal in a few words.
pub fn words(status: &Status) -> String {
    match (status.code(), status.message()) {
        (code, "") => describe(code),
        (_, message) => one_line(message),
    }
}

/// What is behind a refusal, the deepest cause last.
fn causes(status: &Status) -> Vec<&(dyn Error + 'static)> {
    let mut causes = Vec::new();
    let mut next = status.source();
    while let Some(cause) = next {
        causes.push(cause);
        next = cause.source();
    }
    causes
}

fn describe(code: Code) -> String {
    code.description().to_lowercase()
}

/// What helps, where the server cannot know it.
fn hint(status: &Status) -> Option<&'static str> {
    match (status.code(), status.source().is_some()) {
        (Code::Unauthenticated, _) => Some(
            "name a token: `client.token = { file = \"PATH\" }` in the settings, or AGON__CLIENT__TOKEN__FILE=PATH",
        ),
        (Code::Unavailable, true) => Some(
            "check that it runs (agon serve), and that this is its gRPC address; use https:// if it has a certificate",
        ),
        (Code::Unimplemented, _) => Some("this is no Agon server, or one of another version"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn every_field_that_is_wrong_is_told_with_its_reason() {
        let details = ErrorDetails::with_bad_request_violation("personas[1].stance", "debate.md:7: is missing");
        let status = Status::with_error_details(Code::InvalidArgument, "the debate has 1 error", details);
        let said = text(&status, "submit", "http://a:1");
        assert_eq!(said, "submit: the debate has 1 error\n  personas[1].stance: debate.md:7: is missing");
        assert_eq!(exit(status.code()), Exit::Usage);
    }

    #[test]
    fn a_full_server_says_when_to_come_again() {
        let mut details = ErrorDetails::with_retry_info(Some(Duration::from_secs(3)));
        details.set_error_info("QUEUE_FULL", "agon", HashMap::from([("limit".to_owned(), "10".to_owned())]));
        let status = Status::with_error_details(Code::ResourceExhausted, "the queue is full", details);
        let said = text(&status, "submit", "http://a:1");
        assert!(said.contains("try again in 3s") && said.contains("QUEUE_FULL, limit 10"), "{said}");
        assert_eq!(exit(status.code()), Exit::Unavailable);
    }

    #[test]
    fn what_a_server_says_cannot_steer_the_terminal() {
        let status = Status::new(Code::NotFound, "no\x1b[2J such\ndebate");
        let said = text(&status, "get", "http://a:1");
        assert!(!said.contains('\x1b') && !said.contains('\n'), "{said:?}");
    }

    #[test]
    fn without_a_token_the_setting_is_named() {
        let said = text(&Status::new(Code::Unauthenticated, "no token"), "list", "http://a:1");
        assert!(said.contains("client.token"), "{said}");
    }
}
