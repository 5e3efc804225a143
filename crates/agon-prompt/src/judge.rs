//! The judge's own layout: candidates, the transcript as it is presented to a judge, the task.
use crate::text::one_line;
use crate::view::{Labels, View, part_of, push_checks, push_entry};
use agon_core::fence::{transcript_end, transcript_start};
use agon_core::{Ask, DebateSpec, presentation, speaker_labels};

/// What a judge's message says before its tail.
pub(crate) struct Bench<'a> {
    /// Which order of presentation.
    pub(crate) order: u32,
    /// What stands for election.
    pub(crate) candidates: &'a [String],
    /// Names are hidden whatever the judge's settings are: debaters score each other.
    pub(crate) unnamed: bool,
}

/// The user message up to the tail. In an anonymised transcript the names of debaters are replaced inside the speeches too: by
/// name only, as whole words with the same letter case. A nickname, or what a style gives away, stays.
pub(crate) fn message(view: &View, ask: &Ask, bench: &Bench<'_>, tail: &str) -> String {
    let mut text = String::new();
    if !bench.candidates.is_empty() {
        text.push_str("# Candidates\n");
        for candidate in bench.candidates {
            text.push_str("- ");
            text.push_str(&one_line(candidate));
            text.push('\n');
        }
        text.push('\n');
    }
    text.push_str(&transcript_start(&view.marker));
    text.push('\n');
    if bench.unnamed {
        // without a judge's settings a presentation hides names and shuffles
        let spec = DebateSpec { judge: None, ..view.spec.as_ref().clone() };
        push_transcript(&mut text, view, (ask, &spec), bench.order);
    } else {
        push_transcript(&mut text, view, (ask, &view.spec), bench.order);
    }
    text.push_str(&transcript_end(&view.marker));
    text.push_str("\n\n");
    text.push_str(tail);
    text
}

fn push_transcript(text: &mut String, view: &View, (ask, spec): (&Ask, &DebateSpec), order: u32) {
    let anonymous = spec.judge.as_ref().is_none_or(|judge| judge.anonymize_transcript);
    let labels = speaker_labels(spec, view.seed, anonymous);
    let labels: &Labels = &labels;
    let mut part = String::new();
    let entries = if ask.kept { view.kept(ask.sees, text) } else { view.entries(ask.sees) };
    for shown in presentation(spec, view.seed, entries, order) {
        let this = part_of(shown.entry);
        if this != part {
            text.push_str("## ");
            text.push_str(&this);
            text.push_str("\n\n");
            part = this;
        }
        let label = format!("[{}] {}", shown.number, one_line(&shown.label));
        push_entry(text, &label, shown.entry, (&shown.text, labels));
        push_checks(text, &shown.checks);
    }
}
