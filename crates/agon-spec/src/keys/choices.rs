//! The values of the keys of the whole file.
use super::{Choice, choice};

pub(super) const MODE: &[Choice] = &[
    choice("adversarial", "every persona argues its assigned stance to the end"),
    choice("deliberative", "every persona has its own answer and revises it only by naming the flaw in it"),
];
pub(super) const FORMAT: &[Choice] = &[
    choice("round_robin", "every debater speaks once a round, in turn order"),
    choice("socratic", "one asks, the others answer and are asked again; who asks rotates with the rounds"),
    choice(
        "bp_style",
        "British Parliamentary: four teams, eight speeches, points of information; 4 or 8 personas without stances",
    ),
    choice("fishbowl", "an inner circle speaks; before each further round one of the others may come in, by bid"),
    choice("chain_of_thought", "every speech has numbered steps from claim to conclusion, which are checked"),
    choice("open_fight", "no order: all bid for the floor, and the most urgent speaks"),
    choice("critique_revision", "proposals, then rounds of critiques and revisions"),
];
pub(super) const TURN_MODE: &[Choice] = &[
    choice("round_robin", "in the order of the file"),
    choice("random", "in a fresh order each round, drawn from the seed"),
    choice("priority_order", "by `priority`, highest first"),
    choice("moderator", "whom the moderator calls; it must open rounds"),
    choice("reaction_triggered", "after each speech the others say how much they want to react; the strongest speaks"),
];
pub(super) const VISIBILITY: &[Choice] = &[
    choice("sequential", "each speaker sees all that was said before"),
    choice("simultaneous", "all speak at once on the same transcript"),
];
pub(super) const SCOPE: &[Choice] = &[
    choice("full_log", "the whole debate"),
    choice("last_n_turns", "the last `context_turns` speeches"),
    choice("summary_only", "a running summary, and the last round"),
    choice("persona_scoped", "one's own speeches, those that address one, and the moderator's"),
];
pub(super) const MEMORY: &[Choice] = &[
    choice("append_all", "everything"),
    choice("rolling_window", "the last `memory_window` speeches"),
    choice("summarize_past", "a summary every `summarize_every` rounds, and what was said since"),
    choice("persona_masking", "what `sees` and `hidden_from` of the personas leave"),
];
pub(super) const STRATEGY: &[Choice] = &[
    choice("judge", "a judge, or a panel of judges, reads the whole log"),
    choice("vote", "the debaters vote, or the judges"),
    choice("ranked_reasons", "the judges rank every candidate, with reasons"),
    choice(
        "mediator_summary",
        "what the moderator decided is the verdict: the decision with which it settled the question, and its closing synthesis",
    ),
    choice("agent_closing", "everybody closes; there is no verdict and no winner"),
    choice("no_consensus", "the log ends with the perspectives preserved"),
];
pub(super) const BALLOTS: &[Choice] = &[
    choice("both", "before round 1 and at the end"),
    choice("final_only", "at the end only"),
    choice("none", "none; not in deliberative mode, which decides among the ballots' answers"),
];
pub(super) const END: &[Choice] = &[
    choice("rounds_exhausted", "`max_rounds` were held; always in force"),
    choice(
        "consensus_reached",
        "the speakers agree: by the answers that they state, else by similarity; never by words alone where stances are assigned",
    ),
    choice("no_new_arguments", "every new speech is too similar to an earlier one, and no stated answer changed"),
    choice(
        "impasse",
        "for two rounds nobody moved, and they do not agree; both by stated answers, else both by similarity",
    ),
];
pub(super) const ON_FAILURE: &[Choice] =
    &[choice("skip", "the seat stays empty while the quorum holds"), choice("abort", "the debate ends as failed")];
pub(super) const QUORUM: &[Choice] = &[choice("majority", "more than half of them"), choice("all", "all of them")];
pub(super) const OUTPUT: &[Choice] = &[
    choice("full_markdown", "the whole debate"),
    choice("summary_only", "verdict and figures"),
    choice("json_log", "the event log as JSON lines"),
    choice("verbose", "the whole debate with failures, places, tokens and times"),
    choice("html", "a self-contained page"),
    choice("visual_tree", "who attacks or supports what, as Mermaid and SVG"),
];
pub(super) const INTERRUPTIONS: &[Choice] = &[
    choice("off", "everybody speaks to the end"),
    choice("turn_boundary", "whoever bids as much as the threshold after a speech puts in a short one"),
    choice("mid_speech", "besides, a running speech is shown to the others half-way, and such a bid cuts it there"),
];
pub(super) const TOPOLOGY: &[Choice] = &[
    choice("all_to_all", "everybody criticises everybody else"),
    choice("round_robin", "everybody criticises one other, another one each round"),
    choice("ring", "everybody criticises the next in declared order"),
    choice("star", "one persona, the `hub`, and the others; `direction` says who criticises"),
    choice("sparse", "a part of all pairs, drawn from the seed; `density` says how many"),
];
pub(super) const DIRECTION: &[Choice] = &[
    choice("hub_critiques", "the hub criticises everybody else"),
    choice("critique_hub", "everybody else criticises the hub"),
];
