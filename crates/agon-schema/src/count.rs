//! What a schema unfolds to.
use crate::{SchemaError, SchemaRefusal};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The most nodes of a schema where nothing else is said: schemas, keywords, and values of `enum` and the like, each as often as it is
/// referred to.
pub const MAX_NODES: u64 = 5_000;
/// The most nodes that any schema may be allowed.
pub const MOST_NODES: u64 = 20_000;
/// The deepest nesting, references included.
pub const MAX_DEPTH: usize = 64;
/// The longest pattern.
pub const MAX_PATTERN_CHARS: usize = 500;
/// How many nodes a pattern counts for: it takes as much memory when it is compiled.
pub const NODES_PER_PATTERN: u64 = 50;

/// Keywords that hold data and no schemas.
const DATA: [&str; 4] = ["const", "enum", "default", "examples"];
/// Keywords that hold schemas by name. Those of definitions cost nothing until something refers to them.
const NAMED: [&str; 4] = ["properties", "patternProperties", "dependentSchemas", "dependencies"];
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];
/// Keywords that give a place another name, so that a reference may lead elsewhere than it says.
const RENAMING: [&str; 6] =
    ["$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef", "$vocabulary"];
/// Keywords that only the root may have, because they begin another document.
const OF_ROOT: [&str; 2] = ["$id", "$schema"];

/// The nodes of a schema, or why there are too many.
pub(crate) fn nodes(schema: &Value, most: u64) -> Result<u64, SchemaError> {
    let old = schema.get("$schema").and_then(Value::as_str).is_some_and(|draft| draft.contains("draft-04"));
    let mut count = NodeCounter { root: schema, most, known: BTreeMap::new(), path: Vec::new() };
    count.one_document(schema, old)?;
    count.schema(schema, 1).map(|weight| weight.nodes)
}

/// A schema, unfolded.
#[derive(Clone, Copy)]
struct SchemaWeight {
    nodes: u64,
    /// How deep it nests.
    height: usize,
}

struct NodeCounter<'a> {
    root: &'a Value,
    /// The most nodes.
    most: u64,
    /// What references lead to; nothing while that is being counted.
    known: BTreeMap<&'a str, Option<SchemaWeight>>,
    /// Where the count is.
    path: Vec<String>,
}

impl<'a> NodeCounter<'a> {
    fn refuse<T>(&self, why: SchemaRefusal) -> Result<T, SchemaError> {
        let step = |name: &String| format!("/{}", name.replace('~', "~0").replace('/', "~1"));
        Err(SchemaError { at: self.path.iter().map(step).collect(), why })
    }

    /// Refuses what renames a place, wherever it stands: references may lead into anything.
    fn one_document(&mut self, value: &'a Value, old: bool) -> Result<(), SchemaError> {
        if self.path.len() > MAX_DEPTH {
            return self.refuse(SchemaRefusal::TooDeep);
        }
        match value {
            Value::Object(fields) => fields.iter().try_for_each(|(name, inner)| {
                let begins = OF_ROOT.contains(&name.as_str()) || (old && name == "id");
                let renames = RENAMING.contains(&name.as_str()) || (begins && !self.path.is_empty());
                if renames && !inner.is_object() {
                    return self.refuse(SchemaRefusal::Keyword(name.clone()));
                }
                self.path.push(name.clone());
                self.one_document(inner, old)?;
                self.path.pop();
                Ok(())
            }),
            Value::Array(items) => items.iter().enumerate().try_for_each(|(at, inner)| {
                self.path.push(at.to_string());
                self.one_document(inner, old)?;
                self.path.pop();
                Ok(())
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        }
    }

    /// Counts `inner`, which stands at `name`, into `sum`.
    fn inside(
        &mut self,
        name: &str,
        sum: &mut SchemaWeight,
        inner: &'a Value,
        depth: usize,
    ) -> Result<(), SchemaError> {
        self.path.push(name.to_owned());
        let weight = self.schema(inner, depth + 1)?;
        self.add(sum, weight, depth)?;
        self.path.pop();
        Ok(())
    }

    fn add(&self, sum: &mut SchemaWeight, inner: SchemaWeight, depth: usize) -> Result<(), SchemaError> {
        sum.nodes = sum.nodes.saturating_add(inner.nodes);
        sum.height = sum.height.max(inner.height + 1);
        if sum.nodes > self.most {
            return self.refuse(SchemaRefusal::TooLarge(self.most));
        }
        if depth + inner.height > MAX_DEPTH { self.refuse(SchemaRefusal::TooDeep) } else { Ok(()) }
    }

    fn schema(&mut self, schema: &'a Value, depth: usize) -> Result<SchemaWeight, SchemaError> {
        if depth > MAX_DEPTH {
            return self.refuse(SchemaRefusal::TooDeep);
        }
        let mut sum = SchemaWeight { nodes: 1, height: 1 };
        match schema {
            Value::Object(keywords) => {
                for (name, value) in keywords {
                    self.keyword(name, value, &mut sum, depth)?;
                }
            }
            Value::Array(schemas) => {
                for (at, inner) in schemas.iter().enumerate() {
                    self.inside(&at.to_string(), &mut sum, inner, depth)?;
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        Ok(sum)
    }

    fn keyword(
        &mut self,
        name: &'a str,
        value: &'a Value,
        sum: &mut SchemaWeight,
        depth: usize,
    ) -> Result<(), SchemaError> {
        let own = |nodes| SchemaWeight { nodes, height: 0 };
        match (name, value) {
            ("$ref", Value::String(reference)) => {
                let target = self.target(reference, depth)?;
                self.add(sum, target, depth)
            }
            (name, data) if DATA.contains(&name) => self.add(sum, own(data_nodes(data)), depth),
            (name, _) if DEFINITIONS.contains(&name) => Ok(()),
            ("pattern", Value::String(pattern)) => {
                self.pattern(pattern)?;
                self.add(sum, own(NODES_PER_PATTERN), depth)
            }
            (name, Value::Object(schemas)) if NAMED.contains(&name) => self.named(name, schemas, sum, depth),
            // A keyword that holds one schema, a list of them, or plain values. One that is unknown is counted like these.
            (name, inner) => self.inside(name, sum, inner, depth),
        }
    }

    fn named(
        &mut self,
        keyword: &'a str,
        schemas: &'a Map<String, Value>,
        sum: &mut SchemaWeight,
        depth: usize,
    ) -> Result<(), SchemaError> {
        self.path.push(keyword.to_owned());
        for (name, inner) in schemas {
            if keyword == "patternProperties" {
                self.pattern(name)?;
                self.add(sum, SchemaWeight { nodes: NODES_PER_PATTERN, height: 0 }, depth)?;
            }
            self.inside(name, sum, inner, depth)?;
        }
        self.path.pop();
        Ok(())
    }

    fn pattern(&self, pattern: &str) -> Result<(), SchemaError> {
        let chars = pattern.chars().count();
        if chars > MAX_PATTERN_CHARS { self.refuse(SchemaRefusal::Pattern(chars)) } else { Ok(()) }
    }

    fn target(&mut self, reference: &'a str, depth: usize) -> Result<SchemaWeight, SchemaError> {
        match self.known.get(reference) {
            Some(Some(weight)) => return Ok(*weight),
            Some(None) => return self.refuse(SchemaRefusal::Recursive),
            None => {}
        }
        let Some(pointer) = reference.strip_prefix('#').filter(|rest| rest.is_empty() || rest.starts_with('/')) else {
            return self.refuse(SchemaRefusal::Foreign(reference.chars().take(100).collect()));
        };
        let Some(target) = decoded(pointer).and_then(|pointer| self.root.pointer(&pointer)) else {
            return self.refuse(SchemaRefusal::Nowhere(reference.chars().take(100).collect()));
        };
        self.known.insert(reference, None);
        let unescaped = |name: &str| name.replace("~1", "/").replace("~0", "~");
        let there = decoded(pointer).unwrap_or_default().split('/').skip(1).map(unescaped).collect();
        let here = std::mem::replace(&mut self.path, there);
        let weight = self.schema(target, depth + 1)?;
        self.path = here;
        self.known.insert(reference, Some(weight));
        Ok(weight)
    }
}

fn data_nodes(data: &Value) -> u64 {
    match data {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
        Value::Array(items) => items.iter().map(data_nodes).fold(1, u64::saturating_add),
        Value::Object(fields) => fields.values().map(data_nodes).fold(1, u64::saturating_add),
    }
}

/// A pointer whose `%20` and the like are characters again.
fn decoded(pointer: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(pointer.len());
    let mut rest = pointer.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let mut digit = || rest.next().and_then(|byte| char::from(byte).to_digit(16));
            let (high, low) = (digit()?, digit()?);
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}
