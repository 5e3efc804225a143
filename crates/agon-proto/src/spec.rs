//! The debate as its author wants it. What older writers do not know is its default where it is absent.
use crate::enums::{Numbered, all};
use crate::error::{DecodeError, each, optional, present, required, small};
use crate::flat as pb;
use agon_core::{AnswerOptions, DebateSpec};

mod options;
mod roles;

impl From<&DebateSpec> for pb::DebateSpec {
    fn from(spec: &DebateSpec) -> Self {
        Self {
            topic: spec.topic.clone(),
            context: spec.context.clone(),
            materials: spec.materials.clone(),
            mode: spec.mode.number(),
            debate_format: spec.debate_format.number(),
            max_rounds: spec.max_rounds,
            personas: spec.personas.iter().map(Into::into).collect(),
            turn_mode: spec.turn_mode.number(),
            visibility: spec.visibility.number(),
            context_scope: spec.context_scope.number(),
            memory: spec.memory.number(),
            phases: Some(spec.phases.into()),
            moderator: spec.moderator.as_ref().map(Into::into),
            consensus_strategy: spec.consensus_strategy.number(),
            judge: spec.judge.as_ref().map(Into::into),
            voting: spec.voting.map(Into::into),
            ballots: spec.ballots.number(),
            end_condition: spec.end_condition.iter().map(|condition| condition.number()).collect(),
            terminate_when: spec.terminate_when.clone(),
            timeout_per_turn_ms: spec.timeout_per_turn_ms,
            budget: Some(spec.budget.into()),
            on_turn_failure: spec.on_turn_failure.number(),
            quorum: Some(spec.quorum.into()),
            seed: spec.seed,
            history_limit: spec.history_limit,
            failed_arguments: spec.failed_arguments,
            feeds: spec.feeds.clone(),
            agreement_intensity: spec.agreement_intensity.map(u32::from),
            language: spec.language.clone(),
            instructions: spec.instructions.clone(),
            outputs: spec.outputs.iter().map(|output| output.number()).collect(),
            labels: spec.labels.clone(),
            format: Some((&spec.format).into()),
            windows: Some(spec.windows.into()),
            summarizer: spec.summarizer.as_ref().map(Into::into),
            similarity: Some((&spec.similarity).into()),
            synthesizer: spec.synthesizer.as_ref().map(Into::into),
            tools: Some(spec.tools.into()),
            visible: Some(spec.visible.into()),
            verifiers: spec.verifiers.clone(),
            answers: (spec.answers != AnswerOptions::default()).then(|| spec.answers.into()),
        }
    }
}
impl TryFrom<pb::DebateSpec> for DebateSpec {
    type Error = DecodeError;
    fn try_from(spec: pb::DebateSpec) -> Result<Self, DecodeError> {
        Ok(Self {
            topic: spec.topic,
            context: spec.context,
            materials: spec.materials,
            mode: Numbered::from_number(spec.mode, "mode")?,
            debate_format: Numbered::from_number(spec.debate_format, "debate_format")?,
            max_rounds: spec.max_rounds,
            personas: each(spec.personas, "personas")?,
            turn_mode: Numbered::from_number(spec.turn_mode, "turn_mode")?,
            visibility: Numbered::from_number(spec.visibility, "visibility")?,
            context_scope: Numbered::from_number(spec.context_scope, "context_scope")?,
            memory: Numbered::from_number(spec.memory, "memory")?,
            phases: present(spec.phases, "phases")?.into(),
            moderator: optional(spec.moderator, "moderator")?,
            consensus_strategy: Numbered::from_number(spec.consensus_strategy, "consensus_strategy")?,
            judge: optional(spec.judge, "judge")?,
            voting: optional(spec.voting, "voting")?,
            ballots: Numbered::from_number(spec.ballots, "ballots")?,
            end_condition: all(&spec.end_condition, "end_condition")?,
            terminate_when: spec.terminate_when,
            timeout_per_turn_ms: spec.timeout_per_turn_ms,
            budget: spec.budget.unwrap_or_default().into(),
            on_turn_failure: Numbered::from_number(spec.on_turn_failure, "on_turn_failure")?,
            quorum: required(spec.quorum, "quorum")?,
            seed: spec.seed,
            history_limit: spec.history_limit,
            failed_arguments: spec.failed_arguments,
            feeds: spec.feeds,
            agreement_intensity: spec
                .agreement_intensity
                .map(|value| small(value, "agreement_intensity"))
                .transpose()?,
            language: spec.language,
            instructions: spec.instructions,
            outputs: all(&spec.outputs, "outputs")?,
            labels: spec.labels,
            format: spec.format.unwrap_or_default().try_into().map_err(|error: DecodeError| error.within("format"))?,
            windows: spec.windows.unwrap_or_default().into(),
            summarizer: optional(spec.summarizer, "summarizer")?,
            similarity: spec.similarity.unwrap_or_default().into(),
            synthesizer: optional(spec.synthesizer, "synthesizer")?,
            tools: spec.tools.unwrap_or_default().into(),
            visible: spec.visible.unwrap_or_default().into(),
            verifiers: spec.verifiers,
            answers: spec.answers.unwrap_or_default().into(),
        })
    }
}
