//! Plain values: from a checked one, and back to what a file has.
use crate::section::CheckedValue;
use agon_core::gate::GateRule;
use agon_core::{
    AnswerKind, Ballots, ConsensusStrategy, ContextScope, DebateFormat, DebateWhen, Direction, EndCondition, Interject,
    Interruptions, Memory, Mode, ModelName, Named, OnCut, OnTurnFailure, Output, ParticipantId, Quorum, Scoring,
    SelfVotes, Sight, Style, SummaryStyle, Think, Tolerance, Topology, TurnKind, TurnMode, Visibility, VoteRule,
    Voters,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// A value of one key.
pub(crate) trait Leaf: Sized {
    /// The value; none of one that was refused.
    fn read(value: &CheckedValue) -> Option<Self>;
    /// The value as a file has it; none where absence says it.
    fn given(&self) -> Option<Value>;
    /// Takes the value over, if it is one.
    fn put(&mut self, value: &CheckedValue) {
        if let Some(value) = Self::read(value) {
            *self = value;
        }
    }
}

impl<T: Leaf> Leaf for Option<T> {
    fn read(value: &CheckedValue) -> Option<Self> {
        T::read(value).map(Some)
    }
    fn given(&self) -> Option<Value> {
        self.as_ref().and_then(Leaf::given)
    }
}

/// Types with the checked value that they come from, and what a file has: `u32: Integer(number) => READ, |of| WRITE;`.
macro_rules! leaves {
    ($($type:ty: $kind:ident($value:ident) => $read:expr, |$of:ident| $write:expr;)+) => {$(
        impl Leaf for $type {
            fn read(value: &CheckedValue) -> Option<Self> {
                if let CheckedValue::$kind($value) = value { $read } else { None }
            }
            fn given(&self) -> Option<Value> {
                let $of = self;
                Some($write)
            }
        }
    )+};
}

leaves! {
    String: Text(text) => Some(text.clone()), |of| of.as_str().into();
    ModelName: Text(text) => Some(text.as_str().into()), |of| of.as_str().into();
    ParticipantId: Text(text) => Some(text.as_str().into()), |of| of.as_str().into();
    bool: Flag(flag) => Some(*flag), |of| (*of).into();
    f64: Number(number) => Some(*number), |of| (*of).into();
    u8: Integer(number) => (*number).try_into().ok(), |of| (*of).into();
    u32: Integer(number) => (*number).try_into().ok(), |of| (*of).into();
    u64: Integer(number) => (*number).try_into().ok(), |of| (*of).into();
    i64: Integer(number) => (*number).try_into().ok(), |of| (*of).into();
    Value: Data(data) => Some(data.clone()), |of| of.clone();
    BTreeMap<String, String>: Labels(labels) => Some(labels.clone()), |of| of.iter().map(|(key, text)| (key.clone(), Value::String(text.clone()))).collect();
    Vec<String>: Lines(lines) => Some(lines.iter().map(|(line, _)| line.clone()).collect()), |of| of.as_slice().into();
    Vec<ModelName>: Lines(lines) => Some(lines.iter().map(|(line, _)| line.as_str().into()).collect()), |of| of.iter().map(ModelName::as_str).collect();
    Vec<ParticipantId>: Lines(lines) => Some(lines.iter().map(|(line, _)| line.as_str().into()).collect()), |of| of.iter().map(ParticipantId::as_str).collect();
    Vec<EndCondition>: Choices(names) => Some(names.iter().filter_map(|name| Named::from_name(name)).collect()), |of| of.iter().map(|rule| rule.as_str()).collect();
    Vec<Output>: Choices(names) => Some(names.iter().filter_map(|name| Named::from_name(name)).collect()), |of| of.iter().map(|output| output.as_str()).collect();
}

/// Enums of core, whose names are those of the table.
macro_rules! named_leaves {
    ($($type:ident),+ $(,)?) => {
        leaves! { $($type: Choice(name) => Named::from_name(name), |of| of.as_str().into();)+ }
    };
}

named_leaves! {
    AnswerKind, DebateWhen, Ballots, ConsensusStrategy, ContextScope, DebateFormat, Direction, Interject, Interruptions, Memory, Mode, OnCut, OnTurnFailure, Output, Scoring,
    SelfVotes, Style, SummaryStyle, Topology, TurnMode, Visibility, VoteRule, Voters,
}

impl Leaf for Vec<Sight> {
    /// A list that was refused shows nothing, so that it is not missed besides.
    fn read(value: &CheckedValue) -> Option<Self> {
        let sight = |name: &str| TurnKind::from_name(name).map_or_else(|| Sight::Persona(name.into()), Sight::Kind);
        let lines = if let CheckedValue::Lines(lines) = value { lines.as_slice() } else { &[] };
        Some(lines.iter().map(|(name, _)| sight(name)).collect())
    }
    fn given(&self) -> Option<Value> {
        let name = |sight: &Sight| match sight {
            Sight::Kind(kind) => kind.as_str().to_owned(),
            Sight::Persona(name) => name.as_str().to_owned(),
        };
        Some(self.iter().map(name).collect())
    }
}

impl Leaf for Think {
    fn read(value: &CheckedValue) -> Option<Self> {
        match value {
            CheckedValue::Flag(on) => Some(if *on { Self::On } else { Self::Off }),
            CheckedValue::Choice(level) => {
                [Self::Low, Self::Medium, Self::High].into_iter().find(|one| one.as_str() == *level)
            }
            _ => None,
        }
    }
    fn given(&self) -> Option<Value> {
        Some(match self {
            Self::Off => false.into(),
            Self::On => true.into(),
            Self::Low | Self::Medium | Self::High => self.as_str().into(),
        })
    }
}

impl Leaf for GateRule {
    fn read(value: &CheckedValue) -> Option<Self> {
        if let CheckedValue::Data(rule) = value { Self::read(&rule.to_string()).ok() } else { None }
    }
    fn given(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }
}

impl Leaf for Tolerance {
    fn read(value: &CheckedValue) -> Option<Self> {
        if let CheckedValue::Tolerance(tolerance) = value { Some(*tolerance) } else { None }
    }
    fn given(&self) -> Option<Value> {
        match self {
            Self::Exact => None,
            Self::Absolute(most) => Some((*most).into()),
            Self::Relative(_) => Some(self.to_string().into()),
        }
    }
}

impl Leaf for Quorum {
    fn read(value: &CheckedValue) -> Option<Self> {
        match value {
            CheckedValue::Integer(count) => (*count).try_into().ok().map(Self::AtLeast),
            CheckedValue::Choice("majority") => Some(Self::Majority),
            CheckedValue::Choice("all") => Some(Self::All),
            _ => None,
        }
    }
    fn given(&self) -> Option<Value> {
        Some(match self {
            Self::Majority => "majority".into(),
            Self::All => "all".into(),
            Self::AtLeast(count) => (*count).into(),
        })
    }
}
