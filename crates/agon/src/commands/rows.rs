//! A debate as one line of a list, wherever it is kept.
use agon_core::{DebateState, Outcome};
use agon_proto::pb;
use agon_report::{DebateResult, ResultState, one_line};
use anyhow::Context as _;
use serde::Serialize;

/// A debate in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    id: String,
    topic: String,
    /// In the words of the result.
    state: &'static str,
    rounds: u32,
    admitted_at: String,
    duration_ms: u64,
    rehearsal: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    winner: Option<String>,
    #[serde(skip)]
    at_server: bool,
}

impl Row {
    /// A debate of the local store.
    pub fn of_result(result: &DebateResult) -> Self {
        Self {
            id: result.id.clone(),
            topic: result.topic.clone(),
            state: word(result.state),
            rounds: result.rounds,
            admitted_at: result.timing.admitted_at.clone(),
            duration_ms: result.timing.duration_ms,
            rehearsal: result.rehearsal,
            outcome: result.outcome,
            winner: result.outcome.and_then(|_| winner(result)),
            at_server: false,
        }
    }

    /// A debate of a server.
    pub fn of_debate(debate: &pb::v1::Debate) -> Self {
        let millis = |at: &prost_types::Timestamp| at.seconds.saturating_mul(1000) + i64::from(at.nanos) / 1_000_000;
        let created = debate.create_time.as_ref().map(millis);
        let last = debate.end_time.as_ref().or(debate.update_time.as_ref()).map(millis);
        let duration = created.zip(last).map(|(from, to)| to.saturating_sub(from));
        Self {
            id: debate.id.clone(),
            topic: debate.topic.clone(),
            state: state(debate.state()),
            rounds: debate.progress.map_or(0, |progress| progress.round),
            admitted_at: created.map(rfc3339).unwrap_or_default(),
            duration_ms: duration.and_then(|duration| u64::try_from(duration).ok()).unwrap_or(0),
            rehearsal: debate.rehearsal,
            outcome: outcome(debate.outcome()),
            winner: None,
            at_server: true,
        }
    }

    /// The row for a person.
    pub fn line(&self) -> String {
        let day = self.admitted_at.get(..16).unwrap_or_default().replace('T', " ");
        let mark = if self.rehearsal { " (rehearsal)" } else { "" };
        let topic: String = one_line(&self.topic).chars().take(60).collect();
        format!("{}  {day}  {:<13} {topic}{mark}\n", one_line(&self.id), self.standing())
    }

    /// The outcome where there is one, else the state, in the words of the JSON. What runs nowhere for sure is unfinished.
    fn standing(&self) -> String {
        let outcome = self.outcome.and_then(|outcome| serde_json::to_value(outcome).ok());
        let outcome = outcome.and_then(|word| word.as_str().map(str::to_owned));
        let unfinished = !self.at_server && matches!(self.state, "running" | "cancelling");
        outcome.unwrap_or_else(|| if unfinished { "unfinished".to_owned() } else { self.state.to_owned() })
    }
}

/// The rows as one JSON array.
pub fn array(rows: &[Row]) -> anyhow::Result<String> {
    serde_json::to_string_pretty(rows).map(|json| agon_report::safe_json(&json)).context("the list cannot be written")
}

/// One row as a JSON object.
pub fn object(row: &Row) -> anyhow::Result<String> {
    serde_json::to_string_pretty(row).map(|json| agon_report::safe_json(&json)).context("the debate cannot be written")
}

fn word(state: ResultState) -> &'static str {
    match state {
        ResultState::Running => "running",
        ResultState::Cancelling => "cancelling",
        ResultState::Succeeded => "succeeded",
        ResultState::Failed => "failed",
        ResultState::Cancelled => "cancelled",
    }
}

fn state(state: pb::v1::debate::State) -> &'static str {
    use pb::v1::debate::State;
    match state {
        State::Unspecified => "unknown",
        State::Queued => "queued",
        State::Running => "running",
        State::Cancelling => "cancelling",
        State::Succeeded => word(of(DebateState::Succeeded)),
        State::Failed => word(of(DebateState::Failed)),
        State::Cancelled => word(of(DebateState::Cancelled)),
    }
}

fn of(state: DebateState) -> ResultState {
    match state {
        DebateState::Succeeded => ResultState::Succeeded,
        DebateState::Failed => ResultState::Failed,
        DebateState::Cancelled => ResultState::Cancelled,
    }
}

fn outcome(outcome: pb::bus::v1::Outcome) -> Option<Outcome> {
    use pb::bus::v1::Outcome as Sent;
    match outcome {
        Sent::Unspecified => None,
        Sent::Decided => Some(Outcome::Decided),
        Sent::Degraded => Some(Outcome::Degraded),
        Sent::Tie => Some(Outcome::Tie),
        Sent::Inconclusive => Some(Outcome::Inconclusive),
    }
}

fn winner(result: &DebateResult) -> Option<String> {
    let verdict = result.verdict.as_ref().and_then(|verdict| verdict.winner.clone());
    verdict.or_else(|| result.votes.as_ref().and_then(|votes| votes.winner.clone()))
}

fn rfc3339(millis: i64) -> String {
    jiff::Timestamp::from_millisecond(millis).map(|at| format!("{at:.3}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn debate() -> pb::v1::Debate {
        pb::v1::Debate {
            id: "tea-1".into(),
            topic: "Tea or\ncoffee?".into(),
            state: pb::v1::debate::State::Running.into(),
            create_time: Some(prost_types::Timestamp { seconds: 1_767_225_600, nanos: 5_000_000 }),
            update_time: Some(prost_types::Timestamp { seconds: 1_767_225_602, nanos: 0 }),
            rehearsal: true,
            ..pb::v1::Debate::default()
        }
    }

    #[test]
    fn a_debate_that_runs_at_a_server_is_told_as_running() {
        let row = Row::of_debate(&debate());
        assert_eq!(row.line(), "tea-1  2026-01-01 00:00  running       Tea or coffee? (rehearsal)\n");
        assert_eq!((row.admitted_at.as_str(), row.duration_ms), ("2026-01-01T00:00:00.005Z", 1995));
    }

    #[test]
    fn an_outcome_says_more_than_the_state() {
        let mut debate = debate();
        debate.set_state(pb::v1::debate::State::Succeeded);
        debate.set_outcome(pb::bus::v1::Outcome::Inconclusive);
        let row = Row::of_debate(&debate);
        assert!(row.line().contains("inconclusive"));
        let json: serde_json::Value = serde_json::from_str(&object(&row).unwrap()).unwrap();
        assert_eq!((json["state"].as_str(), json["outcome"].as_str()), (Some("succeeded"), Some("inconclusive")));
        assert!(json.get("winner").is_none());
    }
}
