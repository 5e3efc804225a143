//! `agon list`: which debates.
use super::Label;
use super::remote::PlaceArgs;
use agon_core::{Outcome, Timestamp};
use clap::{Args, ValueEnum};

/// `agon list`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  agon list --state failed --since 1d
  agon list --label team=infra --outcome tie,inconclusive --json
  agon list --model qwen3:8b --state running")]
pub struct ListArgs {
    /// Only debates in these states, comma-separated
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub state: Vec<ListedState>,
    /// Only debates with these outcomes, comma-separated
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub outcome: Vec<ListedOutcome>,
    /// Only debates with this label; KEY alone matches any value; repeatable. `eval` shows those of evals, which are left out else
    #[arg(long = "label", value_name = "KEY=VALUE")]
    pub labels: Vec<Label>,
    /// Only debates with this text in their topic, in any letter case
    #[arg(long, value_name = "TEXT")]
    pub text: Option<String>,
    /// Only debates that call this model, or plan to; its exact name; repeatable, any of them matches
    #[arg(long = "model", value_name = "NAME")]
    pub models: Vec<String>,
    /// Only debates admitted since this moment (2026-01-31, 2026-01-31T12:00Z) or within this time (90m, 2d)
    #[arg(long, value_name = "WHEN", value_parser = since)]
    pub since: Option<Timestamp>,
    /// Print one JSON array
    #[arg(long)]
    pub json: bool,
    /// Show at most this many, newest first
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// Where to find it.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// A state to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListedState {
    /// No coordinator has claimed it yet
    Queued,
    /// It has a coordinator
    Running,
    /// It is ordered to end
    Cancelling,
    /// Its process was stopped; `agon resume` continues it
    Paused,
    /// Its process died; `agon resume` continues it
    Interrupted,
    /// It has an outcome
    Succeeded,
    /// It has no outcome, because of a failure
    Failed,
    /// It was cancelled
    Cancelled,
    /// Its log is missing from the server's store
    Lost,
}

/// An outcome to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListedOutcome {
    /// There is a verdict
    Decided,
    /// There is a verdict, but seats were missing
    Degraded,
    /// The votes are tied
    Tie,
    /// There is no verdict
    Inconclusive,
}

impl From<ListedOutcome> for Outcome {
    fn from(outcome: ListedOutcome) -> Self {
        match outcome {
            ListedOutcome::Decided => Self::Decided,
            ListedOutcome::Degraded => Self::Degraded,
            ListedOutcome::Tie => Self::Tie,
            ListedOutcome::Inconclusive => Self::Inconclusive,
        }
    }
}

fn since(text: &str) -> Result<Timestamp, String> {
    moment(text, jiff::Timestamp::now())
}

/// A moment, or a length of time before `now`.
fn moment(text: &str, now: jiff::Timestamp) -> Result<Timestamp, String> {
    let millis = |moment: jiff::Timestamp| Timestamp(u64::try_from(moment.as_millisecond()).unwrap_or(0));
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Ok(millis(moment));
    }
    if let Ok(date) = text.parse::<jiff::civil::Date>() {
        let start = date.to_zoned(jiff::tz::TimeZone::UTC).map_err(|error| error.to_string())?;
        return Ok(millis(start.timestamp()));
    }
    let wrong = || format!("{text:?} is neither a moment such as 2026-01-31 nor a length of time such as 90m or 2d");
    let span: jiff::Span = text.parse().map_err(|_| wrong())?;
    let utc = now.to_zoned(jiff::tz::TimeZone::UTC);
    let then = utc.checked_sub(span.abs()).map_err(|_| wrong())?;
    Ok(millis(then.timestamp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<String, String> {
        let now = "2026-02-03T12:00:00Z".parse().unwrap();
        let since = moment(text, now)?;
        Ok(jiff::Timestamp::from_millisecond(i64::try_from(since.0).unwrap()).unwrap().to_string())
    }

    #[test]
    fn since_takes_moments_days_and_lengths_of_time() {
        assert_eq!(of("2026-01-31"), Ok("2026-01-31T00:00:00Z".into()));
        assert_eq!(of("2026-01-31T12:30:00Z"), Ok("2026-01-31T12:30:00Z".into()));
        assert_eq!(of("90m"), Ok("2026-02-03T10:30:00Z".into()));
        assert_eq!(of("2d"), Ok("2026-02-01T12:00:00Z".into()));
        assert!(of("soon").unwrap_err().contains("90m"));
    }
}
