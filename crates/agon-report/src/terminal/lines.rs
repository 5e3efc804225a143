//! What is printed for good when an event has happened.
use super::decision;
use super::live::LiveView;
use super::styled::{StyledLine, TextStyle};
use crate::asides::{self, Aside};
use crate::call_figures;
use crate::document::{ReportBlock, floor_block};
use crate::feeds;
use crate::minutes::{self, Deed, MinutesEntry};
use crate::result::DebateGate;
use crate::text::{one_line, plain};
use crate::words::{self, count, duration};
use agon_core::fence::without_checks;
use agon_core::{
    Admission, Answered, Call, Event, Failure, FailureCause, Given, Halt, ModeratorDecision, PhaseName, RoundPlan,
    RoundStatus, RoundSummary, Speech, StopRule, Timestamp, TurnMode,
};

pub(super) fn of(view: &LiveView, at: Timestamp, event: &Event) -> Vec<StyledLine> {
    match minutes::entry(at, event).filter(|entry| !matches!(entry.deed, Deed::Measured { .. })) {
        Some(entry) => done(view, &entry),
        None => happened(view, event),
    }
}

/// What somebody did in its turn.
fn done(view: &LiveView, entry: &MinutesEntry<'_>) -> Vec<StyledLine> {
    match entry.deed {
        // Notes are told with `--verbose`.
        Deed::Noted(_) => Vec::new(),
        Deed::Bid(purpose, bid) => {
            let what = format!(" ({}) ", purpose.label());
            vec![said(view, entry.participant, &what, &asides::bid_of(purpose, bid))]
        }
        _ => match floor_block(entry, &|turn| view.holder(turn)) {
            Some(block) => drawn(view, &block),
            None => decision::chosen(view, entry),
        },
    }
}

fn drawn(view: &LiveView, block: &ReportBlock<'_>) -> Vec<StyledLine> {
    match block {
        ReportBlock::Speech(entry, speech) => spoke(view, entry, speech),
        ReportBlock::Moderated(_, decision, fallback) => moderated(view, decision, *fallback),
        ReportBlock::Aside(entry, aside) => self::aside(view, entry, aside),
        ReportBlock::Failure(entry, failure, retry_at) => vec![failed(view, entry, failure, *retry_at)],
        ReportBlock::Skipped(entry, reason) => {
            let why = format!(" did not speak: {}", reason.label());
            vec![named(view, entry.participant).and(TextStyle::Warn, why)]
        }
        // No other block is of one entry.
        _ => Vec::new(),
    }
}

/// What nobody did in a turn.
fn happened(view: &LiveView, event: &Event) -> Vec<StyledLine> {
    match event {
        Event::DebateAdmitted(admission) => admitted(view, admission),
        Event::Claimed { writer, epoch } if *epoch > 1 => {
            vec![note(TextStyle::Warn, format!("taken over by {writer} (epoch {epoch})"))]
        }
        // The heading of a round was printed with the moderator's decision, if there was one; notes, parts of running
        // speeches and the opening of seats are told with `--verbose`; what came out has a block of its own at the end.
        Event::Claimed { .. }
        | Event::TurnAsked(_)
        | Event::RoundOpened { .. }
        | Event::StageOpened { .. }
        | Event::SpeechHeard { .. }
        | Event::VerdictReached { .. }
        | Event::DebateEnded { .. } => Vec::new(),
        Event::ParticipantPlaced { participant, host, model, digest: _ } => {
            vec![note(TextStyle::Dim, format!("{} is played by {model} on {host}", words::who(participant.as_str())))]
        }
        Event::PhaseEntered { phase } => match phase {
            // Rounds have headings of their own; the synthesis stands in the result.
            PhaseName::Rounds | PhaseName::Synthesis => Vec::new(),
            phase => title(view.phase_name(*phase)),
        },
        Event::ToolCalled { participant, tool, .. } => {
            vec![named(view, participant.as_str()).and(TextStyle::Dim, format!(" {}", asides::tool(tool)))]
        }
        Event::RoundCompared { round, measures }
        | Event::Answered(Answered { given: Given::Measures { round, measures }, .. }) => {
            vec![note(TextStyle::Dim, format!("round {round}: {}", words::measures(measures)))]
        }
        Event::VoteTallied { rule, counts, weights, eligible, received, .. } => {
            decision::tallied(*rule, counts, weights, (*received, *eligible))
        }
        Event::GateDecided { features, eligible, cast, score, skip, reason } => {
            let (features, eligible, cast) = (*features, *eligible, *cast);
            let gate = DebateGate { features, eligible, cast, score: *score, skip: *skip, reason: *reason };
            vec![StyledLine::empty(), note(TextStyle::Dim, format!("gate: {}", words::gate(&gate)))]
        }
        Event::LoopEnded { rule: StopRule::NotContested, .. } => Vec::new(),
        Event::LoopEnded { rule, round, warning } => {
            let end = format!("the rounds end after {}: {}", count((*round).into(), "round"), rule.label());
            let warning = warning.as_ref().map(|warning| note(TextStyle::Warn, one_line(warning)));
            [StyledLine::empty(), note(TextStyle::Dim, end)].into_iter().chain(warning).collect()
        }
        Event::DebateInterrupted { reason } => {
            let halt = Halt::of(reason).as_str();
            let told = format!("the debate is {halt}: {}; agon resume continues it", words::why(reason));
            vec![StyledLine::empty(), note(TextStyle::Warn, told)]
        }
        Event::DebateResumed { by } => {
            let who = by.as_ref().map(|by| format!(" by {}", one_line(by))).unwrap_or_default();
            vec![note(TextStyle::Dim, format!("the debate is resumed{who}"))]
        }
        Event::CancelRequested { reason } => {
            vec![note(TextStyle::Warn, format!("the debate is being cancelled: {reason}"))]
        }
        // Told as what somebody did.
        Event::Answered(_) | Event::FallbackDecided { .. } | Event::TurnFailed { .. } | Event::SeatSkipped { .. } => {
            Vec::new()
        }
    }
}

/// What is told besides with `--verbose`: notes, what tools were given and gave back, seats, parts of running speeches.
pub(super) fn details(view: &LiveView, at: Timestamp, event: &Event) -> Vec<StyledLine> {
    match event {
        Event::Answered(Answered { given: Given::Note(_), .. }) => {
            let note = minutes::entry(at, event);
            let block = note.as_ref().and_then(|note| floor_block(note, &|turn| view.holder(turn)));
            block.map(|block| drawn(view, &block)).unwrap_or_default()
        }
        Event::ToolCalled { tool, .. } => {
            let line = |(name, text): (&str, String)| {
                StyledLine::indented(TextStyle::Dim, &one_line(&format!("{}: {text}", name.to_lowercase())))
            };
            asides::tool_details(tool).into_iter().map(line).collect()
        }
        Event::StageOpened { step, seats, parallel, .. } => {
            let how = if *parallel { ", all at once" } else { "" };
            vec![note(TextStyle::Dim, format!("{}: {}{how}", step.label(), count(seats.len() as u64, "seat")))]
        }
        Event::SpeechHeard { participant, text, .. } => {
            let heard = count(text.chars().count() as u64, "character");
            vec![note(TextStyle::Dim, format!("the others have heard {heard} of {participant}'s speech"))]
        }
        _ => Vec::new(),
    }
}

/// Something that is not a speech, as the reports tell it.
fn aside(view: &LiveView, entry: &MinutesEntry<'_>, aside: &Aside) -> Vec<StyledLine> {
    let title = StyledLine::of(view.style(&entry.participant.into()), &aside.title);
    let mut out = vec![StyledLine::empty(), title];
    out.extend(aside.text.as_deref().map(text).unwrap_or_default());
    let line = |(name, text): &(String, String)| {
        StyledLine::indented(TextStyle::Plain, &format!("{}: {}", one_line(name), one_line(text)))
    };
    out.extend(aside.lines.iter().map(line));
    out
}

pub(super) fn note(style: TextStyle, text: String) -> StyledLine {
    StyledLine::of(style, format!("({text})"))
}
pub(super) fn title(text: &str) -> Vec<StyledLine> {
    vec![StyledLine::empty(), StyledLine::of(TextStyle::Title, format!("== {text} =="))]
}
pub(super) fn named(view: &LiveView, who: &str) -> StyledLine {
    StyledLine::of(view.style(&who.into()), words::who(who))
}
pub(super) fn said(view: &LiveView, who: &str, verb: &str, what: &str) -> StyledLine {
    named(view, who).and(TextStyle::Dim, verb).and(TextStyle::Plain, what)
}
/// A model's text, indented so that nothing in it can stand where Agon's own lines begin.
pub(crate) fn text(text: &str) -> Vec<StyledLine> {
    without_checks(plain(text).trim()).lines().map(|line| StyledLine::indented(TextStyle::Plain, line)).collect()
}

fn admitted(view: &LiveView, admission: &Admission) -> Vec<StyledLine> {
    let mut out = vec![StyledLine::of(TextStyle::Title, &admission.spec.topic)];
    for persona in &admission.spec.personas {
        let line = StyledLine::of(view.style(&persona.name), persona.name.as_str());
        let line = match &persona.stance {
            Some(stance) => line.and(TextStyle::Plain, format!(" for {stance}")),
            None => line,
        };
        out.push(line.and(TextStyle::Dim, format!(" ({})", persona.voice.model)));
    }
    out.push(StyledLine::of(TextStyle::Dim, format!("debate {}, seed {}", admission.id, admission.seed)));
    let told = words::told_of(admission).into_iter().chain(feeds::told(admission));
    out.extend(told.map(|told| StyledLine::of(TextStyle::Dim, told)));
    out.extend(feeds::warnings(admission).into_iter().map(|warning| StyledLine::of(TextStyle::Warn, warning)));
    if let Some(source) = &admission.rejudges {
        let told = format!("the speeches are those of debate {source}; only the judgement is new");
        out.push(StyledLine::of(TextStyle::Dim, told));
    }
    out
}

fn spoke(view: &LiveView, entry: &MinutesEntry<'_>, speech: &Speech) -> Vec<StyledLine> {
    let spec = view.admission.as_ref().map(|admission| &admission.spec);
    let kind = spec.map_or_else(|| speech.kind.label().to_owned(), |spec| asides::kind(spec, entry.turn, speech));
    let mut head = named(view, entry.participant).and(TextStyle::Dim, format!(", {kind}"));
    if let Some(to) = &speech.to {
        head = head.and(TextStyle::Dim, format!(" to {to}"));
    }
    if let Some(bench) = speech.bench {
        head = head.and(TextStyle::Dim, format!(", {}", bench.title()));
    }
    let mut out = vec![StyledLine::empty(), head];
    out.extend(text(&speech.text));
    out.extend(
        asides::tail(entry, speech)
            .iter()
            .map(|(name, text)| StyledLine::indented(TextStyle::Warn, &one_line(&format!("({} {text})", lower(name))))),
    );
    out.extend(entry.call.map(figures));
    out
}

/// The words as they stand inside brackets.
fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

fn figures(call: &Call) -> StyledLine {
    StyledLine::indented(TextStyle::Dim, &one_line(&format!("[{}]", call_figures::brief(call).join(" · "))))
}

fn moderated(view: &LiveView, decision: &ModeratorDecision, fallback: bool) -> Vec<StyledLine> {
    let mut out = vec![StyledLine::empty()];
    match decision {
        ModeratorDecision::Opens(plan) => out.extend(opened(view, plan)),
        ModeratorDecision::Closes(summary) => out.extend(closed(summary)),
    }
    if fallback {
        out.push(note(
            TextStyle::Warn,
            "the moderator's own decision could not be had: this is the default".to_owned(),
        ));
    }
    out
}

fn opened(view: &LiveView, plan: &RoundPlan) -> Vec<StyledLine> {
    let names: Vec<String> = plan.next_speakers.iter().map(ToString::to_string).collect();
    let mode = view.admission.as_ref().map_or(TurnMode::RoundRobin, |admission| admission.spec.turn_mode);
    let opens = format!(" {}", words::opens(mode, &names));
    let mut out = vec![StyledLine::of(TextStyle::Office, "Moderator").and(TextStyle::Plain, opens)];
    out.extend(plan.briefing.as_deref().map(text).unwrap_or_default());
    out.extend(
        plan.new_angle
            .as_deref()
            .map(|angle| StyledLine::indented(TextStyle::Plain, &format!("New angle: {}", one_line(angle)))),
    );
    out
}

fn closed(summary: &RoundSummary) -> Vec<StyledLine> {
    let status = match summary.status {
        RoundStatus::Settled => " holds the question for settled",
        RoundStatus::Continue => " sums up, and the debate goes on",
    };
    let mut out = vec![StyledLine::of(TextStyle::Office, "Moderator").and(TextStyle::Plain, status)];
    out.extend(text(&summary.summary));
    let decided = |decision: &str| format!("{}: {}", words::decided(summary.status), one_line(decision));
    out.extend(summary.decision.as_deref().map(|decision| StyledLine::indented(TextStyle::Plain, &decided(decision))));
    out.extend(summary.vote_now.then(|| StyledLine::indented(TextStyle::Plain, "It calls the vote.")));
    out
}

/// What follows a failed try.
fn then(view: &LiveView, entry: &MinutesEntry<'_>, cause: FailureCause, retry_at: Option<Timestamp>) -> String {
    let participant = entry.participant.into();
    let role = view.admission.as_ref().and_then(|admission| admission.spec.role(&participant));
    let model = entry.call.and_then(|call| call.model.as_ref());
    let is_last = || role.is_none_or(|role| role.models().last().copied() == model);
    match retry_at.map(|retry_at| retry_at.since(entry.at)) {
        // its last model was waited for in vain: the debate is paused
        Some(_) if cause == FailureCause::ServerAway && is_last() => {
            "asked again once the debate is resumed".to_owned()
        }
        Some(0) => "asked again at once".to_owned(),
        Some(wait) => format!("asked again in {}", duration(wait)),
        None => "given up".to_owned(),
    }
}

fn failed(view: &LiveView, entry: &MinutesEntry<'_>, failure: &Failure, retry_at: Option<Timestamp>) -> StyledLine {
    let who = named(view, entry.participant);
    if let (FailureCause::BreakerOpen, Some(until)) = (failure.cause, retry_at) {
        let waits = format!(" waits until {}, for {}: ", words::time_of_day(until), duration(until.since(entry.at)));
        return who.and(TextStyle::Warn, waits).and(TextStyle::Dim, &failure.detail);
    }
    let then = then(view, entry, failure.cause, retry_at);
    let style = if retry_at.is_some() { TextStyle::Warn } else { TextStyle::Bad };
    who.and(style, format!(" failed at try {} ({}), {then}: ", entry.turn.attempt, failure.cause.as_str()))
        .and(TextStyle::Dim, failure.with_remedy(entry.call))
}
