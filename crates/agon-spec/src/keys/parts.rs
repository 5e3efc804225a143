//! The keys of the smaller mappings.
use super::persona::{ENDPOINT, MODEL, PRESENCE_PENALTY, TEMPERATURE, THINK, TOP_P, max_tokens};
use super::{Choice, Fixed, Key, Shape, Table, choice, key, later};

pub(super) static PHASES: Table = Table {
    title: "phases",
    about: "The optional phases.",
    keys: &[
        key("opening_statements", Shape::Flag, "true", "Opening statements before round 1."),
        key("final_statements", Shape::Flag, "true", "Final statements after the last round."),
    ],
    later: &["analysis", "context", "decision", "feedback", "rebuttals", "rounds", "synthesis"],
};

pub(super) static MODERATOR: Table = Table {
    title: "moderator",
    about: "The moderator and its duties, of which at least one is on. It never decides a debate; judge or vote do.",
    keys: &[
        key(
            "opens",
            Shape::Flag,
            "true",
            "Opens every round: a briefing, a new angle and, with `turn_mode: moderator`, whom to hear.",
        ),
        key("closes", Shape::Flag, "true", "Closes every round: a summary, and whether the question is settled."),
        key("instructions", Shape::Template, "", "Added to its prompt; may hold variables."),
        MODEL,
        ENDPOINT,
        TEMPERATURE,
        TOP_P,
        PRESENCE_PENALTY,
        max_tokens("600"),
        THINK,
        key("tools", Shape::Only(Fixed::EmptyList), "[]", "Tools of the moderator: not yet."),
    ],
    later: &["interject", "num_ctx", "summary_style", "type", "visible"],
};

pub(super) static JUDGE: Table = Table {
    title: "judge",
    about: "The judge of `consensus_strategy: judge`.",
    keys: JUDGE_KEYS,
    later: &["confidence", "num_ctx", "visible", "weight"],
};

const JUDGE_KEYS: &[Key] = &[
    key(
        "orders",
        Shape::Integer { min: 1, max: 2 },
        "2",
        "2: reads one order and its reverse, and a winner counts only if both agree; 1: a single reading.",
    ),
    key("anonymize_transcript", Shape::Flag, "true", "Whether speakers become Speaker A, B, ..."),
    key("shuffle_for_judge", Shape::Flag, "true", "Whether the order inside each round is permuted, from the seed."),
    key("panel", Shape::Only(Fixed::One), "1", "The number of judges: more than one, not yet."),
    key("instructions", Shape::Template, "", "Added to its prompt; may hold variables."),
    MODEL,
    ENDPOINT,
    key("temperature", Shape::Number { min: 0.0, max: 2.0 }, "0", "Sampling temperature."),
    TOP_P,
    PRESENCE_PENALTY,
    max_tokens("1500"),
    THINK,
];

pub(super) static VOTING: Table = Table {
    title: "voting",
    about: "The vote of `consensus_strategy: vote`.",
    keys: &[
        key("rule", Shape::Choice(RULE), "majority", "What a winner must reach, as a share of the eligible voters."),
        key(
            "self_votes",
            Shape::Choice(SELF_VOTES),
            "exclude; allow with fewer than 3 candidates",
            "Whether one may vote for one's own side; excluding it takes 3 candidates.",
        ),
        key("voters", Shape::Choice(VOTERS), "debaters", "Who votes."),
    ],
    later: &["anonymous_scoring", "weights"],
};

const RULE: &[Choice] = &[
    choice("majority", "more than one half"),
    choice("supermajority", "at least two thirds"),
    choice("unanimous", "all"),
    choice("plurality", "more than any other"),
    later("borda"),
    later("approval"),
    later("weighted"),
];
const SELF_VOTES: &[Choice] = &[
    choice("exclude", "one's own side is not on one's ballot"),
    choice("allow", "every candidate is on every ballot"),
];
const VOTERS: &[Choice] = &[choice("debaters", "the personas"), later("judges")];

pub(super) static BUDGET: Table = Table {
    title: "budget",
    about: "Caps on the whole debate.",
    keys: &[
        key(
            "tokens",
            Shape::Integer { min: 1, max: u64::MAX as i128 },
            "",
            "Prompt plus generated tokens of all calls.",
        ),
        key("seconds", Shape::Integer { min: 1, max: 604_800 }, "", "From the first turn to the last."),
    ],
    later: &["cost", "turns"],
};
