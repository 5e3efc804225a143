//! Objects whose mistakes leave one meaning: comments, commas too many or too few, other quotation marks, line breaks in texts, words of
//! Python.
use jsonc_parser::{CollectOptions, ParseOptions, ast, parse_to_ast};
use serde_json::{Map, Number, Value};

/// Words of Python, and as many letters of JSON.
const PYTHON: [(&str, &str); 3] = [("True", "true"), ("False", "false"), ("None", "null")];

/// Where a mistake is, in bytes of the text, and what it is.
pub(super) type Mistake = (usize, String);

/// The object that begins a text, and where it ends in it; else its first mistake that leaves more than one meaning.
pub(super) fn read(text: &str) -> (usize, Result<Map<String, Value>, Mistake>) {
    let plain = extent(text);
    let options = ParseOptions {
        allow_comments: false,
        allow_hexadecimal_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
        ..ParseOptions::default()
    };
    let parsed = parse_to_ast(&plain, &CollectOptions::default(), &options);
    let object = match parsed.map(|parsed| parsed.value) {
        Ok(Some(ast::Value::Object(object))) => members(object),
        Ok(_) => Err((0, "no object begins here".to_owned())),
        Err(error) => Err((error.range().start, error.kind().to_string().to_lowercase())),
    };
    (plain.len(), object)
}

/// The text from an opening brace to the one that closes it, with blanks in place of comments; to its end where none does.
/// Places in it are those in the text.
fn extent(text: &str) -> String {
    let (mut plain, mut rest, mut depth) = (String::new(), text, 0_usize);
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' | '\'' => literal(rest, c),
            '#' => rest.find('\n'),
            '/' if rest.starts_with("//") => rest.find('\n'),
            '/' if rest.starts_with("/*") => rest.find("*/").map(|at| at + 2),
            _ if c.is_alphanumeric() => rest.find(|c: char| !c.is_alphanumeric() && c != '_'),
            _ => Some(c.len_utf8()),
        };
        let (part, after) = length.and_then(|length| rest.split_at_checked(length)).unwrap_or((rest, ""));
        match (c, PYTHON.iter().find(|(python, _)| *python == part)) {
            ('#' | '/', _) => plain.extend(part.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' })),
            (_, Some((_, json))) => plain.push_str(json),
            _ => plain.push_str(part),
        }
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            break;
        }
        rest = after;
    }
    plain
}

/// How long the text literal is that begins here.
fn literal(text: &str, mark: char) -> Option<usize> {
    let mut escaped = false;
    let ends = |(_, c): &(usize, char)| {
        let end = *c == mark && !escaped;
        escaped = *c == '\\' && !escaped;
        end
    };
    text.char_indices().skip(1).find(ends).map(|(at, c)| at + c.len_utf8())
}

fn members(object: ast::Object<'_>) -> Result<Map<String, Value>, Mistake> {
    let mut members = Map::new();
    for property in object.properties {
        let (at, name) = (property.range.start, property.name.into_string());
        if members.contains_key(&name) {
            return Err((at, format!("member {name:?} is named twice, allowed is once")));
        }
        members.insert(name, value(property.value)?);
    }
    Ok(members)
}

fn value(node: ast::Value<'_>) -> Result<Value, Mistake> {
    Ok(match node {
        ast::Value::StringLit(text) => Value::String(text.value.into_owned()),
        ast::Value::NumberLit(number) => {
            let read = serde_json::from_str::<Number>(number.value.trim_start_matches('+'));
            Value::Number(read.map_err(|_| (number.range.start, format!("{} is no number", number.value)))?)
        }
        ast::Value::BooleanLit(truth) => Value::Bool(truth.value),
        ast::Value::Object(object) => Value::Object(members(object)?),
        ast::Value::Array(array) => Value::Array(array.elements.into_iter().map(value).collect::<Result<_, _>>()?),
        ast::Value::NullKeyword(_) => Value::Null,
    })
}

/// What is wrong, with its line and column in a text.
pub(super) fn told(text: &str, (at, what): &Mistake) -> String {
    let before = text.get(..text.floor_char_boundary(*at)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("line {line}, column {column}: {what}")
}

/// What a strict reader finds wrong with an object.
pub(super) fn first_slip(text: &str, start: usize, object: &str) -> Option<String> {
    let error = serde_json::from_str::<Value>(object).err()?;
    let lines = object.split_inclusive('\n').take(error.line().saturating_sub(1));
    let at = start + lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
    let what = error.to_string().split(" at line ").next().unwrap_or_default().to_owned();
    Some(told(text, &(at, what)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn slips_with_one_meaning_are_read() {
        for (text, read_as) in [
            (r#"{"a": [1, 2,], "b": {"c": 3,},}"#, json!({"a": [1, 2], "b": {"c": 3}})),
            ("{\n  // it's the winner\n  \"a\": 1 /* \"one\" */\n}", json!({"a": 1})),
            ("{\n  \"a\": 1 # the \"first\"\n}", json!({"a": 1})),
            ("{\"a\": \"one\ntwo\tthree\"}", json!({"a": "one\ntwo\tthree"})),
            (r#"{'a': 'say "yes"', "b": "it's"}"#, json!({"a": "say \"yes\"", "b": "it's"})),
            (
                r#"{'a': True, 'b': [False, None], 'True': 'None of it'}"#,
                json!({"a": true, "b": [false, null], "True": "None of it"}),
            ),
            (r#"{a: 1, "b": +2.5}"#, json!({"a": 1, "b": 2.5})),
            ("{\"a\": 1\n \"b\": 2}", json!({"a": 1, "b": 2})),
            (r#"{"a": "// no comment, # nor this", }"#, json!({"a": "// no comment, # nor this"})),
        ] {
            let (end, object) = read(&format!("{text} and so on }}"));
            assert_eq!((end, object.map(Value::Object)), (text.len(), Ok(read_as)), "{text}");
        }
    }

    #[test]
    fn other_mistakes_are_told_with_their_place() {
        for (text, wanted) in [
            ("{\n\"a\": \"he said \"no\" twice\"\n}", "line 2, column 16: "),
            ("{\"a\": 1, \"a\": 2,}", "line 1, column 10: member \"a\" is named twice, allowed is once"),
            ("{\"a\": yes}", "line 1, column 7: "),
            ("{\"a\": 0x1F}", "line 1, column 7: "),
            ("{\"a\": [1, 2}", "line 1, column 12: "),
            ("{\"a\":\n 1", "line 1, column 1: "),
            ("{\"a\": \"on and on", "line 1, column 7: "),
        ] {
            let mistake = read(text).1.unwrap_err();
            assert!(told(text, &mistake).starts_with(wanted), "{text}: {}", told(text, &mistake));
        }
    }
}
