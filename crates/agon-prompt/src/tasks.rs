//! What each task asks for, in the words that are the same at every turn; the tail adds who is meant, what may be chosen and how long an answer
//! may be.
mod debater;
mod moderator;

use crate::template::{self, fill};
use agon_core::fence::{Part, Written};
use agon_core::{AnswerKind, BallotForm, BallotStage, BidPurpose, DebateSpec, SpeechKind, Task, Work};

/// What a task asks for, and an example of the object that answers it; none where it is answered in words.
pub(crate) struct TaskWords {
    pub(crate) words: Written,
    pub(crate) example: Option<Written>,
}

impl TaskWords {
    /// The words of a task whose last line is the example of its answer, if that is an object.
    fn of(words: &'static str, values: &[(&str, Part<'_>)]) -> Self {
        match words.trim_end().rsplit_once('\n').filter(|(_, last)| last.starts_with('{')) {
            Some((words, example)) => Self { words: fill(words, values), example: Some(fill(example, values)) },
            None => Self { words: fill(words, values), example: None },
        }
    }
    /// The same with a line for each member of the answer, and the members of the example.
    fn of_members(words: Written, members: &[Written], examples: &[&'static str]) -> Self {
        let example = Written::joined(examples.iter().copied(), ", ");
        let example = Written::joined(["{".into(), Part::from(example), "}".into()], "");
        let members = Written::joined(members, "\n");
        Self { words: Written::joined([words, members], "\n"), example: Some(example) }
    }
}

/// What a task asks for, whoever is asked.
pub(crate) fn described(spec: &DebateSpec, task: &Task) -> TaskWords {
    let plain = |words| TaskWords::of(words, &[]);
    match &task.work {
        Work::Opening | Work::Argument { .. } | Work::Statement { .. } | Work::Closing => {
            debater::speech(spec, &task.work)
        }
        Work::Bid { purpose, .. } => bid(*purpose, spec.format.interruption_threshold),
        Work::AnswerPoints => plain(template::ANSWER_POINTS),
        Work::Critique { .. } => plain(template::CRITIQUE),
        Work::Revise => debater::revision(spec.mode),
        Work::Reflect => debater::reflection(spec, task.material.notes()),
        Work::Ballot { stage } => ballot(spec, *stage),
        Work::Vote => vote(spec, task.material.form()),
        Work::ScoreDebaters => plain(template::SCORE_DEBATERS),
        Work::OpenRound
        | Work::CloseRound
        | Work::Interject
        | Work::ScoreSpeeches
        | Work::Research
        | Work::Conclude { .. } => moderator::duty(spec, &task.work),
        Work::Summarise => plain(template::SUMMARISE),
        Work::EnoughSaid => plain(template::ENOUGH),
        Work::Judge { .. } => plain(template::JUDGE),
        Work::Rank { .. } => plain(template::RANK),
        // the one says what it wants with its schema, the other is measured
        Work::Synthesise | Work::Measure => plain(""),
    }
}

fn bid(purpose: BidPurpose, threshold: u8) -> TaskWords {
    let form = |why| {
        let TaskWords { words, example } = TaskWords::of(template::BID_FORM, &[]);
        let why = fill(why, &[("threshold", threshold.into())]);
        TaskWords { words: Written::joined([why, words], "\n"), example }
    };
    match purpose {
        BidPurpose::Floor => form(template::BID_FLOOR),
        BidPurpose::Reaction => form(template::BID_REACTION),
        BidPurpose::Circle => form(template::BID_CIRCLE),
        BidPurpose::Interruption => form(template::BID_INTERRUPTION),
        BidPurpose::Point => TaskWords::of(template::POINT, &[]),
    }
}

fn ballot(spec: &DebateSpec, stage: BallotStage) -> TaskWords {
    cast(
        spec,
        match (stage, spec.ballots_on_proposals()) {
            (BallotStage::Initial, false) => template::BALLOT_INITIAL,
            (BallotStage::Final, false) => template::BALLOT_FINAL,
            (BallotStage::Initial, true) => template::BALLOT_PROPOSALS,
            (BallotStage::Final, true) => template::BALLOT_REVISIONS,
        },
    )
}

fn vote(spec: &DebateSpec, form: BallotForm) -> TaskWords {
    cast(
        spec,
        match form {
            // scores have a task of their own
            BallotForm::Single | BallotForm::Scores => template::VOTE,
            BallotForm::Ranking => template::RANKED_VOTE,
            BallotForm::Approval => template::APPROVAL_VOTE,
        },
    )
}

/// A ballot or vote, which asks for the voter's confidence where the file wants that.
fn cast(spec: &DebateSpec, task: &'static str) -> TaskWords {
    let sure = if spec.answers.confidence { ", \"confidence\": 60" } else { "" };
    let choice = if is_number(spec) { "1200" } else { "\"your choice\"" };
    TaskWords::of(task, &[("form", sure.into()), ("kind", choice.into())])
}

/// Whether an answer to the topic is a number.
pub(crate) fn is_number(spec: &DebateSpec) -> bool {
    spec.answer.as_ref().is_some_and(|form| form.kind == AnswerKind::Number)
}

/// Whether a debater answers a task by a speech.
pub(crate) fn is_speech(work: &Work) -> bool {
    matches!(work, Work::Opening | Work::Argument { .. } | Work::Statement { .. } | Work::Closing)
}

/// Whether a speech argues: not if it asks or clears something up.
pub(crate) fn argues(work: &Work) -> bool {
    match work {
        Work::Statement { speech, .. } => !matches!(
            speech,
            SpeechKind::Question | SpeechKind::FollowUp | SpeechKind::Clarification | SpeechKind::Interjection
        ),
        work => is_speech(work),
    }
}
