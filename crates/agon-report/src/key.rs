//! What the labels and numbers of a judge's own view of the debate stand for.
use crate::call_figures;
use crate::minutes::{Deed, Judged, Minutes, MinutesEntry};
use agon_core::{Admission, ParticipantId, TurnId, kept, presentation, sample_label, speaker_labels};
use std::collections::BTreeSet;

/// A speech under the number that the judge knows it by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NumberedEntry {
    pub(crate) number: u32,
    pub(crate) turn: TurnId,
    pub(crate) participant: ParticipantId,
}

/// Which label hides which debater, by label; empty where the judge saw the names, or nobody judges.
pub(crate) fn labels(admission: &Admission) -> Vec<(String, ParticipantId)> {
    // samples of a poll have numbers
    let judge = admission.spec.judge.as_ref().filter(|_| !admission.spec.is_poll());
    let Some(judge) = judge.filter(|judge| judge.anonymize_transcript) else {
        return Vec::new();
    };
    let labels = speaker_labels(&admission.spec, admission.seed, judge.anonymize_transcript);
    let mut labels: Vec<_> = labels.into_iter().map(|(name, label)| (label, name)).collect();
    labels.sort();
    labels
}

/// What the labels stand for, and the entries that a judge's words name; one of them is there.
pub(crate) struct JudgeKey {
    pub(crate) labels: Vec<(String, ParticipantId)>,
    pub(crate) entries: Vec<NumberedEntry>,
}

/// The key to a judge's words on one order of presentation; nothing where they need none.
pub(crate) fn of<'t>(
    minutes: &Minutes<'_>,
    entry: &MinutesEntry<'_>,
    order: u32,
    words: impl IntoIterator<Item = &'t str>,
) -> Option<JudgeKey> {
    let key = JudgeKey { labels: labels(minutes.admission), entries: minutes.named_entries(entry, order, words) };
    (!key.labels.is_empty() || !key.entries.is_empty()).then_some(key)
}

impl<'a> Minutes<'a> {
    /// The key to a judgement.
    pub(crate) fn judgement_key(&self, entry: &MinutesEntry<'_>, judged: Judged<'_>) -> Option<JudgeKey> {
        of(self, entry, judged.order, [judged.verdict, judged.reasoning])
    }
    /// The speeches as the judge was shown them for this judgement. The numbers differ from order to order.
    pub(crate) fn numbered(&self, turn: TurnId, order: u32) -> Vec<NumberedEntry> {
        let asked = self.asked(turn).map(|(_, ask)| ask);
        let (spec, said) = (&self.admission.spec, self.transcript.up_to(asked.map_or(self.last, |ask| ask.sees)));
        // A judge for whom the whole was too long was shown what memory keeps.
        let said = if asked.is_some_and(|ask| ask.kept) { kept(spec, said, self.summarised()) } else { said };
        let shown = presentation(spec, self.admission.seed, said, order);
        let numbered = shown.into_iter().map(|shown| NumberedEntry {
            number: shown.number,
            turn: shown.entry.turn,
            participant: match spec.is_poll() {
                true => sample_label(shown.entry.turn.seat, shown.entry.participant.as_str()).as_str().into(),
                false => shown.entry.participant.clone(),
            },
        });
        numbered.collect()
    }
    /// The last round that a summary covers.
    fn summarised(&self) -> u32 {
        let through = self.entries.iter().filter_map(|entry| match entry.deed {
            Deed::Summarised { through, .. } => Some(through),
            _ => None,
        });
        through.max().unwrap_or(0)
    }
    /// The speeches that a judge's words on one order of presentation name by number.
    pub(crate) fn named_entries<'t>(
        &self,
        entry: &MinutesEntry<'_>,
        order: u32,
        words: impl IntoIterator<Item = &'t str>,
    ) -> Vec<NumberedEntry> {
        let named: BTreeSet<u32> = words.into_iter().flat_map(numbers).collect();
        if named.is_empty() {
            return Vec::new();
        }
        let mut entries = self.numbered(entry.turn, order);
        entries.retain(|entry| named.contains(&entry.number));
        entries
    }
    /// The judgement whose words the verdict is in.
    pub(crate) fn deciding(&self) -> Option<(&MinutesEntry<'a>, Judged<'a>)> {
        let reasoning = self.verdict?.reasoning?;
        self.judgements().find(|(_, judged)| judged.reasoning == reasoning)
    }
    /// `round 2`, as it stands inside a sentence.
    pub(crate) fn place(&self, round: u32) -> String {
        call_figures::section(self, round).to_lowercase()
    }
    /// Whether the number is that of a round, and not of what comes before the first or after the last.
    pub(crate) fn is_round(&self, round: u32) -> bool {
        round > 0
            && !self.admission.spec.is_poll()
            && (self.rounds.contains(&round) || self.stopped.is_none_or(|(_, last)| round <= last))
    }
}

/// The numbers of entries that a judge's text names, as in `entry 9`, `entries 3, 4 and 7`, `[9]` and `[3, 4]`.
pub(crate) fn numbers(text: &str) -> Vec<u32> {
    let mut found = Vec::new();
    let mut bracket: Option<Vec<u32>> = None;
    // How many numbers the word before may still announce: `entry 9, 40 loaves` names one entry.
    let mut announced = 0;
    for token in tokens(text) {
        match (token, token.parse::<u32>()) {
            (_, Ok(number)) if announced > 0 => {
                announced -= 1;
                found.push(number);
            }
            (_, Ok(number)) => bracket.iter_mut().for_each(|bracket| bracket.push(number)),
            ("[", Err(_)) => bracket = Some(Vec::new()),
            ("]", Err(_)) => found.extend(bracket.take().unwrap_or_default()),
            ("," | "&" | "#" | "-" | "–" | "(" | "*" | "and" | "or" | "to", Err(_)) => {}
            (word, Err(_)) => {
                bracket = None;
                announced = match word.to_lowercase().as_str() {
                    "entry" => 1,
                    "entries" => u32::MAX,
                    _ => 0,
                };
            }
        }
    }
    found
}

/// Words, and every other character but white space by itself.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = rest.find(|c: char| !c.is_alphanumeric()).filter(|end| *end > 0);
        let length = end.unwrap_or(if first.is_alphanumeric() { rest.len() } else { first.len_utf8() });
        let (token, after) = rest.split_at_checked(length)?;
        rest = after;
        Some(token)
    })
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn entries_are_found_by_the_word_before_them_or_by_their_brackets() {
        assert_eq!(numbers("In entry 9, Speaker B says so; Entry 12 does not."), [9, 12]);
        assert_eq!(numbers("Entries 3, 4 and 7 agree (entry 5)"), [3, 4, 7, 5]);
        assert_eq!(numbers("As [9] shows, and [3, 4], too."), [9, 3, 4]);
        assert_eq!(numbers("(see entry [2], **entry 6**)"), [2, 6]);
        assert_eq!(numbers("entry 9, 40 loaves"), [9]);
    }

    #[test]
    fn other_numbers_are_no_entries() {
        for text in ["It costs 9 euros.", "[9 euros]", "entry fee: 9", "entry9", "9", "", "[", "[x] 4 ]", "99999999999"]
        {
            assert_eq!(numbers(text), Vec::<u32>::new(), "{text}");
        }
        assert_eq!(numbers("entry 99999999999, entry 4"), [4]);
    }
}
