//! Identifiers. No bare string crosses a module boundary as an id.
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Whose debates: 1 to 32 characters of `[a-z0-9-]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TenantId(Arc<str>);

/// Why a text is not a [`TenantId`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("tenant {0:?} is not 1 to 32 characters of a-z, 0-9 and '-'")]
pub struct InvalidTenantId(String);

impl TenantId {
    /// The tenant of whoever knows no tenants.
    pub const DEFAULT: &'static str = "default";
    /// Checks the form.
    pub fn parse(text: &str) -> Result<Self, InvalidTenantId> {
        let fits = (1..=32).contains(&text.len()) && text.bytes().all(is_id_byte);
        if fits { Ok(Self(text.into())) } else { Err(InvalidTenantId(text.to_owned())) }
    }
    /// The tenant as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
impl Default for TenantId {
    fn default() -> Self {
        Self(Self::DEFAULT.into())
    }
}
impl TryFrom<String> for TenantId {
    type Error = InvalidTenantId;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}
impl From<TenantId> for String {
    fn from(id: TenantId) -> Self {
        id.0.to_string()
    }
}
impl fmt::Display for TenantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A debate's id: a tenant, and in it a name of 4 to 63 characters of `[a-z0-9-]`, chosen by the client or a UUIDv7.
///
/// As text it is `tenant/name`, and `name` alone in the default tenant. What a client sends is only ever the name: see
/// [`DebateId::in_tenant`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "String")]
pub struct DebateId(Arc<str>);

/// Why a text is not a [`DebateId`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("debate id {0:?} is not 4 to 63 characters of a-z, 0-9 and '-'")]
pub struct InvalidDebateId(String);

fn is_id_byte(b: u8) -> bool {
    b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'
}

impl DebateId {
    /// Reads `name` or `tenant/name`.
    pub fn parse(text: &str) -> Result<Self, InvalidDebateId> {
        let Some((tenant, name)) = text.split_once('/') else { return Self::in_tenant(&TenantId::default(), text) };
        let tenant = TenantId::parse(tenant).map_err(|_| InvalidDebateId(text.to_owned()))?;
        Self::in_tenant(&tenant, name)
    }
    /// Checks the form of a name and puts it into a tenant.
    pub fn in_tenant(tenant: &TenantId, name: &str) -> Result<Self, InvalidDebateId> {
        let fits = (4..=63).contains(&name.len()) && name.bytes().all(is_id_byte);
        match fits {
            false => Err(InvalidDebateId(name.to_owned())),
            true if tenant.as_str() == TenantId::DEFAULT => Ok(Self(name.into())),
            true => Ok(Self(format!("{tenant}/{name}").into())),
        }
    }
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
    /// The tenant.
    pub fn tenant(&self) -> TenantId {
        self.0.split_once('/').map_or_else(TenantId::default, |(tenant, _)| TenantId(tenant.into()))
    }
    /// The name in its tenant.
    pub fn name(&self) -> &str {
        self.0.split_once('/').map_or(&*self.0, |(_, name)| name)
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
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
    /// One who takes turns: a persona's name, or that of a role such as `moderator` or `judge`. Unique in its debate.
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
/// The judge's participant id; the others of a panel are `judge-2`, `judge-3`, ...
pub const JUDGE: &str = "judge";
/// The participant id of the one who sums up the past.
pub const SUMMARIZER: &str = "summarizer";
/// The participant id of the one who turns the result into data.
pub const SYNTHESIZER: &str = "synthesizer";
/// The participant id of the one who measures similarity.
pub const EMBEDDER: &str = "embedder";

/// The participant id of a judge, by its index in the panel.
pub fn judge_id(index: u32) -> ParticipantId {
    if index == 0 { JUDGE.into() } else { ParticipantId::new(format!("{JUDGE}-{}", index.saturating_add(1))) }
}
/// The index in the panel of the judge with this id.
pub fn judge_index(participant: &ParticipantId) -> Option<u32> {
    if participant.as_str() == JUDGE {
        return Some(0);
    }
    let number = participant.as_str().strip_prefix(JUDGE)?.strip_prefix('-')?;
    let number: u32 = number.parse().ok().filter(|parsed: &u32| parsed.to_string() == number)?;
    number.checked_sub(1).filter(|index| *index > 0)
}
/// Whether a persona may not have this name, or one that looks like it, because a role has it or because debaters are called so where
/// their names are hidden.
pub fn is_reserved(name: &str) -> bool {
    let name = ParticipantId::new(crate::names::normal_form(name));
    let role = [MODERATOR, SUMMARIZER, SYNTHESIZER, EMBEDDER].contains(&name.as_str()) || judge_index(&name).is_some();
    role || is_label(name.as_str())
}

/// `speaker a` or `debater 1`.
fn is_label(name: &str) -> bool {
    let letter = |rest: &str| rest.len() == 1 && rest.bytes().all(|c| c.is_ascii_alphabetic());
    let number = |rest: &str| rest.parse::<u32>().is_ok();
    name.strip_prefix("speaker ").is_some_and(letter) || name.strip_prefix("debater ").is_some_and(number)
}

/// The place of a turn inside its debate, and which try it is.
///
/// `seat` counts the slots of a round in the order in which they are opened, so that a speaker who is named twice has
/// two seats. Round 0 holds what comes before the first round (ballots, openings); the round after the last one holds
/// what comes after it (closings, final ballots, judging).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Position(pub u64);
impl Position {
    /// The next event's number.
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl ModelName {
    /// What stands for the model of a participant that a process outside Agon plays: `endpoint: nats` in a debate file.
    pub const EXTERNAL: &'static str = "external";
    /// The name without the tag that servers assume: both mean the same weights.
    pub fn plain(&self) -> &str {
        self.as_str().strip_suffix(":latest").unwrap_or(self.as_str())
    }
    /// The name without the date at its end: `gpt-5-2025-08-07`, `claude-haiku-4-5-20251001`.
    pub fn undated(name: &str) -> Option<&str> {
        ["-2000-00-00", "-20000000"].iter().find_map(|form| {
            let (undated, date) = name.split_at_checked(name.len().checked_sub(form.len())?)?;
            let digit_or = |(is, like): (char, char)| is == like || like == '0' && is.is_ascii_digit();
            date.chars().zip(form.chars()).all(digit_or).then_some(undated)
        })
    }
    /// Whether a process outside Agon answers, and no model.
    pub fn is_external(&self) -> bool {
        self.as_str() == Self::EXTERNAL
    }
}
