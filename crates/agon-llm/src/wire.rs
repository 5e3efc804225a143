//! Pieces of JSON that both dialects share; what is read is read forgivingly, since servers differ.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::{ChatError, ChatRequest, ToolSpec};

/// So many models may a server list.
pub(crate) const MAX_MODELS: usize = 10_000;

/// A string that is borrowed from the input unless it holds escapes.
#[derive(serde::Deserialize, Debug)]
pub(crate) struct Borrowed<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

impl Borrowed<'_> {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Numbers that JSON does not have and that servers in Python write.
const NO_NUMBERS: [&[u8]; 3] = [b"NaN", b"-Infinity", b"Infinity"];

/// The same JSON with `null` for numbers that it cannot have; nothing where there are none.
pub(crate) fn without_nan(json: &[u8]) -> Option<Vec<u8>> {
    let (mut clean, mut rest, mut in_text) = (Vec::with_capacity(json.len()), json, false);
    while let Some((first, after)) = rest.split_first() {
        let bad = NO_NUMBERS.iter().find_map(|word| rest.strip_prefix(*word)).filter(|_| !in_text);
        match (first, after, bad) {
            (_, _, Some(after)) => {
                clean.extend_from_slice(b"null");
                rest = after;
                continue;
            }
            (b'\\', [escaped, after @ ..], None) if in_text => {
                clean.extend_from_slice(&[*first, *escaped]);
                rest = after;
                continue;
            }
            (b'"', _, None) => in_text = !in_text,
            _ => {}
        }
        clean.push(*first);
        rest = after;
    }
    (clean.len() != json.len() || clean != json).then_some(clean)
}

/// A metric: any number, or nothing at all if it is something else.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Metric(pub(crate) Option<f64>, Option<u64>);

impl Metric {
    /// The metric as a count of tokens, of which 0 is none: servers write it where they have not counted.
    pub(crate) fn tokens(self) -> Option<u64> {
        self.1.filter(|count| *count > 0)
    }

    /// The metric as a count.
    pub(crate) fn count(self) -> Option<u64> {
        self.1
    }

    /// The metric, which is in nanoseconds, in milliseconds.
    pub(crate) fn nanos(self) -> Option<u64> {
        self.1.map(|nanos| nanos / 1_000_000)
    }

    /// The metric, which is in milliseconds.
    pub(crate) fn millis(self) -> Option<u64> {
        self.0.and_then(|told| Duration::try_from_secs_f64(told / 1000.0).ok()).map(millis)
    }
}

/// Whole milliseconds.
pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl<'de> Deserialize<'de> for Metric {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MetricVisitor)
    }
}

struct MetricVisitor;

impl<'de> Visitor<'de> for MetricVisitor {
    type Value = Metric;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_u64<E>(self, value: u64) -> Result<Metric, E> {
        Ok(Metric(Some(value as f64), Some(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Metric, E> {
        Ok(u64::try_from(value).map_or(Metric::default(), |value| Metric(Some(value as f64), Some(value))))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Metric, E> {
        let valid = value.is_finite() && value >= 0.0;
        Ok(if valid { Metric(Some(value), Some(value as u64)) } else { Metric::default() })
    }

    fn visit_unit<E>(self) -> Result<Metric, E> {
        Ok(Metric::default())
    }

    fn visit_str<E>(self, _value: &str) -> Result<Metric, E> {
        Ok(Metric::default())
    }

    fn visit_bool<E>(self, _value: bool) -> Result<Metric, E> {
        Ok(Metric::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Metric, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Metric::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Metric, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Metric::default())
    }
}

/// The first element of an array, without a vector for the rest.
#[derive(Debug)]
pub(crate) struct First<T>(pub(crate) Option<T>);

impl<T> Default for First<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for First<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FirstVisitor(PhantomData))
    }
}

struct FirstVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for FirstVisitor<T> {
    type Value = First<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<First<T>, A::Error> {
        let first = seq.next_element()?;
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(First(first))
    }

    fn visit_unit<E>(self) -> Result<First<T>, E> {
        Ok(First(None))
    }
}

/// An array of at most `N` elements; a longer one is an error before more are kept.
#[derive(Debug)]
pub(crate) struct AtMost<T, const N: usize>(pub(crate) Vec<T>);

impl<T, const N: usize> Default for AtMost<T, N> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>, const N: usize> Deserialize<'de> for AtMost<T, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AtMostVisitor::<T, N>(PhantomData))
    }
}

struct AtMostVisitor<T, const N: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const N: usize> Visitor<'de> for AtMostVisitor<T, N> {
    type Value = AtMost<T, N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of at most {N} elements")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<AtMost<T, N>, A::Error> {
        let mut elements = Vec::new();
        while elements.len() < N {
            match seq.next_element()? {
                Some(element) => elements.push(element),
                None => return Ok(AtMost(elements)),
            }
        }
        match seq.next_element::<IgnoredAny>()? {
            Some(_) => Err(A::Error::custom(format!("more than {N} elements in an array"))),
            None => Ok(AtMost(elements)),
        }
    }

    fn visit_unit<E>(self) -> Result<AtMost<T, N>, E> {
        Ok(AtMost::default())
    }
}

/// JSON values in one value of a reply, at most; each takes far more memory than the two bytes that it may have on the wire.
const MOST_NODES: usize = 20_000;

/// Any JSON of a bounded number of values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree(pub(crate) Value);

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut left = MOST_NODES;
        ChargedValue(&mut left).deserialize(deserializer).map(Tree)
    }
}

/// One value, charged before it is kept.
struct ChargedValue<'a>(&'a mut usize);

impl ChargedValue<'_> {
    fn charge<E: Error>(&mut self) -> Result<(), E> {
        let left = self.0.checked_sub(1);
        *self.0 = left.ok_or_else(|| E::custom(format!("more than {MOST_NODES} values in one")))?;
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for ChargedValue<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(mut self, deserializer: D) -> Result<Value, D::Error> {
        self.charge()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ChargedValue<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element_seed(ChargedValue(&mut *self.0))? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = serde_json::Map::new();
        while let Some(name) = map.next_key::<String>()? {
            if fields.contains_key(&name) {
                // readers do not agree on which of the two counts
                return Err(A::Error::custom(format_args!("member {name:?} stands there twice, allowed is once")));
            }
            fields.insert(name, map.next_value_seed(ChargedValue(&mut *self.0))?);
        }
        Ok(Value::Object(fields))
    }
}

/// Writes tools in the shape that both dialects share.
pub(crate) fn tools<S: Serializer>(tools: &&[ToolSpec], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct ToolFunction<'a> {
        name: &'a str,
        description: &'a str,
        parameters: &'a Value,
    }
    #[derive(Serialize)]
    struct ToolBody<'a> {
        r#type: &'static str,
        function: ToolFunction<'a>,
    }
    serializer.collect_seq(tools.iter().map(|tool| ToolBody {
        r#type: "function",
        function: ToolFunction { name: &tool.name, description: &tool.description, parameters: &tool.parameters },
    }))
}

/// The size of a request as written, with room for escapes.
pub(crate) fn expected_bytes(request: &ChatRequest) -> usize {
    let text: usize = request.messages.iter().map(|message| message.content.len() + 64).sum();
    text + text / 16 + 1024
}

/// Refuses a reply that has not one vector, of one and the same length, for each input.
pub(crate) fn check_vectors(vectors: Vec<Vec<f32>>, expected: usize) -> Result<Vec<Vec<f32>>, ChatError> {
    let length = vectors.first().map_or(0, Vec::len);
    if vectors.len() != expected {
        let detail = format!("{} vectors for {expected} inputs", vectors.len());
        return Err(ChatError::malformed(&detail));
    }
    if length == 0 || vectors.iter().any(|vector| vector.len() != length) {
        return Err(ChatError::malformed("vectors are empty or of different lengths"));
    }
    Ok(vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric(json: &str) -> Metric {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_metric_that_is_no_sensible_number_is_absent() {
        for json in ["null", "-1", "-0.5", "\"12\"", "true", "[1]", "{\"a\": [1]}"] {
            assert_eq!(metric(json).count(), None, "{json}");
        }
        assert_eq!(metric("12").count(), Some(12));
        assert_eq!(metric("12.9").count(), Some(12));
        assert_eq!(metric("1.5").millis(), Some(1));
    }

    #[test]
    fn numbers_that_json_does_not_have_are_null() {
        let clean = without_nan(br#"{"a": NaN, "b": [-Infinity, Infinity], "c": "NaN \" NaN"}"#).unwrap();
        assert_eq!(clean, br#"{"a": null, "b": [null, null], "c": "NaN \" NaN"}"#);
        assert_eq!(without_nan(br#"{"a": "NaN"}"#), None);
    }

    #[test]
    fn plain_strings_are_borrowed_and_escaped_ones_are_not() {
        let plain: Borrowed<'_> = serde_json::from_str(r#""abc""#).unwrap();
        let escaped: Borrowed<'_> = serde_json::from_str(r#""a\nc""#).unwrap();

        assert!(matches!(plain.0, Cow::Borrowed("abc")));
        assert!(matches!(escaped.0, Cow::Owned(text) if text == "a\nc"));
    }

    #[test]
    fn only_the_first_element_is_kept() {
        let first: First<u8> = serde_json::from_str("[1, 2, \"x\"]").unwrap();
        let none: First<u8> = serde_json::from_str("null").unwrap();

        assert_eq!((first.0, none.0), (Some(1), None));
    }
}
