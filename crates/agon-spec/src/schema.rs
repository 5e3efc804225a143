//! The JSON Schema of the debate file, made from the table of keys.
use crate::keys::{Choice, DEBATE, Key, KeyTable, Shape, names};
use serde_json::{Map, Value, json};

/// One line with something in it; blanks at its ends do not count.
const LINE: &str = r"^\s*[^\x00-\x1f\x7f-\x9f]*[^\x00-\x1f\x7f-\x9f\s][^\x00-\x1f\x7f-\x9f]*\s*$";

/// A number, or a share of 100 % at most.
const TOLERANCE: &str = r"^\s*([0-9]+(\.[0-9]+)?|(100|[0-9]{1,2}(\.[0-9]+)?)\s*%)\s*$";

const NAME: &str = r"^\s*[a-z0-9_-]{1,32}\s*$";

/// The schema (draft 2020-12) of a debate file in YAML or JSON.
///
/// It accepts the shapes that [`crate::parse`] accepts. What holds between values (unique names, stances, models)
/// and inside texts (expressions, variables) is beyond it. In Markdown the topic may stand in the body.
pub fn schema() -> Value {
    of_file(&DEBATE, "Agon debate file")
}

/// The schema of a file with these keys.
pub(crate) fn of_file(first: &KeyTable, title: &str) -> Value {
    let mut whole = table(first);
    let head = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title});
    if let (Value::Object(head), Value::Object(body)) = (head, &mut whole) {
        let body = std::mem::replace(body, head);
        if let Value::Object(whole) = &mut whole {
            whole.extend(body);
        }
    }
    whole
}

fn table(table: &KeyTable) -> Value {
    let mut properties = Map::new();
    for key in table.keys {
        for name in std::iter::once(&key.name).chain(key.aliases) {
            properties.insert((*name).to_owned(), property(key));
        }
    }
    let required: Vec<_> = table.keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if let Value::Object(schema) = &mut schema {
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        let pairs = exclusive(table);
        if !pairs.is_empty() {
            let never = |pair: &[&str; 2]| json!({"not": {"required": pair}});
            schema.insert("allOf".to_owned(), pairs.iter().map(never).collect());
        }
    }
    schema
}

/// Pairs of names that say the same thing.
fn exclusive(table: &KeyTable) -> Vec<[&'static str; 2]> {
    let aliases = table.keys.iter().flat_map(|key| key.aliases.iter().map(|alias| [key.name, *alias]));
    let others = table.keys.iter().filter_map(|key| Some([key.instead_of?, key.name]));
    aliases.chain(others).collect()
}

fn property(key: &Key) -> Value {
    let mut value = shape(&key.shape);
    if let Value::Object(value) = &mut value {
        value.insert("description".to_owned(), key.meaning.into());
        if !key.default.is_empty() {
            value.insert("x-default".to_owned(), key.default.into());
        }
    }
    value
}

fn shape(of: &Shape) -> Value {
    match of {
        Shape::Text | Shape::Template | Shape::Expression => json!({"type": "string", "pattern": r"\S"}),
        Shape::Line => json!({"type": "string", "pattern": LINE, "maxLength": 200}),
        Shape::Flag => json!({"type": "boolean"}),
        Shape::Integer { min, max } => integer(*min, *max),
        Shape::Number { min, max } => json!({"type": "number", "minimum": min, "maximum": max}),
        Shape::Duration => json!({"anyOf": [
            {"type": "number", "minimum": 0.001, "maximum": crate::duration::MAX_MILLIS / 1_000.0},
            {"type": "string", "pattern": crate::duration::PATTERN},
        ]}),
        Shape::Tolerance => {
            json!({"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": TOLERANCE}]})
        }
        Shape::Choice(choices) => choice(choices),
        Shape::Choices { of, min } => {
            let of = choice(of);
            one_or(of.clone(), json!({"type": "array", "items": of, "minItems": min, "uniqueItems": true}))
        }
        Shape::Lines => {
            let line = shape(&Shape::Line);
            one_or(line.clone(), json!({"type": "array", "items": line, "uniqueItems": true}))
        }
        Shape::Program => {
            let (most, one) = (Shape::MOST_PROGRAM_WORDS, json!({"type": "string", "pattern": r"^\s*\S+\s*$"}));
            one_or(one, json!({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": most}))
        }
        Shape::Names { max, .. } => {
            let name = json!({"type": "string", "pattern": NAME});
            let mut list = json!({"type": "array", "items": name, "uniqueItems": true});
            if let (Value::Object(list), true) = (&mut list, *max < usize::MAX) {
                list.insert("maxItems".to_owned(), json!(max));
            }
            one_or(name, list)
        }
        // Whether it is a valid one, the parser says.
        Shape::Schema | Shape::GateRule | Shape::Keys => json!({"type": "object"}),
        Shape::Labels => json!({"type": "object", "additionalProperties": shape(&Shape::Text)}),
        Shape::List { of, min, max } => {
            let of = table(of);
            one_or(of.clone(), json!({"type": "array", "items": of, "minItems": min, "maxItems": max}))
        }
        Shape::Map(of) => table(of),
        Shape::Switch(of) => json!({"anyOf": [{"type": "boolean"}, table(of)]}),
        Shape::Short(choices, of) => json!({"anyOf": [choice(choices), table(of)]}),
        Shape::Either(shapes) => json!({"anyOf": shapes.iter().map(shape).collect::<Vec<_>>()}),
    }
}

/// A list, or its only item.
fn one_or(item: Value, list: Value) -> Value {
    json!({"anyOf": [list, item]})
}

fn choice(choices: &[Choice]) -> Value {
    json!({"enum": names(choices)})
}

fn integer(min: i128, max: i128) -> Value {
    json!({"type": "integer", "minimum": crate::tree::integer(min), "maximum": crate::tree::integer(max)})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Code, Problems, Severity};
    use crate::source::{Syntax, Text, decode, detect};
    use crate::tree::FileNode;
    use crate::{Defaults, Diagnostic, Source, parse};
    use std::path::Path;

    /// The plain data of a YAML or JSON file, where it can be read at all.
    fn data(source: &Source) -> Option<Value> {
        let text: Text = decode(source, &mut Problems::new(""))?;
        match detect(source, &text) {
            Syntax::Json => crate::json::parse(&text, u64::MAX).ok().as_ref().map(FileNode::plain),
            Syntax::Yaml => crate::yaml::parse(&text.all, 0, u64::MAX).ok()?.as_ref().map(FileNode::plain),
            Syntax::Markdown | Syntax::Auto => None,
        }
    }

    fn files(folder: &str) -> Vec<Source> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
        paths.map(|path| Source::new(path.to_str().unwrap(), std::fs::read(&path).unwrap())).collect()
    }

    /// Whether the schema must see this problem too; none where it may or may not.
    fn is_of_shape(found: &Diagnostic) -> Option<bool> {
        match found.code {
            Code::UnknownKey | Code::UnknownValue | Code::WrongType | Code::OutOfRange | Code::Empty => Some(true),
            Code::DuplicateItem | Code::SchemaWithoutSynthesizer => Some(true),
            Code::MissingKey => Some(!found.field.ends_with("stance")),
            Code::BadText => {
                let named = ["name", "tools", "feeds", "verifiers"];
                Some(named.iter().any(|end| found.field.ends_with(end)))
            }
            Code::Conflict | Code::DuplicateKey => None,
            _ => Some(false),
        }
    }

    #[test]
    fn the_schema_refuses_exactly_the_malformed_files_whose_shape_is_wrong() {
        let validator = jsonschema::validator_for(&schema()).unwrap();
        let (mut refused, mut taken) = (0, 0);
        for source in files("tests/bad") {
            let Some(data) = data(&source) else { continue };
            let errors = parse(&source, &Defaults::default()).diagnostics;
            let errors = errors.iter().filter(|found| found.severity == Severity::Error);
            let verdicts: Vec<_> = errors.map(is_of_shape).collect();
            let expected = if verdicts.contains(&Some(true)) {
                false
            } else if verdicts.contains(&None) {
                continue;
            } else {
                true
            };
            assert_eq!(validator.is_valid(&data), expected, "{}", source.name);
            *if expected { &mut taken } else { &mut refused } += 1;
        }
        assert!(refused > 20 && taken > 10, "{refused} refused, {taken} taken");
    }

    #[test]
    fn the_schema_takes_every_valid_file_and_its_normal_form() {
        let validator = jsonschema::validator_for(&schema()).unwrap();
        let folders = ["tests/unwise", "../../examples", "../../examples/formats"];
        for source in folders.into_iter().flat_map(files) {
            if source.name.ends_with("README.md") || source.name.ends_with(".toml") {
                continue;
            }
            let spec = parse(&source, &Defaults::default()).spec.unwrap();
            let forms = data(&source).into_iter().chain([crate::normalize_json(&spec)]);
            for data in forms {
                let found: Vec<_> = validator.iter_errors(&data).map(|error| error.to_string()).collect();
                assert!(found.is_empty(), "{}: {found:?}", source.name);
            }
        }
    }

    #[test]
    fn a_single_value_is_a_list_of_one_for_the_parser_and_the_schema() {
        let validator = jsonschema::validator_for(&schema()).unwrap();
        let debate = "topic: t\nmodel: m\nmemory: persona_masking\npersonas: [{name: a, stance: x, tools: <t>, fallback_models: <\"m:1b\">, sees: <b>}, \
                      {name: b, stance: y, hidden_from: <a>}]\nend_condition: <consensus_reached>\noutputs: <html>\nfeeds: <news>\n\
                      verifiers: <smt>\njudge: {model: j, panel: 2, panel_models: <k>}\nmoderator: {type: judge, tools: <t>}\n";
        let poll = "topic: t\nmodel: m\ndebate_format: poll\nsamples: 3\npersonas: <{name: a}>\n";
        for file in [debate, poll] {
            let [list, single] =
                [["[", "]"], ["", ""]].map(|[open, close]| file.replace('<', open).replace('>', close));
            let [list, single] = [list, single].map(|text| Source::new("a.yaml", text));
            let [of_list, of_one] = [&list, &single].map(|source| parse(source, &Defaults::default()));
            assert!(of_list.spec.is_some(), "{:?}", of_list.diagnostics);
            assert_eq!(of_one.spec, of_list.spec, "{:?}", of_one.diagnostics);
            assert!([list, single].iter().all(|source| validator.is_valid(&data(source).unwrap())));
        }
    }

    #[test]
    fn the_schema_is_a_valid_schema() {
        assert!(jsonschema::meta::is_valid(&schema()));
    }
}
