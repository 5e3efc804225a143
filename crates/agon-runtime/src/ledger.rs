//! The owner's pen: appends a debate's records, fenced, and settles what became of an append whose answer was lost.
use agon_core::{DebateId, Position, Record};
use agon_store::{AppendError, Journal, append_settled};
use std::sync::Arc;
use std::time::Duration;

/// How often an append of unknown fate is tried again before the owner is rebuilt from the journal.
const TRIES: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// Appends `record`. While it is unknown whether it stands in the log, the same record is tried again and no other.
pub(crate) async fn append(
    journal: &dyn Journal,
    debate: &DebateId,
    record: &Record,
) -> Result<Arc<Record>, AppendError> {
    let mut pause = FIRST_PAUSE;
    let mut unsure = None;
    for _ in 0..TRIES {
        match append_settled(journal, debate, record.clone()).await {
            Err(AppendError::Unsure(detail)) => unsure = Some(detail),
            Err(AppendError::Fenced { last }) if unsure.is_some() => {
                return own_or_fenced(journal, debate, record, last).await;
            }
            settled => return settled,
        }
        tokio::time::sleep(pause).await;
        pause *= 2;
    }
    Err(AppendError::Unsure(unsure.unwrap_or_default()))
}

/// A try that was thought lost may have landed late, and now fences its own repetition.
async fn own_or_fenced(
    journal: &dyn Journal,
    debate: &DebateId,
    record: &Record,
    last: Position,
) -> Result<Arc<Record>, AppendError> {
    let tail = journal.read(debate, Position(record.first.0.saturating_sub(1))).await?;
    match tail.as_slice() {
        [own] if own.nonce == record.nonce => Ok(own.clone()),
        _ => Err(AppendError::Fenced { last }),
    }
}
