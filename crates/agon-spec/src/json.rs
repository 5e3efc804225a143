//! JSON to a positioned tree.
//!
//! `serde_json` decides what is JSON and says what is wrong; only text that it accepts is walked here for the places.
use crate::diagnostic::{Code, SpecFinding};
use crate::place::{Place, Span};
use crate::source::{MAX_BYTES, Text};
use crate::tree::{Charge, FileNode, MapEntry, TreeLimits, Value};

/// Reads one JSON value of at most `most_text` bytes of text.
pub(crate) fn parse(text: &Text, most_text: u64) -> Result<FileNode, SpecFinding> {
    parse_within(text, 0, &mut Charge::within(TreeLimits::of_debate_file(most_text)))
}

/// Reads one JSON value that begins after `lines_before` lines of its file, and charges for it.
pub fn parse_within(text: &Text, lines_before: usize, charge: &mut Charge) -> Result<FileNode, SpecFinding> {
    // serde_json builds before the walk charges
    let most = charge.limits().nodes.max(MAX_BYTES);
    if marks(&text.all) > most {
        let message = format!("the file has too many values; at most {most} are allowed");
        let start = Place { line: lines_before + 1, column: 1 };
        return Err(SpecFinding::new(Code::TooComplex, Span::at(start), message));
    }
    serde_json::from_str::<serde_json::Value>(&text.all).map_err(|error| malformed(text, lines_before, &error))?;
    let mut walk = Walk { text, at: 0, line: lines_before + 1, column: 1, charge };
    walk.value(1)
}

/// Marks outside texts that begin or part values: there are no more values than these and one.
fn marks(text: &str) -> usize {
    let (mut inside, mut escaped, mut marks) = (false, false, 0);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => inside = !inside,
            b',' | b'[' | b'{' if !inside => marks += 1,
            _ => {}
        }
    }
    marks
}

fn malformed(text: &Text, lines_before: usize, error: &serde_json::Error) -> SpecFinding {
    // serde_json counts bytes, and names the last byte that it has read.
    let line = text.line(error.line());
    let before = line.get(..error.column().saturating_sub(1)).unwrap_or(line);
    let place = Place { line: error.line().max(1) + lines_before, column: before.chars().count() + 1 };
    let said = error.to_string();
    let reason = said.rsplit_once(" at line ").map_or(said.as_str(), |(reason, _)| reason);
    let finding = SpecFinding::new(Code::Syntax, Span::at(place), format!("this is not valid JSON: {reason}"));
    match reason {
        "trailing comma" => finding.help("remove the comma before the closing bracket"),
        "key must be a string" => finding.help("JSON keys need double quotes, and JSON has no comments"),
        _ => finding,
    }
}

/// A walk over text that is known to be JSON.
struct Walk<'a, 'c> {
    text: &'a Text,
    at: usize,
    line: usize,
    column: usize,
    charge: &'c mut Charge,
}
impl Walk<'_, '_> {
    fn rest(&self) -> &str {
        self.text.all.get(self.at..).unwrap_or_default()
    }
    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }
    fn here(&self) -> Place {
        Place { line: self.line, column: self.column }
    }
    fn skip(&mut self) {
        let Some(c) = self.peek() else { return };
        self.at += c.len_utf8();
        if c == '\n' {
            (self.line, self.column) = (self.line + 1, 1);
        } else {
            self.column += 1;
        }
    }
    fn skip_while(&mut self, wanted: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&wanted) {
            self.skip();
        }
    }
    fn space(&mut self) {
        self.skip_while(|c| matches!(c, ' ' | '\t' | '\n'));
    }
    fn value(&mut self, depth: usize) -> Result<FileNode, SpecFinding> {
        self.space();
        let start = self.here();
        self.charge.admit(depth, 0, Span::at(start))?;
        let value = match self.peek() {
            Some('{') => self.map(depth)?,
            Some('[') => self.list(depth)?,
            Some('"') => Value::Text(self.string()),
            Some(_) | None => self.word(),
        };
        Ok(FileNode { span: Span { start, end: self.here() }, value })
    }
    fn map(&mut self, depth: usize) -> Result<Value, SpecFinding> {
        let mut entries = Vec::new();
        self.skip();
        loop {
            self.skip_while(|c| matches!(c, ' ' | '\t' | '\n' | ','));
            if self.peek() != Some('"') {
                self.skip();
                return Ok(Value::Map(entries));
            }
            let start = self.here();
            let key = self.string();
            let key_span = Span { start, end: self.here() };
            self.skip_while(|c| matches!(c, ' ' | '\t' | '\n' | ':'));
            let value = self.value(depth + 1)?;
            entries.push(MapEntry { key, key_span, value });
        }
    }
    fn list(&mut self, depth: usize) -> Result<Value, SpecFinding> {
        let mut items = Vec::new();
        self.skip();
        loop {
            self.skip_while(|c| matches!(c, ' ' | '\t' | '\n' | ','));
            if matches!(self.peek(), Some(']') | None) {
                self.skip();
                return Ok(Value::List(items));
            }
            items.push(self.value(depth + 1)?);
        }
    }
    fn string(&mut self) -> String {
        let from = self.at;
        self.skip();
        loop {
            self.skip_while(|c| c != '"' && c != '\\');
            let closes = matches!(self.peek(), Some('"') | None);
            self.skip();
            if closes {
                let literal = self.text.all.get(from..self.at).unwrap_or_default();
                return serde_json::from_str(literal).unwrap_or_default();
            }
            self.skip();
        }
    }
    fn word(&mut self) -> Value {
        let from = self.at;
        self.skip_while(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
        crate::yaml::plain(self.text.all.get(from..self.at).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            (-1e9..1e9).prop_map(|number: f64| number.into()),
            any::<String>().prop_map(Into::into),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
                proptest::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into()),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_walk_reads_the_same_values_as_serde_json(value in any_json(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
            let text = Text::new(text);
            prop_assert_eq!(parse(&text, u64::MAX).unwrap().plain(), value);
        }
    }

    #[test]
    fn keys_and_values_know_their_places() {
        let node = parse(&Text::new("{\"ä\":\n\t[1, {\"b\": null}]}".to_owned()), u64::MAX).unwrap();
        let Value::Map(entries) = &node.value else { panic!("a mapping") };
        assert_eq!(entries[0].key_span.start, Place { line: 1, column: 2 });
        let Value::List(items) = &entries[0].value.value else { panic!("a list") };
        assert_eq!(items[1].span.start, Place { line: 2, column: 6 });
    }
}
