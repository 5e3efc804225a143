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

/// So many words that are the same stand by themselves between two changes.
const FEWEST_KEPT: usize = 4;

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
    let changes = diff.iter_all_changes().map(|change| (change.tag(), change.value().to_owned()));
    let pieces = pieces(changes);
    let (mut added, mut removed) = (0, 0);
    for piece in &pieces {
        match piece {
            Piece::Kept(_) => {}
            Piece::Added(text) => added += length(text),
            Piece::Removed(text) => removed += length(text),
        }
    }
    let words = |n| counted(n as u64, "word", "words");
    let summary = match (added, removed) {
        (0, 0) => "no word".to_owned(),
        (added, removed) => format!("{} added, {} removed", words(added), words(removed)),
    };
    Some(DraftView { href: anchor(entry.turn), summary, pieces })
}

/// Runs of words. Where only a few words are the same between two changes, they belong to the change: single words that
/// happen to be the same help nobody to read it.
fn pieces(changes: impl Iterator<Item = (ChangeTag, String)>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut kept, mut removed, mut added) = (String::new(), String::new(), String::new());
    for (tag, text) in changes {
        let changed = !removed.is_empty() || !added.is_empty();
        match tag {
            ChangeTag::Equal => kept.push_str(&text),
            ChangeTag::Insert | ChangeTag::Delete => {
                if changed && length(&kept) < FEWEST_KEPT && !kept.contains('\n') {
                    removed.push_str(&kept);
                    added.push_str(&kept);
                } else {
                    flush(&mut pieces, &mut removed, &mut added);
                    push(&mut pieces, Piece::Kept, &kept);
                }
                kept.clear();
                if tag == ChangeTag::Insert { &mut added } else { &mut removed }.push_str(&text);
            }
        }
    }
    flush(&mut pieces, &mut removed, &mut added);
    push(&mut pieces, Piece::Kept, &kept);
    pieces
}

fn flush(pieces: &mut Vec<Piece>, removed: &mut String, added: &mut String) {
    push(pieces, Piece::Removed, &std::mem::take(removed));
    push(pieces, Piece::Added, &std::mem::take(added));
}

fn push(pieces: &mut Vec<Piece>, piece: fn(String) -> Piece, text: &str) {
    if !text.is_empty() {
        pieces.push(piece(text.to_owned()));
    }
}

fn length(text: &str) -> usize {
    text.split_whitespace().count()
}
