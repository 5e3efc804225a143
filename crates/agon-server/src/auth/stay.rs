//! Answers that go on: they end when the credentials of their call no longer hold.
use super::{Authenticator, Caller};
use crate::error::Problem;
use crate::net::Peer;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

/// How often the credentials of an open answer are looked at again.
const LOOK: Duration = Duration::from_secs(5);
/// What gRPC calls a call without good credentials.
const UNAUTHENTICATED: HeaderValue = HeaderValue::from_static("16");

/// The credentials that a call was let in with.
#[derive(Clone)]
pub struct Stay {
    authenticator: Arc<Authenticator>,
    headers: HeaderMap,
    peer: Peer,
    caller: Caller,
}

impl Stay {
    /// Those of a call of `caller`.
    pub(crate) fn of(authenticator: &Arc<Authenticator>, headers: &HeaderMap, peer: Peer, caller: &Caller) -> Self {
        let token = headers.get(header::AUTHORIZATION).map(|token| (header::AUTHORIZATION, token.clone()));
        Self {
            authenticator: authenticator.clone(),
            headers: token.into_iter().collect(),
            peer,
            caller: caller.clone(),
        }
    }

    /// The answer, which ends when somebody has taken the credentials back or changed what they allow. Whoever comes again is told why.
    pub fn bound(self, answer: Response) -> Response {
        let kind = answer.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let grpc = kind.starts_with("application/grpc");
        if self.authenticator.is_off() || !(grpc || kind == "text/event-stream") {
            return answer;
        }
        answer.map(|inner| Body::new(BoundBody { inner, over: Some(Box::pin(self.ends())), grpc }))
    }

    async fn ends(self) {
        loop {
            tokio::time::sleep(LOOK).await;
            match self.authenticator.caller(&self.headers, &self.peer).await {
                Ok(caller) if caller == self.caller => {}
                Ok(_) | Err(Problem::Unauthenticated(_)) => return,
                // it cannot be known at the moment
                Err(_) => {}
            }
        }
    }
}

struct BoundBody {
    inner: Body,
    /// Nothing once it is over.
    over: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    grpc: bool,
}

impl hyper::body::Body for BoundBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(over) = &mut self.over else { return Poll::Ready(None) };
        if over.as_mut().poll(cx).is_pending() {
            return Poll::Ready(ready!(Pin::new(&mut self.inner).poll_frame(cx)));
        }
        self.over = None;
        let trailers = [(header::HeaderName::from_static("grpc-status"), UNAUTHENTICATED)].into_iter().collect();
        Poll::Ready(self.grpc.then(|| Ok(Frame::trailers(trailers))))
    }

    fn is_end_stream(&self) -> bool {
        self.over.is_none() || self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
