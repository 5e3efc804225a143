//! The judge's own layout: candidates, the transcript as it is presented to a judge, the task.
use crate::tail;
use crate::text::one_line;
use crate::view::{View, push_entry};
use agon_core::fence::{transcript_end, transcript_start};
use agon_core::{Ask, Entry, Judge, SpeechKind, presentation};

/// The judge's user message. In an anonymised transcript the names of debaters are replaced inside the speeches too: by
/// name only, as whole words with the same letter case. A nickname, or what a style gives away, stays.
pub(crate) fn message(view: &View, ask: &Ask, judge: &Judge, order: u32, candidates: &[String]) -> String {
    let mut text = String::new();
    if !candidates.is_empty() {
        text.push_str("# Candidates\n");
        for candidate in candidates {
            text.push_str("- ");
            text.push_str(&one_line(candidate));
            text.push('\n');
        }
        text.push('\n');
    }
    text.push_str(&transcript_start(&view.marker));
    text.push('\n');
    push_transcript(&mut text, view, ask, order);
    text.push_str(&transcript_end(&view.marker));
    text.push_str("\n\n");
    text.push_str(&tail::judge(view, ask, judge, candidates));
    text
}

fn push_transcript(text: &mut String, view: &View, ask: &Ask, order: u32) {
    let mut part = String::new();
    for shown in presentation(&view.spec, view.seed, view.entries(ask.sees), order) {
        let this = part_of(shown.entry);
        if this != part {
            text.push_str("## ");
            text.push_str(&this);
            text.push_str("\n\n");
            part = this;
        }
        let label = format!("[{}] {}", shown.number, one_line(&shown.label));
        push_entry(text, &label, shown.entry, &shown.text);
    }
}

fn part_of(entry: &Entry) -> String {
    match entry.kind {
        SpeechKind::Opening => "Opening statements".to_owned(),
        SpeechKind::Closing | SpeechKind::Rebuttal => "Final statements".to_owned(),
        _ => format!("Round {}", entry.turn.round),
    }
}
