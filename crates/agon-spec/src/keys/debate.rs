//! The keys of the whole file.
use super::choices::*;
use super::decision::{JUDGE, VOTING};
use super::moderator::MODERATOR;
use super::parts::{BUDGET, PHASES, SUMMARIZER, SYNTHESIZER, TOOLS, VISIBLE};
use super::persona::PERSONA;
use super::{Key, Shape, Table, key};

pub(crate) static DEBATE: Table = Table {
    title: "debate",
    about: "The top level of a YAML or JSON file, and the front matter block of a Markdown file.",
    keys: KEYS,
    elsewhere: &[
        ("analysis", "write `phases: {analysis: true}` or `false`"),
        ("anonymous_scoring", "write `voting: {rule: anonymous_scoring}`"),
        ("debate_end_condition", "write `end_condition`"),
        ("end_threshold", "write `similarity_threshold`"),
        ("evolution", "it stands in each persona that is to have it"),
        ("feedback", "write `phases: {feedback: true}` or `false`"),
        ("history", "write `history_limit: N`"),
        ("interject", "it stands under `moderator:`"),
        ("last_n_turns", "write `context_scope: last_n_turns` and `context_turns: N`"),
        ("mediator_type", "write `moderator: {type: ...}`"),
        ("output_schema", "it stands under `synthesizer:`"),
        ("panel", "it stands under `judge:`"),
        ("reflection", "it stands in each persona that is to have it"),
        ("research", "write `moderator: {researches: true}`"),
        ("rolling_window", "write `memory: rolling_window` and `memory_window: N`"),
        ("scorer", "a scorer is a tool; name it under `tools` of a persona or of the moderator"),
        ("summary_style", "it stands under `moderator:`"),
        ("trending_topics", "write `feeds: [NAME]`"),
        ("weights", "write `voting: {rule: weighted}`, and `weight` or `elo` and `calibration` in the personas"),
    ],
};

const KEYS: &[Key] = &[
    key("topic", Shape::Text, "", "What is debated. In Markdown it may stand in the body instead.").required(),
    key("context", Shape::Text, "", "Background that everybody reads. In Markdown it may stand in the body instead."),
    key("materials", Shape::Text, "", "Evidence to quote from. In Markdown it may stand under `## Materials` instead."),
    key("mode", Shape::Choice(MODE), "adversarial", "Whether stances are assigned or found."),
    key("debate_format", Shape::Choice(FORMAT), "round_robin", "What happens in a round."),
    key(
        "inner_circle",
        Shape::Integer { min: 2, max: 15 },
        "half of the personas, rounded up",
        "`fishbowl`: how many sit in the inner circle; less than all.",
    ),
    key("interruptions", Shape::Choice(INTERRUPTIONS), "off", "`open_fight`: whether speakers may be interrupted."),
    key(
        "interruption_threshold",
        Shape::Integer { min: 1, max: 10 },
        "8",
        "`open_fight` with interruptions: the urgency, of 10, from which a bid interrupts.",
    ),
    key(
        "points_of_information",
        Shape::Flag,
        "true",
        "`bp_style`: whether points of information are offered to the speaker.",
    ),
    key("topology", Shape::Choice(TOPOLOGY), "all_to_all", "`critique_revision`: who criticises whom."),
    key("hub", Shape::Line, "the first persona", "`topology: star`: the persona in the middle."),
    key("direction", Shape::Choice(DIRECTION), "hub_critiques", "`topology: star`: who criticises."),
    key(
        "density",
        Shape::Number { min: 0.01, max: 1.0 },
        "0.5",
        "`topology: sparse`: the share of all pairs that are drawn, from the seed; every proposal has one critic at least.",
    ),
    key(
        "max_rounds",
        Shape::Integer { min: 1, max: 100 },
        "2; 1 in bp_style",
        "The hard cap on rounds. More than 4 draw a warning.",
    ),
    key(
        "personas",
        Shape::List { of: &PERSONA, min: 2, max: 16 },
        "",
        "The debaters, in speaking order. More than 5 draw a warning.",
    ),
    key(
        "persona_count",
        Shape::Integer { min: 2, max: 16 },
        "3 (4 in bp_style), where no personas are listed",
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
    key(
        "context_turns",
        Shape::Integer { min: 1, max: 1_000 },
        "12",
        "`context_scope: last_n_turns`: how many speeches are shown, the last ones.",
    ),
    key(
        "memory_window",
        Shape::Integer { min: 1, max: 1_000 },
        "12",
        "`memory: rolling_window`: how many speeches are kept, the last ones.",
    ),
    key(
        "window_step",
        Shape::Integer { min: 1, max: 1_000 },
        "1",
        "`last_n_turns` and `rolling_window`: how many speeches a window drops at a time, at most its size. With 1 it shows the last \
         ones exactly; with more it shows up to so many less, and a model server can reuse more of the prompt.",
    )
    .since("0.2"),
    key(
        "summarize_every",
        Shape::Integer { min: 1, max: 100 },
        "2",
        "`memory: summarize_past`: rounds between two summaries.",
    ),
    key(
        "summarizer",
        Shape::Map(&SUMMARIZER),
        "the debate's model",
        "Who sums up; only with `memory: summarize_past` or `context_scope: summary_only`.",
    )
    .or(&["summariser"]),
    key(
        "history_limit",
        Shape::Integer { min: 0, max: agon_core::MOST_HISTORY as i128 },
        "0",
        "How many earlier debates on similar questions everybody is told of, at most.",
    )
    .since("0.2"),
    key(
        "failed_arguments",
        Shape::Integer { min: 0, max: agon_core::MOST_FAILED as i128 },
        "0",
        "With `history_limit`: how many arguments that failed in each of these debates everybody is told of, at most.",
    )
    .since("0.2"),
    key(
        "feeds",
        Shape::Names { of: "feeds", max: agon_core::MOST_FEEDS },
        "[]",
        "Feeds whose newest items everybody reads, as they are when the debate is admitted; by the names that the settings give them.",
    )
    .since("0.2"),
    key("phases", Shape::Map(&PHASES), "all on", "Which optional phases run."),
    key(
        "moderator",
        Shape::Switch(&MODERATOR),
        "false",
        "The moderator. `true` is one that opens and closes every round.",
    )
    .or(&["mediator"]),
    key("use_mediator", Shape::Flag, "", "The same as `moderator: true`; `false` is the same as `moderator: false`."),
    key(
        "consensus_strategy",
        Shape::Choice(STRATEGY),
        "judge; ranked_reasons in bp_style",
        "How the debate is decided.",
    ),
    key(
        "judge",
        Shape::Map(&JUDGE),
        "two orders, anonymised, shuffled",
        "The judge, or the panel; only where judges decide, vote or end the rounds.",
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
        "similarity_threshold",
        Shape::Number { min: 0.0, max: 1.0 },
        "0.85",
        "How similar speeches must be to say the same, from 0 to 1: for all stop rules of `end_condition` but the last \
         round, and for the end of `critique_revision`.",
    ),
    key(
        "embedding_model",
        Shape::Line,
        "words are compared",
        "The model whose embeddings tell how similar speeches are, and earlier debates with `history_limit`; without it, words are \
         compared, and the log says so.",
    ),
    key(
        "terminate_when",
        Shape::Expression,
        "",
        "CEL over `round`, `turns`, `tokens`, `elapsed_s`, `agreement`, `stability`, `failures`, `budget` and `labels`, \
         asked after each round; true ends the rounds.",
    ),
    key(
        "timeout_per_turn",
        Shape::Duration,
        "90s",
        "How long one answer may take, from the call to its last token. Waiting for a server and loading the model are no part of it.",
    ),
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
    key(
        "synthesizer",
        Shape::Switch(&SYNTHESIZER),
        "true with a moderator, else false",
        "A last call that turns the result into a text, or into data of your schema. `true` is one without a schema.",
    ),
    key("tools", Shape::Map(&TOOLS), "", "How much a turn may use the tools that its speaker has."),
    key(
        "verifiers",
        Shape::Names { of: "verifiers", max: usize::MAX },
        "[]",
        "Verifiers that check the claims which debaters mark, by the names that the host's settings give them.",
    )
    .since("0.2"),
    key(
        "adapt_max_tokens",
        Shape::Flag,
        "false",
        "Whether `max_tokens` of an answer is lowered to what its model generates in three quarters of `timeout_per_turn`, by the speed \
         that was measured in earlier calls, but not below 64. Speakers are asked for fewer words then, and reports say so.",
    )
    .since("0.2"),
    key(
        "coerce_answers",
        Shape::Flag,
        "false",
        "Whether a value of a structured answer that is not among the allowed ones is read as the one that it clearly means, \
         with a warning; else the answer is malformed.",
    )
    .since("0.2"),
    key(
        "confidence",
        Shape::Flag,
        "false",
        "Whether ballots and votes say how sure the voter is, from 0 to 100. What it is used for: reports, and `weigh_by_confidence`.",
    )
    .since("0.2"),
    key(
        "weigh_by_confidence",
        Shape::Flag,
        "false",
        "`rule: weighted` with `confidence: true`: whether the weight of a vote is multiplied by its voter's confidence.",
    )
    .since("0.2"),
    key("visible", Shape::Map(&VISIBLE), "everything", "Whose words are shown where. The log keeps all."),
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
