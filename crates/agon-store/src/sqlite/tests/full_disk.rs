//! A disk without room, which is one of its own: a small file system in memory.
use super::Sqlite;
use crate::contract::{TURN, debate, record, said};
use crate::sqlite::{SqliteOptions, SqliteStore};
use crate::{AppendError, Journal as _, Registers as _, StoreError, Upkeep as _};
use agon_core::{Event, Position, Record};
use std::path::Path;
use std::process::Command;

/// The folder with the small disk, in the process that runs on it.
const ON_IT: &str = "AGON_TEST_SMALL_DISK";

/// A record of so many bytes and some.
fn large(first: u64, bytes: usize) -> Record {
    Record { events: vec![Event::CancelRequested { reason: "x".repeat(bytes) }], ..record(first, 1, first) }
}

/// Takes all room of the disk but so many bytes.
fn fill(folder: &Path, but: u64) {
    let file = std::fs::File::create(folder.join("fill")).unwrap();
    let stat = rustix::fs::statvfs(folder).unwrap();
    let free = stat.f_bavail * stat.f_frsize;
    std::io::copy(&mut std::io::Read::take(std::io::repeat(0), free - but), &mut { file }).unwrap();
}

#[test]
fn a_full_disk_refuses_for_certain_and_is_told_until_there_is_room() {
    if let Some(folder) = std::env::var_os(ON_IT) {
        return tokio::runtime::Runtime::new().unwrap().block_on(on_a_small_disk(Path::new(&folder)));
    }
    let rig = Sqlite::new();
    let script = "mount -t tmpfs -o size=4m tmpfs \"$0\" && exec \"$@\"";
    let mut inside = Command::new("unshare");
    inside.args(["-m", "sh", "-c", script]).arg(rig.folder.path()).arg(std::env::current_exe().unwrap());
    inside.args(["--exact", &format!("{}::a_full_disk_refuses_for_certain_and_is_told_until_there_is_room", tests())]);
    let run = inside.env(ON_IT, rig.folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&run.stdout) + String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success() && said.contains("1 passed"), "{said}");
}

/// The path of these tests as the test runner has it.
fn tests() -> &'static str {
    module_path!().split_once("::").unwrap().1
}

async fn on_a_small_disk(folder: &Path) {
    let path = folder.join("agon.db");
    let store = SqliteStore::open(&path, SqliteOptions::default()).unwrap();
    store.append(&debate("a"), record(1, 1, 1)).await.unwrap();
    assert_eq!(store.condition().trouble(), None);
    fill(folder, 64 << 10);

    let refused = store.append(&debate("a"), large(2, 200 << 10)).await;
    assert!(matches!(refused, Err(AppendError::Store(StoreError::Full(_)))), "{refused:?}");
    // changes that share a transaction are refused one by one
    let (one, two) = (debate("b"), debate("c"));
    let (one, two) = tokio::join!(store.append(&one, large(1, 200 << 10)), store.append(&two, large(1, 200 << 10)));
    for refused in [one, two] {
        assert!(matches!(refused, Err(AppendError::Store(StoreError::Full(_)))), "{refused:?}");
    }
    // what is small enough still fits, and tells nothing of the rest
    store.decide(&debate("a"), TURN, said("x")).await.unwrap();
    let condition = store.condition();
    assert!(condition.exhausted[0].starts_with("the disk of the store (SQLite 13) is full"), "{condition:?}");
    assert!(condition.fullness().is_some() && condition.broken.is_empty(), "{condition:?}");

    std::fs::remove_file(folder.join("fill")).unwrap();
    assert_eq!(store.condition().trouble(), None, "without a write");
    store.append(&debate("a"), large(2, 200 << 10)).await.unwrap();
    assert_eq!(store.condition().trouble(), None);

    // what was refused is not there after a restart
    drop(store);
    let store = SqliteStore::open(&path, SqliteOptions::default()).unwrap();
    assert_eq!(store.verify(&debate("a")).await.unwrap().records, 2);
    assert!(store.read(&debate("b"), Position(0)).await.unwrap().is_empty());
}
