//! The keys of a persona, and of a model's sampling.
use super::{Choice, Key, KeyTable, Shape, TOOL_NAMES, choice, key};
use crate::leaf::Leaf;
use crate::section::CheckedValue;
use crate::slot::{KeySlot, SpecField, row};
use agon_core::{ModelName, Style, Voice};

pub(crate) static PERSONA: KeyTable = KeyTable {
    title: "personas",
    about: "One entry of the list `personas`.",
    keys: KEYS,
    elsewhere: &[("visible", "write `visible: {debaters: ...}` at the top level")],
};

#[rustfmt::skip] // a table: what a value is, then what it means, then when it counts
const KEYS: &[Key] = with_voice!([
    row!(Persona, name, Shape::Line, "",
        "Unique in the debate, in any letter case; not the name of a role, such as `moderator` or `judge`.").required(),
    key("stance", Shape::Text, "",
        "The position that it argues, required in adversarial mode; in deliberative mode the answer that it starts \
         with. In `bp_style` the teams are the stances, and no persona has one.")
        .at(KeySlot::Persona(SpecField { read: |of, value| of.stance = one_line(value), write: |of, _| of.stance.given() })),
    row!(Persona, role, Shape::Text, "", "Who it is.").or(&["role_description"]),
    row!(Persona, system_prompt, Shape::Template, "", "Replaces the built-in rules for debaters; may hold variables."),
    row!(Persona, instructions, Shape::Template, "", "Added to the rules; may hold variables."),
], TEMPERATURE, "800", [
    row!(Persona, style, Shape::Choice(&Style::CHOICES), "", "The form of the speeches."),
    row!(Persona, tone, Shape::Line, "", "`passionate`, `sarcastic`, `logical`, `optimistic`, or any other words."),
    row!(Persona, language, Shape::Line, "the debate's", "The language of this persona."),
    row!(Persona, priority, Shape::Integer { min: i64::MIN as i128, max: i64::MAX as i128 }, "0",
        "Rank in `priority_order`, higher first.").quiet(),
    row!(Persona, sees, Shape::Lines, "everything",
        "`memory: persona_masking`: what it sees in addition to its own turns and the moderator's: names of \
         personas, or kinds of turns (`openings`, `arguments`, `critiques`, `revisions`, `closings`)."),
    row!(Persona, hidden_from, Shape::Lines, "[]",
        "`memory: persona_masking`: the personas that do not see its turns.").quiet(),
    row!(Persona, reflection, Shape::Flag, "false",
        "Private notes after each round: what it thinks, what changed it, and where it contradicts itself.").quiet(),
    row!(Persona, evolution, Shape::Flag, "false",
        "Private notes after each round: what worked, what did not, and what it will try next.").quiet(),
    row!(Persona, weight, Shape::Number { min: 0.1, max: 5.0 }, "from `elo` and `calibration`",
        "The weight of its vote under `rule: weighted`."),
    row!(Persona, elo, Shape::Number { min: 0.0, max: 5_000.0 }, "1500", "Its rating, for the weight of its vote."),
    row!(Persona, calibration, Shape::Number { min: 0.0, max: 1.0 }, "0.5",
        "How well it judges its own certainty, for the weight of its vote. `agon eval export calibration` measures it."),
    row!(Persona, tools, TOOL_NAMES, "[]",
        "Tools that it may use, by their names in the host's settings.").quiet(),
]);

/// The keys of a table, those of a voice among them, with the temperature and the most tokens that are its own.
macro_rules! with_voice {
    ([$($before:expr),* $(,)?], $temperature:expr, $most_tokens:literal, [$($after:expr),* $(,)?]) => {{
        use $crate::keys::persona::*;
        &[$($before,)* MODEL, ENDPOINT, FALLBACK_MODELS, $temperature, TOP_P, PRESENCE_PENALTY, max_tokens($most_tokens),
            NUM_CTX, THINK, $($after,)*]
    }};
}
pub(super) use with_voice;

pub(super) const MODEL: Key =
    key("model", Shape::Line, "the debate's", "The model, as its server names it.").at(KeySlot::Voice(SpecField {
        read: model,
        write: |of, _| (!of.model.is_external()).then(|| of.model.as_str().into()),
    }));
pub(super) const ENDPOINT: Key = key(
    "endpoint",
    Shape::Choice(&[choice("nats", "the process that answers on the seat's NATS subject")]),
    "",
    "A process outside Agon plays it, not a model; only in a cluster (`agon submit`).",
)
.at(KeySlot::Voice(SpecField {
    read: |of, _| of.model = ModelName::EXTERNAL.into(),
    write: |of, _| of.model.is_external().then(|| "nats".into()),
}));
pub(super) const TEMPERATURE: Key =
    row!(Voice, temperature, Shape::Number { min: 0.0, max: 2.0 }, "the model's", "Sampling temperature.");
pub(super) const TOP_P: Key =
    row!(Voice, top_p, Shape::Number { min: 0.0, max: 1.0 }, "the model's", "Nucleus sampling.");
pub(super) const PRESENCE_PENALTY: Key =
    row!(Voice, presence_penalty, Shape::Number { min: -2.0, max: 2.0 }, "the model's", "Presence penalty.");
pub(super) const FALLBACK_MODELS: Key = row!(
    Voice,
    fallback_models,
    Shape::Lines,
    "",
    "Models to try, in order, after the last try of `model` has failed; recorded."
)
.quiet()
.after("think");
pub(super) const NUM_CTX: Key = row!(
    Voice,
    num_ctx,
    Shape::Integer { min: 256, max: 10_000_000 },
    "what the host gives the model",
    "Tokens that prompt and answer must fit into, if fewer than what the host gives the model.",
);
pub(super) const THINK: Key = row!(
    Voice,
    think,
    Shape::Either(&[Shape::Flag, Shape::Choice(LEVEL)]),
    "the model's",
    "Whether, or how much, the model thinks before it answers.",
);
const LEVEL: &[Choice] = &[choice("low", "a little"), choice("medium", "some"), choice("high", "much")];

pub(super) const fn max_tokens(default: &'static str) -> Key {
    let shape = Shape::Integer { min: 1, max: 1_000_000 };
    row!(Voice, max_tokens, shape, default, "The maximum of generated tokens of one answer, thinking included.")
}

/// Where a process answers, no model does.
fn model(of: &mut Voice, value: &CheckedValue) {
    if !of.model.is_external() {
        of.model.put(value);
    }
}

fn one_line(value: &CheckedValue) -> Option<String> {
    String::read(value).map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
}
