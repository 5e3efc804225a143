//! What lists and views of single debates show alike: winner, dissent, models, tokens, money and progress.
use agon_core::{Dissent, DissentAmong, ModelUsage, SummaryFigures, UsageTotals};
use agon_proto::pb::v1 as pb;
use agon_report::{Expense, Expenses, Prices};
use pb::debate::dissent::Among;

/// The debate with its figures, which has opened so many rounds.
pub(super) fn with_figures(debate: pb::Debate, figures: &SummaryFigures, rounds: u32, prices: &Prices) -> pb::Debate {
    pb::Debate {
        progress: Some(progress(figures, rounds)),
        usage: Some(usage(&figures.usage())),
        winner: figures.winner.clone(),
        dissent: figures.dissent.map(dissent),
        models: figures.models.iter().map(model).collect(),
        other_calls: figures.other_calls.map(|usage| calls(String::new(), &usage)),
        expenses: Some(expenses(&Expenses::of(prices, figures))),
        rejudges: figures.rejudges.as_ref().map(|id| id.name().to_owned()),
        ..debate
    }
}

fn progress(figures: &SummaryFigures, round: u32) -> pb::debate::Progress {
    pb::debate::Progress {
        round,
        max_rounds: figures.max_rounds,
        turns: figures.turns,
        failed_tries: figures.failed_tries,
        calls_done: figures.calls.done,
        calls_planned: figures.calls.planned,
    }
}

fn usage(usage: &UsageTotals) -> pb::debate::Usage {
    pb::debate::Usage {
        calls: u64::from(usage.calls.saturating_sub(usage.unknown_calls)),
        prompt_tokens: usage.prompt_tokens,
        completion_tokens: usage.completion_tokens,
        unknown_calls: u64::from(usage.unknown_calls),
    }
}

fn dissent(dissent: Dissent) -> pb::debate::Dissent {
    let among = match dissent.among {
        DissentAmong::Ballots => Among::Ballots,
        DissentAmong::Votes => Among::Votes,
        DissentAmong::Judges => Among::Judges,
    };
    pb::debate::Dissent { against: dissent.against, of: dissent.of, among: among.into() }
}

fn model(model: &ModelUsage) -> pb::debate::ModelUsage {
    calls(model.model.to_string(), &model.usage)
}

fn calls(model: String, usage: &UsageTotals) -> pb::debate::ModelUsage {
    pb::debate::ModelUsage {
        model,
        calls: u64::from(usage.calls),
        unknown_calls: u64::from(usage.unknown_calls),
        prompt_tokens: usage.prompt_tokens,
        completion_tokens: usage.completion_tokens,
    }
}

fn expenses(expenses: &Expenses) -> pb::debate::Expenses {
    let amounts = expenses.known().into_iter();
    let amount = |Expense { currency, amount, list_prices }| pb::debate::Expense { currency, amount, list_prices };
    pb::debate::Expenses { amounts: amounts.map(amount).collect(), unknown_calls: u64::from(expenses.unknown()) }
}
