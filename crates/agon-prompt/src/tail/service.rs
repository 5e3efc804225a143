//! The tails of those who serve the debate: the summarizer, and the synthesizer after it.
use super::{ReplyForm, Tail, TailHead, TurnTask, Values, instructions, staff_languages, told_share, words};
use crate::template::{self, line};
use crate::view::View;
use agon_core::fence::{Author, Part, Written};
use agon_core::{Ask, Summarizer, Synthesizer};

/// What is to be summed up, and how long that may be.
pub(crate) fn summarizer(view: &View, ask: &Ask, summarizer: &Summarizer) -> Written {
    let spec = &view.spec;
    let mut tail = Tail::new(view, ask, &TailHead { stance: None, role: "summarizer" });
    if let Some(through) = ask.task.material.through {
        let from = if through > 1 { "1 to " } else { "" };
        tail.key("Rounds", Written::joined([Part::from(from), through.into()], ""));
    }
    staff_languages(&mut tail, spec);
    let adds = TurnTask { lines: Vec::new(), answer: ReplyForm::Speech(words(&summarizer.voice)) };
    tail.task(view, ask, (&view.heads.summarizer, adds));
    let own = Author::of(summarizer, |summarizer| summarizer.instructions.as_deref());
    tail.close([instructions(spec), own], &Values::new(view, ask), ask)
}

/// The result, and what the author wants of it.
pub(crate) fn synthesizer(view: &View, ask: &Ask, synthesizer: &Synthesizer) -> Written {
    let spec = &view.spec;
    let mut tail = Tail::new(view, ask, &TailHead { stance: None, role: "synthesizer" });
    for (key, value) in view.facts.result(ask.sees) {
        tail.quoted(key, Some(value));
    }
    for decision in view.facts.decisions(ask.sees, told_share(&synthesizer.voice), &[]) {
        tail.quoted("The moderator", Some(decision));
    }
    tail.quoted("The moderator's summary of the debate", view.facts.summed_up(ask.sees));
    staff_languages(&mut tail, spec);
    let task = line(template::SYNTHESISE, 0);
    let schema = Written::json(synthesizer, |synthesizer| synthesizer.output_schema.as_ref());
    tail.paragraph(match schema {
        Some(schema) => Written::joined([task.into(), line(template::SYNTHESISE, 1).into(), Part::from(schema)], "\n"),
        None => Written::joined([task, line(template::SYNTHESISE, 2)], "\n"),
    });
    let own = Author::of(synthesizer, |synthesizer| synthesizer.instructions.as_deref());
    tail.close([instructions(spec), own], &Values::new(view, ask), ask)
}
