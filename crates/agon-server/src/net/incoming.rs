//! The body of a request, whose bytes count among those that all calls hold.
use super::tenant_room::{NoRoom, RoomShare};
use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll};

/// A body, and what its call holds. It breaks off where there is no room for more of it; then `refused` says so.
pub(super) struct MeteredBody {
    body: Body,
    share: Arc<Mutex<RoomShare>>,
    refused: Arc<OnceLock<NoRoom>>,
}

impl MeteredBody {
    pub fn new(body: Body, share: Arc<Mutex<RoomShare>>, refused: Arc<OnceLock<NoRoom>>) -> Self {
        Self { body, share, refused }
    }
}

impl hyper::body::Body for MeteredBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        let bytes = match &polled {
            Poll::Ready(Some(Ok(frame))) => frame.data_ref().map_or(0, Bytes::len),
            _ => 0,
        };
        let grown = self.share.lock().unwrap_or_else(PoisonError::into_inner).grow(bytes);
        match grown {
            Ok(()) => polled,
            Err(full) => {
                // the first refusal counts
                let _ = self.refused.set(full);
                Poll::Ready(Some(Err(axum::Error::new("there is no room for the body"))))
            }
        }
    }
    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
