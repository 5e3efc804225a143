//! What two debates came to, row by row.
use crate::words::{self, duration, number};
use agon_core::BallotStage;
use agon_proto::pb::v1::debate::State;
use agon_report::{BallotResult, DebateResult, Expense, ResultState, excerpt, one_line};

/// Characters of a text of a model.
const MOST_TEXT: usize = 700;

/// One row: what it is, and both values. A value that is not known is absent.
pub(super) struct ComparedRow {
    pub label: &'static str,
    pub values: [Option<Vec<String>>; 2],
    /// Both are not the same.
    pub differs: bool,
    /// Its values are ids of debates.
    pub links: bool,
}

/// The row whose values are ids of debates.
const REJUDGED: &str = "New judgement of";

/// What a row has of a debate: lines.
type Lines = fn(&DebateResult) -> Option<Vec<String>>;

const ROWS: [(&str, Lines); 17] = [
    ("State", |result| one(state(result))),
    (REJUDGED, |result| one(result.rejudges.as_deref()?)),
    ("Reason", |result| one(&one_line(result.reason.as_ref()?.detail.as_deref()?))),
    ("Answer", answer),
    ("Words of the verdict", |result| one(&excerpt(verdict_text(result)?, MOST_TEXT))),
    ("Why", |result| one(&excerpt(result.verdict.as_ref()?.reasoning.as_deref()?, MOST_TEXT))),
    ("Dissent", dissent),
    ("Consensus", consensus),
    ("First ballots", |result| ballots(result, BallotStage::Initial)),
    ("Final ballots", |result| ballots(result, BallotStage::Final)),
    ("Votes", votes),
    ("Quotations verified, each counted once", citations),
    ("Rounds", |result| one(&number(result.rounds.into()))),
    ("Calls", |result| one(&number(result.usage.calls.into()))),
    ("Tokens", tokens),
    ("Duration", |result| one(&duration(result.timing.duration_ms))),
    ("Money", money),
];

/// The rows that at least one of both has something for; `cuts` are what their budgets cut.
pub(super) fn compared(a: &DebateResult, b: &DebateResult, cuts: [Option<String>; 2]) -> Vec<ComparedRow> {
    let row = |label, values: [Option<Vec<String>>; 2]| {
        let [first, second] = &values;
        ComparedRow { label, differs: first != second, links: label == REJUDGED, values }
    };
    let cuts = cuts.map(|cut| cut.map(|cut| vec![cut]));
    let always = ["State", "Answer", "Tokens", "Money"];
    let rows = ROWS.into_iter().map(|(label, lines)| row(label, [lines(a), lines(b)]));
    let rows = rows.chain([row("Cut short", cuts)]);
    rows.filter(|row| always.contains(&row.label) || row.values.iter().any(Option::is_some)).collect()
}

/// As lists name it: the outcome, or the state of a debate without one.
fn state(result: &DebateResult) -> &'static str {
    match (result.outcome, result.state) {
        (Some(outcome), _) => outcome.as_str(),
        (None, ResultState::Running) => words::state(State::Running),
        (None, ResultState::Cancelling) => words::state(State::Cancelling),
        (None, ResultState::Paused) => words::state(State::Paused),
        (None, ResultState::Interrupted) => words::state(State::Interrupted),
        (None, ResultState::Succeeded) => words::state(State::Succeeded),
        (None, ResultState::Failed) => words::state(State::Failed),
        (None, ResultState::Cancelled) => words::state(State::Cancelled),
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
    let won = verdict.winner.as_deref().or(verdict.decision.as_deref());
    one(&won.map_or_else(|| "no winner".to_owned(), |won| excerpt(won, MOST_TEXT)))
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

/// As the debate's own page counts: a quotation that several readings give counts once.
fn citations(result: &DebateResult) -> Option<Vec<String>> {
    let count = result.verdict.as_ref()?.citations_verified;
    if count.total == 0 { None } else { one(&format!("{} of {}", count.verified, count.total)) }
}

fn tokens(result: &DebateResult) -> Option<Vec<String>> {
    let (usage, unknown) = (&result.usage, result.usage.unknown_calls.into());
    let all = words::tokens(usage.tokens(), unknown)?;
    let part = |sum, what| words::tokens(sum, unknown).map(|sum| format!("{sum} {what}"));
    let parts = [part(usage.prompt_tokens, "of prompts"), part(usage.completion_tokens, "generated")];
    Some([all].into_iter().chain(parts.into_iter().flatten()).collect())
}

fn money(result: &DebateResult) -> Option<Vec<String>> {
    let amounts =
        result.cost.iter().map(|cost| (cost.amount, Expense::unit(&cost.currency, cost.list_prices.as_deref())));
    one(&words::cost(amounts, result.calls_without_cost.unwrap_or(0).into())?)
}
