//! The log and the result, against the notes and what the walk foretells.
use crate::file::File;
use crate::model::{CallNote, Fate};
use crate::walk::{DebateWalk, End};
use agon_core::Record;
use agon_report::{DebateResult, Minutes, events_jsonl};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

type LogCheck = Result<(), String>;

macro_rules! require {
    ($holds:expr, $($told:tt)*) => {
        if !$holds {
            return Err(format!($($told)*));
        }
    };
}

/// What a debate leaves behind.
pub struct Log {
    events: Vec<Value>,
    result: Value,
}
impl Log {
    pub fn new(records: &[Arc<Record>]) -> Self {
        let lines = events_jsonl(records.iter().map(AsRef::as_ref));
        let minutes = Minutes::from_records(records.iter().map(AsRef::as_ref)).unwrap();
        let events = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Self { events, result: serde_json::to_value(DebateResult::of(&minutes)).unwrap() }
    }

    /// The events for people: the end, or all of them where one file is looked at.
    pub fn story(&self) -> String {
        let whole = std::env::var_os("AGON_JUDGED_FILE").is_some();
        let ends = ["verdict_reached", "debate_ended", "vote_tallied", "loop_ended"];
        let told = self.events.iter().filter(|event| whole || ends.iter().any(|end| event["type"] == *end));
        told.map(|event| format!("{event}\n")).collect()
    }

    /// Whether the debate says that it failed for want of speakers.
    pub fn is_void(&self) -> bool {
        self.result["reason"]["code"] == "quorum"
    }

    pub fn check(&self, file: &File, notes: &[CallNote], walk: &DebateWalk<'_>, end: &End) -> LogCheck {
        let Self { events, result } = self;
        framed(events)?;
        kept(file, notes, events, result)?;
        paid(file, notes, result)?;
        if file.budget.is_some() {
            return budgeted(file, notes, events);
        }
        ended(walk, end, events, result)
    }
}

fn framed(events: &[Value]) -> LogCheck {
    for (event, seq) in events.iter().zip(1..) {
        require!(event["seq"] == seq, "event {} where {seq} is due", event["seq"]);
    }
    let ends = events.iter().filter(|event| event["type"] == "debate_ended").count();
    let last = events.last().is_some_and(|event| event["type"] == "debate_ended");
    require!(events[0]["type"] == "debate_admitted" && ends == 1 && last, "the log has {ends} ends");
    let measured = |event: &&Value| event["type"] == "round_measured";
    let mut rounds: Vec<&Value> = events.iter().filter(measured).map(|event| &event["round"]).collect();
    let all = rounds.len();
    rounds.dedup();
    require!(rounds.len() == all, "a round was measured twice");
    Ok(())
}

/// Whether an event records an answer.
fn answers(event: &Value) -> bool {
    const OTHERS: [&str; 14] = [
        "debate_admitted",
        "claimed",
        "phase_entered",
        "participant_placed",
        "round_opened",
        "stage_opened",
        "turn_asked",
        "turn_failed",
        "seat_skipped",
        "gate_decided",
        "loop_ended",
        "vote_tallied",
        "verdict_reached",
        "debate_ended",
    ];
    !OTHERS.iter().any(|other| event["type"] == *other)
}

fn author(event: &Value) -> &str {
    let named = event["participant"].as_str().or(event["judge"].as_str());
    named.unwrap_or(if event["type"] == "synthesis_recorded" { "synthesizer" } else { "moderator" })
}

/// Every good answer is in the log once, as it was given; no bad one is anywhere.
fn kept(file: &File, notes: &[CallNote], events: &[Value], result: &Value) -> LogCheck {
    let failed = result["state"] == "failed";
    let public = result["transcript"].to_string();
    let recorded: Vec<(&Value, String)> =
        events.iter().filter(|event| answers(event)).map(|event| (event, event.to_string())).collect();
    for note in notes {
        if note.fate != Fate::Good {
            let said = recorded.iter().any(|(_, text)| text.contains(&note.mark)) || public.contains(&note.mark);
            require!(!said, "a failed answer of {} ({}) was recorded", note.who, note.task);
            continue;
        }
        let of_note: Vec<&Value> = recorded
            .iter()
            .filter(|(event, text)| author(event) == note.who && text.contains(&note.mark))
            .map(|(event, _)| *event)
            .collect();
        // a speaker who takes no point has no reply
        let marked =
            note.text.contains(&note.mark) && !(note.task == "answer points" && note.answer["accept"].is_null());
        require!(
            of_note.len() == 1 || !marked || failed && of_note.is_empty(),
            "the answer of {} ({}) was recorded {} times",
            note.who,
            note.task,
            of_note.len()
        );
        let Some(event) = of_note.first() else { continue };
        if event["type"] == "speech_recorded" {
            let spoken = note.answer["text"].as_str().unwrap_or(&note.text);
            let spoken = spoken.split("\nMy confidence").next().unwrap_or(spoken);
            require!(event["text"] == spoken, "{} said {spoken}, not {}", note.who, event["text"]);
            let stance = file.side(&note.who);
            require!(event["stance"] == json!(stance), "{} speaks for {}", note.who, event["stance"]);
        }
        if event["type"] == "ballot_cast" {
            require!(
                event["choice"] == note.answer["choice"],
                "{} cast {}, not {}",
                note.who,
                note.answer["choice"],
                event["choice"]
            );
        }
        for member in ["confidence", "urgency", "severity"] {
            require!(
                event[member] == note.answer[member] || event["type"] == "speech_recorded",
                "{}: {member} {} is {} in the log",
                note.who,
                note.answer[member],
                event[member]
            );
        }
    }
    Ok(())
}

fn paid(file: &File, notes: &[CallNote], result: &Value) -> LogCheck {
    // calls that still run when a lost seat ends the debate are in no figure
    if file.aborts && result["state"] == "failed" {
        return Ok(());
    }
    let tokens: u64 = notes.iter().filter(|note| note.fate != Fate::Refused).map(|note| note.tokens).sum();
    let usage = &result["usage"];
    let total = usage["prompt_tokens"].as_u64().unwrap_or(0) + usage["completion_tokens"].as_u64().unwrap_or(0);
    let unknown = notes.iter().filter(|note| note.fate == Fate::Refused).count();
    require!(
        usage["calls"] == notes.len() && usage["unknown_calls"] == unknown && total == tokens,
        "{} calls, {unknown} unknown, {tokens} tokens, not {usage}",
        notes.len()
    );
    Ok(())
}

/// After a spent budget only those are asked who decide, and the debate is decided.
fn budgeted(file: &File, notes: &[CallNote], events: &[Value]) -> LogCheck {
    let mut spent = 0;
    for note in notes {
        let speaks = note.schema.is_null() && file.persona(&note.who).is_some();
        require!(
            !speaks || spent < file.budget.unwrap_or(u64::MAX),
            "{} speaks when {spent} tokens are spent",
            note.who
        );
        spent += if note.fate == Fate::Refused { 0 } else { note.tokens };
    }
    let cut = events.iter().any(|event| event["type"] == "seat_skipped" || event["rule"] == "token_budget");
    let end = events.last().unwrap();
    require!(
        !cut || end["reason"]["code"] != "quorum" && end["reason"]["code"] != "turn_failed",
        "a budget failed a debate: {end}"
    );
    Ok(())
}

fn ended(walk: &DebateWalk<'_>, end: &End, events: &[Value], result: &Value) -> LogCheck {
    let code = result["reason"]["code"].as_str();
    // under `abort` the documents do not say which reason a decision without an answer has
    let either =
        walk.file.aborts && end.reason == Some("turn_failed") && matches!(code, Some("no_votes" | "judge_failed"));
    require!(
        result["state"] == end.state && (either || code == end.reason),
        "{} ({code:?}) where {} ({:?}) is due",
        result["state"],
        end.state,
        end.reason
    );
    let stopped = result["stopped_by"]["rule"]
        .as_str()
        .map(|rule| (rule, result["stopped_by"]["round"].as_u64().unwrap_or(0) as u32));
    require!(
        end.state == "failed" || end.stopped.is_none() || stopped == end.stopped,
        "stopped by {stopped:?} where {:?} is due",
        end.stopped
    );
    let mut missing: BTreeMap<&str, i64> = BTreeMap::new();
    let seats = result["missing_seats"].as_array().into_iter().flatten();
    seats.for_each(|seat| *missing.entry(seat["participant"].as_str().unwrap_or_default()).or_default() += 1);
    walk.lost.iter().for_each(|who| *missing.entry(who).or_default() -= 1);
    require!(
        end.state == "failed" || missing.values().all(|count| *count == 0),
        "missing seats, too many and too few: {missing:?}"
    );
    if end.state == "failed" || end.outcome.is_none() {
        return Ok(());
    }
    require!(result["outcome"].as_str() == end.outcome, "{} where {:?} is due", result["outcome"], end.outcome);
    require!(
        result["verdict"]["winner"].as_str() == end.winner.as_deref(),
        "{} won, not {:?}",
        result["verdict"]["winner"],
        end.winner
    );
    if let Some(count) = &end.counts {
        let pairs = result["votes"]["counts"].as_array().into_iter().flatten();
        let found: BTreeMap<String, u64> = pairs
            .map(|pair| (pair[0].as_str().unwrap().to_owned(), pair[1].as_u64().unwrap()))
            .filter(|(_, n)| *n > 0)
            .collect();
        let wanted: BTreeMap<String, u64> = count.counts.clone().into_iter().filter(|(_, n)| *n > 0).collect();
        let (eligible, received, winner) =
            (&result["votes"]["eligible"], &result["votes"]["received"], result["votes"]["winner"].as_str());
        let same = found == wanted
            && *eligible == count.eligible
            && *received == count.received
            && winner == count.winner.as_deref();
        require!(same, "counts {found:?}, {received} of {eligible}, {winner:?} where {count:?} is due");
    }
    agreed(end, events, result)
}

fn agreed(end: &End, events: &[Value], result: &Value) -> LogCheck {
    let verdict = events.iter().find(|event| event["type"] == "verdict_reached").ok_or("no verdict")?;
    let found = &verdict["consensus"];
    require!(found.is_null() == end.consensus.is_none(), "consensus {found} where {:?} is due", end.consensus);
    if let Some(due) = &end.consensus {
        let same = found["answer"].as_str() == due.answer.as_deref()
            && found["top"] == due.top
            && found["eligible"] == due.eligible
            && found["strength"] == due.strength
            && found["source"] == due.source;
        let contested = due.contested.is_none_or(|contested| found["contested"] == contested);
        require!(same && contested, "consensus {found} where {due:?} is due");
        require!(result["consensus"]["strength"] == due.strength, "the result says {}", result["consensus"]);
    }
    let majority = verdict["majority"].as_str().unwrap_or("none");
    require!(end.majority.is_none_or(|due| due == majority), "majority {majority} where {:?} is due", end.majority);
    let moved: std::collections::BTreeSet<String> =
        result["moved"].as_array().into_iter().flatten().filter_map(|name| Some(name.as_str()?.to_owned())).collect();
    require!(end.majority.is_none() || moved == end.moved, "moved: {moved:?} where {:?} are due", end.moved);
    Ok(())
}
