//! The system messages, which are the same at every turn of a debate, so that a model server evaluates each once: the question, what the author
//! and feeds say about it, the rules.
//!
//! Those who speak before anybody was heard read this message and their turn alone, so that an opening of a debate and a sample of a poll are
//! the same prompt.
use crate::template::{self, fill};
use agon_core::fence::{Author, Mark, Part, PromptText, Written};
use agon_core::{Admission, BallotStage, DebateSpec, SpeechKind, Work};

/// What debaters and moderator read.
pub(crate) fn debate(admission: &Admission, mark: &Mark) -> PromptText {
    system(admission, mark, (template::SYSTEM, template::RULES))
}

/// What judges read.
pub(crate) fn judges(admission: &Admission, mark: &Mark) -> PromptText {
    system(admission, mark, (template::JUDGE_SYSTEM, template::JUDGE_RULES))
}

/// What the summarizer reads.
pub(crate) fn summarizer(admission: &Admission, mark: &Mark) -> PromptText {
    system(admission, mark, (template::SUMMARIZER_SYSTEM, template::SUMMARIZER_RULES))
}

/// What the synthesizer reads.
pub(crate) fn synthesizer(admission: &Admission, mark: &Mark) -> PromptText {
    system(admission, mark, (template::SYNTHESIZER_SYSTEM, template::SYNTHESIZER_RULES))
}

/// Openings, proposals and first ballots are given before anybody was heard: they mention nobody. First ballots on proposals come
/// after these.
pub(crate) fn sees_nobody(spec: &DebateSpec, work: &Work) -> bool {
    match work {
        Work::Ballot { stage: BallotStage::Initial } => !spec.ballots_on_proposals(),
        work => matches!(work, Work::Opening | Work::Statement { speech: SpeechKind::Proposal, .. }),
    }
}

fn system(admission: &Admission, mark: &Mark, (who, rules): (&'static str, &'static str)) -> PromptText {
    let spec = &admission.spec;
    let mut system = fill(who, &[]);
    let mut push = |section: Written| {
        system.push("\n\n");
        system.push(section);
    };
    let texts = [
        ("# Question\n", Author::of(spec, |spec| Some(&spec.topic))),
        ("# Context\n", Author::of(spec, |spec| spec.context.as_deref())),
        ("# Materials\n", Author::of(spec, |spec| spec.materials.as_deref())),
    ];
    for (title, text) in texts {
        if let Some(text) = text {
            push(Written::joined([title.into(), Part::from(text.trimmed())], ""));
        }
    }
    let foreign = [crate::view::feeds(&admission.feeds, mark), crate::view::history(&admission.history, mark)];
    foreign.into_iter().flatten().for_each(&mut push);
    let mut rules = fill(rules, &[("marker", mark.into())]);
    if !spec.verifiers.is_empty() {
        rules.push("\n");
        rules.push(fill(template::CHECKED, &[]));
    }
    push(rules);
    claims(spec).filter(|_| who == template::SYSTEM).into_iter().for_each(&mut push);
    shared_instructions(spec).into_iter().for_each(&mut push);
    system.push("\n");
    system.finished()
}

/// How a speech marks claims that are checked.
fn claims(spec: &DebateSpec) -> Option<Written> {
    let verifiers = Author::all(spec, |spec| &spec.verifiers);
    let first = verifiers.first()?;
    let all = Written::joined(verifiers.iter().copied(), ", ");
    Some(fill(template::MARK_CLAIMS, &[("verifier", (*first).into()), ("verifiers", all.into())]))
}

/// The author's instructions to everybody, where they are the same for everybody at every turn.
fn shared_instructions(spec: &DebateSpec) -> Option<Written> {
    let own = Author::of(spec, |spec| spec.instructions.as_deref()).filter(|_| !instructions_vary(spec))?;
    let topic = Author::of(spec, |spec| Some(&spec.topic)).map_or_else(|| Part::from(""), Part::from);
    let filled = Part::from(own).fill(&[("topic", topic), ("max_rounds", spec.max_rounds.into())]);
    let heading = fill(template::INSTRUCTIONS, &[]);
    Some(Written::joined([Part::from(&heading), Part::from(&filled).trimmed()], "\n"))
}

/// Whether the instructions to everybody say something else to each, or at each turn.
pub(crate) fn instructions_vary(spec: &DebateSpec) -> bool {
    let variables = spec.instructions.iter().flat_map(|text| text.split("{{").skip(1));
    let names = variables.filter_map(|after| after.split_once("}}")).map(|(name, _)| name.trim());
    names.into_iter().any(|name| matches!(name, "round" | "name" | "stance" | "language"))
}
