//! Plain lines: for pipes, files, and terminals that can no more.
use super::told::Told;
use super::{View, paint};
use agon_core::{Event, Position, Timestamp};
use std::io::{self, Write};

/// Prints what happened, line by line, on standard output.
#[derive(Debug)]
pub struct PlainView {
    told: Told,
    color: bool,
}

impl PlainView {
    /// A view that has shown nothing yet.
    pub fn new(told: Told, color: bool) -> Self {
        Self { told, color }
    }
}

impl View for PlainView {
    fn event(&mut self, position: Position, at: Timestamp, event: &Event) -> io::Result<()> {
        let lines = self.told.lines(position, at, event);
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
