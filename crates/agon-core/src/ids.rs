//! Identifiers. No bare string crosses a module boundary as an id.
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A debate's id: 4 to 63 characters of `[a-z0-9-]`, chosen by the client or a UUIDv7.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DebateId(Arc<str>);

/// Why a text is not a [`DebateId`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("debate id {0:?} is not 4 to 63 characters of a-z, 0-9 and '-'")]
pub struct InvalidDebateId(String);

impl DebateId {
    /// Checks the form of the id.
    pub fn parse(text: &str) -> Result<Self, InvalidDebateId> {
        let fits = (4..=63).contains(&text.len());
        let allowed = text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if fits && allowed { Ok(Self(text.into())) } else { Err(InvalidDebateId(text.to_owned())) }
    }
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
impl TryFrom<String> for DebateId {
    type Error = InvalidDebateId;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}
impl From<DebateId> for String {
    fn from(id: DebateId) -> Self {
        id.0.to_string()
    }
}
impl fmt::Display for DebateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

macro_rules! name_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);
        impl $name {
            /// Takes the name as it is.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }
    };
}
name_type! {
    /// One who takes turns: a persona's name, `moderator`, or `judge`. Unique in its debate.
    ParticipantId
}
name_type! {
    /// A process that runs Agon, named by its operator or at start.
    NodeId
}
name_type! {
    /// A model server, by the name that the configuration gives it.
    HostId
}
name_type! {
    /// A model, by the full name that its server knows it by.
    ModelName
}

/// The moderator's participant id.
pub const MODERATOR: &str = "moderator";
/// The judge's participant id.
pub const JUDGE: &str = "judge";

/// The place of a turn inside its debate, and which try it is.
///
/// `seat` counts the slots of a round in the order in which they are opened, so that a speaker who is named twice has
/// two seats. Round 0 holds what comes before the first round (ballots, openings); the round after the last one holds
/// what comes after it (closings, final ballots, judging).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TurnId {
    /// The round, 0 before the first.
    pub round: u32,
    /// The slot in the round, from 0.
    pub seat: u32,
    /// The try, from 1.
    pub attempt: u32,
}
impl TurnId {
    /// The same turn's next try.
    pub fn next_attempt(self) -> Self {
        Self { attempt: self.attempt.saturating_add(1), ..self }
    }
    /// Whether both name the same slot, whatever the try.
    pub fn same_slot(self, other: Self) -> bool {
        (self.round, self.seat) == (other.round, other.seat)
    }
}
impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}-s{}-a{}", self.round, self.seat, self.attempt)
    }
}

/// Milliseconds since the Unix epoch, UTC. Core is told the time and never asks for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub u64);
impl Timestamp {
    /// This moment plus `milliseconds`.
    pub fn plus(self, milliseconds: u64) -> Self {
        Self(self.0.saturating_add(milliseconds))
    }
    /// Milliseconds from `earlier` to here, 0 if it is not earlier.
    pub fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// An event's number in its debate's log, from 1. 0 is the place before the first event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Position(pub u64);
impl Position {
    /// The next event's number.
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}
