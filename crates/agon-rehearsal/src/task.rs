//! The tasks that a prompt may set, by the words with which their text begins.

use serde::{Deserialize, Serialize};

/// The task of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the table below has the words of each")]
pub enum PromptTask {
    BallotInitial,
    BallotFinal,
    Opening,
    OpenRound,
    ClosingSummary,
    Closing,
    CloseRound,
    Judge,
    RankedVote,
    ApprovalVote,
    Vote,
    Proposal,
    Question,
    AnswerPoints,
    Answer,
    FollowUp,
    Clarification,
    Argument,
    Rebuttal,
    Interject,
    Steps,
    Research,
    Reconcile,
    Summarise,
    Revision,
    Critique,
    Bid,
    Reaction,
    Interruption,
    PointOfInformation,
    Reflection,
    ScoreSpeeches,
    ScoreDebaters,
    MediatorDecision,
    Enough,
    Rank,
    Synthesise,
    Other,
}
use PromptTask::*;

/// Tasks with the name of each and how its text begins. What begins like another stands before it.
const TASKS: &[(PromptTask, &str, &str)] = &[
    (BallotInitial, "private ballot (initial)", "Cast a private ballot before"),
    (BallotInitial, "private ballot (initial)", "Cast a private ballot on the proposals, before"),
    (BallotFinal, "private ballot (final)", "Cast a private ballot after"),
    (BallotFinal, "private ballot (final)", "Cast a private ballot on the proposals, as they stand"),
    (Opening, "opening statement", "Give your opening statement"),
    (OpenRound, "open the round", "You moderate and take no side. Open the round"),
    (ClosingSummary, "closing summary", "You moderate and take no side. Sum the debate up"),
    (Closing, "closing statement", "Give your closing statement"),
    (CloseRound, "close the round", "You moderate and take no side. Close the round"),
    (Judge, "judge", "Judge the debate"),
    (RankedVote, "ranked vote", "Vote now by ranking"),
    (ApprovalVote, "approval vote", "Vote now by approval"),
    (Vote, "vote", "Vote now"),
    (Proposal, "proposal", "Give your proposal"),
    (Question, "question", "Ask the others one question"),
    (AnswerPoints, "answer points", "You were offered the points of information"),
    (Answer, "answer", "Answer the question"),
    (FollowUp, "follow-up", "Ask one further question"),
    (Clarification, "clarification", "The moderator asks you to clarify"),
    (Argument, "revised position", "The moderator asks you to go over"),
    (Rebuttal, "rebuttal", "Answer the closing statements"),
    (Interject, "interjection", "Put in a word"),
    (Steps, "argument in steps", "Give your argument now in numbered steps"),
    (Argument, "argument", "Give your next speech"),
    (Argument, "argument", "You sit in the inner circle"),
    (Argument, "argument", "You have the floor"),
    (Argument, "argument", "Open the debate now for"),
    (Argument, "argument", "Open now for the opposition"),
    (Argument, "argument", "Rebut now what"),
    (Argument, "argument", "Bring an extension"),
    (Argument, "argument", "Sum the debate up now for"),
    (Research, "research", "You moderate and take no side. Before the first round"),
    (Reconcile, "reconcile", "You moderate and take no side. The rounds are over"),
    (Summarise, "summarise", "Sum up now what was said"),
    (Revision, "revision", "Your proposal was criticised"),
    (Critique, "critique", "Criticise the proposal"),
    (Bid, "bid", "Say how much you want the floor"),
    (Bid, "bid for the circle", "You listen outside the inner circle"),
    (Reaction, "reaction", "Say whether you want to react"),
    (Interruption, "interruption", "Somebody is speaking"),
    (PointOfInformation, "point of information", "You may offer the speaker a point"),
    (Reflection, "reflection", "Make notes for yourself"),
    (Interject, "interject", "You moderate and take no side. Say what has to be said"),
    (ScoreSpeeches, "score speeches", "You moderate and take no side. Score now each speech"),
    (ScoreDebaters, "score debaters", "Score now how each debater"),
    (MediatorDecision, "mediator decision", "You moderate, and your synthesis"),
    (Enough, "enough", "The debate is still going on"),
    (Rank, "rank", "Rank the candidates"),
    (Synthesise, "synthesise", "Write now what the author"),
];

impl PromptTask {
    /// The task whose text a line begins, and its name.
    pub fn begun_by(line: &str) -> Option<(Self, &'static str)> {
        let row = TASKS.iter().find(|(.., words)| line.starts_with(words));
        row.map(|(task, title, _)| (*task, *title))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// How the text of a task begins, by its name; the name itself where there is no such task.
    pub fn words_of(title: &str) -> &str {
        TASKS.iter().find(|(_, known, _)| *known == title).map_or(title, |(.., words)| words)
    }

    #[test]
    fn the_words_of_each_task_are_its_own() {
        for (task, title, words) in TASKS {
            assert_eq!(PromptTask::begun_by(&format!("{words} ...")), Some((*task, *title)), "{words}");
        }
        assert_eq!(PromptTask::begun_by("Write a poem"), None);
    }
}
