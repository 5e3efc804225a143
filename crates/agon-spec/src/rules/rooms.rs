//! Whether prompts find room beside their answers.
use crate::diagnostic::{Code, Problems, SpecFinding};
use crate::section::Section;
use agon_core::{DebateSpec, Outgrown, Voice};

pub(super) fn check(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    let sections = root.list("personas").unwrap_or_default();
    for (section, persona) in sections.iter().zip(&spec.personas) {
        check_one(section, &persona.voice, problems);
        check_growth(section, &persona.voice, spec, problems);
    }
    let roles = [
        ("moderator", spec.moderator.as_ref().map(|role| &role.voice)),
        ("judge", spec.judge.as_ref().map(|role| &role.voice)),
        ("summarizer", spec.summarizer.as_ref().map(|role| &role.voice)),
        ("synthesizer", spec.synthesizer.as_ref().map(|role| &role.voice)),
    ];
    for (name, voice) in roles {
        if let (Some(section), Some(voice)) = (root.section(name), voice) {
            check_one(section, voice, problems);
        }
    }
}

fn check_one(section: &Section, voice: &Voice, problems: &mut Problems<'_>) {
    let Some(room) = voice.num_ctx.filter(|room| *room <= voice.max_tokens) else { return };
    let message = format!("`num_ctx` is {room} and the answer alone may take {}, so no prompt fits", voice.max_tokens);
    let path = section.path_of("num_ctx");
    let finding = SpecFinding::new(Code::Conflict, section.span_of("num_ctx"), message).field(path);
    problems.error(finding.help("raise `num_ctx`, or lower `max_tokens`"));
}

/// Prompts that fit at first may outgrow the room while the debate goes on.
fn check_growth(section: &Section, voice: &Voice, spec: &DebateSpec, problems: &mut Problems<'_>) {
    let room = voice.num_ctx.filter(|room| *room > voice.max_tokens);
    let Some(outgrown) = room.and_then(|room| spec.outgrows(u64::from(room))) else { return };
    let finding =
        SpecFinding::new(Code::Conflict, section.span_of("num_ctx"), format!("the debate may not fit: {outgrown}"));
    problems.warning(finding.field(section.path_of("num_ctx")).help(Outgrown::REMEDY));
}
