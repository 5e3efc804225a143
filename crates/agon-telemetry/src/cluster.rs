//! What gateways tell of the whole cluster. Each tells all of it, so that a reader takes the highest and not the sum.
use crate::label_names::largest;
use crate::names::metric;
use agon_core::Priority;
use opentelemetry::KeyValue;
use opentelemetry::metrics::Meter;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How the debates of the cluster stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebateFigures {
    /// Those that nobody has taken yet.
    pub queued: BTreeMap<Priority, u64>,
    /// How long the one of them waits that was admitted first; zero where none does.
    pub oldest: Duration,
    /// Those that were taken and are not over.
    pub running: u64,
    /// Those of them that nobody leads any more; none where that cannot be known yet.
    pub stalled: Option<u64>,
}

/// What a stream of the cluster holds, and how much it may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamFigures {
    /// Bytes that it holds now.
    pub bytes: u64,
    /// The most bytes, where they are limited.
    pub byte_limit: Option<u64>,
    /// Messages that it holds now.
    pub messages: u64,
    /// The most messages, where they are limited; else messages are not told either.
    pub message_limit: Option<u64>,
}

/// Takes what a gateway knows of the cluster. What it does not know is not told at all: an old figure would look like a true one.
#[derive(Clone, Default)]
pub struct ClusterMetrics(Arc<Mutex<ClusterFigures>>);

/// What a gateway knows of the cluster; what is absent is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterFigures {
    /// How the debates stand.
    pub debates: Option<DebateFigures>,
    /// Turns in the queue of each model.
    pub turns: Option<BTreeMap<String, u64>>,
    /// How full each stream is, by its name.
    pub streams: BTreeMap<String, StreamFigures>,
}

impl ClusterMetrics {
    /// Tells nobody.
    pub fn silent() -> Self {
        Self::default()
    }

    /// How the debates stand; nothing where that is not known.
    pub fn debates(&self, figures: Option<DebateFigures>) {
        self.lock().debates = figures;
    }

    /// How many turns are in the queue of each model, the longest queues by name; nothing where that is not known.
    pub fn turns(&self, queued: Option<BTreeMap<String, u64>>) {
        self.lock().turns = queued.map(largest);
    }

    /// How full each stream is; those that are not named are not known.
    pub fn streams(&self, figures: BTreeMap<String, StreamFigures>) {
        self.lock().streams = figures;
    }

    /// What is exported now.
    pub fn figures(&self) -> ClusterFigures {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, ClusterFigures> {
        // every change leaves it whole
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn register(&self, meter: &Meter) {
        let queued = "Debates of the cluster that no coordinator has taken yet";
        self.gauge(meter, (metric::DEBATES_QUEUED, "{debate}"), queued, |figures, tell| {
            let Some(debates) = &figures.debates else { return };
            for priority in Priority::ALL {
                let count = debates.queued.get(&priority).copied().unwrap_or(0);
                tell(count, &[KeyValue::new("priority", priority.as_str())]);
            }
        });
        let cluster = self.clone();
        meter
            .f64_observable_gauge(metric::QUEUED_OLDEST)
            .with_unit("s")
            .with_description("How long the first admitted debate without a coordinator has waited")
            .with_callback(move |gauge| {
                if let Some(debates) = &cluster.lock().debates {
                    gauge.observe(debates.oldest.as_secs_f64(), &[]);
                }
            })
            .build();
        self.register_streams(meter);
        let running = "Debates of the cluster that were taken and are not over";
        self.gauge(meter, (metric::DEBATES_RUNNING, "{debate}"), running, |figures, tell| {
            figures.debates.iter().for_each(|debates| tell(debates.running, &[]));
        });
        let stalled = "Running debates of the cluster without a living owner";
        self.gauge(meter, (metric::DEBATES_STALLED, "{debate}"), stalled, |figures, tell| {
            figures.debates.iter().filter_map(|debates| debates.stalled).for_each(|count| tell(count, &[]));
        });
        let turns = "Turns in the queues of the cluster's models, pulled ones included";
        self.gauge(meter, (metric::TURNS_QUEUED, "{turn}"), turns, |figures, tell| {
            for (model, count) in figures.turns.iter().flatten() {
                tell(*count, &[KeyValue::new("model", model.clone())]);
            }
        });
    }

    fn register_streams(&self, meter: &Meter) {
        let bytes = |name, what, of| Stream { name, unit: "By", what, of };
        let messages = |name, what, of| Stream { name, unit: "{message}", what, of };
        let gauges = [
            bytes(metric::STREAM_BYTES, "Bytes in a stream of the cluster", |stream| Some(stream.bytes)),
            bytes(metric::STREAM_BYTES_LIMIT, "Bytes that the stream may hold", |stream| stream.byte_limit),
            messages(metric::STREAM_MESSAGES, "Messages in a stream of the cluster that limits them", |stream| {
                stream.message_limit.map(|_| stream.messages)
            }),
            messages(metric::STREAM_MESSAGES_LIMIT, "Messages that the stream may hold", |stream| stream.message_limit),
        ];
        for Stream { name, unit, what, of } in gauges {
            self.gauge(meter, (name, unit), what, move |figures, tell| {
                for (stream, figures) in &figures.streams {
                    if let Some(figure) = of(figures) {
                        tell(figure, &[KeyValue::new("stream", stream.clone())]);
                    }
                }
            });
        }
    }

    /// A gauge whose figures are told from what is known then.
    fn gauge(
        &self,
        meter: &Meter,
        (name, unit): (&'static str, &'static str),
        what: &'static str,
        figures: impl Fn(&ClusterFigures, &dyn Fn(u64, &[KeyValue])) + Send + Sync + 'static,
    ) {
        let cluster = self.clone();
        let gauge = meter.u64_observable_gauge(name).with_unit(unit).with_description(what);
        gauge
            .with_callback(move |gauge| figures(&cluster.lock(), &|figure, labels| gauge.observe(figure, labels)))
            .build();
    }
}

/// A figure of each stream.
struct Stream {
    name: &'static str,
    unit: &'static str,
    what: &'static str,
    of: fn(&StreamFigures) -> Option<u64>,
}
