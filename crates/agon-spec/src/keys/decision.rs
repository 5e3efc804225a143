//! The keys of judge and vote.
use super::persona::{ENDPOINT, FALLBACK_MODELS, MODEL, NUM_CTX, PRESENCE_PENALTY, THINK, TOP_P, max_tokens};
use super::{Choice, Key, Shape, Table, choice, key};

pub(super) static JUDGE: Table = Table {
    title: "judge",
    about: "The judge, or the panel: of `consensus_strategy: judge` and `ranked_reasons`, of a vote with `voters: judges`, \
            and wherever `ends_rounds` is on.",
    keys: JUDGE_KEYS,
    elsewhere: &[
        ("confidence", "what a model says of its own certainty is never used"),
        ("panel_size", "write `panel`"),
        ("visible", "write `visible: {judge: ...}` at the top level"),
        ("weight", "the judges of a panel count alike"),
    ],
};

const JUDGE_KEYS: &[Key] = &[
    key(
        "orders",
        Shape::Integer { min: 1, max: 2 },
        "2",
        "2: reads one order and its reverse, and a winner counts only if both agree; 1: a single reading.",
    ),
    key("anonymize_transcript", Shape::Flag, "true", "Whether speakers become Speaker A, B, ..."),
    key(
        "shuffle_for_judge",
        Shape::Flag,
        "true; false in bp_style",
        "Whether the order inside each round is permuted, from the seed. In `bp_style`, judges read in speaking order without it.",
    ),
    key(
        "panel",
        Shape::Integer { min: 1, max: 9 },
        "1",
        "The number of judges. A winner needs more than half of them. A panel of one model family draws a warning.",
    ),
    key(
        "panel_models",
        Shape::Lines,
        "all have the judge's",
        "The models of the second judge and of those after it, in turn.",
    ),
    key(
        "ends_rounds",
        Shape::Flag,
        "false",
        "After each round the judge says whether enough was said, and may so end the rounds.",
    ),
    key("instructions", Shape::Template, "", "Added to its prompt; may hold variables."),
    MODEL,
    ENDPOINT,
    FALLBACK_MODELS,
    key("temperature", Shape::Number { min: 0.0, max: 2.0 }, "0", "Sampling temperature."),
    TOP_P,
    PRESENCE_PENALTY,
    max_tokens("1500"),
    NUM_CTX,
    THINK,
];

pub(super) static VOTING: Table = Table {
    title: "voting",
    about: "The vote of `consensus_strategy: vote`. Shares are of the eligible voters: one who fails stays among them.",
    keys: &[
        key("rule", Shape::Choice(RULE), "majority", "What is voted on, and what a winner must reach."),
        key(
            "self_votes",
            Shape::Choice(SELF_VOTES),
            "exclude; allow with fewer than 3 candidates",
            "Whether a debater may vote for its own side; excluding it takes 3 candidates.",
        ),
        key("voters", Shape::Choice(VOTERS), "debaters", "Who votes."),
        key(
            "every_round",
            Shape::Flag,
            "false",
            "A vote after every round instead of one at the end; all of them count together.",
        ),
    ],
    elsewhere: &[
        ("anonymous_scoring", "write `rule: anonymous_scoring`"),
        ("weights", "write `rule: weighted`, and `weight` or `elo` and `calibration` in the personas"),
    ],
};

const RULE: &[Choice] = &[
    choice("majority", "one choice each; more than one half"),
    choice("supermajority", "one choice each; at least two thirds"),
    choice("unanimous", "one choice each; all"),
    choice("plurality", "one choice each; more than any other"),
    choice("borda", "a ranking each; the most points"),
    choice("approval", "all that one could accept; the most approvals"),
    choice("weighted", "one choice each; more than one half of the weight of all voters"),
    choice("anonymous_scoring", "scores of every other debater on four scales; the highest mean"),
];
const SELF_VOTES: &[Choice] = &[
    choice(
        "exclude",
        "one's own side is not on one's ballot; in deliberative mode one's own answer, unless somebody else gave it too",
    ),
    choice("allow", "every candidate is on every ballot"),
];
const VOTERS: &[Choice] =
    &[choice("debaters", "the personas"), choice("judges", "the judge or the panel, who read what a judge reads")];
