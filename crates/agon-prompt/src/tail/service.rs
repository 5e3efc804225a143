//! The tails of those who serve the debate: the summarizer, and the synthesizer after it.
use super::{Tail, Values, at_most, instructions, staff_languages, told_share, words};
use crate::tasks::described;
use crate::template::{self, fill, line};
use crate::view::View;
use agon_core::fence::{Author, Part, Written};
use agon_core::{Ask, Summarizer, Synthesizer};

/// What is to be summed up, and how long that may be.
pub(crate) fn summarizer(view: &View, ask: &Ask, summarizer: &Summarizer) -> Written {
    let spec = &view.spec;
    let mut tail = Tail::new(view, ask, &fill("the summarizer", &[]));
    tail.question(spec);
    if let Some(through) = ask.task.material.through {
        let from = if through > 1 { "1 to " } else { "" };
        tail.say("You sum up rounds {{rounds}}.", Written::joined([Part::from(from), through.into()], ""));
    }
    staff_languages(&mut tail, spec);
    tail.lines(&[described(spec, &ask.task).words]);
    let own = Author::of(summarizer, |summarizer| summarizer.instructions.as_deref());
    tail.close([instructions(spec), own], &Values::new(view, ask), (ask, &[at_most(words(&summarizer.voice), false)]))
}

/// The result, and what the author wants of it.
pub(crate) fn synthesizer(view: &View, ask: &Ask, synthesizer: &Synthesizer) -> Written {
    let spec = &view.spec;
    let mut tail = Tail::new(view, ask, &fill("the synthesizer", &[]));
    tail.question(spec);
    for (key, value) in view.facts.result(ask.sees) {
        tail.quoted(key, Some(value));
    }
    for decision in view.facts.decisions(ask.sees, told_share(&synthesizer.voice), &[]) {
        tail.quoted("The moderator", Some(decision));
    }
    tail.quoted("The moderator's summary of the debate", view.facts.summed_up(ask.sees));
    staff_languages(&mut tail, spec);
    tail.lines(&[fill(line(template::SYNTHESISE, 0), &[])]);
    let own = Author::of(synthesizer, |synthesizer| synthesizer.instructions.as_deref());
    let schema = Written::json(synthesizer, |synthesizer| synthesizer.output_schema.as_ref());
    let form = match schema {
        Some(schema) => vec![fill(line(template::SYNTHESISE, 1), &[]), schema],
        None => vec![fill(line(template::SYNTHESISE, 2), &[])],
    };
    tail.close([instructions(spec), own], &Values::new(view, ask), (ask, &form))
}
