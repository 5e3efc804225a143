//! What was said, in order, and how a judge is shown it.
mod hidden_names;
mod quotations;
mod stated;

pub use hidden_names::{is_ordinary_name, rename};
pub use quotations::{QUOTE_CHARS, QUOTE_WORDS, check_citations};
pub use stated::{named_answer, named_confidence};

use crate::answer::{Critique, Interjection};
use crate::checks::Check;
use crate::event::{Answered, Event, Given};
use crate::ids::{ParticipantId, Position, TurnId};
use crate::seed::{Dice, Purpose};
use crate::spec::{Bench, DebateFormat, DebateSpec, Memory, Persona, TurnKind};
use crate::task::{Conclusion, SpeechKind};
use std::borrow::Cow;
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
    /// To whom, where it is to somebody.
    pub to: Option<ParticipantId>,
    /// The speaker's place in a British Parliamentary debate.
    pub bench: Option<Bench>,
    /// The answer that the speech names as its own.
    pub answer: Option<String>,
    /// Who cut it short.
    pub cut_by: Option<ParticipantId>,
    /// It ends where its limit of tokens cut it.
    pub cut_at_limit: bool,
    /// What was said.
    pub text: Arc<str>,
    /// What verifiers said of the claims that it marks.
    pub checks: Vec<Check>,
}

/// All that was said before everybody so far, by round and seat: speeches, critiques, points of information that were
/// taken, and what the moderator said to all. Ballots, notes and judges do not stand here.
///
/// Speakers who are asked at once answer in any order; by seat, the transcript does not depend on who was faster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript(Vec<Entry>);

impl Transcript {
    /// Takes an event in; says whether it added an entry.
    pub fn apply(&mut self, position: Position, event: &Event) -> bool {
        let before = self.0.len();
        for said in entries_of(event) {
            let place = (said.turn.round, said.turn.seat);
            let at = self.0.partition_point(|entry| (entry.turn.round, entry.turn.seat) <= place);
            self.0.insert(at, Entry { position, ..said });
        }
        self.0.len() > before
    }
    /// The speeches, by round and seat.
    pub fn entries(&self) -> &[Entry] {
        &self.0
    }
    /// The speeches that stand at or before `position`, which no set of speakers asked at once lies across.
    pub fn up_to(&self, position: Position) -> &[Entry] {
        let end = self.0.iter().rposition(|entry| entry.position <= position).map_or(0, |last| last + 1);
        self.0.get(..end).unwrap_or(&self.0)
    }
}

/// The entries that an event adds.
fn entries_of(event: &Event) -> Vec<Entry> {
    let Some(Answered { turn, participant, given, call }) = event.answered() else { return Vec::new() };
    let entry = |kind, text: Arc<str>| Entry::new(*turn, participant, kind, text);
    match given {
        Given::Speech(speech) => vec![Entry {
            stance: speech.stance.clone(),
            to: speech.to.clone(),
            bench: speech.bench,
            answer: speech.answer.clone(),
            cut_by: speech.cut_by.clone(),
            cut_at_limit: speech.cut_at_limit,
            checks: call.checks.clone(),
            ..entry(speech.kind, speech.text.clone())
        }],
        Given::Critique { of, critique, .. } => {
            vec![Entry { to: Some(of.clone()), ..entry(SpeechKind::Critique, critique_text(of, critique).into()) }]
        }
        Given::Points { points, reply } => {
            let taken = points.iter().find(|point| Some(&point.by) == reply.accepts.as_ref());
            let Some((point, text)) = taken.zip(reply.reply.as_ref()) else { return Vec::new() };
            let asked = Entry::new(*turn, &point.by, SpeechKind::Point, point.text.as_str().into());
            let (speaker, asker) = (Some(participant.clone()), Some(point.by.clone()));
            let replied = entry(SpeechKind::PointReply, text.as_str().into());
            vec![Entry { to: speaker, ..asked }, Entry { to: asker, ..replied }]
        }
        Given::Interjection(interjection) => {
            let text = interjection_text(interjection);
            text.map(|text| entry(SpeechKind::Moderation, text.into())).into_iter().collect()
        }
        Given::Research { text } | Given::Conclusion { conclusion: Conclusion::Reconciliation, text, .. } => {
            vec![entry(SpeechKind::Moderation, text.clone())]
        }
        Given::Conclusion { .. }
        | Given::Ballot { .. }
        | Given::Bid { .. }
        | Given::Note(_)
        | Given::Vote { .. }
        | Given::DebaterScores { .. }
        | Given::Decision { .. }
        | Given::SpeechScores { .. }
        | Given::Summary { .. }
        | Given::Measures { .. }
        | Given::Enough { .. }
        | Given::Judgement { .. }
        | Given::Ranking { .. }
        | Given::Synthesis(_) => Vec::new(),
    }
}

impl Entry {
    fn new(turn: TurnId, participant: &ParticipantId, kind: SpeechKind, text: Arc<str>) -> Self {
        let (position, participant) = (Position(0), participant.clone());
        Self {
            position,
            turn,
            participant,
            stance: None,
            kind,
            to: None,
            bench: None,
            answer: None,
            cut_by: None,
            cut_at_limit: false,
            text,
            checks: Vec::new(),
        }
    }
    /// The kind of turn, as masking tells them apart; none for what the moderator said, which is for all.
    pub fn turn_kind(&self) -> Option<TurnKind> {
        match self.kind {
            SpeechKind::Opening | SpeechKind::Proposal => Some(TurnKind::Openings),
            SpeechKind::Argument
            | SpeechKind::Question
            | SpeechKind::Answer
            | SpeechKind::FollowUp
            | SpeechKind::Clarification
            | SpeechKind::Interjection
            | SpeechKind::Point
            | SpeechKind::PointReply => Some(TurnKind::Arguments),
            SpeechKind::Critique => Some(TurnKind::Critiques),
            SpeechKind::Revision => Some(TurnKind::Revisions),
            SpeechKind::Closing | SpeechKind::Rebuttal => Some(TurnKind::Closings),
            SpeechKind::Moderation => None,
        }
    }
    /// Whether masks leave it to a debater. Its own turns and the moderator's are always left.
    pub fn is_shown_to(&self, spec: &DebateSpec, reader: &Persona) -> bool {
        self.turn_kind().is_none_or(|kind| spec.lets_see(reader, &self.participant, kind))
    }
}

/// A structured critique in words.
pub fn critique_text(of: &ParticipantId, critique: &Critique) -> String {
    let mut text = format!("Critique of {of}, severity {} of 10.", critique.severity);
    for (title, points) in [("Issues", &critique.issues), ("Suggestions", &critique.suggestions)] {
        if !points.is_empty() {
            text.push_str(&format!("\n{title}:"));
        }
        for point in points {
            text.push_str(&format!("\n- {}", point.trim()));
        }
    }
    text
}

/// What a moderator's interjection says to all; none where it says nothing.
pub fn interjection_text(interjection: &Interjection) -> Option<String> {
    let mut lines: Vec<String> = interjection.comment.iter().cloned().collect();
    let remarks = [
        ("Warning to", &interjection.warnings),
        ("Question to", &interjection.questions),
        ("Request to revise, to", &interjection.revisions),
    ];
    for (title, remarks) in remarks {
        lines.extend(remarks.iter().map(|remark| format!("{title} {}: {}", remark.to, remark.text.trim())));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// A speech as a judge is shown it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownEntry<'a> {
    /// Its number in this presentation, from 1; citations name it.
    pub number: u32,
    /// The speaker's label: a letter (`Speaker A`) or the name.
    pub label: String,
    /// The speech.
    pub entry: &'a Entry,
    /// What the judge reads: the speech, with names replaced by labels where the labels are letters.
    pub text: Cow<'a, str>,
    /// What the judge reads of the checks of its claims, with names replaced likewise.
    pub checks: Cow<'a, [Check]>,
}

/// The speeches that memory keeps word for word: the last ones in a window, or those of the rounds after the last summary.
pub fn kept<'a>(spec: &DebateSpec, entries: &'a [Entry], summarised: u32) -> &'a [Entry] {
    let dropped = match spec.memory {
        Memory::AppendAll | Memory::PersonaMasking => 0,
        Memory::RollingWindow => spec.windows.dropped(spec.windows.memory_window, entries.len()),
        Memory::SummarizePast => entries.partition_point(|entry| entry.turn.round <= summarised),
    };
    entries.get(dropped..).unwrap_or_default()
}

/// The transcript as the judge sees it in one order: grouped by round, inside a round permuted from the seed, the
/// odd orders reversed; names replaced by seeded letters where the spec says so. In `bp_style` each speech answers those before
/// it, so that unless the spec asks for shuffling all orders are that of speaking, and only the candidates are reversed.
pub fn presentation<'a>(
    spec: &DebateSpec,
    seed: u64,
    entries: impl IntoIterator<Item = &'a Entry>,
    order: u32,
) -> Vec<ShownEntry<'a>> {
    let (anonymous, shuffled) =
        spec.judge.as_ref().map_or((true, true), |j| (j.anonymize_transcript, j.shuffle_for_judge));
    let as_spoken = spec.debate_format == DebateFormat::BpStyle && !shuffled;
    // What the moderator said must not sway the judge.
    let heard: Vec<&Entry> = entries.into_iter().filter(|entry| entry.kind != SpeechKind::Moderation).collect();
    let mut shown: Vec<&Entry> = Vec::with_capacity(heard.len());
    for group in heard.chunk_by(|a, b| a.turn.round == b.turn.round && may_be_permuted(a.kind) && a.kind == b.kind) {
        let mut group: Vec<&Entry> = group.to_vec();
        if let (true, Some(first)) = (shuffled, group.first()) {
            Dice::new(seed, Purpose::JudgeShuffle, u64::from(first.turn.round)).shuffle(&mut group);
        }
        if order % 2 == 1 && !as_spoken {
            group.reverse();
        }
        shown.extend(group);
    }
    let labels = speaker_labels(spec, seed, anonymous);
    let tells = |(name, _): &(&str, &str)| anonymous && !is_ordinary_name(name);
    let names = labels.iter().map(|(name, label)| (name.as_str(), label.as_str()));
    let mut hidden: Vec<(&str, &str)> = names.filter(tells).collect();
    hidden.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    let show = |(number, entry): (u32, &'a Entry)| {
        let known = labels.iter().find(|(name, _)| *name == entry.participant);
        let label = known.map_or_else(|| entry.participant.to_string(), |(_, label)| label.clone());
        let label = match (spec.is_poll(), anonymous) {
            (false, _) => label,
            (true, false) => sample_label(entry.turn.seat, &label),
            // samples of one persona must not be known by its letter
            (true, true) => format!("Sample {number}"),
        };
        let (text, checks): (Cow<'_, str>, Cow<'_, [Check]>) = match anonymous {
            true => (rename(&entry.text, &hidden).into(), renamed(&entry.checks, &hidden).into()),
            false => (entry.text.as_ref().into(), entry.checks.as_slice().into()),
        };
        ShownEntry { number, label, entry, text, checks }
    };
    (1..).zip(shown).map(show).collect()
}

/// How a sample of a poll is called where its persona is known: `Sample 3 (Ada)`.
pub fn sample_label(seat: u32, persona: &str) -> String {
    format!("Sample {} ({persona})", seat.saturating_add(1))
}

/// Checks with other names in claim and output.
pub fn renamed(checks: &[Check], names: &[(&str, &str)]) -> Vec<Check> {
    let one = |check: &Check| Check {
        claim: rename(&check.claim, names),
        output: rename(&check.output, names),
        ..check.clone()
    };
    checks.iter().map(one).collect()
}

/// Whether speeches of a kind can stand in another order inside a round without losing their sense. An answer follows its
/// question, a reply its point, a revision its critiques.
fn may_be_permuted(kind: SpeechKind) -> bool {
    match kind {
        SpeechKind::Opening
        | SpeechKind::Argument
        | SpeechKind::Closing
        | SpeechKind::Answer
        | SpeechKind::Proposal
        | SpeechKind::Revision
        | SpeechKind::Rebuttal
        | SpeechKind::Critique => true,
        SpeechKind::Question
        | SpeechKind::FollowUp
        | SpeechKind::Clarification
        | SpeechKind::Interjection
        | SpeechKind::Point
        | SpeechKind::PointReply
        | SpeechKind::Moderation => false,
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::CitedEntry;
    use crate::spec::Judge;
    use crate::testing;

    fn spec(shuffle_for_judge: bool) -> DebateSpec {
        let judge = Judge { orders: 2, shuffle_for_judge, ..testing::judge() };
        let personas = ["Ada", "Bo", "Cy"].map(|name| testing::persona(name, name)).into();
        DebateSpec { personas, judge: Some(judge), ..testing::spec() }
    }

    fn entries() -> Vec<Entry> {
        let speech = |position: u64, round, name: &str| Entry {
            position: Position(position),
            turn: TurnId { round, seat: 0, attempt: 1 },
            participant: name.into(),
            stance: None,
            kind: SpeechKind::Argument,
            to: None,
            bench: None,
            answer: None,
            cut_by: None,
            cut_at_limit: false,
            text: format!("{name}  said “so” in round {round}.").into(),
            checks: Vec::new(),
        };
        vec![speech(1, 1, "Ada"), speech(2, 1, "Bo"), speech(3, 1, "Cy"), speech(4, 2, "Ada"), speech(5, 2, "Bo")]
    }

    fn positions(shown: &[ShownEntry<'_>]) -> Vec<u64> {
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
    fn judges_of_a_parliament_read_in_speaking_order_unless_shuffling_is_asked_for() {
        let entries = entries();
        let parliament = |shuffled| DebateSpec { debate_format: DebateFormat::BpStyle, ..spec(shuffled) };
        for order in 0..2 {
            assert_eq!(positions(&presentation(&parliament(false), 1, &entries, order)), [1, 2, 3, 4, 5]);
            let shuffled = (0..9).map(|seed| positions(&presentation(&parliament(true), seed, &entries, order)));
            assert!(shuffled.into_iter().any(|shown| shown != [1, 2, 3, 4, 5]));
        }
    }

    #[test]
    fn speeches_stand_by_round_and_seat_whoever_was_faster() {
        let mut transcript = Transcript::default();
        for (position, (round, seat)) in (1..).zip([(0, 1), (0, 0), (1, 0), (1, 2), (1, 1)]) {
            let turn = TurnId { round, seat, attempt: 1 };
            let said = testing::Asked::at(turn, "Ada").speech(SpeechKind::Argument, "x");
            transcript.apply(Position(position), &said);
        }
        let seats =
            |entries: &[Entry]| entries.iter().map(|entry| (entry.turn.round, entry.turn.seat)).collect::<Vec<_>>();
        assert_eq!(seats(transcript.entries()), [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)]);
        assert_eq!(seats(transcript.up_to(Position(2))), [(0, 0), (0, 1)]);
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
    fn a_name_that_is_an_ordinary_word_stays_in_what_the_judge_reads() {
        let mut spec = spec(false);
        spec.personas[0].name = "the".into();
        spec.personas[1].name = "Not All".into();
        let mut entries = entries();
        entries[2].text = "Not All that the town needs is the bridge, Cy.".into();
        let shown = presentation(&spec, 1, &entries, 0);
        let own = &speaker_labels(&spec, 1, true)[2].1;
        assert_eq!(shown[2].text, format!("Not All that the town needs is the bridge, {own}."));
    }

    #[test]
    fn a_quotation_of_what_the_judge_was_shown_is_verified_labels_included() {
        let entries = entries();
        let shown = presentation(&spec(true), 1, &entries, 0);
        let first = &shown[0];
        let quote = format!("{} said so", first.label);
        assert!(first.text.contains(&first.label) && !first.text.contains(first.entry.participant.as_str()));
        assert!(check_citations(&shown, &[CitedEntry { entry: 1, quote }])[0].verified);
    }

    #[test]
    fn a_quotation_is_verified_by_its_words_and_only_in_the_entry_that_it_names() {
        let entries = entries();
        let shown = presentation(&spec(false), 1, &entries, 0);
        let cite = |entry, quote: &str| CitedEntry { entry, quote: quote.into() };
        let (whole, so) = ("\"ada said SO in round 1...\"", "Ada said so in");
        let checked = check_citations(&shown, &[cite(1, whole), cite(2, so), cite(9, so), cite(1, "  ")]);
        assert_eq!(checked.iter().map(|citation| citation.verified).collect::<Vec<_>>(), [true, false, false, false]);
        assert_eq!(checked[2].turn, None);
    }

    #[test]
    fn a_quotation_of_under_twelve_characters_or_three_words_verifies_nothing() {
        let entries = entries();
        let shown = presentation(&spec(false), 1, &entries, 0);
        let cite = |quote: &str| {
            let checked = check_citations(&shown, &[CitedEntry { entry: 1, quote: quote.into() }]);
            (checked[0].verified, checked[0].too_short)
        };
        // eleven characters; two words; just enough of both
        for (quote, found) in [
            ("said so in", (false, true)),
            ("Ada said", (false, true)),
            ("", (false, true)),
            ("Ada said so in", (true, false)),
            ("never said so at all", (false, false)),
        ] {
            assert_eq!(cite(quote), found, "{quote}");
        }
    }

    #[test]
    fn a_quotation_is_found_between_borders_of_words_alone() {
        let found = |text: &str, quote: &str| {
            let mut entries = entries();
            entries[0].text = text.into();
            let shown = presentation(&spec(false), 1, &entries, 0);
            check_citations(&shown, &[CitedEntry { entry: 1, quote: quote.into() }])[0].verified
        };
        let told = "It is impossible to close the bridges, says Ada's report: \u{201c}costs rose by 12.5 percent a year.\u{201d}";
        for (quote, verified) in [
            ("possible to close the bridges", false),
            ("impossible to close the bridge", false),
            ("impossible to close the bridges", true),
            ("to close the bridges, says Ada's", true),
            ("\"costs rose by 12.5 percent a year\"", true),
            ("5 percent a year", false),
            ("12.5 percent a year", true),
        ] {
            assert_eq!(found(told, quote), verified, "{quote}");
        }
        // the first place is inside a word, the second is not
        assert!(found("Nonsense is what it is; sense is what it is.", "sense is what it is"));
        assert!(found("Öffnet die Brücken für alle Bürger.", "die Brücken für alle"));
        assert!(!found("Öffnet die Brücken für alle Bürger.", "ffnet die Brücken für"));
        assert!(found("我们认为关闭这座旧城区的街道对居民有好处。", "关闭这座旧城区的街道对居民"));
    }
}
