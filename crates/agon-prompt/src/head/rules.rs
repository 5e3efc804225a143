//! What holds for all speeches of a debate.
use crate::tasks::is_number;
use crate::template::{self, fill, line};
use crate::text::alternatives;
use agon_core::fence::{Author, Written};
use agon_core::{DebateSpec, Mode, Work};

/// The rules of speeches that answer others, how they end, and how much agreement is sought.
pub(super) fn of_speeches(spec: &DebateSpec, seed: u64) -> Written {
    let mode = match spec.mode {
        Mode::Adversarial => template::RULES_ADVERSARIAL,
        Mode::Deliberative => template::RULES_DELIBERATIVE,
    };
    with_mode(spec, mode, [stated_answer(spec, seed, spec.asks_confidence_of(&Work::ARGUMENT)), sought_agreement(spec)])
}

/// The rules of those who speak before anybody was heard.
pub(super) fn of_first_speeches(spec: &DebateSpec, seed: u64) -> Written {
    let mode = match spec.mode {
        Mode::Adversarial => template::RULES_ADVERSARIAL_OPENING,
        Mode::Deliberative => template::RULES_DELIBERATIVE_OPENING,
    };
    with_mode(spec, mode, [stated_answer(spec, seed, spec.asks_confidence_of(&Work::Opening)), None])
}

/// The rules of the mode, in whose place a persona's own may stand, and what holds for all speeches.
fn with_mode(spec: &DebateSpec, mode: &'static str, more: [Option<Written>; 2]) -> Written {
    let always = [
        crate::tail::languages(spec).map(|_| fill(template::LANGUAGE, &[])),
        claims(spec),
        has_tools(spec).then(|| fill(template::TOOL_RULES, &[])),
    ];
    let always: Vec<Written> = more.into_iter().chain(always).flatten().collect();
    let mut paragraphs = vec![fill(template::RULES, &[]), fill(mode, &[])];
    if !always.is_empty() {
        paragraphs.push(fill(template::SPEECHES, &[]));
        paragraphs.extend(always);
    }
    Written::joined(&paragraphs, "\n\n")
}

/// What the line is that states an answer, and the one that says how sure its speaker is.
fn stated_answer(spec: &DebateSpec, seed: u64, sure: bool) -> Option<Written> {
    if !spec.states_answers() {
        return None;
    }
    let form = match (spec.mode, options(spec, seed), is_number(spec)) {
        (Mode::Deliberative, Some(choices), _) => fill(template::MY_OPTION, &[("choices", choices.into())]),
        (Mode::Deliberative, None, true) => fill(template::MY_NUMBER, &[]),
        (Mode::Deliberative, None, false) => fill(template::MY_ANSWER, &[]),
        (Mode::Adversarial, Some(choices), _) => fill(template::MY_SIDE, &[("choice", choices.into())]),
        (Mode::Adversarial, None, true) => fill(template::MY_SIDE, &[("choice", line(template::CHOICE, 2).into())]),
        (Mode::Adversarial, None, false) => fill(template::MY_POSITION, &[]),
    };
    let mut text = Written::joined([fill(template::STATED_ANSWER, &[]), form], "\n");
    if sure {
        text.push("\n");
        text.push(fill(template::MY_CONFIDENCE, &[]));
    }
    Some(text)
}

/// The options that are answers to the topic, as alternatives; none where the file lists none.
fn options(spec: &DebateSpec, seed: u64) -> Option<Written> {
    let known: Option<Vec<Written>> = spec.options()?.iter().map(|option| Written::known(spec, seed, option)).collect();
    Some(alternatives(&known?))
}

fn sought_agreement(spec: &DebateSpec) -> Option<Written> {
    let intensity = spec.agreement_intensity?;
    let wording = match spec.mode {
        Mode::Adversarial => template::AGREEMENT_ASSIGNED,
        Mode::Deliberative => template::AGREEMENT,
    };
    let to = |who: usize, wording| {
        Written::joined([fill(line(template::AGREEMENT_WHEN, who), &[]), agreement(intensity, wording)], " ")
    };
    let mut text = to(0, wording);
    if spec.moderator.is_some() {
        text.push("\n");
        text.push(to(1, template::AGREEMENT));
    }
    Some(text)
}

/// 0 and 10 have a wording of their own, the rest comes in three grades.
fn agreement(intensity: u8, template: &'static str) -> Written {
    let grade = match intensity {
        0 => 0,
        1..=3 => 1,
        4..=6 => 2,
        7..=9 => 3,
        10.. => 4,
    };
    fill(line(template, grade), &[("intensity", intensity.into())])
}

fn claims(spec: &DebateSpec) -> Option<Written> {
    let verifiers = Author::all(spec, |spec| &spec.verifiers);
    let first = verifiers.first()?;
    let all = Written::joined(verifiers.iter().copied(), ", ");
    Some(fill(template::MARK_CLAIMS, &[("verifier", (*first).into()), ("verifiers", all.into())]))
}

fn has_tools(spec: &DebateSpec) -> bool {
    let moderates = spec.moderator.as_ref().is_some_and(|moderator| !moderator.tools.is_empty());
    moderates || spec.personas.iter().any(|persona| !persona.tools.is_empty())
}
