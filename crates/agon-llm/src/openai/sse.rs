//! Server-sent events, as far as model servers use them.

use crate::lines::LineBuffer;
use crate::{ChatError, MAX_LINE_BYTES};

/// Gathers lines into events.
#[derive(Debug, Default)]
pub(super) struct EventBuffer {
    lines: LineBuffer,
    event: SseEvent,
}

/// An event in the making; its buffer is kept from event to event.
#[derive(Debug, Default)]
struct SseEvent {
    data: Vec<u8>,
    any: bool,
    failed: bool,
}

/// What an event says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventTone {
    /// An ordinary event.
    Plain,
    /// Declared an error by its name or its field.
    Failure,
}

impl EventBuffer {
    /// Hands every event that `bytes` completes to `on_event`.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        mut on_event: impl FnMut(&[u8], EventTone) -> Result<(), ChatError>,
    ) -> Result<(), ChatError> {
        let Self { lines, event } = self;
        lines.push(bytes, |line| event.line(line, &mut on_event))
    }

    /// Keeps bytes of a body that is one document.
    pub(super) fn keep(&mut self, bytes: &[u8]) -> Result<(), ChatError> {
        self.lines.keep(bytes)
    }

    pub(super) fn take_document(&mut self) -> Vec<u8> {
        self.lines.take_rest()
    }

    /// Takes the event that the end of the body left without its blank line.
    pub(super) fn take_rest(&mut self) -> Result<Option<(Vec<u8>, EventTone)>, ChatError> {
        let line = self.lines.take_rest();
        if !line.is_empty() {
            self.event.field(line.strip_suffix(b"\r").unwrap_or(&line))?;
        }
        let tone = self.event.tone();
        let data = std::mem::take(&mut self.event.data);
        Ok(self.event.any.then_some((data, tone)))
    }
}

impl SseEvent {
    fn line(
        &mut self,
        line: &[u8],
        on_event: &mut impl FnMut(&[u8], EventTone) -> Result<(), ChatError>,
    ) -> Result<(), ChatError> {
        if !line.is_empty() {
            return self.field(line);
        }
        if self.any {
            on_event(&self.data, self.tone())?;
        }
        self.data.clear();
        self.any = false;
        self.failed = false;
        Ok(())
    }

    /// Takes one field; comments and fields without meaning here are passed over.
    fn field(&mut self, line: &[u8]) -> Result<(), ChatError> {
        let colon = memchr::memchr(b':', line).unwrap_or(line.len());
        let (name, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => self.add(value),
            // Older llama.cpp servers report a failure in a field of its own.
            b"error" => {
                self.failed = true;
                self.add(value)
            }
            b"event" => {
                self.failed |= value == b"error";
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn add(&mut self, value: &[u8]) -> Result<(), ChatError> {
        if self.data.len() + value.len() >= MAX_LINE_BYTES {
            return Err(ChatError::malformed("an event is longer than 8 MiB"));
        }
        if self.any {
            self.data.push(b'\n');
        }
        self.data.extend_from_slice(value);
        self.any = true;
        Ok(())
    }

    fn tone(&self) -> EventTone {
        if self.failed { EventTone::Failure } else { EventTone::Plain }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(input: &str) -> Vec<(String, EventTone)> {
        let mut events = Vec::new();
        let mut buffer = EventBuffer::default();
        buffer
            .push(input.as_bytes(), |data, tone| {
                events.push((String::from_utf8(data.to_vec()).unwrap(), tone));
                Ok(())
            })
            .unwrap();
        events
    }

    #[test]
    fn comments_and_unknown_fields_are_passed_over() {
        let input = ": ping\n\n:\nid: 7\nretry: 10\ndata: one\n\n\n";

        assert_eq!(events(input), [("one".to_owned(), EventTone::Plain)]);
    }

    #[test]
    fn data_lines_of_one_event_are_joined() {
        assert_eq!(events("data: a\r\ndata:b\r\n\r\n"), [("a\nb".to_owned(), EventTone::Plain)]);
    }

    #[test]
    fn errors_are_known_by_field_or_by_name() {
        let input = "error: {}\n\nevent: error\ndata: x\n\ndata: y\n\n";
        let tones: Vec<EventTone> = events(input).into_iter().map(|(_, tone)| tone).collect();

        assert_eq!(tones, [EventTone::Failure, EventTone::Failure, EventTone::Plain]);
    }
}
