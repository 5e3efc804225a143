//! What the speakers of a debate know, folded from its log.
use crate::template::{self, fill};
use crate::text::{cut, one_line, quoted_line, shown};
use crate::{schema, text};
use agon_core::fence::{ENTRY, marker, transcript_start};
use agon_core::signals::Gauge;
use agon_core::{Admission, DebateSpec, Entry, Event, ModeratorDecision, Position, RoundStatus, Task, Transcript};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

/// What the speakers of one debate know. The transcript is rendered once, as it grows, and never changed.
pub struct View {
    pub(crate) spec: Arc<DebateSpec>,
    pub(crate) seed: u64,
    pub(crate) marker: String,
    pub(crate) system: Arc<str>,
    pub(crate) judge_system: Arc<str>,
    transcript: Transcript,
    /// Roster, the fence's first line and all entries.
    rendered: String,
    /// Where `rendered` ends before the first entry and after each one, and the last event that was known then.
    ends: Vec<End>,
    decisions: Vec<Decision>,
    position: Position,
    schemas: Mutex<Vec<(Task, Arc<Value>)>>,
}

#[derive(Clone, Copy)]
struct End {
    position: Position,
    bytes: usize,
    chars: usize,
    entries: usize,
}

/// A moderator's decision, on one line.
struct Decision {
    position: Position,
    line: String,
}

/// The part of the rendered transcript that an ask may show.
pub(crate) struct Seen<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) chars: usize,
}

impl View {
    /// The view before the first event.
    pub fn new(admission: &Admission) -> Self {
        let marker = marker(admission.seed);
        let rendered = head(&admission.spec, &marker);
        let start = End { position: Position(0), bytes: rendered.len(), chars: rendered.chars().count(), entries: 0 };
        Self {
            system: system(template::SYSTEM, &admission.spec, &marker),
            judge_system: system(template::JUDGE_SYSTEM, &admission.spec, &marker),
            spec: Arc::new(admission.spec.clone()),
            seed: admission.seed,
            marker,
            transcript: Transcript::default(),
            rendered,
            ends: vec![start],
            decisions: Vec::new(),
            position: Position(0),
            schemas: Mutex::new(Vec::new()),
        }
    }

    /// Takes an event in. What was taken in already is ignored.
    pub fn apply(&mut self, position: Position, event: &Event) {
        if position <= self.position {
            return;
        }
        self.position = position;
        self.transcript.apply(position, event);
        // Who may see a speech is asked only after all who spoke at once are heard; then their order is final.
        if let Event::TurnAsked(ask) = event {
            self.render(ask.sees);
        }
        if let Event::ModeratorDecided { turn, decision, fallback, .. } = event {
            let line = decision_line(turn.round, decision, *fallback);
            self.decisions.push(Decision { position, line });
        }
    }

    /// The last event that was taken in.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Renders the entries up to a position that are not rendered yet.
    fn render(&mut self, sees: Position) {
        let mut rendered = std::mem::take(&mut self.rendered);
        let from = rendered.len();
        let added = self.push_rest(&mut rendered, sees);
        let chars = rendered.get(from..).unwrap_or_default().chars().count();
        self.rendered = rendered;
        if added > 0 {
            let before = self.ends.last().copied();
            let entries = before.map_or(0, |end| end.entries) + added;
            let chars = before.map_or(0, |end| end.chars) + chars;
            self.ends.push(End { position: sees, bytes: self.rendered.len(), chars, entries });
        }
    }

    /// Adds the entries up to a position that are not rendered yet; says how many there were.
    fn push_rest(&self, out: &mut String, sees: Position) -> usize {
        let rendered = self.ends.last().map_or(0, |end| end.entries);
        let rest = self.transcript.up_to(sees).get(rendered..).unwrap_or_default();
        for (number, entry) in (rendered + 1..).zip(rest) {
            let label = format!("T{number} | {}", one_line(entry.participant.as_str()));
            push_entry(out, &label, entry, &entry.text);
        }
        rest.len()
    }

    /// Roster and transcript up to a position, without the line that closes the transcript.
    pub(crate) fn seen(&self, sees: Position) -> Seen<'_> {
        let after = self.ends.partition_point(|end| end.position <= sees);
        let end = self.ends.get(after.saturating_sub(1));
        let text = end.and_then(|end| self.rendered.get(..end.bytes)).unwrap_or_default();
        let chars = end.map_or(0, |end| end.chars);
        let all = end.is_none_or(|end| end.entries >= self.transcript.up_to(sees).len());
        if all || after < self.ends.len() {
            return Seen { text: Cow::Borrowed(text), chars };
        }
        let mut whole = text.to_owned();
        self.push_rest(&mut whole, sees);
        let chars = whole.chars().count();
        Seen { text: Cow::Owned(whole), chars }
    }

    /// The speeches up to a position.
    pub(crate) fn entries(&self, sees: Position) -> &[Entry] {
        self.transcript.up_to(sees)
    }

    /// The moderator's last decisions up to a position, one line each.
    pub(crate) fn decisions(&self, sees: Position) -> impl Iterator<Item = &str> {
        let known = self.decisions.partition_point(|decision| decision.position <= sees);
        let known = self.decisions.get(..known).unwrap_or_default();
        known.iter().skip(known.len().saturating_sub(SHOWN_DECISIONS)).map(|decision| decision.line.as_str())
    }

    /// What there is to be compared after a round, for [`Task::Measure`], which is no prompt: the embeddings of the gauge's
    /// texts, or its words, give the measures.
    pub fn gauge(&self, sees: Position, round: u32) -> Gauge {
        Gauge::new(self.transcript.up_to(sees).iter().map(Gauge::entry), round)
    }

    /// The schema of a task's answer, made once for all asks with the same choices.
    pub(crate) fn schema(&self, task: &Task) -> Option<Arc<Value>> {
        let mut schemas = self.schemas.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = schemas.iter().find(|(other, _)| other == task) {
            return Some(known.clone());
        }
        let schema = Arc::new(schema::of(&self.spec, task)?);
        schemas.push((task.clone(), schema.clone()));
        Some(schema)
    }
}

/// How many of its own decisions a moderator is shown, and how much of each.
const SHOWN_DECISIONS: usize = 6;
const DECISION_LENGTH: usize = 160;

fn system(rules: &str, spec: &DebateSpec, marker: &str) -> Arc<str> {
    let mut system = fill(rules, &[("marker", marker)]);
    let sections =
        [("Topic", Some(&spec.topic)), ("Context", spec.context.as_ref()), ("Materials", spec.materials.as_ref())];
    for (title, body) in sections {
        if let Some(body) = body {
            // writing to a string cannot fail
            write!(system, "\n\n# {title}\n{}", body.trim()).ok();
        }
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

/// Adds `### LABEL | STANCE`, the speech with look-alikes defused, and an empty line.
pub(crate) fn push_entry(out: &mut String, label: &str, entry: &Entry, speech: &str) {
    out.push_str(ENTRY);
    out.push_str(label);
    if let Some(stance) = &entry.stance {
        out.push_str(" | ");
        out.push_str(&one_line(stance));
    }
    out.push('\n');
    out.push_str(&shown(speech));
    out.push_str("\n\n");
}

fn decision_line(round: u32, decision: &ModeratorDecision, fallback: bool) -> String {
    let mut line = match decision {
        ModeratorDecision::Opens(plan) => {
            let speakers: Vec<String> =
                plan.next_speakers.iter().map(|name| text::quoted_line(name.as_str())).collect();
            let mut line = format!("opened round {round}");
            let parts = [
                ("speakers", Some(speakers.join(", "))),
                ("briefing", plan.briefing.clone()),
                ("angle", plan.new_angle.clone()),
            ];
            for (what, value) in parts {
                if let Some(value) = value.filter(|value| !value.is_empty()) {
                    write!(line, "; {what}: {}", cut(&quoted_line(&value), DECISION_LENGTH)).ok();
                }
            }
            line
        }
        ModeratorDecision::Closes(summary) => {
            let status = match summary.status {
                RoundStatus::Settled => "settled",
                RoundStatus::Continue => "continue",
            };
            format!("closed round {round} as {status}: {}", cut(&quoted_line(&summary.summary), DECISION_LENGTH))
        }
    };
    if fallback {
        line.push_str(" (put in place of an answer that could not be had)");
    }
    line
}
