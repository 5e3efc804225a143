//! What a log looks like, wherever it is shown.
use crate::log::Log;
use agon_core::{Position, Timestamp};
use agon_report::{LiveView, Minutes, ResultBlock, StyledLine};

pub fn minutes(log: &Log) -> Minutes<'_> {
    Minutes::from_records(&log.records).unwrap()
}
/// The view of somebody who has watched the debate, and all lines that were printed for good.
pub fn watch(log: &Log) -> (LiveView, Vec<StyledLine>) {
    let mut view = LiveView::new();
    let events = log.records.iter().flat_map(|record| record.entries().map(move |entry| (record.at, entry)));
    let lines = events.flat_map(|(at, (position, event))| view.lines(position, at, event)).collect();
    (view, lines)
}
pub fn text(lines: &[StyledLine]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}
/// All lines that were printed for good.
pub fn live(log: &Log) -> String {
    text(&watch(log).1)
}
/// The result in ten seconds.
pub fn block(log: &Log) -> String {
    text(&ResultBlock::of(&minutes(log)).lines())
}

/// What a terminal shows of the admission.
pub fn first_lines(log: &Log) -> String {
    let lines = LiveView::new().lines(Position(1), Timestamp(0), &log.records[0].events[0]);
    lines.iter().map(|line| format!("{line}\n")).collect()
}
