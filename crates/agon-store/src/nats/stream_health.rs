//! Looks now and then whether the streams that this process uses are there, and how much room is left in them. What it found is answered
//! from memory.
use super::NatsStoreConfig;
use super::admission::StreamTraffic;
use super::js::Js;
use super::setup::{self, NatsUse};
use super::subjects::{self, EVALS, JOBS, PARTS, REGISTERS};
use super::write_probe::WriteProbe;
use crate::condition::Condition;
use crate::lock::lock;
use agon_bus::nats::provision::{ProvisionError, find_stream};
use agon_bus::nats::{Access, LinkState, NatsLink, PermissionViolation, QUEUE_STREAM};
use agon_core::Timestamp;
use async_nats::jetstream::stream::Info;
use futures_util::{StreamExt as _, stream};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// The pause between two looks while all is well.
const PAUSE: Duration = Duration::from_secs(5);
/// The same while something is not, or a stream is more than half full.
const SHORT_PAUSE: Duration = Duration::from_secs(1);
/// This part of a stream is never written to, whatever its reserve.
const MARGIN: u64 = 256;
/// Where there is no room for a record of so many bytes, there is none for evals: nearly all of their records are smaller.
const EVAL_RECORD: u64 = 16 << 10;
/// So many streams are asked for at once.
const AT_ONCE: usize = 16;
/// How long a write that was refused for want of room counts. Then it is tried again, for nothing else tells that a disk has room.
const REFUSED_FOR: Duration = Duration::from_secs(10);
/// How long a write that this user may not do counts: whoever waits for the store tries again more often than that.
const DENIED_FOR: Duration = Duration::from_secs(30);
/// How long it counts that a stream said nothing to a message. Then another write has to try.
const SILENT_FOR: Duration = Duration::from_secs(60);
/// A debate that was admitted so long after the first message of its stream has its log. Clocks may differ by as much.
const CLOCKS: u64 = 60_000;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct StreamHealth {
    inner: Mutex<HealthState>,
    /// What was written since the last look.
    pub(super) traffic: StreamTraffic,
    /// Something was found that is to be looked at.
    woken: Notify,
}

#[derive(Debug, Default)]
struct HealthState {
    condition: Condition,
    /// Why a stream took no message, and when.
    refused: BTreeMap<String, (String, Instant)>,
    /// How full the streams are that are limited.
    fills: BTreeMap<String, StreamFill>,
    /// The streams that have said nothing to a message, and since when.
    silent: BTreeMap<String, Instant>,
    /// How often the connection had been made again by the last look.
    reconnects: u64,
    /// What this user was refused last, by what it is for, and when.
    denied: BTreeMap<&'static str, (PermissionViolation, Instant)>,
    /// The streams that were not there at the last look.
    missing: BTreeSet<String>,
    /// The consumers of jobs that have not answered since they were last asked.
    unanswered: BTreeSet<String>,
    /// Logs that were begun before this moment may be gone from a stream, in milliseconds since 1970.
    begins: HashMap<String, u64>,
    /// How many results of turns are kept.
    registers: u64,
}

impl StreamHealth {
    /// How the store is.
    pub(crate) fn condition(&self) -> Condition {
        let mut inner = lock(&self.inner);
        inner.refused.retain(|_, (_, at)| at.elapsed() < REFUSED_FOR);
        inner.denied.retain(|_, (_, at)| at.elapsed() < DENIED_FOR);
        let mut condition = inner.condition.clone();
        condition.broken.extend(inner.denied.values().map(|(violation, _)| {
            format!("this user of NATS may not {violation}; `agon nats config` prints what its role needs")
        }));
        condition.exhausted.extend(inner.refused.values().map(|(text, _)| text.clone()));
        condition
    }

    /// How many registers there were at the last look.
    pub(crate) fn registers(&self) -> u64 {
        lock(&self.inner).registers
    }

    /// How full a stream was at the last look.
    pub(crate) fn fill(&self, stream: &str) -> StreamFill {
        lock(&self.inner).fills.get(stream).copied().unwrap_or(StreamFill::Light)
    }

    /// What may have to be set up again, by name: nothing is asked for it.
    pub(crate) fn missing(&self) -> BTreeSet<String> {
        let inner = lock(&self.inner);
        inner.missing.union(&inner.unanswered).cloned().collect()
    }

    /// Whether a consumer of jobs has answered.
    pub(crate) fn asked(&self, consumer: &str, answered: bool) {
        let mut inner = lock(&self.inner);
        match answered {
            true => inner.unanswered.remove(consumer),
            false => inner.unanswered.insert(consumer.to_owned()),
        };
    }

    /// Takes note of what this user was refused since `seen` refusals had been; gives how many there are now.
    fn note_denied(&self, link: &NatsLink, seen: u64) -> u64 {
        let LinkState { permission_violations: now, recent_violations: recent, .. } = link.state();
        let new = usize::try_from(now.saturating_sub(seen)).unwrap_or(usize::MAX).min(recent.len());
        let mut inner = lock(&self.inner);
        for violation in recent.into_iter().rev().take(new) {
            let kind = match violation.access {
                Access::Publish => subjects::needed_kind(&violation.subject),
                Access::Subscribe => Some("what it listens to"),
            };
            if let Some(kind) = kind {
                inner.denied.insert(kind, (violation, Instant::now()));
            }
        }
        now
    }

    /// A stream took no message for want of room.
    pub(crate) fn refused(&self, stream: &str, detail: &str) {
        let text = format!("{} ({detail}); {}", named(stream), remedy(stream, detail));
        lock(&self.inner).refused.insert(stream.to_owned(), (text, Instant::now()));
    }

    /// A stream has said nothing to a message.
    pub(crate) fn silent(&self, stream: &str) {
        lock(&self.inner).silent.insert(stream.to_owned(), Instant::now());
        self.woken.notify_one();
    }

    /// A stream has said something to a message.
    pub(crate) fn answered(&self, stream: &str) {
        lock(&self.inner).silent.remove(stream);
    }

    /// A stream has taken a message.
    pub(crate) fn taken(&self, stream: &str) {
        lock(&self.inner).refused.remove(stream);
    }

    /// Takes note of since when a stream of logs is there.
    pub(crate) fn begins(&self, stream: &str, info: &Info) {
        lock(&self.inner).begins.insert(stream.to_owned(), beginning(info));
    }

    /// Whether the log of a debate that was admitted then may be gone from its stream.
    pub(crate) fn may_lack(&self, stream: &str, admitted: Timestamp) -> bool {
        lock(&self.inner).begins.get(stream).is_none_or(|begin| admitted.0 < begin.saturating_add(CLOCKS))
    }
}

/// Looks for as long as it is polled.
pub(crate) async fn keep(link: NatsLink, js: Js, config: NatsStoreConfig, uses: NatsUse) {
    let (names, found) = (names(&config, uses), Arc::clone(&js.found));
    let mut probe = WriteProbe::new();
    let mut denied = link.state().permission_violations;
    loop {
        denied = found.note_denied(&link, denied);
        let (pause, parts) = look(&link, &config, &names, &found).await;
        probe.look(&js, &config, parts).await;
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = found.woken.notified() => {}
        }
    }
}

/// How what a process uses of the store is now; nothing where none of its streams exists.
pub(crate) async fn examine(link: &NatsLink, config: &NatsStoreConfig, uses: NatsUse) -> Option<Condition> {
    let names = names(config, uses);
    let seen = see(link, config, &names).await;
    (seen.missing.len() < names.len()).then_some(seen.condition)
}

/// The streams that a process uses.
fn names(config: &NatsStoreConfig, uses: NatsUse) -> Vec<String> {
    let mut names: Vec<String> = setup::streams(config).into_iter().map(|stream| stream.name).collect();
    names.retain(|name| uses.needs(name));
    if uses.queues {
        names.push(QUEUE_STREAM.to_owned());
    }
    names
}

/// What one look at the streams has found.
#[derive(Debug, Default)]
struct StreamScan {
    condition: Condition,
    begins: Vec<(String, u64)>,
    fills: BTreeMap<String, StreamFill>,
    /// The bytes that streams hold, and may hold.
    sizes: Vec<(String, (u64, u64))>,
    /// The streams with one copy, which is where their messages are stored or are not.
    single: BTreeSet<String>,
    /// The last sequence of the stream of parts.
    parts: Option<u64>,
    missing: BTreeSet<String>,
    registers: u64,
    /// Whether one is more than half full.
    filling: bool,
}

/// The pause until the next look, and where the stream of parts ends.
async fn look(
    link: &NatsLink,
    config: &NatsStoreConfig,
    names: &[String],
    found: &StreamHealth,
) -> (Duration, Option<u64>) {
    if !link.is_connected() {
        let away = format!("the connection to {} is being restored", link.servers());
        lock(&found.inner).condition = Condition { broken: vec![away], ..Condition::default() };
        return (SHORT_PAUSE, None);
    }
    let sent = found.traffic.before_look();
    let seen = see(link, config, names).await;
    let StreamScan { mut condition, begins, fills, filling, missing, registers, sizes, single, parts } = seen;
    sizes.iter().for_each(|(stream, size)| found.traffic.looked(stream, *size, &sent));
    lock(&found.inner).add_silent(&mut condition, link.state().reconnects, &single);
    let well = condition == Condition::default();
    let mut inner = lock(&found.inner);
    tell_change(&inner.condition, &condition);
    inner.condition = condition;
    (inner.fills, inner.missing, inner.registers) = (fills, missing, registers);
    inner.begins.extend(begins);
    (if well && !filling { PAUSE } else { SHORT_PAUSE }, parts)
}

impl HealthState {
    /// Tells of streams that answer questions and no messages: nats-server 2.15 is like that for a stream that could not be written, until
    /// it is restarted. Where there are more copies, another server takes over; and what a user may not send is not answered either.
    fn add_silent(&mut self, condition: &mut Condition, reconnects: u64, single: &BTreeSet<String>) {
        if self.reconnects != reconnects || !self.denied.is_empty() {
            self.silent.clear();
        }
        self.reconnects = reconnects;
        self.silent.retain(|stream, at| single.contains(stream) && at.elapsed() < SILENT_FOR);
        for stream in self.silent.keys() {
            let why = format!(
                "stream {stream} stores nothing; the disk of nats-server is full or broken (see its log): free space, and restart \
                 nats-server"
            );
            if stream == EVALS {
                condition.evals_full.push(why);
                continue;
            }
            condition.full.push(why.clone());
            condition.exhausted.push(why);
        }
    }
}

/// Tells once of each trouble, and of its end.
fn tell_change(before: &Condition, now: &Condition) {
    match (before.trouble(), now.trouble()) {
        (before, now) if before == now => {}
        (_, Some(trouble)) => tracing::warn!(trouble, "the store is not as it should be"),
        (_, None) => tracing::info!("the store is as it should be again"),
    }
    match (before.evals_full.is_empty(), now.evals_full.first()) {
        (true, Some(full)) => tracing::warn!(full, "evals wait for room"),
        (false, None) => tracing::info!("there is room for evals again"),
        (true, None) | (false, Some(_)) => {}
    }
}

async fn see(link: &NatsLink, config: &NatsStoreConfig, names: &[String]) -> StreamScan {
    let looks = names.iter().cloned().map(|name| async move { (find_stream(link, &name).await, name) });
    let looks: Vec<_> = stream::iter(looks).buffered(AT_ONCE).collect().await;
    let mut seen = StreamScan::default();
    for (answer, name) in looks {
        match answer {
            Ok(Some(info)) => seen.take(&name, &info, config.reserve_percent),
            Ok(None) => {
                seen.condition.broken.push(format!(
                    "stream {name} does not exist; it was deleted, or never set up: run `agon provision`, or restore a backup"
                ));
                seen.missing.insert(name);
            }
            Err(error) => {
                let why = broken(&name, &error);
                if !seen.condition.broken.contains(&why) {
                    seen.condition.broken.push(why);
                }
            }
        }
    }
    seen
}

impl StreamScan {
    /// Takes note of a stream that is there.
    fn take(&mut self, name: &str, info: &Info, reserve_percent: u8) {
        let weight = weigh(info, reserve_percent);
        self.filling |= weight >= StreamFill::HalfFull;
        match weight {
            StreamFill::Light | StreamFill::HalfFull => {}
            // debates go on where there is no room for evals
            StreamFill::Full | StreamFill::Brimful | StreamFill::Spent if name == EVALS => {
                self.condition.evals_full.push(told(info));
            }
            StreamFill::Full => self.condition.full.push(told(info)),
            StreamFill::Brimful | StreamFill::Spent => {
                self.condition.full.push(told(info));
                self.condition.exhausted.push(told(info));
            }
        }
        self.fills.insert(name.to_owned(), weight);
        self.sizes.push((name.to_owned(), (info.state.bytes, limit_of(info).unwrap_or(0))));
        if info.config.num_replicas == 1 {
            self.single.insert(name.to_owned());
        }
        if name == PARTS {
            self.parts = Some(info.state.last_sequence);
        }
        if name == REGISTERS {
            self.registers = info.state.messages;
        }
        if subjects::is_log_stream(name) {
            self.begins.push((name.to_owned(), beginning(info)));
        }
    }
}

/// How full a stream is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StreamFill {
    Light,
    HalfFull,
    /// Only the reserve is left.
    Full,
    /// Only room for ends is left.
    Brimful,
    /// No more is to be written: nats-server 2.9 takes what goes beyond the limit by the bytes of its own record, and removes the oldest
    /// messages for it although the stream is to refuse new ones.
    Spent,
}

/// A full queue of work is no trouble of the store's: it refuses further work, and empties by itself.
fn weigh(info: &Info, reserve_percent: u8) -> StreamFill {
    let name = info.config.name.as_str();
    let Some(most) = limit_of(info) else { return StreamFill::Light };
    if name == JOBS || name == QUEUE_STREAM {
        return StreamFill::Light;
    }
    let free = most.saturating_sub(info.state.bytes);
    let reserve = reserve_of(most, reserve_percent);
    // so that nobody is refused while the stream counts as not full
    let record = if name == EVALS { EVAL_RECORD.min(most / 64) } else { 0 };
    match free {
        _ if free <= most / MARGIN => StreamFill::Spent,
        _ if free <= reserve / 4 => StreamFill::Brimful,
        _ if free <= reserve + record => StreamFill::Full,
        _ if free < most / 2 => StreamFill::HalfFull,
        _ => StreamFill::Light,
    }
}

/// Bytes that a stream may hold, where that is limited.
fn limit_of(info: &Info) -> Option<u64> {
    u64::try_from(info.config.max_bytes).ok().filter(|most| *most > 0)
}

fn reserve_of(most: u64, reserve_percent: u8) -> u64 {
    most / 100 * u64::from(reserve_percent)
}

/// Why so many bytes more would not fit beside the reserve of a stream; nothing where they fit.
pub(crate) fn lacks_room(info: &Info, bytes: u64, reserve_percent: u8) -> Option<String> {
    let most = limit_of(info)?;
    let room = most.saturating_sub(info.state.bytes).saturating_sub(reserve_of(most, reserve_percent));
    (bytes >= room).then(|| {
        let (used, most) = (mebibytes(info.state.bytes), mebibytes(most));
        format!("{used} of {most} MiB are used, {reserve_percent} % of it is for ends; {bytes} bytes more do not fit")
    })
}

/// That a stream is full, and what to do.
fn told(info: &Info) -> String {
    let name = info.config.name.as_str();
    let (used, most) = (mebibytes(info.state.bytes), mebibytes(u64::try_from(info.config.max_bytes).unwrap_or(0)));
    format!("{} ({used} of {most} MiB); {}", named(name), remedy(name, ""))
}

fn mebibytes(bytes: u64) -> String {
    let tenths = bytes.saturating_mul(10) >> 20;
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn named(stream: &str) -> String {
    format!("stream {stream} is full")
}

fn remedy(stream: &str, detail: &str) -> &'static str {
    if detail.contains("no space") {
        return "free space on the disk of nats-server";
    }
    if subjects::is_log_stream(stream) {
        return "delete ended debates (agon delete), or raise nats.limits.logs_mib and run `agon provision`";
    }
    match stream {
        subjects::REGISTERS => {
            "delete ended debates (agon delete), or raise nats.limits.registers_mib and run `agon provision`"
        }
        subjects::CATALOGUE => {
            "delete ended debates (agon delete), or raise nats.limits.catalogue_mib and run `agon provision`"
        }
        EVALS => super::evals::MAKE_ROOM,
        _ => "delete ended debates (agon delete)",
    }
}

fn broken(name: &str, error: &ProvisionError) -> String {
    match error {
        ProvisionError::NoJetStream(_) => String::from(
            "JetStream is off; it switches itself off if the disk of nats-server is full (see its log): free space, and restart \
             nats-server",
        ),
        ProvisionError::Denied { subject, .. } => {
            format!("stream {name} cannot be inspected: this user of NATS may not publish to {subject}")
        }
        // a server whose disk is full may accept messages or not, and answer questions no more
        ProvisionError::Server { reason, .. } if reason.contains("timed out") => {
            "JetStream does not answer; for some seconds that is normal after a server was lost, else see its log: it may stop answering \
             if its disk is full (free space, and restart nats-server)"
                .to_owned()
        }
        ProvisionError::Differs { .. } | ProvisionError::Missing(_) | ProvisionError::Server { .. } => {
            format!("stream {name} cannot be inspected: {error}")
        }
    }
}

/// The moment before which logs of a stream may be gone: when it was made or, if later, when its first message came. Of an empty stream
/// any may be.
fn beginning(info: &Info) -> u64 {
    let (made, first) = (info.created.unix_timestamp_nanos(), info.state.first_timestamp.unix_timestamp_nanos());
    match info.state.messages {
        0 => u64::MAX,
        _ => u64::try_from(made.max(first) / 1_000_000).unwrap_or(0),
    }
}
