//! The turns of debaters beside opening, argument and closing.

use crate::{
    cast::{prose::told, scene::Scene, speech::SpeechDraft},
    words::upper_first,
};

/// A proposal: what to do, why, and how one would notice that it fails.
pub fn proposal(scene: &Scene<'_>) -> String {
    let mut speech = SpeechDraft::new(scene);
    speech.paragraph([speech.line("proposals")]);
    let (first, second) = (speech.claim(), speech.claim());
    speech.paragraph([format!("First, {first}"), format!("Second, {second}")]);
    speech.paragraph([speech.fact(), speech.line("tests")]);
    speech.finish()
}

/// A proposal after its critiques.
pub fn revision(scene: &Scene<'_>) -> String {
    let mut speech = SpeechDraft::new(scene);
    speech.paragraph([speech.line("revisions")]);
    let reason = upper_first(&speech.claim());
    speech.paragraph([reason, speech.fact()]);
    speech.paragraph([speech.line("tests")]);
    speech.finish()
}

/// A question to whom the prompt names, about what that one said last if it said anything.
pub fn question(scene: &Scene<'_>, bank: &str) -> String {
    let mut speech = SpeechDraft::of(scene, 0, 70).without_answer();
    let lead = if speech.slots.point.is_some() {
        speech.line("question leads")
    } else {
        scene.target().map(|to| told("plain question", &[("opp", &to)])).unwrap_or_default()
    };
    speech.paragraph([lead, speech.line_of("questions", bank)]);
    speech.finish()
}

/// An answer to the question that was put.
pub fn answer(scene: &Scene<'_>) -> String {
    let mut speech = SpeechDraft::of(scene, 60, 150);
    let leads = if speech.slots.has_question() { "answer leads" } else { "plain leads" };
    speech.paragraph([speech.line_of("answer leads", leads), speech.line("answer cores")]);
    let reason = upper_first(&speech.claim());
    speech.paragraph([reason, speech.fact()]);
    speech.paragraph([speech.line("answer ends")]);
    speech.finish()
}

/// What the moderator wanted to have cleared up.
pub fn clarification(scene: &Scene<'_>) -> String {
    let mut speech = SpeechDraft::of(scene, 30, 110);
    let leads = if speech.slots.has_question() { "clarifications" } else { "plain leads" };
    speech.paragraph([speech.line_of("clarifications", leads), speech.line("answer cores")]);
    let reason = upper_first(&speech.claim());
    speech.paragraph([reason]);
    speech.finish()
}

/// A short reply to final statements.
pub fn rebuttal(scene: &Scene<'_>) -> String {
    let mut speech = SpeechDraft::of(scene, 30, 100);
    if speech.slots.point.is_some() {
        let rebuttal = speech.rebuttal();
        speech.paragraph([speech.line("answers"), rebuttal]);
        speech.paragraph([speech.line("challenges")]);
    } else {
        let reason = upper_first(&speech.claim());
        speech.paragraph([speech.line("continuations"), reason]);
    }
    speech.finish()
}

/// A speech for a bench: the first opens the case, a whip sums it up, the others carry it on.
pub fn bench(scene: &Scene<'_>) -> String {
    let office = scene.brief.office.as_deref().unwrap_or_default();
    match () {
        () if scene.brief.voices().next().is_none() => SpeechDraft::opening(scene),
        () if office.contains("whip") => SpeechDraft::closing(scene),
        () => SpeechDraft::argument(scene),
    }
}
