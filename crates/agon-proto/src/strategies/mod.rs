//! Arbitrary values of everything that is stored or sent, for property tests. Never part of a release.
mod variants;

use agon_core::gate::{GateFeature, GateMethod, GateRule, GateSide};
use agon_core::{
    Ask, DebateId, DebateSpec, Event, HostId, ModelName, NodeId, ParticipantId, Position, Quorum, Record, Timestamp,
    Tolerance, TurnResult,
};
use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

/// A type with arbitrary values: whatever its form on the wire can hold, valid or not. `mirror!`, `oneof!` and `enums!` make it.
pub trait Arbitrary: Sized + 'static {
    /// Its values.
    fn arbitrary() -> BoxedStrategy<Self>;
}

macro_rules! arbitrary {
    ($($type:ty: $strategy:expr),+ $(,)?) => {$(
        impl Arbitrary for $type {
            fn arbitrary() -> BoxedStrategy<Self> {
                $strategy.boxed()
            }
        }
    )+};
}
arbitrary! {
    bool: any::<Self>(),
    u8: any::<Self>(),
    u32: any::<Self>(),
    u64: any::<Self>(),
    i64: any::<Self>(),
    f64: real(),
    String: text(),
    Arc<str>: text().prop_map(Self::from),
    DebateId: debate_id(),
    HostId: text().prop_map(Self::new),
    ModelName: text().prop_map(Self::new),
    NodeId: text().prop_map(Self::new),
    ParticipantId: text().prop_map(Self::new),
    Position: any::<u64>().prop_map(Self),
    Timestamp: any::<u64>().prop_map(Self),
    Value: schema(),
    GateRule: prop_oneof![
        Just(Self::unanimous()),
        Just(Self::plain(GateMethod::Never)),
        (-8i32..8).prop_map(|eighths| {
            let (feature, debate_when) = (GateFeature::TopShare, GateSide::Below);
            Self::plain(GateMethod::Threshold { feature, debate_when, threshold: f64::from(eighths) / 8.0 })
        }),
    ],
    Tolerance: prop_oneof![Just(Self::Exact), any::<f64>().prop_map(Self::Absolute), any::<f64>().prop_map(Self::Relative)],
    Quorum: prop_oneof![Just(Self::Majority), Just(Self::All), any::<u32>().prop_map(Self::AtLeast)],
}

impl<T: Arbitrary + Debug> Arbitrary for Option<T> {
    fn arbitrary() -> BoxedStrategy<Self> {
        proptest::option::of(T::arbitrary()).boxed()
    }
}
impl<T: Arbitrary + Debug> Arbitrary for Box<T> {
    fn arbitrary() -> BoxedStrategy<Self> {
        T::arbitrary().prop_map(Self::new).boxed()
    }
}
impl<T: Arbitrary + Debug> Arbitrary for Vec<T> {
    fn arbitrary() -> BoxedStrategy<Self> {
        vec(T::arbitrary(), 0..3).boxed()
    }
}
impl<K: Arbitrary + Debug + Ord, V: Arbitrary + Debug> Arbitrary for BTreeMap<K, V> {
    fn arbitrary() -> BoxedStrategy<Self> {
        proptest::collection::btree_map(K::arbitrary(), V::arbitrary(), 0..3).boxed()
    }
}
impl<A: Arbitrary + Debug, B: Arbitrary + Debug> Arbitrary for (A, B) {
    fn arbitrary() -> BoxedStrategy<Self> {
        (A::arbitrary(), B::arbitrary()).boxed()
    }
}

/// Any JSON stands for a schema; its members keep their order.
fn schema() -> BoxedStrategy<Value> {
    let member = (text(), text(), any::<i64>(), any::<bool>());
    vec(member, 0..3)
        .prop_map(|members| {
            let properties: serde_json::Map<String, Value> = members
                .into_iter()
                .map(|(name, title, most, only)| {
                    (name, json!({ "title": title, "maximum": most, "uniqueItems": only }))
                })
                .collect();
            json!({ "type": "object", "properties": properties, "required": [] })
        })
        .boxed()
}

/// A debate, valid or not: the wire does not care.
pub fn spec() -> BoxedStrategy<DebateSpec> {
    DebateSpec::arbitrary()
}

/// Something that happened.
pub fn event() -> BoxedStrategy<Event> {
    Event::arbitrary()
}

/// One request to one participant.
pub fn ask() -> BoxedStrategy<Ask> {
    Ask::arbitrary()
}

/// What became of a try.
pub fn turn_result() -> BoxedStrategy<TurnResult> {
    TurnResult::arbitrary()
}

/// A record of 1 to 4 events.
pub fn record() -> BoxedStrategy<Record> {
    let head = (1..u64::from(u32::MAX), any::<u64>(), any::<u64>(), any::<u64>());
    (head, vec(event(), 1..5))
        .prop_map(|((first, at, epoch, nonce), events)| Record {
            first: Position(first),
            at: Timestamp(at),
            epoch,
            nonce,
            events,
        })
        .boxed()
}

/// A debate's id.
pub fn debate_id() -> BoxedStrategy<DebateId> {
    "([a-z0-9-]{1,32}/)?[a-z0-9-]{4,63}".prop_filter_map("an id", |text| DebateId::parse(&text).ok()).boxed()
}

/// A text, sometimes empty, not only of ASCII.
pub fn text() -> BoxedStrategy<String> {
    "[a-z\\né☃ ]{0,8}".boxed()
}

/// A finite number.
fn real() -> BoxedStrategy<f64> {
    (-2.0..2.0f64).boxed()
}
