//! Votes and scores that decide, whoever casts them.
use super::{all_of, choice_of};
use crate::template::{self, fill};
use crate::view::View;
use agon_core::fence::{Part, Written};
use agon_core::{BallotForm, ParticipantId};

pub(super) fn vote(view: &View, candidates: &[String], form: BallotForm) -> Written {
    match form {
        // scores have a task of their own
        BallotForm::Single | BallotForm::Scores => {
            cast(view, template::VOTE, ("choice", choice_of(view, template::CHOICE, candidates)))
        }
        BallotForm::Ranking => cast(view, template::RANKED_VOTE, ("choices", all_of(view, candidates))),
        BallotForm::Approval => cast(view, template::APPROVAL_VOTE, ("choices", all_of(view, candidates))),
    }
}

/// The task of a ballot or vote, which asks for the voter's confidence where the file wants that.
pub(super) fn cast(view: &View, task: &'static str, (key, choice): (&str, Written)) -> Written {
    let asked = Written::joined(["\n".into(), Part::from(fill(template::CONFIDENCE, &[]))], "");
    let (confidence, form) =
        if view.spec.answers.confidence { (asked.into(), ", \"confidence\": number") } else { (Part::from(""), "") };
    let number = super::is_number(&view.spec);
    let kind = if number { "number" } else { "text" };
    fill(task, &[(key, choice.into()), ("confidence", confidence), ("form", form.into()), ("kind", kind.into())])
}

pub(super) fn scores(view: &View, debaters: &[(ParticipantId, String)]) -> Written {
    let labels = debaters.iter().map(|(_, label)| view.called(&label.as_str().into()));
    fill(template::SCORE_DEBATERS, &[("labels", Written::joined(labels, ", ").into())])
}
