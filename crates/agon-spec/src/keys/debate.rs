//! The keys of the whole file.
use super::decision::{JUDGE, VOTING, has_vote};
use super::moderator::MODERATOR;
use super::parts::{ANSWER, BUDGET, GATE, PHASES, SUMMARIZER, SYNTHESIZER, TOOLS, VISIBLE};
use super::persona::PERSONA;
use super::{Choice, Key, KeyTable, Shape, choice, key};
use crate::leaf::Leaf;
use crate::section::CheckedValue;
use crate::slot::{KeySlot, NestedMapping, SpecField, block, fill, millis, row, written};
use agon_core::{
    AnswerForm, AnswerKind, Ballots, ConsensusStrategy, ContextScope, DebateFormat, DebateSpec, DebateWhen, Direction,
    EndCondition, Interruptions, Memory, Mode, Named, OnCut, OnTurnFailure, Output, Scoring, Topology, TurnMode,
    Visibility,
};
use serde_json::{Map, Value};

pub(crate) static DEBATE: KeyTable = KeyTable {
    title: "debate",
    about: "The top level of a YAML or JSON file, and the front matter block of a Markdown file.",
    keys: KEYS,
    elsewhere: &[
        ("analysis", "write `phases: {analysis: true}` or `false`"),
        ("anonymous_scoring", "write `voting: {rule: anonymous_scoring}`"),
        ("debate_end_condition", "write `end_condition`"),
        ("end_threshold", "write `similarity_threshold`"),
        ("feedback", "write `phases: {feedback: true}` or `false`"),
        ("history", "write `history_limit: N`"),
        ("last_n_turns", "write `context_scope: last_n_turns` and `context_turns: N`"),
        ("mediator_type", "write `moderator: {type: ...}`"),
        ("persona_name", "write `name` in each entry of `personas`"),
        ("research", "write `moderator: {researches: true}`"),
        ("rolling_window", "write `memory: rolling_window` and `memory_window: N`"),
        ("scorer", "a scorer is a tool; name it under `tools` of a persona or of the moderator"),
        ("trending_topics", "write `feeds: [NAME]`"),
        ("weights", "write `voting: {rule: weighted}`, and `weight` or `elo` and `calibration` in the personas"),
    ],
};

#[rustfmt::skip] // a table: what a value is, then what it means, then when it counts
const KEYS: &[Key] = &[
    key("topic", Shape::Text, "",
        "What is debated. In Markdown it may be in the body instead.")
        .written(|spec, _| spec.topic.given()).required(),
    key("context", Shape::Text, "",
        "Background that everybody reads. In Markdown it may be in the body instead.")
        .written(|spec, _| spec.context.given()),
    key("materials", Shape::Text, "",
        "Evidence to quote from. In Markdown it may be under `## Materials` instead.")
        .written(|spec, _| spec.materials.given()),
    key("answer", Shape::Short(ANSWER_KINDS, &ANSWER), "any text; a judge may name no winner",
        "What an answer to the topic is: `number`, `text`, or a mapping, as in `answer: {kind: choice, options: [Yes, No]}`.")
        .at(KeySlot::DebateSpec(SpecField { read: read_answer, write: |spec, _| written_answer(spec) }))
        .since("0.2"),
    row!(DebateSpec, mode, Shape::Choice(&Mode::CHOICES), "adversarial; deliberative in poll", "Whether stances are assigned or found."),
    row!(DebateSpec, debate_format, Shape::Choice(&DebateFormat::CHOICES), "round_robin", "What happens in a round."),
    row!(DebateSpec, format.inner_circle, Shape::Integer { min: 2, max: 15 }, "half of the personas, rounded up",
        "`fishbowl`: how many sit in the inner circle; fewer than all.")
        .needs("`debate_format: fishbowl`", &["debate_format"], |spec| spec.debate_format == DebateFormat::Fishbowl),
    row!(DebateSpec, format.interruptions, Shape::Choice(&Interruptions::CHOICES), "off",
        "`open_fight`: whether speakers may be interrupted.")
        .needs("`debate_format: open_fight`", &["debate_format"], |spec| spec.debate_format == DebateFormat::OpenFight),
    row!(DebateSpec, format.interruption_threshold, Shape::Integer { min: 1, max: 10 }, "8",
        "`open_fight` with interruptions: the urgency, of 10, from which a bid interrupts.")
        .needs("`interruptions: turn_boundary` or `mid_speech`", &["debate_format", "interruptions"],
            |spec| spec.debate_format == DebateFormat::OpenFight && spec.format.interruptions != Interruptions::Off),
    row!(DebateSpec, format.points_of_information, Shape::Flag, "true",
        "`bp_style`: whether points of information are offered to the speaker.")
        .needs("`debate_format: bp_style`", &["debate_format"], |spec| spec.debate_format == DebateFormat::BpStyle),
    row!(DebateSpec, format.topology, Shape::Choice(&Topology::CHOICES), "all_to_all",
        "`critique_revision`: who criticises whom.")
        .needs("`debate_format: critique_revision`", &["debate_format"], criticises),
    row!(DebateSpec, format.hub, Shape::Line, "the first persona",
        "`topology: star`: the persona in the middle.")
        .needs("`topology: star`", &["debate_format", "topology"], is_star),
    row!(DebateSpec, format.direction, Shape::Choice(&Direction::CHOICES), "hub_critiques",
        "`topology: star`: who criticises.").needs("`topology: star`", &["debate_format", "topology"], is_star),
    row!(DebateSpec, format.density, Shape::Number { min: 0.01, max: 1.0 }, "0.5",
        "`topology: sparse`: the share of all pairs that are drawn, from the seed; every proposal has at least one critic.")
        .needs("`topology: sparse`", &["debate_format", "topology"],
            |spec| criticises(spec) && spec.format.topology == Topology::Sparse),
    row!(DebateSpec, format.samples, Shape::Integer { min: 1, max: agon_core::MOST_SAMPLES as i128 }, "one of each persona",
        "`poll`: how many answers there are. The personas give them in turn, so that one persona can give many.")
        .quiet().needs("`debate_format: poll`", &["debate_format"], |spec| spec.is_poll())
        .since("0.2"),
    row!(DebateSpec, debate, Shape::Choice(&DebateWhen::CHOICES), "always",
        "Whether rounds are held whatever the first ballots say. With `if_contested` a gate decides after the first ballots \
         (in `critique_revision` and `poll` after the first answers).").quiet().since("0.2"),
    block!(DebateSpec, gate, Shape::Map(&GATE), "",
        "How the gate of `debate: if_contested` decides. Without it, a debate is skipped if all debaters, three at least, \
         cast the same first ballot.")
        .quiet().needs("`debate: if_contested`", &["debate"], |spec| spec.debate == DebateWhen::IfContested).since("0.2"),
    row!(DebateSpec, max_rounds, Shape::Integer { min: 1, max: 100 }, "2; 1 in bp_style",
        "The maximum number of rounds. More than 4 cause a warning."),
    key("personas", Shape::List { of: &PERSONA, min: 1, max: 16 }, "",
        "The debaters, in speaking order, 2 at least; a `poll` can have 1. More than 5 cause a warning.")
        .written(|spec, _| Some(spec.personas.iter().map(|persona| written(persona, spec)).collect())),
    key("persona_count", Shape::Integer { min: 1, max: 16 }, "3 (4 in bp_style), if no personas are listed",
        "Takes this number of debaters from the built-in cast; 1 only in a `poll`.").instead_of("personas"),
    key("allow_shared_stance", Shape::Flag, "false",
        "Whether several personas may argue one stance; the debate still needs at least two different stances.")
        .written(shares_stances)
        .needs("a format other than `bp_style`, whose teams are the stances", &["debate_format"],
            |spec| spec.debate_format != DebateFormat::BpStyle),
    row!(DebateSpec, turn_mode, Shape::Choice(&TurnMode::CHOICES), "round_robin", "Who speaks when."),
    row!(DebateSpec, visibility, Shape::Choice(&Visibility::CHOICES), "sequential; simultaneous in deliberative mode",
        "Whether later speakers of a round see earlier ones."),
    row!(DebateSpec, context_scope, Shape::Choice(&ContextScope::CHOICES), "full_log",
        "What a speaker sees of the debate."),
    row!(DebateSpec, memory, Shape::Choice(&Memory::CHOICES), "append_all", "What is kept of the past."),
    row!(DebateSpec, windows.context_turns, Shape::Integer { min: 1, max: 1_000 }, "12",
        "`context_scope: last_n_turns`: how many of the last speeches are shown at most.")
        .after("context_scope").needs("`context_scope: last_n_turns`", &["context_scope"], shows_turns),
    row!(DebateSpec, windows.memory_window, Shape::Integer { min: 1, max: 1_000 }, "12",
        "`memory: rolling_window`: how many of the last speeches are kept at most.")
        .needs("`memory: rolling_window`", &["memory"], keeps_window),
    row!(DebateSpec, windows.window_step, Shape::Integer { min: 1, max: 1_000 }, "1",
        "`last_n_turns` and `rolling_window`: how many speeches a full window drops at once, at most its size. With 1 it \
         always shows the last ones exactly. With more it sometimes shows fewer, and a model server can reuse the prompt \
         between two drops.")
        .needs("`context_scope: last_n_turns` or `memory: rolling_window`", &["context_scope", "memory"],
            |spec| shows_turns(spec) || keeps_window(spec))
        .since("0.2"),
    row!(DebateSpec, windows.summarize_every, Shape::Integer { min: 1, max: 100 }, "2",
        "`memory: summarize_past`: rounds between two summaries.")
        .needs("`memory: summarize_past`, and a scope other than `summary_only`, which summarises every round",
            &["memory", "context_scope"],
            |spec| spec.memory == Memory::SummarizePast && spec.context_scope != ContextScope::SummaryOnly),
    block!(DebateSpec, summarizer, Shape::Map(&SUMMARIZER), "the debate's model",
        "The role that summarises; only with `memory: summarize_past` or `context_scope: summary_only`.")
        .needs("`memory: summarize_past` or `context_scope: summary_only`", &["memory", "context_scope"],
            |spec| spec.summarizer.is_some())
        .or(&["summariser"]),
    row!(DebateSpec, history_limit, Shape::Integer { min: 0, max: agon_core::MOST_HISTORY as i128 }, "0",
        "The maximum number of earlier debates on similar questions that everybody reads about.").since("0.2"),
    row!(DebateSpec, failed_arguments, Shape::Integer { min: 0, max: agon_core::MOST_FAILED as i128 }, "0",
        "With `history_limit`: the maximum number of arguments that failed, and of objections that were accepted, in each of \
         these debates that everybody reads.")
        .quiet().needs("a `history_limit` of 1 or more", &["debate_format"], |spec| spec.history_limit > 0)
        .since("0.2"),
    row!(DebateSpec, feeds, Shape::Names { of: "feeds", max: agon_core::MOST_FEEDS }, "[]",
        "Feeds, by their names in the settings. Everybody reads their newest items, as they are when the debate is \
         admitted.").quiet().since("0.2"),
    block!(DebateSpec, phases, Shape::Map(&PHASES), "all on", "Which optional phases run."),
    block!(DebateSpec, moderator, Shape::Switch(&MODERATOR), "false",
        "The moderator. With `true` it opens and closes every round.").or(&["mediator"]),
    key("use_mediator", Shape::Flag, "", "The same as `moderator: true`; `false` is the same as `moderator: false`."),
    row!(DebateSpec, consensus_strategy, Shape::Choice(&ConsensusStrategy::CHOICES), "judge; ranked_reasons in bp_style; vote in poll",
        "How the debate is decided."),
    block!(DebateSpec, judge, Shape::Map(&JUDGE), "two orders, anonymised, shuffled",
        "The judge, or the panel; only where judges decide, vote or end the rounds."),
    block!(DebateSpec, voting, Shape::Map(&VOTING), "majority; plurality in poll", "The vote; only with `consensus_strategy: vote`."),
    row!(DebateSpec, scoring, Shape::Choice(&Scoring::CHOICES), "none",
        "Whether the debaters score each other at the end, beside the decision. Reports show the scores, which decide nothing.")
        .quiet().since("0.2"),
    row!(DebateSpec, ballots, Shape::Choice(&Ballots::CHOICES), "both; none in poll", "Which private ballots the debaters cast."),
    row!(DebateSpec, end_condition, Shape::Choices { of: &EndCondition::CHOICES, min: 1 }, "[rounds_exhausted]",
        "The active stop rules, in addition to the moderator, the budget and `terminate_when`."),
    row!(DebateSpec, similarity.similarity_threshold, Shape::Number { min: 0.0, max: 1.0 }, "0.85",
        "How similar speeches must be to count as the same, from 0 to 1: for all stop rules of `end_condition` \
         except the last round, and for the end of `critique_revision`.")
        .needs("an `end_condition` that compares speeches, or `debate_format: critique_revision`",
            &["debate_format", "end_condition"],
            |spec| criticises(spec) || spec.end_condition.iter().any(|rule| rule.compares())),
    row!(DebateSpec, similarity.embedding_model, Shape::Line, "words are compared",
        "The model of the embeddings that compare speeches, and earlier debates with `history_limit`. Without it, \
         words are compared, and the log records that."),
    row!(DebateSpec, terminate_when, Shape::Expression, "",
        "CEL over `round`, `turns`, `tokens`, `elapsed_s`, `agreement`, `stability`, `failures`, `budget` and \
         `labels`, evaluated after each round; true ends the rounds.").after("end_condition"),
    key("timeout_per_turn", Shape::Duration, "90s",
        "How long one answer may take, from the call to its last token. Waiting for a server and loading the model \
         do not count.").at(millis!(DebateSpec, timeout_per_turn_ms)),
    block!(DebateSpec, budget, Shape::Map(&BUDGET), "",
        "Limits of the whole debate; the decision's share is reserved first.").quiet(),
    row!(DebateSpec, on_turn_failure, Shape::Choice(&OnTurnFailure::CHOICES), "skip",
        "What happens after the last try of a turn has failed."),
    row!(DebateSpec, on_cut, Shape::Choice(&OnCut::CHOICES), "keep",
        "What becomes of a speech that reaches `max_tokens`, or goes in circles.").quiet().since("0.2"),
    row!(DebateSpec, quorum, Shape::Either(&[Shape::Choice(QUORUM), Shape::Integer {min: 1, max: 16 }]), "majority",
        "How many speakers of a round must succeed; below that the round is void and the debate fails."),
    row!(DebateSpec, seed, Shape::Integer { min: 0, max: u64::MAX as i128 }, "drawn and recorded",
        "Fixes every random choice."),
    row!(DebateSpec, agreement_intensity, Shape::Integer { min: 0, max: 10 }, "",
        "How far the prompts push towards agreement, from 0 (not at all) to 10."),
    row!(DebateSpec, language, Shape::Line, "", "The language of the debate, such as `German`."),
    key("model", Shape::Line, "`--model`, or the configured one", "The model of every role without its own."),
    row!(DebateSpec, instructions, Shape::Template, "", "Added to every built-in prompt; may hold variables."),
    block!(DebateSpec, synthesizer, Shape::Switch(&SYNTHESIZER), "true with a moderator, otherwise false",
        "A last call that turns the result into a text, or into data of your schema. With `true` it has no schema."),
    block!(DebateSpec, tools, Shape::Map(&TOOLS), "",
        "Limits on the use of a speaker's tools in a turn.").quiet(),
    row!(DebateSpec, verifiers, Shape::Names { of: "verifiers", max: usize::MAX }, "[]",
        "Verifiers that check the claims of debaters, by their names in the host's settings.")
        .quiet().since("0.2"),
    row!(DebateSpec, answers.adapt_max_tokens, Shape::Flag, "false",
        "Whether `max_tokens` of an answer is lowered to what its model generates in three quarters of \
         `timeout_per_turn`, at the speed measured in earlier calls, but not below 64. Speakers are then asked for \
         fewer words, and reports mention it.").quiet().since("0.2"),
    row!(DebateSpec, answers.coerce_answers, Shape::Flag, "false",
        "Whether a value of a structured answer that is not allowed is read as the allowed one that it clearly \
         means, with a warning. Otherwise the answer is malformed.").quiet().since("0.2"),
    row!(DebateSpec, answers.confidence, Shape::Flag, "false",
        "Whether ballots and votes state how sure the voter is, from 0 to 100, for reports and `weigh_by_confidence`. In \
         deliberative mode openings, proposals and the samples of a `poll` do, too; nobody reads what they state.")
        .quiet()
        .needs("`ballots`, a `poll`, `confidence_at_least`, or votes with a rule other than `anonymous_scoring`", &["debate_format"],
            |spec| spec.answers.confidence_at_least.is_some() || spec.is_poll() || spec.ballots != Ballots::None || has_vote(spec, |voting| !voting.rule.is_scored()))
        .since("0.2"),
    row!(DebateSpec, answers.weigh_by_confidence, Shape::Flag, "false",
        "`rule: weighted` with `confidence: true`: whether the weight of a vote is multiplied by its voter's \
         confidence.")
        .quiet()
        .needs("`confidence: true`, and `rule: weighted` without `every_round`", &["debate_format"],
            |spec| spec.answers.confidence && has_vote(spec, |voting| voting.rule.is_weighted() && !voting.every_round))
        .since("0.2"),
    row!(DebateSpec, answers.confidence_at_least, Shape::Integer { min: 1, max: 100 }, "",
        "How sure each speaker of a round has to be, from 1 to 100, for `consensus_reached`. With it every speech that ends with \
         `My answer:` states `My confidence:` too.")
        .quiet()
        .needs("`confidence: true`, and `consensus_reached` among `end_condition`", &["end_condition"],
            |spec| spec.answers.confidence && spec.end_condition.contains(&EndCondition::ConsensusReached))
        .since("0.2"),
    key("visible", Shape::Map(&VISIBLE), "everything, and names in deliberative mode",
        "Whose words are shown where. The log keeps all.")
        .at(KeySlot::DebateSpec(SpecField {
            read: |spec, value| NestedMapping::read(&mut spec.visible, value),
            write: |spec, whole| Some(written(&spec.visible, whole)).filter(|visible| *visible != Value::Object(Map::new())),
        })),
    row!(DebateSpec, outputs, Shape::Choices { of: &Output::CHOICES, min: 0 }, "[full_markdown, html, json_log]",
        "What is written at the end."),
    key("logging_mode", Shape::Choice(&Output::CHOICES), "",
        "A single output, the same as `outputs: [...]` with it.")
        .at(KeySlot::DebateSpec(SpecField { read: only_output, write: |_, _| None })).instead_of("outputs"),
    row!(DebateSpec, labels, Shape::Labels, "",
        "Your own labels, as texts; `terminate_when` reads them as `labels`.").quiet(),
];
const QUORUM: &[Choice] = &[choice("majority", "more than half of them"), choice("all", "all of them")];

const ANSWER_KINDS: &[Choice] = &AnswerKind::CHOICES;

/// A form of answers by its name, or as a mapping; one that lists options is a choice among them.
fn read_answer(spec: &mut DebateSpec, value: &CheckedValue) {
    let mut form = AnswerForm::default();
    match value {
        CheckedValue::Choice(name) => form.kind = Named::from_name(name).unwrap_or_default(),
        CheckedValue::Section(section) => {
            form.kind = if section.has("options") { AnswerKind::Choice } else { AnswerKind::Text };
            fill(&mut form, section);
        }
        _ => return,
    }
    spec.answer = Some(form);
}

/// The name alone where it says all.
fn written_answer(spec: &DebateSpec) -> Option<Value> {
    let form = spec.answer.as_ref()?;
    let bare = AnswerForm { kind: form.kind, ..AnswerForm::default() };
    Some(if *form == bare { form.kind.as_str().into() } else { written(form, spec) })
}

/// The one output that is wanted.
fn only_output(spec: &mut DebateSpec, value: &CheckedValue) {
    if let Some(output) = Output::read(value) {
        spec.outputs = vec![output];
    }
}

fn shares_stances(spec: &DebateSpec, _: &DebateSpec) -> Option<Value> {
    let stances = spec.personas.iter().filter_map(|persona| persona.stance.as_ref()).count();
    let shares = spec.stances().len() < stances;
    (spec.debate_format != DebateFormat::BpStyle).then(|| shares.into())
}

fn criticises(spec: &DebateSpec) -> bool {
    spec.debate_format == DebateFormat::CritiqueRevision
}

fn is_star(spec: &DebateSpec) -> bool {
    criticises(spec) && spec.format.topology == Topology::Star
}

fn shows_turns(spec: &DebateSpec) -> bool {
    spec.context_scope == ContextScope::LastNTurns
}

fn keeps_window(spec: &DebateSpec) -> bool {
    spec.memory == Memory::RollingWindow
}
