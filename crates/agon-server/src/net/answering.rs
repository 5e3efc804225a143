//! The body of an answer, which knows whether its reader wants more of it.
use super::connections::Working;
use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};

/// A body, and the call that it answers.
pub(super) struct ResponseBody {
    body: Body,
    work: Working,
}

impl ResponseBody {
    pub fn new(body: Body, work: Working) -> Self {
        work.given();
        Self { body, work }
    }
}

/// The connection asks for the next part once the former one has left it, so that what is not asked for is not read.
impl hyper::body::Body for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        match polled {
            Poll::Ready(_) => self.work.given(),
            Poll::Pending => self.work.asked(),
        }
        polled
    }
    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
