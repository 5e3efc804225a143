//! The live view: what is finished scrolls up like any output, what runs stands in a few lines at the bottom.
//!
//! The terminal stays in its normal mode, so that nothing has to be restored whatever ends the program.
use super::{View, paint, told::Told, wrap::wrap};
use crate::logging;
use agon_core::{Event, Position, Timestamp, TurnId};
use agon_report::{Span, Speaking, Style, StyledLine};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::layout::Position as Cell;
use ratatui::text::{Line, Text};
use ratatui::widgets::{Paragraph, Widget};
use ratatui::{Terminal, TerminalOptions, Viewport};
use std::io::{self, Stdout};

/// Lines at the bottom that belong to the running turns and the status.
const PANEL: u16 = 9;

/// A debate on a terminal.
pub struct InlineView<B: Backend = CrosstermBackend<Stdout>> {
    told: Told,
    terminal: Terminal<B>,
    color: bool,
}

impl InlineView {
    /// Takes the lower end of the terminal.
    pub fn on_stdout(told: Told, color: bool) -> io::Result<Self> {
        Self::new(CrosstermBackend::new(io::stdout()), told, color)
    }
}

impl<B: Backend<Error = io::Error>> InlineView<B> {
    fn new(backend: B, told: Told, color: bool) -> io::Result<Self> {
        let rows = backend.size()?.height;
        let viewport = Viewport::Inline(PANEL.min(rows.saturating_sub(1)).max(1));
        let terminal = Terminal::with_options(backend, TerminalOptions { viewport })?;
        logging::hold();
        Ok(Self { told, terminal, color })
    }

    fn print(&mut self, lines: &[StyledLine]) -> io::Result<()> {
        let width = usize::from(self.terminal.size()?.width);
        let lines: Vec<Line<'static>> =
            lines.iter().flat_map(|line| wrap(line, width)).map(|line| self.dressed(line)).collect();
        // Not more at a time than any terminal has rows.
        for part in lines.chunks(16) {
            let text = Text::from(part.to_vec());
            let height = u16::try_from(part.len()).unwrap_or(u16::MAX);
            self.terminal.insert_before(height, |buffer| Paragraph::new(text).render(buffer.area, buffer))?;
        }
        Ok(())
    }

    fn dressed(&self, line: Line<'static>) -> Line<'static> {
        if self.color { line } else { Line::raw(line.to_string()) }
    }

    fn panel(&self, now: Timestamp, notice: Option<&str>, width: usize, height: usize) -> Vec<Line<'static>> {
        let mut status: Vec<Line<'static>> =
            self.told.view.status(now).iter().filter_map(|line| wrap(line, width).into_iter().next()).collect();
        let summary = if status.is_empty() { Line::default() } else { status.remove(0) };
        let rule = Line::styled("─".repeat(width), paint::look(Style::Dim));
        let mut foot = vec![rule, summary];
        let most = height.saturating_sub(3).min(status.len());
        let hidden = status.len().saturating_sub(most);
        foot.extend(status.into_iter().take(if hidden > 0 { most.saturating_sub(1) } else { most }));
        if hidden > 0 {
            foot.push(Line::styled(format!("and {} more", hidden + 1), paint::look(Style::Dim)));
        }
        foot.extend(notice.map(|notice| Line::styled(notice.to_owned(), paint::look(Style::Warn))));
        let room = height.saturating_sub(foot.len());
        let mut lines = self.voices(width, room);
        lines.resize(room.max(lines.len()), Line::default());
        lines.extend(foot);
        lines.truncate(height);
        lines.into_iter().map(|line| self.dressed(line)).collect()
    }

    /// The last words of those who speak, each with its share of the room.
    fn voices(&self, width: usize, room: usize) -> Vec<Line<'static>> {
        let speaking: Vec<&Speaking> = self
            .told
            .view
            .speaking()
            .map(|(_, speaking)| speaking)
            .filter(|speaking| !speaking.text.is_empty())
            .collect();
        let shown = speaking.len().min(room);
        if shown == 0 {
            return Vec::new();
        }
        let share = room / shown;
        speaking.into_iter().take(shown).flat_map(|speaking| self.voice(speaking, width, share)).collect()
    }

    fn voice(&self, speaking: &Speaking, width: usize, share: usize) -> Vec<Line<'static>> {
        let name = StyledLine::of(self.told.view.style(&speaking.participant), speaking.participant.as_str());
        if share == 1 {
            let tail: String = tail(&speaking.text, width / 2).replace('\n', " ");
            return wrap(&name.and(Style::Plain, format!(" … {tail}")), width).into_iter().take(1).collect();
        }
        // Only what can be seen is laid out again at every tick.
        let text = tail(&speaking.text, width.saturating_mul(share));
        let mut lines: Vec<Line<'static>> = text.lines().flat_map(|line| wrap(&indented(line), width)).collect();
        lines.drain(..lines.len().saturating_sub(share.saturating_sub(1)));
        let mut all = wrap(&name, width);
        all.truncate(1);
        all.extend(lines);
        all
    }
}

fn indented(text: &str) -> StyledLine {
    StyledLine { spans: vec![Span { text: format!("  {text}"), style: Style::Plain }] }
}

/// The last characters of a text, from the beginning of a word.
fn tail(text: &str, chars: usize) -> &str {
    let Some((start, _)) = text.char_indices().rev().nth(chars.saturating_sub(1)) else { return text };
    let rest = text.get(start..).unwrap_or_default();
    rest.find(' ').and_then(|space| rest.get(space + 1..)).unwrap_or(rest)
}

impl<B: Backend<Error = io::Error>> View for InlineView<B> {
    fn event(&mut self, position: Position, at: Timestamp, event: &Event) -> io::Result<()> {
        let lines = self.told.lines(position, at, event);
        self.print(&lines)
    }

    fn wants_tokens(&self) -> bool {
        true
    }

    fn delta(&mut self, turn: TurnId, n: u64, text: &str) {
        self.told.view.delta(turn, n, text);
    }

    fn tick(&mut self, now: Timestamp, notice: Option<&str>) -> io::Result<()> {
        self.terminal.autoresize()?;
        let logged: Vec<StyledLine> = logging::held().lines().map(|line| StyledLine::of(Style::Dim, line)).collect();
        self.print(&logged)?;
        let area = self.terminal.get_frame().area();
        let lines = self.panel(now, notice, usize::from(area.width), usize::from(area.height));
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
    use agon_core::{Admission, Ask, ModelName, ParticipantId, Task, TurnId};
    use agon_report::LiveView;
    use ratatui::backend::TestBackend;

    const TURN: TurnId = TurnId { round: 0, seat: 0, attempt: 1 };

    fn admission() -> Admission {
        let source = agon_spec::Source::new("topic", "topic: Tea or coffee?\n").with_syntax(agon_spec::Syntax::Yaml);
        let defaults = agon_spec::Defaults { model: Some("m:1".into()), ..agon_spec::Defaults::default() };
        Admission {
            id: agon_core::DebateId::parse("tea-or-coffee").unwrap(),
            spec: agon_spec::parse(&source, &defaults).spec.unwrap(),
            seed: 1,
            retry: agon_core::RetryPolicy::default(),
            agon_version: "0.0.0".into(),
            request_id: None,
            rehearsal: true,
        }
    }

    fn asked() -> Event {
        Event::TurnAsked(Ask {
            turn: TURN,
            participant: ParticipantId::from("advocate"),
            model: ModelName::from("m:1"),
            task: Task::Opening,
            sees: Position(1),
            deadline: Timestamp(90_000),
            correction: None,
        })
    }

    fn lines_of(view: &InlineView) -> Vec<String> {
        view.panel(Timestamp(2_000), None, 40, 9).iter().map(ToString::to_string).collect()
    }

    fn speaking(text: &str) -> LiveView {
        let mut view = LiveView::new();
        view.lines(Position(1), Timestamp(0), &Event::DebateAdmitted(Box::new(admission())));
        view.lines(Position(2), Timestamp(0), &asked());
        view.delta(TURN, 0, text);
        view
    }

    #[test]
    fn the_panel_shows_the_last_words_of_whoever_speaks() {
        let backend = CrosstermBackend::new(io::stdout());
        let terminal =
            Terminal::with_options(backend, TerminalOptions { viewport: Viewport::Fixed(Default::default()) });
        let text = (0..200).map(|n| format!("word{n} ")).collect::<String>();
        let view = InlineView {
            told: Told { view: speaking(&text), verbose: false },
            terminal: terminal.unwrap(),
            color: false,
        };
        let lines = lines_of(&view);
        assert_eq!(lines.len(), 9);
        assert_eq!(lines[0], "advocate");
        assert!(lines.iter().any(|line| line.contains("word199")), "{lines:?}");
        assert!(!lines.iter().any(|line| line.contains("word0 ")), "{lines:?}");
        assert!(lines.last().unwrap().contains("opening statement"), "{lines:?}");
    }

    #[test]
    fn a_tail_begins_with_a_whole_word() {
        assert_eq!(tail("one two three", 7), "three");
        assert_eq!(tail("one", 7), "one");
        assert_eq!(tail("äöü äöü", 4), "äöü");
    }

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
