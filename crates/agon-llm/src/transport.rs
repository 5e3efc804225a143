//! What the HTTP library's errors mean.

use std::error::Error;
use std::io::{self, ErrorKind};

use crate::{ChatError, ChatErrorKind, TimeoutPhase, TransportFault};

/// Says what it means that a request brought no answer at all.
pub(crate) fn unanswered(error: reqwest::Error) -> ChatError {
    let closed = closed_unanswered(&error);
    let failed = transport_error(error);
    if closed { ChatError { kind: ChatErrorKind::Transport(TransportFault::Closed), ..failed } } else { failed }
}

/// Whether a connection that was there was closed before any answer came.
pub(crate) fn closed_unanswered(error: &reqwest::Error) -> bool {
    if error.is_connect() || error.is_builder() {
        return false;
    }
    let reset = io_kind(error).is_some_and(is_reset);
    let mut http = chain(error).filter_map(|cause| cause.downcast_ref::<hyper::Error>());
    reset || http.any(|error| error.is_incomplete_message() || error.is_canceled() || error.is_closed())
}

fn is_reset(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe)
}

/// Says what a failed exchange means; addresses are left out, since the caller knows them.
pub(crate) fn transport_error(error: reqwest::Error) -> ChatError {
    let kind = kind_of(&error);
    let detail = innermost(&error.without_url());
    ChatError::new(kind, &detail)
}

fn kind_of(error: &reqwest::Error) -> ChatErrorKind {
    if error.is_builder() {
        return ChatErrorKind::BadRequest;
    }
    if error.is_connect() {
        let timed_out = error.is_timeout() || io_kind(error) == Some(ErrorKind::TimedOut);
        return if timed_out {
            ChatErrorKind::Timeout(TimeoutPhase::Connect)
        } else {
            ChatErrorKind::Transport(TransportFault::Connect)
        };
    }
    let reset = io_kind(error).is_some_and(is_reset);
    ChatErrorKind::Transport(if reset { TransportFault::Reset } else { TransportFault::Cut })
}

fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error: &&'a (dyn Error + 'static)| (*error).source())
}

fn io_kind(error: &reqwest::Error) -> Option<ErrorKind> {
    chain(error).filter_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind).last()
}

fn innermost(error: &reqwest::Error) -> String {
    chain(error).last().map(ToString::to_string).unwrap_or_default()
}
