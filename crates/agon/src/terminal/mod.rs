//! A running debate on a terminal, and as plain lines where there is none.
mod event_lines;
mod inline;
mod paint;
mod panel;
mod plain;
mod wrap;

use crate::cli::ViewArgs;
use crate::output::OutputMode;
use crate::reports::StoredLog;
use crate::settings::Settings;
use agon_core::{Event, Position, Timestamp, TurnId};
use agon_report::{LiveView, StyledLine};
use event_lines::TerminalView;
use inline::InlineView;
use plain::PlainView;
use std::io::{self, Write as _};
use wrap::wrap;

pub use wrap::columns;

/// From where on a debate is shown.
#[derive(Clone, Debug, Default)]
pub struct Begin {
    /// The last event that is not shown.
    pub after: Position,
    view: LiveView,
}

impl Begin {
    /// What the log holds already is known and not shown again.
    pub fn after(log: &StoredLog) -> Self {
        let mut begin = Self::default();
        for record in &log.records {
            for (position, event) in record.entries() {
                begin.view.lines(position, record.at, event);
            }
            begin.after = record.last();
        }
        begin
    }
    /// The same, with what calls cost.
    pub fn with_prices(self, settings: &Settings) -> Self {
        Self { view: self.view.with_prices(settings.prices()), ..self }
    }
}

/// The view that suits the output and the user's wishes.
pub fn choose(output: &OutputMode, args: &ViewArgs, begin: Begin) -> io::Result<Box<dyn DebateView>> {
    let told = TerminalView { view: begin.view, verbose: args.verbose, show: args.show };
    Ok(if args.jsonl {
        Box::new(JsonlView)
    } else if args.json || args.quiet {
        Box::new(NoView)
    } else if output.terminal {
        // A terminal that does not say where its cursor is can still show lines.
        match InlineView::on_stdout(told.clone(), output.color) {
            Ok(view) => Box::new(view),
            Err(_) => Box::new(PlainView::new(told, output.color)),
        }
    } else {
        Box::new(PlainView::new(told, output.color))
    })
}

/// Lines as plain text, no wider than `width` columns.
pub fn text(lines: &[StyledLine], width: usize) -> String {
    lines.iter().flat_map(|line| wrap(line, width)).map(|line| format!("{}\n", paint::line(&line, false))).collect()
}

/// Prints lines on standard output, no wider than `width` columns.
pub fn print(lines: &[StyledLine], width: usize, color: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in lines.iter().flat_map(|line| wrap(line, width)) {
        writeln!(out, "{}", paint::line(&line, color))?;
    }
    out.flush()
}

/// What shows a running debate.
pub trait DebateView {
    /// An event happened.
    fn event(&mut self, position: Position, at: Timestamp, event: &Event) -> io::Result<()>;
    /// Whether the view is drawn anew at each [`DebateView::tick`], with running answers and what turns wait for.
    fn is_live(&self) -> bool {
        false
    }
    /// A piece of a running answer came.
    fn delta(&mut self, _turn: TurnId, _n: u64, _text: &str) {}
    /// A turn waits for this.
    fn waits(&mut self, _turn: TurnId, _what: &str) {}
    /// Time has passed; `notice` is what the user should know at the moment.
    fn tick(&mut self, _now: Timestamp, _notice: Option<&str>) -> io::Result<()> {
        Ok(())
    }
    /// The user should know this. A view that draws at each [`DebateView::tick`] shows it there.
    fn notice(&mut self, text: &str) {
        // Whoever does not listen to standard error misses nothing that counts.
        let _ = writeln!(io::stderr(), "{}", agon_report::plain(text));
    }
    /// Nothing more will come: leave the screen in order.
    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoView;

impl DebateView for NoView {
    fn event(&mut self, _position: Position, _at: Timestamp, _event: &Event) -> io::Result<()> {
        Ok(())
    }
}

/// The events as JSON lines on standard output, as they happen.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonlView;

impl DebateView for JsonlView {
    fn event(&mut self, position: Position, at: Timestamp, event: &Event) -> io::Result<()> {
        let mut out = io::stdout().lock();
        writeln!(out, "{}", agon_report::json_line(&agon_report::event_json(position, at, event)))?;
        out.flush()
    }
}
