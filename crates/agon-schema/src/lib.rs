//! JSON Schemas that others wrote: in debate files, from MCP servers, in requests to the rehearsal.
//!
//! A schema of 2 KB can unfold to billions of checks. [`Schema::compile`] counts what a schema unfolds to before a validator
//! sees it, and [`Schema::problems`] bounds what one value costs. Patterns are matched in linear time.
//!
//! Invariant: no other crate of the product compiles a schema.

mod cache;
mod count;

use jsonschema::{PatternOptions, ValidationError, Validator};
use regex::RegexBuilder;
use serde_json::Value;

pub use cache::Cache;
pub use count::{MAX_DEPTH, MAX_NODES, MAX_PATTERN_CHARS, MOST_NODES, NODES_PER_PATTERN};

/// The most memory that one compiled pattern takes, in bytes.
const MAX_PATTERN_BYTES: usize = 256 * 1024;
/// The most nodes of a schema times parts of a value. One check takes less than a microsecond.
pub const MAX_CHECKS: u64 = 10_000_000;
/// Beyond so many checks only the first problem is looked for: a list of problems holds a list for every branch.
const MAX_LISTED_CHECKS: u64 = 500_000;
/// How many bytes of a text count as one part of a value.
const BYTES_PER_PART: usize = 64;

/// Why a schema is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct SchemaError {
    /// Where in the schema, as a JSON pointer; empty for all of it.
    pub at: String,
    /// What is wrong there.
    pub why: SchemaRefusal,
}

/// What is wrong with a schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaRefusal {
    /// The specification of JSON Schema does not allow it.
    #[error("{0}")]
    Invalid(String),
    /// It unfolds to too much.
    #[error("it has more than {0} nodes, references counted each time they are used")]
    TooLarge(u64),
    /// It nests too deep.
    #[error("it is nested deeper than {MAX_DEPTH} levels, references included")]
    TooDeep,
    /// It refers to itself.
    #[error("`$ref` refers to a part that contains it; recursive schemas are not allowed")]
    Recursive,
    /// It refers to another document, or to a name.
    #[error("`$ref` may only be `#` or begin with `#/`, a place in the same schema; found {0:?}")]
    Foreign(String),
    /// It refers to nothing.
    #[error("`$ref` leads nowhere: {0:?}")]
    Nowhere(String),
    /// A keyword that changes what references mean.
    #[error("the keyword `{0}` is not allowed")]
    Keyword(String),
    /// A pattern is too long.
    #[error("a pattern of {0} characters; at most {MAX_PATTERN_CHARS} are allowed")]
    Pattern(usize),
    /// A pattern cannot be matched in linear time, or is none.
    #[error("a pattern cannot be used: {0}")]
    Regex(RegexFault),
}

/// Why a pattern cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegexFault {
    /// It unfolds to too much.
    #[error(
        "compiled it takes more than {MAX_PATTERN_BYTES} bytes, which is all that is allowed; repeat less (`{{99}}`)"
    )]
    TooLarge,
    /// It is no regular expression, or needs what cannot be matched in linear time.
    #[error("{0}")]
    Syntax(String),
}

impl RegexFault {
    /// What is wrong with a pattern; nothing where that is not known.
    fn of(pattern: &str) -> Option<Self> {
        let limited =
            RegexBuilder::new(pattern).size_limit(MAX_PATTERN_BYTES).dfa_size_limit(MAX_PATTERN_BYTES).build();
        match limited.err()? {
            regex::Error::CompiledTooBig(_) => Some(Self::TooLarge),
            // the last line of several says why, those before show where
            regex::Error::Syntax(told) => {
                let why = told.lines().last().unwrap_or_default();
                Some(Self::Syntax(why.trim().trim_start_matches("error: ").to_owned()))
            }
            _ => None,
        }
    }
}

/// Why the validator does not take a schema.
fn refused(error: &ValidationError<'_>) -> SchemaError {
    let fault = error.instance().as_str().and_then(RegexFault::of);
    let why = fault.map_or_else(|| SchemaRefusal::Invalid(error.to_string()), SchemaRefusal::Regex);
    SchemaError { at: error.instance_path().to_string(), why }
}

/// What a value does not keep to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaMismatch {
    /// Where in the value, as a JSON pointer; empty for all of it.
    pub at: String,
    /// What is wrong there.
    pub message: String,
}

/// A schema that is ready to check values.
#[derive(Clone, Debug)]
pub struct Schema {
    validator: Validator,
    nodes: u64,
}

impl Schema {
    /// Counts a schema, of which at most `most` nodes are allowed, then compiles it. References lead nowhere but into the schema.
    pub fn compile(schema: &Value, most: u64) -> Result<Self, SchemaError> {
        let nodes = check(schema, most)?;
        let patterns = PatternOptions::regex().size_limit(MAX_PATTERN_BYTES).dfa_size_limit(MAX_PATTERN_BYTES);
        let options = jsonschema::options().with_pattern_options(patterns);
        let validator = options.build(schema).map_err(|error| refused(&error))?;
        Ok(Self { validator, nodes })
    }

    /// What `value` does not keep to, the first `most` problems.
    pub fn problems(&self, value: &Value, most: usize) -> Vec<SchemaMismatch> {
        let parts = parts(value);
        let checks = self.nodes.saturating_mul(parts);
        if checks > MAX_CHECKS {
            let message = format!(
                "{parts} values and pieces of text against a schema of {} nodes; together at most {MAX_CHECKS} checks are made",
                self.nodes
            );
            return vec![SchemaMismatch { at: String::new(), message }];
        }
        if checks > MAX_LISTED_CHECKS {
            return self.validator.validate(value).err().iter().map(problem).collect();
        }
        self.validator.iter_errors(value).take(most).map(|error| problem(&error)).collect()
    }
}

/// Counts the nodes of a schema without compiling it; at most `most` are allowed.
pub fn check(schema: &Value, most: u64) -> Result<u64, SchemaError> {
    count::nodes(schema, most)
}

fn problem(error: &ValidationError<'_>) -> SchemaMismatch {
    SchemaMismatch { at: error.instance_path().to_string(), message: error.to_string() }
}

fn parts(value: &Value) -> u64 {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
        Value::String(text) => text_parts(text),
        Value::Array(items) => items.iter().map(parts).fold(1, u64::saturating_add),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| text_parts(name) + parts(value)).fold(1, u64::saturating_add)
        }
    }
}

fn text_parts(text: &str) -> u64 {
    u64::try_from(1 + text.len() / BYTES_PER_PART).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
