//! How tasks are called in the line `Task:`.
use agon_core::{BallotForm, BallotStage, BidPurpose, Conclusion, DebateFormat, DebateSpec, SpeechKind, Task};

pub(super) fn task_name(spec: &DebateSpec, task: &Task) -> &'static str {
    match task {
        Task::Ballot { stage: BallotStage::Initial, .. } => "private ballot (initial)",
        Task::Ballot { stage: BallotStage::Final, .. } => "private ballot (final)",
        Task::Opening => "opening statement",
        Task::Argument { .. } if spec.debate_format == DebateFormat::ChainOfThought => "argument in steps",
        Task::Argument { .. } => "argument",
        Task::Statement { speech, .. } => speech_name(*speech),
        Task::Closing => "closing statement",
        Task::Bid { purpose, .. } => match purpose {
            BidPurpose::Floor => "bid",
            BidPurpose::Reaction => "reaction",
            BidPurpose::Circle => "bid for the circle",
            BidPurpose::Interruption => "interruption",
            BidPurpose::Point => "point of information",
        },
        Task::AnswerPoints { .. } => "answer points",
        Task::Critique { .. } => "critique",
        Task::Revise { .. } => "revision",
        Task::Reflect { .. } => "reflection",
        Task::OpenRound => "open the round",
        Task::CloseRound => "close the round",
        Task::Interject => "interject",
        Task::ScoreSpeeches { .. } => "score speeches",
        Task::Research => "research",
        Task::Conclude { conclusion } => match conclusion {
            Conclusion::Reconciliation => "reconcile",
            Conclusion::Summary => "closing summary",
            Conclusion::Decision => "mediator decision",
        },
        Task::Summarise { .. } => "summarise",
        Task::Measure { .. } => "measure",
        Task::EnoughSaid => "enough",
        Task::Judge { .. } => "judge",
        Task::Rank { .. } => "rank",
        Task::Vote { form, .. } => match form {
            BallotForm::Single => "vote",
            BallotForm::Ranking => "ranked vote",
            BallotForm::Approval => "approval vote",
            BallotForm::Scores => "score debaters",
        },
        Task::ScoreDebaters { .. } => "score debaters",
        Task::Synthesise => "synthesise",
    }
}

fn speech_name(speech: SpeechKind) -> &'static str {
    match speech {
        SpeechKind::Opening => "opening statement",
        SpeechKind::Argument => "argument",
        SpeechKind::Closing => "closing statement",
        SpeechKind::Question => "question",
        SpeechKind::Answer => "answer",
        SpeechKind::FollowUp => "follow-up",
        SpeechKind::Proposal => "proposal",
        // the structured one is a task of its own; this one was asked for by the moderator
        SpeechKind::Revision => "revised position",
        SpeechKind::Rebuttal => "rebuttal",
        SpeechKind::Clarification => "clarification",
        SpeechKind::Interjection => "interjection",
        SpeechKind::Critique => "critique",
        SpeechKind::Point => "point of information",
        SpeechKind::PointReply => "answer points",
        SpeechKind::Moderation => "interject",
    }
}
