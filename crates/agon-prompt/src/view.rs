//! What the speakers of a debate know, folded from its log.
mod decisions;
mod entry;
mod facts;
mod feeds;
mod history;
mod page;
mod sight;

use entry::push_gap;
pub(crate) use entry::{Labels, part_of, push_checks, push_entry};
pub(crate) use facts::{RoundOpening, Summary, ViewFacts};
pub(crate) use feeds::section as feeds;
pub(crate) use history::section as history;
pub(crate) use page::ShownTranscript;
pub(crate) use sight::VisibleEntries;

use crate::head;
use crate::mask::Masks;
use crate::schema;
use agon_core::fence::{Author, Fence, FenceKind, Mark, Part, PromptText, Reader, Written};
use agon_core::signals::{Gauge, Scale};
use agon_core::{
    Admission, Ask, Check, DebateSpec, Entry, Event, Memory, ParticipantId, Position, SpeechKind, Task, Transcript,
    Work, kept,
};
use page::{Known, PageContent, Pages, Rendered};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// What the speakers of one debate know. The whole transcript is rendered once, as it grows, and never changed; what only
/// some may see is rendered when it is asked for.
pub struct View {
    pub(crate) spec: Arc<DebateSpec>,
    pub(crate) seed: u64,
    pub(crate) marks: Marks,
    pub(crate) heads: PromptHeads,
    pub(crate) facts: ViewFacts,
    transcript: Transcript,
    rendered: Rendered,
    pages: Pages,
    position: Position,
    schemas: Mutex<Schemas>,
    /// The same for debaters who do not know each other by name.
    masked: Option<(Masks, Box<Self>)>,
}

/// The schemas of tasks, and of how many speeches each may cite some.
type Schemas = Vec<(Task, Option<usize>, Arc<Value>)>;

/// What does not change, by who reads it.
pub(crate) struct PromptHeads {
    /// Debaters and moderator.
    pub(crate) debate: PromptText,
    /// Judges.
    pub(crate) judge: PromptText,
    /// The summarizer.
    pub(crate) summarizer: PromptText,
    /// The synthesizer.
    pub(crate) synthesizer: PromptText,
}

/// The marks of the transcript, by who reads it.
pub(crate) struct Marks {
    /// Debaters and moderator.
    pub(crate) debate: Mark,
    /// Judges.
    pub(crate) judge: Mark,
    /// The summarizer.
    pub(crate) summarizer: Mark,
    /// The synthesizer.
    pub(crate) synthesizer: Mark,
}

impl View {
    /// The view before the first event.
    pub fn new(admission: &Admission) -> Self {
        let mark = |reader| Mark::new(admission.seed, reader);
        let marks = Marks {
            debate: mark(Reader::Debate),
            judge: mark(Reader::Judges),
            summarizer: mark(Reader::Summarizer),
            synthesizer: mark(Reader::Synthesizer),
        };
        Self {
            rendered: Rendered::new(roster(&admission.spec, &marks.debate), marks.debate.clone()),
            heads: PromptHeads {
                debate: head::debate(admission, &marks.debate),
                judge: head::judges(admission, &marks.judge),
                summarizer: head::summarizer(admission, &marks.summarizer),
                synthesizer: head::synthesizer(admission, &marks.synthesizer),
            },
            spec: Arc::new(admission.spec.clone()),
            seed: admission.seed,
            marks,
            transcript: Transcript::default(),
            facts: ViewFacts::default(),
            pages: Pages::default(),
            position: Position(0),
            schemas: Mutex::new(Vec::new()),
            masked: Masks::of(&admission.spec).map(|masks| {
                let view = Self::new(&masks.admission(admission));
                (masks, Box::new(view))
            }),
        }
    }

    /// Takes an event in. What was taken in already is ignored.
    pub fn apply(&mut self, position: Position, event: &Event) {
        if position <= self.position {
            return;
        }
        self.position = position;
        if let Some((masks, view)) = &mut self.masked {
            view.apply(position, &masks.event(event));
        }
        self.transcript.apply(position, event);
        // Who may see a speech is asked only after all who spoke at once are heard; then their order is final.
        if let Event::TurnAsked(ask) = event {
            let (entries, openings) = (self.transcript.up_to(ask.sees), self.facts.openings(ask.sees));
            self.rendered.grow(ask.sees, Known { entries, openings });
        }
        self.facts.apply(position, event);
    }

    /// What a debater knows that does not know the others by name, and the ask with what it calls them; none for everybody else.
    pub(crate) fn masked(&self, ask: &Ask) -> Option<(&Self, Ask)> {
        let debates = self.spec.persona(&ask.participant).is_some();
        let (masks, view) = self.masked.as_ref().filter(|_| debates)?;
        Some((view, masks.ask(ask, &self.spec)))
    }

    /// The last event that was taken in.
    pub fn position(&self) -> Position {
        self.position
    }

    /// What the last ask sees. All who spoke before it are heard, and their order is final; nothing where nobody will speak any more.
    pub(crate) fn asked(&self) -> Option<Position> {
        self.rendered.position().filter(|_| self.facts.in_rounds(self.position))
    }

    /// What there is to be compared after a round, for [`Work::Measure`], which is no prompt: the embeddings of the gauge's
    /// texts, or its words, give the measures.
    pub fn gauge(&self, sees: Position, round: u32) -> Gauge {
        let said = self.transcript.up_to(sees).iter().map(Gauge::entry);
        Gauge::new(said, round, Scale::of(&self.spec))
    }

    /// What verifiers said of the claims of the speeches up to a position.
    pub fn checks(&self, sees: Position) -> impl Iterator<Item = &Check> {
        self.entries(sees).iter().flat_map(|entry| &entry.checks)
    }

    /// Roster and what a sight shows debaters and moderator of the transcript, without the line that closes the transcript.
    pub(crate) fn seen_by(&self, sight: &VisibleEntries, sees: Position) -> ShownTranscript<'_> {
        if sight.is_whole() {
            let (entries, openings) = (self.entries(sees), self.facts.openings(sees));
            return self.rendered.up_to(sees, Known { entries, openings });
        }
        let openings = self.openings(sight, sees);
        let shown = PageContent { openings, ..self.shown(sight, sees, &self.marks.debate) };
        self.pages.page(&shown, || self.rendered.head())
    }

    /// The same for a reader with a mark of its own, who shares it with nobody.
    pub(crate) fn staff_sees(&self, sight: &VisibleEntries, sees: Position, mark: &Mark) -> Written {
        let mut text = roster(&self.spec, mark);
        self.shown(sight, sees, mark).push(&mut text);
        text
    }

    /// What a sight shows of what the moderator said when it opened rounds: that to rounds of which speeches are shown, and the last.
    pub(crate) fn openings(&self, sight: &VisibleEntries, sees: Position) -> &[RoundOpening] {
        let openings = self.facts.openings(sees);
        let first = sight.shown.first().filter(|_| !sight.is_whole());
        let round = match (sight.is_whole(), first.and_then(|at| self.entries(sees).get(*at))) {
            (true, _) => 0,
            (false, Some(entry)) => entry.turn.round,
            (false, None) => u32::MAX,
        };
        let dropped = openings.partition_point(|opening| opening.round < round).min(openings.len().saturating_sub(1));
        openings.get(dropped..).unwrap_or_default()
    }

    fn shown<'a>(&'a self, sight: &'a VisibleEntries, sees: Position, mark: &'a Mark) -> PageContent<'a> {
        let summary = sight.summary.and_then(|at| self.facts.summaries.get(at));
        PageContent { sight, entries: self.entries(sees), openings: &[], summary, mark }
    }

    /// What a participant is called.
    pub(crate) fn called(&self, name: &ParticipantId) -> Written {
        Written::known(&self.spec, self.seed, name.as_str()).unwrap_or_default()
    }

    /// The speeches up to a position.
    pub(crate) fn entries(&self, sees: Position) -> &[Entry] {
        self.transcript.up_to(sees)
    }

    /// What memory keeps of the speeches up to a position, for one to whom the whole is too long. What stands for the others is
    /// added to `out`.
    pub(crate) fn kept(&self, sees: Position, fence: &mut Fence<'_>) -> &[Entry] {
        let (kept, summary) = self.kept_entries(sees);
        match summary {
            Some(summary) => summary.push(fence),
            None => push_gap(fence, self.entries(sees).len().saturating_sub(kept.len())),
        }
        kept
    }

    fn kept_entries(&self, sees: Position) -> (&[Entry], Option<&Summary>) {
        let summary = self.facts.last_summary(sees).and_then(|at| self.facts.summaries.get(at));
        let summary = summary.filter(|_| self.spec.memory == Memory::SummarizePast);
        let through = summary.map_or(0, |summary| summary.through);
        (kept(&self.spec, self.entries(sees), through), summary)
    }

    /// The entry of a turn and its number in the transcript.
    pub(crate) fn numbered(&self, sees: Position, found: impl Fn(&Entry) -> bool) -> Option<(usize, &Entry)> {
        (1..).zip(self.entries(sees)).find(|(_, entry)| found(entry))
    }

    /// The schema of a task's answer, made once for all asks with the same choices.
    pub(crate) fn schema(&self, ask: &Ask) -> Option<Arc<Value>> {
        let speeches = self.citable(ask);
        let mut schemas = self.schemas.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., known)) = schemas.iter().find(|(task, most, _)| (task, *most) == (&ask.task, speeches)) {
            return Some(known.clone());
        }
        let schema = Arc::new(schema::of(&self.spec, &ask.task, speeches)?);
        if schemas.len() >= MOST_SCHEMAS {
            schemas.remove(0);
        }
        schemas.push((ask.task.clone(), speeches, schema.clone()));
        Some(schema)
    }

    /// How many speeches a judge is shown, and may cite.
    fn citable(&self, ask: &Ask) -> Option<usize> {
        let judges = matches!(ask.task.work, Work::Judge { .. });
        let shown = || if ask.kept { self.kept_entries(ask.sees).0 } else { self.entries(ask.sees) };
        judges.then(|| shown().iter().filter(|entry| entry.kind != SpeechKind::Moderation).count())
    }
}

/// How many schemas are kept.
const MOST_SCHEMAS: usize = 32;

/// The roster and the fence's first line.
fn roster(spec: &DebateSpec, mark: &Mark) -> Written {
    let mut roster = Written::default();
    roster.push("# Debaters\n");
    for persona in &spec.personas {
        roster.push("- ");
        let name = Author::of(persona, |persona| Some(persona.name.as_str()));
        let stance = Author::of(persona, |persona| persona.stance.as_deref());
        let role = Author::of(persona, |persona| persona.role.as_deref());
        let parts = match (name.zip(stance).is_some_and(|(name, stance)| name.is(stance)), stance, role) {
            (true, ..) | (false, None, None) => [Part::from(""), "".into(), "".into()],
            (false, Some(stance), _) => [": ".into(), stance.on_one_line().into(), "".into()],
            (false, None, Some(role)) => [" (".into(), role.on_one_line().into(), ")".into()],
        };
        for part in name.map(|name| name.on_one_line().into()).into_iter().chain(parts) {
            roster.push(part);
        }
        roster.push("\n");
    }
    roster.push("\n");
    Fence::open(&mut roster, FenceKind::Transcript, mark);
    roster
}
