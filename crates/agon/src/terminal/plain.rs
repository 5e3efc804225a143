//! Plain lines: for pipes, files, and terminals that can no more.
use super::{View, paint};
use agon_core::{Event, Position, Timestamp};
use agon_report::LiveView;
use std::io::{self, Write};

/// Prints what happened, line by line, on standard output.
#[derive(Debug)]
pub struct PlainView {
    view: LiveView,
    color: bool,
}

impl PlainView {
    /// A view that has shown nothing yet.
    pub fn new(view: LiveView, color: bool) -> Self {
        Self { view, color }
    }
}

impl View for PlainView {
    fn event(&mut self, position: Position, at: Timestamp, event: &Event) -> io::Result<()> {
        let lines = self.view.lines(position, at, event);
        if lines.is_empty() {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        for line in lines {
            writeln!(out, "{}", paint::line(&line, self.color))?;
        }
        out.flush()
    }
}
