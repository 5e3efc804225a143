//! What a server refuses of a request by name, and how the request is written without it.
//!
//! A server that refuses a field says so before it does any work, so the corrected request is the same try (ADR 0043).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{
    ChatFields, ChatMessage, Endpoint, MessageRole, OptionalField as Field, SharedText, WellKnownModel, WellKnownModels,
};

/// So many models of a server are remembered; any other is corrected at every call.
const MOST_MODELS: usize = 1_024;
/// A limit below this is no limit of answers: such numbers are versions and counts.
const LEAST_LIMIT: u32 = 16;

/// Names by which servers of both dialects call each field, and descriptions that count where no name is given.
///
/// Of fields that exclude each other the first one goes.
const FIELDS: [(Field, &[&str], &[&str]); 8] = [
    (Field::StreamOptions, &["stream_options", "include_usage"], &["stream options"]),
    (Field::TopP, &["top_p", "topp", "top-p"], &["nucleus"]),
    (Field::Temperature, &["temperature"], &[]),
    (Field::PresencePenalty, &["presence_penalty", "presencepenalty"], &["presence penalty", "penalty is not enabled"]),
    (Field::Seed, &["seed"], &[]),
    (Field::Stop, &["stop", "stop_sequences"], &["stop sequence"]),
    (
        Field::ReasoningEffort,
        &["reasoning_effort", "reasoning.effort", "think", "thinking_budget", "thinking_level"],
        &["reasoning effort", "thinking"],
    ),
    (
        Field::ResponseFormat,
        &[
            "response_format",
            "json_schema",
            "json_object",
            "response_schema",
            "guided_json",
            "format",
            "responseformat",
        ],
        &["structured output", "json mode", "json schema", "response mime type", "guided decoding", "grammar"],
    ),
];
const LIMITS: [&str; 5] = ["max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens", "num_predict"];
/// That a field is known and its value out of bounds.
const RANGE: [&str; 13] = [
    "between",
    "range",
    "at most",
    "maximum",
    "less than",
    "greater than",
    "too large",
    "exceed",
    "<=",
    ">=",
    " > ",
    "must be in",
    "invalid schema",
];
/// That two fields exclude each other.
const EITHER: [&str; 5] = [" both", "at the same time", "only one", "mutually exclusive", "together with"];
const ALTERNATION: [&str; 6] =
    ["must alternate", "should alternate", "alternate between", "alternating", "roles in a row", "consecutive"];
const SYSTEM: [&str; 11] = [
    "system role",
    "system message",
    "system prompt",
    "system instruction",
    "developer instruction",
    "role 'system'",
    "role \"system\"",
    "role: system",
    "'system'",
    "\"system\"",
    "only user and assistant",
];

/// One change to the requests of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Correction {
    /// A field is left out.
    Omit(Field),
    /// Any JSON object is asked for instead of one that follows a schema.
    ObjectFormat,
    /// The token limit goes in the other of its two fields.
    OtherLimit,
    /// The token limit is no higher than this.
    LimitAtMost(u32),
    /// Messages of one role in a row become one.
    JoinMessages,
    /// The rules go into the first message of the user.
    FoldSystem,
}

/// What a refusal names, each with the changes that may help, the mildest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RefusedParts {
    choices: Vec<Vec<Correction>>,
    /// Whether the value of this call is refused, and another call's may not be.
    of_value: bool,
}

impl RefusedParts {
    /// Reads the words of a refusal, in lower case, with the fields that it names in a place of their own.
    pub(crate) fn read(words: &str, fields: &[String]) -> Self {
        let has = |any: &[&str]| any.iter().any(|word| words.contains(word));
        if has(&ALTERNATION) {
            return Self::lasting(vec![vec![Correction::JoinMessages, Correction::FoldSystem]]);
        }
        if has(&SYSTEM) {
            return Self::lasting(vec![vec![Correction::FoldSystem]]);
        }
        let in_place = |name: &str| fields.iter().any(|field| names(field, name));
        let in_words = |name: &str| names(words, name);
        let mut choices = named(&in_place, words);
        if choices.is_empty() {
            choices = named(&in_words, words);
        }
        if choices.is_empty() {
            let described = FIELDS.iter().filter(|(_, _, descriptions)| has(descriptions));
            choices = described.map(|(field, ..)| without(*field)).collect();
        }
        if has(&EITHER) {
            choices.truncate(1);
        }
        Self { choices, of_value: has(&RANGE) }
    }

    fn lasting(choices: Vec<Vec<Correction>>) -> Self {
        Self { choices, of_value: false }
    }

    /// The changes to try, each list the mildest first.
    pub(crate) fn choices(&self) -> &[Vec<Correction>] {
        &self.choices
    }

    /// Whether later calls are to be written with the change from the start.
    pub(crate) fn lasts(&self, correction: Correction) -> bool {
        !self.of_value || matches!(correction, Correction::LimitAtMost(_))
    }
}

fn named(is_named: &dyn Fn(&str) -> bool, words: &str) -> Vec<Vec<Correction>> {
    let fields = FIELDS.iter().filter(|(_, names, _)| names.iter().any(|name| is_named(name)));
    let mut choices: Vec<Vec<Correction>> = fields.map(|(field, ..)| without(*field)).collect();
    if LIMITS.iter().any(|name| is_named(name)) {
        choices.push(limit(words));
    }
    choices
}

fn without(field: Field) -> Vec<Correction> {
    let omit = Correction::Omit(field);
    if field == Field::ResponseFormat { vec![Correction::ObjectFormat, omit] } else { vec![omit] }
}

/// What helps where the token limit is refused: the highest one below it that the words name, else its other name.
fn limit(words: &str) -> Vec<Correction> {
    let bounded = RANGE.iter().any(|word| words.contains(word));
    let mut bounds: Vec<u32> = numbers(words).filter(|number| bounded && *number >= LEAST_LIMIT).collect();
    bounds.sort_unstable_by(|one, other| other.cmp(one));
    bounds.into_iter().map(Correction::LimitAtMost).chain([Correction::OtherLimit]).collect()
}

/// The numbers that stand alone.
fn numbers(words: &str) -> impl Iterator<Item = u32> + '_ {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    words.split(move |c: char| !is_part(c)).filter_map(|word| word.trim_end_matches('.').parse().ok())
}

/// Whether a text names a field, and not one of which its name is a part.
fn names(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// How the requests of a model are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RequestShape {
    pub(crate) fields: ChatFields,
    pub(crate) object_format: bool,
    most_tokens: Option<u32>,
    join: bool,
    fold: bool,
}

impl RequestShape {
    /// The shape that the settings ask for, corrected.
    pub(crate) fn new(fields: &ChatFields, corrections: &[Correction]) -> Self {
        let mut shape = Self { fields: fields.clone(), ..Self::default() };
        for correction in corrections {
            match correction {
                Correction::Omit(field) => shape.fields.omit.push(*field),
                Correction::ObjectFormat => shape.object_format = true,
                Correction::OtherLimit => shape.fields.completion_limit = !fields.completion_limit,
                Correction::LimitAtMost(most) => shape.most_tokens = Some(*most),
                Correction::JoinMessages => shape.join = true,
                Correction::FoldSystem => shape.fold = true,
            }
        }
        shape
    }

    /// The token limit of a call that asks for this one.
    pub(crate) fn limit(&self, wanted: u32) -> u32 {
        self.most_tokens.map_or(wanted, |most| most.min(wanted))
    }

    /// The conversation as the model's template takes it.
    pub(crate) fn messages<'a>(&self, messages: &'a [ChatMessage]) -> Cow<'a, [ChatMessage]> {
        if !self.join && !self.fold {
            return Cow::Borrowed(messages);
        }
        let mut shaped: Vec<ChatMessage> = Vec::with_capacity(messages.len());
        for message in messages {
            let is_rules = self.fold && message.role == MessageRole::System;
            let role = if is_rules { MessageRole::User } else { message.role };
            match shaped.last_mut() {
                Some(last) if last.role == role && is_plain(last) && is_plain(message) => {
                    last.content = joined(&last.content, &message.content);
                }
                _ => shaped.push(ChatMessage { role, ..message.clone() }),
            }
        }
        Cow::Owned(shaped)
    }
}

fn is_plain(message: &ChatMessage) -> bool {
    message.role != MessageRole::Tool && message.tool_calls.is_empty()
}

fn joined(one: &SharedText, other: &SharedText) -> SharedText {
    let gap: Arc<str> = "\n\n".into();
    one.pieces().iter().cloned().chain([gap]).chain(other.pieces().iter().cloned()).collect()
}

/// The corrections that the models of one server need.
#[derive(Debug, Default)]
pub(crate) struct CorrectionMemory {
    known: WellKnownModels,
    learned: Mutex<BTreeMap<String, Vec<Correction>>>,
}

impl CorrectionMemory {
    /// Remembers nothing yet but what is known without asking.
    pub(crate) fn new(known: WellKnownModels) -> Self {
        Self { known, learned: Mutex::default() }
    }

    /// What is known of a model.
    pub(crate) fn of(&self, model: &str) -> Vec<Correction> {
        let learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner).get(model).cloned();
        learned.unwrap_or_else(|| self.unasked(model))
    }

    fn unasked(&self, model: &str) -> Vec<Correction> {
        let WellKnownModel { output, refuses, .. } = self.known.of(model);
        refuses.into_iter().map(Correction::Omit).chain(output.map(Correction::LimitAtMost)).collect()
    }

    /// Remembers what a request was accepted with, and says each new correction once.
    pub(crate) fn keep(&self, endpoint: &Endpoint, model: &str, corrections: &[Correction]) {
        let mut models = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        if models.len() >= MOST_MODELS && !models.contains_key(model) {
            return;
        }
        let known = models.entry(model.to_owned()).or_insert_with(|| self.unasked(model));
        for correction in corrections {
            if !known.contains(correction) {
                known.push(*correction);
                tracing::warn!(server = %endpoint, model, "the model server refuses {correction}");
            }
        }
    }
}

impl fmt::Display for Correction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Omit(field) => {
                let name = field.name();
                write!(f, "{name}: calls go without it, as with omit = [\"{name}\"] of this host in [[hosts]]")
            }
            Self::ObjectFormat => f.write_str("schemas: calls ask for any JSON object, and Agon checks the answer"),
            Self::OtherLimit => f.write_str(
                "the field of the token limit: calls use the other one, see token_limit of this host in [[hosts]]",
            ),
            Self::LimitAtMost(most) => write!(f, "longer answers: calls ask for at most {most} tokens"),
            Self::JoinMessages => f.write_str("messages of one role in a row: calls join them"),
            Self::FoldSystem => f.write_str("the system role: calls put the rules into the first message of the user"),
        }
    }
}
