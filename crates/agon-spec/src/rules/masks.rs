//! Names of personas outside the list of personas.
use crate::diagnostic::{Code, Problems, SpecFinding, quote};
use crate::place::Span;
use crate::section::Section;
use crate::suggest::nearest;
use agon_core::TurnKind;

pub(super) fn check(root: &Section, problems: &mut Problems<'_>) {
    let Some(sections) = root.list("personas") else { return };
    let names: Vec<&str> = sections.iter().filter_map(|section| section.text("name")).collect();
    let kinds = TurnKind::ALL.map(TurnKind::as_str);
    if let Some(hub) = root.text("hub").filter(|hub| !names.contains(hub)) {
        problems.error(unknown(hub, "hub", root.span_of("hub"), &names, &[]));
    }
    for section in sections {
        let own = section.text("name");
        for (key, kinds) in [("sees", kinds.as_slice()), ("hidden_from", &[])] {
            for (name, span) in section.lines(key) {
                let path = section.path_of(key);
                if own == Some(name.as_str()) {
                    let message = format!("{} names itself in `{key}`: every persona sees its own turns", quote(name));
                    problems.error(SpecFinding::new(Code::UnknownName, *span, message).field(path));
                } else if !names.contains(&name.as_str()) && !kinds.contains(&name.as_str()) {
                    problems.error(unknown(name, &path, *span, &names, kinds));
                }
            }
        }
    }
}

fn unknown(name: &str, path: &str, span: Span, names: &[&str], kinds: &[&str]) -> SpecFinding {
    let known = names.iter().chain(kinds).copied();
    let hint = nearest(name, known).map_or_else(String::new, |name| format!("; did you mean {}?", quote(name)));
    let what = if kinds.is_empty() { "is not a persona" } else { "is neither a persona nor a kind of turn" };
    let message = format!("{} in `{path}` {what}{hint}", quote(name));
    let mut help = format!("personas: {}", names.join(", "));
    if !kinds.is_empty() {
        help.push_str(&format!("; kinds of turns: {}", kinds.join(", ")));
    }
    SpecFinding::new(Code::UnknownName, span, message).field(path).help(crate::diagnostic::clean(&help))
}
