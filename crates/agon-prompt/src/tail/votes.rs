//! Votes and scores that decide, whoever casts them.
use super::choice_of;
use crate::template::{self, fill};
use crate::text::listed;
use agon_core::{BallotForm, ParticipantId};

pub(super) fn vote(candidates: &[String], form: BallotForm) -> String {
    match form {
        // scores have a task of their own
        BallotForm::Single | BallotForm::Scores => {
            fill(template::VOTE, &[("choice", &choice_of(template::CHOICE, candidates))])
        }
        BallotForm::Ranking => fill(template::RANKED_VOTE, &[("choices", &listed(candidates))]),
        BallotForm::Approval => fill(template::APPROVAL_VOTE, &[("choices", &listed(candidates))]),
    }
}

pub(super) fn scores(debaters: &[(ParticipantId, String)]) -> String {
    let labels: Vec<&str> = debaters.iter().map(|(_, label)| label.as_str()).collect();
    fill(template::SCORE_DEBATERS, &[("labels", &labels.join(", "))])
}
