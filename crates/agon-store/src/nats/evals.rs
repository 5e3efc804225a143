//! The logs of evals on JetStream: one subject per eval, in a stream of their own, fenced as the logs of debates are.
//!
//! Each message tells where the log stands after it, so that its last one is all that lists need: the card first, and then the record's
//! bytes, or a header that says where their parts are.
use super::NatsStore;
use super::error::StoreRefusal;
use super::heads::{Heads, LogHead};
use super::js::{Outgoing, header};
use super::log::LogPlace;
use super::parts::{BodyError, OF_EVALS};
use super::stream_health::lacks_room;
use super::subjects::{self, EVALS};
use crate::chain;
use crate::chain::Hash;
use crate::evals::{
    EvalAppendError, EvalHead, EvalLogRecord, EvalLogs, EvalWalk, NewEvalRecord, check_cursor, check_size, genesis,
    link,
};
use crate::lock::lock;
use crate::port::StoreError;
use agon_core::{DebateId, Position, TenantId, Timestamp};
use async_nats::HeaderMap;
use async_nats::jetstream::message::StreamMessage;
use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use std::collections::HashMap;
use std::sync::Mutex;

const HASH: &str = "Agon-Hash";
/// The record's number.
const NUMBER: &str = "Agon-Number";
/// When it was appended, and when the first one was.
const AT: &str = "Agon-At";
const ADMITTED: &str = "Agon-Admitted";
/// The sequence of the eval's first message; absent in that one.
const BEGAN: &str = "Agon-Began";
/// There if the eval is over.
const ENDED: &str = "Agon-Ended";
/// Bytes of the card, with which the message begins.
const CARD: &str = "Agon-Card";
/// What to do where there is no room.
pub(crate) const MAKE_ROOM: &str =
    "delete ended evals (agon eval delete), or raise nats.limits.evals_mib and run `agon provision`";
/// How many heads are asked for at once.
const AT_ONCE: usize = 16;

/// Where an eval's log ends.
#[derive(Clone, Debug)]
struct EvalEnd {
    /// The sequences of its last and its first message.
    sequence: u64,
    began: u64,
    head: EvalHead,
}

/// What is known of evals; what is dropped is read again.
pub(crate) struct EvalCache {
    /// Whether this process keeps evals at all.
    kept: bool,
    ends: Mutex<HashMap<DebateId, EvalEnd>>,
    most: usize,
    /// Where records lie.
    places: Heads,
}

impl EvalCache {
    pub(crate) fn new(evals: usize, places: usize, kept: bool) -> Self {
        Self { kept, ends: Mutex::default(), most: evals, places: Heads::new(evals, places) }
    }

    fn get(&self, eval: &DebateId) -> Option<EvalEnd> {
        lock(&self.ends).get(eval).cloned()
    }

    /// Takes in an end that was read or written. Sequences only grow, so the greater one is the newer one.
    fn reached(&self, end: &EvalEnd) {
        let (eval, head) = (&end.head.id, &end.head);
        self.places.reached(eval, LogHead { last: Position(head.records), sequence: end.sequence, hash: head.hash });
        let mut ends = lock(&self.ends);
        if ends.len() >= self.most && !ends.contains_key(eval) {
            let other = ends.keys().next().cloned();
            other.and_then(|other| ends.remove(&other));
        }
        if ends.get(eval).is_none_or(|known| known.sequence <= end.sequence) {
            ends.insert(eval.clone(), end.clone());
        }
    }

    fn forget(&self, eval: &DebateId) {
        lock(&self.ends).remove(eval);
        self.places.forget(eval);
    }
}

#[async_trait]
impl EvalLogs for NatsStore {
    async fn append_eval(&self, eval: &DebateId, record: NewEvalRecord) -> Result<Hash, EvalAppendError> {
        check_size(&record)?;
        self.keeps_evals()?;
        let fits = |end: &Option<EvalEnd>| end.as_ref().map_or(0, |end| end.head.records) == record.after;
        let mut end = match self.evals.get(eval).map(Some).filter(fits) {
            Some(end) => end,
            None => self.eval_end(eval).await?,
        };
        // An end that was out of date is read again and tried once more: the server has then said for certain that nothing was written.
        for _ in 0..2 {
            if !fits(&end) {
                return Err(EvalAppendError::Fenced { records: end.map_or(0, |end| end.head.records) });
            }
            match self.append_eval_after(eval, &record, end.as_ref()).await {
                Ok(end) => {
                    self.evals.reached(&end);
                    return Ok(end.head.hash);
                }
                Err(refusal) => {
                    self.evals.forget(eval);
                    match refusal {
                        StoreRefusal::Moved => {}
                        StoreRefusal::Unsure(detail) => return Err(EvalAppendError::Unsure(detail)),
                        StoreRefusal::Full(detail) => return Err(full(&detail)),
                        denied @ StoreRefusal::Denied(_) => {
                            return Err(denied.during("appending to an eval's log").into());
                        }
                    }
                }
            }
            end = self.eval_end(eval).await.map_err(|error| EvalAppendError::Unsure(error.to_string()))?;
        }
        match fits(&end) {
            true => Err(EvalAppendError::Unsure("the end of the eval's log keeps moving".to_owned())),
            false => Err(EvalAppendError::Fenced { records: end.map_or(0, |end| end.head.records) }),
        }
    }

    async fn read_eval(&self, eval: &DebateId, after: u64) -> Result<Vec<EvalLogRecord>, StoreError> {
        self.keeps_evals()?;
        match self.read_eval_behind(eval, after).await {
            Ok(records) => Ok(records),
            // The log may have been removed and begun anew since its places were learnt.
            Err(_) => {
                self.evals.forget(eval);
                self.read_eval_behind(eval, after).await
            }
        }
    }

    async fn list_evals(
        &self,
        tenant: &TenantId,
        before: Option<&DebateId>,
        limit: u32,
    ) -> Result<Vec<EvalHead>, StoreError> {
        let before = check_cursor(tenant, before)?;
        let mut ends = self.eval_ends(&subjects::evals_of(tenant)).await?;
        ends.sort_unstable_by_key(|end| std::cmp::Reverse(end.began));
        let from = match before {
            None => 0,
            Some(before) => {
                let place = ends.iter().position(|end| end.head.id == *before);
                place.ok_or_else(|| StoreError::NotFound(before.clone()))? + 1
            }
        };
        Ok(ends.into_iter().skip(from).take(limit as usize).map(|end| end.head).collect())
    }

    async fn open_evals(&self) -> Result<Vec<EvalHead>, StoreError> {
        let ends = self.eval_ends(subjects::ALL_EVALS).await?;
        Ok(ends.into_iter().map(|end| end.head).filter(|head| !head.ended).collect())
    }

    async fn eval_head(&self, eval: &DebateId) -> Result<Option<EvalHead>, StoreError> {
        self.keeps_evals()?;
        Ok(self.eval_end(eval).await?.map(|end| end.head))
    }

    async fn delete_eval(&self, eval: &DebateId) -> Result<bool, StoreError> {
        self.keeps_evals()?;
        let deleting = |error: StoreRefusal| error.during("deleting an eval");
        // The log first: from then on its driver, if there still is one, is fenced.
        let records = self.js.purge(EVALS, &subjects::eval(eval)).await.map_err(deleting)?;
        self.evals.forget(eval);
        self.js.purge(EVALS, &subjects::eval_parts(eval)).await.map_err(deleting)?;
        Ok(records > 0)
    }
}

impl NatsStore {
    fn keeps_evals(&self) -> Result<(), StoreError> {
        let why = "this user of NATS may keep no evals; `agon nats config` prints the missing permissions";
        if self.evals.kept { Ok(()) } else { Err(StoreError::Backend(why.to_owned())) }
    }

    /// Where an eval's log ends, as the leader has it.
    async fn eval_end(&self, eval: &DebateId) -> Result<Option<EvalEnd>, StoreError> {
        let tail = self.js.last(EVALS, &subjects::eval(eval)).await;
        let Some(tail) = tail.map_err(|error| error.during("reading where an eval's log ends"))? else {
            self.evals.forget(eval);
            return Ok(None);
        };
        let end = end_of(eval, &tail)?;
        self.evals.reached(&end);
        Ok(Some(end))
    }

    async fn read_eval_behind(&self, eval: &DebateId, after: u64) -> Result<Vec<EvalLogRecord>, StoreError> {
        let place = LogPlace { stream: EVALS.to_owned(), subject: subjects::eval(eval) };
        let tail = self.js.last(EVALS, &place.subject).await.map_err(|error| error.during("reading an eval's log"))?;
        let Some(tail) = tail else {
            self.evals.forget(eval);
            return Ok(Vec::new());
        };
        let end = end_of(eval, &tail)?;
        let (behind, records) = (self.evals.places.place(eval, Position(after)), end.head.records);
        self.evals.reached(&end);
        if records <= after {
            return Ok(Vec::new());
        }
        let before = self.evals.places.position(eval, behind).map_or(0, |position| position.0);
        let behind = if before == 0 { 0 } else { behind };
        let messages = self.stretch(&place, behind, tail, records.saturating_sub(before)).await?;
        let mut walk = EvalWalk::new(eval, before);
        let mut read = Vec::with_capacity(messages.len());
        for message in messages {
            let record = walk.step(self.eval_record(eval, &message).await?)?;
            self.evals.places.passed(eval, Position(record.number), message.sequence);
            if record.number > after {
                read.push(record);
            }
        }
        Ok(read)
    }

    /// The ends of all logs under these subjects. The server counts the messages of each; only those that have grown are read.
    async fn eval_ends(&self, under: &str) -> Result<Vec<EvalEnd>, StoreError> {
        self.keeps_evals()?;
        let counts = self.js.counts(EVALS, under).await.map_err(|error| error.during("listing the evals"))?;
        let ends = stream::iter(counts).map(|(eval, records)| async move {
            match self.evals.get(&eval).filter(|end| end.head.records == records) {
                Some(end) => Ok(Some(end)),
                None => self.eval_end(&eval).await,
            }
        });
        ends.buffer_unordered(AT_ONCE).try_filter_map(|end| async { Ok(end) }).try_collect().await
    }

    async fn append_eval_after(
        &self,
        eval: &DebateId,
        record: &NewEvalRecord,
        end: Option<&EvalEnd>,
    ) -> Result<EvalEnd, StoreRefusal> {
        self.keep_reserve(record, end).await?;
        let (card, part) = (&record.card, self.part_bytes());
        let room = part.checked_sub(card.len()).filter(|room| *room > 0);
        let room = room.ok_or_else(|| {
            StoreRefusal::Denied(format!("the eval's card has {} bytes, and a message {part}", card.len()))
        })?;
        let body = Bytes::copy_from_slice(&record.body);
        let (body, mut headers) = self.js.stow(&OF_EVALS, eval, body, room).await?;
        let prev = end.map_or_else(|| genesis(eval), |end| end.head.hash);
        let head = EvalHead {
            id: eval.clone(),
            records: record.after + 1,
            hash: link(&prev, record.at, &record.body),
            admitted: end.map_or(record.at, |end| end.head.admitted),
            updated: record.at,
            ended: record.ended,
            card: record.card.clone(),
        };
        put(&mut headers, &head, end.map(|end| end.began));
        let mut payload = BytesMut::with_capacity(card.len() + body.len());
        payload.extend_from_slice(card);
        payload.extend_from_slice(&body);
        let subject = subjects::eval(eval);
        let expected = Some(end.map_or(0, |end| end.sequence));
        let message = Outgoing { stream: EVALS, subject: &subject, expected, headers, body: payload.freeze() };
        let sequence = self.js.publish(message).await?;
        Ok(EvalEnd { sequence, began: end.map_or(sequence, |end| end.began), head })
    }

    /// Refuses what does not end an eval where only the reserve is left, before any of it is written: whoever is to make room by
    /// cancelling and deleting finds some.
    async fn keep_reserve(&self, record: &NewEvalRecord, end: Option<&EvalEnd>) -> Result<(), StoreRefusal> {
        if record.ended && end.is_some_and(|end| !end.head.ended) {
            return Ok(());
        }
        let bytes = u64::try_from(record.body.len().saturating_add(record.card.len())).unwrap_or(u64::MAX);
        let info = self.js.info(EVALS).await.map_err(StoreRefusal::unwritten)?;
        match lacks_room(&info, bytes, self.config.reserve_percent) {
            Some(why) => Err(StoreRefusal::Full(why)),
            None => Ok(()),
        }
    }

    async fn eval_record(&self, eval: &DebateId, message: &StreamMessage) -> Result<EvalLogRecord, StoreError> {
        let head = end_of(eval, message)?.head;
        let here = message.payload.slice(head.card.len()..);
        let body = self.js.stowed(&OF_EVALS, eval, &message.headers, here).await.map_err(|error| match error {
            BodyError::Store(error) => error,
            BodyError::Lost(detail) => damaged(eval, &format!("record {}: {detail}", head.records)),
        })?;
        let body = body.as_ref().into();
        Ok(EvalLogRecord { number: head.records, at: head.updated, body, hash: head.hash })
    }
}

fn put(headers: &mut HeaderMap, head: &EvalHead, began: Option<u64>) {
    headers.insert(HASH, chain::hex(&head.hash).as_str());
    let numbers = [
        (NUMBER, head.records),
        (AT, head.updated.0),
        (ADMITTED, head.admitted.0),
        (CARD, u64::try_from(head.card.len()).unwrap_or(u64::MAX)),
    ];
    for (name, number) in numbers.into_iter().chain(began.map(|began| (BEGAN, began))) {
        headers.insert(name, number.to_string().as_str());
    }
    if head.ended {
        headers.insert(ENDED, "1");
    }
}

/// Where an eval's log ends if `message` is its last one.
fn end_of(eval: &DebateId, message: &StreamMessage) -> Result<EvalEnd, StoreError> {
    let missing = |name: &str| damaged(eval, &format!("the header {name} of a message is missing or cannot be read"));
    let number = |name: &str| -> Result<u64, StoreError> {
        header(&message.headers, name).and_then(|text| text.parse().ok()).ok_or_else(|| missing(name))
    };
    let hash = header(&message.headers, HASH).and_then(|text| blake3::Hash::from_hex(text).ok());
    let card = usize::try_from(number(CARD)?).ok().and_then(|card| message.payload.get(..card));
    let began = if header(&message.headers, BEGAN).is_some() { number(BEGAN)? } else { message.sequence };
    let head = EvalHead {
        id: eval.clone(),
        records: number(NUMBER)?,
        hash: *hash.ok_or_else(|| missing(HASH))?.as_bytes(),
        admitted: Timestamp(number(ADMITTED)?),
        updated: Timestamp(number(AT)?),
        ended: header(&message.headers, ENDED).is_some(),
        card: card.ok_or_else(|| missing(CARD))?.into(),
    };
    Ok(EvalEnd { sequence: message.sequence, began, head })
}

fn full(detail: &str) -> EvalAppendError {
    EvalAppendError::Full(format!("{detail}; {MAKE_ROOM}"))
}

fn damaged(eval: &DebateId, detail: &str) -> StoreError {
    StoreError::Backend(format!("eval {eval}: the log is damaged: {detail}"))
}
