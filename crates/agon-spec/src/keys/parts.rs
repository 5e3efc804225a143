//! The keys of the smaller mappings.
use super::persona::with_voice;
use super::{KeyTable, Shape, key};
use crate::leaf::Leaf;
use crate::slot::{KeySlot, SpecField, block, millis, place, row};
use agon_core::{AnswerKind, DebateSpec, Mode, Visible};
use serde_json::Value;

pub(crate) static PHASES: KeyTable = KeyTable {
    title: "phases",
    about: "The optional phases. In `bp_style` there are no statements and rebuttals; in `critique_revision` \
        proposals replace the opening statements, and are not optional. A `poll` has opening statements alone.",
    keys: &[
        row!(Phases, opening_statements, Shape::Flag, "true; false in bp_style", "Opening statements before round 1."),
        row!(
            Phases,
            final_statements,
            Shape::Flag,
            "true; false in bp_style",
            "Final statements after the last round."
        ),
        row!(Phases, rebuttals, Shape::Flag, "false", "Short rebuttals after the final statements."),
        row!(
            Phases,
            analysis,
            Shape::Flag,
            "true",
            "Reports and result analyse the course of the debate: who influenced whom, what has no answer. Costs no call."
        )
        .since("0.2"),
        row!(
            Phases,
            feedback,
            Shape::Flag,
            "true",
            "The outcome counts for ratings, and is shown to later debates that ask for history. Costs no call."
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

pub(crate) static ANSWER: KeyTable = KeyTable {
    title: "answer",
    about: "What an answer to the topic is. Ballots, stated answers, votes and winners then take nothing else: what does not \
        fit is asked for again, with the reason. Options are recognised by their words or by their letter (A, B, ...) in this order.",
    keys: &[
        row!(AnswerForm, kind, Shape::Choice(&AnswerKind::CHOICES), "choice with `options`, otherwise text", "What an answer is.")
            .since("0.2"),
        row!(
            AnswerForm,
            options,
            Shape::Lines,
            "",
            "`kind: choice`: the answers that can be given, 2 to 26. Votes and winners can name all of them, also those that \
             no debater named. Assigned stances must be among them."
        )
        .quiet()
        .since("0.2"),
        key(
            "tolerance",
            Shape::Tolerance,
            "0",
            "`kind: number`: how far apart two numbers may be and still be one answer: a number, or a share such as `2 %`.",
        )
        .at(place!(AnswerForm, tolerance))
        .quiet()
        .since("0.2"),
    ],
    elsewhere: &[("choices", "write `options`"), ("type", "write `kind`")],
};

pub(crate) static GATE: KeyTable = KeyTable {
    title: "gate",
    about: "How `debate: if_contested` decides whether rounds are worth their tokens. A debate with a failed ballot is never \
        skipped.",
    keys: &[
        row!(
            GateOptions,
            rule,
            Shape::GateRule,
            "all debaters, three at least, cast the same ballot",
            "A learned rule, as a gate file has it under `rule`. `agon run --gate FILE` puts it here."
        )
        .quiet()
        .since("0.2"),
        row!(
            GateOptions,
            explore,
            Shape::Number { min: 0.0, max: 1.0 },
            "0",
            "The share of the debates to be skipped that are held all the same, drawn from the seed, to see whether the rule is \
             still right."
        )
        .quiet()
        .since("0.2"),
        row!(
            GateOptions,
            strict,
            Shape::Flag,
            "false",
            "Whether a debate with other settings or models than the rule was learned on is refused. Otherwise there is a \
             warning."
        )
        .quiet()
        .since("0.2"),
    ],
    elsewhere: &[("file", "run with `--gate FILE`"), ("threshold", "write it in the learned `rule`")],
};

pub(crate) static SUMMARIZER: KeyTable = KeyTable {
    title: "summarizer",
    about: "The role that summarises what memory no longer keeps word for word.",
    keys: with_voice!(
        [row!(Summarizer, instructions, Shape::Template, "", "Added to its prompt; may hold variables."),],
        TEMPERATURE,
        "600",
        []
    ),
    elsewhere: &[("every", "write `summarize_every` at the top level")],
};

pub(crate) static SYNTHESIZER: KeyTable = KeyTable {
    title: "synthesizer",
    about: "A last call over the result. With a schema its answer is checked, and asked for once more if it does not \
        fit; if it still does not fit, the debate ends as degraded with the text kept.",
    keys: with_voice!(
        [
            row!(
                Synthesizer,
                output_schema,
                Shape::Schema,
                "",
                "The JSON Schema of the answer; without it the answer is a text."
            ),
            row!(Synthesizer, instructions, Shape::Template, "", "Added to its prompt; may hold variables."),
        ],
        TEMPERATURE,
        "1500",
        []
    ),
    elsewhere: &[("enabled", "write `synthesizer: false` for none"), ("schema", "write `output_schema`")],
};

pub(crate) static TOOLS: KeyTable = KeyTable {
    title: "tools",
    about: "Limits on the use of tools in a turn. The host's settings define the tools; personas and the moderator \
        name those that they may use.",
    keys: &[
        row!(ToolLimits, max_calls_per_turn, Shape::Integer { min: 0, max: 20 }, "3", "Calls in one turn."),
        key("timeout", Shape::Duration, "20s", "How long one call may take.").at(millis!(ToolLimits, timeout_ms)),
        row!(
            ToolLimits,
            max_result_chars,
            Shape::Integer { min: 100, max: 100_000 },
            "6000",
            "Characters of one result that a model sees."
        ),
    ],
    elsewhere: &[],
};

pub(crate) static VISIBLE: KeyTable = KeyTable {
    title: "visible",
    about: "Whose words are shown where, and whether debaters know each other by name.",
    keys: &[
        block!(Visible, debaters, Shape::Map(&SHOWN), "everywhere", "The debaters' speeches.").quiet(),
        block!(Visible, moderator, Shape::Map(&SHOWN), "everywhere", "What the moderator says.").quiet(),
        block!(
            Visible,
            judge,
            Shape::Map(&SHOWN),
            "everywhere",
            "What the judges say before the verdict, and their reasons."
        )
        .quiet(),
        block!(Visible, synthesizer, Shape::Map(&SHOWN), "everywhere", "The text of the synthesizer.")
            .quiet()
            .since("0.2"),
        key(
            "names",
            Shape::Flag,
            "false; true in deliberative mode",
            "Whether debaters know each other by name. With `false` they are `Debater 1` and so on to each other, in the \
             order of the file, each with its stance.",
        )
        .at(KeySlot::Visible(SpecField { read: |of, value| of.names.put(value), write: written_names }))
        .since("0.2"),
    ],
    elsewhere: &[("personas", "write `debaters`"), ("mediator", "write `moderator`")],
};

/// Said wherever it is not what it always was, so that a normal form means the same in every edition.
fn written_names(of: &Visible, spec: &DebateSpec) -> Option<Value> {
    (spec.mode == Mode::Adversarial || !of.names).then_some(of.names.into())
}

pub(crate) static SHOWN: KeyTable = KeyTable {
    title: "visible.debaters, visible.moderator, visible.judge, visible.synthesizer",
    about: "Where a role's words are shown.",
    keys: &[
        row!(Shown, client, Shape::Flag, "true", "To watchers, while the debate runs."),
        row!(Shown, history, Shape::Flag, "true", "In reports and exported transcripts."),
    ],
    elsewhere: &[],
};

pub(crate) static BUDGET: KeyTable = KeyTable {
    title: "budget",
    about: "Limits of the whole debate.",
    keys: &[
        row!(
            Budget,
            tokens,
            Shape::Integer { min: 1, max: u64::MAX as i128 },
            "",
            "Prompt plus generated tokens of all calls."
        ),
        row!(
            Budget,
            seconds,
            Shape::Integer { min: 1, max: 604_800 },
            "",
            "From the first turn to the last, without pauses; the decision may take one `timeout_per_turn` longer."
        ),
    ],
    elsewhere: &[("turns", "write `max_rounds`, or `terminate_when: turns >= N`")],
};
