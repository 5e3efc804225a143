//! The journal on JetStream: one subject per debate, every append fenced by the sequence of the subject's last message.
use super::NatsStore;
use super::error::{StoreRefusal, append_error};
use super::heads::LogHead;
use super::js::{Outgoing, header};
use super::parts::{BodyError, OF_DEBATES};
use super::stream_health::StreamFill;
use super::subjects;
use crate::chain;
use crate::port::{AppendError, Journal, StoreError, empty_record};
use crate::upkeep::{LogWalk, RawRecord};
use agon_core::{DebateId, Event, Position, Record};
use agon_proto::encode_record;
use async_nats::jetstream::message::StreamMessage;
use async_trait::async_trait;
use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;

/// Headers beside a record's bytes: its hash in the chain, and its first and last event.
const HASH: &str = "Agon-Hash";
const FIRST: &str = "Agon-First";
const LAST: &str = "Agon-Last";

/// Where a debate's log is.
pub(crate) struct LogPlace {
    pub(crate) stream: String,
    pub(crate) subject: String,
}

#[async_trait]
impl Journal for NatsStore {
    async fn append(&self, debate: &DebateId, record: Record) -> Result<Arc<Record>, AppendError> {
        if record.events.is_empty() {
            return Err(empty_record());
        }
        let outcome = self.append_at_the_end(debate, &record).await;
        match outcome {
            Ok(head) => {
                let record = Arc::new(record);
                self.heads.reached(debate, head);
                self.live.appended(debate, &record);
                Ok(record)
            }
            Err(error) => {
                // Somebody else writes, or it is unknown what stands: what follows is read from the leader.
                self.live.forget(debate);
                Err(error)
            }
        }
    }

    async fn read(&self, debate: &DebateId, after: Position) -> Result<Vec<Arc<Record>>, StoreError> {
        if let Some(records) = self.live.read(debate, after) {
            return Ok(records);
        }
        unless_it_goes(|| self.read_stored(debate, after)).await
    }

    fn forget(&self, debate: &DebateId) {
        self.live.forget(debate);
        self.heads.forget(debate);
    }
}

/// How long a log that is damaged is left before it is read again.
const SECOND_LOOK: Duration = Duration::from_millis(250);

/// Reads a log, and once more if it is damaged: one that is being removed lacks records for a moment, and then is gone.
pub(crate) async fn unless_it_goes<T, F>(read: impl Fn() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    match read().await {
        Err(StoreError::Damaged { .. }) => {
            tokio::time::sleep(SECOND_LOOK).await;
            read().await
        }
        settled => settled,
    }
}

impl NatsStore {
    /// The records behind a position, as the leader has them.
    async fn read_stored(&self, debate: &DebateId, after: Position) -> Result<Vec<Arc<Record>>, StoreError> {
        let place = self.log_place(debate);
        let tail = self.js.last(&place.stream, &place.subject).await.map_err(|error| error.during("reading a log"))?;
        let Some(tail) = tail else {
            // what was written or read here is gone, and must not be shown as if it were there
            self.forget(debate);
            return if after == Position(0) { Ok(Vec::new()) } else { Err(StoreError::NotFound(debate.clone())) };
        };
        let head = head_of(debate, &tail)?;
        let known = self.heads.place(debate, after);
        self.heads.reached(debate, head);
        if head.last <= after {
            return Ok(Vec::new());
        }
        let messages = self.messages_to(&place, known, tail).await?;
        let mut walk = if known == 0 { LogWalk::from_start(debate) } else { LogWalk::from_inside(debate) };
        let mut records = Vec::with_capacity(messages.len());
        for message in messages {
            let raw = self.raw(debate, &message).await?;
            let record = walk.step(&raw)?;
            self.heads.passed(debate, raw.last, message.sequence);
            if raw.last > after {
                records.push(Arc::new(record));
            }
        }
        self.live.followed(debate, &records);
        Ok(records)
    }

    pub(crate) fn log_place(&self, debate: &DebateId) -> LogPlace {
        let shard = subjects::shard(debate, self.config.shards.get());
        LogPlace { stream: subjects::log_stream(shard), subject: subjects::log(debate, shard) }
    }

    /// The first record of a log continues this.
    fn beginning(debate: &DebateId) -> LogHead {
        LogHead { last: Position(0), sequence: 0, hash: chain::genesis(debate) }
    }

    /// Where a log ends, as the leader has it.
    async fn leader_head(&self, debate: &DebateId, place: &LogPlace) -> Result<LogHead, StoreError> {
        let tail = self.js.last(&place.stream, &place.subject).await;
        match tail.map_err(|error| error.during("reading where a log ends"))? {
            None => Ok(Self::beginning(debate)),
            Some(tail) => {
                let head = head_of(debate, &tail)?;
                self.heads.reached(debate, head);
                Ok(head)
            }
        }
    }

    /// Appends if the record continues the log. A head that was out of date is read again and tried once more: the server has then said
    /// for certain that nothing was written.
    async fn append_at_the_end(&self, debate: &DebateId, record: &Record) -> Result<LogHead, AppendError> {
        let place = self.log_place(debate);
        let continues = |head: &LogHead| head.last.next() == record.first;
        let mut head = match self.heads.head(debate).filter(continues) {
            Some(head) => head,
            None => self.leader_head(debate, &place).await?,
        };
        for _ in 0..2 {
            if !continues(&head) {
                return Err(AppendError::Fenced { last: head.last });
            }
            match self.append_after(debate, &place, record, &head).await {
                Ok(head) => return Ok(head),
                Err(StoreRefusal::Moved) => {}
                Err(refusal) => {
                    self.heads.doubt(debate, head.sequence);
                    return Err(append_error(refusal));
                }
            }
            self.heads.doubt(debate, head.sequence);
            // A record that landed although its answer was lost is found here too.
            head = self.leader_head(debate, &place).await.map_err(|error| AppendError::Unsure(error.to_string()))?;
        }
        match continues(&head) {
            true => Err(AppendError::Unsure("the end of the log keeps moving".to_owned())),
            false => Err(AppendError::Fenced { last: head.last }),
        }
    }

    async fn append_after(
        &self,
        debate: &DebateId,
        place: &LogPlace,
        record: &Record,
        head: &LogHead,
    ) -> Result<LogHead, StoreRefusal> {
        let body = Bytes::from(encode_record(record, &head.hash));
        let hash = chain::link(&head.hash, &body);
        let admitted = record.first == Position(1);
        let turn = if admitted { self.admit(&place.stream, body.len()).await? } else { None };
        let (body, mut headers) = self.js.stow(&OF_DEBATES, debate, body, self.part_bytes()).await?;
        headers.insert(HASH, chain::hex(&hash).as_str());
        headers.insert(FIRST, record.first.0.to_string().as_str());
        headers.insert(LAST, record.last().0.to_string().as_str());
        let (stream, subject) = (place.stream.as_str(), place.subject.as_str());
        let message = Outgoing { stream, subject, expected: Some(head.sequence), headers, body };
        let until = if frees(record) { StreamFill::Spent } else { StreamFill::Brimful };
        let sequence = self.js.write(message, until).await?;
        drop(turn);
        Ok(LogHead { last: record.last(), sequence, hash })
    }

    /// A message of a log as a stored record, unchecked.
    pub(crate) async fn raw(&self, debate: &DebateId, message: &StreamMessage) -> Result<RawRecord, StoreError> {
        let head = head_of(debate, message)?;
        let first = Position(number(message, FIRST).ok_or_else(|| damaged(debate, head.last, FIRST))?);
        let body = self.js.body(debate, message).await.map_err(|error| match error {
            BodyError::Store(error) => error,
            BodyError::Lost(detail) => StoreError::Damaged { debate: debate.clone(), at: first, detail },
        })?;
        Ok(RawRecord { first, last: head.last, body, hash: head.hash })
    }
}

/// Whether a record ends a debate or is about to: after it the debate can be deleted.
fn frees(record: &Record) -> bool {
    record.events.iter().any(|event| matches!(event, Event::CancelRequested { .. } | Event::DebateEnded { .. }))
}

/// Where a log ends if `message` is its last one.
pub(crate) fn head_of(debate: &DebateId, message: &StreamMessage) -> Result<LogHead, StoreError> {
    let last = Position(number(message, LAST).ok_or_else(|| damaged(debate, Position(0), LAST))?);
    let hash = header(&message.headers, HASH).and_then(|text| blake3::Hash::from_hex(text).ok());
    let hash = *hash.ok_or_else(|| damaged(debate, last, HASH))?.as_bytes();
    Ok(LogHead { last, sequence: message.sequence, hash })
}

fn number(message: &StreamMessage, name: &str) -> Option<u64> {
    header(&message.headers, name)?.parse().ok()
}
fn damaged(debate: &DebateId, at: Position, name: &str) -> StoreError {
    let detail = format!("the header {name} of its message is missing or cannot be read");
    StoreError::Damaged { debate: debate.clone(), at, detail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::debate;
    use std::cell::RefCell;

    async fn seen(mut answers: Vec<Result<u8, StoreError>>) -> Result<u8, StoreError> {
        answers.reverse();
        let answers = RefCell::new(answers);
        unless_it_goes(|| std::future::ready(answers.borrow_mut().pop().unwrap())).await
    }
    fn broken() -> Result<u8, StoreError> {
        Err(damaged(&debate("a"), Position(1), HASH))
    }

    #[tokio::test(start_paused = true)]
    async fn a_log_that_is_being_removed_is_gone_and_not_damaged() {
        let gone = seen(vec![broken(), Err(StoreError::NotFound(debate("a")))]).await;
        assert!(matches!(gone, Err(StoreError::NotFound(_))), "{gone:?}");
        let stays = seen(vec![broken(), broken()]).await;
        assert!(matches!(stays, Err(StoreError::Damaged { .. })), "{stays:?}");
        assert_eq!(seen(vec![Ok(1)]).await.unwrap(), 1);
    }
}
