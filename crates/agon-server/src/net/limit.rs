//! Bounds of a call: how long it may take, how many run at once, and how many bytes their requests have.
use super::call_of;
use super::incoming::MeteredBody;
use super::tenant_room::{NoRoom, TenantRoom};
use crate::auth::Caller;
use crate::error::Problem;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use tokio::time::Instant;

/// When a full gateway may be tried again.
const RETRY: Duration = Duration::from_secs(1);
/// What the requests of all calls are bounded by.
const BYTES: &str = "bytes of requests at once";

/// When the caller gives up; streams end then, too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(pub Instant);

/// What bounds calls.
#[derive(Clone)]
pub(crate) struct Bounds {
    /// How long one may take until it answers; a stream, until it begins.
    pub time: Duration,
    /// How many may be without an answer at once.
    pub calls: Arc<TenantRoom>,
    /// How many bytes their requests may have at once.
    pub bytes: Arc<TenantRoom>,
    /// The form of a refusal.
    pub refuse: fn(&Problem, &str) -> Response,
}

/// Answers instead of a call that finds no room or gives no answer in time: the caller's own `grpc-timeout`, or the limit.
pub(crate) async fn bound(State(bounds): State<Bounds>, request: Request, next: Next) -> Response {
    let call = call_of(&request);
    let tenant = request.extensions().get::<Caller>().map(|caller| caller.tenant.clone()).unwrap_or_default();
    let full = |reason, what, NoRoom { held, limit }| Problem::Full { reason, what, held, limit, retry: RETRY };
    let _place = match bounds.calls.take(&tenant, 1) {
        Ok(place) => place,
        Err(no) => return (bounds.refuse)(&full("CALL_LIMIT", "calls at once", no), &call),
    };
    // held here too, so that the bytes count until there is an answer
    let bytes = Arc::new(Mutex::new(bounds.bytes.nothing(&tenant)));
    let overfull = Arc::new(OnceLock::new());
    let mut request = request.map(|body| Body::new(MeteredBody::new(body, bytes.clone(), overfull.clone())));
    let asked = request.headers().get("grpc-timeout").and_then(|value| timeout(value.to_str().ok()?));
    if let Some(asked) = asked {
        request.extensions_mut().insert(Deadline(Instant::now() + asked));
    }
    let limit = asked.map_or(bounds.time, |asked| asked.min(bounds.time));
    match tokio::time::timeout(limit, next.run(request)).await {
        // whatever became of a request that broke off for that reason
        Ok(response) => match overfull.get() {
            Some(no) => (bounds.refuse)(&full("BYTES_LIMIT", BYTES, *no), &call),
            None => response,
        },
        Err(_) => (bounds.refuse)(&Problem::Deadline(limit), &call),
    }
}

/// Reads a `grpc-timeout`: at most eight digits and a unit.
fn timeout(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let count: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(count * 3_600)),
        "M" => Some(Duration::from_secs(count * 60)),
        "S" => Some(Duration::from_secs(count)),
        "m" => Some(Duration::from_millis(count)),
        "u" => Some(Duration::from_micros(count)),
        "n" => Some(Duration::from_nanos(count)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_read_in_every_unit() {
        let read = ["1H", "2M", "3S", "4m", "5u", "6n"].map(timeout);
        let wanted =
            [3_600_000_000_000u64, 120_000_000_000, 3_000_000_000, 4_000_000, 5_000, 6].map(Duration::from_nanos);
        assert_eq!(read, wanted.map(Some));
    }

    #[test]
    fn what_is_no_timeout_is_left_out() {
        assert_eq!(["", "S", "1", "123456789S", "1x", "-1S", "1.5S", "é"].map(timeout), [None; 8]);
    }
}
