//! Budgets that are too small.
use crate::diagnostic::{Code, Problems, SpecFinding};
use crate::section::Section;
use agon_core::{DebateSpec, least_token_budget};

pub(super) fn check(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    let Some(section) = root.section("budget") else { return };
    let least = least_token_budget(spec);
    if let Some(tokens) = spec.budget.tokens.filter(|tokens| *tokens < least) {
        let message = format!(
            "a budget of {tokens} tokens leaves no room for a speech: with its prompt and the decision after it, it may \
             take {least}"
        );
        let finding = SpecFinding::new(Code::SmallBudget, section.span_of("tokens"), message).field("budget.tokens");
        problems.error(finding.help("raise the budget, or lower `max_tokens` of the personas and the deciding roles"));
    }
    if let Some(seconds) =
        spec.budget.seconds.filter(|seconds| seconds.saturating_mul(1_000) < spec.timeout_per_turn_ms)
    {
        let limit = crate::duration::write(spec.timeout_per_turn_ms);
        let message = format!("a budget of {seconds} seconds is shorter than the {limit} that one answer may take");
        let finding = SpecFinding::new(Code::SmallBudget, section.span_of("seconds"), message).field("budget.seconds");
        problems.warning(finding.help("raise the budget, or lower `timeout_per_turn`"));
    }
}
