//! The page, filled from the document.
use super::badges::badge;
use super::draft::{self, DiffPiece, DraftView};
use super::timeline::{self, Timeline};
use super::{STYLE, STYLE_HASH, clean};
use crate::analysis::STRENGTH;
use crate::block::ResultBlock;
use crate::call_figures;
use crate::document::{
    BallotSheet, Office, ReportBlock, ReportSection, SectionKind, SpeechStrength, Strengths, TableCell, sections,
};
use crate::minutes::{Deed, Minutes, MinutesEntry};
use crate::text::{excerpt, one_line, plain, sentence};
use crate::tree::{self, ArgumentTree};
use crate::verdict::{Tone, checked};
use crate::words::{self, REHEARSAL, counted, day, rfc3339};
use agon_core::{
    Citation, Failure, ModeratorDecision, RoundPlan, RoundStatus, RoundSummary, SkipReason, Speech, Timestamp, TurnId,
};
use askama::Template;

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
    tree: ArgumentTree,
    timeline: Option<Timeline>,
}

impl<'m> ReportPage<'m> {
    pub(super) fn of(minutes: &'m Minutes<'m>) -> Self {
        Self {
            minutes,
            rehearsal: minutes.rehearsal().then_some(REHEARSAL),
            date: day(minutes.admitted_at),
            date_time: rfc3339(minutes.admitted_at),
            block: ResultBlock::of(minutes),
            slots: SLOTS.iter().map(|kinds| slot(minutes, kinds)).collect(),
            tree: ArgumentTree::of(minutes),
            timeline: timeline::of(minutes),
        }
    }
}

/// A piece of a debate's page: one element with this id, which a live page can replace by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagePart {
    /// The id of its element, unique on the page.
    pub id: String,
    /// What it is of the page.
    pub kind: PartKind,
    /// The element. Safe to be put into a page as it is: without script, style or request.
    pub html: String,
}

/// What a piece is of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Its head: question and result.
    Head,
    /// The list of its sections.
    Contents,
    /// What was said and done.
    Floor,
    /// Another section: what it came to, or what is known about it.
    About,
}

/// The page of a debate in pieces, in their order: its head, its contents, and its sections.
pub(super) fn parts(minutes: &Minutes<'_>) -> Result<Vec<PagePart>, askama::Error> {
    let page = ReportPage::of(minutes);
    let mut parts = vec![
        PagePart { id: "top".to_owned(), kind: PartKind::Head, html: HeadPart(&page).render()? },
        PagePart { id: "outline".to_owned(), kind: PartKind::Contents, html: OutlinePart(&page).render()? },
    ];
    for section in page.sections() {
        let kind = if section.kind == SectionKind::Rounds { PartKind::Floor } else { PartKind::About };
        parts.push(PagePart { id: section.id.clone(), kind, html: SectionPart { page: &page, section }.render()? });
    }
    Ok(parts)
}

#[derive(Template)]
#[template(path = "parts/head.html")]
struct HeadPart<'a, 'm>(&'a ReportPage<'m>);

#[derive(Template)]
#[template(path = "parts/outline.html")]
struct OutlinePart<'a, 'm>(&'a ReportPage<'m>);

#[derive(Template)]
#[template(path = "parts/section.html")]
struct SectionPart<'a, 'm> {
    page: &'a ReportPage<'m>,
    section: &'a ReportSection<'m>,
}

/// The templates of pieces are those of the whole page, and ask for the same.
impl<'m> std::ops::Deref for HeadPart<'_, 'm> {
    type Target = ReportPage<'m>;
    fn deref(&self) -> &Self::Target {
        self.0
    }
}
impl<'m> std::ops::Deref for OutlinePart<'_, 'm> {
    type Target = ReportPage<'m>;
    fn deref(&self) -> &Self::Target {
        self.0
    }
}
impl<'m> std::ops::Deref for SectionPart<'_, 'm> {
    type Target = ReportPage<'m>;
    fn deref(&self) -> &Self::Target {
        self.page
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
    /// The figures of a call.
    fn meta(&self, entry: &MinutesEntry<'_>) -> Vec<String> {
        entry.call.map(call_figures::line).unwrap_or_default().iter().map(|part| one_line(part)).collect()
    }
    /// What was changed in the words that won, which stand first.
    fn draft(&self, at: &usize) -> Option<DraftView> {
        let answer = self.minutes.answer().filter(|answer| *at == 0 && answer.text.is_some())?;
        draft::draft(self.minutes, answer)
    }
    /// Whether somebody spoke in the slot of a turn.
    fn spoke(&self, turn: &TurnId) -> bool {
        self.minutes.speeches().any(|(entry, _)| entry.turn.same_slot(*turn))
    }
    /// The speech that a citation is of.
    fn spoken(&self, citation: &Citation) -> Option<TurnId> {
        citation.turn.filter(|turn| self.spoke(turn))
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
        let shown = |deed: Deed<'_>| matches!(deed, Deed::Spoke(_) | Deed::Criticised { .. } | Deed::Points(..));
        let mut entries = self.minutes.entries.iter();
        entries.any(|entry| entry.turn.same_slot(turn) && shown(entry.deed)).then_some(turn)
    }
    fn linked(&self, cell: &TableCell) -> Option<TurnId> {
        self.speech(&cell.speech?)
    }
    fn moved(&self, sheet: &BallotSheet<'_>) -> String {
        let personas = &self.minutes.admission.spec.personas;
        match personas.iter().filter(|persona| sheet.moved.contains(&persona.name)).count() {
            0 => "Nobody changed their ballot.".to_owned(),
            moved => format!("{moved} of {} changed their ballot.", personas.len()),
        }
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
        let (drawn, left_out) = tree.drawn();
        let svg = tree::embedded(self.minutes, &drawn, left_out);
        (tree::described(&drawn, left_out), svg, drawn.edges.iter().map(tree::told).collect())
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
/// The class that gives a participant its colour.
pub(super) fn class(minutes: &Minutes<'_>, participant: &str) -> String {
    minutes.debater(participant).map_or_else(|| "office".to_owned(), |at| format!("s{}", at % 16))
}
