//! What stands in a transcript, entry by entry.
use super::facts::{RoundOpening, Summary};
use agon_core::fence::{ENTRY, Fence, Foreign, Part, Written};
use agon_core::{Check, Entry, ParticipantId, SHOWN_CLAIM_CHARS, SHOWN_OUTPUT_CHARS, SpeechKind};

/// Adds what the moderator said when it opened a round, each on one line, and an empty line.
pub(super) fn push_opening(fence: &mut Fence<'_>, opening: &RoundOpening) {
    fence.ours(ENTRY).ours("Round ").ours(opening.round).ours(", opened by the moderator\n");
    let guidance = &opening.guidance;
    let parts = [
        ("Briefing", &guidance.briefing),
        ("New angle", &guidance.new_angle),
        ("Summary of the last round", &guidance.summary),
    ];
    for (key, words) in parts {
        if let Some(words) = words {
            fence.ours(key).ours(": ").line(&Foreign::new(&**words)).ours("\n");
        }
    }
    fence.ours("\n");
}

/// Adds an entry under its number.
pub(super) fn push_numbered(fence: &mut Fence<'_>, number: usize, entry: &Entry) {
    fence.ours(ENTRY).ours("T").ours(number).ours(" | ").line(&Foreign::new(entry.participant.as_str()));
    push_entry(fence, entry, (&entry.text, &[]));
    push_checks(fence, &entry.checks);
}

/// Says that speeches are left out here. The line has the form of a header, which no speech can forge.
pub(crate) fn push_gap(fence: &mut Fence<'_>, left_out: usize) {
    match left_out {
        0 => {}
        1 => {
            fence.ours("### Left out here: 1 speech.\n\n");
        }
        _ => {
            fence.ours("### Left out here: ").ours(left_out).ours(" speeches.\n\n");
        }
    }
}

/// How debaters are called where their names are not to be known.
pub(crate) type Labels = [(ParticipantId, String)];

/// Adds ` | STANCE | KIND` to a header, the speech, and an empty line. Names in the kind are those of `labels`.
pub(crate) fn push_entry(fence: &mut Fence<'_>, entry: &Entry, (speech, labels): (&str, &Labels)) {
    if let Some(stance) = entry.stance.as_deref().filter(|stance| *stance != entry.participant.as_str()) {
        fence.ours(" | ").line(&Foreign::new(stance));
    }
    let kind = kind_of(entry, labels);
    if !kind.is_empty() {
        fence.ours(" | ").line(&Foreign::new(kind));
    }
    fence.ours("\n").text(&Foreign::new(speech)).ours("\n\n");
}

/// Adds `### Check by NAME: RESULT`, claim and output, each on one line, and an empty line, for each check.
pub(crate) fn push_checks(fence: &mut Fence<'_>, checks: &[Check]) {
    for check in checks {
        let part = |text: &str, most| Foreign::new(text.to_owned()).on_one_line().cut(most);
        let output = part(&check.output, SHOWN_OUTPUT_CHARS);
        fence.ours("### Check by ").line(&Foreign::new(check.verifier.as_str())).ours(": ").ours(check.result.as_str());
        fence.ours("\nClaim: ").line(&part(&check.claim, SHOWN_CLAIM_CHARS)).ours("\n");
        if !output.is_blank() {
            fence.ours("Output: ").line(&output).ours("\n");
        }
        fence.ours("\n");
    }
}

/// What a header says of a speech beside who held it: its kind unless that is the usual one, to whom, for which bench, and who cut it.
fn kind_of(entry: &Entry, labels: &Labels) -> String {
    let called = |name: &ParticipantId| {
        let label = labels.iter().find(|(known, _)| known == name).map(|(_, label)| label.as_str());
        label.unwrap_or(name.as_str()).to_owned()
    };
    let to = entry.to.as_ref().map(called);
    let with = |kind: &str, link: &str| match &to {
        Some(to) if kind.is_empty() => format!("{link} {to}"),
        Some(to) => format!("{kind} {link} {to}"),
        None => kind.to_owned(),
    };
    let mut kind = match entry.kind {
        SpeechKind::Opening | SpeechKind::Argument | SpeechKind::Closing => with("", "to"),
        SpeechKind::Question => with("question", "to"),
        SpeechKind::Answer => with("answer", "to"),
        SpeechKind::FollowUp => with("follow-up", "to"),
        SpeechKind::Proposal => with("proposal", "to"),
        SpeechKind::Revision => with("revision", "to"),
        SpeechKind::Rebuttal => with("rebuttal", "to"),
        SpeechKind::Clarification => with("clarification", "to"),
        SpeechKind::Interjection => with("interjection", "to"),
        SpeechKind::Critique => with("critique", "of"),
        SpeechKind::Point => with("point of information", "to"),
        SpeechKind::PointReply => with("answer to the point", "of"),
        SpeechKind::Moderation => String::new(),
    };
    if let Some(bench) = entry.bench {
        let gap = if kind.is_empty() { "" } else { " | " };
        kind = format!("{}{gap}{kind}", bench.title());
    }
    let by = entry.cut_by.as_ref().map(|by| format!("by {}", called(by)));
    if let Some(cut) = by.or_else(|| entry.cut_at_limit.then(|| "at its limit".to_owned())) {
        let gap = if kind.is_empty() { "" } else { " " };
        kind.push_str(&format!("{gap}(cut off {cut})"));
    }
    kind
}

/// The part of the debate that an entry belongs to.
pub(crate) fn part_of(entry: &Entry) -> Written {
    match entry.kind {
        SpeechKind::Opening | SpeechKind::Proposal => Written::joined(["Opening statements"], ""),
        SpeechKind::Closing | SpeechKind::Rebuttal => Written::joined(["Final statements"], ""),
        SpeechKind::Argument
        | SpeechKind::Question
        | SpeechKind::Answer
        | SpeechKind::FollowUp
        | SpeechKind::Revision
        | SpeechKind::Clarification
        | SpeechKind::Interjection
        | SpeechKind::Critique
        | SpeechKind::Point
        | SpeechKind::PointReply
        | SpeechKind::Moderation => Written::joined(["Round ".into(), Part::from(entry.turn.round)], ""),
    }
}

impl Summary {
    /// Adds the summary under a header, as the data that it is.
    pub(crate) fn push(&self, fence: &mut Fence<'_>) {
        fence.ours("### Summary of ");
        match self.through {
            0 | 1 => fence.ours("round 1"),
            through => fence.ours("rounds 1 to ").ours(through),
        };
        fence.ours(", by the summarizer\n").text(&Foreign::new(&*self.text)).ours("\n\n");
    }
}
