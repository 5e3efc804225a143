//! Requests as they come over the wire, borrowed from the body where possible.

use std::borrow::Cow;

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, Visitor},
};
use serde_json::Value;

use crate::token;

/// `POST /api/chat`.
#[derive(Debug, Default, Deserialize)]
pub struct OllamaChatRequest<'a> {
    #[serde(borrow, default)]
    pub model: Cow<'a, str>,
    #[serde(borrow, default)]
    pub messages: Vec<OllamaMessage<'a>>,
    #[serde(default)]
    pub stream: Option<bool>,
    #[serde(default)]
    pub format: Option<Value>,
    #[serde(default)]
    pub options: Option<OllamaOptions>,
    #[serde(default)]
    pub think: Option<Value>,
    #[serde(default)]
    pub tools: Option<Vec<Value>>,
    #[serde(default)]
    pub keep_alive: Option<Value>,
    #[serde(default)]
    pub truncate: Option<bool>,
    /// Who speaks, where the prompt does not name the speaker.
    #[serde(borrow, default)]
    pub agon_speaker: Option<Cow<'a, str>>,
}

/// One message of a chat.
#[derive(Debug, Deserialize)]
pub struct OllamaMessage<'a> {
    #[serde(borrow)]
    pub role: Cow<'a, str>,
    #[serde(borrow, default)]
    pub content: Cow<'a, str>,
}

/// The options the cast heeds; others are ignored, as Ollama does.
#[derive(Debug, Default, Deserialize)]
pub struct OllamaOptions {
    #[serde(default)]
    pub num_predict: Option<i64>,
    #[serde(default)]
    pub num_ctx: Option<u64>,
    #[serde(default)]
    pub seed: Option<i64>,
}

/// `POST /api/generate`.
#[derive(Debug, Default, Deserialize)]
pub struct GenerateRequest<'a> {
    #[serde(borrow, default)]
    pub model: Cow<'a, str>,
    #[serde(borrow, default)]
    pub prompt: Cow<'a, str>,
    #[serde(borrow, default)]
    pub system: Cow<'a, str>,
    #[serde(default)]
    pub stream: Option<bool>,
    #[serde(default)]
    pub format: Option<Value>,
    #[serde(default)]
    pub options: Option<OllamaOptions>,
    #[serde(default)]
    pub think: Option<Value>,
    #[serde(default)]
    pub keep_alive: Option<Value>,
    #[serde(default)]
    pub truncate: Option<bool>,
}

impl<'a> From<GenerateRequest<'a>> for OllamaChatRequest<'a> {
    fn from(asked: GenerateRequest<'a>) -> Self {
        let message = |role: &'static str, content| OllamaMessage { role: Cow::Borrowed(role), content };
        let parts = [("system", asked.system), ("user", asked.prompt)];
        Self {
            model: asked.model,
            messages: parts.into_iter().filter(|(_, c)| !c.is_empty()).map(|(role, c)| message(role, c)).collect(),
            stream: asked.stream,
            format: asked.format,
            options: asked.options,
            think: asked.think,
            tools: None,
            keep_alive: asked.keep_alive,
            truncate: asked.truncate,
            agon_speaker: None,
        }
    }
}

/// A chat request of which only the size is of interest.
#[derive(Debug, Deserialize)]
pub struct LeanRequest<'a> {
    #[serde(borrow, default)]
    pub model: Cow<'a, str>,
    #[serde(default)]
    pub messages: Vec<LeanMessage>,
    #[serde(default)]
    pub stream: Option<bool>,
    #[serde(default)]
    pub format: Option<IgnoredAny>,
}

/// A message that was counted and not kept.
#[derive(Debug, Deserialize)]
pub struct LeanMessage {
    #[serde(default)]
    pub content: TokenCount,
}

/// The token count of a string.
#[derive(Debug, Default, Clone, Copy)]
pub struct TokenCount(pub u64);

impl<'de> Deserialize<'de> for TokenCount {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct CountVisitor;
        impl Visitor<'_> for CountVisitor {
            type Value = TokenCount;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E>(self, text: &str) -> Result<TokenCount, E> {
                Ok(TokenCount(token::count(text)))
            }
        }
        from.deserialize_str(CountVisitor)
    }
}

/// Tokens that a template spends on a message.
const FRAME_TOKENS: u64 = 3;

impl LeanRequest<'_> {
    /// Tokens of the rendered prompt.
    pub fn tokens(&self) -> u64 {
        self.messages.iter().map(|message| message.content.0 + FRAME_TOKENS).sum::<u64>() + FRAME_TOKENS
    }
}

/// The prompt as one text, as a chat template would render it; each frame comes to [`FRAME_TOKENS`].
pub fn render(messages: &[OllamaMessage<'_>]) -> String {
    let size = messages.iter().map(|message| message.content.len() + 8).sum::<usize>() + 8;
    let mut text = String::with_capacity(size);
    for message in messages {
        text.push('<');
        text.push_str(match message.role.as_ref() {
            "system" => "sys",
            "assistant" => "asst",
            "tool" => "tool",
            _ => "user",
        });
        text.push('>');
        text.push_str(&message.content);
    }
    text.push_str("<asst>");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counted_prompt_and_a_rendered_one_have_as_many_tokens() {
        let body = r#"{"model":"m","messages":[{"role":"system","content":"Rules.\nAll of them"},{"role":"user","content":"Say \"hi\" 42"}]}"#;
        let lean: LeanRequest<'_> = serde_json::from_str(body).unwrap();
        let full: OllamaChatRequest<'_> = serde_json::from_str(body).unwrap();
        assert_eq!(lean.tokens(), token::count(&render(&full.messages)));
    }
}
