//! A debate as the API shows it, folded from its log or taken from the catalogue.
use super::figures::with_figures;
use crate::error::Problem;
use agon_core::{
    CallProgress, Debate, DebateId, DebateState, Event, Halt, Position, Priority, Reason, Record, Timestamp,
};
use agon_proto::pb::v1 as pb;
use agon_proto::{DebateSummary, SummaryState};
use agon_report::{DebateResult, Minutes, Prices};
use agon_telemetry::{SpanPlace, TraceContext};
use prost_types::value::Kind;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// A log and what it says.
pub(crate) struct FoldedLog {
    pub records: Vec<Arc<Record>>,
    pub debate: Debate,
    /// What calls cost.
    pub prices: Arc<Prices>,
    /// Nobody plays it, although it has not ended.
    pub halt: Option<Halt>,
}

/// What is shown beside the fold.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ViewExtras<'a> {
    /// With spec and result.
    pub full: bool,
    /// The debate is ordered to end.
    pub cancelling: bool,
    /// The hash of the log's last record.
    pub log_head: Option<&'a str>,
}

impl FoldedLog {
    pub fn of(debate: &DebateId, records: Vec<Arc<Record>>, prices: Arc<Prices>) -> Result<Self, Problem> {
        let folded = Debate::fold(records.iter().map(Arc::as_ref));
        let folded = folded.ok_or_else(|| Problem::no_debate(debate))?;
        Ok(Self { records, debate: folded, prices, halt: None })
    }

    /// How far the debate is with the event at that position.
    pub fn progress(&self, until: Position) -> CallProgress {
        let entries = self.records.iter().flat_map(|record| record.entries());
        CallProgress::of(entries.take_while(|(position, _)| *position <= until).map(|(_, event)| event))
    }

    /// Its events as watchers are shown them, in order, each with its place and time.
    pub fn shown_events(&self) -> impl Iterator<Item = (Position, Timestamp, Cow<'_, Event>)> {
        let spec = self.debate.spec();
        self.records.iter().flat_map(move |record| {
            let shown = |(position, event)| Some((position, record.at, agon_report::for_clients(spec, event)?));
            record.entries().filter_map(shown)
        })
    }

    /// The log as the reports read it.
    pub fn minutes(&self, log_head: Option<&str>) -> Result<Minutes<'_>, Problem> {
        let minutes = Minutes::from_records(self.records.iter().map(Arc::as_ref));
        let minutes = minutes.map_err(|error| Problem::Internal(error.to_string()))?;
        let minutes = minutes.with_prices(&self.prices).halted(self.halt);
        Ok(match log_head {
            Some(hash) => minutes.with_log_head(hash),
            None => minutes,
        })
    }

    /// The debate as a resource.
    pub fn resource(&self, shown: ViewExtras<'_>) -> Result<pb::Debate, Problem> {
        let facts = LogFacts::of(&self.records);
        let admission = self.debate.admission();
        let state = match (self.debate.ended(), self.halt, self.debate.halt()) {
            (Some((state, _)), _, _) => ended(state),
            (None, Some(halt), _) => halted(halt),
            (None, None, _) if shown.cancelling || facts.cancelled => pb::debate::State::Cancelling,
            (None, None, Some(halt)) => halted(halt),
            (None, None, None) if facts.claimed.is_some() => pb::debate::State::Running,
            (None, None, None) => pb::debate::State::Queued,
        };
        let identified = identity(&admission.id);
        let mut resource = pb::Debate {
            state: state.into(),
            outcome: self.debate.ended().and_then(|(_, outcome)| outcome).map_or(0, outcome_number),
            reason: facts.reason.map(Into::into),
            create_time: facts.first.map(timestamp),
            start_time: facts.claimed.map(timestamp),
            update_time: facts.last.map(timestamp),
            end_time: self.debate.ended().and(facts.last).map(timestamp),
            labels: admission.labels.clone(),
            creator: admission.creator.clone(),
            rehearsal: admission.rehearsal,
            priority: priority_number(admission.priority),
            sequence: self.debate.position().0,
            paused_ms: self.debate.left_out_ms(),
            rounds: Some(self.debate.rounds()),
            topic: admission.spec.topic.clone(),
            ..with_figures(identified, &self.debate.summary_figures(), self.debate.rounds(), &self.prices)
        };
        if shown.full {
            resource.spec = Some((&admission.spec).into());
            resource.result = Some(self.result(shown.log_head)?);
        }
        Ok(resource)
    }

    fn result(&self, log_head: Option<&str>) -> Result<prost_types::Struct, Problem> {
        match to_proto(self.result_json(log_head)?).kind {
            Some(Kind::StructValue(members)) => Ok(members),
            _ => Err(Problem::Internal("a result is no object".to_owned())),
        }
    }

    /// The result as `agon run --json` prints it, under the name that the caller knows.
    pub fn result_json(&self, log_head: Option<&str>) -> Result<Value, Problem> {
        let mut result = DebateResult::of(&self.minutes(log_head)?);
        result.id = self.debate.admission().id.name().to_owned();
        serde_json::to_value(result).map_err(|error| Problem::Internal(error.to_string()))
    }
}

/// What the fold does not keep.
#[derive(Default)]
struct LogFacts<'a> {
    first: Option<Timestamp>,
    claimed: Option<Timestamp>,
    last: Option<Timestamp>,
    cancelled: bool,
    reason: Option<&'a Reason>,
}

impl<'a> LogFacts<'a> {
    fn of(records: &'a [Arc<Record>]) -> Self {
        let mut facts = Self { first: records.first().map(|record| record.at), ..Self::default() };
        for record in records {
            facts.last = Some(record.at);
            record.events.iter().for_each(|event| facts.take(record.at, event));
        }
        facts
    }
    fn take(&mut self, at: Timestamp, event: &'a Event) {
        match event {
            Event::Claimed { .. } => self.claimed = self.claimed.or(Some(at)),
            Event::CancelRequested { .. } => self.cancelled = true,
            Event::DebateInterrupted { reason } => self.reason = Some(reason),
            Event::DebateResumed { .. } => self.reason = None,
            Event::DebateEnded { reason, .. } => self.reason = reason.as_ref(),
            _ => {}
        }
    }
}

/// A debate as lists show it, without figures where an earlier version noted it. A hint: the log may be further.
pub(crate) fn listed(summary: &DebateSummary, prices: &Prices, cancelling: bool) -> pb::Debate {
    let (state, outcome) = match &summary.state {
        SummaryState::Ended { state, outcome } => (ended(*state), *outcome),
        SummaryState::Queued | SummaryState::Running { .. } | SummaryState::Local | SummaryState::Halted(_)
            if cancelling =>
        {
            (pb::debate::State::Cancelling, None)
        }
        SummaryState::Halted(halt) => (halted(*halt), None),
        SummaryState::Queued => (pb::debate::State::Queued, None),
        SummaryState::Running { .. } | SummaryState::Local => (pb::debate::State::Running, None),
    };
    let identified = identity(&summary.id);
    let known = match &summary.figures {
        Some(figures) => with_figures(identified, figures, summary.rounds.unwrap_or(0), prices),
        None => identified,
    };
    pb::Debate {
        state: state.into(),
        outcome: outcome.map_or(0, outcome_number),
        create_time: Some(timestamp(summary.admitted)),
        start_time: summary.claimed.map(timestamp),
        update_time: Some(timestamp(summary.updated)),
        end_time: summary.state.is_over().then(|| timestamp(summary.updated)),
        labels: summary.labels.clone(),
        creator: summary.creator.clone(),
        rehearsal: summary.rehearsal,
        priority: priority_number(summary.priority),
        sequence: summary.last.0,
        paused_ms: summary.paused_ms,
        rounds: summary.rounds,
        topic: summary.topic.clone(),
        ..known
    }
}

/// A debate whose log is gone, as far as the catalogue knew it.
pub(crate) fn lost(summary: &DebateSummary, prices: &Prices) -> pb::Debate {
    let detail = format!("{}; its last known event was {}", crate::error::LOST, summary.last.0);
    let reason = agon_proto::pb::debate::v1::Reason { code: 0, detail: Some(detail) };
    pb::Debate {
        state: pb::debate::State::Lost.into(),
        outcome: 0,
        reason: Some(reason),
        ..listed(summary, prices, false)
    }
}

/// Names and trace.
pub(crate) fn identity(debate: &DebateId) -> pb::Debate {
    pb::Debate {
        name: format!("debates/{}", debate.name()),
        id: debate.name().to_owned(),
        trace_id: TraceContext::of(debate, SpanPlace::Debate, true).trace_hex(),
        ..pb::Debate::default()
    }
}

fn ended(state: DebateState) -> pb::debate::State {
    match state {
        DebateState::Succeeded => pb::debate::State::Succeeded,
        DebateState::Failed => pb::debate::State::Failed,
        DebateState::Cancelled => pb::debate::State::Cancelled,
    }
}

fn halted(halt: Halt) -> pb::debate::State {
    match halt {
        Halt::Paused => pb::debate::State::Paused,
        Halt::Interrupted => pb::debate::State::Interrupted,
    }
}

fn outcome_number(outcome: agon_core::Outcome) -> i32 {
    agon_proto::pb::debate::v1::Outcome::from(outcome).into()
}

pub(crate) fn priority_number(priority: Priority) -> i32 {
    agon_proto::pb::debate::v1::Priority::from(priority).into()
}

/// A moment in the wire's form.
pub(crate) fn timestamp(at: Timestamp) -> prost_types::Timestamp {
    let nanos = i32::try_from(at.0 % 1_000).unwrap_or(0) * 1_000_000;
    prost_types::Timestamp { seconds: i64::try_from(at.0 / 1_000).unwrap_or(i64::MAX), nanos }
}

/// JSON as a protobuf value.
fn to_proto(value: Value) -> prost_types::Value {
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(flag) => Kind::BoolValue(flag),
        Value::Number(number) => Kind::NumberValue(number.as_f64().unwrap_or(f64::NAN)),
        Value::String(text) => Kind::StringValue(text),
        Value::Array(items) => {
            Kind::ListValue(prost_types::ListValue { values: items.into_iter().map(to_proto).collect() })
        }
        Value::Object(members) => Kind::StructValue(prost_types::Struct {
            fields: members.into_iter().map(|(name, value)| (name, to_proto(value))).collect(),
        }),
    };
    prost_types::Value { kind: Some(kind) }
}
