//! What the HTTP library's errors mean.

use std::error::Error;
use std::io::{self, ErrorKind};

use crate::{ChatError, ChatErrorKind, TimeoutPhase, TransportFault};

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
    ChatErrorKind::Transport(match io_kind(error) {
        Some(ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe) => {
            TransportFault::Reset
        }
        _ => TransportFault::Cut,
    })
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
