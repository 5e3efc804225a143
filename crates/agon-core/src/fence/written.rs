//! The text of a prompt: it takes our wording, figures, the author's words, and what fences print.
use super::{Mark, one_line};
use crate::MAX_FILLED;
use crate::ids::ParticipantId;
use crate::spec::{AnswerKind, DebateSpec, Judge, Moderator, Persona, Summarizer, Synthesizer};
use crate::transcript::speaker_labels;
use serde_json::Value;
use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

/// Text of a prompt while it is put together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written(pub(super) String);

/// What may stand anywhere in a prompt: wording of ours, a figure, the author's words, or what was written already.
#[derive(Clone, Debug)]
pub struct Part<'a>(Cow<'a, str>);

/// Words of the debate's author, on whose behalf the debate runs.
///
/// They come out of a debate's description by a function that sees nothing else:
///
/// ```compile_fail
/// # fn of(spec: &agon_core::DebateSpec, said: String) {
/// agon_core::fence::Author::of(spec, |_| Some(said.as_str()));
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Author<'a>(&'a str);

/// A finished text of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptText(Arc<str>);

/// What the author of a debate wrote: the parts of its description.
pub trait Authored: sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
}
macro_rules! authored {
    ($($part:ty),+) => { $(impl sealed::Sealed for $part {} impl Authored for $part {})+ };
}
authored!(DebateSpec, Persona, Moderator, Judge, Summarizer, Synthesizer);

impl<'a> Author<'a> {
    /// One of the author's texts.
    pub fn of<S: Authored>(part: &'a S, text: for<'b> fn(&'b S) -> Option<&'b str>) -> Option<Self> {
        text(part).map(Self)
    }
    /// Several of the author's texts.
    pub fn all<S: Authored>(part: &'a S, texts: for<'b> fn(&'b S) -> &'b [String]) -> Vec<Self> {
        texts(part).iter().map(|text| Self(text)).collect()
    }
    /// Without white space around it.
    #[must_use]
    pub fn trimmed(self) -> Self {
        Self(self.0.trim())
    }
    /// Whether two are the same, the case of ASCII letters aside.
    pub fn is_like(self, other: Self) -> bool {
        self.0.eq_ignore_ascii_case(other.0)
    }
    /// Whether they are the same.
    pub fn is(self, other: Self) -> bool {
        self.0 == other.0
    }
    /// On one line.
    pub fn on_one_line(self) -> Written {
        Written(one_line(self.0))
    }
}

impl Written {
    pub(super) fn made(text: String) -> Self {
        Self(text)
    }
    /// A JSON value of the author's.
    pub fn json<S: Authored>(part: &S, value: for<'b> fn(&'b S) -> Option<&'b Value>) -> Option<Self> {
        value(part).map(|value| Self(value.to_string()))
    }
    /// A text of the log that is no word from outside: a participant's name, a stance, an option, a number in its one spelling, or the
    /// label by which judges know a speaker. None for every other text.
    pub fn known(spec: &DebateSpec, seed: u64, text: &str) -> Option<Self> {
        let named = || {
            spec.personas.iter().any(|persona| persona.name.as_str() == text || persona.stance.as_deref() == Some(text))
        };
        let staff = || spec.role(&ParticipantId::new(text)).is_some();
        let labelled = || speaker_labels(spec, seed, true).iter().any(|(_, label)| label == text);
        let option = || spec.options().is_some_and(|options| options.iter().any(|option| option == text));
        let number = || {
            let form = spec.answer.as_ref().filter(|form| form.kind == AnswerKind::Number);
            form.is_some_and(|form| form.read(text).is_ok_and(|read| read == text))
        };
        (named() || option() || number() || staff() || labelled()).then(|| Self(one_line(text)))
    }
    /// Adds at the end.
    pub fn push<'a>(&mut self, part: impl Into<Part<'a>>) {
        self.0.push_str(&part.into().0);
    }
    /// Parts with the same text between each two.
    pub fn joined<'a>(parts: impl IntoIterator<Item = impl Into<Part<'a>>>, between: &'static str) -> Self {
        let mut all = Self::default();
        for (at, part) in parts.into_iter().enumerate() {
            all.push(if at == 0 { "" } else { between });
            all.push(part);
        }
        all
    }
    /// The first bytes; nothing where these end inside a character.
    pub fn up_to(&self, bytes: usize) -> Part<'_> {
        Part(self.0.get(..bytes).unwrap_or_default().into())
    }
    /// The text, to be read.
    pub fn as_str(&self) -> &str {
        &self.0
    }
    /// The text as it is sent.
    pub fn finished(self) -> PromptText {
        PromptText(self.0.into())
    }
}

impl<'a> Part<'a> {
    /// The text with each `{{name}}` replaced by its value. Values are not looked into, unknown names stay as they are, and so
    /// does what follows once the text has grown to [`MAX_FILLED`]; debate files that would are refused.
    pub fn fill(&self, values: &[(&str, Part<'_>)]) -> Written {
        let template = self.0.trim_end_matches('\n');
        let mut filled = String::with_capacity(template.len());
        let mut rest = template;
        while let Some((before, after)) = rest.split_once("{{").filter(|_| filled.len() <= MAX_FILLED) {
            filled.push_str(before);
            let value = after.split_once("}}").and_then(|(name, after)| {
                let (_, value) = values.iter().find(|(known, _)| *known == name.trim())?;
                Some((value, after))
            });
            rest = match value {
                Some((value, after)) => {
                    filled.push_str(&value.0);
                    after
                }
                None => {
                    filled.push_str("{{");
                    after
                }
            };
        }
        filled.push_str(rest);
        Written(filled)
    }
    /// On one line.
    #[must_use]
    pub fn on_one_line(self) -> Self {
        Self(one_line(&self.0).into())
    }
    /// Without white space around it.
    pub fn trimmed(&self) -> Part<'_> {
        Part(self.0.trim().into())
    }
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// How many characters it has.
    pub fn chars(&self) -> usize {
        self.0.chars().count()
    }
    /// How many bytes it has.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }
}

impl From<&'static str> for Part<'_> {
    fn from(ours: &'static str) -> Self {
        Self(ours.into())
    }
}
impl<'a> From<&'a Written> for Part<'a> {
    fn from(written: &'a Written) -> Self {
        Self(written.0.as_str().into())
    }
}
impl From<Written> for Part<'_> {
    fn from(written: Written) -> Self {
        Self(written.0.into())
    }
}
impl<'a> From<&'a PromptText> for Part<'a> {
    fn from(text: &'a PromptText) -> Self {
        Self(text.0.as_ref().into())
    }
}
impl<'a> From<&'a Mark> for Part<'a> {
    fn from(mark: &'a Mark) -> Self {
        Self(mark.as_str().into())
    }
}
impl<'a> From<Author<'a>> for Part<'a> {
    fn from(author: Author<'a>) -> Self {
        Self(author.0.into())
    }
}
macro_rules! figures {
    ($($figure:ty),+) => {
        $(impl From<$figure> for Part<'_> {
            fn from(figure: $figure) -> Self {
                Self(figure.to_string().into())
            }
        })+
    };
}
figures!(u8, u32, u64, usize);

impl Deref for PromptText {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}
impl AsRef<str> for PromptText {
    fn as_ref(&self) -> &str {
        &self.0
    }
}
impl std::fmt::Display for PromptText {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}
impl From<PromptText> for Arc<str> {
    fn from(text: PromptText) -> Self {
        text.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_in_once_and_unknown_names_stay() {
        let values = [("name", "{{round}}".into()), ("round", 2_u32.into())];
        let filled = Part::from("{{name}} in {{ round }} of {{rounds}} {{").fill(&values);
        assert_eq!(filled.as_str(), "{{round}} in 2 of {{rounds}} {{");
    }

    #[test]
    fn a_text_grows_to_its_limit_and_no_further() {
        let part = |text: String| Part(text.into());
        let filled = part("{{topic}}".repeat(10_000)).fill(&[("topic", part("t".repeat(MAX_FILLED / 2)))]);
        let filled = filled.as_str();
        assert!(filled.len() < 2 * MAX_FILLED && filled.ends_with("{{topic}}"), "{}", filled.len());
    }

    #[test]
    fn parts_are_joined_and_cut_between_characters() {
        let all = Written::joined(["a", "b"], ", ");
        assert_eq!(all.as_str(), "a, b");
        let mut written = Written::default();
        written.push("äb");
        assert_eq!(written.up_to(2).chars(), 1);
        assert!(written.up_to(1).is_empty());
    }
}
