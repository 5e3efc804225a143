//! Plain lines: for pipes, files, and terminals that can no more.
use super::event_lines::TerminalView;
use super::{DebateView, print};
use agon_core::{Event, Position, Timestamp};
use std::io;

/// Prints what happened, line by line, on standard output.
#[derive(Debug)]
pub struct PlainView {
    told: TerminalView,
    color: bool,
}

impl PlainView {
    /// A view that has shown nothing yet.
    pub fn new(told: TerminalView, color: bool) -> Self {
        Self { told, color }
    }
}

impl DebateView for PlainView {
    fn event(&mut self, position: Position, at: Timestamp, event: &Event) -> io::Result<()> {
        let lines = self.told.lines(position, at, event);
        if lines.is_empty() {
            return Ok(());
        }
        print(&lines, usize::MAX, self.color)
    }
}
