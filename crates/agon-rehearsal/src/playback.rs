//! An answer on its way to the client.

use std::{
    future::Future as _,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use futures_util::Stream;
use tokio::time::{Sleep, sleep};

use crate::{server_state::OpenCall, wire::WireLines};

/// Encoded lines and where each frame of them ends; cheap to share.
#[derive(Debug, Clone)]
pub struct Reel {
    bytes: Bytes,
    cuts: Arc<[usize]>,
    tokens: u64,
}

/// A reel while it is written.
#[derive(Debug, Default)]
pub struct ReelWriter {
    text: String,
    cuts: Vec<usize>,
    tokens: u64,
}

impl ReelWriter {
    /// Adds one frame of `tokens` answer tokens.
    pub fn frame(&mut self, tokens: usize, write: impl FnOnce(&mut String)) {
        write(&mut self.text);
        self.cuts.push(self.text.len());
        self.tokens += tokens as u64;
    }

    /// Adds a frame for each `chunk` pieces.
    pub fn pieces(&mut self, line: &WireLines, pieces: &[&str], chunk: usize) {
        for part in pieces.chunks(chunk.max(1)) {
            match part {
                [one] => self.frame(1, |out| line.content(one, out)),
                many => self.frame(many.len(), |out| line.content(&many.concat(), out)),
            }
        }
    }

    /// The finished reel.
    pub fn finish(self) -> Reel {
        Reel { bytes: Bytes::from(self.text), cuts: self.cuts.into(), tokens: self.tokens }
    }
}

impl Reel {
    /// Records nothing but content.
    pub fn record(line: &WireLines, pieces: &[&str], chunk: usize) -> Self {
        let mut recorder = ReelWriter::default();
        recorder.pieces(line, pieces, chunk);
        recorder.finish()
    }

    fn frame(&self, index: usize) -> Option<Bytes> {
        let end = *self.cuts.get(index)?;
        let start = index.checked_sub(1).and_then(|before| self.cuts.get(before)).copied().unwrap_or(0);
        Some(self.bytes.slice(start..end))
    }
}

/// How a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamEnd {
    /// As it should.
    Clean,
    /// Well formed, but by script.
    Scripted,
    /// The connection closes under it.
    Abort,
    /// The whole server goes down for that long.
    Crash(Duration),
    /// The server is going down.
    Crashing,
}

/// A body that plays a reel at its pace. Dropped before its end, it counts as cancelled.
#[derive(Debug)]
pub struct Playback {
    reel: Reel,
    last: Option<Bytes>,
    next: usize,
    pace: Duration,
    pause: Option<Pin<Box<Sleep>>>,
    end: StreamEnd,
    flushed: bool,
    call: OpenCall,
}

impl Playback {
    /// Plays `reel`, then `last`, then ends as `end` says; `pace` lies between frames.
    pub fn new(reel: Reel, last: Option<Bytes>, pace: Duration, end: StreamEnd, call: OpenCall) -> Self {
        Self { reel, last, next: 0, pace, pause: None, end, flushed: false, call }
    }

    fn next_frame(&mut self) -> Option<Bytes> {
        let frame = self.reel.frame(self.next).or_else(|| self.last.take())?;
        self.next += 1;
        if !self.pace.is_zero() && self.next < self.reel.cuts.len() {
            self.pause = Some(Box::pin(sleep(self.pace)));
        }
        if self.next >= self.reel.cuts.len() && self.last.is_none() && self.end == StreamEnd::Clean {
            // the client has no reason to wait for the end of the body once it has the last line
            self.call.finished(self.reel.tokens);
        }
        Some(frame)
    }
}

impl Stream for Playback {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        if let Some(pause) = self.pause.as_mut() {
            std::task::ready!(pause.as_mut().poll(cx));
            self.pause = None;
        }
        if let Some(frame) = self.next_frame() {
            return Poll::Ready(Some(Ok(frame)));
        }
        if matches!(self.end, StreamEnd::Abort | StreamEnd::Crash(_)) && !self.flushed {
            // an error discards what was not written yet; give it one turn to get out
            self.flushed = true;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        match self.end {
            StreamEnd::Clean => Poll::Ready(None),
            StreamEnd::Scripted => {
                self.call.failed();
                Poll::Ready(None)
            }
            StreamEnd::Crashing => Poll::Pending,
            StreamEnd::Abort => {
                self.call.failed();
                Poll::Ready(Some(Err(io::Error::other("dropped by the fault script"))))
            }
            StreamEnd::Crash(gone) => {
                self.call.failed();
                self.call.stage().crash(gone);
                // the connection is reset under this body, which is then dropped
                self.end = StreamEnd::Crashing;
                Poll::Pending
            }
        }
    }
}
