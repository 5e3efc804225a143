//! The tasks that a prompt may set, by the line `Task: ...`.

use serde::{Deserialize, Serialize};

/// The task of a turn, as written after `Task:` in the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptTask {
    /// `opening statement`.
    Opening,
    /// `argument`, and `speech as ...` of a bench.
    Argument,
    /// `closing statement`.
    Closing,
    /// `private ballot (initial)`.
    BallotInitial,
    /// `private ballot (final)`.
    BallotFinal,
    /// `open the round`.
    OpenRound,
    /// `close the round`.
    CloseRound,
    /// `judge`.
    Judge,
    /// `vote`.
    Vote,
    /// `proposal`.
    Proposal,
    /// `question`.
    Question,
    /// `answer`.
    Answer,
    /// `follow-up`.
    FollowUp,
    /// `clarification`.
    Clarification,
    /// `rebuttal`.
    Rebuttal,
    /// `argument in steps`.
    Steps,
    /// `research`.
    Research,
    /// `reconcile`.
    Reconcile,
    /// `closing summary`.
    ClosingSummary,
    /// `summarise`.
    Summarise,
    /// `revision`.
    Revision,
    /// `critique`.
    Critique,
    /// `bid`.
    Bid,
    /// `reaction`.
    Reaction,
    /// `interruption`.
    Interruption,
    /// `point of information`.
    PointOfInformation,
    /// `answer points`.
    AnswerPoints,
    /// `reflection`.
    Reflection,
    /// `interject`.
    Interject,
    /// `score speeches`.
    ScoreSpeeches,
    /// `score debaters`.
    ScoreDebaters,
    /// `mediator decision`.
    MediatorDecision,
    /// `enough`.
    Enough,
    /// `rank`.
    Rank,
    /// `ranked vote`.
    RankedVote,
    /// `approval vote`.
    ApprovalVote,
    /// `synthesise`.
    Synthesise,
    /// Anything else.
    Other,
}

/// How a task's line begins; the first that fits counts, so that longer ones stand before what they begin with.
const LINES: &[(&str, PromptTask)] = &[
    ("private ballot (final)", PromptTask::BallotFinal),
    ("final ballot", PromptTask::BallotFinal),
    ("private ballot", PromptTask::BallotInitial),
    ("ballot (final)", PromptTask::BallotFinal),
    ("ballot", PromptTask::BallotInitial),
    ("opening", PromptTask::Opening),
    ("open", PromptTask::OpenRound),
    ("closing summary", PromptTask::ClosingSummary),
    ("closing", PromptTask::Closing),
    ("close", PromptTask::CloseRound),
    ("judge", PromptTask::Judge),
    ("vote", PromptTask::Vote),
    ("proposal", PromptTask::Proposal),
    ("question", PromptTask::Question),
    ("answer points", PromptTask::AnswerPoints),
    ("answer", PromptTask::Answer),
    ("follow", PromptTask::FollowUp),
    ("clarif", PromptTask::Clarification),
    ("rebuttal", PromptTask::Rebuttal),
    ("argument in steps", PromptTask::Steps),
    ("argument", PromptTask::Argument),
    ("argue", PromptTask::Argument),
    ("rebut", PromptTask::Argument),
    ("speech as", PromptTask::Argument),
    ("research", PromptTask::Research),
    ("reconcile", PromptTask::Reconcile),
    ("summaris", PromptTask::Summarise),
    ("summariz", PromptTask::Summarise),
    ("revision", PromptTask::Revision),
    ("critique", PromptTask::Critique),
    ("bid", PromptTask::Bid),
    ("reaction", PromptTask::Reaction),
    ("interruption", PromptTask::Interruption),
    ("point of information", PromptTask::PointOfInformation),
    ("reflection", PromptTask::Reflection),
    ("interject", PromptTask::Interject),
    ("score speeches", PromptTask::ScoreSpeeches),
    ("score debaters", PromptTask::ScoreDebaters),
    ("mediator decision", PromptTask::MediatorDecision),
    ("enough", PromptTask::Enough),
    ("ranked vote", PromptTask::RankedVote),
    ("rank", PromptTask::Rank),
    ("approval vote", PromptTask::ApprovalVote),
    ("synthesis", PromptTask::Synthesise),
    ("synthesiz", PromptTask::Synthesise),
];

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
