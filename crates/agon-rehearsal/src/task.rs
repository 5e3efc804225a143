//! The tasks that a prompt may set, by the line `Task: ...`.

use serde::{Deserialize, Serialize};

macro_rules! tasks {
    ($($name:ident: $first:literal $(, $other:literal)*;)+) => {
        /// The task of a turn, as written after `Task:` in the prompt.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum PromptTask {
            $(#[doc = concat!("`", $first, "`.")] $name,)+
            /// Anything else.
            Other,
        }

        /// How a task's line begins; the first that fits counts.
        const LINES: &[(&str, PromptTask)] = &[$(($first, PromptTask::$name), $(($other, PromptTask::$name),)*)+];
    };
}

// Longer lines stand before what they begin with.
tasks! {
    BallotFinal: "private ballot (final)", "final ballot", "ballot (final)";
    BallotInitial: "private ballot", "ballot";
    Opening: "opening";
    OpenRound: "open";
    ClosingSummary: "closing summary";
    Closing: "closing";
    CloseRound: "close";
    Judge: "judge";
    Vote: "vote";
    Proposal: "proposal";
    Question: "question";
    AnswerPoints: "answer points";
    Answer: "answer";
    FollowUp: "follow";
    Clarification: "clarif";
    Rebuttal: "rebuttal";
    Steps: "argument in steps";
    Argument: "argument", "argue", "rebut", "speech as";
    Research: "research";
    Reconcile: "reconcile";
    Summarise: "summaris", "summariz";
    Revision: "revision";
    Critique: "critique";
    Bid: "bid";
    Reaction: "reaction";
    Interruption: "interruption";
    PointOfInformation: "point of information";
    Reflection: "reflection";
    Interject: "interject";
    ScoreSpeeches: "score speeches";
    ScoreDebaters: "score debaters";
    MediatorDecision: "mediator decision";
    Enough: "enough";
    RankedVote: "ranked vote";
    Rank: "rank";
    ApprovalVote: "approval vote";
    Synthesise: "synthesis", "synthesiz";
}

impl PromptTask {
    /// The task of a line, and else what the role does.
    pub(crate) fn read(line: &str, role: &str) -> Self {
        let line = line.trim().to_lowercase();
        let listed = LINES.iter().find(|(start, _)| line.starts_with(start)).map(|(_, task)| *task);
        let of_role = || match role.trim().to_lowercase().as_str() {
            "judge" => Self::Judge,
            "debater" => Self::Argument,
            _ => Self::Other,
        };
        listed.unwrap_or_else(of_role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_task_line_of_the_layout_is_known_by_its_name() {
        let lines = "proposal, question, answer, follow-up, clarification, rebuttal, argument in steps, research, reconcile, closing summary, \
            summarise, revision, critique, bid, reaction, interruption, point of information, answer points, reflection, interject, \
            score speeches, score debaters, mediator decision, enough, rank, ranked vote, approval vote, synthesise";
        let mut seen = Vec::new();
        for line in lines.split(", ") {
            let task = PromptTask::read(line, "judge");
            assert!(!seen.contains(&task) && task != PromptTask::Judge, "{line} is {task:?}");
            seen.push(task);
        }
    }

    #[test]
    fn the_classic_lines_keep_their_meaning() {
        let known = [
            ("opening statement", PromptTask::Opening),
            ("argument", PromptTask::Argument),
            ("Speech as PRIME MINISTER", PromptTask::Argument),
            ("closing statement", PromptTask::Closing),
            ("private ballot (initial)", PromptTask::BallotInitial),
            ("private ballot (final)", PromptTask::BallotFinal),
            ("open the round", PromptTask::OpenRound),
            ("close the round", PromptTask::CloseRound),
            ("judge", PromptTask::Judge),
            ("vote", PromptTask::Vote),
            ("write a poem", PromptTask::Other),
        ];
        for (line, task) in known {
            assert_eq!(PromptTask::read(line, ""), task, "{line}");
        }
        assert_eq!(PromptTask::read("something new", "debater"), PromptTask::Argument);
    }
}
