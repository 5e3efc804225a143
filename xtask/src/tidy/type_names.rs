//! A type name is defined once in the workspace: a search for it finds one place, and it means one thing.

use std::collections::BTreeMap;

use super::finding::Finding;
use super::scan::SourceFile;

/// Names that may be defined more than once, and why.
const REPEATED: &[(&str, &str)] = &[
    ("Args", "what an actor starts with; the options of one command of `cargo xtask` and `agon-chaos`"),
    ("Cli", "the command line of a program"),
    ("Command", "the commands of a program"),
    ("Msg", "what an actor receives"),
    ("State", "what an actor, a listener or a server keeps"),
];

/// Where each type name is defined: `path:line`, by name.
#[derive(Debug, Default)]
pub struct TypeNames {
    places: BTreeMap<String, Vec<String>>,
}

impl TypeNames {
    /// Adds the types that the file `path` (relative, with `/`) defines. Type aliases count outside `impl` and `trait` only.
    pub fn add(&mut self, path: &str, text: &str) {
        for line in SourceFile::new(text).lines() {
            if let Some(name) = defined(line.code) {
                self.places.entry(name.to_owned()).or_default().push(format!("{path}:{}", line.number));
            }
        }
    }

    /// The names that are defined more than once without leave, and those that have leave and need none.
    pub fn check(&self) -> Vec<Finding> {
        let repeated = self.places.iter().filter(|(name, places)| places.len() > 1 && !may_repeat(name));
        let repeated = repeated.filter_map(|(name, places)| {
            let (first, others) = places.split_first()?;
            let what = format!("`{name}` is also defined in {}: a type name means one thing", others.join(", "));
            Some(Finding::fail(first, what))
        });
        let unused = REPEATED.iter().filter(|(name, _)| self.places.get(*name).is_none_or(|places| places.len() < 2));
        let unused = unused
            .map(|(name, _)| Finding::fail(file!(), format!("`{name}` is not repeated: remove it from the list")));
        repeated.chain(unused).collect()
    }
}

fn may_repeat(name: &str) -> bool {
    REPEATED.iter().any(|(repeated, _)| *repeated == name)
}

/// The name of the type whose definition begins on this line of code.
fn defined(code: &str) -> Option<&str> {
    let item = code.trim_start();
    let top = item.len() == code.len();
    let item = match item.strip_prefix("pub") {
        Some(rest) => rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(rest, |(_, rest)| rest),
        None => item,
    };
    let (keyword, rest) = item.trim_start().split_once(' ')?;
    let defines = matches!(keyword, "struct" | "enum" | "trait" | "union") || (keyword == "type" && top);
    let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (defines && name.starts_with(char::is_uppercase)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every listed name twice, so that none of them is reported as unused.
    fn workspace() -> TypeNames {
        let mut names = TypeNames::default();
        for (name, _) in REPEATED {
            names.add("a.rs", &format!("struct {name};\n"));
            names.add("b.rs", &format!("pub(crate) enum {name} {{}}\n"));
        }
        names
    }

    #[test]
    fn a_name_that_is_defined_twice_is_found_with_all_its_places() {
        let mut names = workspace();
        names.add("a.rs", "struct Once;\n\n/// A part.\npub struct Part<'a>(&'a str);\n");
        names.add("b.rs", "mod tests {\n    pub(super) trait Part {}\n}\ntype Part = u32;\n");
        let found = names.check();
        assert_eq!(found.iter().map(|finding| finding.place.as_str()).collect::<Vec<_>>(), ["a.rs:4"]);
        assert!(found[0].what.contains("`Part` is also defined in b.rs:2, b.rs:4"), "{}", found[0].what);
    }

    #[test]
    fn associated_types_comments_and_uses_are_no_definitions() {
        let mut names = workspace();
        let text =
            "impl Iterator for A {\n    type Item = u32;\n}\n// struct Item;\nuse x::Item;\nstatic A: Item = Item;\n";
        names.add("a.rs", text);
        names.add("b.rs", text);
        assert_eq!(names.check(), []);
    }

    #[test]
    fn leave_that_nobody_needs_is_found() {
        assert_eq!(TypeNames::default().check().len(), REPEATED.len());
    }
}
