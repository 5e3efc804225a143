//! Who takes part, and how each speaks.
use crate::error::DecodeError;
use crate::field::Mirrored;
use crate::flat as pb;
use crate::mirror::{fields, message, mirror, oneof};
use agon_core::{Judge, Moderator, Persona, Sight, Summarizer, Synthesizer, Voice};

mirror! {
    Voice as Voice { model, temperature, top_p, presence_penalty, max_tokens, think, num_ctx, fallback_models }
    Moderator as Moderator {
        opens, closes, instructions, voice, interjects, warns, clarifies, reflects, scores, researches, reconciles,
        concludes,
        interject: or(Default::default()),
        summary_style: or(Default::default()),
        tools,
    }
    Judge as Judge {
        orders, anonymize_transcript, shuffle_for_judge, instructions, voice,
        panel: or(1),
        panel_models, ends_rounds,
    }
    Summarizer as Summarizer { instructions, voice }
    Synthesizer as Synthesizer { output_schema, instructions, voice }
}

oneof! {
    Sight as Sight in sight {
        Kind(kind) = Turns(_),
        Persona(persona) = Persona(_),
    }
}

impl Mirrored<pb::Sights> for Vec<Sight> {
    fn out(&self) -> pb::Sights {
        pb::Sights { sights: self.out() }
    }
    fn read(wire: pb::Sights, field: &str) -> Result<Self, DecodeError> {
        Self::read(wire.sights, &format!("{field}.sights"))
    }
}

// By hand for one field: the fallback models of a persona's voice are the message's own, where earlier versions look for them.
impl Mirrored<pb::Persona> for Persona {
    fn out(&self) -> pb::Persona {
        pb::Persona {
            name: self.name.out(),
            stance: self.stance.out(),
            role: self.role.out(),
            system_prompt: self.system_prompt.out(),
            instructions: self.instructions.out(),
            voice: Some(pb::Voice { fallback_models: Vec::new(), ..self.voice.out() }),
            fallback_models: self.voice.fallback_models.out(),
            style: self.style.out(),
            tone: self.tone.out(),
            language: self.language.out(),
            priority: self.priority,
            sees: self.sees.out(),
            hidden_from: self.hidden_from.out(),
            reflection: self.reflection,
            evolution: self.evolution,
            weight: self.weight,
            elo: self.elo,
            calibration: self.calibration,
            tools: self.tools.clone(),
        }
    }
    fn read(wire: pb::Persona, field: &str) -> Result<Self, DecodeError> {
        Self::try_from(wire).map_err(|error| error.within(field))
    }
}
impl TryFrom<pb::Persona> for Persona {
    type Error = DecodeError;
    fn try_from(mut wire: pb::Persona) -> Result<Self, DecodeError> {
        if let Some(voice) = &mut wire.voice {
            voice.fallback_models = std::mem::take(&mut wire.fallback_models);
        }
        Ok(fields!((read [Self] wire) []
            name, stance, role, system_prompt, instructions, voice, style, tone, language, priority, sees, hidden_from,
            reflection, evolution, weight, elo, calibration, tools))
    }
}
#[cfg(any(test, feature = "strategies"))]
impl crate::strategies::Arbitrary for Persona {
    fn arbitrary() -> proptest::strategy::BoxedStrategy<Self> {
        fields!((arbitrary [Self]) []
            name, stance, role, system_prompt, instructions, voice, style, tone, language, priority, sees, hidden_from,
            reflection, evolution, weight, elo, calibration, tools)
    }
}
message!(Persona as Persona);
