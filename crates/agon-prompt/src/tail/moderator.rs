//! The tail of the moderator's prompt.
use super::{Head, Tail, Values, agreement, round_of, staff_languages, told_share, words};
use crate::schema::calls_votes;
use crate::template::{self, fill, line};
use crate::text::{one_line, quoted_line};
use crate::view::View;
use agon_core::{Ask, Conclusion, MODERATOR, Moderator, SummaryStyle, Task, TurnId, TurnMode};

/// The round, its own decisions so far, the task, the author's instructions.
pub(crate) fn moderator(view: &View, ask: &Ask, (moderator, tools): (&Moderator, &[String])) -> String {
    let spec = &view.spec;
    let mut tail = Tail::new(view, ask, &Head { name: MODERATOR, stance: None, role: "moderator" });
    tail.maybe("Round", round_of(view, ask).as_deref());
    for decision in view.facts.decisions(ask.sees, told_share(&moderator.voice)) {
        tail.key("You decided", decision);
    }
    let decided = view.facts.decision(ask.sees).filter(|_| is_decision(&ask.task));
    tail.quoted("Your decision", decided.map(|(_, decision)| decision));
    if let Task::ScoreSpeeches { speeches } = &ask.task {
        push_speeches(&mut tail, view, ask, speeches);
    }
    staff_languages(&mut tail, spec);
    tail.paragraph(&task_text(view, ask, (moderator, tools)));
    if let Some((settled, _)) = decided {
        tail.paragraph(line(template::DECIDED, usize::from(!settled)));
    }
    if let Some(intensity) = spec.agreement_intensity.filter(|_| steers(&ask.task)) {
        tail.paragraph(&agreement(intensity, template::AGREEMENT));
    }
    tail.tools(view, tools);
    if ask.task == Task::OpenRound && !tools.is_empty() {
        tail.paragraph(&fill(template::TOOLS_BRIEFING, &[]));
    }
    let values = Values::new(view, ask, MODERATOR);
    let values = values.list(view, None, spec.language.as_deref());
    tail.close(&[spec.instructions.as_ref(), moderator.instructions.as_ref()], &values, ask)
}

fn is_decision(task: &Task) -> bool {
    *task == Task::Conclude { conclusion: Conclusion::Decision }
}

/// Whether the moderator's word can push towards agreement or away from it. Scores and briefs must not.
fn steers(task: &Task) -> bool {
    !matches!(task, Task::ScoreSpeeches { .. } | Task::Research)
}

/// The number of each speech that is to be scored, and where it stands.
fn push_speeches(tail: &mut Tail, view: &View, ask: &Ask, speeches: &[TurnId]) {
    for (number, speech) in (1..).zip(speeches) {
        let entry = view.numbered(ask.sees, |entry| entry.turn.same_slot(*speech));
        let (at, by) = entry.map_or((0, ""), |(at, entry)| (at, entry.participant.as_str()));
        tail.key(&format!("Speech {number}"), &format!("T{at}, {}", quoted_line(by)));
    }
}

fn task_text(view: &View, ask: &Ask, (moderator, tools): (&Moderator, &[String])) -> String {
    let task = &ask.task;
    let words = words(&moderator.voice).to_string();
    let style = style(moderator.summary_style);
    let concluding =
        |template| fill(template, &[("words", &words), ("style", line(template::CONCLUSION_STYLE, style))]);
    if let Task::Conclude { conclusion } = task {
        return concluding(match conclusion {
            Conclusion::Reconciliation => template::RECONCILE,
            Conclusion::Summary => template::CLOSING_SUMMARY,
            Conclusion::Decision => template::MEDIATOR_DECISION,
        });
    }
    if let Task::ScoreSpeeches { .. } = task {
        return fill(template::SCORE_SPEECHES, &[]);
    }
    if *task == Task::Research {
        let how = line(template::RESEARCH, if tools.is_empty() { 2 } else { 1 });
        return format!("{}\n{how}", fill(line(template::RESEARCH, 0), &[("words", &words)]));
    }
    if *task == Task::OpenRound {
        return open_round(view);
    }
    if *task == Task::Interject {
        return interject(moderator, &words);
    }
    // the only other duty that a moderator is asked for
    let close = if calls_votes(&view.spec) { template::CLOSE_ROUND_VOTE } else { template::CLOSE_ROUND };
    let close = fill(close, &[("style", line(template::SUMMARY_STYLE, style))]);
    if is_last(view, ask) { format!("{}\n{close}", fill(template::LAST_CLOSING, &[])) } else { close }
}

/// Whether no round follows the one that is closed: it is the last of the plan, or the moderator itself called it the last.
fn is_last(view: &View, ask: &Ask) -> bool {
    ask.turn.round >= view.spec.max_rounds || view.facts.is_done(ask.sees)
}

fn open_round(view: &View) -> String {
    match view.spec.turn_mode {
        TurnMode::Moderator => {
            let names: Vec<String> = view.spec.personas.iter().map(|persona| one_line(persona.name.as_str())).collect();
            fill(template::OPEN_ROUND, &[("names", &names.join(", "))])
        }
        TurnMode::RoundRobin | TurnMode::Random | TurnMode::PriorityOrder | TurnMode::ReactionTriggered => {
            fill(template::OPEN_ROUND_FIXED, &[])
        }
    }
}

/// The members of an interjection, in the order of the template.
const INTERJECTION_FORMS: [&str; 4] = [
    "\"comment\": text or null",
    "\"warnings\": [{\"name\": name, \"text\": text}]",
    "\"questions\": [{\"name\": name, \"text\": text}]",
    "\"revisions\": [{\"name\": name, \"text\": text}]",
];

/// The duties that are on, each with its member.
fn interject(moderator: &Moderator, words: &str) -> String {
    let duties = [moderator.interjects, moderator.warns, moderator.clarifies, moderator.reflects];
    let on = || (0..).zip(duties).filter(|(_, on)| *on).map(|(at, _)| at);
    let midway = moderator.sums_up_midway();
    let summary = [("style", line(template::SUMMARY_STYLE, style(moderator.summary_style))), ("words", words)];
    let member = |at: usize| match (at, midway) {
        (0, true) => fill(template::INTERJECT_SUMMARY, &summary),
        _ => line(template::INTERJECT_MEMBERS, at).to_owned(),
    };
    let members: Vec<String> = on().map(member).collect();
    let form =
        |at: usize| if at == 0 && midway { Some("\"comment\": text") } else { INTERJECTION_FORMS.get(at).copied() };
    let forms: Vec<&str> = on().filter_map(form).collect();
    let task = fill(template::INTERJECT, &[]);
    format!("{task}\n{}\nAnswer with one JSON object: {{{}}}", members.join("\n"), forms.join(", "))
}

fn style(style: SummaryStyle) -> usize {
    match style {
        SummaryStyle::Neutral => 0,
        SummaryStyle::Critical => 1,
        SummaryStyle::Persuasive => 2,
    }
}
