//! What a server answers, as text for a model.

use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, ResourceContents};

use crate::ToolError;
use crate::text::one_line;

const MAX_REASON_CHARS: usize = 1000;
const MAX_URI_CHARS: usize = 300;

pub(super) fn text(tool: &str, response: CallToolResponse) -> Result<String, ToolError> {
    let refused =
        |reason: &str| ToolError::Refused { tool: tool.to_owned(), reason: one_line(reason, MAX_REASON_CHARS) };
    match response {
        CallToolResponse::Complete(result) if result.is_error == Some(true) => Err(refused(&joined(&result))),
        CallToolResponse::Complete(result) => Ok(joined(&result)),
        CallToolResponse::InputRequired(_) => {
            Err(refused("it wants to ask its user something, and there is nobody to ask"))
        }
        CallToolResponse::Task(_) => {
            Err(refused("it works in the background, and nobody would come back for the result"))
        }
        _ => Err(ToolError::malformed(tool, "an answer of a kind that is not known here")),
    }
}

fn joined(result: &CallToolResult) -> String {
    let blocks = result.content.iter().map(block).collect::<Vec<_>>();
    match &result.structured_content {
        Some(structured) if blocks.is_empty() => structured.to_string(),
        Some(_) | None => blocks.join("\n"),
    }
}

fn block(block: &ContentBlock) -> String {
    let left_out = |what: &str, of: &str| format!("[{what} of {}, left out]", one_line(of, MAX_URI_CHARS));
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => left_out("an image", &image.mime_type),
        ContentBlock::Audio(audio) => left_out("a sound", &audio.mime_type),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                format!("[{}]\n{text}", one_line(uri, MAX_URI_CHARS))
            }
            ResourceContents::BlobResourceContents { uri, .. } => left_out("the bytes", uri),
            _ => "[a resource of a kind that is not known here]".to_owned(),
        },
        ContentBlock::ResourceLink(link) => format!("[see {}]", one_line(&link.uri, MAX_URI_CHARS)),
        _ => "[content of a kind that is not known here]".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(result: Value) -> Result<String, ToolError> {
        text("t", CallToolResponse::Complete(serde_json::from_value(result).unwrap()))
    }

    #[test]
    fn text_is_kept_and_bytes_are_named() {
        let content = json!([
            {"type": "text", "text": "a\nb"},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "inside"}},
        ]);

        assert_eq!(
            read(json!({"content": content})).unwrap(),
            "a\nb\n[an image of image/png, left out]\n[file:///a]\ninside"
        );
    }

    #[test]
    fn structured_content_alone_is_shown_as_json() {
        assert_eq!(read(json!({"content": [], "structuredContent": {"a": 1}})).unwrap(), r#"{"a":1}"#);
    }

    #[test]
    fn a_tool_that_reports_an_error_is_an_error_with_its_words() {
        let error = read(json!({"content": [{"type": "text", "text": "no such\nfile"}], "isError": true})).unwrap_err();

        assert_eq!(error, ToolError::Refused { tool: "t".into(), reason: "no such file".into() });
    }
}
