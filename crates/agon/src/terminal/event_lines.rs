//! What is printed of an event: the words for everybody, and figures for those who want them.
use crate::cli::Show;
use agon_core::{Call, Event, PhaseName, Position, Timestamp};
use agon_report::{LiveView, StyledLine, TextStyle};

/// A live view that may add figures.
#[derive(Clone, Debug, Default)]
pub struct TerminalView {
    /// The state of the debate.
    pub view: LiveView,
    /// Whether every turn is followed by its figures.
    pub verbose: bool,
    /// What of the debate is printed.
    pub show: Show,
}

impl TerminalView {
    /// What is to be printed for good of this event.
    pub fn lines(&mut self, position: Position, at: Timestamp, event: &Event) -> Vec<StyledLine> {
        let known = position <= self.view.position();
        let mut lines = self.view.lines(position, at, event);
        if !wanted(self.show, event) {
            return Vec::new();
        }
        if self.verbose && !known {
            lines.extend(self.view.details(at, event));
            lines.extend(figures(event));
        }
        lines
    }
}

/// Whether an event is among those that the user wants to see.
fn wanted(show: Show, event: &Event) -> bool {
    match show {
        Show::All => true,
        Show::Verdict => false,
        Show::Speeches => match event {
            Event::DebateAdmitted(_) | Event::RoundOpened { .. } | Event::FallbackDecided { .. } => true,
            Event::Answered(answered) => answered.given.kind().said,
            Event::PhaseEntered { phase } => matches!(
                phase,
                PhaseName::OpeningStatements | PhaseName::Rounds | PhaseName::FinalStatements | PhaseName::Rebuttals
            ),
            Event::Claimed { .. }
            | Event::ParticipantPlaced { .. }
            | Event::StageOpened { .. }
            | Event::TurnAsked(_)
            | Event::ToolCalled { .. }
            | Event::SpeechHeard { .. }
            | Event::RoundCompared { .. }
            | Event::TurnFailed { .. }
            | Event::SeatSkipped { .. }
            | Event::GateDecided { .. }
            | Event::LoopEnded { .. }
            | Event::VoteTallied { .. }
            | Event::VerdictReached { .. }
            | Event::DebateInterrupted { .. }
            | Event::DebateResumed { .. }
            | Event::CancelRequested { .. }
            | Event::DebateEnded { .. } => false,
        },
    }
}

fn figures(event: &Event) -> Option<StyledLine> {
    if let Event::DebateEnded { usage, .. } = event {
        let new = usage.cached_tokens.map(|cached| usage.prompt_tokens.saturating_sub(cached).to_string());
        let new = new.unwrap_or_else(|| "unknown".to_owned());
        return Some(StyledLine::of(
            TextStyle::Dim,
            format!("prompt tokens that were new: {new} of {}", usage.prompt_tokens),
        ));
    }
    let (turn, call) = event.settled()?;
    Some(StyledLine::of(TextStyle::Dim, format!("  [{turn}: {}]", parts(call).join(" · "))))
}

/// The figures that are known; unknown ones are left out, never 0.
fn parts(call: &Call) -> Vec<String> {
    let usage = call.usage;
    let new = match (usage.prompt_tokens, usage.cached_tokens) {
        (Some(all), Some(cached)) => Some(format!("{} of {all} prompt tokens new", all.saturating_sub(cached))),
        (Some(all), None) => Some(format!("{all} prompt tokens, unknown how many new")),
        (None, _) => None,
    };
    let ms = |name: &str, ms: Option<u64>| ms.map(|ms| format!("{name} {ms} ms"));
    let timing = call.timing;
    let all = [
        new,
        usage.completion_tokens.map(|tokens| format!("{tokens} generated")),
        ms("model server away", timing.away_ms),
        ms("queued", timing.queue_ms),
        ms("load", timing.load_ms),
        ms("prefill", timing.prefill_ms),
        ms("decode", timing.decode_ms),
    ];
    all.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::Usage;

    #[test]
    fn what_is_unknown_is_not_shown_as_nothing() {
        let mut call = Call::default();
        assert!(parts(&call).is_empty());
        call.usage = Usage { prompt_tokens: Some(100), cached_tokens: Some(40), completion_tokens: None };
        assert_eq!(parts(&call), ["60 of 100 prompt tokens new"]);
        call.usage.cached_tokens = None;
        assert_eq!(parts(&call), ["100 prompt tokens, unknown how many new"]);
    }
}
