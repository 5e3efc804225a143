//! Canonical protobuf JSON, in and out, from the descriptors that reflection shows too.
use super::unique::UniqueKeys;
use crate::error::Problem;
use agon_proto::pb::v1 as pb;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, Kind as FieldKind, MessageDescriptor, ReflectMessage};
use prost_types::value::Kind;
use prost_types::{ListValue, Struct};
use serde::de::DeserializeSeed as _;
use serde_json::Value;

/// A message of package `agon.v1`, and what it is called there.
pub(crate) trait ApiMessage: Message {
    /// Its name.
    const NAME: &'static str;
    /// Takes out what is JSON already, and leaves its place empty.
    fn take_result(&mut self) -> Option<Struct> {
        None
    }
}
impl ApiMessage for pb::Debate {
    const NAME: &'static str = "Debate";
    fn take_result(&mut self) -> Option<Struct> {
        self.result.as_mut().map(std::mem::take)
    }
}
macro_rules! messages {
    ($($name:ident),+ $(,)?) => {$(
        impl ApiMessage for pb::$name {
            const NAME: &'static str = stringify!($name);
        }
    )+};
}
messages! {
    CancelDebateRequest, CancelEvalRequest, CreateDebateRequest, CreateEvalRequest, Eval, EvalProgress, LearnGateRequest, LearnGateResponse,
    ListCellsResponse, ListEvalsResponse, RetryEvalRequest, ListDebatesRequest, ListDebatesResponse, ListHostsResponse,
    ListModelsResponse, ListRatingsResponse, PauseDebateRequest, PersonaRecord, RejudgeDebateRequest, ResumeDebateRequest, VerifyDebateRequest, VerifyDebateResponse,
}

/// Writes and reads messages of the API.
#[derive(Clone)]
pub(crate) struct Json(DescriptorPool);

impl Json {
    pub fn new() -> Result<Self, Problem> {
        DescriptorPool::decode(agon_proto::DESCRIPTORS).map(Self).map_err(internal)
    }

    fn descriptor(&self, name: &str) -> Result<MessageDescriptor, Problem> {
        self.0.get_message_by_name(name).ok_or_else(|| Problem::Internal(format!("no message {name}")))
    }

    /// The message as JSON. A debate's result, which is most of it, does not take the way over bytes and descriptors.
    pub fn write<M: ApiMessage>(&self, mut message: M) -> Result<Value, Problem> {
        let result = message.take_result();
        let descriptor = self.descriptor(&format!("agon.v1.{}", M::NAME))?;
        let message = DynamicMessage::decode(descriptor, message.encode_to_vec().as_slice()).map_err(internal)?;
        let mut json = serde_json::to_value(&message).map_err(internal)?;
        sort_maps(&message.descriptor(), &mut json);
        if let (Some(result), Some(place)) = (result, json.get_mut("result")) {
            *place = value(Some(Kind::StructValue(result)));
        }
        Ok(json)
    }

    /// The message that the JSON stands for; members that it does not have, or has twice, are refused.
    pub fn read<M: ApiMessage + Default>(&self, text: &[u8]) -> Result<M, Problem> {
        let descriptor = self.descriptor(&format!("agon.v1.{}", M::NAME))?;
        let wrong = |error: serde_json::Error| Problem::invalid("body", error.to_string());
        let unique = UniqueKeys(Some(descriptor.clone()));
        unique.deserialize(&mut serde_json::Deserializer::from_slice(text)).map_err(wrong)?;
        let mut reader = serde_json::Deserializer::from_slice(text);
        let message = DynamicMessage::deserialize(descriptor, &mut reader).map_err(wrong)?;
        reader.end().map_err(wrong)?;
        M::decode(message.encode_to_vec().as_slice()).map_err(internal)
    }
}

/// Sorts the entries of maps, which come in another order each time; the members of messages keep theirs.
fn sort_maps(message: &MessageDescriptor, json: &mut Value) {
    let Some(members) = json.as_object_mut() else { return };
    for field in message.fields() {
        let Some(member) = members.get_mut(field.json_name()) else { continue };
        match (field.kind(), member) {
            (_, Value::Object(entries)) if field.is_map() => entries.sort_keys(),
            (FieldKind::Message(inner), Value::Array(items)) => {
                items.iter_mut().for_each(|item| sort_maps(&inner, item));
            }
            (FieldKind::Message(inner), member) => sort_maps(&inner, member),
            _ => {}
        }
    }
}

/// A protobuf value as the JSON that it stands for.
fn value(kind: Option<Kind>) -> Value {
    match kind {
        None | Some(Kind::NullValue(_)) => Value::Null,
        Some(Kind::BoolValue(flag)) => flag.into(),
        Some(Kind::NumberValue(number)) => number.into(),
        Some(Kind::StringValue(text)) => text.into(),
        Some(Kind::ListValue(ListValue { values })) => values.into_iter().map(|item| value(item.kind)).collect(),
        Some(Kind::StructValue(Struct { fields })) => {
            fields.into_iter().map(|(name, member)| (name, value(member.kind))).collect()
        }
    }
}

fn internal(error: impl std::fmt::Display) -> Problem {
    Problem::Internal(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_stand_in_order_of_their_keys() {
        let labels: Vec<String> = (10..40).map(|n| format!("key{n}")).collect();
        let of = |key: &String| (key.clone(), String::new());
        let debate = pb::Debate { labels: labels.iter().rev().map(of).collect(), ..Default::default() };
        let list = pb::ListDebatesResponse { debates: vec![debate], ..Default::default() };
        let json = Json::new().unwrap().write(list).unwrap();
        let keys: Vec<&String> = json["debates"][0]["labels"].as_object().unwrap().keys().collect();
        assert_eq!(keys, labels.iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_result_reads_as_the_descriptors_would_write_it() {
        let item = |kind| prost_types::Value { kind: Some(kind) };
        let list = [Kind::NullValue(0), Kind::BoolValue(true), Kind::NumberValue(3.0), Kind::NumberValue(1e21)];
        let list = ListValue { values: list.map(item).into() };
        let inner = Struct { fields: [("b".to_owned(), item(Kind::StringValue("\u{2028}\"".to_owned())))].into() };
        let fields = [("z", Kind::ListValue(list)), ("a", Kind::StructValue(inner)), ("m", Kind::NumberValue(0.1))];
        let fields = fields.map(|(name, kind)| (name.to_owned(), item(kind))).into();
        let debate = pb::Debate {
            id: "d".into(),
            result: Some(Struct { fields }),
            rejudges: Some("e".into()),
            ..Default::default()
        };
        let json = Json::new().unwrap();
        let whole =
            DynamicMessage::decode(json.descriptor("agon.v1.Debate").unwrap(), debate.encode_to_vec().as_slice());
        assert_eq!(json.write(debate).unwrap().to_string(), serde_json::to_string(&whole.unwrap()).unwrap());
    }
}
