//! What is printed for good when an event has happened.
use super::decision;
use super::live::LiveView;
use super::styled::{Style, StyledLine};
use crate::asides;
use crate::feeds;
use crate::figures;
use crate::minutes;
use crate::text::{one_line, plain};
use crate::words::{self, count, duration};
use agon_core::fence::without_checks;
use agon_core::{
    Admission, Call, Event, Failure, FailureCause, Halt, ModelName, ModeratorDecision, ParticipantId, PhaseName,
    RoundPlan, RoundStatus, RoundSummary, Speech, Timestamp, TurnId, TurnMode,
};

pub(super) fn of(view: &LiveView, at: Timestamp, event: &Event) -> Vec<StyledLine> {
    match event {
        Event::DebateAdmitted(admission) => admitted(view, admission),
        Event::Claimed { writer, epoch } if *epoch > 1 => {
            vec![note(Style::Warn, format!("taken over by {writer} (epoch {epoch})"))]
        }
        // The heading of a round was printed with the moderator's decision, if there was one; notes, parts of running
        // speeches and the opening of seats are told with `--verbose`; what came out has a block of its own at the end.
        Event::Claimed { .. }
        | Event::TurnAsked(_)
        | Event::RoundOpened { .. }
        | Event::StageOpened { .. }
        | Event::SpeechHeard { .. }
        | Event::NoteTaken { .. }
        | Event::VerdictReached { .. }
        | Event::SynthesisRecorded { .. }
        | Event::DebateEnded { .. } => Vec::new(),
        Event::ParticipantPlaced { participant, host, model, digest: _ } => {
            vec![note(Style::Dim, format!("{} is played by {model} on {host}", words::who(participant.as_str())))]
        }
        Event::PhaseEntered { phase } => match phase {
            // Rounds have headings of their own; the synthesis stands in the result.
            PhaseName::Rounds | PhaseName::Synthesis => Vec::new(),
            phase => title(words::phase(*phase)),
        },
        Event::ToolCalled { participant, tool, .. } => {
            vec![
                StyledLine::of(view.style(participant), words::who(participant.as_str()))
                    .and(Style::Dim, format!(" {}", asides::tool(tool))),
            ]
        }
        Event::SpeechRecorded(speech) => spoke(view, speech),
        Event::ModeratorDecided { decision, fallback, .. } => moderated(view, decision, *fallback),
        Event::BidPlaced { participant, purpose, bid, .. } => vec![
            StyledLine::of(view.style(participant), words::who(participant.as_str()))
                .and(Style::Dim, format!(" ({}) ", words::purpose(*purpose)))
                .and(Style::Plain, asides::bid_of(*purpose, bid)),
        ],
        Event::PointsAnswered { .. }
        | Event::CritiqueRecorded { .. }
        | Event::ModeratorInterjected { .. }
        | Event::SpeechesScored { .. }
        | Event::ResearchBriefed { .. }
        | Event::ModeratorConcluded { .. }
        | Event::SummaryRecorded { .. }
        | Event::EnoughAsked { .. } => aside(view, at, event),
        Event::RoundMeasured { round, measures, .. } => {
            vec![note(Style::Dim, format!("round {round}: {}", words::measures(measures)))]
        }
        Event::BallotCast { .. }
        | Event::VoteCast { .. }
        | Event::DebatersScored { .. }
        | Event::JudgementRecorded { .. }
        | Event::RankingRecorded { .. }
        | Event::VoteTallied { .. } => decision::chosen(view, event),
        Event::TurnFailed { turn, participant, failure, retry_at, call } => {
            vec![failed(view, at, (*turn, call), participant, failure, *retry_at)]
        }
        Event::SeatSkipped { participant, reason, .. } => {
            vec![
                StyledLine::of(view.style(participant), words::who(participant.as_str()))
                    .and(Style::Warn, format!(" did not speak: {}", words::skip(*reason))),
            ]
        }
        Event::LoopEnded { rule, round, warning } => {
            let end = format!("the rounds end after {}: {}", count((*round).into(), "round"), words::stop(*rule));
            let warning = warning.as_ref().map(|warning| note(Style::Warn, one_line(warning)));
            [StyledLine::empty(), note(Style::Dim, end)].into_iter().chain(warning).collect()
        }
        Event::DebateInterrupted { reason } => {
            let halt = Halt::of(reason).as_str();
            let told = format!("the debate is {halt}: {}; agon resume continues it", words::why(reason));
            vec![StyledLine::empty(), note(Style::Warn, told)]
        }
        Event::DebateResumed { by } => {
            let who = by.as_ref().map(|by| format!(" by {}", one_line(by))).unwrap_or_default();
            vec![note(Style::Dim, format!("the debate is resumed{who}"))]
        }
        Event::CancelRequested { reason } => {
            vec![note(Style::Warn, format!("the debate is being cancelled: {reason}"))]
        }
    }
}

/// What is told besides with `--verbose`: notes, what tools were given and gave back, seats, parts of running speeches.
pub(super) fn details(view: &LiveView, at: Timestamp, event: &Event) -> Vec<StyledLine> {
    match event {
        Event::NoteTaken { .. } => aside(view, at, event),
        Event::ToolCalled { tool, .. } => {
            let line = |(name, text): (&str, String)| {
                StyledLine::indented(Style::Dim, &one_line(&format!("{}: {text}", name.to_lowercase())))
            };
            asides::tool_details(tool).into_iter().map(line).collect()
        }
        Event::StageOpened { step, seats, parallel, .. } => {
            let how = if *parallel { ", all at once" } else { "" };
            vec![note(Style::Dim, format!("{}: {}{how}", words::step(*step), count(seats.len() as u64, "seat")))]
        }
        Event::SpeechHeard { participant, text, .. } => {
            let heard = count(text.chars().count() as u64, "character");
            vec![note(Style::Dim, format!("the others have heard {heard} of {participant}'s speech"))]
        }
        _ => Vec::new(),
    }
}

/// Something that is not a speech, as the reports tell it.
fn aside(view: &LiveView, at: Timestamp, event: &Event) -> Vec<StyledLine> {
    let Some(entry) = minutes::entry(at, event) else { return Vec::new() };
    let Some(aside) = asides::of(&entry, &|turn| view.holder(turn)) else { return Vec::new() };
    let mut out = vec![StyledLine::empty(), StyledLine::of(view.style(&entry.participant.into()), aside.title)];
    out.extend(aside.text.as_deref().map(text).unwrap_or_default());
    let line = |(name, text): &(String, String)| {
        StyledLine::indented(Style::Plain, &format!("{}: {}", one_line(name), one_line(text)))
    };
    out.extend(aside.lines.iter().map(line));
    out
}

pub(super) fn note(style: Style, text: String) -> StyledLine {
    StyledLine::of(style, format!("({text})"))
}
pub(super) fn title(text: &str) -> Vec<StyledLine> {
    vec![StyledLine::empty(), StyledLine::of(Style::Title, format!("== {text} =="))]
}
pub(super) fn said(view: &LiveView, participant: &ParticipantId, verb: &str, what: &str) -> StyledLine {
    StyledLine::of(view.style(participant), words::who(participant.as_str()))
        .and(Style::Dim, verb)
        .and(Style::Plain, what)
}
/// A model's text, indented so that nothing in it can stand where Agon's own lines begin.
pub(crate) fn text(text: &str) -> Vec<StyledLine> {
    without_checks(plain(text).trim()).lines().map(|line| StyledLine::indented(Style::Plain, line)).collect()
}

fn admitted(view: &LiveView, admission: &Admission) -> Vec<StyledLine> {
    let mut out = vec![StyledLine::of(Style::Title, &admission.spec.topic)];
    for persona in &admission.spec.personas {
        let line = StyledLine::of(view.style(&persona.name), persona.name.as_str());
        let line = match &persona.stance {
            Some(stance) => line.and(Style::Plain, format!(" for {stance}")),
            None => line,
        };
        out.push(line.and(Style::Dim, format!(" ({})", persona.voice.model)));
    }
    out.push(StyledLine::of(Style::Dim, format!("debate {}, seed {}", admission.id, admission.seed)));
    let told = words::told_of(admission).into_iter().chain(feeds::told(admission));
    out.extend(told.map(|told| StyledLine::of(Style::Dim, told)));
    out.extend(feeds::warnings(admission).into_iter().map(|warning| StyledLine::of(Style::Warn, warning)));
    if let Some(source) = &admission.rejudges {
        let told = format!("the speeches are those of debate {source}; only the judgement is new");
        out.push(StyledLine::of(Style::Dim, told));
    }
    out
}

fn spoke(view: &LiveView, speech: &Speech) -> Vec<StyledLine> {
    let mut head = StyledLine::of(view.style(&speech.participant), words::who(speech.participant.as_str()));
    head = head.and(Style::Dim, format!(", {}", words::kind(speech.kind)));
    if let Some(to) = &speech.to {
        head = head.and(Style::Dim, format!(" to {to}"));
    }
    if let Some(bench) = speech.bench {
        head = head.and(Style::Dim, format!(", {}", bench.title()));
    }
    let mut out = vec![StyledLine::empty(), head];
    out.extend(text(&speech.text));
    out.extend(
        asides::tail(speech)
            .iter()
            .map(|(name, text)| StyledLine::indented(Style::Warn, &one_line(&format!("({} {text})", lower(name))))),
    );
    out.push(figures(&speech.call));
    out
}

/// The words as they stand inside brackets.
fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

fn figures(call: &Call) -> StyledLine {
    StyledLine::indented(Style::Dim, &one_line(&format!("[{}]", figures::brief(call).join(" · "))))
}

fn moderated(view: &LiveView, decision: &ModeratorDecision, fallback: bool) -> Vec<StyledLine> {
    let mut out = vec![StyledLine::empty()];
    match decision {
        ModeratorDecision::Opens(plan) => out.extend(opened(view, plan)),
        ModeratorDecision::Closes(summary) => out.extend(closed(summary)),
    }
    if fallback {
        out.push(note(Style::Warn, "the moderator's own decision could not be had: this is the default".to_owned()));
    }
    out
}

fn opened(view: &LiveView, plan: &RoundPlan) -> Vec<StyledLine> {
    let names: Vec<String> = plan.next_speakers.iter().map(ToString::to_string).collect();
    let mode = view.admission.as_ref().map_or(TurnMode::RoundRobin, |admission| admission.spec.turn_mode);
    let opens = format!(" {}", words::opens(mode, &names));
    let mut out = vec![StyledLine::of(Style::Office, "Moderator").and(Style::Plain, opens)];
    out.extend(plan.briefing.as_deref().map(text).unwrap_or_default());
    out.extend(
        plan.new_angle
            .as_deref()
            .map(|angle| StyledLine::indented(Style::Plain, &format!("New angle: {}", one_line(angle)))),
    );
    out
}

fn closed(summary: &RoundSummary) -> Vec<StyledLine> {
    let status = match summary.status {
        RoundStatus::Settled => " holds the question for settled",
        RoundStatus::Continue => " sums up, and the debate goes on",
    };
    let mut out = vec![StyledLine::of(Style::Office, "Moderator").and(Style::Plain, status)];
    out.extend(text(&summary.summary));
    let decided = |decision: &str| format!("{}: {}", words::decided(summary.status), one_line(decision));
    out.extend(summary.decision.as_deref().map(|decision| StyledLine::indented(Style::Plain, &decided(decision))));
    out.extend(summary.vote_now.then(|| StyledLine::indented(Style::Plain, "It calls the vote.")));
    out
}

/// What follows a failed try of a participant at a model.
fn then(
    view: &LiveView,
    at: Timestamp,
    (participant, model): (&ParticipantId, Option<&ModelName>),
    cause: FailureCause,
    retry_at: Option<Timestamp>,
) -> String {
    let role = view.admission.as_ref().and_then(|admission| admission.spec.role(participant));
    let is_last = || role.is_none_or(|role| role.models().last().copied() == model);
    match retry_at.map(|retry_at| retry_at.since(at)) {
        // its last model was waited for in vain: the debate is paused
        Some(_) if cause == FailureCause::ServerAway && is_last() => {
            "asked again once the debate is resumed".to_owned()
        }
        Some(0) => "asked again at once".to_owned(),
        Some(wait) => format!("asked again in {}", duration(wait)),
        None => "given up".to_owned(),
    }
}

fn failed(
    view: &LiveView,
    at: Timestamp,
    (turn, call): (TurnId, &Call),
    participant: &ParticipantId,
    failure: &Failure,
    retry_at: Option<Timestamp>,
) -> StyledLine {
    let who = StyledLine::of(view.style(participant), words::who(participant.as_str()));
    if let (FailureCause::BreakerOpen, Some(until)) = (failure.cause, retry_at) {
        let waits = format!(" waits until {}, for {}: ", words::time_of_day(until), duration(until.since(at)));
        return who.and(Style::Warn, waits).and(Style::Dim, &failure.detail);
    }
    let then = then(view, at, (participant, call.model.as_ref()), failure.cause, retry_at);
    let style = if retry_at.is_some() { Style::Warn } else { Style::Bad };
    who.and(style, format!(" failed at try {} ({}), {then}: ", turn.attempt, failure.cause.as_str()))
        .and(Style::Dim, failure.with_remedy(Some(call)))
}
