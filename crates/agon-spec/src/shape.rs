//! Checks a tree against the table of keys.

mod check;
mod scalar;
mod schema;

use crate::diagnostic::{Code, Problems, SpecFinding, quote};
use crate::keys::{Key, KeyTable, Shape};
use crate::place::Span;
use crate::section::{CheckedValue, Field, Section};
use crate::suggest::{is_slip, nearest};
use crate::tree::MapEntry;
use check::ShapeCheck;

/// Checks the keys of a mapping and every value below it.
pub(crate) fn section(
    table: &'static KeyTable,
    span: Span,
    entries: &[MapEntry],
    path: &str,
    problems: &mut Problems<'_>,
) -> Section {
    let mut section = Section { path: path.to_owned(), span, fields: Vec::new() };
    for entry in entries {
        let Some(key) = table.key(&entry.key) else {
            let finding = unknown(table, entry, (path, entries), problems);
            problems.error(finding);
            continue;
        };
        let path = section.path_of(&entry.key);
        let twin = section.fields.iter().find(|field| same_thing(field.key, key));
        if let Some(twin) = twin {
            // The same name twice was reported when the file was read.
            if twin.written != entry.key {
                problems.error(said_twice(twin, entry, &path));
            }
            if twin.key.name == key.name {
                continue;
            }
        }
        let mut check = ShapeCheck { path: &path, key_span: entry.key_span, problems };
        let value = check.value(&key.shape, &entry.value).unwrap_or(CheckedValue::Bad);
        let (written, key_span, span) = (entry.key.clone(), entry.key_span, entry.value.span);
        section.fields.push(Field { key, written, path, key_span, span, value });
    }
    section
}

fn same_thing(one: &Key, other: &Key) -> bool {
    one.name == other.name || one.instead_of == Some(other.name) || other.instead_of == Some(one.name)
}

fn said_twice(first: &Field, second: &MapEntry, path: &str) -> SpecFinding {
    let line = first.key_span.start.line;
    let message = format!("`{}` and `{}` (line {line}) exclude each other; keep one", second.key, first.written);
    SpecFinding::new(Code::Conflict, second.key_span, message).field(path)
}

fn unknown(
    table: &KeyTable,
    entry: &MapEntry,
    (path, siblings): (&str, &[MapEntry]),
    problems: &Problems<'_>,
) -> SpecFinding {
    let field = if path.is_empty() { entry.key.clone() } else { format!("{path}.{}", entry.key) };
    let place = if path.is_empty() { String::new() } else { format!(" in `{path}`") };
    if let Some(finding) = schema_without_synthesizer(entry, siblings) {
        return finding.field(field);
    }
    if entry.key == "<<" {
        let message = format!("merge keys have no meaning here{place}: `<<` is read as any other key");
        let finding = SpecFinding::new(Code::UnknownKey, entry.key_span, message).field(field);
        return finding.help("write the keys out; an alias may replace a whole value, as in `personas: *cast`");
    }
    // a letter too few or too many is likelier than a whole key in the wrong place
    let is_misspelt = table.names().any(|name| is_slip(&entry.key, name));
    let home = if path.is_empty() && !is_misspelt { home(table, &entry.key) } else { None };
    if let Some(instead) = table.instead(&entry.key).map(str::to_owned).or(home) {
        let message = format!("the key `{}`{place} does not exist; {instead}", entry.key);
        return SpecFinding::new(Code::UnknownKey, entry.key_span, message).field(field);
    }
    let key = quote(&entry.key);
    let at_top = !path.is_empty() && problems.top.key(&entry.key).is_some();
    let elsewhere = table.elsewhere.iter().map(|(name, _)| *name);
    let near = nearest(&entry.key, table.names().chain(elsewhere));
    let hint = match near.map(|name| (name, table.instead(name))) {
        _ if at_top => format!("; `{}` belongs at the top level", entry.key),
        Some((_, Some(instead))) => format!("; {instead}"),
        Some((name, None)) => format!("; did you mean `{name}`?"),
        None => String::new(),
    };
    let message = format!("unknown key {key}{place}{hint}");
    let finding = SpecFinding::new(Code::UnknownKey, entry.key_span, message).field(field);
    // all keys say less than the one that is meant
    if hint.is_empty() { finding.help(allowed_keys(table)) } else { finding }
}

/// An output schema beside `synthesizer: false`, or beside `enabled: false` inside the block.
fn schema_without_synthesizer(entry: &MapEntry, siblings: &[MapEntry]) -> Option<SpecFinding> {
    let is_off = |name: &str| {
        siblings.iter().any(|sibling| sibling.key == name && sibling.value.value == crate::tree::Value::Flag(false))
    };
    let schema = match entry.key.as_str() {
        "output_schema" if is_off("synthesizer") => Some(entry),
        "enabled" if is_off("enabled") => siblings.iter().find(|sibling| sibling.key == "output_schema"),
        _ => None,
    }?;
    let message = "there is an output schema, but the synthesizer that would use it is off";
    let help = "write `synthesizer: {output_schema: ...}`, or remove the schema";
    Some(SpecFinding::new(Code::SchemaWithoutSynthesizer, schema.key_span, message).help(help))
}

/// Where a key of one of the table's mappings belongs.
fn home(table: &KeyTable, name: &str) -> Option<String> {
    let home = |key: &Key| match &key.shape {
        Shape::List { of, .. } => of.key(name).map(|_| format!("in the entries of `{}` that should have it", key.name)),
        Shape::Map(of) | Shape::Switch(of) | Shape::Short(_, of) => {
            of.key(name).map(|_| format!("under `{}:`", key.name))
        }
        _ => None,
    };
    let homes: Vec<String> = table.keys.iter().filter_map(home).collect();
    (!homes.is_empty()).then(|| format!("write it {}", homes.join(", or ")))
}

fn allowed_keys(table: &KeyTable) -> String {
    let names: Vec<_> = table.keys.iter().map(|key| key.name).collect();
    format!("allowed here: {}", names.join(", "))
}
