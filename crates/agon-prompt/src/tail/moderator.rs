//! The tail of the moderator's prompt.
use super::{ReplyForm, Tail, TailHead, TurnTask, Values, instructions, round_of, staff_languages, told_share, words};
use crate::template::{self, fill, line};
use crate::view::{View, VisibleEntries};
use agon_core::fence::{Author, Part, Written};
use agon_core::{Ask, Conclusion, Moderator, TurnId, Work};

/// The round, its own decisions so far, the task, the author's instructions.
pub(crate) fn moderator(view: &View, ask: &Ask, (moderator, tools): (&Moderator, &[Author<'_>])) -> Written {
    let spec = &view.spec;
    let mut tail = Tail::new(view, ask, &TailHead { stance: None, role: "moderator" });
    tail.maybe("Round", round_of(view, ask));
    let opened = view.openings(&VisibleEntries::of(view, ask), ask.sees);
    for decision in view.facts.decisions(ask.sees, told_share(&moderator.voice), opened) {
        tail.quoted("You decided", Some(decision));
    }
    let decided = view.facts.decision(ask.sees).filter(|_| is_decision(&ask.task.work));
    let settled = decided.as_ref().map(|(settled, _)| *settled);
    tail.quoted("Your decision", decided.map(|(_, decision)| decision));
    push_speeches(&mut tail, view, ask, ask.task.material.speeches());
    staff_languages(&mut tail, spec);
    tail.task(view, ask, (&view.heads.debate, adds(view, ask, moderator)));
    if let Some(settled) = settled {
        tail.paragraph(line(template::DECIDED, usize::from(!settled)));
    }
    tail.tools(view, tools);
    let own = Author::of(moderator, |moderator| moderator.instructions.as_deref());
    tail.close([instructions(spec), own], &Values::new(view, ask), ask)
}

fn is_decision(work: &Work) -> bool {
    *work == Work::Conclude { conclusion: Conclusion::Decision }
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

/// What this turn adds to the duty.
fn adds(view: &View, ask: &Ask, moderator: &Moderator) -> TurnTask {
    let words = words(&moderator.voice);
    let within = || vec![fill(template::COMMENT_WITHIN, &[("words", words.into())])];
    match &ask.task.work {
        Work::Conclude { conclusion: Conclusion::Reconciliation | Conclusion::Summary } | Work::Research => {
            TurnTask { lines: Vec::new(), answer: ReplyForm::Speech(words) }
        }
        Work::Interject if moderator.sums_up_midway() => TurnTask { lines: within(), answer: ReplyForm::Json },
        Work::CloseRound if is_last(view, ask) => {
            TurnTask { lines: vec![fill(template::LAST_CLOSING, &[])], answer: ReplyForm::Json }
        }
        // what else there is to say stands in the description of the duty
        _ => TurnTask { lines: Vec::new(), answer: ReplyForm::Json },
    }
}

/// Whether no round follows the one that is closed: it is the last of the plan, or the moderator itself called it the last.
fn is_last(view: &View, ask: &Ask) -> bool {
    ask.turn.round >= view.spec.max_rounds || view.facts.is_done(ask.sees)
}
