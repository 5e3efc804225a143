//! Puts tool calls together from their pieces.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::draft::MAX_CALLS;
use crate::wire::Tree;
use crate::{ChatError, ToolCall};

/// The names, ids and arguments of all calls of an answer take at most so many bytes; as many again may be parsed from them.
const MAX_CALL_BYTES: usize = 1024 * 1024;

#[derive(Deserialize)]
pub(super) struct CallPiece {
    index: Option<u64>,
    id: Option<String>,
    function: Option<FunctionPiece>,
}

#[derive(Deserialize)]
struct FunctionPiece {
    name: Option<String>,
    arguments: Option<Tree>,
}

/// The calls of one answer while their arguments arrive as pieces of text, keyed by index.
#[derive(Debug, Default)]
pub(super) struct CallDrafts {
    calls: Vec<CallDraft>,
    bytes: usize,
}

#[derive(Debug, Default)]
struct CallDraft {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    text: String,
    whole: Option<Value>,
}

impl CallDrafts {
    pub(super) fn add(&mut self, piece: CallPiece) -> Result<(), ChatError> {
        self.charge(&piece)?;
        let id = piece.id.filter(|id| !id.is_empty());
        let at = self.find(piece.index, id.as_deref())?;
        let Some(call) = self.calls.get_mut(at) else { return Ok(()) };
        call.id = call.id.take().or(id);
        let Some(function) = piece.function else { return Ok(()) };
        call.name.push_str(function.name.as_deref().unwrap_or_default());
        match function.arguments.map(|arguments| arguments.0) {
            Some(Value::String(text)) => call.text.push_str(&text),
            Some(Value::Null) | None => {}
            Some(object) => call.whole = Some(object),
        }
        Ok(())
    }

    /// Charges for a piece before any of it is kept. Arguments that are no text were counted when they were read.
    fn charge(&mut self, piece: &CallPiece) -> Result<(), ChatError> {
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let function = piece.function.as_ref();
        let name = function.map_or(0, |function| length(&function.name));
        let arguments = function.and_then(|function| function.arguments.as_ref());
        let text = arguments.and_then(|arguments| arguments.0.as_str()).map_or(0, str::len);
        self.bytes = self.bytes.saturating_add(length(&piece.id)).saturating_add(name).saturating_add(text);
        if self.bytes > MAX_CALL_BYTES {
            return Err(ChatError::malformed("the tool calls of one answer are longer than 1 MiB"));
        }
        Ok(())
    }

    /// The place of the call that a piece belongs to: by index; without one, a new id begins a new call.
    fn find(&mut self, index: Option<u64>, id: Option<&str>) -> Result<usize, ChatError> {
        let known = match (index, id) {
            (Some(index), _) => self.calls.iter().position(|call| call.index == Some(index)),
            (None, Some(id)) => self.calls.iter().position(|call| call.id.as_deref() == Some(id)),
            (None, None) => self.calls.len().checked_sub(1),
        };
        if let Some(at) = known {
            return Ok(at);
        }
        if self.calls.len() >= MAX_CALLS {
            return Err(ChatError::malformed("too many tool calls in one answer"));
        }
        self.calls.push(CallDraft { index, ..CallDraft::default() });
        Ok(self.calls.len() - 1)
    }

    /// Reads the arguments, which by now have to be JSON; with the bytes that each call took.
    pub(super) fn finish(self) -> Result<Vec<(ToolCall, usize)>, ChatError> {
        self.calls.into_iter().map(CallDraft::finish).collect()
    }
}

impl CallDraft {
    fn finish(self) -> Result<(ToolCall, usize), ChatError> {
        let bytes = self.name.len() + self.text.len();
        let arguments = match self.whole {
            Some(object) => object,
            None if self.text.trim().is_empty() => Value::Object(Map::new()),
            None => serde_json::from_str::<Tree>(&self.text)
                .map(|arguments| arguments.0)
                .map_err(|error| ChatError::malformed(&format!("the arguments of `{}`: {error}", self.name)))?,
        };
        if self.name.is_empty() {
            return Err(ChatError::malformed("a tool call without a name"));
        }
        Ok((ToolCall { id: self.id, name: self.name, arguments }, bytes))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn finished(pieces: Vec<Value>) -> Result<Vec<ToolCall>, ChatError> {
        let mut drafts = CallDrafts::default();
        for piece in pieces {
            drafts.add(serde_json::from_value(piece).unwrap())?;
        }
        Ok(drafts.finish()?.into_iter().map(|(call, _)| call).collect())
    }

    fn call(id: &str, name: &str, arguments: Value) -> ToolCall {
        ToolCall { id: Some(id.into()), name: name.into(), arguments }
    }

    #[test]
    fn interleaved_pieces_are_kept_apart_by_index() {
        let calls = finished(vec![
            json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}),
            json!({"index": 1, "id": "b", "function": {"name": "g"}}),
            json!({"index": 0, "function": {"arguments": "{\"x\":"}}),
            json!({"index": 1, "function": {"arguments": "{}"}}),
            json!({"index": 0, "function": {"arguments": "1}"}}),
        ]);

        assert_eq!(calls.unwrap(), [call("a", "f", json!({"x": 1})), call("b", "g", json!({}))]);
    }

    #[test]
    fn calls_without_an_index_are_kept_apart_by_id() {
        let calls = finished(vec![
            json!({"id": "a", "function": {"name": "f", "arguments": {"x": 1}}}),
            json!({"id": "b", "function": {"name": "g"}}),
        ]);

        assert_eq!(calls.unwrap(), [call("a", "f", json!({"x": 1})), call("b", "g", json!({}))]);
    }

    #[test]
    fn arguments_that_are_no_json_are_malformed() {
        let broken = finished(vec![json!({"index": 0, "function": {"name": "f", "arguments": "{\"x\":"}})]);

        assert_eq!(broken.unwrap_err().kind, crate::ChatErrorKind::Malformed);
    }

    #[test]
    fn arguments_that_name_a_member_twice_are_malformed() {
        let twice = r#"{"a": {"x": 1, "x": 2}}"#;
        let piece = json!({"index": 0, "function": {"name": "f", "arguments": twice}});

        let error = finished(vec![piece]).unwrap_err();
        assert_eq!(
            error.detail,
            "the arguments of `f`: member \"x\" stands there twice, allowed is once at line 1 column 18"
        );
        let object = format!(r#"{{"index": 0, "function": {{"name": "f", "arguments": {twice}}}}}"#);
        assert!(serde_json::from_str::<CallPiece>(&object).is_err());
    }
}
