//! The tail of the moderator's prompt.
use super::{Tail, Values, agreement, at_most, instructions, like, staff_languages, told_share, words};
use crate::tasks::described;
use crate::template::{self, fill, line};
use crate::view::{View, VisibleEntries};
use agon_core::fence::{Author, Part, Written};
use agon_core::{Ask, Conclusion, Moderator, TurnId, Work};

/// The round, its own decisions so far, the task, the author's instructions.
pub(crate) fn moderator(view: &View, ask: &Ask, (moderator, tools): (&Moderator, &[Author<'_>])) -> Written {
    let spec = &view.spec;
    let work = &ask.task.work;
    let mut tail = Tail::new(view, ask, &fill("the moderator", &[]));
    tail.question(spec);
    tail.round(view, ask);
    let opened = view.openings(&VisibleEntries::of(view, ask), ask.sees);
    for decision in view.facts.decisions(ask.sees, told_share(&moderator.voice), opened) {
        tail.quoted("You decided", Some(decision));
    }
    let decided = view.facts.decision(ask.sees).filter(|_| is_decision(work));
    let settled = decided.as_ref().map(|(settled, _)| *settled);
    tail.quoted("Your decision", decided.map(|(_, decision)| decision));
    push_speeches(&mut tail, view, ask, ask.task.material.speeches());
    staff_languages(&mut tail, spec);
    let task = described(spec, &ask.task);
    let mut lines = vec![task.words];
    if !matches!(work, Work::Research | Work::ScoreSpeeches) {
        lines.extend(agreement(spec, template::AGREEMENT));
    }
    let words = words(&moderator.voice);
    lines.extend(adds(view, ask, words));
    lines.extend(settled.map(|settled| fill(line(template::DECIDED, usize::from(!settled)), &[])));
    tail.lines(&lines);
    tail.tools(view, tools);
    let own = Author::of(moderator, |moderator| moderator.instructions.as_deref());
    let form = match task.example {
        None => vec![at_most(words, false)],
        example => like(example),
    };
    tail.close([instructions(spec), own], &Values::new(view, ask), (ask, &form))
}

fn is_decision(work: &Work) -> bool {
    *work == Work::Conclude { conclusion: Conclusion::Decision }
}

/// The number of each speech that is to be scored, and where it stands.
fn push_speeches(tail: &mut Tail, view: &View, ask: &Ask, speeches: &[TurnId]) {
    for (number, speech) in (1_u32..).zip(speeches) {
        let entry = view.numbered(ask.sees, |entry| entry.turn.same_slot(*speech));
        let (at, by) = entry.map_or((0, Written::default()), |(at, entry)| (at, view.called(&entry.participant)));
        let parts = [number.into(), " is T".into(), Part::from(at), ", by ".into(), by.into()];
        tail.say("Speech {{speech}}.", Written::joined(parts, ""));
    }
}

/// What this turn adds to the duty.
fn adds(view: &View, ask: &Ask, words: u32) -> Option<Written> {
    match &ask.task.work {
        Work::Interject if view.spec.moderator.as_ref().is_some_and(Moderator::sums_up_midway) => {
            Some(fill(template::COMMENT_WITHIN, &[("words", words.into())]))
        }
        Work::CloseRound if is_last(view, ask) => Some(fill(template::LAST_CLOSING, &[])),
        // what else there is to say stands in the description of the duty
        _ => None,
    }
}

/// Whether no round follows the one that is closed: it is the last of the plan, or the moderator itself called it the last.
fn is_last(view: &View, ask: &Ask) -> bool {
    ask.turn.round >= view.spec.max_rounds || view.facts.is_done(ask.sees)
}
