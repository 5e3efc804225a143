//! Markdown: the whole debate, its summary, and the whole debate with every call.
mod choices;
mod draw;
pub(crate) mod escape;
mod page;
mod verbose;

use crate::document::SectionKind;
use crate::minutes::Minutes;
use page::MarkdownPage;

/// The whole debate up to its decision: the sections, and the level of their headings.
const DEBATE: [(SectionKind, usize); 7] = [
    (SectionKind::Result, 2),
    (SectionKind::Identity, 2),
    (SectionKind::Background, 2),
    (SectionKind::Settings, 2),
    (SectionKind::Speakers, 2),
    (SectionKind::Rounds, 2),
    (SectionKind::Checks, 2),
];
/// The decision and what follows it.
const DECISION: [(SectionKind, usize); 10] = [
    (SectionKind::Verdict, 3),
    (SectionKind::Judgements, 3),
    (SectionKind::Objections, 3),
    (SectionKind::Dissent, 3),
    (SectionKind::Votes, 2),
    (SectionKind::Ballots, 2),
    (SectionKind::Analysis, 2),
    (SectionKind::Warnings, 2),
    (SectionKind::Failures, 2),
    (SectionKind::Costs, 2),
];
const SUMMARY: [(SectionKind, usize); 7] = [
    (SectionKind::Result, 2),
    (SectionKind::Verdict, 2),
    (SectionKind::Objections, 2),
    (SectionKind::Dissent, 2),
    (SectionKind::Insights, 2),
    (SectionKind::Warnings, 2),
    (SectionKind::Identity, 2),
];

/// The whole debate: topic, configuration, speakers, rounds, decision, ballots, failures, tokens and times.
pub fn full_markdown(minutes: &Minutes<'_>) -> String {
    full(minutes).finish()
}

/// One screen: what came out, why, who disagrees, and what it cost.
pub fn summary_only(minutes: &Minutes<'_>) -> String {
    let mut page = MarkdownPage::of(minutes);
    draw::sections(&mut page, minutes, &SUMMARY);
    page.finish()
}

/// [`full_markdown`] with placements, takeovers, and every ask and call with all that is known of it.
pub fn verbose(minutes: &Minutes<'_>) -> String {
    let mut page = full(minutes);
    verbose::write(&mut page, minutes);
    page.finish()
}

fn full(minutes: &Minutes<'_>) -> MarkdownPage {
    let mut page = MarkdownPage::of(minutes);
    draw::sections(&mut page, minutes, &DEBATE);
    page.heading(2, "Decision");
    draw::sections(&mut page, minutes, &DECISION);
    page
}
