//! What two debates came to, row by row.
use crate::words::{duration, number};
use agon_core::BallotStage;
use agon_report::{BallotResult, DebateResult, ResultState, excerpt, one_line};

/// Characters of a text of a model.
const MOST_TEXT: usize = 700;

/// One row: what it is, and both values. A value that is not known is absent.
pub(super) struct ComparedRow {
    pub label: &'static str,
    pub values: [Option<Vec<String>>; 2],
    /// Both are not the same.
    pub differs: bool,
}

/// What a row has of a debate: lines.
type Lines = fn(&DebateResult) -> Option<Vec<String>>;

const ROWS: [(&str, Lines); 17] = [
    ("State", |result| one(state(result.state))),
    ("Outcome", |result| one(result.outcome?.label())),
    ("Reason", |result| one(&one_line(result.reason.as_ref()?.detail.as_deref()?))),
    ("Answer", answer),
    ("Words of the verdict", |result| one(&excerpt(verdict_text(result)?, MOST_TEXT))),
    ("Why", |result| one(&excerpt(result.verdict.as_ref()?.reasoning.as_deref()?, MOST_TEXT))),
    ("Dissent", dissent),
    ("Consensus", consensus),
    ("First ballots", |result| ballots(result, BallotStage::Initial)),
    ("Final ballots", |result| ballots(result, BallotStage::Final)),
    ("Votes", votes),
    ("Quotations verified", citations),
    ("Rounds", |result| one(&number(result.rounds.into()))),
    ("Calls", |result| one(&number(result.usage.calls.into()))),
    ("Tokens", tokens),
    ("Duration", |result| one(&duration(result.timing.duration_ms))),
    ("Cost", cost),
];

/// The rows that at least one of both has something for.
pub(super) fn compared(a: &DebateResult, b: &DebateResult) -> Vec<ComparedRow> {
    let row = |(label, lines): (&'static str, Lines)| {
        let values = [lines(a), lines(b)];
        ComparedRow { label, differs: values[0] != values[1], values }
    };
    let always = ["State", "Outcome", "Answer", "Tokens", "Cost"];
    let rows = ROWS.into_iter().map(row);
    rows.filter(|row| always.contains(&row.label) || row.values.iter().any(Option::is_some)).collect()
}

fn state(state: ResultState) -> &'static str {
    match state {
        ResultState::Running => "running",
        ResultState::Cancelling => "cancelling",
        ResultState::Paused => "paused",
        ResultState::Interrupted => "interrupted",
        ResultState::Succeeded => "succeeded",
        ResultState::Failed => "failed",
        ResultState::Cancelled => "cancelled",
    }
}

fn one(line: &str) -> Option<Vec<String>> {
    Some(vec![line.to_owned()])
}

fn verdict_text(result: &DebateResult) -> Option<&str> {
    let verdict = result.verdict.as_ref()?;
    verdict.text.as_deref().or(verdict.verdict.as_deref())
}

fn answer(result: &DebateResult) -> Option<Vec<String>> {
    let verdict = result.verdict.as_ref()?;
    one(&verdict.winner.as_deref().map_or_else(|| "no winner".to_owned(), |winner| excerpt(winner, MOST_TEXT)))
}

/// Who wants another answer in the end than the one that won.
fn dissent(result: &DebateResult) -> Option<Vec<String>> {
    let winner = result.verdict.as_ref()?.winner.as_deref()?;
    let last = |ballot: &&BallotResult| ballot.stage == BallotStage::Final;
    let mut last = result.ballots.iter().filter(last).peekable();
    last.peek()?;
    let others: Vec<String> = last.filter(|ballot| ballot.choice != winner).map(told).collect();
    if others.is_empty() { one("nobody") } else { Some(others) }
}

fn told(ballot: &BallotResult) -> String {
    format!("{}: {}", one_line(&ballot.participant), excerpt(&ballot.choice, MOST_TEXT))
}

fn consensus(result: &DebateResult) -> Option<Vec<String>> {
    let consensus = result.consensus.as_ref()?;
    let contested = if consensus.contested { ", contested" } else { "" };
    let share = &consensus.share;
    one(&format!("{}{contested}: {} of {}", consensus.strength.as_str(), share.top, share.eligible))
}

fn ballots(result: &DebateResult, stage: BallotStage) -> Option<Vec<String>> {
    let all: Vec<String> = result.ballots.iter().filter(|ballot| ballot.stage == stage).map(told).collect();
    if all.is_empty() { None } else { Some(all) }
}

fn votes(result: &DebateResult) -> Option<Vec<String>> {
    let votes = result.votes.as_ref()?;
    let count = |(answer, count): &(String, u32)| format!("{}: {count}", excerpt(answer, MOST_TEXT));
    Some(votes.counts.iter().map(count).collect())
}

fn citations(result: &DebateResult) -> Option<Vec<String>> {
    let all = result.judgements.iter().map(|judgement| judgement.citations_verified);
    let (verified, total) = all.fold((0, 0), |(a, b), count| (a + count.verified, b + count.total));
    if total == 0 { None } else { one(&format!("{verified} of {total}")) }
}

fn tokens(result: &DebateResult) -> Option<Vec<String>> {
    let usage = &result.usage;
    if usage.calls == 0 || usage.unknown_calls >= usage.calls {
        return None;
    }
    let least = if usage.unknown_calls > 0 { "at least " } else { "" };
    let (prompts, generated) = (number(usage.prompt_tokens), number(usage.completion_tokens));
    Some(vec![format!("{least}{prompts} of prompts"), format!("{least}{generated} generated")])
}

fn cost(result: &DebateResult) -> Option<Vec<String>> {
    let least = if result.calls_without_cost.is_some_and(|calls| calls > 0) { "at least " } else { "" };
    let sums: Vec<String> = result
        .cost
        .iter()
        .map(|cost| {
            let places = if cost.amount >= 1.0 { 2 } else { 4 };
            format!("{least}{:.places$} {}", cost.amount, one_line(&cost.currency))
        })
        .collect();
    if sums.is_empty() { None } else { Some(sums) }
}
