//! What holds of every log, format by format: who spoke when, who saw what, in which order things came.
mod bids;
mod critiques;
mod material;
mod orders;
mod parliament;
mod rounds;

use crate::events::{all, first_asks};
use crate::require;
use agon_core::gate::{GateMethod, GateReason};
use agon_core::*;
use rounds::{Round, rounds};
use std::collections::BTreeMap;

pub fn check(admission: &Admission, log: &[Record]) -> Result<(), String> {
    let spec = &admission.spec;
    planned(spec, log)?;
    counted(log)?;
    listed(log)?;
    seen_at_once(spec, log)?;
    material::check(spec, log)?;
    moderated(spec, log)?;
    gated(spec, log)?;
    if spec.debate_format == DebateFormat::Poll {
        return polled(spec, log);
    }
    let rounds = rounds(log);
    let proposed = critiques::proposed(log);
    critiques::elected(spec, log, &proposed)?;
    for round in &rounds {
        in_steps(spec, round)?;
        orders::opened(spec, round)?;
        orders::asked(spec, round)?;
        match spec.debate_format {
            DebateFormat::Socratic => socratic(spec, round)?,
            DebateFormat::BpStyle => parliament::check(spec, round)?,
            DebateFormat::ChainOfThought => numbered_steps(round)?,
            DebateFormat::OpenFight => bids::open_fight(spec, round)?,
            DebateFormat::CritiqueRevision => critiques::check(spec, round, &proposed)?,
            DebateFormat::RoundRobin | DebateFormat::Fishbowl => {}
            DebateFormat::Poll => return Err("a round in a poll".into()),
        }
        if spec.turn_mode == TurnMode::ReactionTriggered {
            bids::reactions(spec, round)?;
        }
    }
    if spec.debate_format == DebateFormat::Fishbowl { bids::fishbowl(spec, &rounds) } else { Ok(()) }
}

/// A gate decides once, after the first ballots; what it skips is decided without another question, and never where a ballot failed.
fn gated(spec: &DebateSpec, log: &[Record]) -> Result<(), String> {
    let mut decided = None;
    let (mut ballots, mut failed) = (BTreeMap::new(), false);
    let by_openings = matches!(spec.debate_format, DebateFormat::CritiqueRevision | DebateFormat::Poll);
    for event in all(log) {
        match event {
            Event::GateDecided { skip, eligible, cast, reason, .. } => {
                require!(decided.is_none(), "the gate decided twice");
                require!(spec.debate == DebateWhen::IfContested, "a gate that nobody asked for");
                require!(ballots.values().sum::<u32>() == *cast, "{cast} ballots where {ballots:?} are");
                require!(!*skip || !failed && cast == eligible, "skipped with a failed ballot");
                let unanimous = spec.gate.rule.as_ref().is_none_or(|rule| rule.method == GateMethod::Unanimous);
                let alike = ballots.len() == 1 && *cast >= 3 && cast == eligible;
                let explored = *reason == GateReason::Explored;
                require!(!unanimous || (*skip || explored) == alike, "skip is {skip} with {ballots:?}");
                decided = Some(*skip);
            }
            Event::Answered(Answered { given: Given::Ballot { stage: BallotStage::Initial, choice, .. }, .. })
                if !by_openings =>
            {
                *ballots.entry(choice.to_lowercase().trim_end_matches('.').to_owned()).or_default() += 1;
            }
            Event::Answered(Answered { given: Given::Speech(speech), .. }) if by_openings && decided.is_none() => {
                let Some(answer) = &speech.answer else { continue };
                *ballots.entry(answer.to_lowercase().trim_end_matches('.').to_owned()).or_default() += 1;
            }
            Event::TurnFailed { retry_at: None, .. } | Event::SeatSkipped { .. } if decided.is_none() => failed = true,
            Event::TurnAsked(ask) => {
                let late = decided == Some(true) && ask.task.work != Work::Synthesise;
                require!(!late, "{:?} after a skip", ask.task.work);
            }
            Event::RoundOpened { .. } => require!(decided != Some(true), "a round after a skip"),
            _ => {}
        }
    }
    Ok(())
}

/// Every sample is asked once, of the personas in turn, all at once; nobody else is but the judges; each states an answer.
fn polled(spec: &DebateSpec, log: &[Record]) -> Result<(), String> {
    let mut due = (0..spec.format.samples).map(|seat| &spec.personas[seat as usize % spec.personas.len()].name);
    let mut sees = None;
    for event in all(log) {
        match event {
            Event::TurnAsked(ask) if ask.task.work == Work::Opening && ask.turn.attempt == 1 => {
                let (at, who) = (ask.turn.seat as usize, &ask.participant);
                require!(due.clone().nth(at) == Some(who), "sample {at} is asked of {who}");
                require!(*sees.get_or_insert(ask.sees) == ask.sees, "sample {at} sees others");
            }
            Event::TurnAsked(ask) if ask.turn.attempt == 1 => {
                let judges = matches!(ask.task.work, Work::Judge { .. } | Work::Synthesise);
                require!(judges, "{:?} in a poll", ask.task.work);
            }
            Event::Answered(Answered { given: Given::Speech(speech), .. }) => {
                require!(speech.answer.is_some(), "a sample without an answer");
            }
            Event::RoundOpened { .. } | Event::LoopEnded { .. } => return Err("a round in a poll".into()),
            _ => {}
        }
    }
    require!(due.next().is_some(), "a poll without samples");
    Ok(())
}

/// No log has more first tries than the plan, in any phase or of any model.
fn planned(spec: &DebateSpec, log: &[Record]) -> Result<(), String> {
    let plan = CallPlan::of(spec);
    let mut phase = None;
    let mut asked: BTreeMap<Option<PhaseName>, u64> = BTreeMap::new();
    let mut models: BTreeMap<&ModelName, u64> = BTreeMap::new();
    for event in all(log) {
        match event {
            Event::PhaseEntered { phase: entered } => phase = Some(*entered),
            Event::TurnAsked(ask) if ask.turn.attempt == 1 => {
                *asked.entry(phase).or_default() += 1;
                *models.entry(&ask.model).or_default() += 1;
            }
            _ => {}
        }
    }
    for (phase, calls) in asked {
        let most = plan.phases.iter().find(|(known, _)| Some(*known) == phase).map_or(0, |(_, calls)| *calls);
        require!(calls <= most, "{calls} calls in {phase:?}, planned are {most} at the most");
    }
    for (model, calls) in models {
        let most = plan.models.iter().find(|(known, _)| known == model).map_or(0, |(_, calls)| *calls);
        require!(calls <= most, "{calls} calls of {model}, planned are {most} at the most");
    }
    Ok(())
}

/// Progress counts every turn that was answered or lost, never goes back, never passes what is planned, and ends there.
fn counted(log: &[Record]) -> Result<(), String> {
    let mut progress = CallProgress::default();
    let (mut settled, mut last) = (0, 0);
    for event in all(log) {
        progress.take(event);
        let lost = matches!(event, Event::TurnFailed { retry_at: None, .. });
        settled += u64::from(lost || event.answered().is_some());
        let CallCounts { done, planned } = progress.calls();
        require!(done == settled && done >= last, "{done} calls are counted of {settled}, {last} before");
        require!(done <= planned, "{done} of {planned} calls are done");
        let over = matches!(event, Event::DebateEnded { .. });
        require!(!over || done == planned, "{done} of {planned} calls are done at the end");
        last = done;
    }
    Ok(())
}

/// What lists show is what the log says: calls and tokens of all models, how far the debate is, and no more against than chose.
fn listed(log: &[Record]) -> Result<(), String> {
    let Some(debate) = Debate::fold(log) else { return Err("no debate".into()) };
    let figures = debate.summary_figures();
    require!(figures.usage() == debate.usage(), "{:?} of the models, {:?} in all", figures.usage(), debate.usage());
    let calls = CallProgress::of(all(log)).calls();
    require!(figures.calls == calls, "{:?} are counted, {calls:?} are done", figures.calls);
    let against = figures.dissent.is_none_or(|dissent| dissent.against <= dissent.of && dissent.of > 0);
    require!(against, "{:?}", figures.dissent);
    require!(figures.dissent.is_none() || figures.winner.is_some(), "against whom is {:?}", figures.dissent);
    Ok(())
}

/// Those who are asked at once see the log as it stood when they were, and nothing of each other.
fn seen_at_once(spec: &DebateSpec, log: &[Record]) -> Result<(), String> {
    let at_once = spec.visibility == Visibility::Simultaneous;
    let mut since: Option<Position> = None;
    let mut joined = false;
    for (position, event) in log.iter().flat_map(Record::entries) {
        match event {
            Event::StageOpened { parallel, joins, .. } => {
                (since, joined) = (parallel.then_some(position), *joins);
            }
            Event::RoundOpened { .. } => since = at_once.then_some(position),
            Event::PhaseEntered { phase } => {
                let parallel = match phase {
                    PhaseName::FinalStatements | PhaseName::Rebuttals => at_once,
                    PhaseName::Rounds | PhaseName::Synthesis => false,
                    PhaseName::InitialBallots
                    | PhaseName::OpeningStatements
                    | PhaseName::FinalBallots
                    | PhaseName::Decision => true,
                };
                since = parallel.then_some(position);
            }
            Event::TurnAsked(ask) if matches!(ask.task.work, Work::OpenRound | Work::CloseRound) => since = None,
            Event::TurnAsked(ask) => {
                let due = since.is_none_or(|since| ask.sees == since);
                require!(due || joined && ask.turn.attempt > 1, "{} sees those who speak with it", ask.turn);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Steps of a round follow each other, and every round that was not cut short is measured once.
fn in_steps(spec: &DebateSpec, round: &Round<'_>) -> Result<(), String> {
    let steps: Vec<Step> = round.stages().map(|(step, _)| step).collect();
    require!(steps.is_sorted(), "round {}: steps out of order: {steps:?}", round.number);
    let measured = round
        .events
        .iter()
        .filter(|event| {
            matches!(
                event,
                Event::Answered(Answered { given: Given::Measures { .. }, .. }) | Event::RoundCompared { .. }
            )
        })
        .count();
    require!(measured == 1 || !round.complete && measured == 0, "round {} was measured {measured} times", round.number);
    let noted =
        |persona: &ParticipantId| spec.persona(persona).is_some_and(|persona| persona.reflection || persona.evolution);
    for (_, seats) in round.stages().filter(|(step, _)| *step == Step::Notes) {
        let sums_up = |seat: &Seat| seat.work == Work::Summarise;
        require!(seats.iter().all(|seat| sums_up(seat) || noted(&seat.participant)), "notes of one who takes none");
    }
    Ok(())
}

/// A moderator interjects when it is to; whom it asked, and nobody else, replies.
fn moderated(spec: &DebateSpec, log: &[Record]) -> Result<(), String> {
    let (mut round, mut over) = (0, false);
    let mut asked: Option<&Interjection> = None;
    for event in all(log) {
        match event {
            Event::RoundOpened { round: opened, .. } => (round, asked) = (*opened, None),
            Event::LoopEnded { .. } => over = true,
            Event::Answered(Answered { given: Given::Interjection(interjection), .. }) => asked = Some(interjection),
            Event::StageOpened { step: Step::Interjection, .. } => {
                let due = match spec.moderator.as_ref().unwrap().interject {
                    Interject::EveryRound => !over,
                    Interject::Midpoint => !over && round == spec.max_rounds.div_ceil(2),
                    Interject::FinalOnly => over,
                };
                require!(due, "an interjection in round {round}");
            }
            Event::StageOpened { step: Step::Replies, seats, .. } => {
                let Some(asked) = asked else { return Err("replies to a moderator who said nothing".into()) };
                let due: Vec<&ParticipantId> =
                    asked.questions.iter().chain(&asked.revisions).map(|remark| &remark.to).collect();
                require!(seats.iter().map(|seat| &seat.participant).eq(due), "others reply than were asked");
            }
            _ => {}
        }
    }
    Ok(())
}

/// One asks, the others answer; once more, if there was an answer. Who asks rotates; where it could not, the next one does.
fn socratic(spec: &DebateSpec, round: &Round<'_>) -> Result<(), String> {
    let n = spec.personas.len();
    let mut rotation = (0..n).map(|at| &spec.personas[(at + round.number as usize - 1) % n].name).peekable();
    let mut lost: Vec<&ParticipantId> = Vec::new();
    let (mut asks, mut about) = (None, None);
    let mut due = Some(SpeechKind::Question);
    let mut answered = 0;
    for stage in round.speaking() {
        let Work::Statement { speech, .. } = &stage.seats[0].work else { return Err("not a statement".into()) };
        require!(Some(*speech) == due, "{speech:?} where {due:?} is due");
        if *speech == SpeechKind::Answer {
            let order: Vec<&ParticipantId> =
                round.speakers.iter().filter(|who| Some(*who) != asks && !lost.contains(who)).collect();
            require!(stage.seats.iter().map(|seat| &seat.participant).eq(order), "others answer than are to");
            for seat in &stage.seats {
                let Work::Statement { to, about: told, .. } = &seat.work else { return Err("no answer".into()) };
                require!(to.as_ref() == asks && told.as_deref() == about, "an answer to something else");
            }
            answered += 1;
            due = (answered == 1 && !stage.speeches.is_empty()).then_some(SpeechKind::FollowUp);
            continue;
        }
        let who = stage.who();
        asks = if *speech == SpeechKind::Question { rotation.next() } else { asks };
        require!(stage.seats.len() == 1 && Some(who) == asks, "{who} asks, {asks:?} should");
        // Whoever could not ask does not answer; where nobody is left to answer, the round is over.
        let someone_answers = lost.len() + 1 < n;
        match stage.speeches.first() {
            Some((_, speech)) => (about, due) = (Some(&*speech.text), someone_answers.then_some(SpeechKind::Answer)),
            None if *speech == SpeechKind::Question => {
                lost.push(who);
                due = rotation.peek().map(|_| SpeechKind::Question);
            }
            None => due = None,
        }
    }
    require!(!round.complete || due.is_none(), "round {} is over, and {due:?} is due", round.number);
    Ok(())
}

fn numbered_steps(round: &Round<'_>) -> Result<(), String> {
    for (said, speech) in round.speeches().filter(|(_, speech)| speech.kind == SpeechKind::Argument) {
        for kind in ["Claim:", "Evidence:", "Inference:", "Conclusion:"] {
            require!(speech.text.contains(kind), "{} says no {kind}", said.turn);
        }
    }
    Ok(())
}

/// Each seat is first asked once.
pub fn asked_once(log: &[Record]) -> bool {
    let mut seats: Vec<_> = first_asks(log).map(|ask| (ask.turn.round, ask.turn.seat)).collect();
    let asked = seats.len();
    seats.sort_unstable();
    seats.dedup();
    seats.len() == asked
}
