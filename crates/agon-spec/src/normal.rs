//! A spec as a file again, with every default filled in.
use crate::uses::Uses;
use agon_core::{
    DebateSpec, FormatOptions, Interject, Judge, Mode, Moderator, Persona, Quorum, SelfVotes, Sight, Similarity,
    Summarizer, SummaryStyle, Synthesizer, Think, ToolLimits, Voice, Voters, Voting, Windows,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The spec as a YAML debate file, which parses back to the same spec.
pub fn normalize(spec: &DebateSpec) -> String {
    crate::yaml_out::write(&normalize_json(spec))
}

/// The spec as a JSON debate file, which parses back to the same spec.
pub fn normalize_json(spec: &DebateSpec) -> Value {
    let (mut file, uses) = (Fields::default(), Uses(spec));
    file.put("topic", &spec.topic).some("context", spec.context.as_ref()).some("materials", spec.materials.as_ref());
    file.put("mode", spec.mode).put("debate_format", spec.debate_format);
    format_options(&mut file, spec);
    file.put("max_rounds", spec.max_rounds);
    file.put("personas", spec.personas.iter().map(persona).collect::<Vec<_>>());
    file.some("allow_shared_stance", uses.key("allow_shared_stance").then(|| shares_stances(spec)));
    file.put("turn_mode", spec.turn_mode).put("visibility", spec.visibility);
    past(&mut file, spec);
    file.put("phases", spec.phases);
    file.put("moderator", spec.moderator.as_ref().map_or(Value::Bool(false), |it| moderator(it, &uses)));
    file.put("consensus_strategy", spec.consensus_strategy);
    file.some("judge", spec.judge.as_ref().map(|it| judge(it, &uses)));
    file.some("voting", spec.voting.as_ref().map(|it| voting(it, &uses)));
    stopping(&mut file, spec);
    file.some("agreement_intensity", spec.agreement_intensity).some("language", spec.language.as_ref());
    file.some("instructions", spec.instructions.as_ref());
    file.put("synthesizer", spec.synthesizer.as_ref().map_or(Value::Bool(false), synthesizer));
    file.some("tools", (!spec.tools.is_default()).then(|| tools(spec.tools)));
    file.list("verifiers", &spec.verifiers);
    file.on("adapt_max_tokens", spec.answers.adapt_max_tokens);
    file.on("coerce_answers", spec.answers.coerce_answers).on("confidence", spec.answers.confidence);
    file.on("weigh_by_confidence", spec.answers.weigh_by_confidence);
    file.some("visible", (!spec.visible.is_default()).then(|| visible(spec)));
    file.put("outputs", &spec.outputs).some("labels", (!spec.labels.is_empty()).then_some(&spec.labels));
    Value::Object(file.0)
}

fn format_options(file: &mut Fields, spec: &DebateSpec) {
    let (uses, format, usual) = (Uses(spec), &spec.format, FormatOptions::default());
    file.used(&uses, "inner_circle", format.inner_circle, usual.inner_circle);
    file.used(&uses, "interruptions", format.interruptions, usual.interruptions);
    file.used(&uses, "interruption_threshold", format.interruption_threshold, usual.interruption_threshold);
    file.used(&uses, "points_of_information", format.points_of_information, usual.points_of_information);
    file.used(&uses, "topology", format.topology, usual.topology).some("hub", format.hub.as_ref());
    file.used(&uses, "direction", format.direction, usual.direction);
    file.used(&uses, "density", format.density, usual.density);
}

fn past(file: &mut Fields, spec: &DebateSpec) {
    let (uses, windows, usual) = (Uses(spec), spec.windows, Windows::default());
    file.put("context_scope", spec.context_scope);
    file.used(&uses, "context_turns", windows.context_turns, usual.context_turns).put("memory", spec.memory);
    file.used(&uses, "memory_window", windows.memory_window, usual.memory_window);
    file.used(&uses, "window_step", windows.window_step, usual.window_step);
    file.used(&uses, "summarize_every", windows.summarize_every, usual.summarize_every);
    file.some("summarizer", spec.summarizer.as_ref().map(summarizer)).put("history_limit", spec.history_limit);
    file.some("failed_arguments", (spec.failed_arguments > 0).then_some(spec.failed_arguments));
    file.list("feeds", &spec.feeds);
}

fn stopping(file: &mut Fields, spec: &DebateSpec) {
    file.put("ballots", spec.ballots).put("end_condition", &spec.end_condition);
    file.some("terminate_when", spec.terminate_when.as_ref());
    let usual = Similarity::default().similarity_threshold;
    file.used(&Uses(spec), "similarity_threshold", spec.similarity.similarity_threshold, usual);
    file.some("embedding_model", spec.similarity.embedding_model.as_ref());
    file.put("timeout_per_turn", crate::duration::write(spec.timeout_per_turn_ms));
    file.some("budget", (!spec.budget.is_unlimited()).then_some(spec.budget));
    file.put("on_turn_failure", spec.on_turn_failure).put("quorum", quorum(spec.quorum)).some("seed", spec.seed);
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
    fn list(&mut self, name: &str, items: &[impl Serialize]) -> &mut Self {
        self.some(name, (!items.is_empty()).then_some(items))
    }
    fn on(&mut self, name: &str, flag: bool) -> &mut Self {
        self.some(name, flag.then_some(true))
    }
    /// A value that may stand only where the debate reads it. An unusual one that nothing reads stands too, so that it is
    /// refused and not lost.
    fn used<T: PartialEq + Serialize>(&mut self, uses: &Uses<'_>, path: &str, value: T, usual: T) -> &mut Self {
        let name = path.rsplit('.').next().unwrap_or(path);
        self.some(name, (uses.key(path) || value != usual).then_some(value))
    }
    fn voice(&mut self, voice: &Voice) -> &mut Self {
        match voice.model.is_external() {
            true => self.put("endpoint", "nats"),
            false => self.put("model", &voice.model),
        };
        self.some("temperature", voice.temperature).some("top_p", voice.top_p);
        self.some("presence_penalty", voice.presence_penalty).put("max_tokens", voice.max_tokens);
        self.some("num_ctx", voice.num_ctx).some("think", voice.think.map(think));
        self.list("fallback_models", &voice.fallback_models)
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
    fields.some("style", persona.style).some("tone", persona.tone.as_ref()).some("language", persona.language.as_ref());
    fields.some("priority", (persona.priority != 0).then_some(persona.priority));
    fields.some("sees", persona.sees.as_ref().map(|sees| sees.iter().map(sight).collect::<Vec<_>>()));
    fields.list("hidden_from", &persona.hidden_from);
    fields.on("reflection", persona.reflection).on("evolution", persona.evolution);
    fields.some("weight", persona.weight).some("elo", persona.elo).some("calibration", persona.calibration);
    fields.list("tools", &persona.tools);
    Value::Object(fields.0)
}

fn sight(sight: &Sight) -> &str {
    match sight {
        Sight::Kind(kind) => kind.as_str(),
        Sight::Persona(name) => name.as_str(),
    }
}

fn moderator(moderator: &Moderator, uses: &Uses<'_>) -> Value {
    let mut fields = Fields::default();
    fields.put("opens", moderator.opens).put("closes", moderator.closes).put("interjects", moderator.interjects);
    fields.put("warns", moderator.warns).put("clarifies", moderator.clarifies).put("reflects", moderator.reflects);
    fields.put("scores", moderator.scores).put("researches", moderator.researches);
    fields.put("reconciles", moderator.reconciles).put("concludes", moderator.concludes);
    fields.used(uses, "moderator.interject", moderator.interject, Interject::default());
    fields.used(uses, "moderator.summary_style", moderator.summary_style, SummaryStyle::default());
    fields.list("tools", &moderator.tools).some("instructions", moderator.instructions.as_ref());
    fields.voice(&moderator.voice);
    Value::Object(fields.0)
}

fn judge(judge: &Judge, uses: &Uses<'_>) -> Value {
    let mut fields = Fields::default();
    fields.used(uses, "judge.orders", judge.orders, 2);
    fields.put("anonymize_transcript", judge.anonymize_transcript).put("shuffle_for_judge", judge.shuffle_for_judge);
    fields.used(uses, "judge.panel", judge.panel, 1).list("panel_models", &judge.panel_models);
    fields.put("ends_rounds", judge.ends_rounds);
    fields.some("instructions", judge.instructions.as_ref()).voice(&judge.voice);
    Value::Object(fields.0)
}

fn voting(voting: &Voting, uses: &Uses<'_>) -> Value {
    let mut fields = Fields::default();
    fields.put("rule", voting.rule);
    let usual = if voting.voters == Voters::Judges { SelfVotes::Allow } else { SelfVotes::Exclude };
    fields.used(uses, "voting.self_votes", voting.self_votes, usual);
    fields.put("voters", voting.voters).on("every_round", voting.every_round);
    Value::Object(fields.0)
}

fn summarizer(summarizer: &Summarizer) -> Value {
    let mut fields = Fields::default();
    fields.some("instructions", summarizer.instructions.as_ref()).voice(&summarizer.voice);
    Value::Object(fields.0)
}

fn synthesizer(synthesizer: &Synthesizer) -> Value {
    let mut fields = Fields::default();
    fields.some("output_schema", synthesizer.output_schema.as_ref());
    fields.some("instructions", synthesizer.instructions.as_ref()).voice(&synthesizer.voice);
    Value::Object(fields.0)
}

fn tools(limits: ToolLimits) -> Value {
    json!({
        "max_calls_per_turn": limits.max_calls_per_turn,
        "timeout": crate::duration::write(limits.timeout_ms),
        "max_result_chars": limits.max_result_chars,
    })
}

fn visible(spec: &DebateSpec) -> Value {
    let (mut fields, visible) = (Fields::default(), spec.visible);
    let roles = [
        ("debaters", visible.debaters),
        ("moderator", visible.moderator),
        ("judge", visible.judge),
        ("synthesizer", visible.synthesizer),
    ];
    for (role, shown) in roles {
        fields.some(role, (!shown.is_default()).then_some(shown));
    }
    fields.some("names", (!visible.names).then_some(false));
    Value::Object(fields.0)
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
