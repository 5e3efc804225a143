//! The tail of the moderator's prompt.
use super::{Tail, TailHead, Values, agreement, instructions, round_of, staff_languages, told_share, with_form, words};
use crate::schema::calls_votes;
use crate::template::{self, fill, line};
use crate::view::View;
use agon_core::fence::{Author, Part, Written};
use agon_core::{Ask, Conclusion, Moderator, SummaryStyle, TurnId, Work};

/// The round, its own decisions so far, the task, the author's instructions.
pub(crate) fn moderator(view: &View, ask: &Ask, (moderator, tools): (&Moderator, &[Author<'_>])) -> Written {
    let spec = &view.spec;
    let mut tail = Tail::new(view, ask, &TailHead { stance: None, role: "moderator" });
    tail.maybe("Round", round_of(view, ask));
    for decision in view.facts.decisions(ask.sees, told_share(&moderator.voice)) {
        tail.quoted("You decided", Some(decision));
    }
    let decided = view.facts.decision(ask.sees).filter(|_| is_decision(&ask.task.work));
    let settled = decided.as_ref().map(|(settled, _)| *settled);
    tail.quoted("Your decision", decided.map(|(_, decision)| decision));
    push_speeches(&mut tail, view, ask, ask.task.material.speeches());
    staff_languages(&mut tail, spec);
    tail.paragraph(task_text(view, ask, (moderator, tools)));
    if let Some(settled) = settled {
        tail.paragraph(line(template::DECIDED, usize::from(!settled)));
    }
    if let Some(intensity) = spec.agreement_intensity.filter(|_| steers(&ask.task.work)) {
        tail.paragraph(agreement(intensity, template::AGREEMENT));
    }
    tail.tools(view, tools);
    if ask.task.work == Work::OpenRound && !tools.is_empty() {
        tail.paragraph(fill(template::TOOLS_BRIEFING, &[]));
    }
    let own = Author::of(moderator, |moderator| moderator.instructions.as_deref());
    tail.close([instructions(spec), own], &Values::new(view, ask), ask)
}

fn is_decision(work: &Work) -> bool {
    *work == Work::Conclude { conclusion: Conclusion::Decision }
}

/// Whether the moderator's word can push towards agreement or away from it. Scores and briefs must not.
fn steers(work: &Work) -> bool {
    !matches!(work, Work::ScoreSpeeches | Work::Research)
}

/// The number of each speech that is to be scored, and where it stands.
fn push_speeches(tail: &mut Tail, view: &View, ask: &Ask, speeches: &[TurnId]) {
    for (number, speech) in (1_u32..).zip(speeches) {
        let entry = view.numbered(ask.sees, |entry| entry.turn.same_slot(*speech));
        let (at, by) = entry.map_or((0, Written::default()), |(at, entry)| (at, view.called(&entry.participant)));
        let key = Written::joined(["Speech ".into(), Part::from(number)], "");
        tail.key(key, Written::joined(["T".into(), Part::from(at), ", ".into(), by.into()], ""));
    }
}

fn task_text(view: &View, ask: &Ask, (moderator, tools): (&Moderator, &[Author<'_>])) -> Written {
    let work = &ask.task.work;
    let words = words(&moderator.voice);
    let style = style(moderator.summary_style);
    let concluding = |template| {
        fill(template, &[("words", words.into()), ("style", line(template::CONCLUSION_STYLE, style).into())])
    };
    if let Work::Conclude { conclusion } = work {
        return concluding(match conclusion {
            Conclusion::Reconciliation => template::RECONCILE,
            Conclusion::Summary => template::CLOSING_SUMMARY,
            Conclusion::Decision => template::MEDIATOR_DECISION,
        });
    }
    if *work == Work::ScoreSpeeches {
        return fill(template::SCORE_SPEECHES, &[]);
    }
    if *work == Work::Research {
        let how = line(template::RESEARCH, if tools.is_empty() { 2 } else { 1 });
        let task = fill(line(template::RESEARCH, 0), &[("words", words.into())]);
        return Written::joined([task.into(), Part::from(how)], "\n");
    }
    if *work == Work::OpenRound {
        return open_round(view);
    }
    if *work == Work::Interject {
        return interject(moderator, words);
    }
    // the only other duty that a moderator is asked for
    let close = if calls_votes(&view.spec) { template::CLOSE_ROUND_VOTE } else { template::CLOSE_ROUND };
    let close = fill(close, &[("style", line(template::SUMMARY_STYLE, style).into())]);
    if is_last(view, ask) { Written::joined([fill(template::LAST_CLOSING, &[]), close], "\n") } else { close }
}

/// Whether no round follows the one that is closed: it is the last of the plan, or the moderator itself called it the last.
fn is_last(view: &View, ask: &Ask) -> bool {
    ask.turn.round >= view.spec.max_rounds || view.facts.is_done(ask.sees)
}

fn open_round(view: &View) -> Written {
    if !view.spec.turn_mode.is_by_moderator() {
        return fill(template::OPEN_ROUND_FIXED, &[]);
    }
    let names = view.spec.personas.iter().map(|persona| view.called(&persona.name));
    fill(template::OPEN_ROUND, &[("names", Written::joined(names, ", ").into())])
}

/// The members of an interjection, in the order of the template.
const INTERJECTION_FORMS: [&str; 4] = [
    "\"comment\": text or null",
    "\"warnings\": [{\"name\": name, \"text\": text}]",
    "\"questions\": [{\"name\": name, \"text\": text}]",
    "\"revisions\": [{\"name\": name, \"text\": text}]",
];

/// The duties that are on, each with its member.
fn interject(moderator: &Moderator, words: u32) -> Written {
    let duties = [moderator.interjects, moderator.warns, moderator.clarifies, moderator.reflects];
    let on = || (0..).zip(duties).filter(|(_, on)| *on).map(|(at, _)| at);
    let midway = moderator.sums_up_midway();
    let summary =
        [("style", line(template::SUMMARY_STYLE, style(moderator.summary_style)).into()), ("words", words.into())];
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
