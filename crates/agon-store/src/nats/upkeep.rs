//! Looking after what is stored on JetStream.
use super::NatsStore;
use super::error::StoreRefusal;
use super::log::{head_of, unless_it_goes};
use super::subjects::{self, CATALOGUE, JOBS, ORDERS, PARTS, REGISTERS};
use crate::catalogue::Catalogue as _;
use crate::condition::Condition;
use crate::live::ends;
use crate::port::StoreError;
use crate::upkeep::{DebateHead, ListPage, LogWalk, RawRecord, Upkeep, VerifiedLog};
use agon_core::{DebateId, Timestamp, TurnId};
use agon_proto::decode_record;
use async_nats::jetstream::message::StreamMessage;
use async_trait::async_trait;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

/// How many logs are looked at at once.
const AT_ONCE: usize = 16;

/// With so many registers, going through all of them costs as much as finding and deleting some twenty.
pub(super) const MANY_REGISTERS: u64 = 5_000;

/// Where a log is in the order of admission: when the server stored its first record, and its sequence.
type AdmissionOrder = (i128, u64);

#[async_trait]
impl Upkeep for NatsStore {
    async fn verify(&self, debate: &DebateId) -> Result<VerifiedLog, StoreError> {
        unless_it_goes(|| self.walked(debate)).await
    }

    async fn raw_records(&self, debate: &DebateId) -> Result<Vec<RawRecord>, StoreError> {
        let messages = self.whole_log(debate).await?;
        stream::iter(&messages).then(|message| self.raw(debate, message)).try_collect().await
    }

    /// A purge makes the server go through the whole stream: where much is in it, messages are deleted one by one.
    async fn purge_registers(&self, debate: &DebateId, turns: &[TurnId]) -> Result<(), StoreError> {
        self.live.forget(debate);
        let removed = if turns.is_empty() || self.found.registers() < MANY_REGISTERS {
            self.js.purge(REGISTERS, &subjects::registers(debate)).await.map(drop)
        } else {
            let subjects: Vec<_> = turns.iter().map(|turn| subjects::register(debate, *turn)).collect();
            let removed = stream::iter(subjects).map(|subject| self.js.remove_last(REGISTERS, subject));
            removed.buffer_unordered(AT_ONCE).try_collect().await
        };
        removed.map_err(|error| error.during("removing registers"))
    }

    /// Asks for the first message of every log: use the catalogue where it matters.
    async fn list(&self, page: ListPage) -> Result<Vec<DebateHead>, StoreError> {
        let listing = |error: StoreRefusal| error.during("listing the logs");
        let debates = self.debates().await?;
        let admissions = stream::iter(debates).map(|debate| async move {
            let place = self.log_place(&debate);
            let first = self.js.next(&place.stream, &place.subject, 1).await?;
            Ok::<_, StoreRefusal>(first.map(|first| (admission(&first), debate)))
        });
        let admissions: Vec<_> = admissions.buffer_unordered(AT_ONCE).try_collect().await.map_err(listing)?;
        let mut admissions: Vec<_> = admissions.into_iter().flatten().collect();
        admissions.sort_unstable_by(|one, other| other.cmp(one));
        let from = match page.after {
            None => 0,
            Some(cursor) => {
                let place = admissions.iter().position(|(_, debate)| *debate == cursor);
                place.ok_or(StoreError::NotFound(cursor))? + 1
            }
        };
        let later = admissions.into_iter().skip(from);
        let heads = stream::iter(later).map(|(_, debate)| async move { self.listed(debate).await });
        let most = usize::try_from(page.limit).unwrap_or(usize::MAX);
        heads.buffered(AT_ONCE).try_filter_map(|head| async { Ok(head) }).take(most).try_collect().await
    }

    async fn debates(&self) -> Result<Vec<DebateId>, StoreError> {
        let mut debates = Vec::new();
        for shard in 0..self.config.shards.get() {
            let named = self.js.debates(&subjects::log_stream(shard), &subjects::shard_logs(shard)).await;
            debates.append(&mut named.map_err(|error| error.during("listing the logs"))?);
        }
        Ok(debates)
    }

    fn condition(&self) -> Condition {
        self.found.condition()
    }

    async fn is_lost(&self, debate: &DebateId, admitted: Timestamp) -> Result<bool, StoreError> {
        let place = self.log_place(debate);
        if !self.found.may_lack(&place.stream, admitted) {
            return Ok(false);
        }
        match self.js.last(&place.stream, &place.subject).await {
            Ok(tail) => Ok(tail.is_none()),
            Err(error) => Err(error.during("looking for a log")),
        }
    }

    async fn look_again(&self, debate: &DebateId) -> Result<(), StoreError> {
        let stream = self.log_place(debate).stream;
        let looking = |error: StoreRefusal| error.during("looking at a stream of logs");
        let found = self.js.in_time(self.js.context.get_stream(&stream)).await.map_err(looking)?;
        let found = found.map_err(|error| looking(StoreRefusal::Unsure(error.to_string())))?;
        self.found.begins(&stream, found.cached_info());
        Ok(())
    }

    async fn delete(&self, debate: &DebateId) -> Result<bool, StoreError> {
        let place = self.log_place(debate);
        let deleting = |error: StoreRefusal| error.during("deleting a debate");
        let rest = [
            (JOBS, subjects::jobs_of(debate)),
            (ORDERS, subjects::orders(debate)),
            (REGISTERS, subjects::registers(debate)),
            (PARTS, subjects::parts(debate)),
        ];
        // While a stream is missing nothing is removed, so that the whole of it can be removed later.
        for stream in rest.iter().map(|(stream, _)| *stream).chain([CATALOGUE]) {
            self.js.info(stream).await.map_err(deleting)?;
        }
        // The log first: from then on its writer, if there still is one, is fenced.
        let records = self.js.purge(&place.stream, &place.subject).await.map_err(deleting)?;
        self.live.forget(debate);
        self.heads.forget(debate);
        for (stream, subject) in rest {
            self.js.purge(stream, &subject).await.map_err(deleting)?;
        }
        // The catalogue last: while it knows the debate, what a deletion has left can be removed by another.
        self.strike(debate).await?;
        Ok(records > 0)
    }
}

impl NatsStore {
    async fn walked(&self, debate: &DebateId) -> Result<VerifiedLog, StoreError> {
        let mut walk = LogWalk::from_start(debate);
        for message in self.whole_log(debate).await? {
            walk.step(&self.raw(debate, &message).await?)?;
        }
        let verified = walk.verified().filter(|verified| verified.records > 0);
        verified.ok_or_else(|| StoreError::NotFound(debate.clone()))
    }

    async fn whole_log(&self, debate: &DebateId) -> Result<Vec<StreamMessage>, StoreError> {
        let place = self.log_place(debate);
        let tail = self.js.last(&place.stream, &place.subject).await.map_err(|error| error.during("reading a log"))?;
        match tail {
            None => Ok(Vec::new()),
            Some(tail) => self.messages_to(&place, 0, tail).await,
        }
    }

    /// What a listing shows of a debate; nothing if it was deleted meanwhile, or if its log is damaged.
    async fn listed(&self, id: DebateId) -> Result<Option<DebateHead>, StoreError> {
        match unless_it_goes(|| self.head(&id)).await {
            Err(error @ StoreError::Damaged { .. }) => {
                tracing::error!(%error, "a damaged log is not listed");
                Ok(None)
            }
            settled => settled,
        }
    }

    async fn head(&self, id: &DebateId) -> Result<Option<DebateHead>, StoreError> {
        let place = self.log_place(id);
        let listing = |error: StoreRefusal| error.during("listing a log");
        let first = self.js.next(&place.stream, &place.subject, 1).await.map_err(listing)?;
        let last = self.js.last(&place.stream, &place.subject).await.map_err(listing)?;
        let (Some(first), Some(last)) = (first, last) else { return Ok(None) };
        let head = head_of(id, &last)?;
        let mut records = Vec::with_capacity(2);
        for message in [&first, &last] {
            let raw = self.raw(id, message).await?;
            let damaged = |error| StoreError::Damaged {
                debate: id.clone(),
                at: raw.first,
                detail: format!("cannot be read: {error}"),
            };
            records.push(decode_record(&raw.body).map_err(damaged)?.record);
        }
        let [first, last] = records.as_slice() else { return Ok(None) };
        Ok(Some(DebateHead {
            admitted: first.at,
            updated: last.at,
            ended: ends(last),
            last: head.last,
            id: id.clone(),
        }))
    }
}

fn admission(first: &StreamMessage) -> AdmissionOrder {
    (first.time.unix_timestamp_nanos(), first.sequence)
}
