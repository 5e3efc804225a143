//! The registers on JetStream: one subject per try, which takes one message. None is remembered: what the server has lost is to be
//! written again.
use super::NatsStore;
use super::error::StoreRefusal;
use super::js::{Outgoing, header};
use super::parts::{BodyError, OF_DEBATES};
use super::subjects::{self, REGISTERS};
use crate::port::{RegisterOutcome, Registers, StoreError};
use agon_core::{DebateId, TurnId, TurnResult};
use agon_proto::Wire as _;
use async_nats::jetstream::message::StreamMessage;
use async_trait::async_trait;
use std::sync::Arc;

/// Random text of one write, which tells its writer from another who wrote the same.
const NONCE: &str = "Agon-Nonce";

#[async_trait]
impl Registers for NatsStore {
    async fn decide(&self, debate: &DebateId, turn: TurnId, result: TurnResult) -> Result<RegisterOutcome, StoreError> {
        let nonce = format!("{:032x}", rand::random::<u128>());
        let subject = subjects::register(debate, turn);
        let doing = "writing a register";
        let (body, mut headers) = match self.js.stow(&OF_DEBATES, debate, result.to_bytes(), self.part_bytes()).await {
            Ok(stowed) => stowed,
            Err(refusal) => return Err(refusal.during(doing)),
        };
        headers.insert(NONCE, nonce.as_str());
        let message = Outgoing { stream: REGISTERS, subject: &subject, expected: Some(0), headers, body };
        match self.js.publish(message).await {
            Ok(_) => Ok(RegisterOutcome { result: Arc::new(result), won: true }),
            Err(refusal @ StoreRefusal::Denied(_)) => Err(refusal.during(doing)),
            // Decided already, full because it is decided, or a lost answer: what stands there tells.
            Err(refusal @ (StoreRefusal::Moved | StoreRefusal::Full(_) | StoreRefusal::Unsure(_))) => {
                let held = self.js.last(REGISTERS, &subject).await.map_err(|error| error.during(doing))?;
                let held = held.ok_or_else(|| refusal.during(doing))?;
                let won = header(&held.headers, NONCE) == Some(nonce.as_str());
                Ok(RegisterOutcome { result: self.result(debate, &held).await?, won })
            }
        }
    }

    async fn get(&self, debate: &DebateId, turn: TurnId) -> Result<Option<Arc<TurnResult>>, StoreError> {
        let held = self.js.last(REGISTERS, &subjects::register(debate, turn)).await;
        let Some(held) = held.map_err(|error| error.during("reading a register"))? else { return Ok(None) };
        self.result(debate, &held).await.map(Some)
    }
}

impl NatsStore {
    async fn result(&self, debate: &DebateId, message: &StreamMessage) -> Result<Arc<TurnResult>, StoreError> {
        let unreadable = |detail: String| StoreError::Backend(format!("{} cannot be read: {detail}", message.subject));
        let body = self.js.body(debate, message).await.map_err(|error| match error {
            BodyError::Store(error) => error,
            BodyError::Lost(detail) => unreadable(detail),
        })?;
        Ok(Arc::new(TurnResult::from_bytes(&body).map_err(|error| unreadable(error.to_string()))?))
    }
}
