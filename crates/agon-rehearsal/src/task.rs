//! The tasks that a prompt may set, by the line `Task: ...`.

use serde::{Deserialize, Serialize};

/// The task of a turn, as written after `Task:` in the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
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
const LINES: &[(&str, Task)] = &[
    ("private ballot (final)", Task::BallotFinal),
    ("final ballot", Task::BallotFinal),
    ("private ballot", Task::BallotInitial),
    ("ballot (final)", Task::BallotFinal),
    ("ballot", Task::BallotInitial),
    ("opening", Task::Opening),
    ("open", Task::OpenRound),
    ("closing summary", Task::ClosingSummary),
    ("closing", Task::Closing),
    ("close", Task::CloseRound),
    ("judge", Task::Judge),
    ("vote", Task::Vote),
    ("proposal", Task::Proposal),
    ("question", Task::Question),
    ("answer points", Task::AnswerPoints),
    ("answer", Task::Answer),
    ("follow", Task::FollowUp),
    ("clarif", Task::Clarification),
    ("rebuttal", Task::Rebuttal),
    ("argument in steps", Task::Steps),
    ("argument", Task::Argument),
    ("argue", Task::Argument),
    ("rebut", Task::Argument),
    ("speech as", Task::Argument),
    ("research", Task::Research),
    ("reconcile", Task::Reconcile),
    ("summaris", Task::Summarise),
    ("summariz", Task::Summarise),
    ("revision", Task::Revision),
    ("critique", Task::Critique),
    ("bid", Task::Bid),
    ("reaction", Task::Reaction),
    ("interruption", Task::Interruption),
    ("point of information", Task::PointOfInformation),
    ("reflection", Task::Reflection),
    ("interject", Task::Interject),
    ("score speeches", Task::ScoreSpeeches),
    ("score debaters", Task::ScoreDebaters),
    ("mediator decision", Task::MediatorDecision),
    ("enough", Task::Enough),
    ("ranked vote", Task::RankedVote),
    ("rank", Task::Rank),
    ("approval vote", Task::ApprovalVote),
    ("synthesis", Task::Synthesise),
    ("synthesiz", Task::Synthesise),
];

impl Task {
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
            let task = Task::read(line, "judge");
            assert!(!seen.contains(&task) && task != Task::Judge, "{line} is {task:?}");
            seen.push(task);
        }
    }

    #[test]
    fn the_classic_lines_keep_their_meaning() {
        let known = [
            ("opening statement", Task::Opening),
            ("argument", Task::Argument),
            ("Speech as PRIME MINISTER", Task::Argument),
            ("closing statement", Task::Closing),
            ("private ballot (initial)", Task::BallotInitial),
            ("private ballot (final)", Task::BallotFinal),
            ("open the round", Task::OpenRound),
            ("close the round", Task::CloseRound),
            ("judge", Task::Judge),
            ("vote", Task::Vote),
            ("write a poem", Task::Other),
        ];
        for (line, task) in known {
            assert_eq!(Task::read(line, ""), task, "{line}");
        }
        assert_eq!(Task::read("something new", "debater"), Task::Argument);
    }
}
