//! The transcript as text: the whole of it as it grows, and pages of what only some see.
use super::entry::{push_gap, push_numbered, push_opening};
use super::facts::{RoundOpening, Summary};
use super::sight::VisibleEntries;
use agon_core::fence::{Fence, Mark, Part, Written};
use agon_core::{Entry, Position};
use std::sync::{Arc, Mutex, PoisonError};

/// The whole transcript as text: roster, the fence's first line and all entries, appended to and never changed.
pub(super) struct Rendered {
    text: Written,
    mark: Mark,
    /// Where the text ends before the first entry and after each further one, and the last event that was known then.
    ends: Vec<PageEnd>,
}

#[derive(Clone, Copy)]
struct PageEnd {
    position: Position,
    bytes: usize,
    chars: usize,
    entries: usize,
    openings: usize,
}

/// What stands in the transcript of debaters and moderator: speeches, and what the moderator said when it opened rounds.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) entries: &'a [Entry],
    pub(super) openings: &'a [RoundOpening],
}
impl Known<'_> {
    fn reaches(&self, end: &PageEnd) -> bool {
        self.entries.len() > end.entries || self.openings.len() > end.openings
    }
}

/// The part of the transcript that a prompt shows.
pub(crate) struct ShownTranscript<'a> {
    text: PageText<'a>,
    pub(crate) chars: usize,
}

/// A text, and who keeps it.
enum PageText<'a> {
    /// The view, for as long as it lives.
    Whole(Part<'a>),
    /// All that see the same.
    Page(Arc<Written>),
    /// Nobody.
    Made(Written),
}
impl ShownTranscript<'_> {
    pub(crate) fn text(&self) -> Part<'_> {
        match &self.text {
            PageText::Whole(text) => text.clone(),
            PageText::Page(text) => text.as_ref().into(),
            PageText::Made(text) => text.into(),
        }
    }
}

impl Rendered {
    pub(super) fn new(head: Written, mark: Mark) -> Self {
        let start = Part::from(&head);
        let start =
            PageEnd { position: Position(0), bytes: start.bytes(), chars: start.chars(), entries: 0, openings: 0 };
        Self { text: head, mark, ends: vec![start] }
    }

    /// Roster and the fence's first line.
    pub(super) fn head(&self) -> Part<'_> {
        self.text.up_to(self.ends.first().map_or(0, |end| end.bytes))
    }

    /// Renders what is known up to a position and not rendered yet.
    pub(super) fn grow(&mut self, sees: Position, known: Known<'_>) {
        let Some(before) = self.ends.last().copied().filter(|end| known.reaches(end)) else { return };
        push_from(&mut Fence::within(&mut self.text, &self.mark), known, &before);
        let text = self.text.as_str();
        let chars = before.chars + text.get(before.bytes..).unwrap_or_default().chars().count();
        let (entries, openings) = (known.entries.len(), known.openings.len());
        self.ends.push(PageEnd { position: sees, bytes: text.len(), chars, entries, openings });
    }

    /// The last event that was known when the text last grew.
    pub(super) fn position(&self) -> Option<Position> {
        self.ends.last().map(|end| end.position)
    }

    /// What stands up to a position, at which this is known.
    pub(super) fn up_to(&self, sees: Position, known: Known<'_>) -> ShownTranscript<'_> {
        let after = self.ends.partition_point(|end| end.position <= sees);
        let Some(end) = self.ends.get(after.saturating_sub(1)) else {
            return ShownTranscript { text: PageText::Whole(self.text.up_to(0)), chars: 0 };
        };
        let text = self.text.up_to(end.bytes);
        if !known.reaches(end) || after < self.ends.len() {
            return ShownTranscript { text: PageText::Whole(text), chars: end.chars };
        }
        let mut whole = Written::default();
        whole.push(text);
        push_from(&mut Fence::within(&mut whole, &self.mark), known, end);
        let chars = Part::from(&whole).chars();
        ShownTranscript { text: PageText::Made(whole), chars }
    }
}

fn push_from(fence: &mut Fence<'_>, known: Known<'_>, from: &PageEnd) {
    let mut openings = known.openings.get(from.openings..).unwrap_or_default();
    for (number, entry) in (from.entries + 1..).zip(known.entries.get(from.entries..).unwrap_or_default()) {
        openings = push_openings(fence, openings, Some(entry));
        push_numbered(fence, number, entry);
    }
    push_openings(fence, openings, None);
}

/// Adds the openings of rounds that came before an entry, or all, and says which are left.
fn push_openings<'o>(
    fence: &mut Fence<'_>,
    openings: &'o [RoundOpening],
    before: Option<&Entry>,
) -> &'o [RoundOpening] {
    let came = openings.partition_point(|opening| before.is_none_or(|entry| opening.position < entry.position));
    let (came, later) = openings.split_at_checked(came).unwrap_or_default();
    came.iter().for_each(|opening| push_opening(fence, opening));
    later
}

/// Pages of the transcript that only some see, so that those who see the same share one text.
#[derive(Default)]
pub(super) struct Pages(Mutex<Vec<(PageKey, TranscriptPage)>>);

/// Which summary, which entries by index and by the event that recorded them, and the last opening of a round.
type PageKey = (Option<usize>, Vec<(usize, Position)>, Option<Position>);

#[derive(Clone)]
struct TranscriptPage {
    text: Arc<Written>,
    chars: usize,
}

/// How many pages are kept: those who take part at once seldom see more different things.
const MOST_PAGES: usize = 8;

/// What is shown of the transcript, to whom.
pub(super) struct PageContent<'a> {
    pub(super) sight: &'a VisibleEntries,
    pub(super) entries: &'a [Entry],
    pub(super) openings: &'a [RoundOpening],
    pub(super) summary: Option<&'a Summary>,
    pub(super) mark: &'a Mark,
}

impl Pages {
    pub(super) fn page<'h>(
        &self,
        shown: &PageContent<'_>,
        head: impl FnOnce() -> Part<'h>,
    ) -> ShownTranscript<'static> {
        let positions = shown.sight.shown.iter().filter_map(|at| Some((*at, shown.entries.get(*at)?.position)));
        let opened = shown.openings.last().map(|opening| opening.position);
        let key: PageKey = (shown.sight.summary, positions.collect(), opened);
        let page = {
            let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match pages.iter().find(|(known, _)| *known == key) {
                Some((_, page)) => page.clone(),
                None => {
                    let mut text = Written::default();
                    text.push(head());
                    shown.push_entries(&mut text);
                    let page = TranscriptPage { chars: Part::from(&text).chars(), text: Arc::new(text) };
                    if pages.len() >= MOST_PAGES {
                        pages.remove(0);
                    }
                    pages.push((key, page.clone()));
                    page
                }
            }
        };
        // what is left out at the end changes from turn to turn, so it is no part of the page
        if shown.left_out() == 0 {
            return ShownTranscript { text: PageText::Page(page.text), chars: page.chars };
        }
        let mut text = page.text.as_ref().clone();
        shown.push_end(&mut text);
        let chars = Part::from(&text).chars();
        ShownTranscript { text: PageText::Made(text), chars }
    }
}

impl PageContent<'_> {
    /// Adds all of it.
    pub(super) fn push(&self, text: &mut Written) {
        self.push_entries(text);
        self.push_end(text);
    }

    fn push_entries(&self, text: &mut Written) {
        let fence = &mut Fence::within(text, self.mark);
        let first = self.sight.shown.first().copied().unwrap_or(self.entries.len());
        push_gap(fence, first);
        if let Some(summary) = self.summary {
            summary.push(fence);
        }
        let mut next = first;
        let mut openings = self.openings;
        for (at, entry) in self.sight.shown.iter().filter_map(|at| Some((*at, self.entries.get(*at)?))) {
            openings = push_openings(fence, openings, Some(entry));
            push_gap(fence, at.saturating_sub(next));
            push_numbered(fence, at + 1, entry);
            next = at + 1;
        }
        push_openings(fence, openings, None);
    }

    /// How many entries are left out at the end.
    fn left_out(&self) -> usize {
        self.sight.shown.last().map_or(0, |last| self.entries.len().saturating_sub(last + 1))
    }

    fn push_end(&self, text: &mut Written) {
        push_gap(&mut Fence::within(text, self.mark), self.left_out());
    }
}
