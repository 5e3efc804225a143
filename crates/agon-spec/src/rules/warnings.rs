//! What is allowed and seldom wise.
use crate::diagnostic::{Code, Finding, Problems};
use crate::place::Span;
use crate::section::Section;
use agon_core::{DebateSpec, Quorum, TurnMode};

const ROUNDS: u32 = 4;
const PERSONAS: usize = 5;
/// More than these are refused already.
const MOST: usize = 16;

pub(super) fn check(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    size(root, spec, problems);
    models(root, spec, problems);
    budget(root, spec, problems);
    priorities(root, spec, problems);
    if let Quorum::AtLeast(count) = spec.quorum
        && spec.personas.len() > 1
        && usize::try_from(count).is_ok_and(|count| count > spec.personas.len())
    {
        let message =
            format!("a quorum of {count} is more than the {} personas; it counts as all", spec.personas.len());
        problems.warning(Finding::new(Code::NoEffect, root.span_of("quorum"), message).field("quorum"));
    }
}

fn size(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    if spec.max_rounds > ROUNDS {
        let message =
            format!("{} rounds: after {ROUNDS}, debates mostly repeat themselves and cost more", spec.max_rounds);
        problems.warning(Finding::new(Code::ManyRounds, root.span_of("max_rounds"), message).field("max_rounds"));
    }
    if (PERSONAS + 1..=MOST).contains(&spec.personas.len()) {
        let key = if root.has("personas") { "personas" } else { "persona_count" };
        let span = root.get(key).map_or(root.span, |field| field.key_span);
        let message =
            format!("{} personas: with more than {PERSONAS}, each says less and all cost more", spec.personas.len());
        problems.warning(Finding::new(Code::ManyPersonas, span, message).field(key));
    }
}

fn models(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    let models: Vec<&str> = spec.personas.iter().map(|persona| persona.voice.model.as_str()).collect();
    let place = |name: &str| root.get(name).map_or_else(Span::default, |field| field.key_span);
    if let Some(judge) = &spec.judge
        && !judge.voice.model.is_external()
        && let model = judge.voice.model.as_str()
        && !model.is_empty()
        && models.contains(&model)
    {
        let span =
            root.section("judge").and_then(|judge| judge.get("model")).map_or(place("model"), |field| field.span);
        let message = format!("the judge's model `{model}` also debates; judges favour what sounds like themselves");
        let finding = Finding::new(Code::JudgeSharesModel, span, message).field("judge.model");
        problems.warning(finding.help("name a model of another family under `judge:`"));
    }
    if let [first, rest @ ..] = models.as_slice()
        && !rest.is_empty()
        && !first.is_empty()
        && rest.iter().all(|model| model == first)
    {
        let span = if root.has("model") { place("model") } else { place("personas") };
        let message = format!("all debaters speak with the one model `{first}`; they will share its blind spots");
        let finding = Finding::new(Code::SingleModel, span, message).field("personas");
        problems.warning(finding.help("give at least one persona a model of another family"));
    }
}

fn budget(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    let Some(section) = root.section("budget") else { return };
    let needed = decision_tokens(spec);
    if let Some(tokens) = spec.budget.tokens.filter(|tokens| *tokens < needed) {
        let message = format!(
            "a budget of {tokens} tokens cannot cover the decision alone, whose answers may take {needed}; no round will be held"
        );
        let finding = Finding::new(Code::SmallBudget, section.span_of("tokens"), message).field("budget.tokens");
        problems.warning(finding.help("raise the budget, or lower `max_tokens` of those who decide"));
    }
    if let Some(seconds) =
        spec.budget.seconds.filter(|seconds| seconds.saturating_mul(1_000) < spec.timeout_per_turn_ms)
    {
        let limit = crate::duration::write(spec.timeout_per_turn_ms);
        let message = format!("a budget of {seconds} seconds is shorter than the {limit} that one answer may take");
        let finding = Finding::new(Code::SmallBudget, section.span_of("seconds"), message).field("budget.seconds");
        problems.warning(finding.help("raise the budget, or lower `timeout_per_turn`"));
    }
}

/// The generated tokens that the decision may take, its prompts not counted.
fn decision_tokens(spec: &DebateSpec) -> u64 {
    let judge = spec.judge.as_ref().map(|judge| u64::from(judge.orders) * u64::from(judge.voice.max_tokens));
    judge.unwrap_or_else(|| spec.personas.iter().map(|persona| u64::from(persona.voice.max_tokens)).sum())
}

fn priorities(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    let sections = root.list("personas").unwrap_or_default();
    let mut given = sections.iter().filter(|section| section.has("priority")).peekable();
    if spec.turn_mode == TurnMode::PriorityOrder {
        if given.peek().is_none() {
            let message = "no persona has a `priority`, so this is the order of the file";
            let span = root.span_of("turn_mode");
            problems.warning(Finding::new(Code::NoEffect, span, message).field("turn_mode"));
        }
        return;
    }
    if root.get("turn_mode").is_some_and(|_| root.choice::<TurnMode>("turn_mode").is_none()) {
        return;
    }
    for section in given {
        let span = section.get("priority").map_or(section.span, |field| field.key_span);
        let message = "`priority` has no effect without `turn_mode: priority_order`";
        problems.warning(Finding::new(Code::NoEffect, span, message).field(section.path_of("priority")));
    }
}
