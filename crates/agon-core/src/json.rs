//! JSON whose objects name each member once.
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Reads a whole text as JSON. An object that names a member twice is an error: readers do not agree on which of the two counts, so whoever
/// wrote it may mean one thing and be taken to mean another.
pub fn unique(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str::<Unique>(text).map(|unique| unique.0)
}

struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MemberVisitor).map(Self)
    }
}

struct MemberVisitor;

impl<'de> Visitor<'de> for MemberVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }
    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }
    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(Unique(item)) = items.next_element()? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let Unique(value) = members.next_value()?;
            if all.contains_key(&name) {
                return Err(A::Error::custom(format_args!("member {name:?} stands there twice, allowed is once")));
            }
            all.insert(name, value);
        }
        Ok(Value::Object(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_read_as_it_is() {
        let text = r#"{"a": [1, -2, 2.5, "x", true, null, {"a": {}}], "b": 18446744073709551615}"#;
        assert_eq!(unique(text).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        assert!(unique("{} {}").is_err());
    }

    #[test]
    fn a_member_that_is_named_twice_is_an_error_wherever_it_stands() {
        for text in [r#"{"a": 1, "a": 2}"#, r#"[{"b": {"a": 1, "\u0061": 1}}]"#] {
            let problem = unique(text).unwrap_err().to_string();
            assert!(problem.starts_with("member \"a\" stands there twice, allowed is once"), "{problem}");
        }
    }
}
