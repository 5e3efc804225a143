//! Judging a debate's transcript again.
use crate::event::{Admission, Event, Record};
use crate::ids::{DebateId, ModelName};
use crate::spec::{ConsensusStrategy, DebateSpec, Judge, Scoring};

/// Why a debate cannot be judged again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RejudgeError {
    /// There is no such debate.
    #[error("the log admits no debate")]
    NoDebate,
    /// It may still be spoken in it.
    #[error("debate {0} has not ended")]
    NotEnded(DebateId),
    /// Nobody has spoken.
    #[error("nothing was said in debate {0}")]
    NothingSaid(DebateId),
    /// It was decided by a vote, and no judge's model was named.
    #[error("debate {0} had no judge: name the judge's model")]
    NoJudge(DebateId),
}

/// The spec of the new debate: the old one's, decided by its judges, who all speak by `model` where one is named.
pub fn rejudged_spec(old: &Admission, model: Option<ModelName>) -> Result<DebateSpec, RejudgeError> {
    let mut spec = old.spec.clone();
    let judge = match (spec.judge.take(), model) {
        (Some(judge), None) => judge,
        // Whoever names a model wants its word, and not that of the panel's other models.
        (Some(mut judge), Some(model)) => {
            judge.voice.model = model;
            judge.panel_models.clear();
            judge
        }
        (None, Some(model)) => usual_judge(&spec, model).ok_or_else(|| RejudgeError::NoJudge(old.id.clone()))?,
        (None, None) => return Err(RejudgeError::NoJudge(old.id.clone())),
    };
    spec.consensus_strategy = ConsensusStrategy::Judge;
    spec.voting = None;
    spec.scoring = Scoring::None;
    spec.judge = Some(judge);
    Ok(spec)
}

/// A judge as a file has it that says nothing of the judge.
fn usual_judge(spec: &DebateSpec, model: ModelName) -> Option<Judge> {
    let mut voice = spec.personas.first()?.voice.clone();
    voice.model = model;
    voice.temperature = Some(0.0);
    voice.max_tokens = USUAL_TOKENS;
    Some(Judge {
        orders: 2,
        anonymize_transcript: true,
        shuffle_for_judge: true,
        panel: 1,
        panel_models: Vec::new(),
        ends_rounds: false,
        instructions: None,
        voice,
    })
}

const USUAL_TOKENS: u32 = 1500;

/// The first record's events: the admission, then what was said, balloted and held in the old debate.
pub fn rejudge(admission: Admission, old: &[impl AsRef<Record>]) -> Result<Vec<Event>, RejudgeError> {
    let events = || old.iter().flat_map(|record| &record.as_ref().events);
    let Some(Event::DebateAdmitted(source)) = events().next() else { return Err(RejudgeError::NoDebate) };
    if !events().any(|event| matches!(event, Event::DebateEnded { .. })) {
        return Err(RejudgeError::NotEnded(source.id.clone()));
    }
    if !has_speech(old) {
        return Err(RejudgeError::NothingSaid(source.id.clone()));
    }
    let admission = Admission { rejudges: Some(source.id.clone()), ..admission };
    let kept = events().filter(|event| is_kept(event)).cloned();
    Ok(std::iter::once(Event::DebateAdmitted(Box::new(admission))).chain(kept).collect())
}

fn has_speech(records: &[impl AsRef<Record>]) -> bool {
    records.iter().flat_map(|record| &record.as_ref().events).any(|event| event.speech().is_some())
}

fn is_kept(event: &Event) -> bool {
    match event {
        Event::RoundOpened { .. } | Event::LoopEnded { .. } => true,
        Event::Answered(answered) => answered.given.kind().kept,
        Event::DebateAdmitted(_)
        | Event::Claimed { .. }
        | Event::PhaseEntered { .. }
        | Event::ParticipantPlaced { .. }
        | Event::StageOpened { .. }
        | Event::GateDecided { .. }
        | Event::TurnAsked(_)
        | Event::ToolCalled { .. }
        | Event::SpeechHeard { .. }
        | Event::FallbackDecided { .. }
        | Event::RoundCompared { .. }
        | Event::TurnFailed { .. }
        | Event::SeatSkipped { .. }
        | Event::VoteTallied { .. }
        | Event::VerdictReached { .. }
        | Event::DebateInterrupted { .. }
        | Event::DebateResumed { .. }
        | Event::CancelRequested { .. }
        | Event::DebateEnded { .. } => false,
    }
}
