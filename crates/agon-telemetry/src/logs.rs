//! The process's log: text for people or JSON for machines, each line with its debate and trace where it has them.
use crate::context::TraceContext;
use crate::names::attribute;
use crate::rpc::TRACED;
use agon_core::DebateId;
use opentelemetry_sdk::trace::SdkTracer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fmt;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::filter::{EnvFilter, filter_fn};
use tracing_subscriber::fmt::format::{JsonFields, Writer};
use tracing_subscriber::fmt::time::{FormatTime, SystemTime as Clock};
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{Layer, Registry};

/// How log lines look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// The log of the process.
pub struct LogConfig {
    /// How its lines look.
    pub format: LogFormat,
    /// What it says, as `tracing` filters are written: `warn,agon_runtime=info`.
    pub filter: String,
    /// Colours in text lines.
    pub ansi: bool,
    /// Where it goes; standard error by default.
    pub writer: Option<BoxMakeWriter>,
}
impl Default for LogConfig {
    fn default() -> Self {
        Self { format: LogFormat::Text, filter: "info".to_owned(), ansi: false, writer: None }
    }
}
impl fmt::Debug for LogConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, filter, ansi, writer: _ } = self;
        f.debug_struct("LogConfig").field("format", format).field("filter", filter).field("ansi", ansi).finish()
    }
}

/// The log and the tracer of code spans as one subscriber. Each has its own filter: a filter over both would tear spans
/// out of traces.
pub(crate) fn subscriber(
    log: LogConfig,
    filter: EnvFilter,
    tracer: Option<SdkTracer>,
) -> impl Subscriber + Send + Sync {
    let writer = log.writer.unwrap_or_else(|| BoxMakeWriter::new(std::io::stderr));
    let layer = tracing_subscriber::fmt::layer().with_writer(writer).with_ansi(log.ansi);
    let lines: Box<dyn Layer<Registry> + Send + Sync> = match log.format {
        LogFormat::Text => layer.event_format(TextLines).with_filter(filter).boxed(),
        LogFormat::Json => layer.fmt_fields(JsonFields::new()).event_format(JsonLines).with_filter(filter).boxed(),
    };
    tracing_subscriber::registry().with(lines).with(tracer.map(code_spans))
}

/// Code spans that ask for it, and warnings inside them. The transport's own spans never: they would feed themselves.
fn code_spans<S>(tracer: SdkTracer) -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    tracing_opentelemetry::layer()
        .with_tracer(tracer)
        .with_location(false)
        .with_threads(false)
        .with_target(false)
        .with_tracked_inactivity(false)
        .with_error_events_to_status(false)
        .with_filter(filter_fn(is_traced))
}

fn is_traced(metadata: &Metadata<'_>) -> bool {
    if metadata.is_span() {
        return metadata.target() == TRACED;
    }
    *metadata.level() <= LevelFilter::WARN && metadata.target().starts_with("agon")
}

/// What the filter says, and silence from the telemetry's own machinery, whose failures are told by us.
pub(crate) fn filter(text: &str) -> Result<EnvFilter, tracing_subscriber::filter::ParseError> {
    let machinery = ["opentelemetry", "opentelemetry_sdk", "opentelemetry-otlp", "opentelemetry-prometheus"];
    let quiet = machinery.into_iter().filter(|name| !text.contains(name)).map(|name| format!(",{name}=off"));
    EnvFilter::try_new(format!("{text}{}", quiet.collect::<String>()))
}

/// The fields of an event, and of the spans around it.
#[derive(Default)]
struct LogFields(Map<String, Value>);

impl LogFields {
    fn of<S, N>(ctx: &FmtContext<'_, S, N>, event: &Event<'_>) -> Self
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
        N: for<'a> FormatFields<'a> + 'static,
    {
        let mut fields = Self::default();
        for span in ctx.event_scope().into_iter().flat_map(|scope| scope.from_root()) {
            let extensions = span.extensions();
            let formatted = extensions.get::<FormattedFields<N>>().map(|formatted| formatted.fields.as_str());
            if let Some(Ok(Value::Object(own))) = formatted.map(serde_json::from_str) {
                fields.0.extend(own);
            }
        }
        event.record(&mut fields);
        fields
    }

    /// Takes the debate out, under whichever of its names.
    fn take_debate(&mut self) -> Option<DebateId> {
        let names = ["debate_id", "debate", attribute::DEBATE];
        let texts = names.map(|name| self.0.shift_remove(name));
        texts.into_iter().flatten().find_map(|text| DebateId::parse(text.as_str()?).ok())
    }
}

impl Visit for LogFields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.insert(field.name().to_owned(), json!(value));
    }
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().to_owned(), json!(value));
    }
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), json!(value));
    }
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name().to_owned(), json!(value));
    }
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), json!(value));
    }
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name().to_owned(), json!(format!("{value:?}")));
    }
}

/// The trace of a line: its debate's, else the code span's that it was written in.
fn trace_of(debate: Option<&DebateId>) -> Option<TraceContext> {
    debate.map(|debate| TraceContext::of(debate, crate::SpanPlace::Debate, true)).or_else(TraceContext::current)
}

struct JsonLines;

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, ctx: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut fields = LogFields::of(ctx, event);
        let debate = fields.take_debate();
        let mut line = Map::new();
        let mut now = String::new();
        Clock.format_time(&mut Writer::new(&mut now))?;
        line.insert("timestamp".to_owned(), json!(now));
        line.insert("level".to_owned(), json!(event.metadata().level().as_str()));
        line.insert("target".to_owned(), json!(event.metadata().target()));
        line.extend(fields.0.shift_remove_entry("message"));
        line.extend(trace_of(debate.as_ref()).map(|trace| ("trace_id".to_owned(), json!(trace.trace_hex()))));
        line.extend(debate.map(|debate| ("debate_id".to_owned(), json!(debate.as_str()))));
        line.extend(fields.0);
        writeln!(writer, "{}", Value::Object(line))
    }
}

struct TextLines;

impl<S, N> FormatEvent<S, N> for TextLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, ctx: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let metadata = event.metadata();
        Clock.format_time(&mut writer)?;
        match writer.has_ansi_escapes() {
            true => write!(writer, " \x1b[{}m{:>5}\x1b[0m ", colour(*metadata.level()), metadata.level())?,
            false => write!(writer, " {:>5} ", metadata.level())?,
        }
        write!(writer, "{}: ", metadata.target())?;
        ctx.format_fields(writer.by_ref(), event)?;
        let debate = LogFields::of(ctx, event).take_debate();
        if let Some(trace) = trace_of(debate.as_ref()) {
            write!(writer, " trace_id={}", trace.trace_hex())?;
        }
        writer.write_char('\n')
    }
}

fn colour(level: tracing::Level) -> u8 {
    match level {
        tracing::Level::ERROR => 31,
        tracing::Level::WARN => 33,
        tracing::Level::INFO => 32,
        tracing::Level::DEBUG => 34,
        tracing::Level::TRACE => 35,
    }
}
