//! Whose words are shown where, as `visible` in the debate file says.
use agon_core::{
    Answered, ConsensusStrategy, DebateSpec, Event, Given, Guidance, JUDGE, MODERATOR, ParticipantId, Role, Shown,
    SpeechKind, Visible, Work,
};
use std::borrow::Cow;

/// Where the words of a participant are shown. Those of the summarizer are shown everywhere.
pub fn shown(spec: &DebateSpec, participant: &ParticipantId) -> Shown {
    shown_by(&spec.visible, spec, participant)
}

/// The same by another choice than the file's.
pub(crate) fn shown_by(visible: &Visible, spec: &DebateSpec, participant: &ParticipantId) -> Shown {
    match spec.role(participant) {
        Some(Role::Debater(..)) => visible.debaters,
        Some(Role::Moderator(_)) => visible.moderator,
        Some(Role::Judge(..)) => visible.judge,
        Some(Role::Synthesizer(_)) => visible.synthesizer,
        Some(Role::Summarizer(_) | Role::Embedder(_)) | None => Shown::default(),
    }
}

/// Whose reasons the verdict has, where one participant's are taken.
pub(crate) fn decider(spec: &DebateSpec) -> Option<ParticipantId> {
    match spec.consensus_strategy {
        ConsensusStrategy::Judge | ConsensusStrategy::RankedReasons => Some(JUDGE.into()),
        ConsensusStrategy::MediatorSummary => Some(MODERATOR.into()),
        ConsensusStrategy::Vote | ConsensusStrategy::AgentClosing | ConsensusStrategy::NoConsensus => None,
    }
}

/// What reports of a debate that runs may show: their readers are watchers.
pub(crate) fn while_it_runs(visible: Visible) -> Visible {
    let both = |shown: Shown| Shown { history: shown.history && shown.client, ..shown };
    Visible {
        debaters: both(visible.debaters),
        moderator: both(visible.moderator),
        judge: both(visible.judge),
        synthesizer: both(visible.synthesizer),
        ..visible
    }
}

/// Whether the file hides any words from watchers.
pub fn hides_from_clients(spec: &DebateSpec) -> bool {
    let Visible { debaters, moderator, judge, synthesizer, names: _ } = spec.visible;
    [debaters, moderator, judge, synthesizer].iter().any(|shown| !shown.client)
}

/// An event as watchers are shown it: nothing where a hidden role says something, and elsewhere without the hidden words that
/// it quotes. Everything that leaves a log for watchers comes through here.
pub fn for_clients<'e>(spec: &DebateSpec, event: &'e Event) -> Option<Cow<'e, Event>> {
    if !hides_from_clients(spec) {
        return Some(Cow::Borrowed(event));
    }
    if !shown_to_clients(spec, event) {
        return None;
    }
    let Visible { debaters, moderator, .. } = spec.visible;
    let unquoted = |work: &mut Work| {
        let by_moderator = matches!(work, Work::Statement { speech: SpeechKind::Clarification, .. });
        let asker = if by_moderator { moderator } else { debaters };
        let (_, words) = work.others_mut();
        words.into_iter().filter(|_| !asker.client).for_each(|words| *words = "".into());
    };
    let mut event = event.clone();
    match &mut event {
        Event::RoundOpened { briefing, new_angle, .. } if !moderator.client => (*briefing, *new_angle) = (None, None),
        Event::StageOpened { seats, .. } => seats.iter_mut().for_each(|seat| unquoted(&mut seat.work)),
        Event::TurnAsked(ask) => {
            unquoted(&mut ask.task.work);
            if !moderator.client {
                ask.task.material.guidance = Guidance::default();
            }
        }
        Event::VerdictReached { reasoning, .. } => {
            reasoning.take_if(|_| decider(spec).is_some_and(|decider| !shown(spec, &decider).client));
        }
        Event::Answered(Answered { given: Given::Judgement { citations, .. }, .. }) => {
            citations.retain(|_| debaters.client);
        }
        _ => {}
    }
    Some(Cow::Owned(event))
}

/// Whether watchers are shown the pieces of a participant's running answers.
pub fn deltas_shown_to_clients(spec: &DebateSpec, participant: &ParticipantId) -> bool {
    shown(spec, participant).client
}

/// Whether watchers are shown an event at all. What a hidden role says is not; that it was asked, what it
/// chose where choices decide, and the result are.
pub(crate) fn shown_to_clients(spec: &DebateSpec, event: &Event) -> bool {
    let shows = |participant: &ParticipantId| shown(spec, participant).client;
    match event {
        // What services do for the debate is everybody's.
        Event::Answered(Answered { given: Given::Summary { .. } | Given::Measures { .. }, .. }) => true,
        Event::Answered(Answered { participant, .. })
        | Event::SpeechHeard { participant, .. }
        | Event::ToolCalled { participant, .. } => shows(participant),
        Event::FallbackDecided { .. } => shows(&MODERATOR.into()),
        // An ask names what others said: a question, a point, a briefing.
        Event::TurnAsked(ask) => shows(&ask.participant),
        Event::DebateAdmitted(_)
        | Event::Claimed { .. }
        | Event::PhaseEntered { .. }
        | Event::ParticipantPlaced { .. }
        | Event::RoundOpened { .. }
        | Event::StageOpened { .. }
        | Event::RoundCompared { .. }
        | Event::TurnFailed { .. }
        | Event::SeatSkipped { .. }
        | Event::GateDecided { .. }
        | Event::LoopEnded { .. }
        | Event::VoteTallied { .. }
        | Event::VerdictReached { .. }
        | Event::DebateInterrupted { .. }
        | Event::DebateResumed { .. }
        | Event::CancelRequested { .. }
        | Event::DebateEnded { .. } => true,
    }
}
