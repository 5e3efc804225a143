//! The transcript as text: the whole of it as it grows, and pages of what only some see.
use super::facts::Summary;
use super::sight::Sight;
use crate::text::{cut, one_line, quoted_line, shown};
use agon_core::fence::ENTRY;
use agon_core::{Check, Entry, ParticipantId, Position, SHOWN_CLAIM_CHARS, SHOWN_OUTPUT_CHARS, SpeechKind};
use std::fmt::Write as _;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

/// The whole transcript as text: roster, the fence's first line and all entries, appended to and never changed.
pub(super) struct Rendered {
    text: String,
    /// Where the text ends before the first entry and after each further one, and the last event that was known then.
    ends: Vec<End>,
}

#[derive(Clone, Copy)]
struct End {
    position: Position,
    bytes: usize,
    chars: usize,
    entries: usize,
}

/// The part of the transcript that a prompt shows.
pub(crate) struct Seen<'a> {
    pub(crate) text: Text<'a>,
    pub(crate) chars: usize,
}

/// A text, and who keeps it.
pub(crate) enum Text<'a> {
    /// The view, for as long as it lives.
    Whole(&'a str),
    /// All that see the same.
    Page(Arc<str>),
    /// Nobody.
    Made(String),
}
impl Deref for Text<'_> {
    type Target = str;
    fn deref(&self) -> &str {
        match self {
            Self::Whole(text) => text,
            Self::Page(text) => text,
            Self::Made(text) => text,
        }
    }
}

impl Rendered {
    pub(super) fn new(head: String) -> Self {
        let start = End { position: Position(0), bytes: head.len(), chars: head.chars().count(), entries: 0 };
        Self { text: head, ends: vec![start] }
    }

    /// Roster and the fence's first line.
    pub(super) fn head(&self) -> &str {
        self.ends.first().and_then(|end| self.text.get(..end.bytes)).unwrap_or_default()
    }

    /// Renders the entries up to a position that are not rendered yet.
    pub(super) fn grow(&mut self, sees: Position, entries: &[Entry]) {
        let Some(before) = self.ends.last().copied().filter(|end| end.entries < entries.len()) else { return };
        push_from(&mut self.text, entries, before.entries);
        let added = self.text.get(before.bytes..).unwrap_or_default();
        let chars = before.chars + added.chars().count();
        self.ends.push(End { position: sees, bytes: self.text.len(), chars, entries: entries.len() });
    }

    /// What stands up to a position, of which these are the entries.
    pub(super) fn up_to(&self, sees: Position, entries: &[Entry]) -> Seen<'_> {
        let after = self.ends.partition_point(|end| end.position <= sees);
        let end = self.ends.get(after.saturating_sub(1));
        let text = end.and_then(|end| self.text.get(..end.bytes)).unwrap_or_default();
        let (chars, known) = end.map_or((0, 0), |end| (end.chars, end.entries));
        if known >= entries.len() || after < self.ends.len() {
            return Seen { text: Text::Whole(text), chars };
        }
        let mut whole = text.to_owned();
        push_from(&mut whole, entries, known);
        let chars = whole.chars().count();
        Seen { text: Text::Made(whole), chars }
    }
}

fn push_from(out: &mut String, entries: &[Entry], from: usize) {
    for (number, entry) in (from + 1..).zip(entries.get(from..).unwrap_or_default()) {
        push_numbered(out, number, entry);
    }
}

fn push_numbered(out: &mut String, number: usize, entry: &Entry) {
    let label = format!("T{number} | {}", one_line(entry.participant.as_str()));
    push_entry(out, &label, entry, (&entry.text, &[]));
    push_checks(out, &entry.checks);
}

/// Pages of the transcript that only some see, so that those who see the same share one text.
#[derive(Default)]
pub(super) struct Pages(Mutex<Vec<(Key, Page)>>);

/// Which summary, and which entries by index and by the event that recorded them.
type Key = (Option<usize>, Vec<(usize, Position)>);

#[derive(Clone)]
struct Page {
    text: Arc<str>,
    chars: usize,
}

/// How many pages are kept: those who take part at once seldom see more different things.
const MOST_PAGES: usize = 8;

impl Pages {
    pub(super) fn page(
        &self,
        head: &str,
        sight: &Sight,
        entries: &[Entry],
        summary: Option<&Summary>,
    ) -> Seen<'static> {
        let positions = sight.shown.iter().filter_map(|at| Some((*at, entries.get(*at)?.position)));
        let key: Key = (sight.summary, positions.collect());
        let page = {
            let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match pages.iter().find(|(known, _)| *known == key) {
                Some((_, page)) => page.clone(),
                None => {
                    let page = Page::new(head, sight, entries, summary);
                    if pages.len() >= MOST_PAGES {
                        pages.remove(0);
                    }
                    pages.push((key, page.clone()));
                    page
                }
            }
        };
        // what is left out at the end changes from turn to turn, so it is no part of the page
        let left_out = sight.shown.last().map_or(0, |last| entries.len().saturating_sub(last + 1));
        if left_out == 0 {
            return Seen { text: Text::Page(page.text), chars: page.chars };
        }
        let mut text = page.text.to_string();
        push_gap(&mut text, left_out);
        let chars = text.chars().count();
        Seen { text: Text::Made(text), chars }
    }
}

impl Page {
    fn new(head: &str, sight: &Sight, entries: &[Entry], summary: Option<&Summary>) -> Self {
        let mut text = head.to_owned();
        let first = sight.shown.first().copied().unwrap_or(entries.len());
        push_gap(&mut text, first);
        if let Some(summary) = summary {
            summary.push(&mut text);
        }
        let mut next = first;
        for (at, entry) in sight.shown.iter().filter_map(|at| Some((*at, entries.get(*at)?))) {
            push_gap(&mut text, at.saturating_sub(next));
            push_numbered(&mut text, at + 1, entry);
            next = at + 1;
        }
        Self { chars: text.chars().count(), text: text.into() }
    }
}

/// Says that speeches are left out here. The line has the form of a header, which no speech can forge.
pub(crate) fn push_gap(out: &mut String, left_out: usize) {
    match left_out {
        0 => {}
        1 => out.push_str("### Left out here: 1 speech.\n\n"),
        // writing to a string cannot fail
        _ => write!(out, "### Left out here: {left_out} speeches.\n\n").unwrap_or_default(),
    }
}

/// How debaters are called where their names are not to be known.
pub(crate) type Labels = [(ParticipantId, String)];

/// Adds `### LABEL | STANCE | KIND`, the speech with look-alikes defused, and an empty line. Names in the kind are those of `labels`.
pub(crate) fn push_entry(out: &mut String, label: &str, entry: &Entry, (speech, labels): (&str, &Labels)) {
    out.push_str(ENTRY);
    out.push_str(label);
    if let Some(stance) = entry.stance.as_deref().filter(|stance| *stance != entry.participant.as_str()) {
        out.push_str(" | ");
        out.push_str(&one_line(stance));
    }
    let kind = kind_of(entry, labels);
    if !kind.is_empty() {
        out.push_str(" | ");
        out.push_str(&kind);
    }
    out.push('\n');
    out.push_str(&shown(speech));
    out.push_str("\n\n");
}

/// Adds `### Check by NAME: RESULT`, claim and output, each on one line with look-alikes defused, and an empty line, for each check.
pub(crate) fn push_checks(out: &mut String, checks: &[Check]) {
    for check in checks {
        let part = |text: &str, most| quoted_line(&cut(&one_line(text), most));
        let (claim, output) = (part(&check.claim, SHOWN_CLAIM_CHARS), part(&check.output, SHOWN_OUTPUT_CHARS));
        // writing to a string cannot fail
        write!(out, "### Check by {}: {}\nClaim: {claim}\n", check.verifier, check.result.as_str()).ok();
        if !output.is_empty() {
            writeln!(out, "Output: {output}").ok();
        }
        out.push('\n');
    }
}

/// What a header says of a speech beside who held it: its kind unless that is the usual one, to whom, for which bench, and who cut it.
fn kind_of(entry: &Entry, labels: &Labels) -> String {
    let called = |name: &ParticipantId| {
        let label = labels.iter().find(|(known, _)| known == name).map(|(_, label)| label.as_str());
        one_line(label.unwrap_or(name.as_str()))
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
    if let Some(by) = &entry.cut_by {
        let gap = if kind.is_empty() { "" } else { " " };
        kind.push_str(&format!("{gap}(cut off by {})", called(by)));
    }
    kind
}

/// The part of the debate that an entry belongs to.
pub(crate) fn part_of(entry: &Entry) -> String {
    match entry.kind {
        SpeechKind::Opening | SpeechKind::Proposal => "Opening statements".to_owned(),
        SpeechKind::Closing | SpeechKind::Rebuttal => "Final statements".to_owned(),
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
        | SpeechKind::Moderation => format!("Round {}", entry.turn.round),
    }
}

impl Summary {
    /// Adds the summary under a header, as the data that it is.
    pub(crate) fn push(&self, out: &mut String) {
        let rounds = match self.through {
            0 | 1 => "round 1".to_owned(),
            through => format!("rounds 1 to {through}"),
        };
        // writing to a string cannot fail
        write!(out, "### Summary of {rounds}, by the summarizer\n{}\n\n", shown(&self.text)).ok();
    }
}
