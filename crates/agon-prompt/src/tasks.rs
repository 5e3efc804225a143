//! What each task asks for, in the words that are the same at every turn: who is meant, what may be chosen and how long an answer may be
//! stands in the tail.
mod debater;
mod moderator;

pub(crate) use debater::note_form;

use crate::template::{self, fill};
use agon_core::fence::{Part, Written};
use agon_core::{AnswerKind, BallotForm, BallotStage, BidPurpose, DebateFormat, DebateSpec, SpeechKind, Task, Work};

/// The name of a task, as the line `Task:` and the description in the head have it.
pub(crate) fn title(spec: &DebateSpec, task: &Task) -> &'static str {
    let steps = spec.debate_format == DebateFormat::ChainOfThought;
    match (&task.work, task.material.form()) {
        (Work::Argument { .. }, _) if steps => "argument in steps",
        (Work::Vote, BallotForm::Ranking) => "ranked vote",
        (Work::Vote, BallotForm::Approval) => "approval vote",
        (Work::Vote, BallotForm::Scores) => "score debaters",
        (work, _) => work.traits().title,
    }
}

/// What a task asks for, whoever is asked. Tasks of one title have one description.
pub(crate) fn described(spec: &DebateSpec, task: &Task) -> Written {
    match &task.work {
        Work::Opening | Work::Argument { .. } | Work::Statement { .. } | Work::Closing => {
            debater::speech(spec, &task.work)
        }
        Work::Bid { purpose, .. } => bid(*purpose, spec.format.interruption_threshold),
        Work::AnswerPoints => fill(template::ANSWER_POINTS, &[]),
        Work::Critique { .. } => fill(template::CRITIQUE, &[]),
        Work::Revise => debater::revision(spec.mode),
        Work::Reflect => debater::reflection(spec, task.material.notes()),
        Work::Ballot { stage } => ballot(spec, *stage),
        Work::Vote => vote(spec, task.material.form()),
        Work::ScoreDebaters => fill(template::SCORE_DEBATERS, &[]),
        Work::OpenRound
        | Work::CloseRound
        | Work::Interject
        | Work::ScoreSpeeches
        | Work::Research
        | Work::Conclude { .. } => moderator::duty(spec, &task.work),
        Work::Summarise => fill(template::SUMMARISE, &[]),
        Work::EnoughSaid => fill(template::ENOUGH, &[]),
        Work::Judge { .. } => fill(template::JUDGE, &[]),
        Work::Rank { .. } => fill(template::RANK, &[]),
        // the one says what it wants with its schema, the other is measured
        Work::Synthesise | Work::Measure => Written::default(),
    }
}

fn bid(purpose: BidPurpose, threshold: u8) -> Written {
    let form =
        |why| Written::joined([fill(why, &[("threshold", threshold.into())]), fill(template::BID_FORM, &[])], "\n");
    match purpose {
        BidPurpose::Floor => form(template::BID_FLOOR),
        BidPurpose::Reaction => form(template::BID_REACTION),
        BidPurpose::Circle => form(template::BID_CIRCLE),
        BidPurpose::Interruption => form(template::BID_INTERRUPTION),
        BidPurpose::Point => fill(template::POINT, &[]),
    }
}

fn ballot(spec: &DebateSpec, stage: BallotStage) -> Written {
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

fn vote(spec: &DebateSpec, form: BallotForm) -> Written {
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
fn cast(spec: &DebateSpec, task: &'static str) -> Written {
    let asked = Written::joined(["\n".into(), Part::from(fill(template::CONFIDENCE, &[]))], "");
    let (confidence, form) =
        if spec.answers.confidence { (asked.into(), ", \"confidence\": number") } else { (Part::from(""), "") };
    let kind = if is_number(spec) { "number" } else { "text" };
    fill(task, &[("confidence", confidence), ("form", form.into()), ("kind", kind.into())])
}

/// Whether an answer to the topic is a number.
pub(crate) fn is_number(spec: &DebateSpec) -> bool {
    spec.answer.as_ref().is_some_and(|form| form.kind == AnswerKind::Number)
}

/// A task with a line for each member of its answer, and the answer's form.
fn with_form(task: Written, members: &[Written], forms: &[&'static str]) -> Written {
    Written::joined([&task, &Written::joined(members, "\n"), &form(forms)], "\n")
}

/// What an answer looks like.
pub(crate) fn form(members: &[&'static str]) -> Written {
    let members = Written::joined(members.iter().copied(), ", ");
    Written::joined(["Answer with one JSON object: {".into(), Part::from(members), "}".into()], "")
}

/// Whether a debater answers a task by a speech.
pub(crate) fn is_speech(work: &Work) -> bool {
    matches!(work, Work::Opening | Work::Argument { .. } | Work::Statement { .. } | Work::Closing)
}

/// Whether the rules of the mode hold: not for words that ask or clear something up and do not argue.
pub(crate) fn argues(work: &Work) -> bool {
    match work {
        Work::Statement { speech, .. } => !matches!(
            speech,
            SpeechKind::Question | SpeechKind::FollowUp | SpeechKind::Clarification | SpeechKind::Interjection
        ),
        work => is_speech(work) || *work == Work::Revise,
    }
}
