//! Votes and scores that decide, whoever casts them.
use super::choice_of;
use crate::template::{self, fill};
use crate::text::listed;
use agon_core::{BallotForm, DebateSpec, ParticipantId};

pub(super) fn vote(spec: &DebateSpec, candidates: &[String], form: BallotForm) -> String {
    match form {
        // scores have a task of their own
        BallotForm::Single | BallotForm::Scores => {
            cast(spec, template::VOTE, ("choice", &choice_of(template::CHOICE, candidates)))
        }
        BallotForm::Ranking => cast(spec, template::RANKED_VOTE, ("choices", &listed(candidates))),
        BallotForm::Approval => cast(spec, template::APPROVAL_VOTE, ("choices", &listed(candidates))),
    }
}

/// The task of a ballot or vote, which asks for the voter's confidence where the file wants that.
pub(super) fn cast(spec: &DebateSpec, task: &str, choice: (&str, &str)) -> String {
    let asked = format!("\n{}", fill(template::CONFIDENCE, &[]));
    let (confidence, form) =
        if spec.answers.confidence { (asked.as_str(), ", \"confidence\": number") } else { ("", "") };
    fill(task, &[choice, ("confidence", confidence), ("form", form)])
}

pub(super) fn scores(debaters: &[(ParticipantId, String)]) -> String {
    let labels: Vec<&str> = debaters.iter().map(|(_, label)| label.as_str()).collect();
    fill(template::SCORE_DEBATERS, &[("labels", &labels.join(", "))])
}
