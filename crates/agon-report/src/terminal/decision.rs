//! What is printed of ballots, votes, judgements and the result.
use super::lines::{note, said, text, title};
use super::live::LiveView;
use super::styled::{Style, StyledLine};
use crate::figures;
use crate::key;
use crate::text::{excerpt, one_line};
use crate::words::{self, count, duration};
use agon_core::{
    Admission, Ballots, Consensus, Event, Outcome, ParticipantId, Ranked, Reason, Synthesis, Timestamp, VoteRule,
    VoterWeight,
};

/// What somebody chose, judged or counted.
pub(super) fn chosen(view: &LiveView, event: &Event) -> Vec<StyledLine> {
    match event {
        Event::BallotCast { stage, participant, choice, .. } => {
            vec![said(view, participant, &format!(" {}: ", words::stage(*stage)), choice)]
        }
        Event::VoteCast { participant, choice, choices, .. } => match choices.as_slice() {
            [] => vec![said(view, participant, " votes for ", choice)],
            choices => vec![said(view, participant, " votes for ", &choices.join(", "))],
        },
        Event::DebatersScored { participant, scores, .. } => scores
            .iter()
            .map(|score| said(view, participant, &format!(" scores {}: ", score.debater), &words::score(&score.score)))
            .collect(),
        Event::JudgementRecorded { judge, order, winner, citations, open_objections, .. } => {
            let winner = winner.as_deref().unwrap_or("a synthesis");
            let line = StyledLine::of(Style::Office, office(judge, *order)).and(Style::Plain, winner);
            let mut out = vec![line.and(Style::Dim, format!(" ({})", words::checked(citations)))];
            out.extend(open_objections.iter().map(|objection| {
                StyledLine::indented(Style::Warn, &format!("stands unanswered: {}", excerpt(objection, 200)))
            }));
            out
        }
        Event::RankingRecorded { judge, order, ranking, .. } => ranked(judge, *order, ranking),
        Event::VoteTallied { rule, counts, weights, eligible, received, .. } => {
            tallied(*rule, counts, weights, (*received, *eligible))
        }
        _ => Vec::new(),
    }
}

fn office(judge: &ParticipantId, order: u32) -> String {
    format!("{}, order {}: ", words::who(judge.as_str()), order.saturating_add(1))
}

fn ranked(judge: &ParticipantId, order: u32, ranking: &[Ranked]) -> Vec<StyledLine> {
    let names: Vec<String> =
        (1..).zip(ranking).map(|(place, ranked): (u32, _)| format!("{place}. {}", ranked.candidate)).collect();
    let mut out = vec![StyledLine::of(Style::Office, office(judge, order)).and(Style::Plain, names.join(", "))];
    out.extend(ranking.first().map(|first| StyledLine::indented(Style::Dim, &excerpt(&first.reason, 280))));
    out
}

fn tallied(
    rule: Option<VoteRule>,
    counts: &[(String, u32)],
    weights: &[VoterWeight],
    (received, eligible): (u32, u32),
) -> Vec<StyledLine> {
    let plain_votes = rule.is_some_and(|rule| rule.form() == agon_core::BallotForm::Single && weights.is_empty());
    let got = |n: u32| if plain_votes { n.to_string() } else { words::got(rule, n) };
    let votes: Vec<String> = counts.iter().map(|(name, n)| format!("{name}: {}", got(*n))).collect();
    let (title, one) = if rule.is_some() { ("Votes: ", "eligible vote") } else { ("Rankings: ", "ranking") };
    let of = format!(" ({received} of {} came)", count(eligible.into(), one));
    let mut out = vec![StyledLine::of(Style::Office, title).and(Style::Plain, votes.join(", ")).and(Style::Dim, of)];
    out.extend(weights.iter().map(|weight| {
        StyledLine::indented(Style::Dim, &one_line(&format!("weight of {}: {}", weight.voter, words::weight(weight))))
    }));
    out
}

/// The result as the author wants it.
pub(super) fn synthesis(synthesis: &Synthesis) -> Vec<StyledLine> {
    let output = synthesis.output.as_deref().map(words::pretty);
    let mut out = vec![StyledLine::of(Style::Office, "Synthesis")];
    out.extend(text(output.as_deref().unwrap_or(&synthesis.text)));
    out.extend(
        synthesis.problems.iter().map(|problem| {
            StyledLine::indented(Style::Warn, &format!("does not fit the schema: {}", one_line(problem)))
        }),
    );
    out
}

fn because(reason: &Reason) -> StyledLine {
    StyledLine::of(Style::Dim, format!("Because {}.", words::why(reason)))
}

pub(super) fn verdict(view: &LiveView, event: &Event) -> Vec<StyledLine> {
    let Event::VerdictReached { outcome, verdict, winner, reasoning, reason, consensus, majority, moved } = event
    else {
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
    out.extend(reason.as_ref().map(because));
    out.extend(verdict.as_deref().map(text).unwrap_or_default());
    out.extend(
        reasoning.iter().flat_map(|reasoning| [vec![StyledLine::of(Style::Dim, "Why:")], text(reasoning)].concat()),
    );
    out.extend(reasoning.as_ref().and(view.admission.as_ref()).and_then(speakers));
    out.extend(consensus.as_ref().map(agreement));
    if view.admission.as_ref().is_some_and(|admission| admission.spec.ballots != Ballots::Both) {
        return out;
    }
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

pub(super) fn ended(view: &LiveView, at: Timestamp, event: &Event) -> Vec<StyledLine> {
    let Event::DebateEnded { state, outcome, reason, usage, missing_seats } = event else { return Vec::new() };
    let style = match (state, outcome) {
        (agon_core::DebateState::Succeeded, Some(Outcome::Decided)) => Style::Good,
        (agon_core::DebateState::Succeeded, _) => Style::Warn,
        (agon_core::DebateState::Failed | agon_core::DebateState::Cancelled, _) => Style::Bad,
    };
    let word = outcome.map_or(words::state(*state), |outcome| words::ended(outcome, !missing_seats.is_empty()));
    let mut line = StyledLine::of(style, word);
    if let Some(reason) = reason {
        line = line.and(Style::Plain, format!(": {}", words::why(reason)));
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
