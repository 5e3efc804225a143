//! Whether a gate was learned on a debate like this one.
use crate::diagnostic::{Code, Problems, SpecFinding, clean};
use crate::gate::{gate_models, gate_settings_hash};
use crate::section::Section;
use agon_core::DebateSpec;

pub(super) fn check(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    let Some(rule) = spec.gate.rule.as_ref().filter(|rule| rule.learned_on.is_some()) else { return };
    let found = rule.differences(&gate_settings_hash(spec), &gate_models(spec, |_| None));
    if found.is_empty() {
        return;
    }
    let span = root.get("gate").map_or(root.span, |field| field.key_span);
    let finding = SpecFinding::new(Code::OtherGate, span, clean(&found.join("; "))).field("gate.rule");
    if spec.gate.strict {
        problems.error(finding.help("learn the gate again, or leave `strict` out"));
    } else {
        problems.warning(finding.help("learn the gate again; `gate: {strict: true}` makes this an error"));
    }
}
