//! The keys of the moderator.
use super::persona::{
    ENDPOINT, FALLBACK_MODELS, MODEL, NUM_CTX, PRESENCE_PENALTY, TEMPERATURE, THINK, TOP_P, max_tokens,
};
use super::{Choice, Key, Shape, TOOL_NAMES, Table, choice, key};

pub(super) static MODERATOR: Table = Table {
    title: "moderator",
    about: "The moderator and its duties, of which at least one is on. It may end a debate and never decides one, except \
            with `consensus_strategy: mediator_summary`. Without `type` it opens and closes every round; with one it has \
            the duties of that type. Each duty can be switched beside that.",
    keys: KEYS,
    elsewhere: &[
        ("duties", "write each duty as a key of its own, such as `scores: true`"),
        ("visible", "write `visible: {moderator: ...}` at the top level"),
    ],
};

const KEYS: &[Key] = &[
    key("type", Shape::Choice(TYPE), "", "A set of duties."),
    key(
        "opens",
        Shape::Flag,
        "true; false with a `type`",
        "Opens every round: a briefing, a new angle and, with `turn_mode: moderator`, whom to hear.",
    ),
    key(
        "closes",
        Shape::Flag,
        "true; false with a `type`",
        "Closes every round: a summary, and whether the question is settled.",
    ),
    key("interjects", Shape::Flag, "by `type`", "Comments on a round, as often as `interject` says."),
    key("warns", Shape::Flag, "by `type`", "Warns speakers who are off the topic, when it interjects."),
    key("clarifies", Shape::Flag, "by `type`", "Asks speakers to clarify, when it interjects; they answer at once."),
    key("reflects", Shape::Flag, "by `type`", "Asks speakers to revise, when it interjects; they answer at once."),
    key("scores", Shape::Flag, "by `type`", "Scores every speech of a round."),
    key(
        "researches",
        Shape::Flag,
        "by `type`",
        "Researches before the first round, with `tools` if it has some, and briefs everybody.",
    ),
    key("reconciles", Shape::Flag, "by `type`", "Reconciles the positions before the decision."),
    key("concludes", Shape::Flag, "by `type`", "Sums the debate up at its end."),
    key("interject", Shape::Choice(INTERJECT), "every_round", "When it interjects."),
    key("summary_style", Shape::Choice(STYLE), "neutral", "How it sums up."),
    key("tools", TOOL_NAMES, "[]", "Tools of the moderator, by the names that the host's settings give them."),
    key("instructions", Shape::Template, "", "Added to its prompt; may hold variables."),
    MODEL,
    ENDPOINT,
    FALLBACK_MODELS,
    TEMPERATURE,
    TOP_P,
    PRESENCE_PENALTY,
    max_tokens("600"),
    NUM_CTX,
    THINK,
];

const TYPE: &[Choice] = &[
    choice("silent", "`concludes`"),
    choice("active", "`interjects`, `warns` and `clarifies`"),
    choice("judge", "`scores`"),
    choice("consensus", "`reconciles`"),
    choice("reflector", "`reflects`"),
    choice("tool_agent", "`researches`"),
];
const INTERJECT: &[Choice] = &[
    choice("every_round", "after every round"),
    choice("midpoint", "after the round in the middle of `max_rounds`: the second of three, the second of four"),
    choice("final_only", "after the last round, whichever rule ended the rounds"),
];
const STYLE: &[Choice] = &[
    choice("neutral", "each side at its strongest"),
    choice("critical", "with the weaknesses of each side"),
    choice("persuasive", "towards the answer that stands best"),
];
