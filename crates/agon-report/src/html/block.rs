//! The head of the page: the result in ten seconds.
use super::clean;
use super::view::{anchor, tone_class};
use crate::answer::WinningText;
use crate::block::ResultBlock;
use crate::minutes::Minutes;
use crate::text::plain;
use crate::words::counted;
use similar::{ChangeTag, TextDiff};

/// Characters of both drafts together up to which single words are compared; above that, lines are.
const MOST_BY_WORDS: usize = 40_000;

pub(super) struct BlockView {
    pub(super) badge: &'static str,
    pub(super) tone: &'static str,
    pub(super) won: bool,
    pub(super) headline: String,
    pub(super) texts: Vec<TextView>,
    pub(super) rows: Vec<(&'static str, String)>,
}
pub(super) struct TextView {
    pub(super) title: String,
    pub(super) href: Option<String>,
    /// JSON is plain text, everything else cleaned HTML.
    pub(super) is_json: bool,
    pub(super) body: String,
    pub(super) draft: Option<DraftView>,
}
/// What a proposal was at first, against what it is now.
pub(super) struct DraftView {
    pub(super) href: String,
    pub(super) summary: String,
    pub(super) pieces: Vec<Piece>,
}
/// A run of words, as plain text.
pub(super) enum Piece {
    Kept(String),
    Added(String),
    Removed(String),
}

pub(super) fn block(minutes: &Minutes<'_>) -> BlockView {
    let block = ResultBlock::of(minutes);
    let answer = minutes.answer().filter(|answer| answer.text.is_some());
    let rows = block.reported().cloned().collect();
    let texts = block.texts.into_iter().enumerate().map(|(at, text)| {
        // The words of the answer come first.
        let answer = answer.filter(|_| at == 0);
        TextView {
            title: text.title,
            href: answer.and_then(|answer| answer.turn).map(anchor),
            is_json: text.is_json,
            body: if text.is_json { plain(&text.text) } else { clean::speech(&text.text) },
            draft: answer.and_then(|answer| draft(minutes, answer)),
        }
    });
    BlockView {
        badge: block.badge,
        tone: tone_class(block.tone),
        won: minutes.winner().is_some(),
        headline: block.headline,
        texts: texts.collect(),
        rows,
    }
}

fn draft(minutes: &Minutes<'_>, answer: WinningText<'_>) -> Option<DraftView> {
    let (entry, first) = minutes.first_draft(answer)?;
    let (before, after) = (plain(&first.text), plain(answer.text?));
    let short = before.len().saturating_add(after.len()) <= MOST_BY_WORDS;
    let diff = if short { TextDiff::from_words(&before, &after) } else { TextDiff::from_lines(&before, &after) };
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut added, mut removed) = (0, 0);
    for change in diff.iter_all_changes() {
        let words = change.value().split_whitespace().count() as u64;
        match (change.tag(), pieces.last_mut()) {
            (ChangeTag::Equal, Some(Piece::Kept(text)))
            | (ChangeTag::Insert, Some(Piece::Added(text)))
            | (ChangeTag::Delete, Some(Piece::Removed(text))) => text.push_str(change.value()),
            (ChangeTag::Equal, _) => pieces.push(Piece::Kept(change.value().to_owned())),
            (ChangeTag::Insert, _) => pieces.push(Piece::Added(change.value().to_owned())),
            (ChangeTag::Delete, _) => pieces.push(Piece::Removed(change.value().to_owned())),
        }
        match change.tag() {
            ChangeTag::Equal => {}
            ChangeTag::Insert => added += words,
            ChangeTag::Delete => removed += words,
        }
    }
    let words = |n| counted(n, "word", "words");
    let summary = match (added, removed) {
        (0, 0) => "no word".to_owned(),
        (added, removed) => format!("{} added, {} removed", words(added), words(removed)),
    };
    Some(DraftView { href: anchor(entry.turn), summary, pieces })
}
