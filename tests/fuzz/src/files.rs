//! Debate files: mutated examples, and aliases that grow.
use crate::dice::{SplitMix, mutate};
use agon_spec::{Defaults, Source, Syntax, normalize, parse};
use std::fmt::Write;

const EXAMPLES: [&str; 5] = [
    include_str!("../../../examples/deliberate-with-memory.yaml"),
    include_str!("../../../examples/how-many-nines.json"),
    include_str!("../../../examples/decision-as-json.md"),
    include_str!("../../../examples/where-to-build-the-plant.yaml"),
    include_str!("../../../crates/agon-spec/tests/rich.yaml"),
];

pub fn make(dice: &mut SplitMix) -> Vec<u8> {
    let (one, other) = (dice.pick(&EXAMPLES), dice.pick(&EXAMPLES));
    let mut text = if dice.once_in(3) { crossed(dice, one, other) } else { one.to_owned() };
    if dice.once_in(50) {
        text.push_str(&dice.pick(&["{{a", "[", "> ", "- ", "a: ", "#", "*_"]).repeat(dice.below(200_000)));
    }
    mutate(dice, text.into_bytes())
}

/// Lines of one file within another.
fn crossed(dice: &mut SplitMix, one: &str, other: &str) -> String {
    let (from, count) = (dice.below(other.lines().count()), dice.size(40));
    let at = dice.below(one.lines().count());
    let before = one.lines().take(at);
    before
        .chain(other.lines().skip(from).take(count))
        .chain(one.lines().skip(at))
        .map(|line| format!("{line}\n"))
        .collect()
}

pub fn make_aliases(dice: &mut SplitMix) -> Vec<u8> {
    let mut text = String::from("topic: &t Tea or coffee?\nmodel: m\nlabels:\n");
    let long = dice.size(900_000);
    let _ = writeln!(text, "  first: &a0 {}", "x".repeat(long));
    for n in 1..=dice.size(30) {
        let of = dice.below(n);
        let uses = format!("*a{of}, ").repeat(1 + dice.size(200));
        let _ = match dice.below(3) {
            0 => writeln!(text, "  k{n}: &a{n} [{uses}]"),
            1 => writeln!(text, "  k{n}: &a{n} {{k: *a{of}, l: [{uses}]}}"),
            _ => writeln!(text, "  k{n}: &a{n} *a{of}"),
        };
    }
    let variables = dice.pick(&["{{topic}}", "{{stance}}", "{{name}}"]).repeat(dice.size(5_000));
    let _ = writeln!(text, "instructions: \"x{variables}\"");
    for n in 0..dice.size(4_000) {
        let _ = writeln!(text, "  m{n}: *a0");
    }
    if dice.once_in(2) { text.into_bytes() } else { mutate(dice, text.into_bytes()) }
}

pub fn run(input: &[u8]) {
    for syntax in [Syntax::Yaml, Syntax::Json, Syntax::Markdown] {
        let source = Source::new("input", input).with_syntax(syntax);
        let parsed = parse(&source, &Defaults::default());
        assert_eq!(parsed.spec.is_none(), parsed.has_errors(), "a spec or an error");
        let said = agon_spec::render(&parsed.diagnostics);
        assert!(said.len() < 4 * 1024 * 1024, "the diagnostics have {} bytes", said.len());
        if let Some(spec) = parsed.spec {
            let again = parse(&Source::new("again.yaml", normalize(&spec)), &Defaults::default());
            assert_eq!(again.spec.as_ref(), Some(&spec), "{}", agon_spec::render(&again.diagnostics));
        }
    }
}
