//! How a debate was decided, and by whom.
use crate::minutes::Minutes;
use crate::text::{clause, one_line};
use crate::verdict::{same_winner, verified};
use crate::words::{self, count};
use agon_core::{ConsensusStrategy, Outcome, VoteRule, Voters};

/// `by the judge (gemma3:12b), the same in both orders; 3 of 4 quotations verified`. Nothing before the verdict.
pub(super) fn of(minutes: &Minutes<'_>) -> Option<String> {
    let reason = || minutes.reason().map(|reason| clause(&one_line(&reason)).to_owned());
    let Some(verdict) = minutes.verdict else { return reason() };
    let spec = &minutes.admission.spec;
    let how = match spec.consensus_strategy {
        _ if minutes.gate.is_some_and(|gate| gate.skip) => undebated(minutes),
        ConsensusStrategy::Judge | ConsensusStrategy::RankedReasons => judged(minutes),
        ConsensusStrategy::Vote => voted(minutes),
        ConsensusStrategy::MediatorSummary => {
            let model = spec.moderator.as_ref().map(|moderator| format!(" ({})", moderator.voice.model));
            format!("by the moderator{}; nobody wins", model.unwrap_or_default())
        }
        ConsensusStrategy::AgentClosing => "as asked, by nobody: everybody closed".to_owned(),
        ConsensusStrategy::NoConsensus => "as asked, by nobody: the perspectives stand side by side".to_owned(),
    };
    let how = match (verdict.outcome, reason()) {
        (Outcome::Inconclusive | Outcome::Tie, Some(reason)) => format!("not decided: {reason}; {how}"),
        (_, Some(reason)) => format!("{how}; {reason}"),
        (_, None) => how,
    };
    Some(one_line(&how))
}

/// Who decided where no round was held.
fn undebated(minutes: &Minutes<'_>) -> String {
    let what = match minutes.admission.spec.answers_for_ballots() {
        true => "the first answers",
        false => "the first ballots",
    };
    format!("by {what}, which were not contested enough for a debate; no round was held, and no judge was asked")
}

/// Which judges found this, in how many orders, and how many of their quotations are verified.
fn judged(minutes: &Minutes<'_>) -> String {
    let Some(judge) = &minutes.admission.spec.judge else { return "by the judge".to_owned() };
    let ranks = minutes.admission.spec.consensus_strategy == ConsensusStrategy::RankedReasons;
    let who = if judge.panel > 1 { panel(minutes) } else { one_judge(minutes) };
    let rankings = if ranks { ", by rankings" } else { "" };
    let citations = minutes.citations();
    let quotations = match citations.len() as u64 {
        0 if ranks => String::new(),
        0 => "; no quotation given".to_owned(),
        all => format!("; {} of {} verified", verified(&citations), count(all, "quotation")),
    };
    format!("{who}{rankings}{quotations}")
}

fn one_judge(minutes: &Minutes<'_>) -> String {
    let model = minutes.admission.spec.judge.as_ref().map(|judge| judge.model(0).to_string()).unwrap_or_default();
    let found: Vec<Option<&str>> = minutes.found().into_iter().map(|(_, winner)| winner).collect();
    let orders = match found.as_slice() {
        [] => "not heard".to_owned(),
        [_] => "in one order".to_owned(),
        [first, rest @ ..] if rest.iter().all(|other| same_winner(*first, *other)) => {
            "the same in both orders".to_owned()
        }
        _ => {
            let told = (1..).zip(&found).map(|(n, one): (u32, _)| format!("order {n}: {}", named(*one)));
            told.collect::<Vec<_>>().join(", ")
        }
    };
    format!("by the judge ({model}), {orders}")
}

/// `by 2 of 3 judges, each the same in both orders: Judge, Judge 3`, and what the others found.
fn panel(minutes: &Minutes<'_>) -> String {
    let winner = minutes.winner();
    let outcome = minutes.verdict.map(|verdict| verdict.outcome);
    let decided = matches!(outcome, Some(Outcome::Decided | Outcome::Degraded));
    let (found, needed) =
        (minutes.found(), minutes.admission.spec.judge.as_ref().map_or(0, |judge| judge.orders as usize));
    let (mut with, mut others, mut all) = (Vec::new(), Vec::new(), 0_u64);
    for judge in minutes.admission.spec.judges() {
        all += 1;
        let own: Vec<Option<&str>> =
            found.iter().filter(|(by, _)| *by == judge.as_str()).map(|(_, winner)| *winner).collect();
        let name = words::office(judge.as_str());
        let firm = own.len() == needed;
        match own.first() {
            None => others.push(format!("{name} was not heard")),
            Some(first) if own.iter().any(|other| !same_winner(*first, *other)) => {
                others.push(format!("{name} changed with the order"));
            }
            Some(first) if firm && decided && same_winner(*first, winner) => with.push(name),
            Some(first) if firm => others.push(format!("{name} found for {}", named(*first))),
            Some(_) => others.push(format!("{name} was heard in {} of {needed} orders", own.len())),
        }
    }
    if with.is_empty() && minutes.reason_names_the_panel() {
        return format!("by a panel of {}", count(all, "judge"));
    }
    let both = if needed == 2 { ", the same in both orders" } else { "" };
    let others = if others.is_empty() { String::new() } else { format!("; {}", others.join(", ")) };
    let names = if with.is_empty() { String::new() } else { format!(" ({}{both})", with.join(", ")) };
    format!("by {} of {}{names}{others}", with.len(), count(all, "judge"))
}

fn named(winner: Option<&str>) -> String {
    winner.map_or_else(|| "a synthesis".to_owned(), |winner| format!("“{winner}”"))
}

/// `by majority vote of the debaters: Invest now: 2 votes, Wait a year: 1 vote; 3 of 3 eligible votes came`.
fn voted(minutes: &Minutes<'_>) -> String {
    let Some(tally) = minutes.tally else { return "by vote".to_owned() };
    let rule = tally.rule.map_or("vote", VoteRule::short);
    let judges = minutes.admission.spec.voting.is_some_and(|voting| voting.voters == Voters::Judges);
    let whose = match minutes.admission.spec.is_poll() {
        true => "samples",
        false if judges => "judges",
        false => "debaters",
    };
    let got = |(name, n): &(String, u32)| format!("{}: {}", clause(name), words::got(tally.rule, *n));
    let got: Vec<String> = tally.counts.iter().map(got).collect();
    let came = format!("{} of {} came", tally.received, count(tally.eligible.into(), "eligible vote"));
    let once: u32 = tally.weights.iter().map(|weight| weight.thousandths).fold(0, u32::saturating_add);
    let voters = u32::try_from(tally.weights.len()).unwrap_or(u32::MAX);
    // Where every round votes, a voter has several votes.
    let whole = once.saturating_mul(tally.eligible.checked_div(voters).unwrap_or_default());
    let needed =
        if whole == 0 { String::new() } else { format!(", more than half of {} needed", words::thousandths(whole)) };
    format!("by {rule} of the {whose}: {}{needed}; {came}", got.join(", "))
}
