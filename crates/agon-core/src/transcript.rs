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
