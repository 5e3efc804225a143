//! The instruments. Labelled by what an operator has chosen (hosts, formats, tools) and by a bounded number of models, never by debate or topic.
use crate::label_names::LabelNames;
use crate::names::{attribute, metric};
use crate::observer::{
    CircuitState, DebateClaimed, EvalCellEnd, HostedModel, ModelServer, Permits, ReadEnd, TurnEnd, TurnPlayed,
};
use crate::pipeline::SpanCounts;
use crate::span::{scope, seconds, word};
use crate::task;
use crate::try_spans::{TOOL_FAILED, call_operation};
use agon_core::gate::GateOutcome;
use agon_core::{Admission, Answered, Event, Given, HostId, Measures, Record, Speech, SpeechKind, Timestamp};
use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Gauge, Histogram, Meter, MeterProvider};
use opentelemetry_sdk::metrics::SdkMeterProvider;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// A local model may take ten minutes for an answer, so these go further than the convention's buckets.
const CALL_SECONDS: &[f64] =
    &[0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 163.84, 327.68, 655.36];
const FIRST_CHUNK_SECONDS: &[f64] =
    &[0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 30.0, 60.0, 120.0];
const WORKFLOW_SECONDS: &[f64] = &[1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0];
const WAIT_SECONDS: &[f64] = &[0.001, 0.005, 0.02, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0];
const RPC_SECONDS: &[f64] = &[0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];
const SHARES: &[f64] = &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0];
const TOKENS: &[f64] = &[
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1024.0,
    4096.0,
    16384.0,
    65536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];

pub(crate) struct Instruments {
    token_usage: Histogram<u64>,
    operation_duration: Histogram<f64>,
    first_chunk: Histogram<f64>,
    workflow_duration: Histogram<f64>,
    tool_duration: Histogram<f64>,
    rpc_duration: Histogram<f64>,
    submitted: Counter<u64>,
    completed: Counter<u64>,
    active: Gauge<u64>,
    wait: Histogram<f64>,
    takeovers: Counter<u64>,
    rounds: Counter<u64>,
    failures: Counter<u64>,
    bids: Counter<u64>,
    interruptions: Counter<u64>,
    gate: Counter<u64>,
    evals_active: Gauge<u64>,
    evals_completed: Counter<u64>,
    eval_cells: Counter<u64>,
    agreement: Histogram<f64>,
    stability: Histogram<f64>,
    overtaken: Counter<u64>,
    queue_wait: Histogram<f64>,
    read_ahead: Counter<u64>,
    read_ahead_tokens: Counter<u64>,
    orders_refused: Counter<u64>,
    circuit: Gauge<u64>,
    permits_used: Gauge<u64>,
    permits_limit: Gauge<u64>,
    permits_waiting: Gauge<u64>,
    models: LabelNames,
}

impl Instruments {
    pub(crate) fn new(provider: &SdkMeterProvider, counts: Arc<SpanCounts>) -> Self {
        let meter = provider.meter_with_scope(scope());
        about_the_process(&meter);
        about_spans(&meter, counts);
        let durations = |name, what, buckets| histogram(&meter, name, what, buckets);
        let counter = |name, unit, what| meter.u64_counter(name).with_unit(unit).with_description(what).build();
        let gauge = |name, unit, what| meter.u64_gauge(name).with_unit(unit).with_description(what).build();
        Self {
            token_usage: meter
                .u64_histogram(metric::TOKEN_USAGE)
                .with_unit("{token}")
                .with_description("Tokens of a call, as its server reported them")
                .with_boundaries(TOKENS.to_vec())
                .build(),
            operation_duration: durations(metric::OPERATION_DURATION, "Duration of a call to a model", CALL_SECONDS),
            first_chunk: durations(metric::FIRST_CHUNK, "Time to the first byte of an answer", FIRST_CHUNK_SECONDS),
            workflow_duration: durations(metric::WORKFLOW_DURATION, "Duration of a debate", WORKFLOW_SECONDS),
            tool_duration: durations(metric::TOOL_DURATION, "Duration of a tool's use", CALL_SECONDS),
            rpc_duration: durations(metric::RPC_DURATION, "Duration of a call to this server", RPC_SECONDS),
            submitted: counter(metric::DEBATES_SUBMITTED, "{debate}", "Debates that this process admitted"),
            completed: counter(metric::DEBATES_COMPLETED, "{debate}", "Debates that this process ended"),
            active: gauge(metric::DEBATES_ACTIVE, "{debate}", "Debates that this process coordinates"),
            wait: durations(metric::DEBATES_WAIT, "Time from admission to the first claim", WAIT_SECONDS),
            takeovers: counter(metric::TAKEOVERS, "{debate}", "Debates that this process took over from another owner"),
            rounds: counter(metric::ROUNDS, "{round}", "Rounds that were opened"),
            failures: counter(metric::TURN_FAILURES, "{try}", "Tries of turns that failed"),
            bids: counter(metric::BIDS, "{bid}", "Bids to speak, by what for"),
            interruptions: counter(metric::INTERRUPTIONS, "{speech}", "Speeches that were cut, and words between two"),
            gate: counter(metric::GATE, "{debate}", "Debates whose gate decided, by what it decided"),
            evals_active: gauge(metric::EVALS_ACTIVE, "{eval}", "Evals that this process drives"),
            evals_completed: counter(metric::EVALS_COMPLETED, "{eval}", "Evals that this process ended"),
            eval_cells: counter(metric::EVAL_CELLS, "{cell}", "Cells of evals that are over, by how they ended"),
            agreement: share(&meter, metric::AGREEMENT, "How far the speakers of a round agreed, 0 to 1"),
            stability: share(&meter, metric::STABILITY, "How far the speakers of a round kept their positions, 0 to 1"),
            overtaken: counter(metric::TURNS_OVERTAKEN, "{try}", "Tries that were in vain: decided elsewhere"),
            queue_wait: durations(metric::QUEUE_WAIT, "Time that a turn waited for a permit", WAIT_SECONDS),
            read_ahead: counter(
                metric::READ_AHEAD,
                "{call}",
                "Calls that had a model read ahead of its turn, by how they ended",
            ),
            read_ahead_tokens: counter(
                metric::READ_AHEAD_TOKENS,
                "{token}",
                "Prompt tokens that were evaluated ahead of turns, where the server told",
            ),
            orders_refused: counter(metric::ORDERS_REFUSED, "{order}", "Orders to a host by those who may give none"),
            circuit: gauge(
                metric::CIRCUIT,
                "",
                "State of a breaker: 0 closed, 1 half-open, 2 open; 3 the model server is unreachable",
            ),
            permits_used: gauge(metric::PERMITS_USED, "{call}", "Calls that run"),
            permits_limit: gauge(metric::PERMITS_LIMIT, "{call}", "Calls that may run at once"),
            permits_waiting: gauge(metric::PERMITS_WAITING, "{turn}", "Turns that wait for a permit"),
            models: LabelNames::default(),
        }
    }

    pub(crate) fn admitted(&self, admission: &Admission) {
        let format = KeyValue::new("format", word(&admission.spec.debate_format));
        self.submitted.add(1, &[format, KeyValue::new("priority", admission.priority.as_str())]);
    }

    pub(crate) fn claimed(&self, claimed: &DebateClaimed<'_>) {
        let priority = [KeyValue::new("priority", claimed.admission.priority.as_str())];
        if claimed.epoch <= 1 {
            self.wait.record(seconds(claimed.at.since(claimed.admitted)), &priority);
        } else {
            self.takeovers.add(1, &priority);
        }
    }

    pub(crate) fn recorded(&self, record: &Record) {
        for event in &record.events {
            match event {
                Event::RoundOpened { .. } => self.rounds.add(1, &[]),
                Event::TurnFailed { failure, retry_at, .. } => {
                    let cause = KeyValue::new("cause", failure.cause.as_str());
                    self.failures.add(1, &[cause, KeyValue::new("retried", retry_at.is_some())]);
                }
                Event::Answered(Answered { given, .. }) => self.given(given),
                Event::RoundCompared { measures, .. } => self.measured(measures),
                Event::GateDecided { skip, reason, .. } => {
                    let decision = GateOutcome::of(*skip, *reason);
                    self.gate.add(1, &[KeyValue::new("decision", decision.as_str())]);
                }
                Event::DebateAdmitted(_)
                | Event::Claimed { .. }
                | Event::PhaseEntered { .. }
                | Event::ParticipantPlaced { .. }
                | Event::TurnAsked(_)
                | Event::StageOpened { .. }
                | Event::ToolCalled { .. }
                | Event::SpeechHeard { .. }
                | Event::FallbackDecided { .. }
                | Event::SeatSkipped { .. }
                | Event::LoopEnded { .. }
                | Event::VoteTallied { .. }
                | Event::VerdictReached { .. }
                | Event::DebateInterrupted { .. }
                | Event::DebateResumed { .. }
                | Event::CancelRequested { .. }
                | Event::DebateEnded { .. } => {}
            }
        }
    }

    /// The kinds of answers that have a figure of their own.
    fn given(&self, given: &Given) {
        match given {
            Given::Bid { purpose, .. } => self.bids.add(1, &[KeyValue::new("purpose", purpose.as_str())]),
            Given::Speech(speech) => self.spoken(speech),
            Given::Measures { measures, .. } => self.measured(measures),
            _ => {}
        }
    }

    fn spoken(&self, speech: &Speech) {
        let kind = match (&speech.cut_by, speech.kind) {
            (Some(_), _) => "cut",
            (None, SpeechKind::Interjection) => "interjection",
            (None, _) => return,
        };
        self.interruptions.add(1, &[KeyValue::new("kind", kind)]);
    }

    fn measured(&self, measures: &Measures) {
        let method = [KeyValue::new("method", word(&measures.method))];
        for (histogram, figure) in [(&self.agreement, measures.agreement), (&self.stability, measures.stability)] {
            if let Some(figure) = figure {
                histogram.record(figure, &method);
            }
        }
    }

    /// Takes in a whole log.
    pub(crate) fn ended(&self, log: &[Arc<Record>]) {
        let (Some(first), Some(last)) = (log.first(), log.last()) else { return };
        let Some(Event::DebateAdmitted(admission)) = first.events.first() else { return };
        let Some(Event::DebateEnded { state, outcome, .. }) = last.events.last() else { return };
        let format = word(&admission.spec.debate_format);
        let (state, outcome) = (word(state), outcome.map_or_else(|| "none".to_owned(), |outcome| word(&outcome)));
        // coordinators alone have recorded these two
        let claimed =
            log.iter().find(|record| record.events.iter().any(|event| matches!(event, Event::Claimed { .. })));
        let left_out = log.iter().scan(first.at, |before, record| {
            let at = std::mem::replace(before, record.at);
            record.events.iter().map(|event| event.left_out_ms(at, record.at)).max()
        });
        let lasted = last.at.since(claimed.unwrap_or(first).at).saturating_sub(left_out.sum());
        let duration = seconds(lasted);
        let workflow = KeyValue::new(attribute::WORKFLOW, format.clone());
        self.workflow_duration.record(duration, &[workflow, KeyValue::new("state", state.clone())]);
        let labels = [("format", format), ("state", state), ("outcome", outcome)];
        self.completed.add(1, &labels.map(|(key, value)| KeyValue::new(key, value)));
    }

    pub(crate) fn played(&self, played: &TurnPlayed<'_>) {
        let place = self.labels(HostedModel { host: played.host, model: &played.ask.model });
        if let Some(waited) = played.call.timing.queue_ms {
            self.queue_wait.record(seconds(waited), &place);
        }
        if played.end == TurnEnd::Overtaken || played.won == Some(false) {
            self.overtaken.add(1, &place);
        }
        if let (Some(sent), Some(server)) = (played.sent, played.server) {
            self.called(played, sent, server);
        }
        self.used(played);
    }

    /// The tools of a try, by the names of the host's configuration: an MCP server counts as one.
    fn used(&self, played: &TurnPlayed<'_>) {
        for used in &played.call.tools {
            let name = task::tool(played.admission, &played.ask.participant, &used.tool).unwrap_or(task::OTHER_TOOL);
            let mut labels = vec![KeyValue::new(attribute::TOOL, name.to_owned())];
            labels.extend(used.error.as_ref().map(|_| KeyValue::new(attribute::ERROR_TYPE, TOOL_FAILED)));
            self.tool_duration.record(seconds(used.duration_ms), &labels);
        }
    }

    fn called(&self, played: &TurnPlayed<'_>, sent: Timestamp, server: &ModelServer) {
        let (usage, timing) = (&played.call.usage, &played.call.timing);
        let mut labels = vec![
            KeyValue::new(attribute::OPERATION, call_operation(&played.ask.task.work)),
            KeyValue::new(attribute::PROVIDER, server.provider),
            KeyValue::new(attribute::REQUEST_MODEL, self.models.of(played.host.as_str(), played.ask.model.as_str())),
            KeyValue::new(attribute::SERVER_ADDRESS, server.address.clone()),
        ];
        labels.extend(server.port.map(|port| KeyValue::new(attribute::SERVER_PORT, i64::from(port))));
        let answered = played.response_model.map(|name| self.models.of(played.host.as_str(), name));
        labels.extend(answered.map(|name| KeyValue::new(attribute::RESPONSE_MODEL, name)));
        for (kind, tokens) in [("input", usage.prompt_tokens), ("output", usage.completion_tokens)] {
            if let Some(tokens) = tokens {
                let kind = KeyValue::new(attribute::TOKEN_TYPE, kind);
                self.token_usage.record(tokens, &[labels.as_slice(), &[kind]].concat());
            }
        }
        if let Some(first) = timing.first_byte_ms {
            self.first_chunk.record(seconds(first), &labels);
        }
        let failure = match played.end {
            TurnEnd::Failed(failure) if played.call.finish_reason.is_none() => Some(failure.cause.as_str()),
            TurnEnd::Overtaken => Some("cancelled"),
            TurnEnd::Failed(_) | TurnEnd::Answered => None,
        };
        labels.extend(failure.map(|cause| KeyValue::new(attribute::ERROR_TYPE, cause)));
        let total = timing.total_ms.unwrap_or_else(|| played.ended.since(sent));
        self.operation_duration.record(seconds(total), &labels);
    }

    pub(crate) fn breaker(&self, gate: HostedModel<'_>, state: CircuitState) {
        let number = match state {
            CircuitState::Closed => 0,
            CircuitState::HalfOpen => 1,
            CircuitState::Open => 2,
            CircuitState::Away => 3,
        };
        self.circuit.record(number, &self.labels(gate));
    }

    pub(crate) fn read_ahead(&self, gate: HostedModel<'_>, end: ReadEnd) {
        let labels = self.labels(gate);
        self.read_ahead.add(1, &[labels.as_slice(), &[KeyValue::new("end", end.as_str())]].concat());
        if let ReadEnd::Read(usage) = end
            && let (Some(prompt), Some(cached)) = (usage.prompt_tokens, usage.cached_tokens)
        {
            self.read_ahead_tokens.add(prompt.saturating_sub(cached), &labels);
        }
    }

    pub(crate) fn order_refused(&self, host: &HostId) {
        self.orders_refused.add(1, &[KeyValue::new("host", host.to_string())]);
    }

    pub(crate) fn permits(&self, gate: HostedModel<'_>, permits: Permits) {
        let labels = self.labels(gate);
        let Permits { in_use, limit, waiting } = permits;
        for (gauge, count) in
            [(&self.permits_used, in_use), (&self.permits_limit, limit), (&self.permits_waiting, waiting)]
        {
            gauge.record(count as u64, &labels);
        }
    }

    pub(crate) fn active(&self, count: usize) {
        self.active.record(count as u64, &[]);
    }

    pub(crate) fn evals_active(&self, count: usize) {
        self.evals_active.record(count as u64, &[]);
    }

    pub(crate) fn eval_cell_closed(&self, end: EvalCellEnd) {
        let EvalCellEnd { grades, state, reused } = end;
        let kind = if grades { "grading" } else { "answer" };
        let labels = [KeyValue::new("kind", kind), KeyValue::new("state", state), KeyValue::new("reused", reused)];
        self.eval_cells.add(1, &labels);
    }

    pub(crate) fn eval_ended(&self, state: &str) {
        self.evals_completed.add(1, &[KeyValue::new("state", state.to_owned())]);
    }

    pub(crate) fn rpc(&self, labels: &[KeyValue], took: Duration) {
        self.rpc_duration.record(took.as_secs_f64(), labels);
    }

    fn labels(&self, gate: HostedModel<'_>) -> [KeyValue; 2] {
        let model = self.models.of(gate.host.as_str(), gate.model.as_str());
        [KeyValue::new("host", gate.host.to_string()), KeyValue::new("model", model)]
    }
}

fn histogram(meter: &Meter, name: &'static str, what: &'static str, buckets: &[f64]) -> Histogram<f64> {
    meter.f64_histogram(name).with_unit("s").with_description(what).with_boundaries(buckets.to_vec()).build()
}

fn share(meter: &Meter, name: &'static str, what: &'static str) -> Histogram<f64> {
    meter.f64_histogram(name).with_description(what).with_boundaries(SHARES.to_vec()).build()
}

fn about_the_process(meter: &Meter) {
    let started = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    meter
        .f64_observable_gauge(metric::START_TIME)
        .with_unit("s")
        .with_description("Start of this process, as Unix time")
        .with_callback(move |gauge| gauge.observe(started, &[]))
        .build();
    meter
        .u64_observable_gauge(metric::BUILD_INFO)
        .with_description("Always 1; labelled by the version and the revision of the sources")
        .with_callback(|gauge| {
            let labels = [("version", env!("CARGO_PKG_VERSION")), ("revision", crate::REVISION)];
            gauge.observe(1, &labels.map(|(name, value)| KeyValue::new(name, value)));
        })
        .build();
}

fn about_spans(meter: &Meter, counts: Arc<SpanCounts>) {
    meter
        .u64_observable_counter(metric::SPANS)
        .with_unit("{span}")
        .with_description(
            "Spans, by what became of them: exported, failed (refused by the collector), dropped (queue full)",
        )
        .with_callback(move |counter| {
            for (state, count) in counts.read() {
                counter.observe(count, &[KeyValue::new("state", state)]);
            }
        })
        .build();
}
