//! Template variables in `instructions` and `system_prompt`.
use crate::diagnostic::{Code, Problems, SpecFinding, quote};
use crate::limits::Limits;
use crate::place::Span;
use crate::suggest::nearest;

/// The variables that `instructions` and `system_prompt` may hold, written `{{name}}`, and what they stand for.
pub const TEMPLATE_VARIABLES: &[(&str, &str)] = &[
    ("topic", "the topic"),
    ("round", "the number of the round, 0 before the first, `max_rounds` after the last"),
    ("max_rounds", "the maximum number of rounds"),
    ("name", "the name of the participant"),
    ("stance", "the stance of the participant, empty if it has none"),
    ("language", "the language of the participant, empty if none is set"),
];

/// The names between `{{` and `}}` in `text`.
pub(crate) fn variables(text: &str) -> impl Iterator<Item = &str> {
    text.split("{{").skip(1).filter_map(|after| after.split_once("}}")).map(|(inside, _)| inside.trim())
}

/// Reports variables that do not exist, and braces that are not closed.
pub(crate) fn check(text: &str, span: Span, path: &str, problems: &mut Problems<'_>) {
    let most = usize::try_from(problems.limits.variables).unwrap_or(usize::MAX);
    let found = text.matches("{{").count();
    if found > most {
        let message = format!("`{path}` holds {found} variables; at most {most} are allowed");
        let raised = Limits::raised("variables", Limits::MOST.variables);
        problems.error(SpecFinding::new(Code::TooComplex, span, message).field(path).help(raised));
        return;
    }
    let mut rest = text;
    let mut seen: Vec<&str> = Vec::new();
    while let Some((_, after)) = rest.split_once("{{") {
        let Some((inside, next)) = after.split_once("}}") else {
            let place = problems.locate("{{", span);
            let message = format!("`{path}` opens a variable with {{{{ but does not close it with }}}}");
            problems.error(SpecFinding::new(Code::BadText, place, message).field(path));
            return;
        };
        rest = next;
        let name = inside.trim();
        if seen.contains(&inside) || TEMPLATE_VARIABLES.iter().any(|(known, _)| *known == name) {
            continue;
        }
        seen.push(inside);
        let place = problems.locate(&format!("{{{{{inside}}}}}"), span);
        problems.error(unknown(name, path, place));
    }
}

fn unknown(name: &str, path: &str, place: Span) -> SpecFinding {
    let names = TEMPLATE_VARIABLES.iter().map(|(name, _)| *name);
    let hint = nearest(name, names.clone()).map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
    let message = format!("`{path}` has no variable {}{hint}", quote(name));
    let allowed = names.collect::<Vec<_>>().join(", ");
    SpecFinding::new(Code::UnknownVariable, place, message).field(path).help(format!("variables: {allowed}"))
}
