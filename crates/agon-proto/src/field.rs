//! How a value of core stands in a field of a message: one conversion for each type, and the few ways in which a field differs from its type.
use crate::error::{DecodeError, FieldProblem};
use agon_core::{DebateId, HostId, ModelName, NodeId, ParticipantId, Position, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A value of core with its form in a message.
///
/// A message that must be there is a `T` in an `Option<P>`, one that may be absent an `Option<T>` in an `Option<P>`.
pub(crate) trait Mirrored<P>: Sized {
    /// Its form on the wire.
    fn out(&self) -> P;
    /// The value of such a form. Errors name `field`, the place of the form in its message.
    fn read(wire: P, field: &str) -> Result<Self, DecodeError>;
}

macro_rules! the_same {
    ($($type:ty),+) => {$(
        impl Mirrored<$type> for $type {
            fn out(&self) -> $type {
                self.clone()
            }
            fn read(wire: $type, _: &str) -> Result<Self, DecodeError> {
                Ok(wire)
            }
        }
    )+};
}
the_same!(String, bool, u32, u64, i64, f64);

macro_rules! names {
    ($($type:ty),+) => {$(
        impl Mirrored<String> for $type {
            fn out(&self) -> String {
                self.to_string()
            }
            fn read(wire: String, _: &str) -> Result<Self, DecodeError> {
                Ok(Self::new(wire))
            }
        }
    )+};
}
names!(HostId, ModelName, NodeId, ParticipantId);

macro_rules! numbers {
    ($($type:ident),+) => {$(
        impl Mirrored<u64> for $type {
            fn out(&self) -> u64 {
                self.0
            }
            fn read(wire: u64, _: &str) -> Result<Self, DecodeError> {
                Ok($type(wire))
            }
        }
    )+};
}
numbers!(Position, Timestamp);

impl Mirrored<String> for DebateId {
    fn out(&self) -> String {
        self.to_string()
    }
    fn read(wire: String, field: &str) -> Result<Self, DecodeError> {
        Self::parse(&wire).map_err(|error| DecodeError::field(field, FieldProblem::Invalid(error.to_string())))
    }
}
impl Mirrored<String> for Arc<str> {
    fn out(&self) -> String {
        self.as_ref().to_owned()
    }
    fn read(wire: String, _: &str) -> Result<Self, DecodeError> {
        Ok(wire.into())
    }
}
impl Mirrored<String> for serde_json::Value {
    fn out(&self) -> String {
        self.to_string()
    }
    fn read(wire: String, field: &str) -> Result<Self, DecodeError> {
        let refused = |error| DecodeError::field(field, FieldProblem::Invalid(format!("is not JSON: {error}")));
        serde_json::from_str(&wire).map_err(refused)
    }
}
impl Mirrored<u32> for u8 {
    fn out(&self) -> u32 {
        (*self).into()
    }
    fn read(wire: u32, field: &str) -> Result<Self, DecodeError> {
        let refused = |_| DecodeError::field(field, FieldProblem::Invalid(format!("{wire} is out of range")));
        Self::try_from(wire).map_err(refused)
    }
}

impl<T: Mirrored<P>, P> Mirrored<P> for Box<T> {
    fn out(&self) -> P {
        self.as_ref().out()
    }
    fn read(wire: P, field: &str) -> Result<Self, DecodeError> {
        T::read(wire, field).map(Self::new)
    }
}
impl<T: Mirrored<P>, P> Mirrored<Option<P>> for Option<T> {
    fn out(&self) -> Option<P> {
        self.as_ref().map(T::out)
    }
    fn read(wire: Option<P>, field: &str) -> Result<Self, DecodeError> {
        wire.map(|wire| T::read(wire, field)).transpose()
    }
}
impl<T: Mirrored<P>, P> Mirrored<Vec<P>> for Vec<T> {
    fn out(&self) -> Vec<P> {
        self.iter().map(T::out).collect()
    }
    fn read(wire: Vec<P>, field: &str) -> Result<Self, DecodeError> {
        let item = |(index, wire)| T::read(wire, field).map_err(|error| error.of_item(field, index));
        wire.into_iter().enumerate().map(item).collect()
    }
}
impl<K: Mirrored<String> + Ord, V: Mirrored<P>, P> Mirrored<BTreeMap<String, P>> for BTreeMap<K, V> {
    fn out(&self) -> BTreeMap<String, P> {
        self.iter().map(|(key, value)| (key.out(), value.out())).collect()
    }
    fn read(wire: BTreeMap<String, P>, field: &str) -> Result<Self, DecodeError> {
        wire.into_iter().map(|(key, value)| Ok((K::read(key, field)?, V::read(value, field)?))).collect()
    }
}

/// A form that can be absent: an optional field, or an enum's number, where 0 says nothing.
pub(crate) trait Absent: Sized {
    /// What is there if it is not absent.
    type Present;
    /// The form of nothing.
    const ABSENT: Self;
    /// The form of something.
    fn of(present: Self::Present) -> Self;
    /// What is there.
    fn present(self) -> Option<Self::Present>;
}
impl<P> Absent for Option<P> {
    type Present = P;
    const ABSENT: Self = None;
    fn of(present: P) -> Self {
        Some(present)
    }
    fn present(self) -> Self {
        self
    }
}
impl Absent for i32 {
    type Present = Self;
    const ABSENT: Self = 0;
    fn of(present: Self) -> Self {
        present
    }
    fn present(self) -> Option<Self> {
        Some(self).filter(|number| *number != 0)
    }
}

/// As the type says.
pub(crate) mod same {
    use super::{DecodeError, Mirrored};

    pub(crate) fn out<T: Mirrored<P>, P>(value: &T) -> P {
        value.out()
    }
    pub(crate) fn read<T: Mirrored<P>, P>(wire: P, field: &str) -> Result<T, DecodeError> {
        T::read(wire, field)
    }
}

/// Always written; what is absent, because an earlier version wrote it, has the given value.
pub(crate) mod or {
    use super::{Absent, DecodeError, Mirrored};

    pub(crate) fn out<T: Mirrored<P::Present>, P: Absent>(value: &T, _: T) -> P {
        P::of(value.out())
    }
    pub(crate) fn read<T: Mirrored<P::Present>, P: Absent>(wire: P, field: &str, usual: T) -> Result<T, DecodeError> {
        wire.present().map_or(Ok(usual), |wire| T::read(wire, field))
    }
}

/// Left out where it has the given value.
pub(crate) mod unless {
    use super::{Absent, DecodeError, Mirrored};

    pub(crate) fn out<T: Mirrored<P::Present> + PartialEq, P: Absent>(value: &T, usual: T) -> P {
        if *value == usual { P::ABSENT } else { P::of(value.out()) }
    }
    pub(crate) fn read<T: Mirrored<P::Present>, P: Absent>(wire: P, field: &str, usual: T) -> Result<T, DecodeError> {
        super::or::read(wire, field, usual)
    }
}

/// An optional value in an enum's number, where 0 is none.
pub(crate) mod or_none {
    use super::{Absent, DecodeError, Mirrored};

    pub(crate) fn out<T: Mirrored<i32>>(value: &Option<T>) -> i32 {
        value.as_ref().map_or(i32::ABSENT, T::out)
    }
    pub(crate) fn read<T: Mirrored<i32>>(wire: i32, field: &str) -> Result<Option<T>, DecodeError> {
        wire.present().map(|number| T::read(number, field)).transpose()
    }
}

/// What this version does not understand is no reason to refuse a log.
pub(crate) mod if_known {
    use super::{DecodeError, Mirrored};

    pub(crate) fn out<T: Mirrored<P>, P>(value: &T) -> P {
        value.out()
    }
    pub(crate) fn read<T: Mirrored<P> + Default, P>(wire: P, field: &str) -> Result<T, DecodeError> {
        Ok(T::read(wire, field).unwrap_or_default())
    }
}

/// A debate's name, without its tenant: what clients call it by.
pub(crate) mod name {
    use super::{DebateId, DecodeError, Mirrored};

    pub(crate) fn out(value: &DebateId) -> String {
        value.name().to_owned()
    }
    pub(crate) fn read(wire: String, field: &str) -> Result<DebateId, DecodeError> {
        DebateId::read(wire, field)
    }
}
