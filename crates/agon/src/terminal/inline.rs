//! The live view: what is finished scrolls up like any output, what runs stands in a few lines at the bottom.
//!
//! The terminal stays in its normal mode, so that nothing has to be restored whatever ends the program.
use super::{DebateView, event_lines::TerminalView, paint, panel::panel, wrap::wrap};
use crate::logging;
use agon_core::{Event, Position, Timestamp, TurnId};
use agon_report::{StyledLine, TextStyle};
use agon_runtime::{Clock, SystemClock};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::layout::Position as Cell;
use ratatui::text::{Line, Text};
use ratatui::widgets::{Paragraph, Widget};
use ratatui::{Terminal, TerminalOptions, Viewport};
use std::io::{self, Stdout};

/// Lines at the bottom that belong to the running turns and the status.
const PANEL: u16 = 11;

/// A debate on a terminal.
pub struct InlineView<B: Backend = CrosstermBackend<Stdout>> {
    told: TerminalView,
    terminal: Terminal<B>,
    color: bool,
}

impl InlineView {
    /// Takes the lower end of the terminal.
    pub fn on_stdout(told: TerminalView, color: bool) -> io::Result<Self> {
        Self::new(CrosstermBackend::new(io::stdout()), told, color)
    }
}

impl<B: Backend<Error = io::Error>> InlineView<B> {
    fn new(backend: B, told: TerminalView, color: bool) -> io::Result<Self> {
        let rows = backend.size()?.height;
        let viewport = Viewport::Inline(PANEL.min(rows.saturating_sub(1)).max(1));
        let terminal = Terminal::with_options(backend, TerminalOptions { viewport })?;
        logging::hold();
        Ok(Self { told, terminal, color })
    }

    fn print(&mut self, lines: &[StyledLine]) -> io::Result<()> {
        let width = usize::from(self.terminal.size()?.width);
        let lines: Vec<Line<'static>> =
            lines.iter().flat_map(|line| wrap(line, width)).map(|line| paint::dressed(&line, self.color)).collect();
        // Not more at a time than any terminal has rows.
        for part in lines.chunks(16) {
            let text = Text::from(part.to_vec());
            let height = u16::try_from(part.len()).unwrap_or(u16::MAX);
            self.terminal.insert_before(height, |buffer| Paragraph::new(text).render(buffer.area, buffer))?;
        }
        Ok(())
    }
}

impl<B: Backend<Error = io::Error>> DebateView for InlineView<B> {
    fn event(&mut self, position: Position, at: Timestamp, event: &Event) -> io::Result<()> {
        let lines = self.told.lines(position, at, event);
        self.print(&lines)
    }

    fn is_live(&self) -> bool {
        true
    }

    fn delta(&mut self, turn: TurnId, n: u64, text: &str) {
        self.told.view.delta(SystemClock.now(), turn, n, text);
    }

    fn waits(&mut self, turn: TurnId, what: &str) {
        self.told.view.waits(SystemClock.now(), turn, what);
    }

    fn notice(&mut self, _text: &str) {}

    fn tick(&mut self, now: Timestamp, notice: Option<&str>) -> io::Result<()> {
        self.terminal.autoresize()?;
        let logged: Vec<StyledLine> =
            logging::held().lines().map(|line| StyledLine::of(TextStyle::Dim, line)).collect();
        self.print(&logged)?;
        let area = self.terminal.get_frame().area();
        let lines = panel(&self.told.view, now, notice, usize::from(area.width), usize::from(area.height));
        let lines: Vec<Line<'static>> =
            lines.into_iter().map(|line| if self.color { line } else { Line::raw(line.to_string()) }).collect();
        self.terminal.draw(|frame| {
            let area = frame.area();
            frame.render_widget(Paragraph::new(lines), area);
            // A visible cursor at the end: nothing has to be put right if the program is killed.
            frame.set_cursor_position(Cell::new(area.x, area.bottom().saturating_sub(1)));
        })?;
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        let top = self.terminal.get_frame().area().as_position();
        self.terminal.clear()?;
        self.terminal.set_cursor_position(top)?;
        self.terminal.show_cursor()?;
        logging::release();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::backend::TestBackend;

    #[test]
    fn a_terminal_of_a_few_rows_is_enough() {
        for rows in 1..8 {
            let backend = TestBackend::new(30, rows);
            let viewport = Viewport::Inline(PANEL.min(rows.saturating_sub(1)).max(1));
            let mut terminal = Terminal::with_options(backend, TerminalOptions { viewport }).unwrap();
            terminal.insert_before(20, |buffer| Paragraph::new("x").render(buffer.area, buffer)).unwrap();
            terminal.draw(|frame| frame.render_widget(Paragraph::new("y"), frame.area())).unwrap();
        }
    }
}
