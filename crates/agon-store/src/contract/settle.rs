use super::{StoreRig, debate, record};
use crate::{AppendError, Journal, StoreError, append_settled};
use agon_core::{DebateId, Position, Record};
use async_trait::async_trait;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// What goes wrong with an append.
enum AppendFault {
    /// The request is lost: nothing lands.
    Request,
    /// The answer is lost: the record lands.
    Answer,
    /// The request is held up, and lands after the reader has looked.
    Late,
    /// The answer is lost, and the next read fails.
    Blind,
}

/// A journal whose line is bad.
struct BadLine<J> {
    journal: Arc<J>,
    faults: Mutex<VecDeque<AppendFault>>,
    held: Mutex<Option<(DebateId, Record)>>,
    blind: Mutex<bool>,
}
impl<J> BadLine<J> {
    fn new(journal: &Arc<J>, faults: impl IntoIterator<Item = AppendFault>) -> Self {
        let faults = Mutex::new(faults.into_iter().collect());
        Self { journal: Arc::clone(journal), faults, held: Mutex::default(), blind: Mutex::default() }
    }
}
#[async_trait]
impl<J: Journal> Journal for BadLine<J> {
    async fn append(&self, debate: &DebateId, record: Record) -> Result<Arc<Record>, AppendError> {
        let fault = self.faults.lock().unwrap().pop_front();
        match fault {
            None => return self.journal.append(debate, record).await,
            Some(AppendFault::Request) => {}
            Some(AppendFault::Answer) => drop(self.journal.append(debate, record).await),
            Some(AppendFault::Blind) => {
                *self.blind.lock().unwrap() = true;
                drop(self.journal.append(debate, record).await);
            }
            Some(AppendFault::Late) => *self.held.lock().unwrap() = Some((debate.clone(), record)),
        }
        Err(AppendError::Unsure("the line is bad".to_owned()))
    }
    async fn read(&self, debate: &DebateId, after: Position) -> Result<Vec<Arc<Record>>, StoreError> {
        if std::mem::take(&mut *self.blind.lock().unwrap()) {
            return Err(StoreError::Backend("the line is bad".to_owned()));
        }
        let read = self.journal.read(debate, after).await;
        let held = self.held.lock().unwrap().take();
        if let Some((debate, record)) = held {
            self.journal.append(&debate, record).await.unwrap();
        }
        read
    }
    fn forget(&self, debate: &DebateId) {
        self.journal.forget(debate);
    }
}

pub(crate) async fn a_lost_answer_of_a_record_that_landed_is_success(rig: &impl StoreRig) {
    let store = rig.store().await;
    store.append(&debate("a"), record(1, 1, 1)).await.unwrap();
    let line = BadLine::new(&store, [AppendFault::Answer]);
    let appended = append_settled(&line, &debate("a"), record(2, 2, 22)).await.unwrap();
    assert_eq!(*appended, record(2, 2, 22));
    assert_eq!(store.read(&debate("a"), Position(0)).await.unwrap().len(), 2);
}

pub(crate) async fn a_lost_request_is_unsure_and_may_be_tried_again(rig: &impl StoreRig) {
    let store = rig.store().await;
    let line = BadLine::new(&store, [AppendFault::Request]);
    let first = append_settled(&line, &debate("a"), record(1, 1, 11)).await;
    assert!(matches!(first, Err(AppendError::Unsure(_))));
    append_settled(&line, &debate("a"), record(1, 1, 11)).await.unwrap();
    assert_eq!(store.read(&debate("a"), Position(0)).await.unwrap().len(), 1);
}

pub(crate) async fn a_tail_that_cannot_be_read_leaves_it_unsure(rig: &impl StoreRig) {
    let store = rig.store().await;
    let line = BadLine::new(&store, [AppendFault::Blind]);
    let first = append_settled(&line, &debate("a"), record(1, 1, 11)).await;
    assert!(matches!(first, Err(AppendError::Unsure(_))));
    append_settled(&line, &debate("a"), record(1, 1, 11)).await.unwrap();
    assert_eq!(store.read(&debate("a"), Position(0)).await.unwrap().len(), 1);
}

pub(crate) async fn a_try_that_landed_late_is_found_by_the_next_try(rig: &impl StoreRig) {
    let store = rig.store().await;
    let line = BadLine::new(&store, [AppendFault::Late]);
    let first = append_settled(&line, &debate("a"), record(1, 1, 11)).await;
    assert!(matches!(first, Err(AppendError::Unsure(_))));
    let again = append_settled(&line, &debate("a"), record(1, 1, 11)).await.unwrap();
    assert_eq!(*again, record(1, 1, 11));
    assert_eq!(store.read(&debate("a"), Position(0)).await.unwrap().len(), 1);
}

pub(crate) async fn a_deposed_writer_is_fenced_whatever_it_heard(rig: &impl StoreRig) {
    let store = rig.store().await;
    store.append(&debate("a"), record(1, 1, 1)).await.unwrap();
    let fenced_at = |outcome| match outcome {
        Err(AppendError::Fenced { last }) => last.0,
        other => panic!("not fenced: {other:?}"),
    };
    // Somebody else's record stands at the place.
    assert_eq!(fenced_at(append_settled(store.as_ref(), &debate("a"), record(1, 1, 7)).await), 1);
    let line = BadLine::new(&store, [AppendFault::Request]);
    assert_eq!(fenced_at(append_settled(&line, &debate("a"), record(1, 1, 7)).await), 1);
    // One's own record landed, but another writer has gone on from it.
    let line = BadLine::new(&store, [AppendFault::Late, AppendFault::Request]);
    assert!(append_settled(&line, &debate("a"), record(2, 1, 22)).await.is_err());
    store.append(&debate("a"), record(3, 1, 33)).await.unwrap();
    assert_eq!(fenced_at(append_settled(&line, &debate("a"), record(2, 1, 22)).await), 3);
}
