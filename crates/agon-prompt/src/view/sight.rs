//! Who is shown which part of the transcript: what memory keeps, and what of it the context scope shows.
use super::View;
use crate::text::mentions;
use agon_core::{Ask, ContextScope, Entry, Memory, ParticipantId, Position, SpeechKind, Task, Work};

/// Which entries of the transcript a prompt shows, and which summary stands for what came before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VisibleEntries {
    /// Which of the summaries, if one stands in.
    pub(crate) summary: Option<usize>,
    /// The entries, by their index in the transcript.
    pub(crate) shown: Vec<usize>,
    /// How many entries there are.
    pub(crate) total: usize,
}

impl VisibleEntries {
    /// Whether nothing is left out and nothing is summed up.
    pub(crate) fn is_whole(&self) -> bool {
        self.summary.is_none() && self.shown.len() == self.total
    }

    /// What a debater or the moderator sees. Masks and persona scopes are for debaters alone.
    pub(crate) fn of(view: &View, ask: &Ask) -> Self {
        let entries = view.entries(ask.sees);
        let persona = view.spec.persona(&ask.participant);
        let may = |entry: &Entry| persona.is_none_or(|persona| entry.is_shown_to(&view.spec, persona));
        let allowed: Vec<usize> = (0..).zip(entries).filter(|(_, entry)| may(entry)).map(|(at, _)| at).collect();
        let first = kept_from(view, ask, entries, &allowed);
        let needed = |entry: &Entry| is_needed(ask, entry);
        let last_needed = last_of(ask, entries);
        let in_scope = |at: usize, entry: &Entry| {
            at >= first.index && (persona.is_none() || addresses(view, &ask.participant, entry))
                || needed(entry)
                || last_needed.contains(&at)
        };
        let shown = allowed.into_iter().filter(|at| entries.get(*at).is_some_and(|entry| in_scope(*at, entry)));
        Self { summary: first.summary, shown: shown.collect(), total: entries.len() }
    }

    /// What the summarizer reads: the summary before, and what was said since.
    pub(crate) fn since_last_summary(view: &View, sees: Position) -> Self {
        let entries = view.entries(sees);
        let summary = view.facts.last_summary(sees);
        let through = summary.and_then(|at| view.facts.summaries.get(at)).map(|summary| summary.through);
        let shown = (0..).zip(entries).filter(|(_, entry)| through.is_none_or(|through| entry.turn.round > through));
        Self { summary, shown: shown.map(|(at, _)| at).collect(), total: entries.len() }
    }
}

/// From where on entries are shown, and the summary that stands for those before.
struct KeptEntries {
    index: usize,
    summary: Option<usize>,
}

/// What windows and summaries leave. A window counts what its reader may see at all.
fn kept_from(view: &View, ask: &Ask, entries: &[Entry], allowed: &[usize]) -> KeptEntries {
    let spec = &view.spec;
    let summary = view.facts.last_summary(ask.sees);
    let through = summary.and_then(|at| view.facts.summaries.get(at)).map(|summary| summary.through);
    let window = |size: u32| {
        let dropped = spec.windows.dropped(size, allowed.len());
        allowed.get(dropped).copied().unwrap_or(entries.len())
    };
    let after = |round: u32| entries.iter().position(|entry| entry.turn.round > round).unwrap_or(entries.len());
    let (kept, remembers) = match (spec.memory, through) {
        (Memory::RollingWindow, _) => (window(spec.windows.memory_window), false),
        (Memory::SummarizePast, Some(through)) => (after(through), true),
        (Memory::SummarizePast | Memory::AppendAll | Memory::PersonaMasking, _) => (0, false),
    };
    let (scoped, sums_up) = match (spec.context_scope, through) {
        (ContextScope::LastNTurns, _) => (window(spec.windows.context_turns), false),
        // the last round itself stays: it is what the next one answers
        (ContextScope::SummaryOnly, Some(through)) => (after(through.saturating_sub(1)), true),
        (ContextScope::SummaryOnly | ContextScope::FullLog | ContextScope::PersonaScoped, _) => (0, false),
    };
    KeptEntries { index: kept.max(scoped), summary: summary.filter(|_| remembers || sums_up) }
}

/// Whether the context scope leaves an entry to a debater, as far as that depends on who said it to whom.
fn addresses(view: &View, reader: &ParticipantId, entry: &Entry) -> bool {
    match view.spec.context_scope {
        ContextScope::FullLog | ContextScope::LastNTurns | ContextScope::SummaryOnly => true,
        ContextScope::PersonaScoped => {
            entry.participant == *reader
                || entry.to.as_ref() == Some(reader)
                || entry.kind == SpeechKind::Moderation
                || mentions(&entry.text, reader.as_str())
        }
    }
}

/// Whether a task cannot be done without an entry, whatever windows and scopes leave: what is to be scored, and the critiques
/// that a revision answers.
fn is_needed(ask: &Ask, entry: &Entry) -> bool {
    let Task { work, material } = &ask.task;
    if *work == Work::ScoreSpeeches {
        return material.speeches().iter().any(|speech| speech.same_slot(entry.turn));
    }
    *work == Work::Revise
        && entry.turn.round == ask.turn.round
        && entry.kind == SpeechKind::Critique
        && entry.to.as_ref() == Some(&ask.participant)
}

/// The last speech of whoever is answered, and the proposal that is criticised or revised.
fn last_of(ask: &Ask, entries: &[Entry]) -> Vec<usize> {
    let last = |who: &ParticipantId, wanted: fn(SpeechKind) -> bool| {
        entries.iter().rposition(|entry| entry.participant == *who && wanted(entry.kind))
    };
    let proposal = |kind| matches!(kind, SpeechKind::Proposal | SpeechKind::Revision | SpeechKind::Opening);
    let found = match &ask.task.work {
        Work::Argument { to: Some(to), .. } | Work::Statement { to: Some(to), .. } => last(to, |_| true),
        Work::Bid { on: Some(on), .. } => last(on, |_| true),
        Work::Critique { of } => last(of, proposal),
        Work::Revise => last(&ask.participant, proposal),
        // nobody is answered
        _ => None,
    };
    found.into_iter().collect()
}
