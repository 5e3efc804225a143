//! JSON bodies in which no member stands twice: readers differ in which of the two they take.
use prost_reflect::{Kind, MessageDescriptor};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;

/// Characters of a key that an error shows.
const MOST_SHOWN: usize = 80;

/// Reads any JSON value, and refuses a key that an object has twice, also in both spellings of a message's field. The error names the
/// key, and where it is repeated.
pub(super) struct UniqueKeys(pub Option<MessageDescriptor>);

impl<'de> DeserializeSeed<'de> for UniqueKeys {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for UniqueKeys {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(UniqueKeys(self.0.clone()))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut keys = BTreeSet::new();
        while let Some(key) = members.next_key::<String>()? {
            let (name, inner) = self.member(&key);
            if !keys.insert(name) {
                let shown: String = key.chars().take(MOST_SHOWN).collect();
                return Err(A::Error::custom(format!("the key {shown:?} is here twice; give it once")));
            }
            members.next_value_seed(UniqueKeys(inner))?;
        }
        Ok(())
    }
}

impl UniqueKeys {
    /// The one name of a member, and the message that it is.
    fn member(&self, key: &str) -> (String, Option<MessageDescriptor>) {
        let message = self.0.as_ref();
        let field = message.and_then(|of| of.get_field_by_json_name(key).or_else(|| of.get_field_by_name(key)));
        let Some(field) = field else { return (key.to_owned(), None) };
        let inner = match field.kind() {
            Kind::Message(inner) if !field.is_map() => Some(inner),
            _ => None,
        };
        (field.json_name().to_owned(), inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_proto::DESCRIPTORS;
    use prost_reflect::DescriptorPool;

    fn told(text: &str) -> String {
        let pool = DescriptorPool::decode(DESCRIPTORS).unwrap();
        let message = pool.get_message_by_name("agon.v1.CreateDebateRequest").unwrap();
        let mut reader = serde_json::Deserializer::from_str(text);
        UniqueKeys(Some(message)).deserialize(&mut reader).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn a_key_that_is_here_twice_is_named_wherever_it_is() {
        for (text, wanted) in [
            (r#"{"seed":1,"seed":2}"#, r#"the key "seed" is here twice"#),
            (r#"{"debateId":"a","debate_id":"b"}"#, r#"the key "debate_id" is here twice"#),
            (r#"{"file":{"text":"a","text":"b"}}"#, r#"the key "text" is here twice"#),
            (r#"{"labels":{"a":"1","b":"2","a":"1"}}"#, r#"the key "a" is here twice"#),
            (r#"{"unknown":[{"x":1},{"x":1,"x":null}]}"#, r#"the key "x" is here twice"#),
        ] {
            assert!(told(text).starts_with(wanted), "{text}: {}", told(text));
        }
        // keys of a map have no second spelling
        assert_eq!(told(r#"{"seed":1,"labels":{"a_b":"1","aB":"2"},"file":{"text":"{\"a\":1,\"a\":1}"}}"#), "");
    }
}
