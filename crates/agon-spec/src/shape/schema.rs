//! A JSON Schema inside a debate file.
use super::check::ShapeCheck;
use crate::diagnostic::{Code, SpecFinding, clean};
use crate::limits::Limits;
use crate::place::Span;
use crate::section::CheckedValue;
use crate::tree::{FileNode, Value};
use agon_core::gate::GateRule;
use agon_schema::{Cache, SchemaRefusal};

impl ShapeCheck<'_, '_> {
    /// The schema as plain data, if it is one.
    pub fn schema(&mut self, node: &FileNode) -> Option<CheckedValue> {
        let schema = node.plain();
        let compiled = Cache::shared().compiled(&schema, self.problems.limits.schema_nodes);
        let Err(error) = compiled else { return Some(CheckedValue::Data(schema)) };
        let inside = error.at.as_str();
        let place = inside.trim_matches('/').replace('/', ".");
        let at = if place.is_empty() { String::new() } else { format!(" at `{}`", clean(&place)) };
        let what = match error.why {
            SchemaRefusal::Invalid(_) => "is not a JSON Schema",
            SchemaRefusal::TooLarge(_)
            | SchemaRefusal::TooDeep
            | SchemaRefusal::Recursive
            | SchemaRefusal::Foreign(_)
            | SchemaRefusal::Nowhere(_)
            | SchemaRefusal::Keyword(_)
            | SchemaRefusal::Pattern(_)
            | SchemaRefusal::Regex(_) => "is not usable",
        };
        let said: String = clean(&error.to_string()).chars().take(200).collect();
        let message = format!("`{}` {what}{at}: {said}", self.path);
        let span = self.span_inside(node, inside);
        let finding = SpecFinding::new(Code::BadSchema, span, message).field(self.path);
        self.problems.error(match error.why {
            SchemaRefusal::TooLarge(_) => finding.help(Limits::raised("schema_nodes", Limits::MOST.schema_nodes)),
            _ => finding,
        });
        None
    }
    /// The rule of a gate as plain data, if it is one.
    pub fn gate_rule(&mut self, node: &FileNode) -> Option<CheckedValue> {
        let rule = node.plain();
        match GateRule::read(&rule.to_string()) {
            Ok(_) => Some(CheckedValue::Data(rule)),
            Err(error) => {
                let message = format!("`{}`: {}", self.path, clean(&error.to_string()));
                self.fail(Code::BadGate, self.key_span, message)
            }
        }
    }
    /// The place that a JSON pointer leads to, or as far as it leads.
    fn span_inside(&self, node: &FileNode, pointer: &str) -> Span {
        let (mut at, mut span) = (node, self.key_span);
        for part in pointer.split('/').skip(1) {
            let part = part.replace("~1", "/").replace("~0", "~");
            let next = match &at.value {
                Value::Map(entries) => {
                    entries.iter().find(|entry| entry.key == part).map(|entry| (&entry.value, entry.key_span))
                }
                Value::List(items) => {
                    part.parse().ok().and_then(|index: usize| items.get(index)).map(|item| (item, item.span))
                }
                Value::Null | Value::Flag(_) | Value::Integer(_) | Value::Number(_) | Value::Text(_) => None,
            };
            let Some((next, found)) = next else { break };
            (at, span) = (next, found);
        }
        span
    }
}
