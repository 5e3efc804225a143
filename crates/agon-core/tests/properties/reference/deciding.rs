//! The outcome follows from the judgements, rankings, votes or scores in the log; in floating point for a change.
use super::Flat;
use crate::require;
use agon_core::*;
use std::collections::{BTreeMap, BTreeSet};

pub fn check(admission: &Admission, flat: &Flat<'_>) -> Result<(), String> {
    let Some((_, _, Event::DebateEnded { state, outcome, reason, .. })) = flat.last() else {
        return Err("no end".into());
    };
    let speeches = flat.iter().filter(|(_, _, event)| event.speech().is_some()).count();
    let skipped = flat.iter().any(|(_, _, event)| matches!(event, Event::GateDecided { skip: true, .. }));
    require!(*state != DebateState::Succeeded || speeches > 0 || skipped, "a result without a speech");
    require!((*state == DebateState::Succeeded) == outcome.is_some(), "{state:?} with {outcome:?}");
    require!(*state != DebateState::Failed || reason.is_some(), "failed without a reason");
    if *state != DebateState::Succeeded {
        return Ok(());
    }
    let reached = flat.iter().position(|(_, _, event)| matches!(event, Event::VerdictReached { .. }));
    let (before, after) = flat.split_at(reached.ok_or("a success without a verdict")?);
    let Some((_, _, Event::VerdictReached { outcome: verdict, verdict: text, winner, reason, .. })) = after.first()
    else {
        return Err("no verdict".into());
    };
    if admission.spec.consensus_strategy == ConsensusStrategy::MediatorSummary {
        mediated(before, text.as_deref())?;
    }
    let missing = before.iter().any(|(_, _, event)| is_loss(event, flat));
    let expected = match won(&admission.spec, before)? {
        Won::By(name) => {
            require!(same(name.as_deref(), winner.as_deref()), "{winner:?} won where {name:?} should have");
            if missing { Outcome::Degraded } else { Outcome::Decided }
        }
        Won::Tie => Outcome::Tie,
        Won::Nobody => Outcome::Inconclusive,
    };
    require!(*verdict == expected, "{verdict:?} where {expected:?} is due");
    require!((expected == Outcome::Inconclusive) == reason.is_some(), "{expected:?} with {reason:?}");
    synthesis(&admission.spec, after, expected, *outcome)
}

/// A synthesis that is missing, or does not fit, degrades a decided debate and nothing else.
fn synthesis(
    spec: &DebateSpec,
    after: &[(Position, Timestamp, &Event)],
    verdict: Outcome,
    end: Option<Outcome>,
) -> Result<(), String> {
    let fits = after.iter().any(
        |(_, _, event)| matches!(event, Event::Answered(Answered { given: Given::Synthesis(synthesis), .. }) if synthesis.problems.is_empty()),
    );
    let unfit = spec.synthesizer.is_some() && !fits;
    let expected = if unfit && verdict == Outcome::Decided { Outcome::Degraded } else { verdict };
    require!(end == Some(expected), "the end says {end:?} where {expected:?} is due");
    Ok(())
}

/// The last closing that is the moderator's own, where it gave a decision.
fn closing<'a>(flat: &[(Position, Timestamp, &'a Event)]) -> Option<&'a RoundSummary> {
    let last = flat.iter().rev().find_map(|(_, _, event)| match event {
        Event::Answered(Answered {
            given: Given::Decision { decision: ModeratorDecision::Closes(closing), .. },
            ..
        }) => Some(closing),
        _ => None,
    });
    last.filter(|closing| closing.decision.is_some())
}

/// A mediator's verdict says what it settled the question with.
fn mediated(flat: &[(Position, Timestamp, &Event)], verdict: Option<&str>) -> Result<(), String> {
    let settled = closing(flat).filter(|closing| closing.status == RoundStatus::Settled);
    let Some(decision) = settled.and_then(|closing| closing.decision.as_deref()) else { return Ok(()) };
    require!(verdict.is_some_and(|verdict| verdict.contains(decision)), "{verdict:?} where {decision:?} was decided");
    Ok(())
}

fn is_loss(event: &Event, flat: &Flat<'_>) -> bool {
    let Event::TurnFailed { turn, retry_at: None, .. } = event else { return false };
    flat.iter().any(|(_, _, event)| matches!(event, Event::TurnAsked(ask) if ask.turn.same_slot(*turn) && super::is_missed(&ask.task.work)))
}

fn same(one: Option<&str>, other: Option<&str>) -> bool {
    let folded = |name: &str| name.to_lowercase().trim_end_matches('.').to_owned();
    one.map(folded) == other.map(folded)
}

enum Won {
    By(Option<String>),
    Tie,
    Nobody,
}

/// Where a gate skips the rounds, the first ballots win, in critique_revision the first author of the top answer.
fn by_first(spec: &DebateSpec, flat: &[(Position, Timestamp, &Event)]) -> Won {
    let by_openings = matches!(spec.debate_format, DebateFormat::CritiqueRevision | DebateFormat::Poll);
    let mut given: Vec<(u32, &ParticipantId, &str)> = Vec::new();
    for (_, _, event) in flat {
        match event {
            Event::Answered(Answered { turn, participant, given: Given::Speech(speech), .. }) if by_openings => {
                given.extend(speech.answer.as_deref().map(|answer| (turn.seat, participant, answer)));
            }
            Event::Answered(Answered { turn, participant, given: Given::Ballot { choice, .. }, .. })
                if !by_openings =>
            {
                given.push((turn.seat, participant, choice));
            }
            _ => {}
        }
    }
    given.sort();
    let votes = |answer: &str| given.iter().filter(|(_, _, other)| same(Some(other), Some(answer))).count();
    let top = given.iter().map(|(_, _, answer)| votes(answer)).max().unwrap_or_default();
    let mut tops: Vec<String> = Vec::new();
    for (_, _, answer) in given.iter().filter(|(_, _, answer)| votes(answer) == top) {
        if !tops.iter().any(|known| same(Some(known), Some(answer))) {
            tops.push((*answer).to_owned());
        }
    }
    let [winner] = tops.as_slice() else { return Won::Tie };
    let author = given.iter().find(|(_, _, answer)| same(Some(answer), Some(winner)));
    let elects = spec.debate_format == DebateFormat::CritiqueRevision;
    Won::By(author.filter(|_| elects).map(|(_, who, _)| who.to_string()).or(Some(winner.clone())))
}

fn won(spec: &DebateSpec, flat: &[(Position, Timestamp, &Event)]) -> Result<Won, String> {
    if flat.iter().any(|(_, _, event)| matches!(event, Event::GateDecided { skip: true, .. })) {
        return Ok(by_first(spec, flat));
    }
    match spec.consensus_strategy {
        ConsensusStrategy::Judge | ConsensusStrategy::RankedReasons => Ok(by_judges(spec, flat)),
        ConsensusStrategy::Vote => by_vote(spec, spec.voting.unwrap(), flat),
        ConsensusStrategy::MediatorSummary => {
            let concluded = |event: &Event| {
                matches!(
                    event,
                    Event::Answered(Answered { given: Given::Conclusion { conclusion: Conclusion::Decision, .. }, .. })
                )
            };
            let concluded = flat.iter().any(|(_, _, event)| concluded(event));
            require!(concluded || closing(flat).is_some(), "a verdict that nobody gave");
            Ok(Won::By(None))
        }
        ConsensusStrategy::AgentClosing | ConsensusStrategy::NoConsensus => Ok(Won::Nobody),
    }
}

/// A judge who says the same in every order has a finding; what more than half of the panel found wins.
fn by_judges(spec: &DebateSpec, flat: &[(Position, Timestamp, &Event)]) -> Won {
    let judge = spec.judge.as_ref().unwrap();
    let mut said: BTreeMap<&str, Vec<Option<&str>>> = BTreeMap::new();
    for (_, _, event) in flat {
        match event {
            Event::Answered(Answered { participant: judge, given: Given::Judgement { winner, .. }, .. }) => {
                said.entry(judge.as_str()).or_default().push(winner.as_deref());
            }
            Event::Answered(Answered { participant: judge, given: Given::Ranking { ranking, .. }, .. }) => {
                said.entry(judge.as_str()).or_default().push(Some(&ranking[0].candidate));
            }
            _ => {}
        }
    }
    let mut findings: BTreeMap<Option<&str>, u32> = BTreeMap::new();
    for winners in said.values().filter(|winners| winners.len() == judge.orders as usize) {
        if winners.iter().all(|winner| winner == &winners[0]) {
            *findings.entry(winners[0]).or_default() += 1;
        }
    }
    let most = findings.iter().find(|(_, judges)| f64::from(**judges) / f64::from(judge.panel) > 0.5);
    most.map_or(Won::Nobody, |(winner, _)| Won::By(winner.map(str::to_owned)))
}

fn by_vote(spec: &DebateSpec, voting: Voting, flat: &[(Position, Timestamp, &Event)]) -> Result<Won, String> {
    let mut points: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut give = |to: &str, points_: f64| {
        points.entry(to.to_lowercase().trim_end_matches('.').to_owned()).or_default().push(points_);
    };
    let mut rounds = 0;
    let proposers: BTreeSet<&ParticipantId> = flat.iter().filter_map(|(_, _, event)| proposer(event)).collect();
    for (_, _, event) in flat {
        match event {
            Event::RoundOpened { .. } => rounds += 1,
            Event::Answered(Answered { participant, given: Given::Vote { choice, choices, .. }, .. }) => {
                // where no other proposal came, there is nothing else to vote for
                let only_own = proposers.iter().eq([&participant]);
                require!(!only_own || choice == participant.as_str(), "{participant} voted for what was not proposed");
                if !only_own {
                    own_side(spec, voting, participant, choice, choices)?;
                }
                match voting.rule {
                    VoteRule::Borda => {
                        choices.iter().rev().enumerate().for_each(|(points, choice)| give(choice, points as f64));
                    }
                    VoteRule::Approval => choices.iter().for_each(|choice| give(choice, 1.0)),
                    VoteRule::Weighted => give(choice, weight(spec.persona(participant).unwrap())),
                    _ => give(choice, 1.0),
                }
            }
            Event::Answered(Answered { given: Given::Speech(speech), .. })
                if spec.debate_format == DebateFormat::Poll =>
            {
                give(speech.answer.as_deref().ok_or("a sample without an answer")?, 1.0);
            }
            Event::Answered(Answered { participant, given: Given::DebaterScores { scores, .. }, .. })
                if voting.rule == VoteRule::AnonymousScoring =>
            {
                require!(scores.iter().all(|score| score.debater != *participant), "{participant} scored itself");
                scores.iter().for_each(|score| give(score.debater.as_str(), f64::from(score.score.total())));
            }
            _ => {}
        }
    }
    let sum = |points: &Vec<f64>| points.iter().sum::<f64>();
    let mean = |points: &Vec<f64>| (sum(points) / points.len() as f64 * 1_000.0).floor();
    let scored = voting.rule == VoteRule::AnonymousScoring;
    let mut sums: Vec<(f64, String)> =
        points.iter().map(|(name, points)| (if scored { mean(points) } else { sum(points) }, name.clone())).collect();
    sums.sort_by(|one, other| other.0.total_cmp(&one.0));
    let Some((top, name)) = sums.first().cloned() else { return Err("a result without a vote".into()) };
    let voters =
        if voting.voters == Voters::Judges { spec.judge.as_ref().unwrap().panel as usize } else { spec.personas.len() };
    let voters = if spec.debate_format == DebateFormat::Poll { spec.format.samples as usize } else { voters };
    let votes = voters as f64 * if voting.every_round { f64::from(rounds) } else { 1.0 };
    let second = sums.get(1).map_or(0.0, |(second, _)| *second);
    let shared = (top - second).abs() < 1e-9 && top > 0.0;
    let met = match voting.rule {
        VoteRule::Majority => top / votes > 0.5,
        VoteRule::Supermajority => top / votes >= 2.0 / 3.0 - 1e-9,
        VoteRule::Unanimous => top == votes,
        VoteRule::Weighted => {
            let once: f64 = spec.personas.iter().map(weight).sum();
            top > once * votes / voters as f64 / 2.0 + 1e-9
        }
        VoteRule::Plurality | VoteRule::Borda | VoteRule::Approval | VoteRule::AnonymousScoring => !shared && top > 0.0,
    };
    Ok(if met {
        Won::By(Some(name))
    } else if shared {
        Won::Tie
    } else {
        Won::Nobody
    })
}

fn proposer(event: &Event) -> Option<&ParticipantId> {
    match event {
        Event::Answered(said @ Answered { given: Given::Speech(speech), .. })
            if speech.kind == SpeechKind::Proposal =>
        {
            Some(&said.participant)
        }
        _ => None,
    }
}

fn own_side(
    spec: &DebateSpec,
    voting: Voting,
    voter: &ParticipantId,
    choice: &str,
    choices: &[String],
) -> Result<(), String> {
    let excluded = voting.self_votes == SelfVotes::Exclude;
    let own = match (spec.elects_debaters(), spec.mode) {
        (true, _) => voter.as_str(),
        (false, Mode::Adversarial) => spec.persona(voter).and_then(|persona| persona.stance.as_deref()).unwrap_or(""),
        (false, Mode::Deliberative) => return Ok(()),
    };
    let named = choice == own || choices.iter().any(|choice| choice == own);
    require!(!excluded || !named, "{voter} voted for its own side");
    Ok(())
}

fn weight(persona: &Persona) -> f64 {
    let rated = (persona.elo.unwrap_or(1500.0) - 1000.0) / 500.0 * (0.5 + persona.calibration.unwrap_or(0.5));
    (persona.weight.unwrap_or(rated).clamp(0.1, 5.0) * 1_000.0).round()
}
