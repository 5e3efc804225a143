//! The page, filled from the document.
mod parts;

use super::badges::badge;
use super::draft::{self, DiffPiece, DraftView};
use super::timeline::{self, Timeline};
use super::{STYLE, STYLE_HASH, clean, fold};
use crate::analysis::STRENGTH;
use crate::block::ResultBlock;
use crate::call_figures;
use crate::document::{
    Office, ReportBlock, ReportSection, SectionKind, SpeechStrength, Strengths, TableCell, sections,
};
use crate::minutes::{Minutes, MinutesEntry};
use crate::text::{excerpt, one_line, plain, sentence};
use crate::tree::{self, ArgumentTree, TreePicture};
use crate::verdict::{Tone, checked};
use crate::words::{self, REHEARSAL, counted, day, rfc3339};
use agon_core::{
    Citation, Failure, ModeratorDecision, RoundPlan, RoundStatus, RoundSummary, SkipReason, Speech, Timestamp, TurnId,
};
use askama::Template;
pub(super) use parts::parts;
pub use parts::{PagePart, PartKind};
use std::collections::BTreeSet;

/// The sections of the page, in the order in which a stranger asks. Those of one slot stand close together.
const SLOTS: [&[SectionKind]; 10] = [
    &[SectionKind::Verdict],
    &[SectionKind::Judges],
    &[SectionKind::Dissent],
    &[SectionKind::Ballots, SectionKind::Votes],
    &[SectionKind::Charts],
    &[SectionKind::Speakers, SectionKind::Background, SectionKind::Rounds, SectionKind::Checks],
    &[SectionKind::Tree],
    &[SectionKind::Analysis],
    &[SectionKind::Costs],
    &[SectionKind::Settings],
];
/// Rows of an open-ended table, and strengths that are drawn, at most.
const MOST_ROWS: usize = 24;

/// The whole page.
#[derive(Template)]
#[template(path = "report.html")]
pub(super) struct ReportPage<'m> {
    minutes: &'m Minutes<'m>,
    rehearsal: Option<&'static str>,
    date: String,
    date_time: String,
    block: ResultBlock,
    slots: Vec<Vec<ReportSection<'m>>>,
    /// The contributions that have a place on the page.
    placed: BTreeSet<String>,
    /// The first section with a speech that is folded, which has the switch for all.
    switch: Option<String>,
    tree: ArgumentTree,
    timeline: Option<Timeline>,
}

impl<'m> ReportPage<'m> {
    pub(super) fn of(minutes: &'m Minutes<'m>) -> Self {
        let slots: Vec<Vec<ReportSection<'_>>> = SLOTS.iter().map(|kinds| slot(minutes, kinds)).collect();
        Self {
            minutes,
            placed: slots.iter().flatten().flat_map(|section| &section.blocks).filter_map(place).collect(),
            rehearsal: minutes.rehearsal().then_some(REHEARSAL),
            date: day(minutes.admitted_at),
            date_time: rfc3339(minutes.admitted_at),
            block: ResultBlock::of(minutes),
            switch: switch(&slots),
            slots,
            tree: ArgumentTree::of(minutes),
            timeline: timeline::of(minutes),
        }
    }
}

/// The first section with a speech that is folded.
fn switch(slots: &[Vec<ReportSection<'_>>]) -> Option<String> {
    let folded = |block: &ReportBlock<'_>| matches!(block, ReportBlock::Speech(_, speech) if fold::folds(&speech.text));
    let section = slots.iter().flatten().find(|section| section.blocks.iter().any(folded))?;
    Some(section.id.clone())
}

/// The id of a block that is a contribution.
fn place(block: &ReportBlock<'_>) -> Option<String> {
    match block {
        ReportBlock::Speech(entry, _) | ReportBlock::Moderated(entry, ..) | ReportBlock::Aside(entry, _) => {
            Some(anchor(entry.turn))
        }
        _ => None,
    }
}

fn slot<'m>(minutes: &'m Minutes<'m>, kinds: &[SectionKind]) -> Vec<ReportSection<'m>> {
    let mut slot: Vec<ReportSection<'m>> = kinds.iter().flat_map(|kind| sections(minutes, *kind)).collect();
    // Warnings stand in the configuration.
    for section in slot.iter_mut().filter(|section| section.kind == SectionKind::Settings) {
        let warnings = sections(minutes, SectionKind::Warnings).into_iter().flat_map(|section| section.blocks);
        section.blocks.splice(0..0, warnings);
    }
    slot
}

/// What the templates ask for. Texts are made harmless here or escaped by the template; only HTML of [`clean`] and drawings are
/// put in as they are.
impl ReportPage<'_> {
    fn sections(&self) -> impl Iterator<Item = &ReportSection<'_>> {
        self.slots.iter().flatten()
    }
    fn line(&self, text: impl AsRef<str>) -> String {
        one_line(text.as_ref())
    }
    fn excerpt(&self, text: impl AsRef<str>, most: usize) -> String {
        excerpt(text.as_ref(), most)
    }
    fn plain(&self, text: impl AsRef<str>) -> String {
        plain(text.as_ref())
    }
    /// A model's Markdown as HTML that is safe as it is.
    fn words(&self, text: impl AsRef<str>) -> String {
        clean::speech(text.as_ref())
    }
    /// Lines of Markdown as a list.
    fn list(&self, lines: &[String]) -> String {
        clean::speech(&lines.iter().map(|line| format!("- {line}\n")).collect::<String>())
    }
    fn who(&self, participant: impl AsRef<str>) -> String {
        one_line(words::who(participant.as_ref()))
    }
    fn class(&self, participant: impl AsRef<str>) -> String {
        class(self.minutes, participant.as_ref())
    }
    fn badge(&self, participant: impl AsRef<str>) -> String {
        badge(self.minutes, participant.as_ref())
    }
    fn anchor(&self, turn: &TurnId) -> String {
        anchor(*turn)
    }
    fn place(&self, round: &u32) -> String {
        one_line(&self.minutes.place(*round))
    }
    fn tone(&self) -> &'static str {
        match self.block.tone {
            Tone::Good => "good",
            Tone::Mixed => "mixed",
            Tone::Bad => "bad",
            Tone::Open => "open",
        }
    }
    fn section_class(&self, kind: &SectionKind) -> Option<&'static str> {
        match kind {
            SectionKind::Background => Some("background"),
            SectionKind::Rounds => Some("round"),
            _ => None,
        }
    }
    /// The model and its tokens.
    fn meta(&self, entry: &MinutesEntry<'_>) -> Vec<String> {
        entry.call.map(call_figures::under).unwrap_or_default().iter().map(|part| one_line(part)).collect()
    }
    /// What an answer took, as a tooltip: the table of calls has the same.
    fn took(&self, entry: &MinutesEntry<'_>) -> String {
        entry.call.and_then(call_figures::took).map_or_else(|| "times unknown".to_owned(), |took| one_line(&took))
    }
    fn folds(&self, speech: &Speech) -> bool {
        fold::folds(&speech.text)
    }
    /// Whether it has the switch for all speeches.
    fn has_switch(&self, section: &ReportSection<'_>) -> bool {
        self.switch.as_deref() == Some(section.id.as_str())
    }
    /// What was changed in the words that won, which stand first.
    fn draft(&self, at: &usize) -> Option<DraftView> {
        let answer = self.minutes.answer().filter(|answer| *at == 0 && answer.text.is_some())?;
        draft::draft(self.minutes, answer)
    }
    /// Whether the contribution of a turn has a place on the page.
    fn placed(&self, turn: &TurnId) -> bool {
        self.placed.contains(&anchor(*turn))
    }
    /// The speech that a citation is of.
    fn spoken(&self, citation: &Citation) -> Option<TurnId> {
        citation.turn.filter(|turn| self.placed(turn))
    }
    fn checked(&self, citation: &Citation) -> &'static str {
        checked(citation.verified, citation.too_short)
    }
    fn cited(&self, citation: &Citation) -> String {
        let who = citation.participant.as_ref().map_or_else(|| "nobody".to_owned(), |who| one_line(who.as_str()));
        let place = citation.turn.map(|turn| self.minutes.place(turn.round));
        format!("{who}, {}", place.as_deref().unwrap_or("no such speech"))
    }
    /// The turn of a speech by its number in the argument tree, where it has a place on the page.
    fn speech(&self, number: &u32) -> Option<TurnId> {
        let node = self.tree.nodes.iter().find(|node| node.number == *number)?;
        let turn = TurnId { round: node.round, seat: node.seat, attempt: 0 };
        self.placed(&turn).then_some(turn)
    }
    fn linked(&self, cell: &TableCell) -> Option<TurnId> {
        self.speech(&cell.speech?)
    }
    fn opens(&self, plan: &RoundPlan) -> String {
        let names: Vec<String> = plan.next_speakers.iter().map(|name| one_line(name.as_str())).collect();
        words::opens(self.minutes.admission.spec.turn_mode, &names)
    }
    fn detail(&self, entry: &MinutesEntry<'_>, failure: &Failure) -> String {
        one_line(&failure.with_remedy(entry.call))
    }
    fn then(&self, retry_at: &Option<Timestamp>) -> &'static str {
        words::then(*retry_at)
    }
    fn decided(&self, summary: &RoundSummary) -> &'static str {
        words::decided(summary.status)
    }
    fn speech_head(&self, entry: &MinutesEntry<'_>, speech: &Speech) -> String {
        crate::asides::head(&self.minutes.admission.spec, entry.turn, speech).join(", ")
    }
    fn skipped(&self, entry: &MinutesEntry<'_>, reason: &SkipReason) -> String {
        sentence(&format!("{} did not speak: {}", self.who(entry.participant), reason.label()))
    }
    /// The tree in words, as a drawing, and edge by edge.
    fn picture(&self, tree: &ArgumentTree) -> (String, String, Vec<String>) {
        let picture = TreePicture::of(self.minutes, tree);
        let edges = picture.drawn.edges.iter().map(|edge| picture.told(edge)).collect();
        (picture.described(), tree::embedded(self.minutes, &picture), edges)
    }
    fn left_out(&self, strengths: &Strengths) -> String {
        match strengths.speeches.len().saturating_sub(MOST_ROWS) {
            0 => String::new(),
            n => format!(" {} with lower strengths are left out here.", counted(n as u64, "speech", "speeches")),
        }
    }
}

impl SectionKind {
    /// Whether every page has it.
    fn always(self) -> bool {
        matches!(self, Self::Speakers | Self::Costs | Self::Settings)
    }
}

impl SpeechStrength {
    fn name(&self) -> String {
        format!("T{} {}, {}", self.number, one_line(&self.speaker), self.kind.label())
    }
    fn percent(&self) -> String {
        format!("{:.1}", self.strength * 100.0)
    }
}

/// The id of a slot's place in the transcript.
pub(super) fn anchor(turn: TurnId) -> String {
    format!("turn-{}-{}", turn.round, turn.seat)
}
/// The colours of debaters; the second half of them has marks of another shape.
const COLOURS: usize = 16;

/// The class that gives a participant its colour. Whoever has the colour of somebody else has a mark of another shape, too.
pub(super) fn class(minutes: &Minutes<'_>, participant: &str) -> String {
    match minutes.debater(participant) {
        None => "office".to_owned(),
        Some(at) if at < COLOURS => format!("s{at}"),
        Some(at) => format!("s{} again", at % COLOURS),
    }
}
