//! The data of the page's templates: every text plain, every piece of HTML cleaned.
use super::analysis::{self, AnalysisView};
use super::badges::badge;
use super::block::{self, BlockView, Piece};
use super::charts::{self, Chart};
use super::floor::{self, Item, Section};
use super::judges::{self, Judges};
use super::outcome::{self, Ballots, Dissent, VerdictView};
use super::timeline::{self, Timeline};
use super::votes::{self, Votes};
use super::{STYLE, STYLE_HASH, clean};
use crate::checks;
use crate::earlier;
use crate::feeds;
use crate::figures;
use crate::minutes::{Minutes, Part};
use crate::text::{one_line, plain};
use crate::tree::{self, ArgumentTree};
use crate::verdict::Tone;
use crate::words::{self, REHEARSAL, count, day, rfc3339};
use agon_core::{ConsensusStrategy, TurnId, judge_id};
use askama::Template;

/// The whole page.
#[derive(Template)]
#[template(path = "report.html")]
pub(super) struct Report {
    style: &'static str,
    style_hash: &'static str,
    rehearsal: Option<&'static str>,
    topic: String,
    date: String,
    date_time: String,
    block: BlockView,
    speakers: Vec<Speaker>,
    background: Vec<Background>,
    verdict: Option<VerdictView>,
    dissent: Option<Dissent>,
    ballots: Option<Ballots>,
    votes: Option<Votes>,
    judges: Option<Judges>,
    charts: Vec<Chart>,
    tree: Option<TreeView>,
    analysis: Option<AnalysisView>,
    checks: Vec<CheckedClaim>,
    sections: Vec<Section>,
    timeline: Option<Timeline>,
    costs: Vec<Cost>,
    totals: String,
    warnings: Vec<String>,
    settings: Vec<(&'static str, String)>,
    spec: String,
    id: String,
    version: String,
    log_head: Option<String>,
}

/// One who takes part.
pub(super) struct Speaker {
    class: String,
    initial: String,
    name: String,
    stance: Option<String>,
    role: Option<String>,
    model: String,
}

/// A row of the table of tokens and times.
pub(super) struct Cost {
    class: String,
    turn: String,
    href: Option<String>,
    who: String,
    what: String,
    failed: bool,
    figures: [String; 6],
}

impl Report {
    pub(super) fn of(minutes: &Minutes<'_>) -> Self {
        let admission = minutes.admission;
        let argued = ArgumentTree::of(minutes);
        Self {
            style: STYLE,
            style_hash: STYLE_HASH,
            rehearsal: minutes.rehearsal().then_some(REHEARSAL),
            topic: one_line(&admission.spec.topic),
            date: day(minutes.admitted_at),
            date_time: rfc3339(minutes.admitted_at),
            block: block::block(minutes),
            speakers: speakers(minutes),
            background: background(minutes),
            verdict: outcome::verdict(minutes),
            dissent: outcome::dissent(minutes),
            ballots: outcome::ballots(minutes),
            votes: votes::votes(minutes),
            judges: judges::judges(minutes),
            charts: charts::of(minutes),
            tree: tree(minutes, &argued),
            analysis: analysis::of(minutes, &argued),
            checks: checks::rows(minutes).into_iter().map(checked).collect(),
            sections: floor::sections(minutes),
            timeline: timeline::of(minutes),
            costs: costs(minutes),
            totals: figures::totals(&minutes.usage()),
            warnings: minutes.warnings().iter().map(|warning| one_line(warning)).collect(),
            settings: settings(minutes),
            spec: serde_json::to_string_pretty(&admission.spec).map(|json| plain(&json)).unwrap_or_default(),
            id: admission.id.to_string(),
            version: one_line(&admission.agon_version),
            log_head: minutes.log_head.as_deref().map(one_line),
        }
    }
}

/// A claim that a speech marks, and what a verifier said of it.
pub(super) struct CheckedClaim {
    claim: String,
    who: String,
    verifier: String,
    result: String,
    output: String,
}

fn checked(row: [String; 5]) -> CheckedClaim {
    let [claim, who, verifier, result, output] = row.map(|cell| one_line(&cell));
    CheckedClaim { claim, who, verifier, result, output }
}

/// The argument tree: a picture, and the same in words.
pub(super) struct TreeView {
    note: String,
    /// Safe as it is.
    svg: String,
    edges: Vec<String>,
}

fn tree(minutes: &Minutes<'_>, tree: &ArgumentTree) -> Option<TreeView> {
    let svg = tree::embedded(minutes, tree)?;
    let (drawn, left_out) = tree.drawn();
    Some(TreeView { note: tree::described(&drawn, left_out), svg, edges: drawn.edges.iter().map(tree::told).collect() })
}

/// The id of a slot's place in the transcript.
pub(super) fn anchor(turn: TurnId) -> String {
    format!("turn-{}-{}", turn.round, turn.seat)
}
/// The class that gives a participant its colour.
pub(super) fn class(minutes: &Minutes<'_>, participant: &str) -> String {
    match minutes.part(participant) {
        Part::Debater(n) => format!("s{}", n % 16),
        Part::Moderator | Part::Judge | Part::Unknown => "office".to_owned(),
    }
}

pub(super) fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "good",
        Tone::Mixed => "mixed",
        Tone::Bad => "bad",
        Tone::Open => "open",
    }
}

fn speakers(minutes: &Minutes<'_>) -> Vec<Speaker> {
    let spec = &minutes.admission.spec;
    let debaters = spec.personas.iter().map(|persona| Speaker {
        class: class(minutes, persona.name.as_str()),
        initial: badge(minutes, persona.name.as_str()),
        name: one_line(persona.name.as_str()),
        stance: persona.stance.as_deref().map(one_line),
        role: persona.role.as_deref().map(one_line),
        model: one_line(persona.voice.model.as_str()),
    });
    let office = |name: &str, role: &str, voice: &agon_core::Voice| Speaker {
        class: "office".to_owned(),
        initial: badge(minutes, name),
        name: name.to_owned(),
        stance: None,
        role: Some(role.to_owned()),
        model: one_line(voice.model.as_str()),
    };
    let moderator = spec.moderator.as_ref().map(|moderator| office("Moderator", duties(moderator), &moderator.voice));
    let judges = spec.judge.iter().flat_map(|judge| {
        let duty = match spec.consensus_strategy {
            ConsensusStrategy::Judge | ConsensusStrategy::RankedReasons => "Reads the whole debate, then decides",
            ConsensusStrategy::Vote
            | ConsensusStrategy::MediatorSummary
            | ConsensusStrategy::AgentClosing
            | ConsensusStrategy::NoConsensus => "Reads the whole debate",
        };
        (0..judge.panel).map(move |index| {
            let name = words::office(judge_id(index).as_str());
            Speaker { model: one_line(judge.model(index).as_str()), ..office(name, duty, &judge.voice) }
        })
    });
    debaters.chain(moderator).chain(judges).collect()
}

/// What the moderator does.
fn duties(moderator: &agon_core::Moderator) -> &'static str {
    match (moderator.opens || moderator.closes, moderator.concludes) {
        (true, _) => "Opens and closes rounds; decides nothing",
        (false, true) => "Sums the debate up",
        (false, false) => "Speaks between the rounds; decides nothing",
    }
}

/// What the debaters were given before they began.
pub(super) struct Background {
    id: &'static str,
    title: &'static str,
    /// Safe as it is.
    html: String,
}

fn background(minutes: &Minutes<'_>) -> Vec<Background> {
    let spec = &minutes.admission.spec;
    let list = |lines: Vec<String>| {
        let lines: String = lines.iter().map(|line| format!("- {line}\n")).collect();
        Some(lines).filter(|lines| !lines.is_empty())
    };
    let parts = [
        ("context", "Context", spec.context.clone()),
        ("materials", "Materials", spec.materials.clone()),
        ("feeds", "Feeds", list(feeds::lines(minutes.admission))),
        ("earlier", "Earlier debates", list(earlier::lines(minutes.admission))),
    ];
    let shown = parts.into_iter().filter_map(|(id, title, text)| {
        let html = clean::speech(&text?);
        Some(Background { id, title, html })
    });
    shown.collect()
}

fn costs(minutes: &Minutes<'_>) -> Vec<Cost> {
    let spoke = |turn: TurnId| minutes.speeches().any(|(entry, _)| entry.turn.same_slot(turn));
    minutes
        .calls()
        .map(|(entry, call)| Cost {
            class: class(minutes, entry.participant),
            turn: entry.turn.to_string(),
            href: spoke(entry.turn).then(|| anchor(entry.turn)),
            who: one_line(words::who(entry.participant)),
            what: figures::deed(minutes, entry),
            failed: matches!(entry.deed, crate::minutes::Deed::Failed { .. }),
            figures: figures::row(call),
        })
        .collect()
}

fn settings(minutes: &Minutes<'_>) -> Vec<(&'static str, String)> {
    let mut rows = figures::settings(minutes.admission);
    rows.extend(minutes.stopped.map(|(rule, round)| {
        ("Rounds ended", format!("after {}: {}", count(round.into(), "round"), words::stop(rule)))
    }));
    rows.extend(minutes.cancel.map(|why| ("Cancelled", why.to_owned())));
    rows.into_iter().map(|(name, value)| (name, one_line(&value))).collect()
}
