//! Arbitrary values of everything that is stored or sent, for property tests. Never part of a release.
mod answer;
mod event;
mod options;
mod roles;
mod said;
mod spec;
mod task;
mod work;

use agon_core::{DebateId, Position, Record, Timestamp};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::Arc;

pub use answer::answer;
pub use event::event;
pub use spec::spec;
pub use task::{ask, call, task, turn, turn_result};
pub use work::work;

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

/// A text that may be absent.
pub fn maybe_text() -> BoxedStrategy<Option<String>> {
    proptest::option::of(text()).boxed()
}

/// A shared text that may be absent.
pub fn maybe_shared() -> BoxedStrategy<Option<Arc<str>>> {
    maybe_text().prop_map(|text| text.map(Arc::from)).boxed()
}

/// Some texts.
pub fn texts() -> BoxedStrategy<Vec<String>> {
    vec(text(), 0..3).boxed()
}

/// A finite number.
pub fn real() -> BoxedStrategy<f64> {
    (-2.0..2.0f64).boxed()
}

/// A finite number that may be absent.
pub fn maybe_real() -> BoxedStrategy<Option<f64>> {
    proptest::option::of(real()).boxed()
}
