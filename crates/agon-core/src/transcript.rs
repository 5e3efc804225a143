//! What was said, in order, and how a judge is shown it.
use crate::event::{Event, Speech, SpeechKind};
use crate::ids::{ParticipantId, Position, TurnId};
use crate::seed::{Dice, Purpose};
use crate::spec::DebateSpec;
use crate::task::{Citation, CitedEntry};
use std::sync::Arc;

/// One speech in the transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The event that recorded it.
    pub position: Position,
    /// The turn.
    pub turn: TurnId,
    /// Who spoke.
    pub participant: ParticipantId,
    /// For which stance.
    pub stance: Option<String>,
    /// What kind of speech.
    pub kind: SpeechKind,
    /// What was said.
    pub text: Arc<str>,
}

/// All speeches so far. Moderators, ballots and judges do not stand here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript(Vec<Entry>);

impl Transcript {
    /// Takes an event in; returns the entry if it added one.
    pub fn apply(&mut self, position: Position, event: &Event) -> Option<&Entry> {
        let Event::SpeechRecorded(speech) = event else { return None };
        let Speech { turn, participant, stance, kind, text, .. } = speech;
        self.0.push(Entry {
            position,
            turn: *turn,
            participant: participant.clone(),
            stance: stance.clone(),
            kind: *kind,
            text: text.clone(),
        });
        self.0.last()
    }
    /// The speeches, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.0
    }
    /// The speeches that stand at or before `position`.
    pub fn up_to(&self, position: Position) -> &[Entry] {
        let end = self.0.partition_point(|entry| entry.position <= position);
        self.0.get(..end).unwrap_or(&self.0)
    }
}

/// A speech as a judge is shown it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown<'a> {
    /// Its number in this presentation, from 1; citations name it.
    pub number: u32,
    /// The speaker's label: a letter (`Speaker A`) or the name.
    pub label: String,
    /// The speech.
    pub entry: &'a Entry,
}

/// The transcript as the judge sees it in one order: grouped by round, inside a round permuted from the seed, the
/// odd orders reversed; names replaced by seeded letters where the spec says so.
pub fn presentation<'a>(spec: &DebateSpec, seed: u64, entries: &'a [Entry], order: u32) -> Vec<Shown<'a>> {
    let (anonymous, shuffled) =
        spec.judge.as_ref().map_or((true, true), |j| (j.anonymize_transcript, j.shuffle_for_judge));
    let mut shown: Vec<&Entry> = Vec::with_capacity(entries.len());
    for group in entries.chunk_by(|a, b| a.turn.round == b.turn.round && (a.kind == b.kind)) {
        let mut group: Vec<&Entry> = group.iter().collect();
        if let (true, Some(first)) = (shuffled, group.first()) {
            Dice::new(seed, Purpose::JudgeShuffle, u64::from(first.turn.round)).shuffle(&mut group);
        }
        if order % 2 == 1 {
            group.reverse();
        }
        shown.extend(group);
    }
    let labels = speaker_labels(spec, seed, anonymous);
    let label_of = |participant: &ParticipantId| {
        let known = labels.iter().find(|(name, _)| name == participant);
        known.map_or_else(|| participant.to_string(), |(_, label)| label.clone())
    };
    (1..).zip(shown).map(|(number, entry)| Shown { number, label: label_of(&entry.participant), entry }).collect()
}

/// How each debater is called before the judge: by a letter that the seed draws, or by name.
pub fn speaker_labels(spec: &DebateSpec, seed: u64, anonymous: bool) -> Vec<(ParticipantId, String)> {
    let names = spec.personas.iter().map(|persona| persona.name.clone());
    if !anonymous {
        return names.map(|name| (name.clone(), name.to_string())).collect();
    }
    let mut letters: Vec<char> = ('A'..='Z').take(spec.personas.len()).collect();
    Dice::new(seed, Purpose::Labels, 0).shuffle(&mut letters);
    names.zip(letters).map(|(name, letter)| (name, format!("Speaker {letter}"))).collect()
}

/// The judge's quotations, each checked against the speech that it names.
pub fn check_citations(shown: &[Shown<'_>], cited: &[CitedEntry]) -> Vec<Citation> {
    let check = |citation: &CitedEntry| {
        let source = shown.iter().find(|shown| shown.number == citation.entry);
        let wanted = folded(&citation.quote);
        Citation {
            turn: source.map(|shown| shown.entry.turn),
            participant: source.map(|shown| shown.entry.participant.clone()),
            quote: citation.quote.clone(),
            verified: !wanted.is_empty() && source.is_some_and(|shown| folded(&shown.entry.text).contains(&wanted)),
        }
    };
    cited.iter().map(check).collect()
}

/// Lower case, runs of white space as one space, quotation marks and Markdown emphasis dropped, outer ellipses and full stops off.
fn folded(text: &str) -> String {
    let kept = text.chars().filter(|c| !matches!(c, '"' | '\'' | '“' | '”' | '‘' | '’' | '«' | '»' | '*' | '_' | '`'));
    let lower: String = kept.flat_map(char::to_lowercase).collect();
    let words: Vec<&str> = lower.split_whitespace().collect();
    words.join(" ").trim_matches(|c: char| matches!(c, '.' | '…' | ' ')).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(shuffle: bool) -> DebateSpec {
        let personas: Vec<_> = ["Ada", "Bo", "Cy"]
            .map(|name| serde_json::json!({"name": name, "stance": name, "model": "m", "max_tokens": 9}))
            .into();
        let json = serde_json::json!({
            "topic": "t", "mode": "adversarial", "debate_format": "round_robin", "max_rounds": 2, "personas": personas,
            "turn_mode": "round_robin", "visibility": "sequential", "context_scope": "full_log", "memory": "append_all",
            "phases": {"opening_statements": true, "final_statements": true}, "consensus_strategy": "judge",
            "judge": {"orders": 2, "anonymize_transcript": true, "shuffle_for_judge": shuffle, "model": "j", "max_tokens": 9},
            "ballots": "none", "end_condition": [], "timeout_per_turn_ms": 1, "on_turn_failure": "skip", "quorum": "majority", "outputs": []
        });
        serde_json::from_value(json).unwrap()
    }

    fn entries() -> Vec<Entry> {
        let speech = |position: u64, round, name: &str| Entry {
            position: Position(position),
            turn: TurnId { round, seat: 0, attempt: 1 },
            participant: name.into(),
            stance: None,
            kind: SpeechKind::Argument,
            text: format!("{name}  said “so” in round {round}.").into(),
        };
        vec![speech(1, 1, "Ada"), speech(2, 1, "Bo"), speech(3, 1, "Cy"), speech(4, 2, "Ada"), speech(5, 2, "Bo")]
    }

    fn positions(shown: &[Shown<'_>]) -> Vec<u64> {
        shown.iter().map(|shown| shown.entry.position.0).collect()
    }

    #[test]
    fn the_second_order_reverses_the_first_inside_each_round() {
        let entries = entries();
        assert_eq!(positions(&presentation(&spec(false), 1, &entries, 0)), [1, 2, 3, 4, 5]);
        assert_eq!(positions(&presentation(&spec(false), 1, &entries, 1)), [3, 2, 1, 5, 4]);
        let (first, second) = (presentation(&spec(true), 1, &entries, 0), presentation(&spec(true), 1, &entries, 1));
        let mut reversed = positions(&first);
        reversed[..3].reverse();
        reversed[3..].reverse();
        assert_eq!(positions(&second), reversed);
    }

    #[test]
    fn a_speaker_keeps_one_letter_through_all_orders_and_names_do_not_show() {
        let entries = entries();
        let mut labels = std::collections::BTreeMap::new();
        for order in 0..2 {
            for shown in presentation(&spec(true), 5, &entries, order) {
                assert!(shown.label.starts_with("Speaker "), "{}", shown.label);
                labels
                    .entry(shown.entry.participant.clone())
                    .or_insert_with(std::collections::BTreeSet::new)
                    .insert(shown.label);
            }
        }
        assert!(labels.values().all(|letters| letters.len() == 1));
        let letters: std::collections::BTreeSet<_> = labels.values().flatten().collect();
        assert_eq!(letters.len(), 3);
    }

    #[test]
    fn a_quotation_is_verified_by_its_words_and_only_in_the_entry_that_it_names() {
        let entries = entries();
        let shown = presentation(&spec(false), 1, &entries, 0);
        let cite = |entry, quote: &str| CitedEntry { entry, quote: quote.into() };
        let checked = check_citations(
            &shown,
            &[cite(1, "\"ada said SO in round 1...\""), cite(2, "Ada said so"), cite(9, "Ada"), cite(1, "  ")],
        );
        assert_eq!(checked.iter().map(|citation| citation.verified).collect::<Vec<_>>(), [true, false, false, false]);
        assert_eq!(checked[2].turn, None);
    }
}
