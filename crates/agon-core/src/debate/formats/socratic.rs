//! `socratic`: a question, the answers, a follow-up, the answers to it. Who asks rotates with the rounds.
use super::{Floor, Next};
use crate::debate::control::Heard;
use crate::ids::ParticipantId;
use crate::task::SpeechKind;
use crate::work::{Seat, Work};
use std::sync::Arc;

/// Where a question is missing, the next one in the rotation asks; whoever could not ask is not asked to answer.
pub(super) fn next(floor: &Floor<'_>) -> Next {
    let Some(asks) = questioner(floor) else { return Next::Over };
    let answerers: Vec<&ParticipantId> =
        floor.speakers.iter().filter(|who| *who != asks && !could_not_ask(floor, who)).collect();
    let Some(last) = floor.speeches().next_back() else {
        return Next::one(asks, statement(SpeechKind::Question));
    };
    match (&last.work, &last.heard) {
        (Work::Statement { speech: SpeechKind::Question | SpeechKind::FollowUp, .. }, Heard::Speech(question, _)) => {
            Next::in_turn(answerers.into_iter().map(|who| answer(who, asks, question)).collect())
        }
        (Work::Statement { speech: SpeechKind::Question, .. }, _) => Next::one(asks, statement(SpeechKind::Question)),
        (Work::Statement { speech: SpeechKind::Answer, .. }, _) if !has_followed_up(floor) && has_answer(floor) => {
            Next::one(asks, statement(SpeechKind::FollowUp))
        }
        _ => Next::Over,
    }
}

/// Rotates in declared order, whatever the order of the answers.
fn questioner<'a>(floor: &Floor<'a>) -> Option<&'a ParticipantId> {
    let personas = &floor.spec.personas;
    let first = (floor.round.saturating_sub(1) as usize).checked_rem(personas.len())?;
    let rotation = personas.iter().cycle().skip(first).take(personas.len());
    rotation.map(|persona| &persona.name).find(|who| !could_not_ask(floor, who))
}

fn could_not_ask(floor: &Floor<'_>, who: &ParticipantId) -> bool {
    let asked = |work: &Work| matches!(work, Work::Statement { speech: SpeechKind::Question, .. });
    let heard = |heard: &Heard| matches!(heard, Heard::Speech(..));
    floor.speeches().any(|turned| asked(&turned.work) && !heard(&turned.heard) && turned.participant == *who)
}

fn answer(who: &ParticipantId, asks: &ParticipantId, question: &Arc<str>) -> Seat {
    let work = Work::Statement { speech: SpeechKind::Answer, to: Some(asks.clone()), about: Some(question.clone()) };
    Seat { participant: who.clone(), work }
}

fn statement(speech: SpeechKind) -> Work {
    Work::Statement { speech, to: None, about: None }
}

fn has_followed_up(floor: &Floor<'_>) -> bool {
    floor.speeches().any(|turned| matches!(turned.work, Work::Statement { speech: SpeechKind::FollowUp, .. }))
}

fn has_answer(floor: &Floor<'_>) -> bool {
    let answers =
        floor.speeches().filter(|turned| matches!(turned.work, Work::Statement { speech: SpeechKind::Answer, .. }));
    answers.into_iter().any(|turned| matches!(turned.heard, Heard::Speech(..)))
}
