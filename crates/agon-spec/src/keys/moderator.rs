//! The keys of the moderator.
use super::persona::with_voice;
use super::{Choice, Key, KeyTable, Shape, TOOL_NAMES, choice, key};
use crate::slot::row;
use agon_core::{ConsensusStrategy, DebateSpec, Interject, Moderator, SummaryStyle};

pub(crate) static MODERATOR: KeyTable = KeyTable {
    title: "moderator",
    about: "The moderator and its duties, of which at least one is on. It may end a debate and never decides one, except \
            with `consensus_strategy: mediator_summary`. Without `type` it opens and closes every round; with one it has \
            the duties of that type. Each duty can be switched beside that.",
    keys: KEYS,
    elsewhere: &[
        ("duties", "write each duty as its own key, such as `scores: true`"),
        ("visible", "write `visible: {moderator: ...}` at the top level"),
    ],
};

#[rustfmt::skip] // a table: what a value is, then what it means, then when it counts
const KEYS: &[Key] = with_voice!([
    key("type", Shape::Choice(TYPE), "", "A set of duties."),
    row!(Moderator, opens, Shape::Flag, "true; false with a `type`",
        "Opens every round: a briefing, a new angle and, with `turn_mode: moderator`, whom to hear."),
    row!(Moderator, closes, Shape::Flag, "true; false with a `type`",
        "Closes every round: a summary, and whether the question is settled."),
    row!(Moderator, interjects, Shape::Flag, "by `type`", "Comments on a round, as often as `interject` says."),
    row!(Moderator, warns, Shape::Flag, "by `type`", "Warns speakers who leave the topic, when it interjects."),
    row!(Moderator, clarifies, Shape::Flag, "by `type`",
        "Asks speakers to clarify, when it interjects; they answer at once."),
    row!(Moderator, reflects, Shape::Flag, "by `type`",
        "Asks speakers to revise, when it interjects; they answer at once."),
    row!(Moderator, scores, Shape::Flag, "by `type`", "Scores every speech of a round."),
    row!(Moderator, researches, Shape::Flag, "by `type`",
        "Researches before the first round, with its `tools` if it has any, and briefs everybody."),
    row!(Moderator, reconciles, Shape::Flag, "by `type`", "Reconciles the positions before the decision."),
    row!(Moderator, concludes, Shape::Flag, "by `type`", "Summarises the debate at its end."),
    row!(Moderator, interject, Shape::Choice(&Interject::CHOICES), "every_round",
        "When it interjects.")
        .needs("one of the duties `interjects`, `warns`, `clarifies` and `reflects`",
            &["moderator.type", "consensus_strategy"],
            |spec| spec.moderator.as_ref().is_none_or(Moderator::has_interjections)),
    row!(Moderator, summary_style, Shape::Choice(&SummaryStyle::CHOICES), "neutral",
        "How it summarises.")
        .needs("one of the duties `closes`, `reconciles` and `concludes`, `interject: midpoint` with `interjects`, \
            or `consensus_strategy: mediator_summary`",
            &["moderator.type", "consensus_strategy"],
            sums_up),
    row!(Moderator, tools, TOOL_NAMES, "[]",
        "Tools of the moderator, by their names in the host's settings.").quiet(),
    row!(Moderator, instructions, Shape::Template, "", "Added to its prompt; may hold variables."),
], TEMPERATURE, "600", []);

const TYPE: &[Choice] = &[
    choice("silent", "`concludes`"),
    choice("active", "`interjects`, `warns` and `clarifies`"),
    choice("judge", "`scores`"),
    choice("consensus", "`reconciles`"),
    choice("reflector", "`reflects`"),
    choice("tool_agent", "`researches`"),
];

fn sums_up(spec: &DebateSpec) -> bool {
    let has_duty = |it: &Moderator| it.closes || it.reconciles || it.concludes || it.sums_up_midway();
    spec.consensus_strategy == ConsensusStrategy::MediatorSummary || spec.moderator.as_ref().is_none_or(has_duty)
}
