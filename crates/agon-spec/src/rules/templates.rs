//! What texts with variables grow to.
use crate::diagnostic::{Code, Problems, SpecFinding};
use crate::keys::Shape;
use crate::section::{CheckedValue, Field, Section};
use crate::template::variables;
use agon_core::{DebateSpec, MAX_FILLED};

pub(super) fn check(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    let mut longest = Longest { topic: spec.topic.len(), ..Longest::default() };
    longest.look(root);
    longest.check(root, problems);
}

/// The longest values of variables, in bytes.
#[derive(Default)]
struct Longest {
    topic: usize,
    name: usize,
    stance: usize,
    language: usize,
}

impl Longest {
    fn look(&mut self, section: &Section) {
        each(section, &mut |field| {
            if let CheckedValue::Text(text) = &field.value {
                let longest = match field.key.name {
                    "name" => &mut self.name,
                    "stance" => &mut self.stance,
                    "language" => &mut self.language,
                    _ => return,
                };
                *longest = text.len().max(*longest);
            }
        });
    }

    fn check(&self, root: &Section, problems: &mut Problems<'_>) {
        each(root, &mut |field| {
            let (Shape::Template, CheckedValue::Text(text)) = (&field.key.shape, &field.value) else { return };
            let filled = variables(text).map(|name| self.of(name)).fold(text.len(), usize::saturating_add);
            if filled > MAX_FILLED {
                let path = &field.path;
                let message = format!(
                    "`{path}` grows to {filled} bytes once its variables are filled in; at most {MAX_FILLED} are allowed"
                );
                problems.error(SpecFinding::new(Code::TooComplex, field.span, message).field(path));
            }
        });
    }

    fn of(&self, variable: &str) -> usize {
        match variable {
            "topic" => self.topic,
            "name" => self.name,
            "stance" => self.stance,
            "language" => self.language,
            // numbers
            _ => 20,
        }
    }
}

fn each(section: &Section, visit: &mut impl FnMut(&Field)) {
    for field in &section.fields {
        visit(field);
        field.value.sections().iter().for_each(|inner| each(inner, visit));
    }
}
