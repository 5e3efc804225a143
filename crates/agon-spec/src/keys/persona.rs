//! The keys of a persona, and of a model's sampling.
use super::{Choice, Fixed, Key, Shape, Table, choice, key};

pub(super) static PERSONA: Table = Table {
    title: "personas",
    about: "One entry of the list `personas`.",
    keys: KEYS,
    later: &["evolution", "hidden_from", "num_ctx", "reflection", "sees", "visible", "weight"],
};

const KEYS: &[Key] = &[
    key("name", Shape::Line, "", "Unique in the debate, whatever the case; not `moderator` or `judge`.").required(),
    key(
        "stance",
        Shape::Text,
        "",
        "The position that it argues, necessary in adversarial mode; in deliberative mode the answer that it starts from.",
    ),
    key("role", Shape::Text, "", "Who it is.").or(&["role_description"]),
    key("system_prompt", Shape::Template, "", "Replaces the built-in rules for debaters; may hold variables."),
    key("instructions", Shape::Template, "", "Added to the rules; may hold variables."),
    MODEL,
    ENDPOINT,
    key("fallback_models", Shape::Lines, "", "Models to try, in order, when `model` has failed for good; recorded."),
    TEMPERATURE,
    TOP_P,
    PRESENCE_PENALTY,
    max_tokens("800"),
    THINK,
    key("style", Shape::Choice(STYLE), "", "The form of the speeches."),
    key("tone", Shape::Line, "", "`passionate`, `sarcastic`, `logical`, `optimistic`, or any other words."),
    key("language", Shape::Line, "the debate's", "The language of this persona."),
    key(
        "priority",
        Shape::Integer { min: i64::MIN as i128, max: i64::MAX as i128 },
        "0",
        "Rank in `priority_order`, higher first.",
    ),
    key("tools", Shape::Only(Fixed::EmptyList), "[]", "Tools of this persona: not yet."),
];

const STYLE: &[Choice] = &[
    choice("formal", "formal prose"),
    choice("casual", "everyday prose"),
    choice("bullet_point", "a list of points"),
    choice("paragraph", "plain paragraphs"),
];

pub(super) const MODEL: Key = key("model", Shape::Line, "the debate's", "The model, as its server names it.");
pub(super) const ENDPOINT: Key = key(
    "endpoint",
    Shape::Choice(&[choice("nats", "whoever answers on the seat's NATS subject")]),
    "",
    "Played by a process outside Agon and not by a model; only in a cluster (`agon submit`).",
);
pub(super) const TEMPERATURE: Key =
    key("temperature", Shape::Number { min: 0.0, max: 2.0 }, "the model's", "Sampling temperature.");
pub(super) const TOP_P: Key = key("top_p", Shape::Number { min: 0.0, max: 1.0 }, "the model's", "Nucleus sampling.");
pub(super) const PRESENCE_PENALTY: Key =
    key("presence_penalty", Shape::Number { min: -2.0, max: 2.0 }, "the model's", "Presence penalty.");
pub(super) const THINK: Key = key(
    "think",
    Shape::Either(&[Shape::Flag, Shape::Choice(LEVEL)]),
    "the model's",
    "Whether, or how much, the model thinks before it answers.",
);
const LEVEL: &[Choice] = &[choice("low", "a little"), choice("medium", "some"), choice("high", "much")];

pub(super) const fn max_tokens(default: &'static str) -> Key {
    let shape = Shape::Integer { min: 1, max: 1_000_000 };
    key("max_tokens", shape, default, "The cap on generated tokens of one answer, thinking included.")
}
