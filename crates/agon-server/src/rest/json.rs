//! Canonical protobuf JSON, in and out, from the descriptors that reflection shows too.
use crate::error::Problem;
use agon_proto::pb::v1 as pb;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, SerializeOptions};

/// A message of package `agon.v1`, and what it is called there.
pub(crate) trait ApiMessage: Message {
    /// Its name.
    const NAME: &'static str;
}
macro_rules! messages {
    ($($name:ident),+ $(,)?) => {$(
        impl ApiMessage for pb::$name {
            const NAME: &'static str = stringify!($name);
        }
    )+};
}
messages! {
    CancelDebateRequest, CreateDebateRequest, Debate, ListDebatesRequest, ListDebatesResponse, ListHostsResponse,
    ListModelsResponse, ListRatingsResponse, PersonaRecord, RejudgeDebateRequest, ResumeDebateRequest, VerifyDebateRequest, VerifyDebateResponse,
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

    /// The message as JSON.
    pub fn write<M: ApiMessage>(&self, message: &M) -> Result<serde_json::Value, Problem> {
        let descriptor = self.descriptor(&format!("agon.v1.{}", M::NAME))?;
        let message = DynamicMessage::decode(descriptor, message.encode_to_vec().as_slice()).map_err(internal)?;
        let options = SerializeOptions::new();
        message.serialize_with_options(serde_json::value::Serializer, &options).map_err(internal)
    }

    /// The message that the JSON stands for; members that it does not have are refused.
    pub fn read<M: ApiMessage + Default>(&self, text: &[u8]) -> Result<M, Problem> {
        let descriptor = self.descriptor(&format!("agon.v1.{}", M::NAME))?;
        let mut reader = serde_json::Deserializer::from_slice(text);
        let wrong = |error: serde_json::Error| Problem::invalid("body", error.to_string());
        let message = DynamicMessage::deserialize(descriptor, &mut reader).map_err(wrong)?;
        reader.end().map_err(wrong)?;
        M::decode(message.encode_to_vec().as_slice()).map_err(internal)
    }
}

fn internal(error: impl std::fmt::Display) -> Problem {
    Problem::Internal(error.to_string())
}
