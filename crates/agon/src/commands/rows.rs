//! A debate as one line of a list, wherever it is kept.
use crate::store::short;
use crate::terminal::columns;
use agon_core::{DebateState, Halt, Outcome, listed_winner};
use agon_proto::pb;
use agon_report::{DebateResult, ResultState, one_line};
use agon_store::DebateHead;
use serde::Serialize;
use std::collections::BTreeMap;

/// A debate in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DebateRow {
    id: String,
    /// Absent where the log is damaged.
    #[serde(skip_serializing_if = "Option::is_none")]
    topic: Option<String>,
    /// In the words of the result.
    state: &'static str,
    /// Rounds held, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds: Option<u32>,
    admitted_at: String,
    duration_ms: u64,
    /// Absent where the log is damaged.
    #[serde(skip_serializing_if = "Option::is_none")]
    rehearsal: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    /// What won, or where nobody is to win, the beginning of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    winner: Option<String>,
    /// Where and how the log is damaged.
    #[serde(skip_serializing_if = "Option::is_none")]
    damage: Option<String>,
    /// Why it is lost, at a server.
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<String>,
}

impl DebateRow {
    /// A debate of the local store.
    pub fn of_result(result: &DebateResult) -> Self {
        Self {
            id: result.id.clone(),
            topic: Some(result.topic.clone()),
            state: word(result.state),
            rounds: Some(result.rounds),
            admitted_at: result.timing.admitted_at.clone(),
            duration_ms: result.timing.duration_ms,
            rehearsal: Some(result.rehearsal),
            outcome: result.outcome,
            winner: result.outcome.and_then(|_| winner(result)),
            ..Self::default()
        }
    }

    /// A debate of the local store whose log is damaged.
    pub fn damaged(head: &DebateHead, why: String) -> Self {
        Self {
            id: head.id.to_string(),
            state: "damaged",
            admitted_at: i64::try_from(head.admitted.0).map(rfc3339).unwrap_or_default(),
            duration_ms: head.updated.0.saturating_sub(head.admitted.0),
            damage: Some(why),
            ..Self::default()
        }
    }

    /// A debate of a server.
    pub fn of_debate(debate: &pb::v1::Debate) -> Self {
        let millis = |at: &prost_types::Timestamp| at.seconds.saturating_mul(1000) + i64::from(at.nanos) / 1_000_000;
        let created = debate.create_time.as_ref().map(millis);
        let last = debate.end_time.as_ref().or(debate.update_time.as_ref()).map(millis);
        // what coordinators have recorded: the time of admission is a gateway's
        let from = debate.start_time.as_ref().map(millis).or(created);
        let duration = from.zip(last).map(|(from, to)| to.saturating_sub(from));
        Self {
            id: debate.id.clone(),
            topic: Some(debate.topic.clone()),
            state: state(debate.state()),
            rounds: debate.rounds.or(debate.progress.map(|progress| progress.round)),
            admitted_at: created.map(rfc3339).unwrap_or_default(),
            duration_ms: duration.and_then(|ms| u64::try_from(ms).ok()).unwrap_or(0).saturating_sub(debate.paused_ms),
            rehearsal: Some(debate.rehearsal),
            outcome: Outcome::try_from(debate.outcome()).ok(),
            winner: debate.winner.clone().filter(|_| debate.outcome != 0),
            loss: loss(debate),
            ..Self::default()
        }
    }

    /// The row for a person, as wide as the screen at most.
    fn line(&self, id: &str, id_columns: usize, width: usize) -> String {
        let day = self.admitted_at.get(..16).unwrap_or_default().replace('T', " ");
        let mark = if self.rehearsal == Some(true) { " (rehearsal)" } else { "" };
        let head = format!("{}{}  {day}  {:<12} ", id, " ".repeat(id_columns - columns(id)), self.standing());
        let room = width.saturating_sub(columns(&head) + columns(mark));
        format!("{head}{}{mark}\n", cut(&one_line(self.topic.as_deref().unwrap_or("(topic unknown)")), room))
    }

    /// That the debate is lost, why, and what removes the rest of it; nothing where it is not.
    pub fn loss(&self, flag: &str) -> Option<String> {
        let why = one_line(self.loss.as_deref()?);
        let id = one_line(&self.id);
        Some(format!("debate {id} is lost: {why}; agon delete {id}{flag} removes what is left of it"))
    }

    /// The outcome where there is one, else the state, in the words of the JSON.
    fn standing(&self) -> &'static str {
        self.outcome.map_or(self.state, Outcome::as_str)
    }
}

/// That debates are lost, once for all that are lost for the same reason.
pub fn losses(rows: &[DebateRow], flag: &str) -> Vec<String> {
    let mut reasons: BTreeMap<&str, Vec<&DebateRow>> = BTreeMap::new();
    for row in rows {
        if let Some(why) = &row.loss {
            reasons.entry(why).or_default().push(row);
        }
    }
    let told = |(why, lost): (&str, Vec<&DebateRow>)| match lost.as_slice() {
        [row] => row.loss(flag),
        lost => Some(format!(
            "{} debates are lost: {}; agon delete ID{flag} deletes the rest of each",
            lost.len(),
            one_line(why)
        )),
    };
    reasons.into_iter().filter_map(told).collect()
}

/// Why a debate of a server is lost; nothing where it is not.
fn loss(debate: &pb::v1::Debate) -> Option<String> {
    let detail = || debate.reason.as_ref().and_then(|reason| reason.detail.clone());
    (debate.state() == pb::v1::debate::State::Lost).then(|| detail().unwrap_or_else(|| "its log is missing".to_owned()))
}

/// The rows for a person, each on one line of at most `width` columns.
pub fn lines(rows: &[DebateRow], width: usize) -> String {
    let short: Vec<String> = rows.iter().map(|row| one_line(short(&row.id))).collect();
    let named = |(at, row): (usize, &DebateRow)| {
        let known = |id: &&String| short.get(at) == Some(id);
        let unique = short.iter().filter(known).count() < 2;
        short.get(at).filter(|_| unique).cloned().unwrap_or_else(|| one_line(&row.id))
    };
    let ids: Vec<String> = rows.iter().enumerate().map(named).collect();
    let widest = ids.iter().map(|id| columns(id)).max().unwrap_or(0);
    rows.iter().zip(&ids).map(|(row, id)| row.line(id, widest, width)).collect()
}

/// As much of the text as there is room for.
fn cut(text: &str, room: usize) -> String {
    if columns(text) <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        if columns(&kept) + columns(c.encode_utf8(&mut [0; 4])) + 1 > room {
            break;
        }
        kept.push(c);
    }
    format!("{}…", kept.trim_end())
}

/// The word for a state of a result.
pub fn word(state: ResultState) -> &'static str {
    match state {
        ResultState::Running => "running",
        ResultState::Cancelling => "cancelling",
        ResultState::Paused => Halt::Paused.as_str(),
        ResultState::Interrupted => Halt::Interrupted.as_str(),
        ResultState::Succeeded => DebateState::Succeeded.as_str(),
        ResultState::Failed => DebateState::Failed.as_str(),
        ResultState::Cancelled => DebateState::Cancelled.as_str(),
    }
}

/// The word for a state of a server.
pub fn state(state: pb::v1::debate::State) -> &'static str {
    use pb::v1::debate::State;
    match state {
        State::Unspecified => "unknown",
        State::Queued => "queued",
        State::Running => "running",
        State::Cancelling => "cancelling",
        State::Paused => Halt::Paused.as_str(),
        State::Interrupted => Halt::Interrupted.as_str(),
        State::Lost => "lost",
        State::Succeeded => DebateState::Succeeded.as_str(),
        State::Failed => DebateState::Failed.as_str(),
        State::Cancelled => DebateState::Cancelled.as_str(),
    }
}

fn winner(result: &DebateResult) -> Option<String> {
    let verdict = result.verdict.as_ref();
    let votes = || result.votes.as_ref().and_then(|votes| votes.winner.as_deref());
    let won = verdict.and_then(|verdict| verdict.winner.as_deref().or(verdict.decision.as_deref())).or_else(votes);
    listed_winner(won, verdict.and_then(|verdict| verdict.verdict.as_deref()))
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
        let row = DebateRow::of_debate(&debate());
        assert_eq!(
            lines(std::slice::from_ref(&row), 80),
            "tea-1  2026-01-01 00:00  running      Tea or coffee? (rehearsal)\n"
        );
        assert_eq!((row.admitted_at.as_str(), row.duration_ms), ("2026-01-01T00:00:00.005Z", 1995));
    }

    #[test]
    fn the_clock_of_the_gateway_makes_no_debate_longer() {
        let start_time = Some(prost_types::Timestamp { seconds: 1_767_225_601, nanos: 0 });
        let hour_behind = prost_types::Timestamp { seconds: 1_767_222_000, nanos: 0 };
        let row = DebateRow::of_debate(&pb::v1::Debate { create_time: Some(hour_behind), start_time, ..debate() });
        assert_eq!(row.duration_ms, 1000);
    }

    #[test]
    fn debates_that_are_lost_for_one_reason_are_told_of_once() {
        let lost = |id: &str, why: &str| {
            let reason = pb::debate::v1::Reason { detail: Some(why.into()), ..Default::default() };
            let state = pb::v1::debate::State::Lost.into();
            DebateRow::of_debate(&pb::v1::Debate { id: id.into(), state, reason: Some(reason), ..debate() })
        };
        let told =
            losses(&[lost("a", "gone"), lost("b", "gone"), lost("c", "burnt"), DebateRow::of_debate(&debate())], " -s");
        assert_eq!(
            told,
            [
                "debate c is lost: burnt; agon delete c -s removes what is left of it",
                "2 debates are lost: gone; agon delete ID -s deletes the rest of each",
            ]
        );
    }

    #[test]
    fn a_list_fits_the_screen_and_short_ids_do_not_clash() {
        let with = |id: &str| {
            let topic =
                "茶か珈琲か: what should the canteen of the northern depot serve from now on, and at which price?";
            DebateRow::of_debate(&pb::v1::Debate { id: id.into(), topic: topic.into(), ..debate() })
        };
        let id = |n: u32, end: &str| format!("0198c0de-0000-7000-800{n}-0000{end}");
        let told = lines(&[with(&id(1, "deadbeef")), with(&id(2, "cafecafe"))], 80);
        assert!(told.lines().all(|line| columns(line) <= 80 && columns(line) > 76), "{told}");
        assert!(told.starts_with("deadbeef  2026") && told.contains("\ncafecafe  2026"), "{told}");
        let told = lines(&[with(&id(1, "deadbeef")), with(&id(2, "deadbeef"))], 80);
        assert!(told.starts_with(&id(1, "deadbeef")) && told.contains(&id(2, "deadbeef")), "{told}");
    }

    #[test]
    fn an_outcome_says_more_than_the_state() {
        let mut debate = debate();
        debate.set_state(pb::v1::debate::State::Succeeded);
        debate.set_outcome(pb::debate::v1::Outcome::Inconclusive);
        let row = DebateRow::of_debate(&debate);
        assert!(lines(std::slice::from_ref(&row), 80).contains("inconclusive"));
        let json = serde_json::to_value(&row).unwrap();
        assert_eq!((json["state"].as_str(), json["outcome"].as_str()), (Some("succeeded"), Some("inconclusive")));
        assert!(json.get("winner").is_none());
        debate.winner = Some("coffee".into());
        let json = serde_json::to_value(DebateRow::of_debate(&debate)).unwrap();
        assert_eq!(json["winner"], "coffee");
    }
}
