//! Turns of participants outside Agon: a process that serves the seat's subject is asked what a model would be asked.
use crate::base::clock::millis;
use crate::base::shared::Shared;
use crate::base::subjects;
use crate::host::open_turns::TakenTurn;
use agon_bus::{BusError, Payload};
use agon_core::{Ask, Failure, FailureCause};
use agon_prompt::{Prompt, PromptMessage, PromptRole};
use agon_proto::{SeatAsk, SeatMessage, SeatReply, Wire};
use std::time::Duration;
use tokio::time::Instant;

/// How soon a seat at which nobody answers is asked again.
const ABSENT_PAUSE: Duration = Duration::from_secs(1);
/// So long before the coordinator gives the turn up, this side does, to say why.
const MARGIN: Duration = Duration::from_secs(1);
/// The largest ask, in bytes: servers of the bus take a mebibyte, headers included.
const MOST_BYTES: usize = 1_000_000;

/// The longest answer of a seat, in bytes: several times what any speech takes.
const MOST_ANSWER_BYTES: usize = 64 * 1024;
/// Characters of a seat's own words that an error repeats.
const MOST_QUOTED: usize = 200;

pub(crate) struct SeatCall<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) work: &'a TakenTurn,
    /// The ask as the participant may know it.
    pub(crate) ask: Ask,
    /// How long the answer may take.
    pub(crate) generation: Duration,
}

impl SeatCall<'_> {
    /// What the participant says.
    pub(crate) async fn ask(&self, prompt: Prompt) -> Result<String, Failure> {
        let traceparent = self.shared.observer.traceparent(&self.work.debate, self.work.ask.turn);
        let payload = Payload::traced(self.body(prompt)?, traceparent);
        let subject = subjects::seat(&self.work.debate, &self.work.ask.participant);
        let until = Instant::now() + self.patience();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let answer = self.shared.bus.request(&subject, payload.clone(), left).await;
            let error = match answer {
                Ok(reply) => return self.read(&reply),
                Err(error) => error,
            };
            if !passes(&error) || left <= ABSENT_PAUSE {
                return Err(self.unanswered(&error));
            }
            tracing::debug!(debate = %self.work.debate, subject, %error, "seat not reached, asked again");
            tokio::time::sleep(ABSENT_PAUSE).await;
        }
    }

    /// The time to generate, and never beyond the moment at which the coordinator gives the turn up.
    fn patience(&self) -> Duration {
        self.generation.min(self.work.left().saturating_sub(MARGIN))
    }

    fn body(&self, prompt: Prompt) -> Result<bytes::Bytes, Failure> {
        let ask = SeatAsk {
            debate: self.work.debate.clone(),
            ask: self.ask.clone(),
            messages: prompt.messages.iter().map(message).collect(),
            schema: prompt.schema.map(|schema| schema.to_string()),
            left_ms: Some(millis(self.patience())),
        };
        let body = ask.to_bytes();
        if body.len() > MOST_BYTES {
            let detail = format!("the prompt of {} bytes does not fit into a message of {MOST_BYTES}", body.len());
            return Err(Failure::new(FailureCause::ContextOverflow, detail));
        }
        Ok(body)
    }

    fn read(&self, reply: &[u8]) -> Result<String, Failure> {
        let who = &self.work.ask.participant;
        match SeatReply::from_bytes(reply) {
            Ok(SeatReply::Text(text)) if text.len() > MOST_ANSWER_BYTES => {
                let detail = format!("{who} answered {} bytes; at most {MOST_ANSWER_BYTES} are taken", text.len());
                Err(Failure::new(FailureCause::Truncated, detail))
            }
            Ok(SeatReply::Text(text)) => Ok(text),
            Ok(SeatReply::Refusal(why)) => {
                let why: String = why.chars().take(MOST_QUOTED).collect();
                Err(Failure::new(FailureCause::BadRequest, format!("{who} does not answer: {why}")))
            }
            Err(error) => {
                Err(Failure::new(FailureCause::Malformed, format!("what {who} answered is no SeatReply: {error}")))
            }
        }
    }

    fn unanswered(&self, error: &BusError) -> Failure {
        let who = &self.work.ask.participant;
        match error {
            BusError::NoResponders(subject) => {
                Failure::new(FailureCause::NotFound, format!("nobody plays the seat of {who}: nobody serves {subject}"))
            }
            BusError::Timeout { .. } => Failure::new(FailureCause::Timeout, format!("{who}: {error}")),
            BusError::TooLarge { .. } => Failure::new(FailureCause::ContextOverflow, format!("{who}: {error}")),
            BusError::Denied(_) => Failure::new(FailureCause::Unauthorized, format!("{who}: {error}")),
            BusError::QueueFull(_) | BusError::Closed(_) | BusError::Failed(_) => {
                Failure::new(FailureCause::Transport, format!("{who}: {error}"))
            }
        }
    }
}

/// Whether the same ask may find somebody a moment later.
fn passes(error: &BusError) -> bool {
    match error {
        BusError::NoResponders(_) | BusError::Failed(_) => true,
        BusError::Timeout { .. }
        | BusError::QueueFull(_)
        | BusError::TooLarge { .. }
        | BusError::Closed(_)
        | BusError::Denied(_) => false,
    }
}

fn message(message: &PromptMessage) -> SeatMessage {
    let role = match message.role {
        PromptRole::System => "system",
        PromptRole::User => "user",
        PromptRole::Assistant => "assistant",
    };
    SeatMessage { role: role.to_owned(), text: message.text.to_string() }
}
