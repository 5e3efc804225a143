//! The document under the reports: what is said of a debate, section by section, before anybody draws it.
//!
//! [`sections`] folds the minutes into sections of [`ReportBlock`]s. A renderer (Markdown, the page, the terminal) says which
//! sections it has in which order, and how it draws each block; it decides nothing else. Texts in blocks are as they came:
//! whoever draws them makes them harmless.
mod about;
mod argued;
mod attacks;
mod decision;
mod facts;
mod floor;
mod ranks;
mod table;

use crate::asides::Aside;
use crate::block::ResultBlock;
use crate::html::Chart;
use crate::key::JudgeKey;
use crate::minutes::{Minutes, MinutesEntry, MinutesToolCall};
use crate::tree::ArgumentTree;
pub(crate) use about::{Office, Speaker};
use agon_core::{Call, Citation, Failure, ModeratorDecision, SkipReason, Speech, Timestamp};
pub(crate) use argued::{SpeechStrength, Strengths};
pub(crate) use attacks::AttackGrid;
pub(crate) use decision::{BallotSheet, Choosing, CountedVotes, JudgePanel, LostPosition};
pub(crate) use facts::{KeyFact, LEFT_OPEN, facts};
pub(crate) use floor::block as floor_block;
pub(crate) use ranks::RankMatrix;
pub(crate) use table::{ReportTable, TableCell};

/// What a section is about. The order in which a report has them is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SectionKind {
    /// The result in ten seconds.
    Result,
    /// Which debate this is.
    Identity,
    /// What the debaters were given: a section each.
    Background,
    Settings,
    Speakers,
    /// What was said and done: a section for each round, for what comes before and for what comes after.
    Rounds,
    Checks,
    Verdict,
    /// What each judge found, in full.
    Judgements,
    /// The same at a glance, with the objections, where one judge does not say all in the verdict.
    Judges,
    Objections,
    Dissent,
    Votes,
    Ballots,
    Charts,
    Tree,
    Analysis,
    /// The sentences of the analysis alone.
    Insights,
    Warnings,
    Failures,
    Costs,
}

/// A part of a report under one heading.
pub(crate) struct ReportSection<'m> {
    pub(crate) kind: SectionKind,
    /// Its place on a page.
    pub(crate) id: String,
    /// Empty where the blocks speak for themselves.
    pub(crate) title: String,
    pub(crate) blocks: Vec<ReportBlock<'m>>,
}

/// Something to draw.
pub(crate) enum ReportBlock<'m> {
    /// A heading inside a section.
    Heading(&'static str),
    /// A model's or an author's Markdown.
    Words(&'m str),
    /// Lines of Markdown that is safe already.
    Markdown(Vec<String>),
    /// Lines of text.
    Lines(Vec<String>),
    Table(ReportTable),
    Result(ResultBlock),
    Identity,
    /// The answer in words, where the result has others.
    Answer(&'m str),
    /// The reasons of the verdict, and whether an answer precedes them.
    Reasoning(&'m str, bool),
    Key(JudgeKey),
    Citations(Vec<&'m Citation>),
    /// How many claims of the reasoning have no citation.
    Claims(String),
    Judges(JudgePanel<'m>),
    /// Critical objections that nobody answered: which judge says so, and the objection.
    Objections(Vec<(&'m str, &'m str)>),
    /// Judges did not find the same in both orders of presentation.
    Split(JudgePanel<'m>),
    Lost(Vec<LostPosition<'m>>),
    /// Final ballots against the winner.
    Against(Vec<Choosing<'m>>),
    Ballots(BallotSheet<'m>),
    Votes(CountedVotes<'m>),
    Chart(Chart),
    Tree(ArgumentTree),
    /// Who attacked whom, how often.
    Attacks(AttackGrid),
    Insights(Vec<String>),
    Strengths(Strengths),
    Speakers(Vec<Speaker<'m>>),
    Speech(&'m MinutesEntry<'m>, &'m Speech),
    /// A decision of the moderator, and whether it is the default.
    Moderated(&'m MinutesEntry<'m>, &'m ModeratorDecision, bool),
    Aside(&'m MinutesEntry<'m>, Aside),
    /// What the bids are, and the bidders with their bids.
    Bids(&'static str, Vec<(&'m str, String)>),
    Tool(&'m MinutesToolCall<'m>),
    Measured(String),
    Failure(&'m MinutesEntry<'m>, &'m Failure, Option<Timestamp>),
    Skipped(&'m MinutesEntry<'m>, SkipReason),
    /// The settings, and beside them how the debate went.
    Settings(Vec<(&'static str, String)>, Vec<(&'static str, String)>),
    Instructions(&'m str),
    /// The whole specification as JSON.
    Specification(String),
    Warnings(Vec<String>),
    /// The tokens of all calls, in words.
    Totals(String),
    Calls(Vec<(&'m MinutesEntry<'m>, &'m Call)>),
}

/// The sections of a kind that have anything to show.
pub(crate) fn sections<'m>(minutes: &'m Minutes<'m>, kind: SectionKind) -> Vec<ReportSection<'m>> {
    let (id, title, blocks) = match kind {
        SectionKind::Background => return about::background(minutes),
        SectionKind::Rounds => return floor::rounds(minutes),
        SectionKind::Result => ("result", "", vec![ReportBlock::Result(ResultBlock::of(minutes))]),
        SectionKind::Identity => ("identity", "", vec![ReportBlock::Identity]),
        SectionKind::Settings => ("configuration", "Configuration", about::settings(minutes)),
        SectionKind::Speakers => ("speakers", "Speakers", about::speakers(minutes)),
        SectionKind::Checks => ("checks", "Checked claims", about::checks(minutes)),
        SectionKind::Warnings => ("warnings", "Warnings", about::warnings(minutes)),
        SectionKind::Failures => ("failures", "Failures", about::failures(minutes)),
        SectionKind::Costs => ("costs", "Tokens and times", about::costs(minutes)),
        SectionKind::Verdict => ("verdict", decision::verdict_title(minutes), decision::verdict(minutes)),
        SectionKind::Judgements => ("judgements", "", decision::judgements(minutes)),
        SectionKind::Judges => ("judges", "Judges", decision::judges(minutes)),
        SectionKind::Objections => {
            ("objections", "Critical objections that stand unanswered", decision::objections(minutes))
        }
        SectionKind::Dissent => ("dissent", "Dissent", decision::dissent(minutes)),
        SectionKind::Votes => ("votes", decision::votes_title(minutes), decision::votes(minutes)),
        SectionKind::Ballots => ("ballots", "Ballots", decision::ballots(minutes)),
        SectionKind::Charts => ("charts", "Round by round", Chart::all(minutes)),
        SectionKind::Tree => ("tree", "Argument tree", argued::tree(minutes)),
        SectionKind::Analysis => ("analysis", "Analysis", argued::analysis(minutes)),
        SectionKind::Insights => ("analysis", "Analysis", argued::insights(minutes)),
    };
    let section = ReportSection { kind, id: id.to_owned(), title: title.to_owned(), blocks };
    Some(section).filter(|section| !section.blocks.is_empty()).into_iter().collect()
}
