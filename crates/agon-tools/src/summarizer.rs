//! A model that shortens a text.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::models::{FindModel, ModelQuestion, ask};
use crate::{ModelConfig, ToolError};

const DEFAULT_WORDS: u32 = 120;
const TOKENS_PER_WORD: u32 = 4;
/// For models that think first.
const TOKENS_TO_SPARE: u32 = 2048;

pub(crate) const DESCRIPTION: &str = "Shortens a text to about the given number of words, in the text's own language.";

/// The schema of its arguments.
pub(crate) fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": {
            "text": {"type": "string", "minLength": 1, "description": "The text to shorten."},
            "words": {"type": "integer", "minimum": 10, "maximum": 1000, "description": "About how many words to keep; 120 when absent."}
        },
        "required": ["text"],
        "additionalProperties": false
    })
}

#[derive(Deserialize)]
struct SummarizerArguments {
    text: String,
    words: Option<u32>,
}

pub(crate) async fn run(
    tool: &str,
    config: &ModelConfig,
    find: &FindModel,
    arguments: Value,
) -> Result<String, ToolError> {
    let SummarizerArguments { text, words } =
        serde_json::from_value(arguments).map_err(|error| ToolError::malformed(tool, error.to_string()))?;
    let words = words.unwrap_or(DEFAULT_WORDS);
    let rules = format!(
        "Summarise the text in at most {words} words, in its own language. Keep claims, figures, names and who said what. \
         Add nothing that is not in it. Answer with the summary alone."
    );
    let max_tokens = words.saturating_mul(TOKENS_PER_WORD).saturating_add(TOKENS_TO_SPARE);
    ask(find, ModelQuestion { tool, model: &config.model, rules: &rules, text, format: None, max_tokens }).await
}
