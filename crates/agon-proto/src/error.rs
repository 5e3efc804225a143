//! What is wrong with a message, and where.
use std::fmt;

/// Why bytes or a message are not what they should be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DecodeError {
    /// The bytes are no protobuf message of this type.
    #[error("not a message of this type: {0}")]
    Bytes(prost::DecodeError),
    /// A field holds what it must not.
    #[error("{path}: {problem}")]
    Field {
        /// The field, from the outermost message, as in `events[2].turn_asked.task`.
        path: String,
        /// What is wrong with it.
        problem: FieldProblem,
    },
}

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldProblem {
    /// It must be present.
    Missing,
    /// It must not be empty.
    Empty,
    /// It is of a kind that this version does not know, or of none.
    UnknownKind,
    /// The number names nothing that this version knows.
    UnknownNumber(i32),
    /// It is out of range, or malformed.
    Invalid(String),
}
impl fmt::Display for FieldProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("is missing"),
            Self::Empty => f.write_str("is empty"),
            Self::UnknownKind => {
                f.write_str("is of a kind that this version of Agon does not know; a newer version may have written it")
            }
            Self::UnknownNumber(0) => f.write_str("is unspecified"),
            Self::UnknownNumber(number) => {
                write!(f, "has the value {number}, which this version of Agon does not know")
            }
            Self::Invalid(detail) => f.write_str(detail),
        }
    }
}

impl DecodeError {
    /// A problem of `field`.
    pub(crate) fn field(field: impl Into<String>, problem: FieldProblem) -> Self {
        Self::Field { path: field.into(), problem }
    }
    /// The same problem, seen from the message that holds `field`.
    pub(crate) fn within(self, field: &str) -> Self {
        match self {
            Self::Bytes(error) => Self::field(field, FieldProblem::Invalid(error.to_string())),
            Self::Field { path, problem } => Self::field(format!("{field}.{path}"), problem),
        }
    }
    /// The same problem of `field`, which is a list, as one of the item with this index.
    pub(crate) fn of_item(self, field: &str, index: usize) -> Self {
        match self {
            Self::Bytes(_) => self.within(field),
            Self::Field { path, problem } => {
                let rest = path.strip_prefix(field).unwrap_or(&path);
                Self::field(format!("{field}[{index}]{rest}"), problem)
            }
        }
    }
}

/// A field that must be there.
pub(crate) fn present<P>(value: Option<P>, field: &str) -> Result<P, DecodeError> {
    value.ok_or_else(|| DecodeError::field(field, FieldProblem::Missing))
}

/// The name of a message's field for a kind of this name.
pub(crate) fn snake(kind: &str) -> String {
    let mut name = String::new();
    for letter in kind.chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}
