//! Who takes part, and how each speaks.
use crate::enums::{Numbered, maybe, or_default};
use crate::error::{DecodeError, Problem, each, required};
use crate::flat as pb;
use crate::task::{names, participants};
use agon_core::{Judge, ModelName, Moderator, ParticipantId, Persona, Sight, Summarizer, Synthesizer, Voice};

impl From<&Persona> for pb::Persona {
    fn from(persona: &Persona) -> Self {
        Self {
            name: persona.name.to_string(),
            stance: persona.stance.clone(),
            role: persona.role.clone(),
            system_prompt: persona.system_prompt.clone(),
            instructions: persona.instructions.clone(),
            // they stand in a field of the persona, where earlier versions look for them
            voice: Some(pb::Voice { fallback_models: Vec::new(), ..(&persona.voice).into() }),
            fallback_models: persona.voice.fallback_models.iter().map(ToString::to_string).collect(),
            style: persona.style.map(Numbered::number),
            tone: persona.tone.clone(),
            language: persona.language.clone(),
            priority: persona.priority,
            sees: persona.sees.as_ref().map(|sees| pb::Sights { sights: sees.iter().map(Into::into).collect() }),
            hidden_from: names(&persona.hidden_from),
            reflection: persona.reflection,
            evolution: persona.evolution,
            weight: persona.weight,
            elo: persona.elo,
            calibration: persona.calibration,
            tools: persona.tools.clone(),
        }
    }
}
impl TryFrom<pb::Persona> for Persona {
    type Error = DecodeError;
    fn try_from(persona: pb::Persona) -> Result<Self, DecodeError> {
        let voice: Voice = required(persona.voice, "voice")?;
        Ok(Self {
            name: ParticipantId::new(persona.name),
            stance: persona.stance,
            role: persona.role,
            system_prompt: persona.system_prompt,
            instructions: persona.instructions,
            voice: Voice {
                fallback_models: persona.fallback_models.into_iter().map(ModelName::new).collect(),
                ..voice
            },
            style: maybe(persona.style, "style")?,
            tone: persona.tone,
            language: persona.language,
            priority: persona.priority,
            sees: persona.sees.map(|sees| each(sees.sights, "sees.sights")).transpose()?,
            hidden_from: participants(persona.hidden_from),
            reflection: persona.reflection,
            evolution: persona.evolution,
            weight: persona.weight,
            elo: persona.elo,
            calibration: persona.calibration,
            tools: persona.tools,
        })
    }
}

impl From<&Sight> for pb::Sight {
    fn from(sight: &Sight) -> Self {
        let kind = match sight {
            Sight::Kind(kind) => pb::sight::Kind::Turns(kind.number()),
            Sight::Persona(persona) => pb::sight::Kind::Persona(persona.to_string()),
        };
        Self { kind: Some(kind) }
    }
}
impl TryFrom<pb::Sight> for Sight {
    type Error = DecodeError;
    fn try_from(sight: pb::Sight) -> Result<Self, DecodeError> {
        Ok(match sight.kind.ok_or_else(|| DecodeError::field("kind", Problem::UnknownKind))? {
            pb::sight::Kind::Turns(kind) => Self::Kind(Numbered::from_number(kind, "turns")?),
            pb::sight::Kind::Persona(persona) => Self::Persona(ParticipantId::new(persona)),
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
            num_ctx: voice.num_ctx,
            fallback_models: voice.fallback_models.iter().map(ToString::to_string).collect(),
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
            num_ctx: voice.num_ctx,
            fallback_models: voice.fallback_models.into_iter().map(ModelName::new).collect(),
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
            interjects: moderator.interjects,
            warns: moderator.warns,
            clarifies: moderator.clarifies,
            reflects: moderator.reflects,
            scores: moderator.scores,
            researches: moderator.researches,
            reconciles: moderator.reconciles,
            concludes: moderator.concludes,
            interject: moderator.interject.number(),
            summary_style: moderator.summary_style.number(),
            tools: moderator.tools.clone(),
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
            interjects: moderator.interjects,
            warns: moderator.warns,
            clarifies: moderator.clarifies,
            reflects: moderator.reflects,
            scores: moderator.scores,
            researches: moderator.researches,
            reconciles: moderator.reconciles,
            concludes: moderator.concludes,
            interject: or_default(moderator.interject, "interject")?,
            summary_style: or_default(moderator.summary_style, "summary_style")?,
            tools: moderator.tools,
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
            panel: Some(judge.panel),
            panel_models: judge.panel_models.iter().map(ToString::to_string).collect(),
            ends_rounds: judge.ends_rounds,
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
            panel: judge.panel.unwrap_or(1),
            panel_models: judge.panel_models.into_iter().map(ModelName::new).collect(),
            ends_rounds: judge.ends_rounds,
        })
    }
}

impl From<&Summarizer> for pb::Summarizer {
    fn from(summarizer: &Summarizer) -> Self {
        Self { instructions: summarizer.instructions.clone(), voice: Some((&summarizer.voice).into()) }
    }
}
impl TryFrom<pb::Summarizer> for Summarizer {
    type Error = DecodeError;
    fn try_from(summarizer: pb::Summarizer) -> Result<Self, DecodeError> {
        Ok(Self { instructions: summarizer.instructions, voice: required(summarizer.voice, "voice")? })
    }
}

impl From<&Synthesizer> for pb::Synthesizer {
    fn from(synthesizer: &Synthesizer) -> Self {
        Self {
            output_schema: synthesizer.output_schema.as_ref().map(ToString::to_string),
            instructions: synthesizer.instructions.clone(),
            voice: Some((&synthesizer.voice).into()),
        }
    }
}
impl TryFrom<pb::Synthesizer> for Synthesizer {
    type Error = DecodeError;
    fn try_from(synthesizer: pb::Synthesizer) -> Result<Self, DecodeError> {
        let refused = |error: serde_json::Error| {
            DecodeError::field("output_schema", Problem::Invalid(format!("is not JSON: {error}")))
        };
        let schema = synthesizer.output_schema;
        Ok(Self {
            output_schema: schema.map(|schema| serde_json::from_str(&schema).map_err(refused)).transpose()?,
            instructions: synthesizer.instructions,
            voice: required(synthesizer.voice, "voice")?,
        })
    }
}
