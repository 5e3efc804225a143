//! The keys of a persona, and of a model's sampling.
use super::{Choice, Key, Shape, TOOL_NAMES, Table, choice, key};

pub(super) static PERSONA: Table = Table {
    title: "personas",
    about: "One entry of the list `personas`.",
    keys: KEYS,
    elsewhere: &[("visible", "write `visible: {debaters: ...}` at the top level")],
};

const KEYS: &[Key] = &[
    key(
        "name",
        Shape::Line,
        "",
        "Unique in the debate, whatever the case; not the name of a role, such as `moderator` or `judge`.",
    )
    .required(),
    key(
        "stance",
        Shape::Text,
        "",
        "The position that it argues, necessary in adversarial mode; in deliberative mode the answer that it starts from. \
         In `bp_style` the teams are the stances, and none is written.",
    ),
    key("role", Shape::Text, "", "Who it is.").or(&["role_description"]),
    key("system_prompt", Shape::Template, "", "Replaces the built-in rules for debaters; may hold variables."),
    key("instructions", Shape::Template, "", "Added to the rules; may hold variables."),
    MODEL,
    ENDPOINT,
    FALLBACK_MODELS,
    TEMPERATURE,
    TOP_P,
    PRESENCE_PENALTY,
    max_tokens("800"),
    NUM_CTX,
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
    key(
        "sees",
        Shape::Lines,
        "everything",
        "`memory: persona_masking`: what it sees besides its own turns and the moderator's: names of personas, or kinds of \
         turns (`openings`, `arguments`, `critiques`, `revisions`, `closings`).",
    ),
    key("hidden_from", Shape::Lines, "[]", "`memory: persona_masking`: the personas who do not see its turns."),
    key(
        "reflection",
        Shape::Flag,
        "false",
        "Notes in private after each round what it holds, what changed it, and where it contradicts itself.",
    ),
    key(
        "evolution",
        Shape::Flag,
        "false",
        "Notes in private after each round what worked, what did not, and what it will try next.",
    ),
    key(
        "weight",
        Shape::Number { min: 0.1, max: 5.0 },
        "from `elo` and `calibration`",
        "The weight of its vote under `rule: weighted`.",
    ),
    key("elo", Shape::Number { min: 0.0, max: 5_000.0 }, "1500", "Its rating, for the weight of its vote."),
    key(
        "calibration",
        Shape::Number { min: 0.0, max: 1.0 },
        "0.5",
        "How well it judges its own certainty, for the weight of its vote. The author's own number: Agon does not compute it.",
    ),
    key("tools", TOOL_NAMES, "[]", "Tools that it may use, by the names that the host's settings give them."),
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
pub(super) const FALLBACK_MODELS: Key =
    key("fallback_models", Shape::Lines, "", "Models to try, in order, when `model` has failed for good; recorded.");
pub(super) const NUM_CTX: Key = key(
    "num_ctx",
    Shape::Integer { min: 256, max: 10_000_000 },
    "what the host gives the model",
    "Tokens that prompt and answer must fit into, where that is less than what the host gives the model.",
);
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
