//! What the speakers of a debate know, folded from its log.
mod facts;
mod feeds;
mod history;
mod page;
mod sight;

pub(crate) use facts::Facts;
use page::push_gap;
pub(crate) use page::{Labels, Seen, part_of, push_checks, push_entry};
pub(crate) use sight::Sight;

use crate::mask::Masks;
use crate::schema;
use crate::template::{self, fill};
use crate::text::one_line;
use agon_core::fence::{marker, transcript_start};
use agon_core::signals::{Gauge, Scale};
use agon_core::{Admission, Ask, Check, DebateSpec, Entry, Event, Memory, Position, Task, Transcript, kept};
use page::{Pages, Rendered};
use serde_json::Value;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

/// What the speakers of one debate know. The whole transcript is rendered once, as it grows, and never changed; what only
/// some may see is rendered when it is asked for.
pub struct View {
    pub(crate) spec: Arc<DebateSpec>,
    pub(crate) seed: u64,
    pub(crate) marker: Arc<str>,
    pub(crate) systems: Systems,
    pub(crate) facts: Facts,
    transcript: Transcript,
    rendered: Rendered,
    pages: Pages,
    position: Position,
    schemas: Mutex<Vec<(Task, Arc<Value>)>>,
    /// The same for debaters who do not know each other by name.
    masked: Option<(Masks, Box<Self>)>,
}

/// The system messages, by who reads them.
pub(crate) struct Systems {
    /// Debaters and moderator.
    pub(crate) debate: Arc<str>,
    /// Judges.
    pub(crate) judge: Arc<str>,
    /// The summarizer.
    pub(crate) summarizer: Arc<str>,
    /// The synthesizer.
    pub(crate) synthesizer: Arc<str>,
}

impl View {
    /// The view before the first event.
    pub fn new(admission: &Admission) -> Self {
        let marker = marker(admission.seed);
        let system = |rules| system(rules, admission, &marker);
        Self {
            systems: Systems {
                debate: system(template::SYSTEM),
                judge: system(template::JUDGE_SYSTEM),
                summarizer: system(template::SUMMARIZER_SYSTEM),
                synthesizer: system(template::SYNTHESIZER_SYSTEM),
            },
            rendered: Rendered::new(head(&admission.spec, &marker)),
            spec: Arc::new(admission.spec.clone()),
            seed: admission.seed,
            marker: marker.into(),
            transcript: Transcript::default(),
            facts: Facts::default(),
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
            self.rendered.grow(ask.sees, self.transcript.up_to(ask.sees));
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

    /// What there is to be compared after a round, for [`Task::Measure`], which is no prompt: the embeddings of the gauge's
    /// texts, or its words, give the measures.
    pub fn gauge(&self, sees: Position, round: u32) -> Gauge {
        let said = self.transcript.up_to(sees).iter().map(Gauge::entry);
        Gauge::new(said, round, Scale::of(&self.spec))
    }

    /// What verifiers said of the claims of the speeches up to a position.
    pub fn checks(&self, sees: Position) -> impl Iterator<Item = &Check> {
        self.entries(sees).iter().flat_map(|entry| &entry.checks)
    }

    /// Roster and the whole transcript up to a position, without the line that closes the transcript.
    pub(crate) fn seen(&self, sees: Position) -> Seen<'_> {
        self.rendered.up_to(sees, self.entries(sees))
    }

    /// Roster and what a sight shows of the transcript, without the line that closes the transcript.
    pub(crate) fn seen_by(&self, sight: &Sight, sees: Position) -> Seen<'_> {
        if sight.is_whole() {
            return self.seen(sees);
        }
        let summary = sight.summary.and_then(|at| self.facts.summaries.get(at));
        self.pages.page(self.rendered.head(), sight, self.entries(sees), summary)
    }

    /// The speeches up to a position.
    pub(crate) fn entries(&self, sees: Position) -> &[Entry] {
        self.transcript.up_to(sees)
    }

    /// What memory keeps of the speeches up to a position, for one to whom the whole is too long. What stands for the others is
    /// added to `out`.
    pub(crate) fn kept(&self, sees: Position, out: &mut String) -> &[Entry] {
        let summary = self.facts.last_summary(sees).and_then(|at| self.facts.summaries.get(at));
        let summary = summary.filter(|_| self.spec.memory == Memory::SummarizePast);
        let all = self.entries(sees);
        let kept = kept(&self.spec, all, summary.map_or(0, |summary| summary.through));
        match summary {
            Some(summary) => summary.push(out),
            None => push_gap(out, all.len().saturating_sub(kept.len())),
        }
        kept
    }

    /// The entry of a turn and its number in the transcript.
    pub(crate) fn numbered(&self, sees: Position, found: impl Fn(&Entry) -> bool) -> Option<(usize, &Entry)> {
        (1..).zip(self.entries(sees)).find(|(_, entry)| found(entry))
    }

    /// The schema of a task's answer, made once for all asks with the same choices.
    pub(crate) fn schema(&self, task: &Task) -> Option<Arc<Value>> {
        let mut schemas = self.schemas.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = schemas.iter().find(|(other, _)| other == task) {
            return Some(known.clone());
        }
        let schema = Arc::new(schema::of(&self.spec, task)?);
        if schemas.len() >= MOST_SCHEMAS {
            schemas.remove(0);
        }
        schemas.push((task.clone(), schema.clone()));
        Some(schema)
    }
}

/// How many schemas are kept.
const MOST_SCHEMAS: usize = 32;

fn system(rules: &str, Admission { spec, history, feeds, .. }: &Admission, marker: &str) -> Arc<str> {
    let mut system = fill(rules, &[("marker", marker)]);
    if !spec.verifiers.is_empty() {
        system.push('\n');
        system.push_str(&fill(template::CHECKED, &[]));
    }
    let sections =
        [("Topic", Some(&spec.topic)), ("Context", spec.context.as_ref()), ("Materials", spec.materials.as_ref())];
    for (title, body) in sections {
        if let Some(body) = body {
            // writing to a string cannot fail
            write!(system, "\n\n# {title}\n{}", body.trim()).ok();
        }
    }
    for foreign in feeds::section(feeds, marker).into_iter().chain(history::section(history, marker)) {
        system.push_str("\n\n");
        system.push_str(&foreign);
    }
    system.push('\n');
    system.into()
}

/// The roster and the fence's first line.
fn head(spec: &DebateSpec, marker: &str) -> String {
    let mut head = "# Debaters\n".to_owned();
    for persona in &spec.personas {
        head.push_str("- ");
        head.push_str(&one_line(persona.name.as_str()));
        match (&persona.stance, &persona.role) {
            (Some(stance), _) if stance == persona.name.as_str() => {}
            (Some(stance), _) => head.extend([": ", &one_line(stance)]),
            (None, Some(role)) => head.extend([" (", &one_line(role), ")"]),
            (None, None) => {}
        }
        head.push('\n');
    }
    head.push('\n');
    head.push_str(&transcript_start(marker));
    head.push('\n');
    head
}
