//! The transcript: rounds with speeches, the moderator's notes, failed tries and empty seats.
use super::clean;
use super::view::{anchor, class, initial};
use crate::figures;
use crate::minutes::{Deed, Entry, Minutes};
use crate::text::one_line;
use crate::words;
use agon_core::{ModeratorDecision, ParticipantId, RoundStatus, Speech};

/// A round, or what comes before the first or after the last.
pub(super) struct Section {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) items: Vec<Item>,
}
impl Section {
    /// The speeches, for the outline.
    pub(super) fn speeches(&self) -> impl Iterator<Item = &SpeechView> {
        self.items.iter().filter_map(|item| match item {
            Item::Speech(speech) => Some(speech),
            Item::Moderator(_) | Item::Failure(_) | Item::Skipped(_) => None,
        })
    }
}

pub(super) enum Item {
    Speech(SpeechView),
    Moderator(ModeratorNote),
    Failure(FailureNote),
    Skipped(String),
}

pub(super) struct SpeechView {
    pub(super) id: String,
    pub(super) class: String,
    pub(super) initial: String,
    pub(super) name: String,
    pub(super) stance: Option<String>,
    pub(super) html: String,
    pub(super) meta: Vec<String>,
}

pub(super) struct ModeratorNote {
    pub(super) title: String,
    pub(super) html: Option<String>,
    pub(super) lines: Vec<(&'static str, String)>,
    pub(super) fallback: bool,
    pub(super) meta: Vec<String>,
}

pub(super) struct FailureNote {
    pub(super) name: String,
    pub(super) asked: String,
    pub(super) attempt: u32,
    pub(super) cause: &'static str,
    pub(super) detail: String,
    pub(super) then: &'static str,
}

pub(super) fn sections(minutes: &Minutes<'_>) -> Vec<Section> {
    let sections = minutes.sections().into_iter().map(|round| Section {
        id: format!("round-{round}"),
        title: figures::section(minutes, round),
        items: minutes
            .entries
            .iter()
            .filter(|entry| entry.turn.round == round && figures::is_floor(entry))
            .filter_map(|entry| item(minutes, entry))
            .collect(),
    });
    sections.filter(|section| !section.items.is_empty()).collect()
}

fn item(minutes: &Minutes<'_>, entry: &Entry<'_>) -> Option<Item> {
    match entry.deed {
        Deed::Spoke(speech) => Some(Item::Speech(spoke(minutes, entry, speech))),
        Deed::Moderated { decision, fallback } => Some(Item::Moderator(moderated(entry, decision, fallback))),
        Deed::Failed { failure, retry_at } => Some(Item::Failure(FailureNote {
            name: one_line(words::who(entry.participant)),
            asked: figures::asked(minutes, entry),
            attempt: entry.turn.attempt,
            cause: failure.cause.as_str(),
            detail: one_line(&failure.detail),
            then: if retry_at.is_some() { "tried again" } else { "given up" },
        })),
        Deed::Skipped(reason) => Some(Item::Skipped(format!(
            "{} did not speak: {}.",
            one_line(words::who(entry.participant)),
            words::skip(reason)
        ))),
        Deed::Balloted(..) | Deed::Voted(_) | Deed::Judged(_) => None,
    }
}

fn spoke(minutes: &Minutes<'_>, entry: &Entry<'_>, speech: &Speech) -> SpeechView {
    SpeechView {
        id: anchor(speech.turn),
        class: class(minutes, entry.participant),
        initial: initial(entry.participant),
        name: one_line(words::who(entry.participant)),
        stance: speech.stance.as_deref().map(one_line),
        html: clean::speech(&speech.text),
        meta: meta(entry),
    }
}

pub(super) fn meta(entry: &Entry<'_>) -> Vec<String> {
    entry.call.map(figures::line).unwrap_or_default().iter().map(|part| one_line(part)).collect()
}

fn moderated(entry: &Entry<'_>, decision: &ModeratorDecision, fallback: bool) -> ModeratorNote {
    let mut lines = Vec::new();
    let (title, text) = match decision {
        ModeratorDecision::Opens(plan) => {
            let names: Vec<String> = plan.next_speakers.iter().map(ParticipantId::as_str).map(one_line).collect();
            lines.extend(plan.new_angle.as_deref().map(|angle| ("New angle", one_line(angle))));
            lines.extend(plan.done.then(|| ("Note", "this round is the last".to_owned())));
            let names = if names.is_empty() { "nobody".to_owned() } else { names.join(", ") };
            (format!("The moderator calls {names}"), plan.briefing.as_deref())
        }
        ModeratorDecision::Closes(summary) => {
            lines.extend(summary.decision.as_deref().map(|decision| ("Decision so far", one_line(decision))));
            let status = match summary.status {
                RoundStatus::Settled => "The moderator holds the question for settled",
                RoundStatus::Continue => "The moderator sums up, and the debate goes on",
            };
            (status.to_owned(), Some(summary.summary.as_str()))
        }
    };
    ModeratorNote { title, html: text.map(clean::speech), lines, fallback, meta: meta(entry) }
}
