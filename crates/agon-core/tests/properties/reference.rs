//! The rules that hold of every format, once more, read naively from a finished log. Shares no code with the machine but
//! its types. What each format adds is checked by the invariants beside this file, which do not foretell a log but judge it.
mod agreeing;
mod deciding;

use crate::events::{call, settles};
use agon_core::*;
use std::collections::{BTreeMap, BTreeSet};

use crate::require;

/// How the log says that the debate ended.
pub fn ending(log: &[Record]) -> (DebateState, Option<Outcome>) {
    let last = log.last().and_then(|record| record.events.last());
    let Some(Event::DebateEnded { state, outcome, .. }) = last else { panic!("the log does not end") };
    (*state, *outcome)
}

pub type Flat<'a> = Vec<(Position, Timestamp, &'a Event)>;

pub fn check(admission: &Admission, log: &[Record]) -> Result<(), String> {
    let flat: Flat<'_> =
        log.iter().flat_map(|r| r.entries().map(move |(position, event)| (position, r.at, event))).collect();
    framing(log, &flat)?;
    tries(admission, &flat)?;
    seeing(admission, &flat)?;
    speaking(admission, &flat)?;
    phases(admission, &flat)?;
    moderating(admission, &flat)?;
    counting(&flat)?;
    deciding::check(admission, &flat)?;
    agreeing::check(admission, &flat)
}

fn framing(log: &[Record], flat: &Flat<'_>) -> Result<(), String> {
    for ((position, _, _), expected) in flat.iter().zip(1..) {
        require!(position.0 == expected, "position {} where {expected} is due", position.0);
    }
    require!(
        log.windows(2).all(|pair| pair[0].epoch <= pair[1].epoch && pair[0].at <= pair[1].at),
        "epochs or times fall"
    );
    let ends = flat.iter().filter(|(_, _, event)| matches!(event, Event::DebateEnded { .. })).count();
    require!(ends == 1, "{ends} ends");
    require!(matches!(flat.last(), Some((_, _, Event::DebateEnded { .. }))), "something follows the end");
    Ok(())
}

/// Every result answers the last try of its slot, each try is settled at most once, tries are numbered from 1 and bounded.
fn tries(admission: &Admission, flat: &Flat<'_>) -> Result<(), String> {
    let mut open: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut last: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut closed: BTreeSet<(u32, u32)> = BTreeSet::new();
    let most = admission.retry.max_attempts.max(2) * 2;
    let mut called = false;
    for (_, at, event) in flat {
        if let Event::TurnAsked(ask) = event {
            let slot = (ask.turn.round, ask.turn.seat);
            let before = last.insert(slot, ask.turn.attempt).unwrap_or(0);
            require!(ask.turn.attempt == before + 1, "{} follows try {before}", ask.turn);
            require!(ask.turn.attempt <= most, "{} is one try too many", ask.turn);
            require!(!closed.contains(&slot), "{} was asked after its slot was settled", ask.turn);
            require!(open.insert(slot, ask.turn.attempt).is_none(), "{} was asked while a try is open", ask.turn);
            // before anybody was called a turn stands in line
            let wait = admission.retry.wait_limit_ms.max(if called { 0 } else { FIRST_WAIT_MS });
            let one_turn = wait + admission.spec.timeout_per_turn_ms;
            require!(ask.deadline <= at.plus(one_turn), "{} has a deadline beyond its limits", ask.turn);
        }
        called |= call(event).is_some();
        let Some(turn) = settles(event) else { continue };
        let slot = (turn.round, turn.seat);
        require!(open.remove(&slot) == Some(turn.attempt), "{turn} was settled but not open");
        if !matches!(event, Event::TurnFailed { retry_at: Some(_), .. }) {
            require!(closed.insert(slot), "{turn} was settled twice");
        }
    }
    Ok(())
}

/// Nobody is shown what is not there; a simultaneous round shows nobody of the same round; a sequential one everything.
fn seeing(admission: &Admission, flat: &Flat<'_>) -> Result<(), String> {
    let mut opened = Position(0);
    let mut last_speech = Position(0);
    for (position, _, event) in flat {
        match event {
            Event::RoundOpened { .. } => opened = *position,
            Event::Answered(Answered { given: Given::Speech(_), .. }) => last_speech = *position,
            Event::TurnAsked(ask) => {
                require!(ask.sees < *position, "{} sees its own future", ask.turn);
                let argues = matches!(ask.task.work, Work::Argument { .. });
                match admission.spec.visibility {
                    Visibility::Simultaneous if argues => {
                        require!(ask.sees == opened, "{} sees its own round", ask.turn)
                    }
                    Visibility::Sequential if argues => {
                        require!(ask.sees >= last_speech, "{} misses a speech", ask.turn)
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Rounds are numbered from 1 up to the cap; the order is the one that the spec asks for; speeches follow it.
fn speaking(admission: &Admission, flat: &Flat<'_>) -> Result<(), String> {
    let spec = &admission.spec;
    let declared: Vec<&ParticipantId> = spec.personas.iter().map(|persona| &persona.name).collect();
    let mut planned: Option<Vec<ParticipantId>> = None;
    let mut rounds = 0;
    let mut order: Vec<ParticipantId> = Vec::new();
    let mut heard: Vec<ParticipantId> = Vec::new();
    for (_, _, event) in flat {
        match event {
            Event::Answered(Answered {
                given: Given::Decision { decision: ModeratorDecision::Opens(plan), .. },
                ..
            })
            | Event::FallbackDecided { decision: ModeratorDecision::Opens(plan), .. } => {
                planned = Some(plan.next_speakers.clone())
            }
            Event::RoundOpened { round, speakers, .. } => {
                rounds += 1;
                require!(*round == rounds && rounds <= spec.max_rounds, "round {round} follows round {}", rounds - 1);
                if spec.debate_format == DebateFormat::Fishbowl {
                    continue;
                }
                let mut sorted: Vec<&ParticipantId> = speakers.iter().collect();
                match spec.turn_mode {
                    TurnMode::RoundRobin | TurnMode::ReactionTriggered => {
                        require!(sorted == declared, "not the declared order")
                    }
                    TurnMode::PriorityOrder => {
                        let ranks: Vec<i64> =
                            speakers.iter().map(|name| spec.persona(name).unwrap().priority).collect();
                        require!(
                            ranks.windows(2).all(|pair| pair[0] >= pair[1]) && sorted.len() == declared.len(),
                            "not by priority"
                        );
                    }
                    TurnMode::Random => {
                        sorted.sort();
                        require!(
                            sorted.iter().zip(&declared).all(|(a, b)| *a == *b) && sorted.len() == declared.len(),
                            "not a permutation"
                        );
                    }
                    TurnMode::Moderator => require!(Some(speakers) == planned.as_ref(), "not the moderator's choice"),
                }
                (order, heard) = (speakers.clone(), Vec::new());
            }
            Event::Answered(said @ Answered { given: Given::Speech(speech), .. })
                if speech.kind == SpeechKind::Argument =>
            {
                heard.push(said.participant.clone());
                let ordered = matches!(spec.debate_format, DebateFormat::RoundRobin | DebateFormat::ChainOfThought)
                    && spec.turn_mode != TurnMode::ReactionTriggered;
                if ordered && spec.visibility == Visibility::Sequential {
                    let mut rest = order.iter();
                    require!(
                        heard.iter().all(|name| rest.any(|due| due == name)),
                        "{} spoke out of order",
                        said.participant
                    );
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn phases(admission: &Admission, flat: &Flat<'_>) -> Result<(), String> {
    let entered: Vec<PhaseName> = flat
        .iter()
        .filter_map(|(_, _, e)| if let Event::PhaseEntered { phase } = e { Some(*phase) } else { None })
        .collect();
    let proposed = admission.spec.debate_format == DebateFormat::CritiqueRevision;
    let place = |phase: PhaseName| match phase {
        // one votes on proposals that were made
        PhaseName::InitialBallots if proposed => (PhaseName::OpeningStatements, 1),
        phase => (phase, 0),
    };
    require!(entered.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "phases out of order: {entered:?}");
    let loops = flat.iter().filter(|(_, _, event)| matches!(event, Event::LoopEnded { .. })).count();
    require!(loops <= 1, "the rounds ended {loops} times");
    Ok(())
}

/// A moderator that opens decides once per round; nobody is asked to debate once it is done.
fn moderating(admission: &Admission, flat: &Flat<'_>) -> Result<(), String> {
    let Some(moderator) = &admission.spec.moderator else { return Ok(()) };
    let count = |wanted: fn(&Event) -> bool| flat.iter().filter(|(_, _, event)| wanted(event)).count();
    let opened = count(|event| matches!(event, Event::RoundOpened { .. }));
    let opens = count(|event| {
        matches!(
            event,
            Event::Answered(Answered { given: Given::Decision { decision: ModeratorDecision::Opens(_), .. }, .. })
                | Event::FallbackDecided { decision: ModeratorDecision::Opens(_), .. }
        )
    });
    // in a fishbowl bids come between the plan and its round, and the debate may be called off there
    let bids = admission.spec.debate_format == DebateFormat::Fishbowl;
    let unopened = usize::from(bids && called_off(flat) && opens > opened);
    require!(!moderator.opens || opens == opened + unopened, "{opens} decisions for {opened} rounds");
    let closes = count(|event| {
        matches!(
            event,
            Event::Answered(Answered { given: Given::Decision { decision: ModeratorDecision::Closes(_), .. }, .. })
                | Event::FallbackDecided { decision: ModeratorDecision::Closes(_), .. }
        )
    });
    let looped = count(|event| matches!(event, Event::LoopEnded { .. }));
    require!(!moderator.closes || looped == 0 || closes == opened, "{closes} closings for {opened} rounds");
    let stop = flat.iter().find_map(|(_, _, event)| match event {
        Event::LoopEnded { rule, round, .. } => Some((*rule, *round)),
        _ => None,
    });
    let done = flat.iter().find_map(|(_, _, event)| match event {
        Event::Answered(Answered {
            turn,
            given: Given::Decision { decision: ModeratorDecision::Opens(plan), .. },
            ..
        })
        | Event::FallbackDecided { turn, decision: ModeratorDecision::Opens(plan), .. }
            if plan.done =>
        {
            Some((turn.round, true))
        }
        Event::Answered(Answered {
            turn,
            given: Given::Decision { decision: ModeratorDecision::Closes(end), .. },
            ..
        })
        | Event::FallbackDecided { turn, decision: ModeratorDecision::Closes(end), .. }
            if end.status == RoundStatus::Settled || end.vote_now =>
        {
            Some((turn.round, false))
        }
        _ => None,
    });
    if let (Some((round, opened)), Some((rule, ended))) = (done, stop) {
        require!(ended == round, "the moderator ended round {round}, the rounds ended after {ended}");
        // a last round that the moderator calls the last is the last anyway
        if opened && rule == StopRule::MaxRounds && ended == admission.spec.max_rounds {
            return Ok(());
        }
        let stronger = !matches!(
            rule,
            StopRule::JudgeEnough
                | StopRule::TerminateWhen
                | StopRule::TokenBudget
                | StopRule::TimeBudget
                | StopRule::MaxRounds
        );
        require!(stronger, "{rule:?} before the moderator's word");
        let states = [PhaseName::FinalStatements, PhaseName::Rebuttals];
        let stated = |event: &Event| matches!(event, Event::PhaseEntered { phase } if states.contains(phase));
        let stated = flat.iter().any(|(_, _, event)| stated(event));
        require!(rule != StopRule::ModeratorVote || !stated, "statements after the vote was called");
    }
    Ok(())
}

/// Whether the debate was ended from outside, wherever it was.
fn called_off(flat: &Flat<'_>) -> bool {
    let Some((_, _, Event::DebateEnded { state, .. })) = flat.last() else { return false };
    *state == DebateState::Cancelled
}

/// The totals at the end are the sums over the log; missing is who failed at what the debate cannot do without, by place.
fn counting(flat: &Flat<'_>) -> Result<(), String> {
    let mut calls = 0;
    let mut tokens = 0;
    let mut missing = Vec::new();
    let admitted = flat.first().map(|(_, _, event)| *event);
    let scores_beside = matches!(admitted, Some(Event::DebateAdmitted(of)) if of.spec.scoring == Scoring::Anonymous);
    let mut tasks: BTreeMap<(u32, u32), &Work> = BTreeMap::new();
    for (_, _, event) in flat {
        if let Event::TurnAsked(ask) = event {
            tasks.insert((ask.turn.round, ask.turn.seat), &ask.task.work);
        }
        if let Some(call) = call(event) {
            calls += 1;
            tokens += call.usage.prompt_tokens.unwrap_or(0) + call.usage.completion_tokens.unwrap_or(0);
        }
        if let Event::TurnFailed { turn, participant, failure, retry_at: None, .. } = event {
            let (round, seat, participant, cause) = (turn.round, turn.seat, participant.clone(), failure.cause);
            let work = tasks[&(round, seat)];
            let extra = *work == Work::ScoreDebaters && scores_beside;
            if is_missed(work) && !extra {
                missing.push(MissingSeat { round, seat, participant, cause });
            }
        }
    }
    let Some((_, _, Event::DebateEnded { usage, missing_seats, .. })) = flat.last() else {
        return Err("no end".into());
    };
    require!(usage.calls == calls, "{} calls counted, {calls} made", usage.calls);
    require!(usage.prompt_tokens + usage.completion_tokens == tokens, "token totals differ");
    missing.sort_by_key(|missing| (missing.round, missing.seat));
    require!(*missing_seats == missing, "missing seats differ");
    Ok(())
}

fn is_missed(work: &Work) -> bool {
    !matches!(
        work,
        Work::Bid { .. }
            | Work::AnswerPoints
            | Work::Reflect
            | Work::Summarise
            | Work::Measure
            | Work::EnoughSaid
            | Work::ScoreSpeeches
            | Work::Interject
    )
}
