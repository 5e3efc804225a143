//! Debate files that are small and unfold to very much. Their shape follows from a seed and a number.
use agon_testkit::SplitMix;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// A debate file.
pub struct BombFile {
    pub text: String,
    pub syntax: BombSyntax,
}

/// How a debate file is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BombSyntax {
    #[default]
    Yaml,
    Json,
    Markdown,
}

/// Files that grow in one way.
pub struct BombKind {
    /// What they are refused for.
    pub code: &'static str,
    fill: fn(&mut SplitMix) -> Filled,
}

/// What stands in a file.
enum Filled {
    Data(Value),
    Yaml(String),
}

pub const KINDS: [BombKind; 3] = [
    BombKind { code: "bad-expression", fill: expression },
    BombKind { code: "bad-schema", fill: schema },
    BombKind { code: "too-complex", fill: alias },
];

/// More steps, nodes and bytes than are allowed.
const STEPS: usize = 400_000;
const SCHEMA_NODES: usize = 5_000;
const FILE_NODES: usize = 20_000;
const BYTES: usize = 4 * 1024 * 1024;

impl BombKind {
    /// The file with this number.
    pub fn file(&self, seed: u64, number: usize) -> BombFile {
        let mut dice = SplitMix::new(seed, self.code, number as u64);
        let (text, syntax) = match (self.fill)(&mut dice) {
            Filled::Yaml(text) => (text, dice.pick(&[BombSyntax::Yaml, BombSyntax::Markdown])),
            Filled::Data(data) => written(&mut dice, &data),
        };
        let text = if syntax == BombSyntax::Markdown { format!("---\n{text}---\n\nTea, of course.\n") } else { text };
        BombFile { text, syntax }
    }
}

/// The same data in one of the ways in which files are written.
fn written(dice: &mut SplitMix, data: &Value) -> (String, BombSyntax) {
    let syntax = dice.pick(&[BombSyntax::Yaml, BombSyntax::Json, BombSyntax::Markdown]);
    let keys = data.as_object().unwrap().iter().map(|(key, value)| format!("{key}: {value}\n"));
    (if syntax == BombSyntax::Json { data.to_string() } else { keys.collect() }, syntax)
}

/// The least number that is over `limit` when it is multiplied by itself `times` times.
fn least(limit: usize, times: usize) -> usize {
    (2..).find(|number: &usize| number.saturating_pow(u32::try_from(times).unwrap()) > limit).unwrap()
}

fn expression(dice: &mut SplitMix) -> Filled {
    let (text, labels, length) = match dice.below(8) {
        0 => texts(dice),
        1 => doubled_lists(dice),
        2 => nested_lists(dice),
        _ => loops(dice),
    };
    let labels: Map<String, Value> = (0..labels).map(|n| (format!("l{n}"), "x".repeat(length).into())).collect();
    Filled::Data(json!({"topic": "Tea?", "model": "m", "labels": labels, "terminate_when": text}))
}

/// Loops over labels, one inside the other.
fn loops(dice: &mut SplitMix) -> (String, usize, usize) {
    let depth = dice.within(2, 8);
    let fewest = least(STEPS, depth);
    let labels = dice.within(fewest, fewest * 2);
    let opened: String = (0..depth)
        .map(|n| format!("labels.{}(v{n}, ", dice.pick(&["all", "exists", "exists_one", "map", "filter"])))
        .collect();
    let inner = if depth < 8 {
        dice.pick(&["size(v0) > 3", "labels[v1] == 'x'", "v0.startsWith(v1)", "v0 in [v1, 'x']", "!(v0 < v1)"])
    } else {
        dice.pick(&["v0 == 'y'", "v0 != v7", "v3 in labels", "true", "v6 < v2"])
    };
    let before = dice.pick(&["", "round > 1 && ", "agreement < 0.5 || ", "!"]);
    (format!("{before}{opened}{inner}{}", ")".repeat(depth)), labels, dice.within(1, 40))
}

/// Long texts, put together in two loops.
fn texts(dice: &mut SplitMix) -> (String, usize, usize) {
    let (one, two) = (dice.pick(&["all", "exists"]), dice.pick(&["all", "exists_one", "filter"]));
    let text = format!("labels.{one}(a, labels.{two}(b, labels[a] + labels[b] == 'x'))");
    (text, dice.within(80, 200), dice.within(1_000, 2_000))
}

/// A list that is added to itself, and what comes of it again.
fn doubled_lists(dice: &mut SplitMix) -> (String, usize, usize) {
    let grown = (0..2).fold("labels.map(k, k)".to_owned(), |inner, n| {
        let sum = vec![format!("x{n}"); dice.within(25, 35)].join(" + ");
        format!("[{inner}].map(x{n}, {sum})[0]")
    });
    (format!("{grown} == {}", dice.pick(&["[]", "[1]"])), dice.within(100, 300), dice.within(1, 40))
}

/// A list of lists of lists, each element of which is looked at.
fn nested_lists(dice: &mut SplitMix) -> (String, usize, usize) {
    let depth = dice.within(2, 4);
    let opened: String = (0..depth).map(|n| format!("labels.map(m{n}, ")).collect();
    let inner = dice.pick(&["m0", "labels", "[m1, m0]"]);
    let list = format!("{opened}{inner}{}", ")".repeat(depth));
    let fewest = least(STEPS, depth);
    (format!("{list}.all(x, x.exists(y, y == 'q'))"), dice.within(fewest, fewest * 2), dice.within(1, 40))
}

fn schema(dice: &mut SplitMix) -> Filled {
    let (root, definitions) = match dice.below(8) {
        0 => chain(dice),
        1 => cycle(dice),
        2 => patterns(dice),
        3 => values(dice),
        _ => doubled(dice),
    };
    let mut schema = json!({"$ref": reference(root), "$defs": definitions});
    if dice.once_in(2) {
        schema = json!({"type": "object", "properties": {"n": {"$ref": reference(root)}}, "$defs": definitions});
    }
    Filled::Data(json!({"topic": "Tea?", "model": "m", "synthesizer": {"output_schema": schema}}))
}

fn reference(to: usize) -> String {
    format!("#/$defs/d{to}")
}

/// A definition for each number below `count`; those that refer to the next one are made by `link`.
fn definitions(count: usize, last: Value, mut link: impl FnMut(Value) -> Value) -> Map<String, Value> {
    let linked = (0..count).map(|n| (format!("d{n}"), link(json!({"$ref": reference(n + 1)}))));
    linked.chain([(format!("d{count}"), last)]).collect()
}

/// A schema that stands for another one, once.
fn single(dice: &mut SplitMix, next: Value) -> Value {
    match dice.pick(&["", "items", "not", "contains", "additionalProperties", "propertyNames"]) {
        "" => next,
        keyword => json!({keyword: next}),
    }
}

/// References that double at each level, or more.
fn doubled(dice: &mut SplitMix) -> (usize, Map<String, Value>) {
    let levels = dice.within(13, 40);
    let several = |next: Value| {
        let uses = vec![next.clone(); dice.within(2, 5)];
        match dice.pick(&["allOf", "anyOf", "oneOf", "prefixItems", "properties", "items", "if"]) {
            "properties" => json!({"properties": {"a": next, "b": next}, "required": ["a"]}),
            "items" => json!({"items": next, "not": next}),
            "if" => json!({"if": next, "then": next, "else": next}),
            keyword => json!({keyword: uses}),
        }
    };
    (0, definitions(levels, json!({"type": "string"}), several))
}

/// A long chain of references.
fn chain(dice: &mut SplitMix) -> (usize, Map<String, Value>) {
    let links = dice.within(70, 400);
    (0, definitions(links, json!(true), |next| single(dice, next)))
}

/// References that come back to where they began.
fn cycle(dice: &mut SplitMix) -> (usize, Map<String, Value>) {
    let links = dice.within(0, 20);
    let back = json!({"$ref": reference(dice.within(0, links))});
    let last = single(dice, back);
    (0, definitions(links, last, |next| single(dice, next)))
}

/// A pattern that is used often.
fn patterns(dice: &mut SplitMix) -> (usize, Map<String, Value>) {
    let pattern = dice.pick(&["^(a+)+$", "[a-z]{1,60}", "(x|y|z)*", "\\d+(,\\d+)*"]);
    let uses = vec![json!({"$ref": reference(1)}); dice.within(110, 400)];
    let many = json!({dice.pick(&["anyOf", "allOf", "oneOf"]): uses});
    (0, [("d0".to_owned(), many), ("d1".to_owned(), json!({"pattern": pattern}))].into_iter().collect())
}

/// A list of values that is used often.
fn values(dice: &mut SplitMix) -> (usize, Map<String, Value>) {
    let values: Vec<usize> = (0..dice.within(300, 900)).collect();
    let uses = vec![json!({"$ref": reference(1)}); SCHEMA_NODES / values.len() + dice.within(1, 30)];
    let many = json!({"oneOf": uses});
    (0, [("d0".to_owned(), many), ("d1".to_owned(), json!({"enum": values}))].into_iter().collect())
}

fn alias(dice: &mut SplitMix) -> Filled {
    let text = match dice.below(4) {
        0 => one_text(dice),
        1 => variables(dice),
        _ => lists(dice),
    };
    Filled::Yaml(text)
}

/// A text that is used again and again: short and very often, or long.
fn one_text(dice: &mut SplitMix) -> String {
    let length = dice.within(300, 500) << dice.below(11);
    let uses = BYTES / length + dice.within(2, 50);
    let head = format!("topic: &a {}\nmodel: m\nlabels:", "x".repeat(length));
    match dice.below(3) {
        0 => format!("{head} [{}]\n", vec!["*a"; uses].join(", ")),
        1 => format!("{head} {{{}}}\n", (0..uses).map(|n| format!("l{n}: *a, ")).collect::<String>()),
        _ => format!("{head}\n{}", (0..uses).map(|n| format!("  l{n}: *a\n")).collect::<String>()),
    }
}

/// Lists and mappings of the level before, several times.
fn lists(dice: &mut SplitMix) -> String {
    let width = dice.within(2, 9);
    let levels = (1..).find(|levels| width.pow(*levels) > FILE_NODES).unwrap() as usize + dice.below(10);
    let mut text = format!("topic: Tea?\nmodel: m\nlabels:\n  a0: &a0 {}\n", "x".repeat(dice.within(1, 200)));
    for n in 1..=levels {
        let before = n - 1;
        let items: Vec<String> = (0..width)
            .map(|at| if n % 2 == 0 { format!("k{at}: *a{before}") } else { format!("*a{before}") })
            .collect();
        let items = items.join(", ");
        let _ = if n % 2 == 0 {
            writeln!(text, "  a{n}: &a{n} {{{items}}}")
        } else {
            writeln!(text, "  a{n}: &a{n} [{items}]")
        };
    }
    text
}

/// Variables that are too many, or that stand for long texts.
fn variables(dice: &mut SplitMix) -> String {
    let (count, topic) = if dice.once_in(2) { (dice.within(101, 5_000), 5) } else { (dice.within(60, 99), 20_000) };
    let topic = "x".repeat(topic + dice.below(topic));
    let key = dice.pick(&["instructions", "system_prompt"]);
    let text = format!("\"{}\"", "{{topic}}".repeat(count));
    match key {
        "instructions" => format!("topic: {topic}\nmodel: m\ninstructions: {text}\n"),
        _ => {
            let persona = |name| format!("  - {{name: {name}, stance: {name}, system_prompt: {text}}}\n");
            format!("topic: {topic}\nmodel: m\npersonas:\n{}{}", persona("ada"), persona("bob"))
        }
    }
}
