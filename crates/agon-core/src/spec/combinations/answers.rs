//! What an answer to the topic may be.
use super::ProblemList;
use crate::number::Tolerance;
use crate::spec::{AnswerForm, AnswerKind, ConsensusStrategy, DebateSpec, MOST_OPTIONS, Mode};
use crate::tally::same_answer;

pub(super) fn check(spec: &DebateSpec, found: &mut ProblemList) {
    let Some(form) = &spec.answer else { return };
    options(form, found);
    tolerance(form, found);
    stances(spec, form, found);
    let judged = spec.consensus_strategy == ConsensusStrategy::Judge;
    let read = form.kind != AnswerKind::Text || judged || spec.states_answers();
    found.require(read, &["answer", "mode"], || {
        "`answer: text` changes nothing here: it asks for stated answers in deliberative mode, and for a winner from \
         `consensus_strategy: judge`"
            .to_owned()
    });
}

fn options(form: &AnswerForm, found: &mut ProblemList) {
    let count = form.options.len();
    if form.kind != AnswerKind::Choice {
        let kind = form.kind.as_str();
        return found.require(count == 0, &["answer.options", "answer.kind"], || {
            format!("`options` are read with `kind: choice` only; here the kind is `{kind}`")
        });
    }
    found.require((2..=MOST_OPTIONS).contains(&count), &["answer.options", "answer"], || {
        format!("`kind: choice` needs 2 to {MOST_OPTIONS} options, here are {count}")
    });
    for (at, option) in form.options.iter().enumerate() {
        let twin = form.options.iter().take(at).find(|other| same_answer(other, option));
        found.require(twin.is_none() && !option.trim().is_empty(), &["answer.options"], || match twin {
            Some(twin) => format!("the options {twin:?} and {option:?} are the same answer; they must differ in more than letter case, spacing and punctuation at the end"),
            None => "an option is empty: give it a text, or leave it out".to_owned(),
        });
    }
}

fn tolerance(form: &AnswerForm, found: &mut ProblemList) {
    let kind = form.kind;
    found.require(
        kind == AnswerKind::Number || form.tolerance.is_exact(),
        &["answer.tolerance", "answer.kind"],
        || format!("`tolerance` is read with `kind: number` only; here the kind is `{}`", kind.as_str()),
    );
    let good = match form.tolerance {
        Tolerance::Exact => true,
        Tolerance::Absolute(most) => most.is_finite() && most >= 0.0,
        Tolerance::Relative(share) => (0.0..=1.0).contains(&share),
    };
    found.require(good, &["answer.tolerance"], || {
        "`tolerance` is a number of 0 or more, or a share from 0 % to 100 %".to_owned()
    });
}

/// Whoever argues for a stance argues for an answer.
fn stances(spec: &DebateSpec, form: &AnswerForm, found: &mut ProblemList) {
    let lists_none = form.kind == AnswerKind::Choice && form.options.is_empty();
    if spec.mode != Mode::Adversarial || lists_none {
        return;
    }
    for (at, persona) in spec.personas.iter().enumerate() {
        let problem = persona.stance.as_ref().and_then(|stance| form.read(stance).err());
        let key = format!("personas[{at}].stance");
        found.require(problem.is_none(), &[&key, "answer"], || {
            let (name, problem) = (&persona.name, problem.clone().unwrap_or_default());
            format!("with assigned stances each must be an answer; the stance of {name} is none: {problem}")
        });
    }
}
