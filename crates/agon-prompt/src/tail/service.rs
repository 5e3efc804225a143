//! The tails of those who serve the debate: the summarizer, and the synthesizer after it.
use super::{Head, Tail, Values, staff_languages, told_share, words};
use crate::template::{self, fill, line};
use crate::view::View;
use agon_core::{Ask, SUMMARIZER, SYNTHESIZER, Summarizer, Synthesizer, Task};

/// What is to be summed up, and how long that may be.
pub(crate) fn summarizer(view: &View, ask: &Ask, summarizer: &Summarizer) -> String {
    let spec = &view.spec;
    let mut tail = Tail::new(view, ask, &Head { name: SUMMARIZER, stance: None, role: "summarizer" });
    if let Task::Summarise { through } = ask.task {
        tail.key("Rounds", &if through > 1 { format!("1 to {through}") } else { through.to_string() });
    }
    staff_languages(&mut tail, spec);
    tail.paragraph(&fill(template::SUMMARISE, &[("words", &words(&summarizer.voice).to_string())]));
    let values = Values::new(view, ask, SUMMARIZER);
    let values = values.list(view, None, spec.language.as_deref());
    tail.close(&[spec.instructions.as_ref(), summarizer.instructions.as_ref()], &values, ask)
}

/// The result, and what the author wants of it.
pub(crate) fn synthesizer(view: &View, ask: &Ask, synthesizer: &Synthesizer) -> String {
    let spec = &view.spec;
    let mut tail = Tail::new(view, ask, &Head { name: SYNTHESIZER, stance: None, role: "synthesizer" });
    for (key, value) in view.facts.result(ask.sees) {
        tail.key(key, value);
    }
    for decision in view.facts.decisions(ask.sees, told_share(&synthesizer.voice)) {
        tail.key("The moderator", decision);
    }
    tail.quoted("The moderator's summary of the debate", view.facts.summed_up(ask.sees));
    staff_languages(&mut tail, spec);
    let task = line(template::SYNTHESISE, 0);
    tail.paragraph(&match &synthesizer.output_schema {
        Some(schema) => format!("{task}\n{}\n{schema}", line(template::SYNTHESISE, 1)),
        None => format!("{task}\n{}", line(template::SYNTHESISE, 2)),
    });
    let values = Values::new(view, ask, SYNTHESIZER);
    let values = values.list(view, None, spec.language.as_deref());
    tail.close(&[spec.instructions.as_ref(), synthesizer.instructions.as_ref()], &values, ask)
}
