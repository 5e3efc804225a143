//! Writes plain data as block-style YAML.
use serde_json::Value;

/// The document, with a line end after its last line.
pub(crate) fn write(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(map) if !map.is_empty() => entries(&mut out, map.iter(), 0, false),
        other => {
            inline(&mut out, other, 0);
            out.push('\n');
        }
    }
    out
}

/// The lines of a mapping; with `after_dash` the first one continues a list item's line.
fn entries<'a>(out: &mut String, map: impl Iterator<Item = (&'a String, &'a Value)>, indent: usize, after_dash: bool) {
    for (at, (key, value)) in map.enumerate() {
        if at > 0 || !after_dash {
            out.push_str(&" ".repeat(indent));
        }
        text(out, key);
        out.push(':');
        after_colon(out, value, indent);
    }
}

fn after_colon(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            out.push('\n');
            entries(out, map.iter(), indent + 2, false);
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            out.push('\n');
            items.iter().for_each(|item| list_item(out, item, indent + 2));
        }
        other => {
            out.push(' ');
            inline(out, other, indent + 2);
            out.push('\n');
        }
    }
}

fn list_item(out: &mut String, item: &Value, indent: usize) {
    out.push_str(&" ".repeat(indent));
    out.push_str("- ");
    match item {
        Value::Object(map) if !map.is_empty() => entries(out, map.iter(), indent + 2, true),
        other => {
            inline(out, other, indent + 2);
            out.push('\n');
        }
    }
}

fn inline(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::String(whole) if can_be_block(whole) => block(out, whole, indent),
        Value::String(whole) => text(out, whole),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                flow(out, item);
            }
            out.push(']');
        }
        Value::Object(_) => flow(out, value),
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
    }
}

/// A value inside brackets.
fn flow(out: &mut String, value: &Value) {
    match value {
        Value::String(whole) => text(out, whole),
        Value::Object(map) => {
            out.push('{');
            for (at, (key, value)) in map.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                text(out, key);
                out.push_str(": ");
                flow(out, value);
            }
            out.push('}');
        }
        Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) => inline(out, value, 0),
    }
}

/// Whether a literal block holds the text exactly: lines of printable characters, no blanks at either end.
fn can_be_block(text: &str) -> bool {
    let printable = text.chars().all(|c| c == '\n' || c == ' ' || (!c.is_control() && !is_break(c)));
    text.contains('\n') && printable && text.trim() == text && text.lines().all(|line| line.trim_end() == line)
}

fn is_break(c: char) -> bool {
    matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

fn block(out: &mut String, text: &str, indent: usize) {
    out.push_str("|-");
    for line in text.split('\n') {
        out.push('\n');
        if !line.is_empty() {
            out.push_str(&" ".repeat(indent));
            out.push_str(line);
        }
    }
}

fn text(out: &mut String, text: &str) {
    if is_plain(text) { out.push_str(text) } else { quoted(out, text) }
}

/// Whether the text means itself without quotes, in block and in flow style.
fn is_plain(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_alphabetic());
    let safe = |c: char| {
        c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/' | '(' | ')' | ';' | '+' | '=' | '<' | '>')
    };
    let is_text = matches!(crate::yaml::plain(text), crate::tree::Value::Text(_));
    let yaml_1_1 = matches!(text.to_ascii_lowercase().as_str(), "yes" | "no" | "on" | "off" | "y" | "n");
    starts && text.chars().all(safe) && is_text && !yaml_1_1 && !text.ends_with(' ')
}

fn quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || is_break(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    proptest! {
        #[test]
        fn any_text_is_read_back_as_it_was(text in "(?s).{0,60}", key in "(?s).{0,12}", item in "[ -~\n]{0,20}") {
            let nested = json!([[{key.clone(): item.clone()}, item], {}, [[null, 1.5]]]);
            let value = json!({"a": {key: text}, "list": [{"b": item.clone(), "c": [item]}], "nested": nested});
            let written = write(&value);
            let read = crate::yaml::parse(&written, 0, u64::MAX);
            prop_assert_eq!(read.map(|node| node.unwrap().plain()).map_err(|error| format!("{error:?}")), Ok(value), "{}", written);
        }
    }

    #[test]
    fn long_texts_stand_as_blocks_and_short_ones_without_quotes() {
        let value =
            json!({"a": "x\n  y", "b": "plain words", "c": ["d", "e: f"], "g": [{"h": 1, "i": true}], "j": "no"});
        let expected = "a: |-\n  x\n    y\nb: plain words\nc: [d, \"e: f\"]\ng:\n  - h: 1\n    i: true\nj: \"no\"\n";
        assert_eq!(write(&value), expected);
    }
}
