//! What failed in a debate, by what its card says.
use super::contest::{Contest, RatedSeat};
use super::model::Resolution;
use agon_core::names::normal_form;
use agon_core::{Card, FailedArgument, Failing};
use agon_core::{ModelName, ParticipantId};
use std::collections::BTreeSet;

/// What failed in the debate, each text once: objections that were accepted, then positions that those who stood for them left, then
/// positions that lost. A position that won for somebody else, or whose text is not known, is not among them.
pub fn failed_arguments(card: &Card) -> Vec<FailedArgument> {
    let contest = Contest::of(card);
    let seats = || contest.seats.iter();
    let left = seats().filter(|seat| has_left(seat)).filter_map(|seat| position(card, &contest, seat, Failing::Left));
    let lost = seats().filter(|seat| has_lost(&contest, seat));
    let lost = lost.filter_map(|seat| position(card, &contest, seat, Failing::Lost));
    let mut known = BTreeSet::new();
    conceded(card).into_iter().chain(left).chain(lost).filter(|one| known.insert(normal_form(&one.text))).collect()
}

fn conceded(card: &Card) -> Vec<FailedArgument> {
    let course = card.course.iter().flat_map(|course| &course.conceded);
    let model = |name: &ParticipantId| -> Option<ModelName> {
        Some(card.seats.iter().find(|seat| seat.persona == *name)?.model.clone())
    };
    let one = |conceded: &agon_core::Conceded| {
        Some(FailedArgument {
            how: Failing::Conceded,
            text: conceded.text.clone(),
            persona: conceded.of.clone(),
            model: model(&conceded.of)?,
            decided_by: None,
            raised_by: Some(conceded.by.clone()),
        })
    };
    course.filter_map(one).collect()
}

fn has_left(seat: &RatedSeat<'_>) -> bool {
    seat.start.as_ref().zip(seat.last.as_ref()).is_some_and(|(start, last)| start != last)
}

fn has_lost(contest: &Contest<'_>, seat: &RatedSeat<'_>) -> bool {
    seat.resolution == Resolution::Lost && seat.start.as_ref().is_none_or(|start| !contest.wins(start))
}

fn position(card: &Card, contest: &Contest<'_>, seat: &RatedSeat<'_>, how: Failing) -> Option<FailedArgument> {
    let Card { course, .. } = card;
    let conduct = course.iter().flat_map(|course| &course.conduct).find(|one| one.persona == seat.debater.persona);
    let proposal = conduct.and_then(|conduct| conduct.proposal.clone());
    let held = || seat.card.stance.clone().or_else(|| seat.card.first.clone().filter(|_| !contest.proposals));
    let decided_by = course.as_ref().map(|course| course.strategy).filter(|_| how == Failing::Lost);
    Some(FailedArgument {
        how,
        text: proposal.or_else(held)?,
        persona: seat.debater.persona.clone(),
        model: seat.debater.model.clone(),
        decided_by,
        raised_by: None,
    })
}
