//! What is printed of ballots, votes and judgements.
use super::lines::said;
use super::live::LiveView;
use super::styled::{StyledLine, TextStyle};
use crate::minutes::{Deed, MinutesEntry};
use crate::text::{excerpt, one_line};
use crate::words::{self, count};
use agon_core::{DebaterScore, Ranked, VoteRule, VoterWeight};

/// What somebody chose or judged.
pub(super) fn chosen(view: &LiveView, entry: &MinutesEntry<'_>) -> Vec<StyledLine> {
    let who = entry.participant;
    match entry.deed {
        Deed::Balloted(stage, ballot) => {
            let choice = format!("{}{}", ballot.choice, words::sure(ballot.confidence));
            vec![said(view, who, &format!(" {}: ", stage.label()), &choice)]
        }
        Deed::Voted(vote) => {
            let choices = if vote.choices.is_empty() { vote.choice.to_owned() } else { vote.choices.join(", ") };
            vec![said(view, who, " votes for ", &format!("{choices}{}", words::sure(vote.confidence)))]
        }
        Deed::ScoredDebaters(scores) => {
            let scored = |score: &DebaterScore| format!(" scores {}: ", score.debater);
            scores.iter().map(|score| said(view, who, &scored(score), &words::score(&score.score))).collect()
        }
        Deed::Judged(judged) => {
            let line = StyledLine::of(TextStyle::Office, office(who, judged.order));
            let line = line.and(TextStyle::Plain, judged.found());
            let mut out = vec![line.and(TextStyle::Dim, format!(" ({})", words::checked(judged.citations)))];
            out.extend(judged.open_objections.iter().map(|objection| {
                StyledLine::indented(TextStyle::Warn, &format!("stands unanswered: {}", excerpt(objection, 200)))
            }));
            out
        }
        Deed::Ranked { order, ranking } => ranked(who, order, ranking),
        // What came out has a block of its own at the end; everything else stands on the floor.
        _ => Vec::new(),
    }
}

fn office(judge: &str, order: u32) -> String {
    format!("{}, order {}: ", words::who(judge), order.saturating_add(1))
}

fn ranked(judge: &str, order: u32, ranking: &[Ranked]) -> Vec<StyledLine> {
    let names: Vec<String> =
        (1..).zip(ranking).map(|(place, ranked): (u32, _)| format!("{place}. {}", ranked.candidate)).collect();
    let mut out = vec![StyledLine::of(TextStyle::Office, office(judge, order)).and(TextStyle::Plain, names.join(", "))];
    out.extend(ranking.first().map(|first| StyledLine::indented(TextStyle::Dim, &excerpt(&first.reason, 280))));
    out
}

pub(super) fn tallied(
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
    let mut out =
        vec![StyledLine::of(TextStyle::Office, title).and(TextStyle::Plain, votes.join(", ")).and(TextStyle::Dim, of)];
    out.extend(weights.iter().map(|weight| {
        StyledLine::indented(
            TextStyle::Dim,
            &one_line(&format!("weight of {}: {}", weight.voter, words::weight(weight))),
        )
    }));
    out
}
