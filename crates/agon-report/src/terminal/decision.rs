//! What is printed of ballots, votes and judgements.
use super::lines::said;
use super::live::LiveView;
use super::styled::{Style, StyledLine};
use crate::text::{excerpt, one_line};
use crate::words::{self, count};
use agon_core::{Event, ParticipantId, Ranked, VoteRule, VoterWeight};

/// What somebody chose, judged or counted.
pub(super) fn chosen(view: &LiveView, event: &Event) -> Vec<StyledLine> {
    match event {
        Event::BallotCast { stage, participant, choice, confidence, .. } => {
            let choice = format!("{choice}{}", words::sure(*confidence));
            vec![said(view, participant, &format!(" {}: ", words::stage(*stage)), &choice)]
        }
        Event::VoteCast { participant, choice, choices, confidence, .. } => {
            let choices = if choices.is_empty() { choice.clone() } else { choices.join(", ") };
            let choices = format!("{choices}{}", words::sure(*confidence));
            vec![said(view, participant, " votes for ", &choices)]
        }
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
