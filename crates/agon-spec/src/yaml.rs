//! YAML to a positioned tree.
use crate::diagnostic::{Code, SpecFinding};
use crate::place::{Place, Span};
use crate::tree::{Charge, FileNode, MapEntry, TreeLimits, Value};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, StrInput, Tag};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Reads one YAML document that begins after `lines_before` lines of its file.
///
/// `None` where the document is empty. At most `most_text` bytes of text are built.
pub(crate) fn parse(text: &str, lines_before: usize, most_text: u64) -> Result<Option<FileNode>, SpecFinding> {
    parse_within(text, lines_before, TreeLimits::of_debate_file(most_text))
}

/// Reads one YAML document that begins after `lines_before` lines of its file, within limits.
pub fn parse_within(text: &str, lines_before: usize, limits: TreeLimits) -> Result<Option<FileNode>, SpecFinding> {
    let events = Parser::new_from_str(text);
    let mut reader =
        YamlReader { events, text, lines_before, anchors: BTreeMap::new(), charge: Charge::within(limits) };
    let root = reader.document()?;
    reader.end(root.is_some())?;
    Ok(root)
}

struct YamlReader<'a> {
    events: Parser<'a, StrInput<'a>>,
    text: &'a str,
    lines_before: usize,
    anchors: BTreeMap<usize, FileNode>,
    charge: Charge,
}

/// What a node began with.
enum NodeStart {
    Whole(FileNode),
    List(Span, usize),
    Map(Span, usize),
    End(Span),
}

impl<'a> YamlReader<'a> {
    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>, SpecFinding> {
        match self.events.next_event() {
            Some(Ok((event, span))) => {
                let span = Span { start: self.place(span.start), end: self.place(span.end) };
                Ok(Some((event, span)))
            }
            Some(Err(error)) => Err(self.malformed(&error)),
            None => Ok(None),
        }
    }
    fn document(&mut self) -> Result<Option<FileNode>, SpecFinding> {
        loop {
            match self.next()? {
                Some((Event::StreamStart | Event::Nothing, _)) => {}
                Some((Event::DocumentStart(_), _)) => return self.node(1).map(Result::ok),
                Some(_) | None => return Ok(None),
            }
        }
    }
    fn end(&mut self, has_root: bool) -> Result<(), SpecFinding> {
        while let Some((event, span)) = self.next()? {
            if has_root && matches!(event, Event::DocumentStart(_)) {
                let what = self.charge.limits().what;
                let message = format!("a second YAML document begins here; {what} is one document");
                return Err(SpecFinding::new(Code::ManyDocuments, span, message));
            }
        }
        Ok(())
    }
    /// The next node; `Err` with its place where a list or mapping ends instead.
    fn node(&mut self, depth: usize) -> Result<Result<FileNode, Span>, SpecFinding> {
        let (mut node, anchor) = match self.begin(depth)? {
            NodeStart::Whole(node) => return Ok(Ok(node)),
            NodeStart::End(span) => return Ok(Err(span)),
            NodeStart::List(span, anchor) => (self.list(span, depth)?, anchor),
            NodeStart::Map(span, anchor) => (self.map(span, depth)?, anchor),
        };
        if node.span.end < node.span.start {
            node.span.end = node.span.start;
        }
        self.keep(anchor, &node, depth)?;
        Ok(Ok(node))
    }
    fn begin(&mut self, depth: usize) -> Result<NodeStart, SpecFinding> {
        let Some((event, span)) = self.next()? else { return Ok(NodeStart::End(Span::default())) };
        Ok(match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.charge.admit(depth, text.len(), span)?;
                let node =
                    FileNode { span, value: scalar(&text, style, tag.as_deref(), (span, self.charge.limits().what))? };
                self.keep(anchor, &node, depth)?;
                NodeStart::Whole(node)
            }
            Event::Alias(anchor) => NodeStart::Whole(self.alias(anchor, depth, span)?),
            Event::SequenceStart(anchor, tag) => self.open(tag, depth, span).map(|()| NodeStart::List(span, anchor))?,
            Event::MappingStart(anchor, tag) => self.open(tag, depth, span).map(|()| NodeStart::Map(span, anchor))?,
            Event::SequenceEnd | Event::MappingEnd | Event::DocumentEnd | Event::StreamEnd => NodeStart::End(span),
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => NodeStart::End(span),
        })
    }
    /// Keeps a copy of what has an anchor, which counts as one more use.
    fn keep(&mut self, anchor: usize, node: &FileNode, depth: usize) -> Result<(), SpecFinding> {
        if anchor != 0 {
            self.charge.admit_copy(node, depth, node.span)?;
            self.anchors.insert(anchor, node.clone());
        }
        Ok(())
    }
    fn open(&mut self, tag: Option<Cow<'_, Tag>>, depth: usize, span: Span) -> Result<(), SpecFinding> {
        self.charge.admit(depth, 0, span)?;
        tag.map_or(Ok(()), |tag| Err(bad_tag(&tag, span, self.charge.limits().what)))
    }
    fn alias(&mut self, anchor: usize, depth: usize, span: Span) -> Result<FileNode, SpecFinding> {
        let Some(node) = self.anchors.get(&anchor) else {
            return Err(SpecFinding::new(Code::Syntax, span, "an alias cannot be inside its own anchor"));
        };
        self.charge.admit_copy(node, depth, span)?;
        Ok(node.clone())
    }
    fn list(&mut self, span: Span, depth: usize) -> Result<FileNode, SpecFinding> {
        let mut items = Vec::new();
        loop {
            match self.node(depth + 1)? {
                Ok(item) => items.push(item),
                Err(end) => return Ok(FileNode { span: Span { end: end.start, ..span }, value: Value::List(items) }),
            }
        }
    }
    fn map(&mut self, span: Span, depth: usize) -> Result<FileNode, SpecFinding> {
        let mut entries = Vec::new();
        loop {
            let (key, key_span) = match self.key(depth + 1)? {
                Ok(key) => key,
                Err(end) => return Ok(FileNode { span: Span { end: end.start, ..span }, value: Value::Map(entries) }),
            };
            let Ok(mut value) = self.node(depth + 1)? else { continue };
            if value.value == Value::Null {
                value.span = key_span;
            }
            entries.push(MapEntry { key, key_span, value });
        }
    }
    fn key(&mut self, depth: usize) -> Result<Result<(String, Span), Span>, SpecFinding> {
        let Some((event, span)) = self.next()? else { return Ok(Err(Span::default())) };
        match event {
            Event::Scalar(text, _, anchor, _) => {
                self.charge.admit(depth, text.len(), span)?;
                let text = text.into_owned();
                if anchor != 0 {
                    self.keep(anchor, &FileNode { span, value: Value::Text(text.clone()) }, depth)?;
                }
                Ok(Ok((text, span)))
            }
            Event::Alias(_) | Event::SequenceStart(..) | Event::MappingStart(..) => {
                Err(SpecFinding::new(Code::Syntax, span, "a key must be a plain text"))
            }
            Event::MappingEnd | Event::SequenceEnd | Event::DocumentEnd | Event::StreamEnd => Ok(Err(span)),
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => Ok(Err(span)),
        }
    }
    fn place(&self, marker: Marker) -> Place {
        Place { line: marker.line().max(1) + self.lines_before, column: marker.col() + 1 }
    }
    fn malformed(&self, error: &ScanError) -> SpecFinding {
        let place = self.place(*error.marker());
        let finding =
            SpecFinding::new(Code::Syntax, Span::at(place), format!("this is not valid YAML: {}", error.info()));
        let line = self.text.split('\n').nth(error.marker().line().saturating_sub(1)).unwrap_or_default();
        let indent = line.len() - line.trim_start().len();
        let tab = line.get(..indent).is_some_and(|indent| indent.contains('\t'));
        match if tab { Some("indent YAML with spaces, not tabs") } else { hint(error.info()) } {
            Some(help) => finding.help(help),
            None => finding,
        }
    }
}

fn hint(info: &str) -> Option<&'static str> {
    const HINTS: [(&str, &str); 5] = [
        ("mapping values are not allowed", "put a text that contains ': ' in quotes"),
        ("illegal placement of ':'", "a bracket or brace that was opened above is not closed"),
        ("quoted scalar", "a quote that was opened is not closed"),
        ("unknown anchor", "put a text that begins with * in quotes"),
        ("did not find expected", "keys of one mapping, and dashes of one list, must be in one column"),
    ];
    HINTS.iter().find(|(known, _)| info.contains(known)).map(|(_, hint)| *hint)
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>, (span, what): (Span, &str)) -> Result<Value, SpecFinding> {
    match tag {
        Some(tag) if tag.is_yaml_core_schema() && tag.suffix == "str" => Ok(Value::Text(text.to_owned())),
        Some(tag) => Err(bad_tag(tag, span, what)),
        None if style == ScalarStyle::Plain => Ok(plain(text)),
        None => Ok(Value::Text(text.to_owned())),
    }
}

fn bad_tag(tag: &Tag, span: Span, what: &str) -> SpecFinding {
    let tag = crate::diagnostic::quote(&tag.to_string());
    SpecFinding::new(Code::Syntax, span, format!("the YAML tag {tag} has no meaning in {what}"))
}

/// A plain scalar by the core schema of YAML 1.2.
pub(crate) fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Flag(true),
        "false" | "False" | "FALSE" => Value::Flag(false),
        _ => number(text).unwrap_or_else(|| Value::Text(text.to_owned())),
    }
}

fn number(text: &str) -> Option<Value> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if let Some(hex) = text.strip_prefix("0x") {
        return radix(hex, 16);
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return radix(octal, 8);
    }
    let only = |allowed: &str| digits.chars().all(|c| c.is_ascii_digit() || allowed.contains(c));
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') || !only(".eE+-") {
        return None;
    }
    let integer = if only("") { text.parse().ok().map(Value::Integer) } else { None };
    integer.or_else(|| text.parse().ok().map(Value::Number))
}

fn radix(digits: &str, radix: u32) -> Option<Value> {
    let plain = digits.chars().all(|c| c.is_digit(radix));
    if plain { i128::from_str_radix(digits, radix).ok().map(Value::Integer) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::MAX_DEPTH;

    fn places(text: &str) -> Vec<(String, usize, usize)> {
        let mut found = Vec::new();
        collect(&parse(text, 0, u64::MAX).unwrap().unwrap(), &mut found);
        found
    }

    fn collect(node: &FileNode, found: &mut Vec<(String, usize, usize)>) {
        match &node.value {
            Value::List(items) => items.iter().for_each(|item| collect(item, found)),
            Value::Map(entries) => entries.iter().for_each(|entry| {
                found.push((entry.key.clone(), entry.key_span.start.line, entry.key_span.start.column));
                collect(&entry.value, found);
            }),
            other => found.push((other.describe(), node.span.start.line, node.span.start.column)),
        }
    }

    #[test]
    fn every_key_and_value_of_block_and_flow_style_knows_its_place() {
        let found = places("a: é\nb:\n  - c: {d: 1, \"e\": [x, 'y']}\n");
        let expected = [
            ("a", 1, 1),
            ("the text 'é'", 1, 4),
            ("b", 2, 1),
            ("c", 3, 5),
            ("d", 3, 9),
            ("the number 1", 3, 12),
            ("e", 3, 15),
            ("the text 'x'", 3, 21),
            ("the text 'y'", 3, 24),
        ];
        let expected: Vec<_> =
            expected.iter().map(|(text, line, column)| ((*text).to_owned(), *line, *column)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_value_after_wide_characters_is_placed_by_characters() {
        assert_eq!(places("\"größe 🎈\": 1"), [("größe 🎈".to_owned(), 1, 1), ("the number 1".to_owned(), 1, 12)]);
    }

    #[test]
    fn plain_scalars_follow_the_core_schema() {
        assert_eq!(plain("no"), Value::Text("no".to_owned()));
        assert_eq!(plain("~"), Value::Null);
        assert_eq!(plain("-3"), Value::Integer(-3));
        assert_eq!(plain("0x1F"), Value::Integer(31));
        assert_eq!(plain("1e-3"), Value::Number(0.001));
        assert_eq!(plain("1.5.2"), Value::Text("1.5.2".to_owned()));
        assert_eq!(plain("e3"), Value::Text("e3".to_owned()));
        assert_eq!(plain("."), Value::Text(".".to_owned()));
    }

    #[test]
    fn an_alias_bomb_is_refused_before_it_unfolds() {
        let mut text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n".to_owned();
        for n in 1..30 {
            let list = vec![format!("*a{}", n - 1); 10].join(", ");
            text.push_str(&format!("a{n}: &a{n} [{list}]\n"));
        }
        assert!(format!("{:?}", parse(&text, 0, u64::MAX).unwrap_err()).contains("TooComplex"));
    }

    #[test]
    fn deep_nesting_is_refused() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(&nested(MAX_DEPTH), 0, u64::MAX).is_ok());
        assert!(format!("{:?}", parse(&nested(MAX_DEPTH + 1), 0, u64::MAX).unwrap_err()).contains("TooComplex"));
        assert!(parse(&nested(100_000), 0, u64::MAX).is_err());
    }

    #[test]
    fn an_empty_document_has_no_root() {
        assert_eq!(parse("", 0, u64::MAX).unwrap(), None);
        assert_eq!(parse("# only a comment\n", 0, u64::MAX).unwrap(), None);
    }
}
