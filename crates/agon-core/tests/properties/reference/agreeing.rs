//! How far the debaters agree, what became of the first majority, and who moved: read from ballots, votes and readings in
//! the log, in floating point for a change.
use super::Flat;
use crate::require;
use agon_core::*;
use std::collections::{BTreeMap, BTreeSet};

pub fn check(admission: &Admission, flat: &Flat<'_>) -> Result<(), String> {
    let spec = &admission.spec;
    let reached = flat.iter().find_map(|(_, _, event)| match event {
        Event::VerdictReached { winner, consensus, majority, moved, .. } => Some((winner, consensus, majority, moved)),
        _ => None,
    });
    let Some((winner, consensus, majority, moved)) = reached else { return Ok(()) };
    let (first, last) = (ballots(flat, BallotStage::Initial), ballots(flat, BallotStage::Final));
    let changed =
        |name: &&ParticipantId| first.get(*name).zip(last.get(*name)).is_some_and(|(one, other)| one != other);
    let changed: Vec<&ParticipantId> = spec.personas.iter().map(|persona| &persona.name).filter(changed).collect();
    require!(changed == moved.iter().collect::<Vec<_>>(), "{moved:?} moved where {changed:?} did");
    let expected = shift(spec, winner.as_deref(), &first, &last);
    require!(*majority == expected, "the majority was {majority:?}, {expected:?} is due");
    agreement(spec, flat, consensus.as_ref(), &last)
}

type AnswersByVoter<'a> = BTreeMap<&'a ParticipantId, String>;

fn folded(answer: &str) -> String {
    answer.to_lowercase().trim_end_matches('.').to_owned()
}

fn ballots<'a>(flat: &Flat<'a>, wanted: BallotStage) -> AnswersByVoter<'a> {
    let cast = flat.iter().filter_map(|(_, _, event)| match event {
        Event::Answered(Answered { participant, given: Given::Ballot { stage, choice, .. }, .. })
            if *stage == wanted =>
        {
            Some((participant, folded(choice)))
        }
        _ => None,
    });
    cast.collect()
}

/// How often each answer was named.
fn counted(answers: impl Iterator<Item = String>) -> Vec<(u32, String)> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    answers.for_each(|answer| *counts.entry(answer).or_default() += 1);
    let mut counts: Vec<_> = counts.into_iter().map(|(answer, count)| (count, answer)).collect();
    counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    counts
}

fn shift(
    spec: &DebateSpec,
    winner: Option<&str>,
    first: &AnswersByVoter<'_>,
    last: &AnswersByVoter<'_>,
) -> MajorityShift {
    let by_name = spec.debate_format == DebateFormat::CritiqueRevision;
    let stands_for = |name: &str| {
        let persona = spec.personas.iter().find(|persona| persona.name.as_str() == name).unwrap();
        match spec.mode {
            Mode::Adversarial => persona.stance.as_deref().map(folded),
            Mode::Deliberative => last.get(&persona.name).or(first.get(&persona.name)).cloned(),
        }
    };
    let winner = match winner {
        Some(name) if spec.elects_debaters() && !by_name => stands_for(name),
        other => other.map(folded),
    };
    let counts = counted(first.values().cloned());
    let held = counts.first().filter(|(votes, _)| f64::from(*votes) / spec.personas.len() as f64 > 0.5);
    match (held, winner) {
        (Some((_, held)), Some(winner)) if *held == winner => MajorityShift::Kept,
        (Some(_), Some(_)) => MajorityShift::Overturned,
        _ => MajorityShift::None,
    }
}

fn agreement(
    spec: &DebateSpec,
    flat: &Flat<'_>,
    consensus: Option<&Consensus>,
    last: &AnswersByVoter<'_>,
) -> Result<(), String> {
    let single = spec.voting.filter(|voting| voting.rule.form() == BallotForm::Single);
    let votes = flat.iter().filter_map(|(_, _, event)| match event {
        Event::Answered(Answered { given: Given::Vote { choice, .. }, .. }) => Some(folded(choice)),
        _ => None,
    });
    let rounds = flat.iter().filter(|(_, _, event)| matches!(event, Event::RoundOpened { .. })).count();
    let samples = flat.iter().filter_map(|(_, _, event)| event.speech()?.1.answer.as_deref().map(folded));
    let poll = spec.debate_format == DebateFormat::Poll;
    let skipped = flat.iter().any(|(_, _, event)| matches!(event, Event::GateDecided { skip: true, .. }));
    let by_openings = poll || spec.debate_format == DebateFormat::CritiqueRevision;
    let (counts, eligible, source) = match single {
        _ if skipped => {
            let eligible = if poll { spec.format.samples as usize } else { spec.personas.len() };
            let first = ballots(flat, BallotStage::Initial).into_values();
            let counts = if by_openings { counted(samples) } else { counted(first) };
            (counts, eligible, ConsensusSource::FirstBallots)
        }
        Some(_) if poll => (counted(samples), spec.format.samples as usize, ConsensusSource::Votes),
        Some(voting) => {
            let judges = voting.voters == Voters::Judges;
            let voters = if judges { spec.judge.as_ref().unwrap().panel as usize } else { spec.personas.len() };
            let times = if voting.every_round { rounds } else { 1 };
            (counted(votes), voters * times, ConsensusSource::Votes)
        }
        None => (counted(last.values().cloned()), spec.personas.len(), ConsensusSource::FinalBallots),
    };
    let Some((top, answer)) = counts.first() else {
        require!(consensus.is_none(), "a consensus of nobody");
        return Ok(());
    };
    let Some(consensus) = consensus else { return Err("no consensus where somebody chose".into()) };
    let shared = counts.get(1).is_some_and(|(second, _)| second == top);
    let named = consensus.answer.as_deref().map(folded);
    require!(named == (!shared).then(|| answer.clone()), "the top answer is {named:?}");
    let found = (consensus.top, consensus.eligible as usize, consensus.source);
    require!(found == (*top, eligible, source), "{found:?} where {top} of {eligible} are due");
    let share = f64::from(*top) / eligible as f64;
    let strength = match share {
        s if s > 1.0 - 1e-9 => Strength::Unanimous,
        s if s > 0.8 + 1e-9 => Strength::Strong,
        s if s > 0.6 - 1e-9 => Strength::Moderate,
        s if s > 0.5 + 1e-9 => Strength::Weak,
        _ => Strength::Split,
    };
    require!(consensus.strength == strength, "{:?} where {strength:?} is due", consensus.strength);
    let contested = strength != Strength::Unanimous && (disputed(spec, flat) || unanswered(flat));
    require!(consensus.contested == contested, "contested is {}", consensus.contested);
    Ok(())
}

/// Whether a judge who was heard in every order changed its mind with it, or two such judges found different things.
fn disputed(spec: &DebateSpec, flat: &Flat<'_>) -> bool {
    let orders = spec.judge.as_ref().map_or(0, |judge| judge.orders as usize);
    let mut said: BTreeMap<&ParticipantId, Vec<Option<String>>> = BTreeMap::new();
    for (_, _, event) in flat {
        match event {
            Event::Answered(Answered { participant: judge, given: Given::Judgement { winner, .. }, .. }) => {
                said.entry(judge).or_default().push(winner.as_deref().map(folded));
            }
            Event::Answered(Answered { participant: judge, given: Given::Ranking { ranking, .. }, .. }) => {
                said.entry(judge).or_default().push(Some(folded(&ranking[0].candidate)));
            }
            _ => {}
        }
    }
    let heard = said.into_values().filter(|readings| readings.len() == orders);
    heard.flatten().collect::<BTreeSet<_>>().len() > 1
}

/// Whether a judge names an open objection, or a critique of severity 8 or more was never taken up by a later revision.
fn unanswered(flat: &Flat<'_>) -> bool {
    let revised = |at: Position, by: &ParticipantId, of: &ParticipantId| {
        flat.iter().any(|(later, _, event)| match event {
            Event::Answered(said @ Answered { given: Given::Speech(speech), .. })
                if *later > at && said.participant == *of =>
            {
                speech.accepted.contains(by) || speech.declined.iter().any(|declined| declined.critic == *by)
            }
            _ => false,
        })
    };
    flat.iter().any(|(at, _, event)| match event {
        Event::Answered(Answered { given: Given::Judgement { open_objections, .. }, .. }) => {
            !open_objections.is_empty()
        }
        Event::Answered(Answered { participant, given: Given::Critique { of, critique, .. }, .. }) => {
            critique.severity >= 8 && !revised(*at, participant, of)
        }
        _ => false,
    })
}
