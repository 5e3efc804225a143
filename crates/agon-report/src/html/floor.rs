//! The transcript: rounds with speeches, the moderator's notes, failed tries and empty seats.
use super::badges::badge;
use super::clean;
use super::view::{anchor, class};
use crate::asides::{self, Group};
use crate::figures;
use crate::minutes::{Deed, Entry, Minutes};
use crate::text::{one_line, sentence};
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
            Item::Moderator(_) | Item::Aside(_) | Item::Failure(_) | Item::Skipped(_) | Item::Line(..) => None,
        })
    }
}

pub(super) enum Item {
    Speech(SpeechView),
    Moderator(ModeratorNote),
    Failure(FailureNote),
    Skipped(String),
    Aside(AsideView),
    /// What it is, and one line of it.
    Line(&'static str, String),
}

/// Something that is not a speech: an interjection of the moderator, a critique, a point of information.
pub(super) struct AsideView {
    pub(super) id: String,
    pub(super) class: String,
    pub(super) title: String,
    pub(super) html: Option<String>,
    pub(super) lines: Vec<(String, String)>,
    pub(super) fold: bool,
    pub(super) meta: Vec<String>,
}

pub(super) struct SpeechView {
    pub(super) id: String,
    pub(super) class: String,
    pub(super) initial: String,
    pub(super) name: String,
    pub(super) head: String,
    pub(super) html: String,
    pub(super) tail: Vec<(String, String)>,
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
        items: items(minutes, round),
    });
    sections.filter(|section| !section.items.is_empty()).collect()
}

fn items(minutes: &Minutes<'_>, round: u32) -> Vec<Item> {
    let entries = minutes.entries.iter().filter(|entry| entry.turn.round == round && figures::is_floor(entry));
    let mut items = Vec::new();
    for group in asides::groups(entries) {
        match group {
            Group::Bids(purpose, bids) => {
                let bids = bids.iter().map(|(entry, bid)| {
                    format!("{} {}", one_line(words::who(entry.participant)), one_line(&asides::bid_of(purpose, bid)))
                });
                items.push(Item::Line(asides::bids(purpose), bids.collect::<Vec<_>>().join(" · ")));
            }
            Group::One(entry) => {
                items.extend(item(minutes, entry));
                let used = minutes.tools_of(entry.turn).map(|used| {
                    let line = format!("{} {}", words::who(used.participant), asides::tool(used.tool));
                    Item::Line("Tool", one_line(&line))
                });
                items.extend(used);
            }
        }
    }
    let measures = minutes.measures.iter().filter(|(of, _)| *of == round);
    items.extend(measures.map(|(_, measures)| Item::Line("Measured", words::measures(measures))));
    items
}

fn item(minutes: &Minutes<'_>, entry: &Entry<'_>) -> Option<Item> {
    match entry.deed {
        Deed::Spoke(speech) => Some(Item::Speech(spoke(minutes, entry, speech))),
        Deed::Moderated { decision, fallback } => {
            Some(Item::Moderator(moderated(minutes, entry, (decision, fallback))))
        }
        Deed::Failed { failure, retry_at } => Some(Item::Failure(FailureNote {
            name: one_line(words::who(entry.participant)),
            asked: figures::asked(minutes, entry),
            attempt: entry.turn.attempt,
            cause: failure.cause.as_str(),
            detail: one_line(&failure.with_remedy(entry.call)),
            then: if retry_at.is_some() { "tried again" } else { "given up" },
        })),
        Deed::Skipped(reason) => Some(Item::Skipped(sentence(&format!(
            "{} did not speak: {}",
            one_line(words::who(entry.participant)),
            words::skip(reason)
        )))),
        Deed::Interjected(_)
        | Deed::ScoredSpeeches(_)
        | Deed::Researched(_)
        | Deed::Concluded(_)
        | Deed::Bid(..)
        | Deed::Points(..)
        | Deed::Criticised { .. }
        | Deed::Noted(_)
        | Deed::Summarised { .. }
        | Deed::Enough { .. }
        | Deed::NotShown(_) => aside(minutes, entry).map(Item::Aside),
        Deed::Balloted(..)
        | Deed::Voted(_)
        | Deed::ScoredDebaters(_)
        | Deed::Measured { .. }
        | Deed::Judged(_)
        | Deed::Ranked { .. }
        | Deed::Synthesised(_) => None,
    }
}

fn aside(minutes: &Minutes<'_>, entry: &Entry<'_>) -> Option<AsideView> {
    let aside = asides::of(entry, &|turn| minutes.speaker(turn))?;
    Some(AsideView {
        id: anchor(entry.turn),
        class: class(minutes, entry.participant),
        title: one_line(&aside.title),
        html: aside.text.as_deref().map(clean::speech),
        lines: aside.lines.iter().map(|(name, text)| (one_line(name), one_line(text))).collect(),
        fold: aside.fold,
        meta: meta(entry),
    })
}

fn spoke(minutes: &Minutes<'_>, entry: &Entry<'_>, speech: &Speech) -> SpeechView {
    SpeechView {
        id: anchor(speech.turn),
        class: class(minutes, entry.participant),
        initial: badge(minutes, entry.participant),
        name: one_line(words::who(entry.participant)),
        head: one_line(&asides::head(speech).join(", ")),
        html: clean::speech(&speech.text),
        tail: asides::tail(speech).iter().map(|(name, text)| (one_line(name), one_line(text))).collect(),
        meta: meta(entry),
    }
}

pub(super) fn meta(entry: &Entry<'_>) -> Vec<String> {
    entry.call.map(figures::line).unwrap_or_default().iter().map(|part| one_line(part)).collect()
}

fn moderated(
    minutes: &Minutes<'_>,
    entry: &Entry<'_>,
    (decision, fallback): (&ModeratorDecision, bool),
) -> ModeratorNote {
    let mut lines = Vec::new();
    let (title, text) = match decision {
        ModeratorDecision::Opens(plan) => {
            let names: Vec<String> = plan.next_speakers.iter().map(ParticipantId::as_str).map(one_line).collect();
            lines.extend(plan.new_angle.as_deref().map(|angle| ("New angle", one_line(angle))));
            lines.extend(plan.done.then(|| ("Note", "this round is the last".to_owned())));
            let opens = words::opens(minutes.admission.spec.turn_mode, &names);
            (format!("The moderator {opens}"), plan.briefing.as_deref())
        }
        ModeratorDecision::Closes(summary) => {
            let decided = |decision: &str| (words::decided(summary.status), one_line(decision));
            lines.extend(summary.decision.as_deref().map(decided));
            lines.extend(summary.vote_now.then(|| ("Note", "it calls the vote".to_owned())));
            let status = match summary.status {
                RoundStatus::Settled => "The moderator holds the question for settled",
                RoundStatus::Continue => "The moderator sums up, and the debate goes on",
            };
            (status.to_owned(), Some(summary.summary.as_str()))
        }
    };
    ModeratorNote { title, html: text.map(clean::speech), lines, fallback, meta: meta(entry) }
}
