//! The debate as its author wants it.
use crate::enums::{Numbered, all, maybe};
use crate::error::{DecodeError, Problem, each, optional, present, required};
use crate::flat as pb;
use agon_core::{
    Budget, DebateSpec, Judge, ModelName, Moderator, ParticipantId, Persona, Phases, Quorum, Voice, Voting,
};

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
            agreement_intensity: spec.agreement_intensity.map(u32::from),
            language: spec.language.clone(),
            instructions: spec.instructions.clone(),
            outputs: spec.outputs.iter().map(|output| output.number()).collect(),
            labels: spec.labels.clone(),
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
            agreement_intensity: spec.agreement_intensity.map(intensity).transpose()?,
            language: spec.language,
            instructions: spec.instructions,
            outputs: all(&spec.outputs, "outputs")?,
            labels: spec.labels,
        })
    }
}

fn intensity(value: u32) -> Result<u8, DecodeError> {
    let refused = |_| DecodeError::field("agreement_intensity", Problem::Invalid(format!("{value} is out of range")));
    u8::try_from(value).map_err(refused)
}

impl From<&Persona> for pb::Persona {
    fn from(persona: &Persona) -> Self {
        Self {
            name: persona.name.to_string(),
            stance: persona.stance.clone(),
            role: persona.role.clone(),
            system_prompt: persona.system_prompt.clone(),
            instructions: persona.instructions.clone(),
            voice: Some((&persona.voice).into()),
            fallback_models: persona.fallback_models.iter().map(ToString::to_string).collect(),
            style: persona.style.map(Numbered::number),
            tone: persona.tone.clone(),
            language: persona.language.clone(),
            priority: persona.priority,
        }
    }
}
impl TryFrom<pb::Persona> for Persona {
    type Error = DecodeError;
    fn try_from(persona: pb::Persona) -> Result<Self, DecodeError> {
        Ok(Self {
            name: ParticipantId::new(persona.name),
            stance: persona.stance,
            role: persona.role,
            system_prompt: persona.system_prompt,
            instructions: persona.instructions,
            voice: required(persona.voice, "voice")?,
            fallback_models: persona.fallback_models.into_iter().map(ModelName::new).collect(),
            style: maybe(persona.style, "style")?,
            tone: persona.tone,
            language: persona.language,
            priority: persona.priority,
        })
    }
}

impl From<&Voice> for pb::Voice {
    fn from(voice: &Voice) -> Self {
        Self {
            model: voice.model.to_string(),
            temperature: voice.temperature,
            top_p: voice.top_p,
            presence_penalty: voice.presence_penalty,
            max_tokens: voice.max_tokens,
            think: voice.think.map(Numbered::number),
        }
    }
}
impl TryFrom<pb::Voice> for Voice {
    type Error = DecodeError;
    fn try_from(voice: pb::Voice) -> Result<Self, DecodeError> {
        Ok(Self {
            model: ModelName::new(voice.model),
            temperature: voice.temperature,
            top_p: voice.top_p,
            presence_penalty: voice.presence_penalty,
            max_tokens: voice.max_tokens,
            think: maybe(voice.think, "think")?,
        })
    }
}

impl From<&Moderator> for pb::Moderator {
    fn from(moderator: &Moderator) -> Self {
        Self {
            opens: moderator.opens,
            closes: moderator.closes,
            instructions: moderator.instructions.clone(),
            voice: Some((&moderator.voice).into()),
        }
    }
}
impl TryFrom<pb::Moderator> for Moderator {
    type Error = DecodeError;
    fn try_from(moderator: pb::Moderator) -> Result<Self, DecodeError> {
        Ok(Self {
            opens: moderator.opens,
            closes: moderator.closes,
            instructions: moderator.instructions,
            voice: required(moderator.voice, "voice")?,
        })
    }
}

impl From<&Judge> for pb::Judge {
    fn from(judge: &Judge) -> Self {
        Self {
            orders: judge.orders,
            anonymize_transcript: judge.anonymize_transcript,
            shuffle_for_judge: judge.shuffle_for_judge,
            instructions: judge.instructions.clone(),
            voice: Some((&judge.voice).into()),
        }
    }
}
impl TryFrom<pb::Judge> for Judge {
    type Error = DecodeError;
    fn try_from(judge: pb::Judge) -> Result<Self, DecodeError> {
        Ok(Self {
            orders: judge.orders,
            anonymize_transcript: judge.anonymize_transcript,
            shuffle_for_judge: judge.shuffle_for_judge,
            instructions: judge.instructions,
            voice: required(judge.voice, "voice")?,
        })
    }
}

impl From<Voting> for pb::Voting {
    fn from(voting: Voting) -> Self {
        Self { rule: voting.rule.number(), self_votes: voting.self_votes.number() }
    }
}
impl TryFrom<pb::Voting> for Voting {
    type Error = DecodeError;
    fn try_from(voting: pb::Voting) -> Result<Self, DecodeError> {
        Ok(Self {
            rule: Numbered::from_number(voting.rule, "rule")?,
            self_votes: Numbered::from_number(voting.self_votes, "self_votes")?,
        })
    }
}

impl From<Phases> for pb::Phases {
    fn from(phases: Phases) -> Self {
        Self { opening_statements: phases.opening_statements, final_statements: phases.final_statements }
    }
}
impl From<pb::Phases> for Phases {
    fn from(phases: pb::Phases) -> Self {
        Self { opening_statements: phases.opening_statements, final_statements: phases.final_statements }
    }
}

impl From<Budget> for pb::Budget {
    fn from(budget: Budget) -> Self {
        Self { tokens: budget.tokens, seconds: budget.seconds }
    }
}
impl From<pb::Budget> for Budget {
    fn from(budget: pb::Budget) -> Self {
        Self { tokens: budget.tokens, seconds: budget.seconds }
    }
}

impl From<Quorum> for pb::Quorum {
    fn from(quorum: Quorum) -> Self {
        let named = |rule| pb::quorum::Rule::Named(i32::from(rule));
        let rule = match quorum {
            Quorum::Majority => named(pb::QuorumRule::Majority),
            Quorum::All => named(pb::QuorumRule::All),
            Quorum::AtLeast(count) => pb::quorum::Rule::AtLeast(count),
        };
        Self { rule: Some(rule) }
    }
}
impl TryFrom<pb::Quorum> for Quorum {
    type Error = DecodeError;
    fn try_from(quorum: pb::Quorum) -> Result<Self, DecodeError> {
        match present(quorum.rule, "rule")? {
            pb::quorum::Rule::AtLeast(count) => Ok(Self::AtLeast(count)),
            pb::quorum::Rule::Named(number) => match pb::QuorumRule::try_from(number) {
                Ok(pb::QuorumRule::Majority) => Ok(Self::Majority),
                Ok(pb::QuorumRule::All) => Ok(Self::All),
                Ok(pb::QuorumRule::Unspecified) | Err(_) => {
                    Err(DecodeError::field("named", Problem::UnknownNumber(number)))
                }
            },
        }
    }
}
