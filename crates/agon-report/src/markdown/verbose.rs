//! Every call with all that is known of it.
use super::draw;
use super::escape::{code_span, inline};
use super::page::MarkdownPage;
use crate::asides;
use crate::call_figures;
use crate::minutes::{Deed, Minutes, MinutesEntry};
use crate::words::{self, clock, duration, rfc3339};
use agon_core::{Ask, Call, CallOptions, Timestamp, Timing, TurnId};

pub(super) fn write(page: &mut MarkdownPage, minutes: &Minutes<'_>) {
    let admission = minutes.admission;
    page.heading(2, "Run");
    let retry = admission.retry;
    let mut items = vec![
        format!("Admitted {}", rfc3339(minutes.admitted_at)),
        format!(
            "Tries: at most {}, first wait {}, longest wait {}, at most {} for a host",
            retry.max_attempts,
            duration(retry.base_delay_ms),
            duration(retry.max_delay_ms),
            duration(retry.wait_limit_ms)
        ),
        format!("Events in the log: {}", minutes.last.0),
    ];
    items.extend(admission.request_id.as_deref().map(|id| format!("Request id {}", inline(id))));
    items.extend(minutes.claims.iter().map(|claim| {
        format!("Coordinated by {} from {} (epoch {})", inline(claim.writer), clock(claim.at), claim.epoch)
    }));
    page.list(items);
    placements(page, minutes);
    stages(page, minutes);
    notes(page, minutes);
    tools(page, minutes);
    calls(page, minutes);
}

/// Seats, as they were opened.
fn stages(page: &mut MarkdownPage, minutes: &Minutes<'_>) {
    let rows = minutes
        .stages
        .iter()
        .map(|stage| {
            let names: Vec<&str> = stage.seats.iter().map(|seat| words::who(seat.participant.as_str())).collect();
            let how = match (stage.parallel, stage.joins) {
                (true, true) => "all at once, while others speak",
                (true, false) => "all at once",
                (false, true) => "while others speak",
                (false, false) => "one after the other",
            };
            let (round, step) = (stage.round.to_string(), stage.step.label().to_owned());
            vec![clock(stage.at), round, step, inline(&names.join(", ")), how.to_owned()]
        })
        .collect();
    page.titled_table("Steps", &["At", "Round", "Step", "Seats", "How"], rows);
}

/// What the debaters noted for themselves.
fn notes(page: &mut MarkdownPage, minutes: &Minutes<'_>) {
    let notes: Vec<&MinutesEntry<'_>> =
        minutes.entries.iter().filter(|entry| matches!(entry.deed, Deed::Noted(_))).collect();
    if !notes.is_empty() {
        page.heading(2, "Notes");
    }
    for entry in notes {
        page.block(&format!("### {} {}", entry.turn, inline(words::who(entry.participant))));
        if let Some(aside) = asides::of(entry, &|turn| minutes.speaker(turn)) {
            draw::aside(page, &aside);
        }
    }
}

/// Every use of a tool, with what it was given and gave back.
fn tools(page: &mut MarkdownPage, minutes: &Minutes<'_>) {
    if minutes.tools.is_empty() {
        return;
    }
    page.heading(2, "Tools");
    for used in &minutes.tools {
        let who = inline(words::who(used.participant));
        page.block(&format!("{} at {}, {who} {}", used.turn, clock(used.at), inline(&asides::tool(used.tool))));
        let details = asides::tool_details(used.tool);
        let shown = details.iter().map(|(name, text)| format!("{name}: {}", inline(text)));
        let items: Vec<String> =
            if used.shown { shown.collect() } else { vec!["Arguments and result: not shown".to_owned()] };
        page.list(items);
    }
}

fn placements(page: &mut MarkdownPage, minutes: &Minutes<'_>) {
    let rows = minutes
        .placements
        .iter()
        .map(|placed| {
            let digest = placed.digest.map_or_else(|| "–".to_owned(), inline);
            vec![
                clock(placed.at),
                inline(words::who(placed.participant.as_str())),
                inline(placed.host),
                inline(placed.model),
                digest,
            ]
        })
        .collect();
    page.titled_table("Placements", &["At", "Who", "Host", "Model", "Digest"], rows);
}

fn calls(page: &mut MarkdownPage, minutes: &Minutes<'_>) {
    page.heading(2, "Calls");
    for entry in &minutes.entries {
        page.block(&format!(
            "### {} {}: {}",
            entry.turn,
            inline(words::who(entry.participant)),
            call_figures::deed(minutes, entry)
        ));
        let mut items = Vec::new();
        if let Some((at, ask)) = minutes.asked(entry.turn) {
            items.extend(asked(at, ask));
        }
        items.push(format!("Recorded {}", rfc3339(entry.at)));
        if let Deed::Failed { failure, retry_at } = entry.deed {
            items.push(format!("Failed: {}: {}", failure.cause.as_str(), inline(&failure.with_remedy(entry.call))));
            items.extend(failure.retry_after_ms.map(|ms| format!("The server asked to wait {}", duration(ms))));
            items.extend(retry_at.map(|at| format!("Next try {}", rfc3339(at))));
        }
        if let Deed::Judged(judged) = entry.deed {
            items.extend(shown(minutes, entry.turn, judged.order));
        }
        items.extend(minutes.heard.iter().filter(|(_, turn, _)| *turn == entry.turn).map(|(at, _, heard)| {
            format!("At {} the others had heard {}", clock(*at), words::count(*heard as u64, "character"))
        }));
        if let Deed::Measured { round } = entry.deed {
            items.push(format!("The speeches of round {round}"));
        }
        items.extend(entry.call.map(call).unwrap_or_default());
        page.list(items);
    }
    waiting(page, minutes);
}

/// What the judge read, in its order: `1 Ada, opening statements · 2 Bruno, opening statements`.
fn shown(minutes: &Minutes<'_>, turn: TurnId, order: u32) -> Option<String> {
    let entries = minutes.numbered(turn, order);
    let parts = entries.iter().map(|shown| {
        let (name, place) = (inline(shown.participant.as_str()), inline(&minutes.place(shown.turn.round)));
        format!("{} {name}, {place}", shown.number)
    });
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| format!("Entries as the judge numbers them: {}", parts.join(" · ")))
}

/// Turns that were asked and have no result.
fn waiting(page: &mut MarkdownPage, minutes: &Minutes<'_>) {
    let answered = |ask: &Ask| minutes.entries.iter().any(|entry: &MinutesEntry<'_>| entry.turn == ask.turn);
    let open: Vec<_> = minutes.asks.values().filter(|(_, ask)| !answered(ask)).collect();
    for (at, ask) in open {
        page.block(&format!(
            "### {} {}: {}, without a result",
            ask.turn,
            inline(words::who(ask.participant.as_str())),
            call_figures::task(&ask.task.work)
        ));
        page.list(asked(*at, ask));
    }
}

fn asked(at: Timestamp, ask: &Ask) -> Vec<String> {
    let mut items = vec![
        format!("Asked {} of {}", rfc3339(at), inline(ask.model.as_str())),
        format!("Sees the log up to event {}, deadline {}", ask.sees.0, rfc3339(ask.deadline)),
    ];
    items.extend(ask.correction.as_deref().map(|why| format!("Told of the try before: {}", inline(why))));
    items
}

fn call(call: &Call) -> Vec<String> {
    let mut items = vec![call_figures::line(call).iter().map(|part| inline(part)).collect::<Vec<_>>().join(" · ")];
    items.extend(call.digest.as_deref().map(|digest| format!("Model digest {}", code_span(digest))));
    items.extend(call.prompt_hash.as_deref().map(|hash| format!("Prompt hash {}", code_span(hash))));
    items.extend(options(&call.options));
    items.extend(times(&call.timing));
    if call.rehearsal {
        items.push("Scripted by a rehearsal server".to_owned());
    }
    items
}

fn options(options: &CallOptions) -> Option<String> {
    let parts = [
        options.temperature.map(|value| format!("temperature {value}")),
        options.top_p.map(|value| format!("top_p {value}")),
        options.presence_penalty.map(|value| format!("presence_penalty {value}")),
        options.seed.map(|value| format!("seed {value}")),
        options.max_tokens.map(|value| format!("max_tokens {value}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("Options: {}", parts.join(", ")))
}

fn times(timing: &Timing) -> Option<String> {
    let named = [
        ("model server away", timing.away_ms),
        ("queue", timing.queue_ms),
        ("load", timing.load_ms),
        ("prefill", timing.prefill_ms),
        ("decode", timing.decode_ms),
        ("first byte", timing.first_byte_ms),
        ("total", timing.total_ms),
    ];
    let known: Vec<String> =
        named.into_iter().filter_map(|(name, ms)| Some(format!("{name} {}", duration(ms?)))).collect();
    (!known.is_empty()).then(|| format!("Times: {}", known.join(", ")))
}
