//! What a turn is asked with is that of the log as it was when it was asked, nothing less.
use crate::require;
use agon_core::*;
use std::collections::BTreeSet;

pub fn check(spec: &DebateSpec, log: &[Record]) -> Result<(), String> {
    let mut heard: Vec<(Position, &Answered)> = Vec::new();
    for (position, event) in log.iter().flat_map(Record::entries) {
        heard.extend(event.answered().map(|answered| (position, answered)));
        let Event::TurnAsked(ask) = event else { continue };
        let known = || heard.iter().filter(|(at, _)| *at <= ask.sees).map(|(_, answered)| *answered);
        let material = &ask.task.material;
        match &ask.task.work {
            Work::ScoreDebaters => {
                let reader = spec.persona(&ask.participant).unwrap();
                let proposes = |said: &&Answered| matches!(&said.given, Given::Speech(speech) if speech.kind == SpeechKind::Proposal);
                let elects = spec.scoring == Scoring::None && spec.debate_format == DebateFormat::CritiqueRevision;
                let stands =
                    |who: &&ParticipantId| !elects || known().filter(proposes).any(|said| said.participant == **who);
                let due: BTreeSet<&ParticipantId> =
                    known().flat_map(|said| shown(spec, reader, said)).filter(stands).collect();
                let sheet = material.debaters().iter().map(|(name, _)| name).collect::<BTreeSet<_>>();
                require!(sheet == due, "{} scores {sheet:?}, {due:?} were heard", ask.participant);
            }
            Work::ScoreSpeeches => {
                let spoke =
                    |said: &&Answered| matches!(said.given, Given::Speech(_)) && said.turn.round == ask.turn.round;
                let due: BTreeSet<u32> = known().filter(spoke).map(|said| said.turn.seat).collect();
                let sheet = material.speeches().iter().map(|speech| speech.seat).collect::<BTreeSet<_>>();
                require!(sheet == due, "the speeches {sheet:?} are scored, {due:?} were heard");
            }
            Work::Revise => {
                let mine = |said: &&Answered| {
                    let of_me = matches!(&said.given, Given::Critique { of, .. } if *of == ask.participant);
                    of_me && said.turn.round == ask.turn.round
                };
                let due: BTreeSet<&ParticipantId> = known().filter(mine).map(|said| &said.participant).collect();
                let named = material.critics().iter().collect::<BTreeSet<_>>();
                require!(named == due, "{} answers {named:?}, {due:?} criticised", ask.participant);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Who said something in an answer that a debater may see, beside itself.
fn shown<'a>(spec: &DebateSpec, reader: &Persona, said: &'a Answered) -> Vec<&'a ParticipantId> {
    let (kind, who) = match &said.given {
        Given::Speech(speech) => (speech.kind, vec![&said.participant]),
        Given::Critique { .. } => (SpeechKind::Critique, vec![&said.participant]),
        Given::Points { reply, .. } => {
            (SpeechKind::PointReply, reply.accepts.iter().chain([&said.participant]).collect())
        }
        _ => return Vec::new(),
    };
    // the only mask of these debates
    let only_arguments = reader.sees.is_some() && spec.memory == Memory::PersonaMasking;
    let hidden = matches!(
        kind,
        SpeechKind::Opening
            | SpeechKind::Proposal
            | SpeechKind::Critique
            | SpeechKind::Revision
            | SpeechKind::Closing
            | SpeechKind::Rebuttal
    );
    let accepted = !matches!(&said.given, Given::Points { reply, .. } if reply.accepts.is_none());
    let others = who.into_iter().filter(|name| **name != reader.name);
    if only_arguments && hidden || !accepted { Vec::new() } else { others.collect() }
}
