mod full_disk;
mod local;
mod schema;
mod tables;

use crate::contract::{StoreRig, TURN, contract_tests, debate, ending, record, said};
use crate::sqlite::{OpenError, SqliteOptions, SqliteStore, SyncMode, WallClock};
use crate::{AppendError, Jobs as _, Journal as _, ListPage, Registers as _, StoreError, Upkeep as _};
use agon_core::{DebateId, Position, Priority, Timestamp};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use tokio::time::Instant;

/// A folder with one database, and a clock that is moved by hand.
struct Sqlite {
    folder: TempDir,
    now: Arc<AtomicU64>,
    started: Instant,
}

/// The clock's first time, in milliseconds.
const START: u64 = 1_700_000_000_000;

impl Sqlite {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap(), now: Arc::new(AtomicU64::new(START)), started: Instant::now() }
    }
    fn path(&self) -> PathBuf {
        self.folder.path().join("agon.db")
    }
    fn options(&self) -> SqliteOptions {
        let now = Arc::clone(&self.now);
        let clock = WallClock::new(move || Timestamp(now.load(Ordering::SeqCst)));
        SqliteOptions { sync: SyncMode::Normal, clock, ..SqliteOptions::default() }
    }
    fn open(&self) -> Arc<SqliteStore> {
        Arc::new(SqliteStore::open(&self.path(), self.options()).unwrap())
    }
    fn raw(&self) -> Connection {
        Connection::open(self.path()).unwrap()
    }
}
impl StoreRig for Sqlite {
    type Store = SqliteStore;
    async fn store(&self) -> Arc<SqliteStore> {
        self.open()
    }
    async fn pass(&self, time: Duration) {
        self.now.fetch_add(time.as_millis() as u64, Ordering::SeqCst);
    }
    fn now(&self) -> Instant {
        self.started + Duration::from_millis(self.now.load(Ordering::SeqCst) - START)
    }
}
contract_tests!(super::Sqlite::new(); (start_paused = true));

#[tokio::test]
async fn what_was_answered_is_there_after_a_restart_without_a_close() {
    let rig = Sqlite::new();
    let store = rig.open();
    for first in 1..=50 {
        store.append(&debate("a"), record(first, 1, first)).await.unwrap();
    }
    store.decide(&debate("a"), TURN, said("x")).await.unwrap();
    store.enqueue(&debate("a"), Priority::Normal).await.unwrap();
    // Neither closed nor dropped: the files as they are now are what a killed process leaves behind.
    let left = Sqlite::new();
    for name in ["agon.db", "agon.db-wal"] {
        std::fs::copy(rig.folder.path().join(name), left.folder.path().join(name)).unwrap();
    }
    let store = left.open();
    assert_eq!(store.read(&debate("a"), Position(0)).await.unwrap().len(), 50);
    assert_eq!(*store.get(&debate("a"), TURN).await.unwrap().unwrap(), said("x"));
    assert!(store.take("owner", Duration::from_secs(1)).await.unwrap().is_some());
    assert_eq!(store.verify(&debate("a")).await.unwrap().events, 50);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_stores_on_one_file_one_wins_each_position() {
    let rig = Sqlite::new();
    let stores = [rig.open(), rig.open()];
    let mut wins = 0;
    for first in 1..=60 {
        let mut tasks = tokio::task::JoinSet::new();
        for (nonce, store) in (1..).zip(stores.clone()) {
            tasks.spawn(async move { store.append(&debate("a"), record(first, 1, nonce)).await.is_ok() });
            let store = Arc::clone(&stores[usize::try_from(nonce).unwrap() - 1]);
            tasks.spawn(
                async move { store.append(&debate(&format!("other-{nonce}")), record(first, 1, 1)).await.is_ok() },
            );
        }
        wins += tasks.join_all().await.into_iter().filter(|won| *won).count();
    }
    assert_eq!(wins, 60 * 3);
    let (a, b) = (stores[0].read(&debate("a"), Position(0)).await, stores[1].read(&debate("a"), Position(0)).await);
    let longer = a.unwrap().len().max(b.unwrap().len());
    assert_eq!(longer, 60);
    assert_eq!(stores[0].verify(&debate("a")).await.unwrap().records, 60);
}

#[tokio::test]
async fn two_stores_decide_a_register_once_and_share_the_jobs() {
    let rig = Sqlite::new();
    let (one, two) = (rig.open(), rig.open());
    assert!(one.decide(&debate("a"), TURN, said("one")).await.unwrap().won);
    let second = two.decide(&debate("a"), TURN, said("two")).await.unwrap();
    assert_eq!((second.won, second.result.as_ref()), (false, &said("one")));
    assert_eq!(*two.get(&debate("a"), TURN).await.unwrap().unwrap(), said("one"));
    one.enqueue(&debate("a"), Priority::Normal).await.unwrap();
    assert!(two.take("two", Duration::from_secs(9)).await.unwrap().is_some());
    assert!(one.take("one", Duration::from_secs(9)).await.unwrap().is_none());
}

#[tokio::test]
async fn a_reader_follows_a_debate_that_another_process_took_over() {
    let rig = Sqlite::new();
    let (old, new) = (rig.open(), rig.open());
    old.append(&debate("a"), record(1, 1, 1)).await.unwrap();
    new.append(&debate("a"), record(2, 1, 2)).await.unwrap();
    // The old owner has nothing newer in memory, so it looks into the database.
    assert_eq!(old.read(&debate("a"), Position(1)).await.unwrap(), [Arc::new(record(2, 1, 2))]);
    // Its next append is refused, after which nothing old is served from memory.
    assert!(matches!(old.append(&debate("a"), record(2, 1, 9)).await, Err(AppendError::Fenced { last: Position(2) })));
    assert_eq!(old.read(&debate("a"), Position(0)).await.unwrap().len(), 2);
    // It takes the debate back: memory starts anew, and never skips what the other wrote.
    old.append(&debate("a"), record(3, 1, 3)).await.unwrap();
    let numbers = |records: Vec<Arc<agon_core::Record>>| records.iter().map(|record| record.nonce).collect::<Vec<_>>();
    for after in 0..3 {
        let read = numbers(old.read(&debate("a"), Position(after)).await.unwrap());
        assert_eq!(read, (after + 1..=3).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_live_log_is_read_from_memory_and_an_ended_one_is_dropped() {
    let rig = Sqlite::new();
    let store = rig.open();
    let written = store.append(&debate("a"), record(1, 1, 1)).await.unwrap();
    let read = store.read(&debate("a"), Position(0)).await.unwrap();
    assert!(Arc::ptr_eq(&written, &read[0]));
    store.decide(&debate("a"), TURN, said("x")).await.unwrap();
    let [one, two] =
        [store.get(&debate("a"), TURN).await, store.get(&debate("a"), TURN).await].map(|r| r.unwrap().unwrap());
    assert!(Arc::ptr_eq(&one, &two));
    store.append(&debate("a"), ending(2)).await.unwrap();
    let read = store.read(&debate("a"), Position(0)).await.unwrap();
    assert!(!Arc::ptr_eq(&written, &read[0]));
    assert_eq!(*read[0], *written);
}

#[tokio::test]
async fn memory_is_bounded_by_records_and_by_debates() {
    let rig = Sqlite::new();
    let options =
        SqliteOptions { tail_records: 2, live_debates: 3, sync: SyncMode::Normal, ..SqliteOptions::default() };
    let store = SqliteStore::open(&rig.path(), options).unwrap();
    for name in 0..6 {
        for first in 1..=4 {
            store.append(&debate(&name.to_string()), record(first, 1, first)).await.unwrap();
        }
    }
    let held =
        |after| (0..6).filter(|name| store.live.read(&debate(&name.to_string()), Position(after)).is_some()).count();
    assert_eq!((held(2), held(1)), (3, 0));
    for name in 0..6 {
        assert_eq!(store.read(&debate(&name.to_string()), Position(0)).await.unwrap().len(), 4);
    }
}

#[tokio::test]
async fn one_change_that_sqlite_refuses_does_not_take_its_group_down() {
    let rig = Sqlite::new();
    let store = rig.open();
    rig.raw()
        .execute_batch(
            "CREATE TRIGGER refuse BEFORE INSERT ON debates WHEN new.debate = 'debate-13'
             BEGIN SELECT RAISE(ABORT, 'not this one'); END;",
        )
        .unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for name in 0..40 {
        let store = Arc::clone(&store);
        tasks.spawn(async move { (name, store.append(&debate(&name.to_string()), record(1, 1, name)).await) });
    }
    for (name, outcome) in tasks.join_all().await {
        match outcome {
            Err(AppendError::Store(StoreError::Backend(detail))) => {
                assert_eq!(name, 13);
                assert!(detail.contains("not written by Agon (SQLite 1811)"), "{detail}");
            }
            outcome => assert!(name != 13 && outcome.is_ok(), "{name}: {outcome:?}"),
        }
    }
    assert_eq!(store.list(ListPage { limit: 99, after: None }).await.unwrap().len(), 39);
}

#[tokio::test]
async fn a_commit_that_fails_leaves_the_append_unsure_and_settled_by_reading() {
    let rig = Sqlite::new();
    let store = rig.open();
    store.append(&debate("a"), record(1, 1, 1)).await.unwrap();
    // A deferred constraint is checked at the commit: the only way to make one fail on purpose.
    rig.raw()
        .execute_batch(
            "CREATE TABLE parents (id INTEGER PRIMARY KEY);
             CREATE TABLE children (parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED);
             CREATE TRIGGER poison AFTER INSERT ON records BEGIN INSERT INTO children VALUES (99); END;",
        )
        .unwrap();
    let outcome = store.append(&debate("a"), record(2, 1, 2)).await;
    assert!(matches!(outcome, Err(AppendError::Unsure(_))), "{outcome:?}");
    let settled = crate::append_settled(store.as_ref(), &debate("a"), record(2, 1, 2)).await;
    assert!(matches!(settled, Err(AppendError::Unsure(_))), "{settled:?}");
    rig.raw().execute_batch("DROP TRIGGER poison").unwrap();
    crate::append_settled(store.as_ref(), &debate("a"), record(2, 1, 2)).await.unwrap();
    assert_eq!(store.verify(&debate("a")).await.unwrap().records, 2);
}

#[tokio::test]
async fn what_keeps_the_file_from_being_written_is_told_until_it_has_passed() {
    let rig = Sqlite::new();
    let patience = Duration::from_millis(20);
    let store = SqliteStore::open(&rig.path(), SqliteOptions { busy_timeout: patience, ..rig.options() }).unwrap();
    let trouble = store.trouble();
    store.append(&debate("a"), record(1, 1, 1)).await.unwrap();
    assert_eq!(*trouble.borrow(), None);

    let other = rig.raw();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    store.append(&debate("a"), record(2, 1, 2)).await.unwrap_err();
    assert!(trouble.borrow().as_ref().is_some_and(|trouble| !trouble.lasting), "{trouble:?}");

    other.execute_batch("COMMIT").unwrap();
    store.append(&debate("a"), record(2, 1, 2)).await.unwrap();
    assert_eq!(*trouble.borrow(), None);
}

#[tokio::test]
async fn a_file_that_was_deleted_or_replaced_is_not_written_into() {
    for (replaced, became) in [(false, "was deleted or moved"), (true, "was replaced by another")] {
        let rig = Sqlite::new();
        let store = rig.open();
        store.append(&debate("a"), record(1, 1, 1)).await.unwrap();
        let aside = rig.folder.path().join("aside.db");
        std::fs::rename(rig.path(), &aside).unwrap();
        if replaced {
            std::fs::copy(&aside, rig.path()).unwrap();
        }

        let refused = store.append(&debate("a"), record(2, 1, 2)).await;

        assert!(matches!(refused, Err(AppendError::Store(StoreError::Backend(_)))), "{refused:?}");
        let told = store.trouble().borrow().clone().unwrap();
        assert!(told.lasting && told.detail.contains(became) && told.detail.contains("agon.db"), "{told:?}");
    }
}

#[tokio::test]
async fn a_write_ahead_log_that_was_deleted_is_not_written_into() {
    let rig = Sqlite::new();
    let store = rig.open();
    store.append(&debate("a"), record(1, 1, 1)).await.unwrap();
    std::fs::remove_file(rig.folder.path().join("agon.db-wal")).unwrap();

    store.append(&debate("a"), record(2, 1, 2)).await.unwrap_err();

    let told = store.trouble().borrow().clone().unwrap();
    assert!(told.lasting && told.detail.contains("agon.db-wal was deleted"), "{told:?}");
}

#[tokio::test]
async fn a_path_that_cannot_be_opened_is_named() {
    let rig = Sqlite::new();
    let missing = rig.folder.path().join("no-such-folder/agon.db");
    let error = SqliteStore::open(&missing, SqliteOptions::default()).unwrap_err();
    assert!(matches!(&error, OpenError::Open { path, .. } if *path == missing));
    assert!(error.to_string().contains("no-such-folder"), "{error}");
    std::fs::write(rig.path(), "not a database, but long enough to look at: ".repeat(40)).unwrap();
    assert!(matches!(SqliteStore::open(&rig.path(), SqliteOptions::default()), Err(OpenError::Open { .. })));
}

#[tokio::test]
async fn a_newer_schema_and_a_foreign_database_are_refused_untouched() {
    let rig = Sqlite::new();
    drop(rig.open());
    rig.raw().pragma_update(None, "user_version", 99).unwrap();
    let error = SqliteStore::open(&rig.path(), SqliteOptions::default()).unwrap_err();
    assert!(matches!(error, OpenError::Newer { found: 99, known: 5, .. }));
    assert!(error.to_string().contains("schema 99, this version of Agon knows 5"), "{error}");
    let foreign = rig.folder.path().join("foreign.db");
    Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE songs (name TEXT)").unwrap();
    let error = SqliteStore::open(&foreign, SqliteOptions::default()).unwrap_err();
    assert!(matches!(error, OpenError::Foreign { .. }));
    let mode: String =
        Connection::open(&foreign).unwrap().query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, "delete");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_stores_may_open_a_new_file_at_once() {
    let rig = Arc::new(Sqlite::new());
    let mut tasks = tokio::task::JoinSet::new();
    for nonce in 0..8 {
        let rig = Arc::clone(&rig);
        tasks.spawn_blocking(move || (nonce, rig.open()));
    }
    for (nonce, store) in tasks.join_all().await {
        store.append(&debate(&nonce.to_string()), record(1, 1, nonce)).await.unwrap();
    }
    assert_eq!(rig.open().list(ListPage { limit: 99, after: None }).await.unwrap().len(), 8);
}

mod damage {
    use super::*;

    const RECORDS: [(u64, u64); 3] = [(1, 2), (3, 1), (4, 3)];

    async fn small_log() -> (Sqlite, Arc<SqliteStore>, DebateId) {
        let rig = Sqlite::new();
        let store = rig.open();
        for (first, events) in RECORDS {
            store.append(&debate("a"), record(first, events, first)).await.unwrap();
        }
        store.append(&debate("b"), record(1, 1, 1)).await.unwrap();
        (rig, store, debate("a"))
    }

    async fn damaged_at(store: &SqliteStore, id: &DebateId) -> Position {
        match store.verify(id).await {
            Err(StoreError::Damaged { debate, at, .. }) if debate == *id => at,
            other => panic!("damage was not found: {other:?}"),
        }
    }

    #[tokio::test]
    async fn every_flipped_byte_of_every_record_is_found_and_located() {
        let (rig, store, id) = small_log().await;
        let raw = rig.raw();
        for stored in store.raw_records(&id).await.unwrap() {
            for (column, bytes) in [("body", stored.body.to_vec()), ("hash", stored.hash.to_vec())] {
                let sql = format!("UPDATE records SET {column} = ?1 WHERE debate = 1 AND last = {}", stored.last.0);
                for at in 0..bytes.len() {
                    let mut flipped = bytes.clone();
                    flipped[at] ^= 1 << (at % 8);
                    assert_eq!(raw.execute(&sql, [flipped]).unwrap(), 1);
                    assert_eq!(damaged_at(&store, &id).await, stored.first, "{column} byte {at}");
                }
                raw.execute(&sql, [bytes]).unwrap();
            }
        }
        assert_eq!(store.verify(&id).await.unwrap().records, 3);
    }

    #[tokio::test]
    async fn every_changed_column_is_found_and_located() {
        let (rig, store, id) = small_log().await;
        let raw = rig.raw();
        for (first, events) in RECORDS {
            let last = first + events - 1;
            for (column, value) in [("first", first), ("last", last)] {
                for bit in [0, 1, 2, 7, 30, 62] {
                    let other = (value ^ (1 << bit)).cast_signed();
                    let change = format!("UPDATE records SET {column} = ?1 WHERE debate = 1 AND rowid = ?2");
                    let row: i64 = raw
                        .query_row(
                            "SELECT rowid FROM records WHERE debate = 1 AND last = ?1",
                            [last.cast_signed()],
                            |r| r.get(0),
                        )
                        .unwrap();
                    // The index refuses a position that another record has.
                    if raw.execute(&change, [other, row]).is_ok() {
                        let at = damaged_at(&store, &id).await;
                        assert!(at.0 <= last, "{column} of {first}: said {}", at.0);
                        raw.execute(&change, [value.cast_signed(), row]).unwrap();
                    }
                }
            }
        }
        for column in ["records", "last", "admitted", "updated", "ended"] {
            for bit in [0, 1, 40] {
                let flip = format!(
                    "UPDATE debates SET {column} = ({column} | {b}) - ({column} & {b}) WHERE id = 1",
                    b = 1u64 << bit
                );
                raw.execute_batch(&flip).unwrap();
                damaged_at(&store, &id).await;
                raw.execute_batch(&flip).unwrap();
            }
        }
        assert_eq!(store.verify(&id).await.unwrap().records, 3);
    }

    #[tokio::test]
    async fn every_flipped_byte_of_the_head_hash_is_found() {
        let (rig, store, id) = small_log().await;
        let whole = store.verify(&id).await.unwrap().head_hash;
        for at in 0..whole.len() {
            let mut flipped = whole;
            flipped[at] ^= 0x10;
            rig.raw().execute("UPDATE debates SET last_hash = ?1 WHERE id = 1", [flipped]).unwrap();
            assert_eq!(damaged_at(&store, &id).await, Position(6));
        }
    }

    #[tokio::test]
    async fn removed_swapped_and_foreign_records_are_found() {
        for (change, at) in [
            ("DELETE FROM records WHERE debate = 1 AND last = 2", 1),
            ("DELETE FROM records WHERE debate = 1 AND last = 3", 3),
            ("DELETE FROM records WHERE debate = 1 AND last = 6", 4),
            ("DELETE FROM records WHERE debate = 1", 1),
            ("DELETE FROM records WHERE debate = 1; UPDATE records SET debate = 1", 1),
            ("UPDATE debates SET debate = 'debate-c' WHERE id = 2; UPDATE debates SET debate = 'debate-b' WHERE id = 1;
              UPDATE debates SET debate = 'debate-a' WHERE id = 2", 1),
        ] {
            let (rig, store, id) = small_log().await;
            rig.raw().execute_batch(change).unwrap();
            assert_eq!(damaged_at(&store, &id).await, Position(at), "{change}");
        }
    }

    #[tokio::test]
    async fn a_damaged_record_is_refused_to_readers_too() {
        let (rig, store, id) = small_log().await;
        store.forget(&id);
        rig.raw().execute_batch("UPDATE records SET body = zeroblob(8) WHERE debate = 1 AND last = 3").unwrap();
        assert!(matches!(store.read(&id, Position(0)).await, Err(StoreError::Damaged { at: Position(3), .. })));
        assert!(matches!(store.read(&id, Position(2)).await, Err(StoreError::Damaged { at: Position(3), .. })));
        assert_eq!(store.read(&id, Position(3)).await.unwrap().len(), 1);
    }
}

mod any_records {
    use super::*;
    use agon_core::Record;
    use agon_proto::strategies;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn whatever_is_appended_comes_back_from_disk(records in proptest::collection::vec(strategies::record(), 1..6)) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let rig = Sqlite::new();
            let mut expected = vec![];
            let mut first = 1;
            for record in records {
                let record = Record { first: Position(first), ..record };
                first = record.last().0 + 1;
                expected.push(Arc::new(record));
            }
            let read = runtime.block_on(async {
                let store = rig.open();
                for record in &expected {
                    store.append(&debate("a"), record.as_ref().clone()).await.unwrap();
                }
                drop(store);
                let store = rig.open();
                store.verify(&debate("a")).await.unwrap();
                store.read(&debate("a"), Position(0)).await.unwrap()
            });
            prop_assert_eq!(read, expected);
        }
    }
}
