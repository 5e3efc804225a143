//! The text of a message: a string, or a list of typed parts.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::wire::Tree;

/// How deep parts may lie in parts: Magistral's thinking is a list of texts.
const MOST_LAYERS: usize = 5;

/// What a message says and what it thinks.
#[derive(Debug, Default)]
pub(super) struct MessageParts<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) thinking: String,
}

impl MessageParts<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.thinking.is_empty()
    }

    /// Takes a part. Its type says whether it is thinking; one of another kind, such as an image, has no text.
    fn add(&mut self, part: &Value, thinks: bool, layer: usize) {
        match part {
            Value::String(text) if thinks => self.thinking.push_str(text),
            Value::String(text) => self.text.to_mut().push_str(text),
            Value::Array(parts) if layer < MOST_LAYERS => {
                parts.iter().for_each(|part| self.add(part, thinks, layer + 1));
            }
            Value::Object(members) if layer < MOST_LAYERS => {
                let kind = members.get("type").and_then(Value::as_str).unwrap_or_default();
                let thinks = thinks || kind.contains("think") || kind.contains("reason");
                for (name, member) in members {
                    match name.as_str() {
                        "text" | "content" => self.add(member, thinks, layer + 1),
                        "thinking" | "reasoning" | "summary" => self.add(member, true, layer + 1),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for MessageParts<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartsVisitor)
    }
}

struct PartsVisitor;

impl<'de> Visitor<'de> for PartsVisitor {
    type Value = MessageParts<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or typed parts")
    }
    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(MessageParts { text: Cow::Borrowed(text), ..MessageParts::default() })
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(MessageParts { text: Cow::Owned(text.to_owned()), ..MessageParts::default() })
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        Tree::deserialize(SeqAccessDeserializer::new(seq)).map(|Tree(parts)| of(&parts))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Tree::deserialize(MapAccessDeserializer::new(map)).map(|Tree(part)| of(&part))
    }
}

fn of(part: &Value) -> MessageParts<'static> {
    let mut parts = MessageParts::default();
    parts.add(part, false, 0);
    parts
}
