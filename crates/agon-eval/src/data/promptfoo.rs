//! Tests of promptfoo: variables, and assertions about the answer.
use super::members::at;
use agon_spec::Code;
use agon_spec::reading::{FileNode, MapEntry, SpecFinding, Value, quote};

/// The test as a question of the plain shape.
pub(super) fn plain(entries: &[MapEntry]) -> Result<Vec<MapEntry>, SpecFinding> {
    let mut plain = Vec::new();
    for entry in entries {
        match (entry.key.as_str(), &entry.value.value) {
            ("vars", Value::Map(vars)) => plain.extend(vars.iter().cloned()),
            ("assert", Value::List(asserts)) => asserts.iter().try_for_each(|one| {
                let (kind, value) = assertion(one)?;
                add(&mut plain, entry, &kind, value, one)
            })?,
            ("__expected" | "assert", Value::Text(text)) => {
                let (kind, value) = expected(text);
                let value = FileNode { span: entry.value.span, value: Value::Text(value.to_owned()) };
                add(&mut plain, entry, kind, value, &entry.value)?;
            }
            _ => plain.push(entry.clone()),
        }
    }
    Ok(plain)
}

/// `equals: Paris` in a cell; without a kind it is the answer itself.
fn expected(text: &str) -> (&str, &str) {
    const KINDS: [&str; 4] = ["equals", "llm-rubric", "grade", "factuality"];
    let kind = text.split_once(':').filter(|(kind, _)| KINDS.contains(&kind.trim()));
    kind.map_or(("equals", text), |(kind, value)| (kind.trim(), value.trim()))
}

fn assertion(node: &FileNode) -> Result<(String, FileNode), SpecFinding> {
    let bad = |message: &str| SpecFinding::new(Code::WrongType, node.span, message).field("assert");
    let Value::Map(entries) = &node.value else { return Err(bad("an assertion is a mapping with `type` and `value`")) };
    let Some(Value::Text(kind)) = at(entries, "type").map(|kind| &kind.value.value) else {
        return Err(bad("the assertion has no `type`"));
    };
    member(kind, node)?;
    let Some(value) = at(entries, "value") else { return Err(bad("the assertion has no `value`")) };
    Ok((kind.clone(), value.value.clone()))
}

/// The member of a question that an assertion of this kind gives.
fn member(kind: &str, node: &FileNode) -> Result<&'static str, SpecFinding> {
    match kind {
        "equals" | "factuality" => Ok("answer"),
        "llm-rubric" | "grade" => Ok("rubric"),
        other => {
            let message = format!("no score follows from the assertion {}", quote(other));
            let finding = SpecFinding::new(Code::UnknownValue, node.span, message).field("assert");
            Err(finding.help("types that are read: equals, factuality, llm-rubric; or write `answer` yourself"))
        }
    }
}

fn add(
    plain: &mut Vec<MapEntry>,
    entry: &MapEntry,
    kind: &str,
    value: FileNode,
    node: &FileNode,
) -> Result<(), SpecFinding> {
    let member = member(kind, node)?;
    let known = plain.iter_mut().find(|known| known.key == member);
    let Some(known) = known else {
        plain.push(MapEntry { key: member.to_owned(), key_span: entry.key_span, value });
        return Ok(());
    };
    // several of a kind make a list
    let before = std::mem::replace(&mut known.value.value, Value::Null);
    let mut items = match before {
        Value::List(items) => items,
        other => vec![FileNode { span: known.value.span, value: other }],
    };
    items.push(value);
    known.value.value = Value::List(items);
    Ok(())
}
