//! Who spoke when, and what the time went into: one lane per participant.
use super::view::{anchor, class};
use crate::call_figures;
use crate::minutes::{Deed, Minutes};
use crate::text::one_line;
use crate::words;
use agon_core::{Call, Timestamp};

const WIDTH: f64 = 760.0;
const LEFT: f64 = 118.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 26.0;
const ROW: f64 = 18.0;
const GAP: f64 = 12.0;
/// Between a try and the next one.
const TRY_GAP: f64 = 2.0;
/// An idle stretch longer than this share of all busy time is cut out: nobody wants to see the night before a resume.
const IDLE_SHARE: f64 = 0.2;
const MOST_TICKS: u64 = 7;
const STEPS_S: [u64; 14] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];

/// A drawing, in SVG units.
pub(super) struct Timeline {
    pub(super) width: String,
    pub(super) height: String,
    pub(super) lanes: Vec<CallLane>,
    pub(super) ticks: Vec<TimeTick>,
    pub(super) cuts: Vec<String>,
    pub(super) bottom: String,
    /// Somebody waited for a model server that was away.
    pub(super) waited: bool,
}
pub(super) struct CallLane {
    pub(super) class: String,
    pub(super) name: String,
    pub(super) label_y: String,
    pub(super) rule_y: String,
    pub(super) bars: Vec<CallBar>,
}
pub(super) struct CallBar {
    pub(super) href: Option<String>,
    pub(super) title: String,
    pub(super) failed: bool,
    pub(super) parts: Vec<BarPart>,
}
pub(super) struct BarPart {
    pub(super) class: &'static str,
    pub(super) x: String,
    pub(super) y: String,
    pub(super) width: String,
    pub(super) height: String,
}
pub(super) struct TimeTick {
    pub(super) x: String,
    pub(super) label: String,
}

/// A call on the lane of its participant.
struct CallSpan {
    from: u64,
    to: u64,
    /// Lengths of waiting for a server that was away, waiting for a place, up to the first byte, and generating; one unnamed
    /// length instead of the last three where they are unknown.
    stages: Vec<(&'static str, u64)>,
    title: String,
    href: Option<String>,
    failed: bool,
}

/// The drawing; nothing when nobody was asked.
pub(super) fn of(minutes: &Minutes<'_>) -> Option<Timeline> {
    let lanes = spans(minutes);
    let axis =
        TimelineAxis::over(lanes.iter().flat_map(|(_, spans)| spans).map(|span| (span.from, span.to)).collect())?;
    let mut y = TOP;
    let mut drawn = Vec::new();
    for (name, spans) in &lanes {
        let rows = rows(spans);
        let depth = rows.iter().max().map_or(1, |row| row + 1);
        let bars = spans.iter().zip(&rows).map(|(span, row)| bar(span, &axis, y + *row as f64 * ROW)).collect();
        let height = depth as f64 * ROW;
        drawn.push(CallLane {
            class: class(minutes, name),
            name: shortened(words::who(name)),
            label_y: unit(y + height / 2.0 + 4.0),
            rule_y: unit(y + height + GAP / 2.0),
            bars,
        });
        y += height + GAP;
    }
    Some(Timeline {
        width: unit(WIDTH),
        height: unit(y + 4.0),
        bottom: unit(y - GAP / 2.0),
        waited: minutes.calls().any(|(_, call)| call.timing.away_ms.is_some_and(|ms| ms > 0)),
        lanes: drawn,
        ticks: axis.ticks(minutes.admitted_at),
        cuts: axis.cuts(),
    })
}

fn shortened(name: &str) -> String {
    let name = one_line(name);
    if name.chars().count() <= 15 { name } else { format!("{}…", name.chars().take(14).collect::<String>()) }
}

fn spans<'a>(minutes: &Minutes<'a>) -> Vec<(&'a str, Vec<CallSpan>)> {
    let mut lanes: Vec<(&str, Vec<CallSpan>)> = Vec::new();
    for name in order(minutes) {
        let calls = minutes.calls().filter(|(entry, _)| entry.participant == name);
        let spans: Vec<CallSpan> = calls
            .map(|(entry, call)| {
                let to = entry.at.0;
                let from = minutes
                    .asked(entry.turn)
                    .map_or_else(|| to.saturating_sub(call.timing.total_ms.unwrap_or(0)), |(at, _)| at.0)
                    .min(to);
                let failed = matches!(entry.deed, Deed::Failed { .. });
                CallSpan {
                    from,
                    to,
                    stages: stages(call, to - from),
                    title: format!(
                        "{}: {}, {}, {}",
                        one_line(words::who(name)),
                        one_line(&call_figures::deed(minutes, entry)),
                        format_args!("try {}", entry.turn.attempt),
                        call_figures::line(call).iter().map(|part| one_line(part)).collect::<Vec<_>>().join(", ")
                    ),
                    href: matches!(entry.deed, Deed::Spoke(_)).then(|| anchor(entry.turn)),
                    failed,
                }
            })
            .collect();
        if !spans.is_empty() {
            lanes.push((name, spans));
        }
    }
    lanes
}

/// Everybody who was asked: the debaters, the moderator, then the others in the order of their first turns.
fn order<'a>(minutes: &Minutes<'a>) -> Vec<&'a str> {
    let personas = minutes.admission.spec.personas.iter().map(|persona| persona.name.as_str());
    let mut order: Vec<&str> = personas.chain([agon_core::MODERATOR]).collect();
    for (entry, _) in minutes.calls() {
        if !order.contains(&entry.participant) {
            order.push(entry.participant);
        }
    }
    order
}

/// The parts of a call inside the time between ask and record; what does not fit is cut, so that a bar never outgrows its turn.
fn stages(call: &Call, whole: u64) -> Vec<(&'static str, u64)> {
    let timing = &call.timing;
    let away = timing.away_ms.unwrap_or(0).min(whole);
    let rest = whole - away;
    let (Some(first), Some(total)) = (timing.first_byte_ms, timing.total_ms) else {
        return vec![("away", away), ("whole", rest)];
    };
    let queue = timing.queue_ms.unwrap_or(0).min(rest);
    let first = first.min(rest - queue);
    let made = total.saturating_sub(first).min(rest - queue - first);
    vec![("away", away), ("queue", queue), ("first", first), ("made", made)]
}

/// For each span the first row in which it overlaps no earlier one.
fn rows(spans: &[CallSpan]) -> Vec<usize> {
    let mut ends: Vec<u64> = Vec::new();
    spans
        .iter()
        .map(|span| {
            let row = ends.iter().position(|end| *end <= span.from).unwrap_or(ends.len());
            match ends.get_mut(row) {
                Some(end) => *end = span.to,
                None => ends.push(span.to),
            }
            row
        })
        .collect()
}

fn bar(span: &CallSpan, axis: &TimelineAxis, y: f64) -> CallBar {
    let mut at = span.from;
    let mut parts = Vec::new();
    for (class, length) in &span.stages {
        let (from, to) = (axis.x(at), axis.x(at.saturating_add(*length)));
        at = at.saturating_add(*length);
        let thin = matches!(*class, "queue" | "away");
        if *length > 0 || *class == "whole" {
            parts.push(BarPart {
                class,
                x: unit(from),
                y: unit(if thin { y + 7.0 } else { y + 2.0 }),
                // a gap to the try that follows
                width: unit((to - from - if at >= span.to { TRY_GAP } else { 0.0 }).max(1.5)),
                height: unit(if thin { 4.0 } else { ROW - 4.0 }),
            });
        }
    }
    CallBar { href: span.href.clone(), title: span.title.clone(), failed: span.failed, parts }
}

/// Moments on the drawing: busy stretches to scale, long idle ones cut out.
struct TimelineAxis {
    /// From, to, and the busy time before it.
    stretches: Vec<(u64, u64, u64)>,
    busy: u64,
}
impl TimelineAxis {
    fn over(mut spans: Vec<(u64, u64)>) -> Option<Self> {
        spans.sort_unstable();
        let all = spans.iter().fold(0, |sum: u64, (from, to)| sum.saturating_add(to - from));
        let longest_idle = (all as f64 * IDLE_SHARE) as u64;
        let mut stretches: Vec<(u64, u64, u64)> = Vec::new();
        for (from, to) in spans {
            match stretches.last_mut() {
                Some((_, end, _)) if from <= end.saturating_add(longest_idle) => *end = to.max(*end),
                last => {
                    // A cut takes the room of a twentieth of the busy time.
                    let before = last
                        .map_or(0, |(from, to, before)| before.saturating_add(*to - *from).saturating_add(all / 20));
                    stretches.push((from, to, before));
                }
            }
        }
        let busy = stretches.last().map(|(from, to, before)| before.saturating_add(to - from))?;
        Some(Self { stretches, busy: busy.max(1) })
    }
    fn x(&self, at: u64) -> f64 {
        let inside = self.stretches.iter().rev().find(|(from, ..)| *from <= at).or(self.stretches.first());
        let busy = inside.map_or(0, |(from, to, before)| before.saturating_add(at.min(*to).saturating_sub(*from)));
        LEFT + (WIDTH - LEFT - RIGHT) * busy as f64 / self.busy as f64
    }
    fn ticks(&self, zero: Timestamp) -> Vec<TimeTick> {
        let step = STEPS_S
            .into_iter()
            .map(|s| s * 1000)
            .find(|step| self.busy / step < MOST_TICKS)
            .unwrap_or(self.busy / MOST_TICKS + 1);
        let mut ticks = Vec::new();
        for (from, to, _) in &self.stretches {
            let (from, to) = (from.saturating_sub(zero.0), to.saturating_sub(zero.0));
            for n in from.div_ceil(step)..=to / step {
                let at = n * step;
                ticks.push(TimeTick { x: unit(self.x(zero.0.saturating_add(at))), label: label(at) });
            }
        }
        ticks
    }
    /// Where something was cut out.
    fn cuts(&self) -> Vec<String> {
        self.stretches.iter().skip(1).map(|(from, ..)| unit(self.x(*from) - (WIDTH - LEFT - RIGHT) / 50.0)).collect()
    }
}

/// Time since the admission, as a stopwatch shows it.
fn label(ms: u64) -> String {
    let (hours, minutes, seconds) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

fn unit(value: f64) -> String {
    format!("{value:.1}")
}
