//! The judge's own layout: the transcript as it is presented to a judge, the task. What may be chosen stands in the task alone, so that judges
//! who read one order share all before it.
use crate::view::{Labels, View, part_of, push_checks, push_entry};
use agon_core::fence::{ENTRY, Fence, FenceKind, Foreign, Mark, Written};
use agon_core::{Ask, DebateSpec, presentation, speaker_labels};

/// What a judge's message says before its tail.
pub(crate) struct JudgePreamble<'a> {
    /// Which order of presentation.
    pub(crate) order: u32,
    /// Names are hidden whatever the judge's settings are: debaters score each other.
    pub(crate) unnamed: bool,
    /// The mark that the reader's system message names.
    pub(crate) mark: &'a Mark,
}

/// The user message up to the tail. In an anonymised transcript the names of debaters are replaced inside the speeches too: by
/// name only, as whole words with the same letter case. A nickname, or what a style gives away, stays.
pub(crate) fn message(view: &View, ask: &Ask, bench: &JudgePreamble<'_>, tail: &Written) -> Written {
    let mut text = Written::default();
    let mut fence = Fence::open(&mut text, FenceKind::Transcript, bench.mark);
    if bench.unnamed {
        // without a judge's settings a presentation hides names and shuffles
        let spec = DebateSpec { judge: None, ..view.spec.as_ref().clone() };
        push_transcript(&mut fence, view, (ask, &spec), bench.order);
    } else {
        push_transcript(&mut fence, view, (ask, &view.spec), bench.order);
    }
    fence.close(FenceKind::Transcript);
    text.push("\n\n");
    text.push(tail);
    text
}

fn push_transcript(fence: &mut Fence<'_>, view: &View, (ask, spec): (&Ask, &DebateSpec), order: u32) {
    let anonymous = spec.judge.as_ref().is_none_or(|judge| judge.anonymize_transcript);
    let labels = speaker_labels(spec, view.seed, anonymous);
    let labels: &Labels = &labels;
    let mut part = Written::default();
    let entries = if ask.kept { view.kept(ask.sees, fence) } else { view.entries(ask.sees) };
    // a debater who scores the others is shown no more of them than in the debate
    let reader = spec.persona(&ask.participant);
    let entries = entries.iter().filter(|entry| reader.is_none_or(|reader| entry.is_shown_to(spec, reader)));
    for shown in presentation(spec, view.seed, entries, order) {
        let this = part_of(shown.entry);
        if this != part {
            fence.ours("## ").ours(&this).ours("\n\n");
            part = this;
        }
        fence.ours(ENTRY).ours("[").ours(shown.number).ours("] ").line(&Foreign::new(shown.label));
        push_entry(fence, shown.entry, (&shown.text, labels));
        push_checks(fence, &shown.checks);
    }
}
