//! What is printed for good when an event has happened.
use super::live::LiveView;
use super::styled::{Style, StyledLine};
use crate::figures;
use crate::key;
use crate::text::{one_line, plain};
use crate::words::{self, count, duration};
use agon_core::{
    Admission, Call, Consensus, Event, Failure, ModeratorDecision, Outcome, ParticipantId, PhaseName, RoundPlan,
    RoundStatus, RoundSummary, Speech, SpeechKind, Timestamp, TurnId,
};

pub(super) fn of(view: &LiveView, at: Timestamp, event: &Event) -> Vec<StyledLine> {
    match event {
        Event::DebateAdmitted(admission) => admitted(view, admission),
        Event::Claimed { writer, epoch } if *epoch > 1 => {
            vec![note(Style::Warn, format!("taken over by {writer} (epoch {epoch})"))]
        }
        Event::Claimed { .. } | Event::TurnAsked(_) => Vec::new(),
        Event::ParticipantPlaced { participant, host, model, digest: _ } => {
            vec![note(Style::Dim, format!("{} is played by {model} on {host}", words::who(participant.as_str())))]
        }
        Event::PhaseEntered { phase } => match phase {
            PhaseName::Rounds => Vec::new(),
            phase => title(words::phase(*phase)),
        },
        // Its heading was printed with the moderator's decision, if there was one.
        Event::RoundOpened { .. } => Vec::new(),
        Event::SpeechRecorded(speech) => spoke(view, speech),
        Event::BallotCast { stage, participant, choice, .. } => {
            vec![said(view, participant, &format!(" {}: ", words::stage(*stage)), choice)]
        }
        Event::VoteCast { participant, choice, .. } => vec![said(view, participant, " votes for ", choice)],
        Event::ModeratorDecided { decision, fallback, .. } => moderated(decision, *fallback),
        Event::TurnFailed { turn, participant, failure, retry_at, call: _ } => {
            vec![failed(view, at, *turn, participant, failure, *retry_at)]
        }
        Event::SeatSkipped { participant, reason, .. } => {
            vec![
                StyledLine::of(view.style(participant), words::who(participant.as_str()))
                    .and(Style::Warn, format!(" did not speak: {}", words::skip(*reason))),
            ]
        }
        Event::LoopEnded { rule, round } => {
            vec![
                StyledLine::empty(),
                note(
                    Style::Dim,
                    format!("the rounds end after {}: {}", count((*round).into(), "round"), words::stop(*rule)),
                ),
            ]
        }
        Event::JudgementRecorded { order, winner, citations, .. } => {
            let winner = winner.as_deref().unwrap_or("a synthesis");
            let found = citations.iter().filter(|citation| citation.verified).count();
            let line = StyledLine::of(Style::Office, format!("Judge, order {}: ", order.saturating_add(1)))
                .and(Style::Plain, winner);
            vec![line.and(Style::Dim, format!(" ({found} of {} verified)", count(citations.len() as u64, "citation")))]
        }
        Event::VoteTallied { counts, eligible, received, .. } => {
            let votes: Vec<String> = counts.iter().map(|(name, votes)| format!("{name}: {votes}")).collect();
            let of = format!(" ({received} of {} voted)", count((*eligible).into(), "eligible voter"));
            vec![StyledLine::of(Style::Office, "Votes: ").and(Style::Plain, votes.join(", ")).and(Style::Dim, of)]
        }
        Event::VerdictReached { .. } => verdict(view, event),
        Event::CancelRequested { reason } => {
            vec![note(Style::Warn, format!("the debate is being cancelled: {reason}"))]
        }
        Event::DebateEnded { .. } => ended(view, at, event),
    }
}

fn note(style: Style, text: String) -> StyledLine {
    StyledLine::of(style, format!("({text})"))
}
pub(super) fn title(text: &str) -> Vec<StyledLine> {
    vec![StyledLine::empty(), StyledLine::of(Style::Title, format!("== {text} =="))]
}
fn said(view: &LiveView, participant: &ParticipantId, verb: &str, what: &str) -> StyledLine {
    StyledLine::of(view.style(participant), words::who(participant.as_str()))
        .and(Style::Dim, verb)
        .and(Style::Plain, what)
}
/// A model's text, indented so that nothing in it can stand where Agon's own lines begin.
fn text(text: &str) -> Vec<StyledLine> {
    plain(text).trim().lines().map(|line| StyledLine::indented(Style::Plain, line)).collect()
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
    if let Some(source) = &admission.rejudges {
        let told = format!("the speeches are those of debate {source}; only the judgement is new");
        out.push(StyledLine::of(Style::Dim, told));
    }
    out
}

fn spoke(view: &LiveView, speech: &Speech) -> Vec<StyledLine> {
    let mut head = StyledLine::of(view.style(&speech.participant), words::who(speech.participant.as_str()));
    if let Some(stance) = &speech.stance {
        head = head.and(Style::Dim, format!(" for {stance}"));
    }
    if speech.kind != SpeechKind::Argument {
        head = head.and(Style::Dim, format!(", {}", words::kind(speech.kind)));
    }
    let mut out = vec![StyledLine::empty(), head];
    out.extend(text(&speech.text));
    out.push(figures(&speech.call));
    out
}

fn figures(call: &Call) -> StyledLine {
    StyledLine::indented(Style::Dim, &one_line(&format!("[{}]", figures::brief(call).join(" · "))))
}

fn moderated(decision: &ModeratorDecision, fallback: bool) -> Vec<StyledLine> {
    let mut out = vec![StyledLine::empty()];
    match decision {
        ModeratorDecision::Opens(plan) => out.extend(opened(plan)),
        ModeratorDecision::Closes(summary) => out.extend(closed(summary)),
    }
    if fallback {
        out.push(note(Style::Warn, "the moderator's own decision could not be had: this is the default".to_owned()));
    }
    out
}

fn opened(plan: &RoundPlan) -> Vec<StyledLine> {
    let names: Vec<&str> = plan.next_speakers.iter().map(ParticipantId::as_str).collect();
    let names = if names.is_empty() { "nobody".to_owned() } else { names.join(", ") };
    let mut out = vec![StyledLine::of(Style::Office, "Moderator").and(Style::Plain, format!(" calls {names}"))];
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
    out
}

fn failed(
    view: &LiveView,
    at: Timestamp,
    turn: TurnId,
    participant: &ParticipantId,
    failure: &Failure,
    retry_at: Option<Timestamp>,
) -> StyledLine {
    let then = match retry_at.map(|retry_at| retry_at.since(at)) {
        Some(0) => "asked again at once".to_owned(),
        Some(wait) => format!("asked again in {}", duration(wait)),
        None => "given up".to_owned(),
    };
    let style = if retry_at.is_some() { Style::Warn } else { Style::Bad };
    StyledLine::of(view.style(participant), words::who(participant.as_str()))
        .and(style, format!(" failed at try {} ({}), {then}: ", turn.attempt, failure.cause.as_str()))
        .and(Style::Dim, &failure.detail)
}

fn verdict(view: &LiveView, event: &Event) -> Vec<StyledLine> {
    let Event::VerdictReached { outcome, verdict, winner, reasoning, consensus, majority, moved } = event else {
        return Vec::new();
    };
    let style = match outcome {
        Outcome::Decided => Style::Good,
        Outcome::Degraded | Outcome::Tie | Outcome::Inconclusive => Style::Warn,
    };
    let mut out = title("Result");
    let line = StyledLine::of(style, words::outcome(*outcome));
    out.push(match (winner, verdict) {
        (Some(winner), _) => line.and(Style::Plain, ": ").and(Style::Strong, winner),
        (None, Some(_)) => line.and(Style::Plain, ": ").and(Style::Strong, "a synthesis"),
        (None, None) => line,
    });
    out.extend(verdict.as_deref().map(text).unwrap_or_default());
    out.extend(
        reasoning.iter().flat_map(|reasoning| [vec![StyledLine::of(Style::Dim, "Why:")], text(reasoning)].concat()),
    );
    out.extend(reasoning.as_ref().and(view.admission.as_ref()).and_then(speakers));
    out.extend(consensus.as_ref().map(agreement));
    let names: Vec<&str> = moved.iter().map(ParticipantId::as_str).collect();
    let moved = if names.is_empty() {
        "Nobody changed their ballot.".to_owned()
    } else {
        format!("Changed their ballot: {}.", names.join(", "))
    };
    out.push(StyledLine::of(Style::Dim, format!("{} {moved}", words::majority(*majority, winner.is_some()))));
    out
}

/// Whom the judge's words mean by `Speaker A` and so on.
fn speakers(admission: &Admission) -> Option<StyledLine> {
    let labels = key::labels(admission);
    let pairs: Vec<String> = labels.iter().map(|(label, name)| format!("{label} = {name}")).collect();
    (!pairs.is_empty()).then(|| StyledLine::of(Style::Dim, format!("To the judge: {}", pairs.join(" · "))))
}

fn agreement(consensus: &Consensus) -> StyledLine {
    let contested = if consensus.contested { ", contested" } else { "" };
    let share = words::share(consensus);
    StyledLine::of(Style::Dim, format!("Consensus: {}{contested}, {share}", words::strength(consensus.strength)))
}

fn ended(view: &LiveView, at: Timestamp, event: &Event) -> Vec<StyledLine> {
    let Event::DebateEnded { state, outcome, reason, usage, missing_seats } = event else { return Vec::new() };
    let style = match (state, outcome) {
        (agon_core::DebateState::Succeeded, Some(Outcome::Decided)) => Style::Good,
        (agon_core::DebateState::Succeeded, _) => Style::Warn,
        (agon_core::DebateState::Failed | agon_core::DebateState::Cancelled, _) => Style::Bad,
    };
    let word = outcome.map_or(words::state(*state), words::outcome);
    let mut line = StyledLine::of(style, word);
    if let Some(reason) = reason {
        let detail = reason.detail.as_deref().map(|detail| format!(" ({detail})")).unwrap_or_default();
        line = line.and(Style::Plain, format!(": {}{detail}", words::reason(reason.code)));
    }
    let mut out = vec![StyledLine::empty(), line];
    for seat in missing_seats {
        out.push(note(
            Style::Warn,
            format!("missing: {} in round {} ({})", seat.participant, seat.round, seat.cause.as_str()),
        ));
    }
    let figures = format!(
        "{} in {}, {}",
        count(usage.calls.into(), "call"),
        duration(view.elapsed_ms(at)),
        figures::totals(usage)
    );
    out.push(StyledLine::of(Style::Dim, figures));
    out
}
