//! What became of the first draft of the words that won.
use super::view::anchor;
use crate::answer::WinningText;
use crate::minutes::Minutes;
use crate::text::plain;
use crate::words::counted;
use similar::{ChangeTag, TextDiff};

/// Characters of both drafts together up to which single words are compared; above that, lines are.
const MOST_BY_WORDS: usize = 40_000;

/// So many words that are the same stand by themselves between two changes.
const FEWEST_KEPT: usize = 4;

/// What a proposal was at first, against what it is now.
pub(super) struct DraftView {
    pub(super) href: String,
    pub(super) summary: String,
    pub(super) pieces: Vec<DiffPiece>,
}
/// A run of words, as plain text.
pub(super) enum DiffPiece {
    Kept(String),
    Added(String),
    Removed(String),
}

/// What was changed in the first draft of the words that won.
pub(super) fn draft(minutes: &Minutes<'_>, answer: WinningText<'_>) -> Option<DraftView> {
    let (entry, first) = minutes.first_draft(answer)?;
    let (before, after) = (plain(&first.text), plain(answer.text?));
    let short = before.len().saturating_add(after.len()) <= MOST_BY_WORDS;
    let diff = if short { TextDiff::from_words(&before, &after) } else { TextDiff::from_lines(&before, &after) };
    let changes = diff.iter_all_changes().map(|change| (change.tag(), change.value().to_owned()));
    let pieces = pieces(changes);
    let (mut added, mut removed) = (0, 0);
    for piece in &pieces {
        match piece {
            DiffPiece::Kept(_) => {}
            DiffPiece::Added(text) => added += length(text),
            DiffPiece::Removed(text) => removed += length(text),
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
fn pieces(changes: impl Iterator<Item = (ChangeTag, String)>) -> Vec<DiffPiece> {
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
                    push(&mut pieces, DiffPiece::Kept, &kept);
                }
                kept.clear();
                if tag == ChangeTag::Insert { &mut added } else { &mut removed }.push_str(&text);
            }
        }
    }
    flush(&mut pieces, &mut removed, &mut added);
    push(&mut pieces, DiffPiece::Kept, &kept);
    pieces
}

fn flush(pieces: &mut Vec<DiffPiece>, removed: &mut String, added: &mut String) {
    push(pieces, DiffPiece::Removed, &std::mem::take(removed));
    push(pieces, DiffPiece::Added, &std::mem::take(added));
}

fn push(pieces: &mut Vec<DiffPiece>, piece: fn(String) -> DiffPiece, text: &str) {
    if !text.is_empty() {
        pieces.push(piece(text.to_owned()));
    }
}

fn length(text: &str) -> usize {
    text.split_whitespace().count()
}
