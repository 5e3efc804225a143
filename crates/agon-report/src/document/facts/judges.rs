//! Which judges found something else than the verdict, and what.
use super::FactLine;
use crate::minutes::{BallotChoice, Minutes};
use crate::text::{excerpt, one_line};
use crate::verdict::same_winner;
use crate::words;
use agon_core::tally::same_answer;
use agon_core::{BallotForm, Outcome, Voters};

/// Characters of an answer.
const MOST_ANSWER: usize = 60;

/// What one judge found, order by order.
struct JudgeFound<'m> {
    judge: &'static str,
    found: Vec<Option<&'m str>>,
}

/// The judges who found something else than the verdict; where there is none, all, if they differ.
pub(super) fn lines(minutes: &Minutes<'_>) -> Vec<FactLine> {
    let heard = heard(minutes);
    let outcome = minutes.verdict.map(|verdict| verdict.outcome);
    let decided = matches!(outcome, Some(Outcome::Decided | Outcome::Degraded));
    let winner = minutes.winner();
    let same = |one: &JudgeFound<'_>, other: Option<&str>| one.found.iter().all(|own| same_winner(*own, other));
    let first = heard.first().and_then(|one| one.found.first().copied());
    let differing: Vec<&JudgeFound<'_>> = match decided {
        true => heard.iter().filter(|one| !same(one, winner)).collect(),
        false if first.is_some_and(|first| heard.iter().all(|one| same(one, first))) => Vec::new(),
        false => heard.iter().collect(),
    };
    let ranks = minutes.rankings().next().is_some();
    differing.into_iter().map(|one| told(one, ranks)).chain(votes(minutes)).collect()
}

/// The judges of whom anything was heard.
fn heard<'m>(minutes: &'m Minutes<'_>) -> Vec<JudgeFound<'m>> {
    let all = minutes.found();
    let of = |judge: &str| all.iter().filter(|(by, _)| *by == judge).map(|(_, found)| *found).collect();
    let judges = minutes.admission.spec.judges();
    let heard = judges.map(|judge| JudgeFound { judge: words::office(judge.as_str()), found: of(judge.as_str()) });
    heard.filter(|one| !one.found.is_empty()).collect()
}

/// `Judge 2 found for “Wait a year”`.
fn told(one: &JudgeFound<'_>, ranks: bool) -> FactLine {
    let verb = if ranks { "put" } else { "found" };
    let named = |found: &Option<&str>| match (found, ranks) {
        (Some(found), true) => format!("“{}” first", excerpt(found, MOST_ANSWER)),
        (None, true) => "nobody first".to_owned(),
        (Some(found), false) => format!("for “{}”", excerpt(found, MOST_ANSWER)),
        (None, false) => "for a synthesis".to_owned(),
    };
    let found = match one.found.as_slice() {
        [first, rest @ ..] if rest.iter().all(|other| same_winner(*first, *other)) => named(first),
        all => {
            let orders = (1..).zip(all).map(|(n, found): (u32, _)| format!("{} in order {n}", named(found)));
            orders.collect::<Vec<_>>().join(", ")
        }
    };
    FactLine::of(one_line(&format!("{} {verb} {found}", one.judge)))
}

/// Judges who vote, and did not vote for the winner.
fn votes(minutes: &Minutes<'_>) -> Vec<FactLine> {
    let judges = minutes.admission.spec.voting.is_some_and(|voting| voting.voters == Voters::Judges);
    let Some(winner) = minutes.winner().filter(|_| judges) else { return Vec::new() };
    let approval = minutes.tally.and_then(|tally| tally.rule).is_some_and(|rule| rule.form() == BallotForm::Approval);
    let is_for = |vote: &BallotChoice<'_>| {
        let approved = || vote.choices.iter().any(|choice| same_answer(choice, winner));
        same_answer(vote.choice, winner) || (approval && approved())
    };
    let against = minutes.votes().filter(|(_, vote)| !is_for(vote));
    let line = |who: &str, choice: &str| {
        FactLine::of(one_line(&format!("{} voted for “{}”", words::who(who), excerpt(choice, MOST_ANSWER))))
    };
    against.map(|(entry, vote)| line(entry.participant, vote.choice)).collect()
}
