//! The owner's pen: appends a debate's records, fenced, and settles what became of an append whose answer was lost.
use crate::base::shared::Common;
use crate::watch::ends;
use agon_core::{DebateId, Position, Record};
use agon_store::{AppendError, StoreError, append_settled};
use std::sync::Arc;
use std::time::Duration;

/// How often an append of unknown fate is tried again before the owner is rebuilt from the journal.
const TRIES: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// Appends `record`. While it is unknown whether it stands in the log, the same record is tried again and no other; not at once where the
/// store turns out to be full.
pub(crate) async fn append(shared: &Common, debate: &DebateId, record: &Record) -> Result<Arc<Record>, AppendError> {
    shared.in_time(append_until_known(shared, debate, record)).await
}

async fn append_until_known(shared: &Common, debate: &DebateId, record: &Record) -> Result<Arc<Record>, AppendError> {
    let mut pause = FIRST_PAUSE;
    let mut unsure = None;
    for _ in 0..TRIES {
        match append_settled(&*shared.journal, debate, record.clone()).await {
            Err(AppendError::Unsure(detail)) => unsure = Some(detail),
            settled => return settled,
        }
        tokio::time::sleep(pause).await;
        if shared.fullness().is_some() {
            break;
        }
        pause *= 2;
    }
    Err(AppendError::Unsure(unsure.unwrap_or_default()))
}

/// Every record after `after`, to the end of the log.
pub(crate) async fn read(shared: &Common, debate: &DebateId, after: Position) -> Result<Vec<Arc<Record>>, StoreError> {
    let mut records = shared.in_time(shared.journal.read(debate, after)).await?;
    // nothing follows the end
    while let Some(last) = records.last().filter(|record| ends(record).is_none()).map(|record| record.last()) {
        let more = shared.in_time(shared.journal.read(debate, last)).await?;
        if more.is_empty() {
            break;
        }
        records.extend(more);
    }
    Ok(records)
}
