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
        problem: Problem,
    },
}

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
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
impl fmt::Display for Problem {
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
    pub(crate) fn field(field: impl Into<String>, problem: Problem) -> Self {
        Self::Field { path: field.into(), problem }
    }
    /// The same problem, seen from the message that holds `field`.
    pub(crate) fn within(self, field: &str) -> Self {
        match self {
            Self::Bytes(error) => Self::field(field, Problem::Invalid(error.to_string())),
            Self::Field { path, problem } => Self::field(format!("{field}.{path}"), problem),
        }
    }
}

/// A field that must be there.
pub(crate) fn present<P>(value: Option<P>, field: &str) -> Result<P, DecodeError> {
    value.ok_or_else(|| DecodeError::field(field, Problem::Missing))
}

/// A message that must be there, converted.
pub(crate) fn required<P, T>(value: Option<P>, field: &str) -> Result<T, DecodeError>
where
    T: TryFrom<P, Error = DecodeError>,
{
    T::try_from(present(value, field)?).map_err(|error| error.within(field))
}

/// A message that may be there, converted.
pub(crate) fn optional<P, T>(value: Option<P>, field: &str) -> Result<Option<T>, DecodeError>
where
    T: TryFrom<P, Error = DecodeError>,
{
    value.map(T::try_from).transpose().map_err(|error| error.within(field))
}

/// Every message of a repeated field, converted.
pub(crate) fn each<P, T>(values: Vec<P>, field: &str) -> Result<Vec<T>, DecodeError>
where
    T: TryFrom<P, Error = DecodeError>,
{
    let convert = |(index, value)| T::try_from(value).map_err(|error| error.within(&format!("{field}[{index}]")));
    values.into_iter().enumerate().map(convert).collect()
}

/// A number that fits into a byte.
pub(crate) fn small(value: u32, field: &str) -> Result<u8, DecodeError> {
    let refused = |_| DecodeError::field(field, Problem::Invalid(format!("{value} is out of range")));
    u8::try_from(value).map_err(refused)
}
