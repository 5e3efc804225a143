//! The key to the labels and numbers in a judge's words.
use super::view::{anchor, class};
use crate::key;
use crate::minutes::{Entry, Judged, Minutes};
use crate::text::one_line;

/// What stands under a judge's words; never empty.
pub(super) struct KeyView {
    pub(super) labels: Vec<LabelView>,
    pub(super) entries: Vec<EntryLink>,
}
pub(super) struct LabelView {
    pub(super) class: String,
    pub(super) label: String,
    pub(super) name: String,
}
pub(super) struct EntryLink {
    pub(super) number: u32,
    pub(super) href: String,
    pub(super) who: String,
    pub(super) place: String,
}

/// The key to one judgement; nothing where its words need none.
pub(super) fn of(minutes: &Minutes<'_>, entry: &Entry<'_>, judged: Judged<'_>) -> Option<KeyView> {
    to(minutes, entry, judged.order, [judged.verdict, judged.reasoning])
}

/// The key to a judge's words on one order of presentation; nothing where they need none.
pub(super) fn to<'t>(
    minutes: &Minutes<'_>,
    entry: &Entry<'_>,
    order: u32,
    words: impl IntoIterator<Item = &'t str>,
) -> Option<KeyView> {
    let labels = key::labels(minutes.admission).into_iter().map(|(label, name)| LabelView {
        class: class(minutes, name.as_str()),
        label: one_line(&label),
        name: one_line(name.as_str()),
    });
    let entries = minutes.named_entries(entry, order, words).into_iter().map(|named| EntryLink {
        number: named.number,
        href: anchor(named.turn),
        who: one_line(named.participant.as_str()),
        place: one_line(&minutes.place(named.turn.round)),
    });
    let key = KeyView { labels: labels.collect(), entries: entries.collect() };
    (!key.labels.is_empty() || !key.entries.is_empty()).then_some(key)
}
