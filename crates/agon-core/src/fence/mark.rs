//! The marks in the lines around what others said.
use crate::ids::TurnId;
use crate::seed::{Dice, Purpose};
use std::sync::Arc;

/// Who reads a fence. Debaters and moderator share the head of their prompts, so they share a mark; it is never that of those who
/// judge, sum up or synthesise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// Debaters and moderator.
    Debate,
    /// Judges.
    Judges,
    /// The summarizer.
    Summarizer,
    /// The synthesizer.
    Synthesizer,
    /// Whoever takes this turn, for what is shown in it alone.
    Turn(TurnId),
}

/// Sixteen hexadecimal digits in the first and the last line of a fence, drawn from the debate's seed. Nobody who writes what stands inside
/// knows those of judges and of turns; the mark of a fence never stands inside it, known or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark(Arc<str>);

impl Mark {
    /// The mark of a reader in the debate with this seed.
    pub fn new(seed: u64, reader: Reader) -> Self {
        const OF_TURNS: u64 = 1 << 63;
        let index = match reader {
            Reader::Debate => 0,
            Reader::Judges => 1,
            Reader::Summarizer => 2,
            Reader::Synthesizer => 3,
            Reader::Turn(TurnId { round, seat, attempt }) => {
                OF_TURNS | (u64::from(round) << 40) | (u64::from(seat) << 16) | u64::from(attempt)
            }
        };
        Self(format!("{:016x}", Dice::new(seed, Purpose::Marker, index).next_u64()).into())
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text with a gap in every occurrence of the mark, letter case aside. One pass is enough: a gap parts every
    /// occurrence that begins before it.
    pub(super) fn broken_in(&self, text: String) -> String {
        let lower = text.to_ascii_lowercase();
        let (mut safe, mut kept) = (String::new(), 0);
        while let Some(found) = lower.get(kept..).and_then(|rest| rest.find(self.as_str())) {
            let gap = kept + found + self.0.len() / 2;
            safe.push_str(text.get(kept..gap).unwrap_or_default());
            safe.push(' ');
            kept = gap;
        }
        if kept == 0 {
            return text;
        }
        safe.push_str(text.get(kept..).unwrap_or_default());
        safe
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reader_and_every_turn_has_a_mark_of_64_bits_of_its_own() {
        let turn = |round, seat, attempt| Reader::Turn(TurnId { round, seat, attempt });
        let readers = [
            Reader::Debate,
            Reader::Judges,
            Reader::Summarizer,
            Reader::Synthesizer,
            turn(0, 0, 1),
            turn(1, 0, 1),
            turn(0, 1, 1),
            turn(0, 0, 2),
        ];
        let marks: std::collections::BTreeSet<String> =
            readers.map(|reader| Mark::new(7, reader).as_str().to_owned()).into();
        assert_eq!(marks.len(), readers.len());
        assert!(marks.iter().all(|mark| mark.len() == 16));
        assert_eq!(Mark::new(7, Reader::Judges), Mark::new(7, Reader::Judges));
        assert_ne!(Mark::new(7, Reader::Judges), Mark::new(8, Reader::Judges));
    }

    #[test]
    fn a_mark_is_broken_wherever_it_stands_and_however_it_is_written() {
        let mark = Mark::new(7, Reader::Debate);
        let known = mark.as_str();
        let text = format!("é {known}{} end", known.to_uppercase());
        let broken = mark.broken_in(text.clone());
        assert!(!broken.to_lowercase().contains(known));
        assert_eq!(broken.replace(' ', ""), text.replace(' ', ""));
    }

    #[test]
    fn a_mark_is_broken_in_texts_that_are_full_of_it() {
        let mark = Mark("abababababababab".into());
        for text in ["ab".repeat(500), mark.as_str().repeat(50_000)] {
            let broken = mark.broken_in(text.clone());
            assert!(!broken.contains(mark.as_str()));
            assert_eq!(broken.replace(' ', ""), text);
        }
    }
}
