//! What a gate was learned on, as a debate can be compared with it.
use agon_core::{DebateSpec, DebateWhen, GateOptions};
use std::collections::BTreeMap;

/// The hash of a debate's settings, in hexadecimal: of its normal form, but for what belongs to the question (topic, context, materials,
/// the form of its answer and stances that are options), for the gate, and for what changes no answer (seed, labels, outputs,
/// whether the outcome is fed back).
pub fn gate_settings_hash(spec: &DebateSpec) -> String {
    let mut settings = spec.clone();
    settings.topic = "-".to_owned();
    (settings.context, settings.materials) = (None, None);
    for persona in &mut settings.personas {
        let option = persona.stance.as_ref().and_then(|stance| spec.options().map(|options| (stance, options)));
        if option.is_some_and(|(stance, options)| options.iter().any(|option| spec.same_answer(option, stance))) {
            persona.stance = None;
        }
    }
    settings.answer = None;
    (settings.debate, settings.gate) = (DebateWhen::Always, GateOptions::default());
    (settings.seed, settings.phases.feedback) = (None, true);
    settings.labels.clear();
    settings.outputs.clear();
    blake3::hash(crate::normalize_json(&settings).to_string().as_bytes()).to_hex().to_string()
}

/// The models that speak in a debate, with their digests where `digest` knows them; fallbacks aside.
pub fn gate_models(spec: &DebateSpec, digest: impl Fn(&str) -> Option<String>) -> BTreeMap<String, Option<String>> {
    let judges = spec.judges().filter_map(|judge| Some(spec.role(&judge)?.models().first()?.as_str().to_owned()));
    let voices = spec.voices().map(|voice| voice.model.as_str().to_owned());
    voices.chain(judges).map(|model| (model.clone(), digest(&model))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Defaults, Source, parse};

    fn spec(text: &str) -> DebateSpec {
        parse(&Source::new("a.yaml", text), &Defaults::default()).spec.unwrap()
    }

    const SETTINGS: &str =
        "model: m\nmode: deliberative\njudge: {model: j}\npersonas: [{name: Ada}, {name: Bo}, {name: Cy}]\n";

    #[test]
    fn the_hash_is_of_the_settings_and_not_of_the_question_or_the_gate() {
        let hash = |more: &str| gate_settings_hash(&spec(&format!("{SETTINGS}{more}")));
        let usual = hash("topic: Tea?\n");
        assert_eq!(usual.len(), 64);
        for same in [
            "topic: Coffee?\ncontext: Water is free.\n",
            "topic: Tea?\nanswer: {kind: choice, options: [a, b]}\n",
            "topic: Tea?\ndebate: if_contested\ngate: {explore: 0.1}\n",
            "topic: Tea?\nseed: 4\nlabels: {a: b}\nphases: {feedback: false}\n",
        ] {
            assert_eq!(hash(same), usual, "{same}");
        }
        for other in ["topic: Tea?\nmax_rounds: 3\n", "topic: Tea?\nlanguage: German\n"] {
            assert_ne!(hash(other), usual, "{other}");
        }
    }

    #[test]
    fn the_models_are_those_that_speak() {
        let models =
            gate_models(&spec(&format!("{SETTINGS}topic: Tea?\n")), |model| (model == "m").then(|| "d".to_owned()));
        assert_eq!(models, BTreeMap::from([("j".to_owned(), None), ("m".to_owned(), Some("d".to_owned()))]));
    }
}
