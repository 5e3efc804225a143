//! A gRPC client that learns the services by reflection and speaks JSON, as grpcurl does.
use anyhow::{Context, Result, bail};
use bytes::{Buf as _, BufMut as _};
use futures_util::{Stream, StreamExt as _, stream};
use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, MethodDescriptor};
use prost_types::FileDescriptorProto;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::metadata::MetadataMap;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_reflection::pb::v1::{FileDescriptorResponse, ServerReflectionRequest};

/// Bytes that an answer may have.
const MOST: usize = 64 * 1024 * 1024;

/// A client that knows what the server told of itself.
#[derive(Clone)]
pub struct DynamicClient {
    channel: Channel,
    pool: DescriptorPool,
    services: Vec<String>,
    metadata: MetadataMap,
}

impl DynamicClient {
    /// Connects to a URL such as `http://127.0.0.1:50051` and reads the services.
    pub async fn connect(url: &str) -> Result<Self> {
        Self::over(
            Endpoint::from_shared(url.to_owned())?.connect().await.with_context(|| format!("no answer at {url}"))?,
        )
        .await
    }

    /// Reads the services over a channel, for example one with TLS.
    pub async fn over(channel: Channel) -> Result<Self> {
        let services = services(&channel).await?;
        let mut files = BTreeMap::new();
        for service in &services {
            for file in files_of(&channel, service).await? {
                files.insert(file.name().to_owned(), file);
            }
        }
        let mut pool = DescriptorPool::new();
        pool.add_file_descriptor_protos(files.into_values()).context("the server's descriptors do not go together")?;
        Ok(Self { channel, pool, services, metadata: MetadataMap::new() })
    }

    /// The same client, which sends this header with every call.
    #[must_use]
    pub fn with_header(mut self, name: &'static str, value: &str) -> Self {
        if let Ok(value) = value.parse() {
            self.metadata.insert(name, value);
        }
        self
    }

    /// The same client with a bearer token.
    #[must_use]
    pub fn with_token(self, token: &str) -> Self {
        self.with_header("authorization", &format!("Bearer {token}"))
    }

    /// What the server offers.
    pub fn services(&self) -> &[String] {
        &self.services
    }

    /// Calls `package.Service/Method` with JSON, and gives the answer as JSON.
    pub async fn call(&self, method: &str, request: Value) -> Result<Value, Status> {
        let (mut grpc, request, path, codec) = self.prepared(method, request).await?;
        let answer = grpc.unary(request, path, codec).await?.into_inner();
        json(&answer)
    }

    /// The same for a method that answers with a stream.
    pub async fn stream(
        &self,
        method: &str,
        request: Value,
    ) -> Result<impl Stream<Item = Result<Value, Status>> + Unpin + Send + 'static, Status> {
        let (mut grpc, request, path, codec) = self.prepared(method, request).await?;
        let answers = grpc.server_streaming(request, path, codec).await?.into_inner();
        Ok(answers.map(|answer| json(&answer?)))
    }

    /// What a stream has told when nothing more has come for so long.
    pub async fn told(&self, method: &str, request: Value, quiet: Duration) -> Result<Vec<Value>, Status> {
        let (mut stream, mut told) = (self.stream(method, request).await?, Vec::new());
        while let Ok(Some(answer)) = tokio::time::timeout(quiet, stream.next()).await {
            told.push(answer?);
        }
        Ok(told)
    }

    async fn prepared(&self, method: &str, request: Value) -> Result<Prepared, Status> {
        let known = self.method(method).ok_or_else(|| Status::unimplemented(format!("no method {method}")))?;
        let wrong = |error: serde_json::Error| Status::invalid_argument(error.to_string());
        let message = DynamicMessage::deserialize(known.input(), request).map_err(wrong)?;
        let mut request = Request::new(message);
        *request.metadata_mut() = self.metadata.clone();
        let path = format!("/{method}").parse().map_err(|_| Status::internal("no path"))?;
        let mut grpc = Grpc::new(self.channel.clone()).max_decoding_message_size(MOST);
        grpc.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
        Ok((grpc, request, path, Dynamic(known.output())))
    }

    fn method(&self, name: &str) -> Option<MethodDescriptor> {
        let (service, method) = name.split_once('/')?;
        self.pool.get_service_by_name(service)?.methods().find(|known| known.name() == method)
    }
}

type Prepared = (Grpc<Channel>, Request<DynamicMessage>, http::uri::PathAndQuery, Dynamic);

fn json(message: &DynamicMessage) -> Result<Value, Status> {
    serde_json::to_value(message).map_err(|error| Status::internal(error.to_string()))
}

async fn services(channel: &Channel) -> Result<Vec<String>> {
    match ask(channel, MessageRequest::ListServices(String::new())).await? {
        MessageResponse::ListServicesResponse(list) => Ok(list.service.into_iter().map(|one| one.name).collect()),
        other => bail!("not a list of services: {other:?}"),
    }
}

/// The file that declares a symbol, and all that it needs.
async fn files_of(channel: &Channel, symbol: &str) -> Result<Vec<FileDescriptorProto>> {
    let mut known: BTreeMap<String, FileDescriptorProto> = BTreeMap::new();
    let mut wanted = vec![MessageRequest::FileContainingSymbol(symbol.to_owned())];
    while let Some(request) = wanted.pop() {
        let MessageResponse::FileDescriptorResponse(FileDescriptorResponse { file_descriptor_proto }) =
            ask(channel, request).await?
        else {
            bail!("no file for {symbol}");
        };
        for bytes in file_descriptor_proto {
            let file = FileDescriptorProto::decode(bytes.as_slice())?;
            let needs = file.dependency.iter().filter(|name| !known.contains_key(*name));
            wanted.extend(needs.map(|name| MessageRequest::FileByFilename(name.clone())));
            known.insert(file.name().to_owned(), file);
        }
    }
    Ok(known.into_values().collect())
}

async fn ask(channel: &Channel, request: MessageRequest) -> Result<MessageResponse> {
    let mut client = ServerReflectionClient::new(channel.clone());
    let request = ServerReflectionRequest { host: String::new(), message_request: Some(request) };
    let mut answers = client.server_reflection_info(stream::iter([request])).await?.into_inner();
    let answer = answers.next().await.context("reflection gave no answer")??;
    answer.message_response.context("reflection gave an empty answer")
}

/// Messages of which only the descriptors are known.
struct Dynamic(MessageDescriptor);

impl Codec for Dynamic {
    type Encode = DynamicMessage;
    type Decode = DynamicMessage;
    type Encoder = MessageEncoder;
    type Decoder = MessageDecoder;
    fn encoder(&mut self) -> MessageEncoder {
        MessageEncoder
    }
    fn decoder(&mut self) -> MessageDecoder {
        MessageDecoder(self.0.clone())
    }
}

struct MessageEncoder;
impl Encoder for MessageEncoder {
    type Item = DynamicMessage;
    type Error = Status;
    fn encode(&mut self, item: DynamicMessage, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.put_slice(&item.encode_to_vec());
        Ok(())
    }
}

struct MessageDecoder(MessageDescriptor);
impl Decoder for MessageDecoder {
    type Item = DynamicMessage;
    type Error = Status;
    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<DynamicMessage>, Status> {
        let bytes = from.copy_to_bytes(from.remaining());
        let message = DynamicMessage::decode(self.0.clone(), bytes);
        message.map(Some).map_err(|error| Status::internal(error.to_string()))
    }
}
