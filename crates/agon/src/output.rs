//! Standard output and standard error: data on the one, words about it on the other.
use crate::cli::ColorChoice;
use crate::environment::Environment;
use std::io::{self, IsTerminal, Write};

/// How this process may write.
#[derive(Clone, Copy, Debug)]
pub struct OutputMode {
    /// Standard output is a terminal.
    pub terminal: bool,
    /// Standard output takes colours.
    pub color: bool,
    /// Standard error takes colours.
    pub color_stderr: bool,
    /// Words about what happens are not wanted.
    pub quiet: bool,
}

impl OutputMode {
    /// What the streams are, what the user wants, and what the environment says.
    pub fn new(choice: ColorChoice, environment: &Environment) -> Self {
        let dumb = environment.get("TERM") == Some("dumb");
        let plain = environment.get("NO_COLOR").is_some() || dumb;
        let wanted = |terminal: bool| match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => terminal && !plain,
        };
        let (out, err) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        Self { terminal: out && !dumb, color: wanted(out), color_stderr: wanted(err), quiet: false }
    }

    /// The same, silent where it would only tell what happens.
    pub fn quiet(self, quiet: bool) -> Self {
        Self { quiet, ..self }
    }

    /// Prints data, and sees to it that the reader has it.
    pub fn data(&self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    /// Prints a line of data.
    pub fn line(&self, text: &str) -> io::Result<()> {
        self.data(&format!("{text}\n"))
    }

    /// Columns of the terminal, where there is one.
    pub fn columns(&self) -> Option<usize> {
        let size = self.terminal.then(ratatui::crossterm::terminal::size).and_then(Result::ok);
        size.map(|(columns, _)| usize::from(columns)).filter(|columns| *columns > 0)
    }

    /// Prints a JSON document.
    pub fn json(&self, value: &impl serde::Serialize) -> io::Result<()> {
        self.line(&serde_json::to_string_pretty(value)?)
    }

    /// Prints a JSON document in which no foreign text can steer a terminal.
    pub fn safe_json(&self, value: &impl serde::Serialize) -> io::Result<()> {
        self.line(&agon_report::safe_json(&serde_json::to_string_pretty(value)?))
    }

    /// Says what became of something: as a JSON object where that is wanted, else as a note.
    pub fn became(&self, json: bool, value: &serde_json::Value, note: &str) -> io::Result<()> {
        if json {
            return self.json(value);
        }
        self.note(note);
        Ok(())
    }

    /// Tells what happens.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.say(text);
        }
    }

    /// Tells what happens, even when silence is wanted.
    pub fn say(&self, text: &str) {
        // Whoever does not listen to standard error misses nothing that counts.
        let _ = writeln!(io::stderr(), "{}", agon_report::plain(text));
    }

    /// Asks the user, who answers on the same line.
    pub fn ask(&self, text: &str) {
        let mut out = io::stderr().lock();
        // Whoever does not see the question cannot answer it, which the reading of the answer shows.
        let _ = out.write_all(agon_report::plain(text).as_bytes()).and_then(|()| out.flush());
    }

    /// Warns, even when silence is wanted.
    pub fn warn(&self, text: &str) {
        self.marked("warning", "33", text);
    }

    /// Says why the program ends.
    pub fn error(&self, text: &str) {
        self.marked("error", "31", text);
    }

    fn marked(&self, word: &str, color: &str, text: &str) {
        let word = if self.color_stderr { format!("\x1b[1;{color}m{word}:\x1b[0m") } else { format!("{word}:") };
        let _ = writeln!(io::stderr(), "{word} {}", agon_report::plain(text));
    }
}

/// Rows of cells under each other, each column as wide as its widest cell.
pub fn columns<Row: AsRef<[String]>>(lines: &[Row]) -> String {
    let mut widths = vec![0; lines.iter().map(|line| line.as_ref().len()).max().unwrap_or(0)];
    for line in lines {
        widths.iter_mut().zip(line.as_ref()).for_each(|(width, cell)| *width = (*width).max(cell.chars().count()));
    }
    let padded = |line: &Row| {
        let cells: Vec<String> =
            line.as_ref().iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    lines.iter().map(padded).collect()
}
