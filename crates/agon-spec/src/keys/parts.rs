//! The keys of the smaller mappings.
use super::persona::{
    ENDPOINT, FALLBACK_MODELS, MODEL, NUM_CTX, PRESENCE_PENALTY, TEMPERATURE, THINK, TOP_P, max_tokens,
};
use super::{Shape, Table, key};

pub(super) static PHASES: Table = Table {
    title: "phases",
    about: "The optional phases. In `bp_style` there are no statements and rebuttals; in `critique_revision` proposals stand in \
            the place of the opening statements, and are not optional.",
    keys: &[
        key("opening_statements", Shape::Flag, "true; false in bp_style", "Opening statements before round 1."),
        key("final_statements", Shape::Flag, "true; false in bp_style", "Final statements after the last round."),
        key("rebuttals", Shape::Flag, "false", "Short rebuttals after the final statements."),
        key(
            "analysis",
            Shape::Flag,
            "true",
            "Reports and result say what the debate's course shows: who moved whom, what was left unanswered. Costs no call.",
        )
        .since("0.2"),
        key(
            "feedback",
            Shape::Flag,
            "true",
            "What comes out counts for ratings, and later debates that ask for history are told of it. Costs no call.",
        )
        .since("0.2"),
    ],
    elsewhere: &[
        ("context", "the context is part of every debate that has one"),
        ("decision", "write `consensus_strategy: no_consensus` for a debate without a decision"),
        ("rounds", "write `max_rounds`"),
        ("synthesis", "write `synthesizer: true`"),
    ],
};

pub(super) static SUMMARIZER: Table = Table {
    title: "summarizer",
    about: "Who sums up what memory no longer holds word for word.",
    keys: &[
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
    ],
    elsewhere: &[("every", "write `summarize_every` at the top level")],
};

pub(super) static SYNTHESIZER: Table = Table {
    title: "synthesizer",
    about: "A last call over the result. With a schema its answer is checked, and asked for once more where it does not fit; \
            if it still does not, the debate ends as degraded with the text kept.",
    keys: &[
        key("output_schema", Shape::Schema, "", "The JSON Schema of the answer; without it the answer is a text."),
        key("instructions", Shape::Template, "", "Added to its prompt; may hold variables."),
        MODEL,
        ENDPOINT,
        FALLBACK_MODELS,
        TEMPERATURE,
        TOP_P,
        PRESENCE_PENALTY,
        max_tokens("1500"),
        NUM_CTX,
        THINK,
    ],
    elsewhere: &[("enabled", "write `synthesizer: false` for none"), ("schema", "write `output_schema`")],
};

pub(super) static TOOLS: Table = Table {
    title: "tools",
    about: "How much a turn may use its tools. Which tools there are is in the host's settings; personas and the moderator \
            name those that they may use.",
    keys: &[
        key("max_calls_per_turn", Shape::Integer { min: 0, max: 20 }, "3", "Calls in one turn."),
        key("timeout", Shape::Duration, "20s", "How long one call may take."),
        key(
            "max_result_chars",
            Shape::Integer { min: 100, max: 100_000 },
            "6000",
            "Characters of one result that a model is shown.",
        ),
    ],
    elsewhere: &[],
};

pub(super) static VISIBLE: Table = Table {
    title: "visible",
    about: "Whose words are shown where, and whether debaters know each other by name.",
    keys: &[
        key("debaters", Shape::Map(&SHOWN), "everywhere", "The debaters' speeches."),
        key("moderator", Shape::Map(&SHOWN), "everywhere", "What the moderator says."),
        key("judge", Shape::Map(&SHOWN), "everywhere", "What the judges say before the verdict, and their reasons."),
        key("synthesizer", Shape::Map(&SHOWN), "everywhere", "What the synthesizer makes of the result.").since("0.2"),
        key(
            "names",
            Shape::Flag,
            "true",
            "Whether debaters know each other by name. With `false` they know each other by stance; a debater without one, or with one \
             that others share, is `Debater 1` and so on, in the order of the file.",
        )
        .since("0.2"),
    ],
    elsewhere: &[("personas", "write `debaters`"), ("mediator", "write `moderator`")],
};

static SHOWN: Table = Table {
    title: "visible.debaters, visible.moderator, visible.judge, visible.synthesizer",
    about: "Where a role's words are shown.",
    keys: &[
        key("client", Shape::Flag, "true", "To watchers, while the debate runs."),
        key("history", Shape::Flag, "true", "In reports and exported transcripts."),
    ],
    elsewhere: &[],
};

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
        key(
            "seconds",
            Shape::Integer { min: 1, max: 604_800 },
            "",
            "From the first turn to the last, a pause not counted; what decides may take one `timeout_per_turn` longer.",
        ),
    ],
    elsewhere: &[("turns", "write `max_rounds`, or `terminate_when: turns >= N`")],
};
