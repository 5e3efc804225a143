//! The owner's pen: appends a debate's records, fenced, and settles what became of an append whose answer was lost.
use agon_core::{DebateId, Record};
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
            settled => return settled,
        }
        tokio::time::sleep(pause).await;
        pause *= 2;
    }
    Err(AppendError::Unsure(unsure.unwrap_or_default()))
}
