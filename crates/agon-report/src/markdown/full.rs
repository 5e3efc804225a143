//! The whole debate as Markdown.
use super::escape::{blocks, code_span, inline};
use super::page::Page;
use super::{analysis, decision, judges};
use crate::asides::{self, Group};
use crate::checks;
use crate::earlier;
use crate::feeds;
use crate::figures;
use crate::minutes::{Deed, Entry, Minutes};
use crate::words::{self, count, day};
use agon_core::{
    Bid, BidPurpose, DebateSpec, Failure, ModeratorDecision, ParticipantId, RoundPlan, RoundStatus, RoundSummary,
    Speech, Timestamp, judge_id,
};

pub(super) fn write(page: &mut Page, minutes: &Minutes<'_>) {
    let spec = &minutes.admission.spec;
    page.heading(1, &spec.topic);
    page.banner(minutes);
    decision::outcome(page, minutes);
    identity(page, minutes);
    for (title, text) in [("Context", &spec.context), ("Materials", &spec.materials)] {
        if let Some(text) = text {
            page.heading(2, title);
            page.speech(text);
        }
    }
    let foreign = [("Feeds", feeds::lines(minutes.admission)), ("Earlier debates", earlier::lines(minutes.admission))];
    for (title, lines) in foreign {
        if !lines.is_empty() {
            page.heading(2, title);
            page.list(&lines);
        }
    }
    configuration(page, minutes);
    speakers(page, spec);
    rounds(page, minutes);
    claims(page, minutes);
    page.heading(2, "Decision");
    decision::reasoning(page, minutes, 3);
    decision::judgements(page, minutes);
    judges::rankings(page, minutes);
    judges::objections(page, minutes, 3);
    decision::dissent(page, minutes, 3);
    decision::votes(page, minutes);
    decision::ballots(page, minutes);
    analysis::write(page, minutes);
    warnings(page, minutes);
    failures(page, minutes);
    costs(page, minutes);
}

/// Which debate this is.
pub(super) fn identity(page: &mut Page, minutes: &Minutes<'_>) {
    let mut items =
        vec![format!("Debate {}, admitted {}", code_span(minutes.admission.id.as_str()), day(minutes.admitted_at))];
    items.extend(minutes.log_head.as_deref().map(|hash| format!("Log head {}", code_span(hash))));
    page.list(&items);
}

fn configuration(page: &mut Page, minutes: &Minutes<'_>) {
    let spec = &minutes.admission.spec;
    page.heading(2, "Configuration");
    let rows = figures::settings(minutes.admission);
    page.table(
        &["Setting", "Value"],
        &rows.into_iter().map(|(name, value)| vec![name.to_owned(), inline(&value)]).collect::<Vec<_>>(),
    );
    if let Some(instructions) = &spec.instructions {
        page.block("Instructions to everybody:");
        page.quote(&blocks(instructions));
    }
}

fn speakers(page: &mut Page, spec: &DebateSpec) {
    page.heading(2, "Speakers");
    let mut items: Vec<String> = spec.personas.iter().map(persona).collect();
    items.extend(
        spec.moderator
            .as_ref()
            .map(|moderator| format!("*Moderator*, played by {}", inline(moderator.voice.model.as_str()))),
    );
    items.extend(spec.judge.iter().flat_map(|judge| {
        (0..judge.panel).map(|index| {
            let name = words::office(judge_id(index).as_str());
            format!("*{name}*, played by {}", inline(judge.model(index).as_str()))
        })
    }));
    let services = [
        ("Summarizer", spec.summarizer.as_ref().map(|one| &one.voice)),
        ("Synthesizer", spec.synthesizer.as_ref().map(|one| &one.voice)),
    ];
    items.extend(
        services
            .into_iter()
            .filter_map(|(name, voice)| Some(format!("*{name}*, played by {}", inline(voice?.model.as_str())))),
    );
    page.list(&items);
}

fn persona(persona: &agon_core::Persona) -> String {
    let stance = persona.stance.as_deref().map(|stance| format!(" for *{}*", inline(stance))).unwrap_or_default();
    let role = persona.role.as_deref().map(|role| format!(": {}", inline(role))).unwrap_or_default();
    format!("**{}**{stance}, played by {}{role}", inline(persona.name.as_str()), inline(persona.voice.model.as_str()))
}

/// What is printed inside the rounds: ballots, votes and judgements stand in sections of their own.
fn rounds(page: &mut Page, minutes: &Minutes<'_>) {
    for round in minutes.sections() {
        let notes: Vec<&Entry<'_>> =
            minutes.entries.iter().filter(|entry| entry.turn.round == round && figures::is_floor(entry)).collect();
        if notes.is_empty() && !minutes.measures.iter().any(|(of, _)| *of == round) {
            continue;
        }
        page.heading(2, &figures::section(minutes, round));
        for group in asides::groups(notes) {
            match group {
                Group::Bids(purpose, bids) => page.quote(&self::bids(purpose, &bids)),
                Group::One(entry) => self::entry(page, minutes, entry),
            }
        }
        measured(page, minutes, round);
    }
}

fn entry(page: &mut Page, minutes: &Minutes<'_>, entry: &Entry<'_>) {
    match entry.deed {
        Deed::Spoke(speech) => spoke(page, speech),
        Deed::Moderated { decision, fallback } => page.quote(&moderated(minutes, decision, fallback)),
        Deed::Failed { failure, retry_at } => {
            page.quote(&failed(&figures::asked(minutes, entry), entry, failure, retry_at))
        }
        Deed::Skipped(reason) => {
            page.quote(&format!("*{} did not speak: {}.*", inline(words::who(entry.participant)), words::skip(reason)));
        }
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
        | Deed::NotShown(_) => aside(page, minutes, entry),
        Deed::Balloted(..)
        | Deed::Voted(_)
        | Deed::ScoredDebaters(_)
        | Deed::Measured { .. }
        | Deed::Judged(_)
        | Deed::Ranked { .. }
        | Deed::Synthesised(_) => {}
    }
    for used in minutes.tools_of(entry.turn) {
        page.quote(&format!("*{} {}*", inline(words::who(used.participant)), inline(&asides::tool(used.tool))));
    }
}

/// A quotation with a title, whoever it is by.
pub(super) fn aside(page: &mut Page, minutes: &Minutes<'_>, entry: &Entry<'_>) {
    let Some(aside) = asides::of(entry, &|turn| minutes.speaker(turn)) else { return };
    let mut parts = vec![format!("**{}**", inline(&aside.title))];
    parts.extend(aside.text.as_deref().map(blocks));
    let lines = aside.lines.iter().map(|(name, text)| format!("- {}: {}", inline(name), inline(text)));
    let lines = lines.collect::<Vec<_>>().join("\n");
    parts.extend(Some(lines).filter(|lines| !lines.is_empty()));
    page.quote(&parts.join("\n\n"));
}

/// `Bids for the floor: Ada 7 of 10, to Bruno · Bruno 3 of 10`.
fn bids(purpose: BidPurpose, bids: &[(&Entry<'_>, &Bid)]) -> String {
    let bids = bids.iter().map(|(entry, bid)| {
        format!("{} {}", inline(words::who(entry.participant)), inline(&asides::bid_of(purpose, bid)))
    });
    format!("*{}:* {}", asides::bids(purpose), bids.collect::<Vec<_>>().join(" · "))
}

fn measured(page: &mut Page, minutes: &Minutes<'_>, round: u32) {
    for (_, measures) in minutes.measures.iter().filter(|(of, _)| *of == round) {
        page.quote(&format!("*Measured: {}.*", words::measures(measures)));
    }
}

fn spoke(page: &mut Page, speech: &Speech) {
    let head = inline(&asides::head(speech).join(", "));
    page.block(&format!("### {}, {head}", inline(speech.participant.as_str())));
    page.speech(&speech.text);
    let tail: Vec<String> =
        asides::tail(speech).iter().map(|(name, text)| format!("*{} {}*", inline(name), inline(text))).collect();
    page.list(&tail);
}

fn failed(asked: &str, entry: &Entry<'_>, failure: &Failure, retry_at: Option<Timestamp>) -> String {
    let then = if retry_at.is_some() { "tried again" } else { "given up" };
    format!(
        "*{} ({asked}), try {}: {}, {then}:* {}",
        inline(words::who(entry.participant)),
        entry.turn.attempt,
        failure.cause.as_str(),
        inline(&failure.with_remedy(entry.call))
    )
}

fn moderated(minutes: &Minutes<'_>, decision: &ModeratorDecision, fallback: bool) -> String {
    let body = match decision {
        ModeratorDecision::Opens(plan) => plan_text(minutes, plan),
        ModeratorDecision::Closes(summary) => summary_text(summary),
    };
    let note = if fallback { "\n\n*The moderator's own decision could not be had: this is the default.*" } else { "" };
    format!("{body}{note}")
}

fn plan_text(minutes: &Minutes<'_>, plan: &RoundPlan) -> String {
    let names: Vec<String> = plan.next_speakers.iter().map(ParticipantId::as_str).map(inline).collect();
    let mut parts = vec![format!("**Moderator** {}", words::opens(minutes.admission.spec.turn_mode, &names))];
    parts.extend(plan.briefing.as_deref().map(blocks));
    parts.extend(plan.new_angle.as_deref().map(|angle| format!("New angle: {}", inline(angle))));
    parts.extend(plan.done.then(|| "This round is the last.".to_owned()));
    parts.join("\n\n")
}

fn summary_text(summary: &RoundSummary) -> String {
    let status = match summary.status {
        RoundStatus::Settled => "holds the question for settled",
        RoundStatus::Continue => "lets the debate go on",
    };
    let mut parts = vec![format!("**Moderator** {status}"), blocks(&summary.summary)];
    let decided = |decision: &str| format!("{}: {}", words::decided(summary.status), inline(decision));
    parts.extend(summary.decision.as_deref().map(decided));
    parts.extend(summary.vote_now.then(|| "It calls the vote.".to_owned()));
    parts.join("\n\n")
}

fn claims(page: &mut Page, minutes: &Minutes<'_>) {
    let rows: Vec<Vec<String>> =
        checks::rows(minutes).iter().map(|row| row.iter().map(|cell| inline(cell)).collect()).collect();
    if !rows.is_empty() {
        page.heading(2, "Checked claims");
        page.table(&checks::COLUMNS, &rows);
    }
}

pub(super) fn warnings(page: &mut Page, minutes: &Minutes<'_>) {
    let warnings = minutes.warnings();
    if !warnings.is_empty() {
        page.heading(2, "Warnings");
        page.list(&warnings.iter().map(|warning| inline(warning)).collect::<Vec<_>>());
    }
}

fn failures(page: &mut Page, minutes: &Minutes<'_>) {
    let rows: Vec<_> = minutes
        .failures()
        .map(|(entry, failure, retry_at)| {
            let then = if retry_at.is_some() { "tried again" } else { "given up" };
            vec![
                entry.turn.to_string(),
                inline(words::who(entry.participant)),
                failure.cause.as_str().to_owned(),
                inline(&failure.with_remedy(entry.call)),
                then.to_owned(),
            ]
        })
        .collect();
    if !rows.is_empty() {
        page.heading(2, "Failures");
        page.table(&["Turn", "Who", "Cause", "Detail", "Then"], &rows);
    }
}

fn costs(page: &mut Page, minutes: &Minutes<'_>) {
    let rows: Vec<_> = minutes
        .calls()
        .map(|(entry, call)| {
            let mut cells =
                vec![entry.turn.to_string(), inline(words::who(entry.participant)), figures::deed(minutes, entry)];
            cells.extend(figures::row(call));
            cells
        })
        .collect();
    if !rows.is_empty() {
        page.heading(2, "Tokens and times");
        let usage = minutes.usage();
        page.block(&format!("{}: {}.", count(usage.calls.into(), "call"), figures::totals(&usage)));
        page.table(&["Turn", "Who", "What", "Prompt", "Cached", "Generated", "Queue", "First byte", "Total"], &rows);
        page.block("– is unknown: the backend did not report it.");
    }
}
