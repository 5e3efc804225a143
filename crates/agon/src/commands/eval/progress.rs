//! How far an eval is, as a person sees it.
use crate::commands::Context;
use agon_core::thousands;
use agon_eval::EvalProgress;
use agon_report::count;
use std::io::{IsTerminal, Write};

/// Shows progress on standard error: one line that changes on a terminal, else a line for each block.
pub struct ProgressLine {
    live: bool,
    silent: bool,
    blocks: u32,
    drawn: bool,
}

impl ProgressLine {
    /// A line that nothing was drawn on yet.
    pub fn new(context: &Context, silent: bool) -> Self {
        let live = std::io::stderr().is_terminal() && context.environment.get("TERM") != Some("dumb");
        Self { live, silent: silent || context.output.quiet, blocks: 0, drawn: false }
    }

    /// Shows how far the eval is.
    pub fn show(&mut self, context: &Context, progress: &EvalProgress) {
        if self.silent {
            return;
        }
        if self.live {
            let width = context.output.columns().unwrap_or(100).saturating_sub(1);
            let line: String = line(progress).chars().take(width).collect();
            // whoever does not see it misses nothing that counts
            let _ = write!(std::io::stderr(), "\r\x1b[2K{line}").and_then(|()| std::io::stderr().flush());
            self.drawn = true;
        } else if progress.blocks_over > self.blocks {
            context.output.note(&line(progress));
        }
        self.blocks = progress.blocks_over;
    }

    /// Leaves the last line as it is.
    pub fn finish(&mut self) {
        if std::mem::take(&mut self.drawn) {
            let _ = writeln!(std::io::stderr());
        }
    }
}

/// Progress in one line: nothing in it tells the arms apart but failures.
pub fn line(progress: &EvalProgress) -> String {
    let EvalProgress { questions, questions_over, cells_over, cells_likely, tokens, .. } = progress;
    let mut text = format!("{questions_over} of {questions} questions, {cells_over} of {cells_likely} cells");
    text.push_str(&match progress.tokens_likely {
        Some(likely) => format!(", {} of about {} tokens", thousands(*tokens), thousands(likely)),
        None => format!(", {} tokens", thousands(*tokens)),
    });
    if progress.reused > 0 {
        text.push_str(&format!(", {} held before", count(u64::from(progress.reused), "cell")));
    }
    let failed: Vec<String> =
        progress.arms.iter().filter(|arm| arm.failed > 0).map(|arm| format!("{} {}", arm.name, arm.failed)).collect();
    if !failed.is_empty() {
        text.push_str(&format!(", failed: {}", failed.join(", ")));
    }
    text
}
