//! The tasks of the moderator.
use super::with_form;
use crate::schema::calls_votes;
use crate::template::{self, fill, line};
use agon_core::fence::{Part, Written};
use agon_core::{Conclusion, DebateSpec, Moderator, SummaryStyle, Work};

/// One of its duties.
pub(super) fn duty(spec: &DebateSpec, work: &Work) -> Written {
    // whoever asks a moderator has one
    let Some(moderator) = &spec.moderator else { return Written::default() };
    let style = style(moderator.summary_style);
    let concluding = |template| fill(template, &[("style", line(template::CONCLUSION_STYLE, style).into())]);
    match work {
        Work::Conclude { conclusion: Conclusion::Reconciliation } => concluding(template::RECONCILE),
        Work::Conclude { conclusion: Conclusion::Summary } => concluding(template::CLOSING_SUMMARY),
        Work::Conclude { conclusion: Conclusion::Decision } => concluding(template::MEDIATOR_DECISION),
        Work::ScoreSpeeches => fill(template::SCORE_SPEECHES, &[]),
        Work::Research => {
            let how = line(template::RESEARCH, if moderator.tools.is_empty() { 2 } else { 1 });
            Written::joined([line(template::RESEARCH, 0), how], "\n")
        }
        Work::OpenRound => open_round(spec, moderator),
        Work::Interject => interject(moderator),
        // the only other duty that a moderator is asked for
        _ => {
            let close = if calls_votes(spec) { template::CLOSE_ROUND_VOTE } else { template::CLOSE_ROUND };
            fill(close, &[("style", line(template::SUMMARY_STYLE, style).into())])
        }
    }
}

fn open_round(spec: &DebateSpec, moderator: &Moderator) -> Written {
    let by_moderator = spec.turn_mode.is_by_moderator();
    let task = if by_moderator { template::OPEN_ROUND } else { template::OPEN_ROUND_FIXED };
    let mut text = fill(task, &[]);
    if !moderator.tools.is_empty() {
        text.push("\n");
        text.push(fill(template::TOOLS_BRIEFING, &[]));
    }
    text
}

/// The members of an interjection, in the order of the template.
const INTERJECTION_FORMS: [&str; 4] = [
    "\"comment\": text or null",
    "\"warnings\": [{\"name\": name, \"text\": text}]",
    "\"questions\": [{\"name\": name, \"text\": text}]",
    "\"revisions\": [{\"name\": name, \"text\": text}]",
];

/// The duties that are on, each with its member.
fn interject(moderator: &Moderator) -> Written {
    let duties = [moderator.interjects, moderator.warns, moderator.clarifies, moderator.reflects];
    let on = || (0..).zip(duties).filter(|(_, on)| *on).map(|(at, _)| at);
    let midway = moderator.sums_up_midway();
    let summary = [("style", Part::from(line(template::SUMMARY_STYLE, style(moderator.summary_style))))];
    let member = |at: usize| match (at, midway) {
        (0, true) => fill(template::INTERJECT_SUMMARY, &summary),
        _ => fill(line(template::INTERJECT_MEMBERS, at), &[]),
    };
    let members: Vec<Written> = on().map(member).collect();
    let form =
        |at: usize| if at == 0 && midway { Some("\"comment\": text") } else { INTERJECTION_FORMS.get(at).copied() };
    let forms: Vec<&'static str> = on().filter_map(form).collect();
    with_form(fill(template::INTERJECT, &[]), &members, &forms)
}

fn style(style: SummaryStyle) -> usize {
    match style {
        SummaryStyle::Neutral => 0,
        SummaryStyle::Critical => 1,
        SummaryStyle::Persuasive => 2,
    }
}
