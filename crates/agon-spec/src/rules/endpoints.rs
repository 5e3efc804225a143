//! Participants that a process outside Agon plays.
use crate::diagnostic::{Code, Problems, SpecFinding};
use crate::section::Section;
use agon_core::ModelName;

pub(super) fn check(root: &Section, problems: &mut Problems<'_>) {
    reserved(root, problems);
    for section in root.list("personas").unwrap_or_default() {
        check_one(section, problems);
    }
    for role in ["moderator", "judge", "summarizer", "synthesizer"] {
        root.section(role).into_iter().for_each(|section| check_one(section, problems));
    }
}

fn check_one(section: &Section, problems: &mut Problems<'_>) {
    reserved(section, problems);
    if !section.has("endpoint") {
        return;
    }
    no_tools(section, problems);
    for key in ["model", "fallback_models"] {
        if section.has(key) {
            let message = format!("`endpoint` and `{key}` exclude each other: either a process answers or a model");
            let finding = SpecFinding::new(Code::Conflict, section.span_of(key), message).field(section.path_of(key));
            problems.error(finding.help("remove one of them"));
        }
    }
}

/// Tools are the hosts', and a process has its own.
fn no_tools(section: &Section, problems: &mut Problems<'_>) {
    if !section.lines("tools").is_empty() {
        let message = "`endpoint` and `tools` exclude each other: an external process uses its own tools";
        let finding =
            SpecFinding::new(Code::Conflict, section.span_of("tools"), message).field(section.path_of("tools"));
        problems.error(finding.help("remove one of them"));
    }
}

/// The name that stands for such participants in logs and queues may not be a model's.
fn reserved(section: &Section, problems: &mut Problems<'_>) {
    let fallback = section.lines("fallback_models").iter().find(|(model, _)| model == ModelName::EXTERNAL);
    let model = section.text("model").filter(|model| *model == ModelName::EXTERNAL).map(|_| section.span_of("model"));
    let panel = section.lines("panel_models").iter().find(|(model, _)| model == ModelName::EXTERNAL);
    let embeddings = section.text("embedding_model").filter(|model| *model == ModelName::EXTERNAL);
    let found = [
        ("model", model),
        ("fallback_models", fallback.map(|(_, span)| *span)),
        ("panel_models", panel.map(|(_, span)| *span)),
        ("embedding_model", embeddings.map(|_| section.span_of("embedding_model"))),
    ];
    let Some((key, span)) = found.into_iter().find_map(|(key, span)| Some((key, span?))) else { return };
    let finding =
        SpecFinding::new(Code::ReservedName, span, "no model is called `external`").field(section.path_of(key));
    problems.error(finding.help("write `endpoint: nats` for a participant that your own process plays"));
}
