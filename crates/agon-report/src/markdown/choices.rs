//! Ballots, votes and rankings as Markdown.
use super::draw::table;
use super::escape::inline;
use super::page::MarkdownPage;
use crate::document::{BallotSheet, Choosing, CountedVotes, RankMatrix};
use crate::minutes::{Minutes, MinutesEntry};
use crate::text::sentence;
use crate::words::{self, count};

pub(super) fn ballots(page: &mut MarkdownPage, sheet: &BallotSheet<'_>) {
    let initial = sheet.initial.iter().map(|ballot| chosen("initial ballot", ballot));
    let last = sheet.last.iter().map(|ballot| chosen("final ballot", ballot));
    page.table(&["When", "Who", "Choice", "Reasons"], initial.chain(last));
    if let Some(majority) = sheet.majority {
        page.block(&format!("{majority} {}", inline(&sheet.changes())));
    }
}

fn chosen(when: &str, choosing: &Choosing<'_>) -> Vec<String> {
    let choices = choosing.choices().into_iter().map(inline).collect::<Vec<_>>().join(", ");
    let who = inline(words::who(choosing.entry.participant));
    vec![when.to_owned(), who, format!("{choices}{}", choosing.sure()), inline(&choosing.reasons())]
}

pub(super) fn votes(page: &mut MarkdownPage, minutes: &Minutes<'_>, counted: &CountedVotes<'_>) {
    let tally = counted.tally;
    let cast = |entry: &MinutesEntry<'_>| match counted.every_round {
        true => format!("vote, {}", minutes.place(entry.turn.round)),
        false => "vote".to_owned(),
    };
    let votes = counted.votes.iter().map(|vote| chosen(&cast(vote.entry), vote));
    page.table(&["", "Who", "For", "Reasons"], votes);
    table(page, &counted.scores);
    match &counted.ranks {
        Some(matrix) => ranks(page, matrix),
        None => {
            let counts = tally.counts.iter().map(|(name, n)| vec![inline(name), words::got(tally.rule, *n)]);
            page.table(&["Candidate", "Got"], counts);
        }
    }
    let weights =
        tally.weights.iter().map(|weight| vec![inline(weight.voter.as_str()), inline(&words::weight(weight))]);
    page.table(&["Voter", "Weight"], weights);
    let winner = match tally.winner {
        Some(winner) => sentence(&format!("Winner: {}", inline(winner))),
        None => "Nobody met the rule.".to_owned(),
    };
    let came = |one: &str| format!("{} of {} came", tally.received, count(tally.eligible.into(), one));
    page.block(&match tally.rule {
        Some(rule) => format!("Rule: {}. {}. {winner}", rule.label(), came("eligible vote")),
        None => format!("{}; first place brings the most points. {winner}", came("ranking")),
    });
}

/// The places of each candidate, and its points.
fn ranks(page: &mut MarkdownPage, matrix: &RankMatrix) {
    let rankers = matrix.rankers.iter().map(|name| inline(name));
    let head: Vec<String> = ["Candidate".to_owned()]
        .into_iter()
        .chain(rankers)
        .chain(["Mean place", "Points"].map(str::to_owned))
        .collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let rows = matrix.rows.iter().map(|row| {
        let places = row.places.iter().map(|place| place.map(|place| place.to_string()).unwrap_or_default());
        let sums = [row.mean().unwrap_or_default(), row.points.to_string()];
        [inline(&row.candidate)].into_iter().chain(places).chain(sums).collect()
    });
    page.table(&head, rows);
}
