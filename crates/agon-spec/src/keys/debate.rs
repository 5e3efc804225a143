//! The keys of the whole file.
use super::parts::{BUDGET, JUDGE, MODERATOR, PHASES, VOTING};
use super::persona::PERSONA;
use super::{Choice, Fixed, Key, Shape, Table, choice, key, later};

pub(crate) static DEBATE: Table = Table {
    title: "debate",
    about: "The top level of a YAML or JSON file, and the front matter block of a Markdown file.",
    keys: KEYS,
    later: &[
        "analysis",
        "anonymous_scoring",
        "density",
        "direction",
        "embedding_model",
        "end_threshold",
        "evolution",
        "feedback",
        "history_limit",
        "hub",
        "interject",
        "interruptions",
        "last_n_turns",
        "mediator_type",
        "output_schema",
        "reflection",
        "research",
        "rolling_window",
        "scorer",
        "similarity_threshold",
        "summariser",
        "summarizer",
        "summary_style",
        "topology",
        "visible",
        "weights",
    ],
};

const KEYS: &[Key] = &[
    key("topic", Shape::Text, "", "What is debated. In Markdown it may stand in the body instead.").required(),
    key("context", Shape::Text, "", "Background that everybody reads. In Markdown it may stand in the body instead."),
    key("materials", Shape::Text, "", "Evidence to quote from. In Markdown it may stand under `## Materials` instead."),
    key("mode", Shape::Choice(MODE), "adversarial", "Whether stances are assigned or found."),
    key("debate_format", Shape::Choice(FORMAT), "round_robin", "What happens in a round."),
    key("max_rounds", Shape::Integer { min: 1, max: 100 }, "2", "The hard cap on rounds. More than 4 draw a warning."),
    key(
        "personas",
        Shape::List { of: &PERSONA, min: 2, max: 16 },
        "",
        "The debaters, in speaking order. More than 5 draw a warning.",
    ),
    key(
        "persona_count",
        Shape::Integer { min: 2, max: 16 },
        "3, where no personas are listed",
        "Takes that many debaters from the built-in cast.",
    )
    .instead_of("personas"),
    key(
        "allow_shared_stance",
        Shape::Flag,
        "false",
        "Whether several personas may argue one stance; at least two different stances remain necessary.",
    ),
    key("turn_mode", Shape::Choice(TURN_MODE), "round_robin", "Who speaks when."),
    key(
        "visibility",
        Shape::Choice(VISIBILITY),
        "sequential; simultaneous in deliberative mode",
        "Whether later speakers of a round see earlier ones.",
    ),
    key("context_scope", Shape::Choice(SCOPE), "full_log", "What a speaker sees of the debate."),
    key("memory", Shape::Choice(MEMORY), "append_all", "What is kept of the past."),
    key("phases", Shape::Map(&PHASES), "all on", "Which optional phases run."),
    key(
        "moderator",
        Shape::Switch(&MODERATOR),
        "false",
        "The moderator. `true` is one that opens and closes every round.",
    )
    .or(&["mediator"]),
    key("use_mediator", Shape::Flag, "", "The same as `moderator: true`; `false` is the same as `moderator: false`."),
    key("consensus_strategy", Shape::Choice(STRATEGY), "judge", "How the debate is decided."),
    key(
        "judge",
        Shape::Map(&JUDGE),
        "two orders, anonymised, shuffled",
        "The judge; only with `consensus_strategy: judge`.",
    ),
    key("voting", Shape::Map(&VOTING), "majority", "The vote; only with `consensus_strategy: vote`."),
    key("ballots", Shape::Choice(BALLOTS), "both", "Which private ballots the debaters cast."),
    key(
        "end_condition",
        Shape::Choices { of: END, min: 1 },
        "[rounds_exhausted]",
        "The stop rules that are on, besides the moderator, the budget and `terminate_when`.",
    ),
    key(
        "terminate_when",
        Shape::Expression,
        "",
        "CEL over `round`, `turns`, `tokens`, `elapsed_s`, `failures`, `budget` and `labels`, asked after each round; \
         true ends the rounds.",
    ),
    key("timeout_per_turn", Shape::Duration, "90s", "How long one answer may take, from the start of generation."),
    key("budget", Shape::Map(&BUDGET), "", "Caps on the whole debate; the decision's share is reserved first."),
    key("on_turn_failure", Shape::Choice(ON_FAILURE), "skip", "What happens when a turn has failed for good."),
    key(
        "quorum",
        Shape::Either(&[Shape::Choice(QUORUM), Shape::Integer { min: 1, max: 16 }]),
        "majority",
        "How many speakers of a round must succeed; below that the round is void and the debate fails.",
    ),
    key("seed", Shape::Integer { min: 0, max: u64::MAX as i128 }, "drawn and recorded", "Fixes every random choice."),
    key(
        "agreement_intensity",
        Shape::Integer { min: 0, max: 10 },
        "",
        "How far the prompts push towards agreement, from 0 (not at all) to 10.",
    ),
    key("language", Shape::Line, "", "The language of the debate, such as `German`."),
    key("model", Shape::Line, "`--model`, else the configured one", "The model of every role that names none."),
    key("instructions", Shape::Template, "", "Added to every built-in prompt; may hold variables."),
    key("synthesizer", Shape::Only(Fixed::False), "false", "A last call that turns the result into data: not yet."),
    key("tools", Shape::Only(Fixed::EmptyList), "[]", "Tools for everybody: not yet."),
    key(
        "outputs",
        Shape::Choices { of: OUTPUT, min: 0 },
        "[full_markdown, html, json_log]",
        "What is written at the end.",
    ),
    key("logging_mode", Shape::Choice(OUTPUT), "", "One output alone, the same as `outputs: [...]` with it.")
        .instead_of("outputs"),
    key("labels", Shape::Labels, "", "Your own labels, as texts; `terminate_when` reads them as `labels`."),
];

const MODE: &[Choice] = &[
    choice("adversarial", "every persona argues its assigned stance to the end"),
    choice("deliberative", "every persona has its own answer and revises it only by naming the flaw in it"),
];
const FORMAT: &[Choice] = &[
    choice("round_robin", "every debater speaks once a round, in turn order"),
    later("socratic"),
    later("bp_style"),
    later("fishbowl"),
    later("chain_of_thought"),
    later("open_fight"),
    later("critique_revision"),
];
const TURN_MODE: &[Choice] = &[
    choice("round_robin", "in the order of the file"),
    choice("random", "in a fresh order each round, drawn from the seed"),
    choice("priority_order", "by `priority`, highest first"),
    choice("moderator", "whom the moderator calls; it must open rounds"),
    later("reaction_triggered"),
];
const VISIBILITY: &[Choice] = &[
    choice("sequential", "each speaker sees all that was said before"),
    choice("simultaneous", "all speak at once on the same transcript"),
];
const SCOPE: &[Choice] =
    &[choice("full_log", "the whole debate"), later("last_n_turns"), later("summary_only"), later("persona_scoped")];
const MEMORY: &[Choice] =
    &[choice("append_all", "everything"), later("rolling_window"), later("summarize_past"), later("persona_masking")];
const STRATEGY: &[Choice] = &[
    choice("judge", "a judge reads the whole log"),
    choice("vote", "the debaters vote"),
    later("ranked_reasons"),
    later("mediator_summary"),
    later("agent_closing"),
    later("no_consensus"),
];
const BALLOTS: &[Choice] = &[
    choice("both", "before round 1 and at the end"),
    choice("final_only", "at the end only"),
    choice("none", "none; not in deliberative mode, which decides among the ballots' answers"),
];
const END: &[Choice] = &[
    choice("rounds_exhausted", "`max_rounds` were held; always in force"),
    later("consensus_reached"),
    later("no_new_arguments"),
];
const ON_FAILURE: &[Choice] =
    &[choice("skip", "the seat stays empty while the quorum holds"), choice("abort", "the debate ends as failed")];
const QUORUM: &[Choice] = &[choice("majority", "more than half of them"), choice("all", "all of them")];
const OUTPUT: &[Choice] = &[
    choice("full_markdown", "the whole debate"),
    choice("summary_only", "verdict and figures"),
    choice("json_log", "the event log as JSON lines"),
    choice("verbose", "the whole debate with failures, places, tokens and times"),
    choice("html", "a self-contained page"),
    later("visual_tree"),
];
