//! A spec as a file again, with every default filled in.
use agon_core::{DebateSpec, Judge, Mode, Moderator, Persona, Quorum, Think, Voice, Voting};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The spec as a YAML debate file, which parses back to the same spec.
pub fn normalize(spec: &DebateSpec) -> String {
    crate::yaml_out::write(&normalize_json(spec))
}

/// The spec as a JSON debate file, which parses back to the same spec.
pub fn normalize_json(spec: &DebateSpec) -> Value {
    let mut file = Fields::default();
    file.put("topic", &spec.topic).some("context", spec.context.as_ref()).some("materials", spec.materials.as_ref());
    file.put("mode", spec.mode).put("debate_format", spec.debate_format).put("max_rounds", spec.max_rounds);
    file.put("personas", spec.personas.iter().map(persona).collect::<Vec<_>>());
    file.put("allow_shared_stance", shares_stances(spec));
    file.put("turn_mode", spec.turn_mode).put("visibility", spec.visibility);
    file.put("context_scope", spec.context_scope).put("memory", spec.memory).put("phases", spec.phases);
    file.put("moderator", spec.moderator.as_ref().map_or(Value::Bool(false), moderator));
    file.put("consensus_strategy", spec.consensus_strategy);
    file.some("judge", spec.judge.as_ref().map(judge)).some("voting", spec.voting.as_ref().map(voting));
    file.put("ballots", spec.ballots).put("end_condition", &spec.end_condition);
    file.some("terminate_when", spec.terminate_when.as_ref());
    file.put("timeout_per_turn", crate::duration::write(spec.timeout_per_turn_ms));
    file.some("budget", (!spec.budget.is_unlimited()).then_some(spec.budget));
    file.put("on_turn_failure", spec.on_turn_failure).put("quorum", quorum(spec.quorum)).some("seed", spec.seed);
    file.some("agreement_intensity", spec.agreement_intensity).some("language", spec.language.as_ref());
    file.some("instructions", spec.instructions.as_ref()).put("synthesizer", false).put("tools", json!([]));
    file.put("outputs", &spec.outputs).some("labels", (!spec.labels.is_empty()).then_some(&spec.labels));
    Value::Object(file.0)
}

#[derive(Default)]
struct Fields(Map<String, Value>);
impl Fields {
    fn put(&mut self, name: &str, value: impl Serialize) -> &mut Self {
        // Texts, numbers and enumerations always serialise.
        let value = serde_json::to_value(value).unwrap_or_default();
        self.0.insert(name.to_owned(), value);
        self
    }
    fn some(&mut self, name: &str, value: Option<impl Serialize>) -> &mut Self {
        if let Some(value) = value {
            self.put(name, value);
        }
        self
    }
    fn voice(&mut self, voice: &Voice) -> &mut Self {
        match voice.model.is_external() {
            true => self.put("endpoint", "nats"),
            false => self.put("model", &voice.model),
        };
        self.some("temperature", voice.temperature).some("top_p", voice.top_p);
        self.some("presence_penalty", voice.presence_penalty).put("max_tokens", voice.max_tokens);
        self.some("think", voice.think.map(think))
    }
}

fn shares_stances(spec: &DebateSpec) -> bool {
    let stances: Vec<_> = spec.personas.iter().filter_map(|persona| persona.stance.as_ref()).collect();
    spec.stances().len() < stances.len() && (spec.mode == Mode::Adversarial || !stances.is_empty())
}

fn persona(persona: &Persona) -> Value {
    let mut fields = Fields::default();
    fields.put("name", &persona.name).some("stance", persona.stance.as_ref()).some("role", persona.role.as_ref());
    fields.some("system_prompt", persona.system_prompt.as_ref()).some("instructions", persona.instructions.as_ref());
    fields.voice(&persona.voice);
    fields.some("fallback_models", (!persona.fallback_models.is_empty()).then_some(&persona.fallback_models));
    fields.some("style", persona.style).some("tone", persona.tone.as_ref()).some("language", persona.language.as_ref());
    fields.some("priority", (persona.priority != 0).then_some(persona.priority));
    Value::Object(fields.0)
}

fn moderator(moderator: &Moderator) -> Value {
    let mut fields = Fields::default();
    fields.put("opens", moderator.opens).put("closes", moderator.closes);
    fields.some("instructions", moderator.instructions.as_ref()).voice(&moderator.voice);
    Value::Object(fields.0)
}

fn judge(judge: &Judge) -> Value {
    let mut fields = Fields::default();
    fields.put("orders", judge.orders).put("anonymize_transcript", judge.anonymize_transcript);
    fields.put("shuffle_for_judge", judge.shuffle_for_judge).put("panel", 1);
    fields.some("instructions", judge.instructions.as_ref()).voice(&judge.voice);
    Value::Object(fields.0)
}

fn voting(voting: &Voting) -> Value {
    json!({"rule": voting.rule, "self_votes": voting.self_votes, "voters": "debaters"})
}

fn think(think: Think) -> Value {
    match think {
        Think::Off => Value::Bool(false),
        Think::On => Value::Bool(true),
        Think::Low => "low".into(),
        Think::Medium => "medium".into(),
        Think::High => "high".into(),
    }
}

fn quorum(quorum: Quorum) -> Value {
    match quorum {
        Quorum::Majority => "majority".into(),
        Quorum::All => "all".into(),
        Quorum::AtLeast(count) => count.into(),
    }
}
