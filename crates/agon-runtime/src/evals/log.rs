//! An eval's log, as its driver and its readers use it.
use agon_core::{DebateId, Timestamp};
use agon_eval::{EvalAdmission, EvalEvent, EvalInput, EvalMachine, EvalRecord, UnreadableRecord};
use agon_store::{EvalAppendError, EvalLogs, NewEvalRecord, StoreError};
use std::sync::Arc;

/// Why an eval's log was not read or written.
#[derive(Debug, thiserror::Error)]
pub enum EvalLogError {
    /// There is no such eval.
    #[error("there is no eval {0}")]
    Unknown(DebateId),
    /// Another driver has taken the eval over.
    #[error("eval {0} is run by another process")]
    Fenced(DebateId),
    /// There is an eval of this id already.
    #[error("there is an eval {0} already")]
    Exists(DebateId),
    /// What is stored is no log of an eval.
    #[error("eval {eval}: {source}")]
    Unreadable {
        /// Which.
        eval: DebateId,
        /// Why.
        source: UnreadableRecord,
    },
    /// It is unknown whether a record was written; reading the log tells.
    #[error("{0}")]
    Unsure(String),
    /// There is no room for the record, and nothing was written. Ends and deletions find some.
    #[error("the store of evals is full: {0}")]
    Full(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An eval with its log, as it was when it was read.
#[derive(Clone, Debug)]
pub struct OpenEval {
    /// Its id.
    pub id: DebateId,
    /// The fold of its log.
    pub machine: EvalMachine,
    /// How many records the log has.
    pub records: u64,
    /// Its events, each with the time of its record, in milliseconds since 1970.
    pub events: Vec<(u64, EvalEvent)>,
}

/// Writes a new eval down.
pub async fn admit_eval(
    logs: &dyn EvalLogs,
    id: &DebateId,
    admission: EvalAdmission,
    at: Timestamp,
) -> Result<OpenEval, EvalLogError> {
    let machine = EvalMachine::admitted(admission.clone(), at.0);
    let events = vec![EvalEvent::EvalAdmitted(Box::new(admission))];
    let mut eval = OpenEval { id: id.clone(), machine, records: 0, events: Vec::new() };
    let record = EvalRecord { epoch: 0, nonce: rand::random(), events };
    match write(logs, &eval, &record, at).await {
        Ok(()) => {}
        Err(EvalLogError::Fenced(id)) => return Err(EvalLogError::Exists(id)),
        Err(error) => return Err(error),
    }
    eval.records = 1;
    eval.events = record.events.into_iter().map(|event| (at.0, event)).collect();
    Ok(eval)
}

/// Reads an eval and folds it.
pub async fn read_eval(logs: &dyn EvalLogs, id: &DebateId) -> Result<OpenEval, EvalLogError> {
    let mut events = Vec::new();
    let mut records = 0;
    for stored in logs.read_eval(id, 0).await? {
        let record = EvalRecord::from_bytes(&stored.body);
        let record = record.map_err(|source| EvalLogError::Unreadable { eval: id.clone(), source })?;
        events.extend(record.events.into_iter().map(|event| (stored.at.0, event)));
        records = stored.number;
    }
    if records == 0 {
        return Err(EvalLogError::Unknown(id.clone()));
    }
    let folded = EvalMachine::fold(events.iter().map(|(at, event)| (*at, event)));
    let machine = folded.ok_or_else(|| EvalLogError::Unreadable {
        eval: id.clone(),
        source: UnreadableRecord("it does not begin with an admission".to_owned()),
    })?;
    Ok(OpenEval { id: id.clone(), machine, records, events })
}

impl OpenEval {
    /// Decides an input, and writes down what follows from it: for commands that drive nothing.
    pub async fn decide(&mut self, logs: &dyn EvalLogs, input: EvalInput, at: Timestamp) -> Result<(), EvalLogError> {
        let events = self.machine.decide(input);
        self.append(logs, events, at).await
    }

    /// Appends events as one record and takes them in.
    pub(crate) async fn append(
        &mut self,
        logs: &dyn EvalLogs,
        events: Vec<EvalEvent>,
        at: Timestamp,
    ) -> Result<(), EvalLogError> {
        if events.is_empty() {
            return Ok(());
        }
        // a claim counts from its own record on
        let claimed = events.iter().find_map(|event| match event {
            EvalEvent::EvalClaimed { epoch, .. } => Some(*epoch),
            _ => None,
        });
        let epoch = claimed.unwrap_or_else(|| self.machine.epoch());
        let record = EvalRecord { epoch, nonce: rand::random(), events };
        // what lists show is of the eval after this record
        record.events.iter().for_each(|event| self.machine.apply(at.0, event));
        write(logs, self, &record, at).await?;
        self.records += 1;
        self.events.extend(record.events.into_iter().map(|event| (at.0, event)));
        Ok(())
    }
}

/// Writes a record, and settles a lost answer by reading the tail.
async fn write(logs: &dyn EvalLogs, eval: &OpenEval, record: &EvalRecord, at: Timestamp) -> Result<(), EvalLogError> {
    let unreadable = |source| EvalLogError::Unreadable { eval: eval.id.clone(), source };
    let body = record.to_bytes().map_err(unreadable)?;
    let card =
        serde_json::to_vec(&eval.machine.card()).map_err(|error| unreadable(UnreadableRecord(error.to_string())))?;
    let new = NewEvalRecord {
        after: eval.records,
        at,
        body: Arc::from(body),
        card: Arc::from(card),
        ended: eval.machine.ended().is_some(),
    };
    let refused = match logs.append_eval(&eval.id, new).await {
        Ok(_) => return Ok(()),
        Err(EvalAppendError::Store(error)) => return Err(error.into()),
        Err(EvalAppendError::Full(why)) => return Err(EvalLogError::Full(why)),
        Err(EvalAppendError::Size(bytes)) => {
            return Err(EvalLogError::Unsure(format!("a record of {bytes} bytes is too long for the log")));
        }
        Err(refused @ (EvalAppendError::Fenced { .. } | EvalAppendError::Unsure(_))) => refused,
    };
    // it may be this very record, whose answer was lost
    let tail = logs.read_eval(&eval.id, eval.records).await?;
    let own =
        tail.first().map(|first| EvalRecord::from_bytes(&first.body).is_ok_and(|read| read.nonce == record.nonce));
    match own {
        Some(true) => Ok(()),
        Some(false) => Err(EvalLogError::Fenced(eval.id.clone())),
        None => Err(EvalLogError::Unsure(refused.to_string())),
    }
}
