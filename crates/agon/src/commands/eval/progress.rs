//! How far an eval is, as a person sees it.
use super::plan::approximately;
use crate::commands::Context;
use agon_core::thousands;
use agon_eval::EvalProgress;
use std::io::{IsTerminal, Write};
use std::time::Instant;

/// Shows progress on standard error: one line that changes on a terminal, else a line for each block.
pub struct ProgressLine {
    live: bool,
    silent: bool,
    blocks: u32,
    drawn: bool,
    /// When the first progress was shown, and the cells that were over then.
    began: Option<(Instant, u32)>,
}

impl ProgressLine {
    /// A line that nothing was drawn on yet.
    pub fn new(context: &Context, silent: bool) -> Self {
        let live = std::io::stderr().is_terminal() && context.environment.get("TERM") != Some("dumb");
        Self { live, silent: silent || context.output.quiet, blocks: 0, drawn: false, began: None }
    }

    /// Shows how far the eval is.
    pub fn show(&mut self, context: &Context, progress: &EvalProgress) {
        if self.silent {
            return;
        }
        let line = format!("{}{}", line(progress), self.left(progress).map(left_words).unwrap_or_default());
        if self.live {
            let width = context.output.columns().unwrap_or(100).saturating_sub(1);
            let line: String = line.chars().take(width).collect();
            // whoever does not see it misses nothing that counts
            let _ = write!(std::io::stderr(), "\r\x1b[2K{line}").and_then(|()| std::io::stderr().flush());
            self.drawn = true;
        } else if progress.blocks_over > self.blocks {
            context.output.note(&line);
        }
        self.blocks = progress.blocks_over;
    }

    /// Seconds that are left at the pace since the first progress; unknown until a block is over.
    fn left(&mut self, progress: &EvalProgress) -> Option<f64> {
        let (began, before) = *self.began.get_or_insert_with(|| (Instant::now(), progress.cells_over));
        let over = progress.cells_over.saturating_sub(before);
        let left = progress.cells_likely.saturating_sub(progress.cells_over);
        let known = progress.blocks_over > 0 && over > 0 && left > 0;
        known.then(|| began.elapsed().as_secs_f64() / f64::from(over) * f64::from(left))
    }

    /// Says what is waited for, because nothing goes on.
    pub fn wait(&mut self, context: &Context, what: &str) {
        if self.live && !self.silent {
            self.finish();
        }
        if !self.silent {
            context.output.note(what);
        }
    }

    /// Leaves the last line as it is.
    pub fn finish(&mut self) {
        if std::mem::take(&mut self.drawn) {
            let _ = writeln!(std::io::stderr());
        }
    }
}

fn left_words(seconds: f64) -> String {
    format!(", {} left", approximately(seconds))
}

/// Progress in one line: nothing in it tells the arms apart but failures.
pub fn line(progress: &EvalProgress) -> String {
    let EvalProgress { questions, questions_over, cells_over, cells_likely, tokens, .. } = progress;
    let mut text =
        format!("{questions_over} of {questions} questions, {cells_over} of {cells_likely} debates and polls");
    text.push_str(&match progress.tokens_likely {
        Some(likely) => format!(", {} of about {} tokens", thousands(*tokens), thousands(likely)),
        None => format!(", {} tokens", thousands(*tokens)),
    });
    if progress.reused > 0 {
        text.push_str(&format!(", {} of them held before", thousands(progress.reused.into())));
    }
    let failed: Vec<String> =
        progress.arms.iter().filter(|arm| arm.failed > 0).map(|arm| format!("{} {}", arm.name, arm.failed)).collect();
    if !failed.is_empty() {
        text.push_str(&format!(", failed: {}", failed.join(", ")));
    }
    text
}
