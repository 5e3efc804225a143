//! Blocks as Markdown.
use super::choices::{ballots, votes};
use super::escape::{blocks, code_span, inline};
use super::page::MarkdownPage;
use crate::analysis::STRENGTH;
use crate::asides::{self, Aside};
use crate::block::ResultBlock;
use crate::call_figures;
use crate::document::{
    Choosing, JudgePanel, LostPosition, Office, ReportBlock, ReportTable, SectionKind, Speaker, sections as document,
};
use crate::key::JudgeKey;
use crate::minutes::{Minutes, MinutesEntry};
use crate::text::{excerpt, plain, sentence};
use crate::verdict::{checked, verified};
use crate::words::{self, count, day};
use agon_core::{Call, Citation, Failure, ModeratorDecision, ParticipantId, RoundPlan, RoundStatus, Timestamp};

/// Rows of an open-ended table at most.
const MOST_ROWS: usize = 8;

/// Draws sections of these kinds, with headings of these levels.
pub(super) fn sections<'m>(page: &mut MarkdownPage, minutes: &'m Minutes<'m>, kinds: &[(SectionKind, usize)]) {
    for (kind, level) in kinds {
        for section in document(minutes, *kind) {
            // Sums of no call tell nothing.
            if let [ReportBlock::Totals(_)] = section.blocks.as_slice() {
                continue;
            }
            if !section.title.is_empty() {
                page.heading(*level, &section.title);
            }
            section.blocks.iter().for_each(|one| block(page, minutes, one));
        }
    }
}

fn block(page: &mut MarkdownPage, minutes: &Minutes<'_>, block: &ReportBlock<'_>) {
    match block {
        ReportBlock::Heading(title) => page.heading(3, title),
        ReportBlock::Words(text) | ReportBlock::Answer(text) => page.speech(text),
        ReportBlock::Reasoning(text, titled) => {
            if *titled {
                page.block("**Reasoning**");
            }
            page.speech(text);
        }
        ReportBlock::Markdown(lines) => page.list(lines.iter().cloned()),
        ReportBlock::Lines(lines) | ReportBlock::Warnings(lines) => page.list(lines.iter().map(|line| inline(line))),
        ReportBlock::Table(table) => self::table(page, table),
        ReportBlock::Result(result) => self::result(page, result),
        ReportBlock::Identity => identity(page, minutes),
        ReportBlock::Key(key) => page.block(&key_line(minutes, key)),
        ReportBlock::Citations(citations) => {
            let all = count(citations.len() as u64, "quotation");
            page.block(&format!("**Quotations** ({} of {all} verified)", verified(citations)));
            page.list(citations.iter().map(|one| citation(one)));
        }
        ReportBlock::Claims(claims) => page.block(&format!("**Claims of the reasoning:** {claims}")),
        ReportBlock::Judges(panel) => judges(page, minutes, panel),
        ReportBlock::Objections(objections) => {
            let line = |(who, text): &(&str, &str)| format!("{}: {}", inline(words::who(who)), inline(text));
            page.list(objections.iter().map(line));
        }
        ReportBlock::Split(panel) => split(page, minutes, panel),
        ReportBlock::Lost(positions) => page.list(positions.iter().map(lost)),
        ReportBlock::Against(ballots) => page.list(ballots.iter().map(against)),
        ReportBlock::Ballots(sheet) => ballots(page, sheet),
        ReportBlock::Votes(counted) => votes(page, minutes, counted),
        ReportBlock::Insights(insights) => {
            page.list(insights.iter().map(|line| inline(line)));
            page.block("Derived from the log alone; no model was asked. T7 is the speech with this number in the transcript; – is unknown.");
        }
        ReportBlock::Strengths(_) => page.block(STRENGTH),
        ReportBlock::Speakers(speakers) => page.list(speakers.iter().map(speaker)),
        ReportBlock::Speech(entry, speech) => {
            let head = inline(&asides::head(&minutes.admission.spec, entry.turn, speech).join(", "));
            page.block(&format!("### {}, {head}", inline(entry.participant)));
            page.speech(&speech.text);
            let tail = asides::tail(entry, speech);
            page.list(tail.iter().map(|(name, text)| format!("*{} {}*", inline(name), inline(text))));
        }
        ReportBlock::Moderated(_, decision, fallback) => page.quote(&moderated(minutes, decision, *fallback)),
        ReportBlock::Aside(_, aside) => self::aside(page, aside),
        ReportBlock::Bids(what, bids) => {
            let bids = bids.iter().map(|(who, bid)| format!("{} {}", inline(who), inline(bid)));
            page.quote(&format!("*{what}:* {}", bids.collect::<Vec<_>>().join(" · ")));
        }
        ReportBlock::Tool(used) => {
            page.quote(&format!("*{} {}*", inline(words::who(used.participant)), inline(&asides::tool(used.tool))));
        }
        ReportBlock::Measured(measures) => page.quote(&format!("*Measured: {measures}.*")),
        ReportBlock::Failure(entry, failure, retry_at) => page.quote(&failed(minutes, entry, failure, *retry_at)),
        ReportBlock::Skipped(entry, reason) => {
            let who = inline(words::who(entry.participant));
            page.quote(&format!("*{who} did not speak: {}.*", reason.label()));
        }
        ReportBlock::Settings(settings, _) => {
            let row = |(name, value): &(&str, String)| vec![(*name).to_owned(), inline(value)];
            page.table(&["Setting", "Value"], settings.iter().map(row));
        }
        ReportBlock::Instructions(text) => {
            page.block("Instructions to everybody:");
            page.quote(&blocks(text));
        }
        ReportBlock::Totals(totals) => {
            page.block(&format!("{}: {totals}.", count(minutes.usage().calls.into(), "call")));
        }
        ReportBlock::Calls(calls) => self::calls(page, minutes, calls),
        // Pictures, and what the file itself says, are for the page.
        ReportBlock::Chart(_) | ReportBlock::Tree(_) | ReportBlock::Attacks(_) | ReportBlock::Specification(_) => {}
    }
}

pub(super) fn table(page: &mut MarkdownPage, table: &ReportTable) {
    let row = |cells: &Vec<_>| cells.iter().map(|cell: &crate::document::TableCell| inline(&cell.text)).collect();
    page.table(&table.head, table.shown(MOST_ROWS).iter().map(row));
    if let Some(note) = table.noted(MOST_ROWS) {
        page.block(&inline(&note));
    }
}

fn result(page: &mut MarkdownPage, result: &ResultBlock) {
    page.block(&format!("**{}:** {}", result.badge, inline(&result.headline)));
    for text in &result.texts {
        page.block(&format!("*{}:*", inline(&text.title)));
        match text.is_json {
            true => page.code("json", &plain(&text.text)),
            false => page.quote(&blocks(&text.text)),
        }
    }
    let row = |label: &str, value: &str| format!("**{label}:** {}", inline(value));
    let facts = result.facts.iter().map(|fact| {
        let lines: Vec<&str> = fact.lines.iter().map(|line| line.text.as_str()).collect();
        row(fact.label, &lines.join("; "))
    });
    page.list(facts.chain(result.reported().map(|(label, value)| row(label, value))));
}

/// Which debate this is.
fn identity(page: &mut MarkdownPage, minutes: &Minutes<'_>) {
    let id = code_span(minutes.admission.id.as_str());
    let mut items = vec![format!("Debate {id}, admitted {}", day(minutes.admitted_at))];
    items.extend(minutes.log_head.as_deref().map(|hash| format!("Log head {}", code_span(hash))));
    page.list(items);
}

fn speaker(speaker: &Speaker<'_>) -> String {
    let model = inline(speaker.model);
    match speaker.office {
        Office::Debater => {
            let stance = speaker.stance.map(|stance| format!(" for *{}*", inline(stance))).unwrap_or_default();
            let role = speaker.role.map(|role| format!(": {}", inline(role))).unwrap_or_default();
            format!("**{}**{stance}, played by {model}{role}", inline(&speaker.name))
        }
        Office::Chair | Office::Service => format!("*{}*, played by {model}", words::who(&speaker.name)),
    }
}

/// What the labels stand for, and the entries that a judge's words name: `Speaker A = Ada · entry 2: Bruno, round 1`.
fn key_line(minutes: &Minutes<'_>, key: &JudgeKey) -> String {
    let labels = key.labels.iter().map(|(label, name)| format!("{} = {}", inline(label), inline(name.as_str())));
    let entries = key.entries.iter().map(|named| {
        let (name, place) = (inline(named.participant.as_str()), inline(&minutes.place(named.turn.round)));
        format!("entry {}: {name}, {place}", named.number)
    });
    format!("*Key to the judge's view: {}*", labels.chain(entries).collect::<Vec<_>>().join(" · "))
}

fn citation(citation: &Citation) -> String {
    let place = match (&citation.participant, citation.turn) {
        (Some(speaker), Some(turn)) => format!("{}, {turn}", inline(speaker.as_str())),
        (None, Some(turn)) => turn.to_string(),
        (_, None) => "no such speech".to_owned(),
    };
    let check = checked(citation.verified, citation.too_short);
    let check = if citation.verified { check.to_owned() } else { format!("**{check}**") };
    format!("“{}” ({place}; {check})", inline(&citation.quote))
}

/// Each judgement in full, and each ranking with its reasons.
fn judges(page: &mut MarkdownPage, minutes: &Minutes<'_>, panel: &JudgePanel<'_>) {
    for reading in &panel.readings {
        let (judged, checked) = &reading.found;
        let (who, winner) = (inline(words::who(reading.entry.participant)), inline(judged.found()));
        page.block(&format!("**{who}, order {}: {winner}** ({checked})", reading.order));
        let key = reading.key.as_ref().map(|key| key_line(minutes, key));
        let said = [blocks(judged.verdict), blocks(judged.reasoning)].into_iter().chain(key);
        page.quote(&said.collect::<Vec<_>>().join("\n\n"));
    }
    for ranking in &panel.rankings {
        let who = inline(words::who(ranking.entry.participant));
        page.block(&format!("**{who}, order {}: ranking**", ranking.order));
        let rows = (1..)
            .zip(ranking.found)
            .map(|(place, one): (u32, _)| vec![place.to_string(), inline(&one.candidate), inline(&one.reason)]);
        page.table(&["Place", "Candidate", "Why"], rows);
        if let Some(key) = &ranking.key {
            page.block(&key_line(minutes, key));
        }
    }
}

fn split(page: &mut MarkdownPage, minutes: &Minutes<'_>, panel: &JudgePanel<'_>) {
    page.block("A judge did not name the same winner for both orders of presentation:");
    let readings = panel.readings.iter().map(|reading| {
        let (judged, checked) = &reading.found;
        let key = reading.key.as_ref().map(|key| format!(" ({})", key_line(minutes, key))).unwrap_or_default();
        let (winner, reasoning) = (inline(judged.found()), inline(&excerpt(judged.reasoning, 400)));
        format!("{}, order {}: **{winner}** ({checked}). {reasoning}{key}", reading.judge(), reading.order)
    });
    page.list(readings);
    let rankings = panel.rankings.iter().map(|ranking| {
        let first = ranking.found.first().map_or("nobody", |first| &first.candidate);
        format!("{}, order {}: **{}** first.", ranking.judge(), ranking.order, inline(first))
    });
    page.list(rankings);
}

fn lost(lost: &LostPosition<'_>) -> String {
    let last = lost.last.map(|(entry, speech)| {
        format!(" Last word, by {}: “{}”", inline(words::who(entry.participant)), inline(&excerpt(&speech.text, 280)))
    });
    format!("{}{}", sentence(&format!("Did not win: **{}**", inline(lost.position))), last.unwrap_or_default())
}

fn against(ballot: &Choosing<'_>) -> String {
    let (who, choice) = (inline(words::who(ballot.entry.participant)), inline(ballot.choice.choice));
    let reasons = inline(&ballot.reasons());
    let colon = if reasons.is_empty() { "" } else { ": " };
    format!("{who} still holds **{choice}** in the final ballot{colon}{reasons}")
}

fn moderated(minutes: &Minutes<'_>, decision: &ModeratorDecision, fallback: bool) -> String {
    let mut parts = match decision {
        ModeratorDecision::Opens(plan) => opened(minutes, plan),
        ModeratorDecision::Closes(summary) => {
            let status = match summary.status {
                RoundStatus::Settled => "holds the question for settled",
                RoundStatus::Continue => "lets the debate go on",
            };
            let mut parts = vec![format!("**Moderator** {status}"), blocks(&summary.summary)];
            let decided = |decision: &str| format!("{}: {}", words::decided(summary.status), inline(decision));
            parts.extend(summary.decision.as_deref().map(decided));
            parts.extend(summary.vote_now.then(|| "It calls the vote.".to_owned()));
            parts
        }
    };
    parts.extend(fallback.then(|| "*The moderator's own decision could not be had: this is the default.*".to_owned()));
    parts.join("\n\n")
}

fn opened(minutes: &Minutes<'_>, plan: &RoundPlan) -> Vec<String> {
    let names: Vec<String> = plan.next_speakers.iter().map(ParticipantId::as_str).map(inline).collect();
    let mut parts = vec![format!("**Moderator** {}", words::opens(minutes.admission.spec.turn_mode, &names))];
    parts.extend(plan.briefing.as_deref().map(blocks));
    parts.extend(plan.new_angle.as_deref().map(|angle| format!("New angle: {}", inline(angle))));
    parts.extend(plan.done.then(|| "This round is the last.".to_owned()));
    parts
}

/// A quotation with a title, whoever it is by.
pub(super) fn aside(page: &mut MarkdownPage, aside: &Aside) {
    let mut parts = vec![format!("**{}**", inline(&aside.title))];
    parts.extend(aside.text.as_deref().map(blocks));
    let lines = aside.lines.iter().map(|(name, text)| format!("- {}: {}", inline(name), inline(text)));
    let lines = lines.collect::<Vec<_>>().join("\n");
    parts.extend(Some(lines).filter(|lines| !lines.is_empty()));
    page.quote(&parts.join("\n\n"));
}

fn failed(minutes: &Minutes<'_>, entry: &MinutesEntry<'_>, failure: &Failure, retry_at: Option<Timestamp>) -> String {
    let (who, asked) = (inline(words::who(entry.participant)), call_figures::asked(minutes, entry));
    let (cause, then) = (failure.cause.as_str(), words::then(retry_at));
    let detail = inline(&failure.with_remedy(entry.call));
    format!("*{who} ({asked}), try {}: {cause}, {then}:* {detail}", entry.turn.attempt)
}

fn calls(page: &mut MarkdownPage, minutes: &Minutes<'_>, calls: &[(&MinutesEntry<'_>, &Call)]) {
    let row = |(entry, call): &(&MinutesEntry<'_>, &Call)| {
        let who = inline(words::who(entry.participant));
        let cells = [entry.turn.to_string(), who, call_figures::deed(minutes, entry)];
        cells.into_iter().chain(call_figures::row(call)).collect()
    };
    let head = ["Turn", "Who", "What", "Prompt", "Cached", "Generated", "Queue", "First byte", "Total"];
    page.table(&head, calls.iter().map(row));
    page.block("– is unknown: the backend did not report it.");
}
