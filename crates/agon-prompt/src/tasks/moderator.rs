//! The tasks of the moderator.
use super::TaskWords;
use crate::schema::calls_votes;
use crate::template::{self, fill, line};
use agon_core::fence::{Part, Written};
use agon_core::{Conclusion, DebateSpec, Moderator, SummaryStyle, Work};

/// One of its duties.
pub(super) fn duty(spec: &DebateSpec, work: &Work) -> TaskWords {
    // whoever asks a moderator has one
    let Some(moderator) = &spec.moderator else { return TaskWords::of("", &[]) };
    let style = style(moderator.summary_style);
    let concluding = |template| TaskWords::of(template, &[("style", line(template::CONCLUSION_STYLE, style).into())]);
    match work {
        Work::Conclude { conclusion: Conclusion::Reconciliation } => concluding(template::RECONCILE),
        Work::Conclude { conclusion: Conclusion::Summary } => concluding(template::CLOSING_SUMMARY),
        Work::Conclude { conclusion: Conclusion::Decision } => concluding(template::MEDIATOR_DECISION),
        Work::ScoreSpeeches => TaskWords::of(template::SCORE_SPEECHES, &[]),
        Work::Research => {
            let how = line(template::RESEARCH, if moderator.tools.is_empty() { 2 } else { 1 });
            TaskWords { words: Written::joined([line(template::RESEARCH, 0), how], " "), example: None }
        }
        Work::OpenRound => open_round(spec, moderator),
        Work::Interject => interject(moderator),
        // the only other duty that a moderator is asked for
        _ => {
            let close = if calls_votes(spec) { template::CLOSE_ROUND_VOTE } else { template::CLOSE_ROUND };
            TaskWords::of(close, &[("style", line(template::SUMMARY_STYLE, style).into())])
        }
    }
}

fn open_round(spec: &DebateSpec, moderator: &Moderator) -> TaskWords {
    let by_moderator = spec.turn_mode.is_by_moderator();
    let task = if by_moderator { template::OPEN_ROUND } else { template::OPEN_ROUND_FIXED };
    let mut task = TaskWords::of(task, &[]);
    if !moderator.tools.is_empty() {
        task.words.push("\n");
        task.words.push(fill(template::TOOLS_BRIEFING, &[]));
    }
    task
}

/// The members of an interjection as an example has them, in the order of the template.
const INTERJECTION_EXAMPLES: [&str; 4] = [
    "\"comment\": \"a word to all\"",
    "\"warnings\": []",
    "\"questions\": [{\"name\": \"one name\", \"text\": \"what to clarify\"}]",
    "\"revisions\": []",
];

/// The duties that are on, each with its member.
fn interject(moderator: &Moderator) -> TaskWords {
    let duties = [moderator.interjects, moderator.warns, moderator.clarifies, moderator.reflects];
    let on = || (0..).zip(duties).filter(|(_, on)| *on).map(|(at, _)| at);
    let midway = moderator.sums_up_midway();
    let summary = [("style", Part::from(line(template::SUMMARY_STYLE, style(moderator.summary_style))))];
    let member = |at: usize| match (at, midway) {
        (0, true) => fill(template::INTERJECT_SUMMARY, &summary),
        _ => fill(line(template::INTERJECT_MEMBERS, at), &[]),
    };
    let members: Vec<Written> = on().map(member).collect();
    let examples: Vec<&'static str> = on().filter_map(|at| INTERJECTION_EXAMPLES.get(at).copied()).collect();
    TaskWords::of_members(fill(template::INTERJECT, &[]), &members, &examples)
}

fn style(style: SummaryStyle) -> usize {
    match style {
        SummaryStyle::Neutral => 0,
        SummaryStyle::Critical => 1,
        SummaryStyle::Persuasive => 2,
    }
}
