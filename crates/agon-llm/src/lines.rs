//! Cuts a byte stream into lines, whatever the chunks it arrives in.

use crate::{ChatError, MAX_LINE_BYTES};

/// Holds only the beginning of a line whose end has not arrived; whole lines are handed on from the chunk itself.
#[derive(Debug, Default)]
pub(crate) struct LineBuffer {
    partial: Vec<u8>,
}

impl LineBuffer {
    /// Hands every line that `bytes` completes to `on_line`, without its line end.
    pub(crate) fn push(
        &mut self,
        mut bytes: &[u8],
        mut on_line: impl FnMut(&[u8]) -> Result<(), ChatError>,
    ) -> Result<(), ChatError> {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(end);
            bytes = rest.get(1..).unwrap_or_default();
            if self.partial.is_empty() {
                check_length(line.len())?;
                on_line(without_return(line))?;
            } else {
                self.keep(line)?;
                on_line(without_return(&self.partial))?;
                self.partial.clear();
            }
        }
        self.keep(bytes)
    }

    /// Adds bytes to the line that is not yet complete.
    pub(crate) fn keep(&mut self, bytes: &[u8]) -> Result<(), ChatError> {
        check_length(self.partial.len() + bytes.len())?;
        self.partial.extend_from_slice(bytes);
        Ok(())
    }

    /// Takes what has no line end.
    pub(crate) fn take_rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.partial)
    }
}

fn check_length(length: usize) -> Result<(), ChatError> {
    if length > MAX_LINE_BYTES { Err(ChatError::malformed("a line is longer than 8 MiB")) } else { Ok(()) }
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_out_the_same_for_every_split() {
        let input = b"one\r\n\ntwo three\nfour";
        for cut in 0..=input.len() {
            let (mut buffer, mut lines) = (LineBuffer::default(), Vec::new());
            let (head, tail) = input.split_at(cut);
            for part in [head, tail] {
                buffer
                    .push(part, |line| {
                        lines.push(String::from_utf8(line.to_vec()).unwrap());
                        Ok(())
                    })
                    .unwrap();
            }
            assert_eq!(lines, ["one", "", "two three"], "cut at {cut}");
            assert_eq!(buffer.take_rest(), b"four");
        }
    }

    #[test]
    fn a_line_without_an_end_is_refused_at_the_limit() {
        let mut buffer = LineBuffer::default();
        let chunk = vec![b'x'; MAX_LINE_BYTES / 2];
        let mut push = || buffer.push(&chunk, |_| Ok(()));

        assert!(push().is_ok() && push().is_ok());
        assert_eq!(push().unwrap_err().kind, crate::ChatErrorKind::Malformed);
    }
}
