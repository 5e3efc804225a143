//! The debate itself: who takes part, how it was set up, what it took and what went wrong.
use super::{ReportBlock, ReportSection, ReportTable, SectionKind, TableCell};
use crate::minutes::Minutes;
use crate::text::plain;
use crate::words::{self, count};
use crate::{call_figures, checks, earlier, feeds};
use agon_core::{ConsensusStrategy, Moderator, judge_id};

/// One who takes part.
pub(crate) struct Speaker<'m> {
    pub(crate) office: Office,
    /// As the log names it.
    pub(crate) name: String,
    pub(crate) stance: Option<&'m str>,
    /// Of an office, what it does.
    pub(crate) role: Option<&'m str>,
    pub(crate) model: &'m str,
}

/// As what somebody takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Office {
    Debater,
    /// The moderator or a judge.
    Chair,
    /// Nobody whom the debaters hear: the summarizer, the synthesizer.
    Service,
}

/// What the debaters were given before they began.
pub(super) fn background<'m>(minutes: &'m Minutes<'m>) -> Vec<ReportSection<'m>> {
    let spec = &minutes.admission.spec;
    let words = |text: &'m Option<String>| text.as_deref().map(ReportBlock::Words);
    let lines = |lines: Vec<String>| (!lines.is_empty()).then_some(ReportBlock::Markdown(lines));
    let parts = [
        ("context", "Context", words(&spec.context)),
        ("materials", "Materials", words(&spec.materials)),
        ("feeds", "Feeds", lines(feeds::lines(minutes.admission))),
        ("earlier", "Earlier debates", lines(earlier::lines(minutes.admission))),
    ];
    let section = |(id, title, block): (&str, &str, Option<ReportBlock<'m>>)| {
        let (kind, blocks) = (SectionKind::Background, vec![block?]);
        Some(ReportSection { kind, id: id.to_owned(), title: title.to_owned(), blocks })
    };
    parts.into_iter().filter_map(section).collect()
}

pub(super) fn speakers<'m>(minutes: &'m Minutes<'m>) -> Vec<ReportBlock<'m>> {
    let spec = &minutes.admission.spec;
    let debaters = spec.personas.iter().map(|persona| Speaker {
        office: Office::Debater,
        name: persona.name.to_string(),
        stance: persona.stance.as_deref(),
        role: persona.role.as_deref(),
        model: persona.voice.model.as_str(),
    });
    let other = |office, name: String, role, model| Speaker { office, name, stance: None, role, model };
    let moderator = spec.moderator.as_ref().map(|moderator| {
        let name = agon_core::MODERATOR.to_owned();
        other(Office::Chair, name, Some(duties(moderator)), moderator.voice.model.as_str())
    });
    let judges = spec.judge.iter().flat_map(|judge| {
        let duty = match spec.consensus_strategy {
            ConsensusStrategy::Judge | ConsensusStrategy::RankedReasons => "Reads the whole debate, then decides",
            ConsensusStrategy::Vote
            | ConsensusStrategy::MediatorSummary
            | ConsensusStrategy::AgentClosing
            | ConsensusStrategy::NoConsensus => "Reads the whole debate",
        };
        let one =
            move |index| other(Office::Chair, judge_id(index).to_string(), Some(duty), judge.model(index).as_str());
        (0..judge.panel).map(one)
    });
    let services = [
        (agon_core::SUMMARIZER, spec.summarizer.as_ref().map(|one| &one.voice)),
        (agon_core::SYNTHESIZER, spec.synthesizer.as_ref().map(|one| &one.voice)),
    ];
    let services = services
        .into_iter()
        .filter_map(|(name, voice)| Some(other(Office::Service, name.to_owned(), None, voice?.model.as_str())));
    vec![ReportBlock::Speakers(debaters.chain(moderator).chain(judges).chain(services).collect())]
}

/// What the moderator does.
fn duties(moderator: &Moderator) -> &'static str {
    match (moderator.opens || moderator.closes, moderator.concludes) {
        (true, _) => "Opens and closes rounds; decides nothing",
        (false, true) => "Sums the debate up",
        (false, false) => "Speaks between the rounds; decides nothing",
    }
}

pub(super) fn settings<'m>(minutes: &'m Minutes<'m>) -> Vec<ReportBlock<'m>> {
    let spec = &minutes.admission.spec;
    let mut course = Vec::new();
    course.extend(
        minutes
            .stopped
            .map(|(rule, round)| ("Rounds ended", format!("after {}: {}", count(round.into(), "round"), rule.label()))),
    );
    course.extend(minutes.gate.as_ref().map(|gate| ("Gate", words::gate(gate))));
    course.extend(minutes.cancel.map(|why| ("Cancelled", why.to_owned())));
    let mut blocks = vec![ReportBlock::Settings(call_figures::settings(minutes.admission), course)];
    blocks.extend(spec.instructions.as_deref().map(ReportBlock::Instructions));
    let json = serde_json::to_string_pretty(spec).map(|json| plain(&json)).unwrap_or_default();
    blocks.push(ReportBlock::Specification(json));
    blocks
}

pub(super) fn warnings<'m>(minutes: &Minutes<'_>) -> Vec<ReportBlock<'m>> {
    Some(minutes.warnings()).filter(|warnings| !warnings.is_empty()).map(ReportBlock::Warnings).into_iter().collect()
}

pub(super) fn checks<'m>(minutes: &Minutes<'_>) -> Vec<ReportBlock<'m>> {
    let rows = checks::rows(minutes).into_iter().map(|[claim, who, verifier, result, output]| {
        let [who, verifier, result] = [who, verifier, result].map(TableCell::own);
        vec![TableCell::foreign(claim), who, verifier, result, TableCell::foreign(output)]
    });
    table("The claims that were marked, and what verifiers said of them", &checks::COLUMNS, rows.collect())
}

pub(super) fn failures<'m>(minutes: &Minutes<'_>) -> Vec<ReportBlock<'m>> {
    let rows = minutes.failures().map(|(entry, failure, retry_at)| {
        vec![
            TableCell::own(entry.turn.to_string()),
            TableCell::own(words::who(entry.participant)),
            TableCell::own(failure.cause.as_str()),
            TableCell::foreign(failure.with_remedy(entry.call)),
            TableCell::own(words::then(retry_at)),
        ]
    });
    table("The tries that failed", &["Turn", "Who", "Cause", "Detail", "Then"], rows.collect())
}

/// The table; nothing where it has no rows.
fn table<'m>(label: &'static str, head: &[&'static str], rows: Vec<Vec<TableCell>>) -> Vec<ReportBlock<'m>> {
    let table = ReportTable::of(label, head, rows);
    Some(table).filter(|table| !table.rows.is_empty()).map(ReportBlock::Table).into_iter().collect()
}

pub(super) fn costs<'m>(minutes: &'m Minutes<'m>) -> Vec<ReportBlock<'m>> {
    let totals = ReportBlock::Totals(call_figures::totals(&minutes.usage()));
    let calls: Vec<_> = minutes.calls().collect();
    let calls = (!calls.is_empty()).then_some(ReportBlock::Calls(calls));
    [totals].into_iter().chain(calls).collect()
}
