//! A reader that gives up on endless lines.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// Passes lines on and fails in the middle of one that is too long, because what buffers lines would else drop it in
/// silence and leave the caller waiting.
pub(super) struct Bounded<R> {
    inner: R,
    limit: usize,
    line: usize,
    overflow: Arc<AtomicBool>,
}

impl<R> Bounded<R> {
    /// `overflow` becomes true when a line was longer than `limit` bytes.
    pub(super) fn new(inner: R, limit: usize, overflow: Arc<AtomicBool>) -> Self {
        Self { inner, limit, line: 0, overflow }
    }

    fn count(&mut self, read: &[u8]) -> io::Result<()> {
        for piece in read.split_inclusive(|byte| *byte == b'\n') {
            self.line += piece.len();
            if self.line > self.limit {
                self.overflow.store(true, Ordering::Relaxed);
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a line is too long"));
            }
            if piece.ends_with(b"\n") {
                self.line = 0;
            }
        }
        Ok(())
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Bounded<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buf))?;
        let read = buf.filled().get(before..).unwrap_or_default();
        let counted = self.count(read);
        if counted.is_err() {
            // Whoever gets an error must find nothing read.
            buf.set_filled(before);
        }
        Poll::Ready(counted)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    async fn read(input: &[u8]) -> (io::Result<usize>, bool) {
        let overflow = Arc::new(AtomicBool::new(false));
        let result = Bounded::new(input, 4, Arc::clone(&overflow)).read_to_end(&mut Vec::new()).await;
        (result, overflow.load(Ordering::Relaxed))
    }

    #[tokio::test]
    async fn many_lines_pass_and_one_long_line_does_not() {
        assert!(matches!(read(b"abc\nabc\nabc\n").await, (Ok(12), false)));
        assert!(matches!(read(b"abc\nabcde").await, (Err(_), true)));
    }
}
