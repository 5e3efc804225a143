//! Stores that cannot be used: every command that reads one says what is wrong, where, and what to do, in words of Agon's.
use crate::support::{ProgramOutput, World, agon};
use std::path::Path;
use std::process::Command;

/// The commands that only read.
const READING: [&[&str]; 6] =
    [&["list"], &["get", "last"], &["report", "last"], &["verify"], &["replay", "last"], &["open", "last"]];
/// Words of SQLite's own.
const RAW: [&str; 6] = ["file is not a database", "malformed", "unable to open", "readonly", "disk image", "Error {"];

/// What each reading command says of a store.
fn refused(world: &World, store: &Path, told: &[&str]) {
    for command in READING {
        let said = world.agon(&[command, &["--store", store.to_str().unwrap()]].concat());
        assert!(said.code.is_some_and(|code| code != 0), "{command:?}: {said:?}");
        is_plain(&said.stderr, store, told);
    }
}

fn is_plain(said: &str, store: &Path, told: &[&str]) {
    assert!(said.contains(store.to_str().unwrap()) && told.iter().all(|words| said.contains(words)), "{said}");
    assert!(RAW.iter().all(|raw| !said.contains(raw)), "{said}");
}

#[test]
fn what_is_no_database_or_is_damaged_is_said_to_be() {
    let world = World::new();
    world.rehearse("whole-one").ok();
    let whole = std::fs::read(world.database()).unwrap();
    let (text, cut, newer) = (world.path("text.db"), world.path("cut.db"), world.path("newer.db"));
    std::fs::write(&text, "no database, but long enough to be looked at. ".repeat(200)).unwrap();
    std::fs::write(&cut, &whole[..20_000]).unwrap();
    std::fs::write(&newer, &whole).unwrap();
    rusqlite::Connection::open(&newer).unwrap().pragma_update(None, "user_version", 99).unwrap();

    refused(&world, &text, &["it is not a database", "--store PATH"]);
    refused(&world, &cut, &["the file is damaged or truncated", "--store PATH"]);
    refused(&world, &newer, &["schema 99", "use the version that wrote it"]);
}

#[test]
fn a_store_on_a_file_system_that_may_only_be_read_is_said_to_be_on_one() {
    let world = World::new();
    world.rehearse("whole-one").ok();
    let folder = world.path("read-only");
    std::fs::create_dir(&folder).unwrap();
    let store = folder.join("agon.db");
    std::fs::copy(world.database(), &store).unwrap();
    for command in READING {
        // a mount of its own, which goes with the process
        let script = "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\" && exec \"$@\"";
        let mut mounted = Command::new("unshare");
        mounted.args(["-m", "sh", "-c", script]).arg(&folder).arg(agon());
        mounted.args(command).arg("--store").arg(&store).env_clear().env("HOME", world.path(""));
        mounted.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").current_dir(world.path(""));
        let said = ProgramOutput::of(&mounted.output().unwrap());
        is_plain(&said.stderr, &store, &["is read-only", "copy the file to a writable folder"]);
    }
}

#[test]
fn looking_leaves_nothing_behind_and_what_cannot_be_looked_at_is_not_empty() {
    let world = World::new();
    let empty = world.path("empty.db");
    std::fs::write(&empty, "").unwrap();
    let said = world.agon(&["list", "--store", empty.to_str().unwrap()]).ok();
    assert!(said.stderr.contains("no debates yet"), "{said:?}");
    assert_eq!(std::fs::metadata(&empty).unwrap().len(), 0);
    let below = empty.join("agon.db");
    let said = world.agon(&["list", "--store", below.to_str().unwrap()]).code(70);
    is_plain(&said.stderr, &below, &["cannot be read"]);
    let nowhere = world.path("none/deep/agon.db");
    world.agon(&["doctor", "--store", nowhere.to_str().unwrap()]);
    assert!(!world.path("none").exists());
}

#[test]
fn a_store_on_a_disk_without_room_is_said_to_be_on_one() {
    let world = World::new();
    world.rehearse("whole-one").ok();
    let folder = world.path("full");
    std::fs::create_dir(&folder).unwrap();
    let store = folder.join("agon.db");
    for command in READING {
        // a disk of its own, filled to the last block
        let script = "mount -t tmpfs -o size=1m tmpfs \"$0\" && cp \"$1\" \"$0/agon.db\" && shift && \
                      ! cat /dev/zero 2>/dev/null > \"$0/fill\" && exec \"$@\"";
        let mut mounted = Command::new("unshare");
        mounted.args(["-m", "sh", "-c", script]).arg(&folder).arg(world.database()).arg(agon());
        mounted.args(command).arg("--store").arg(&store).env_clear().env("HOME", world.path(""));
        mounted.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").current_dir(world.path(""));
        let said = ProgramOutput::of(&mounted.output().unwrap());
        assert_eq!(said.code, Some(69), "{said:?}");
        is_plain(&said.stderr, &store, &["the disk is full; free space on it"]);
    }
}

#[test]
fn a_store_that_is_a_folder_is_said_to_be_one() {
    let world = World::new();
    let folder = world.path("folder");
    std::fs::create_dir(&folder).unwrap();
    refused(&world, &folder, &["is a folder; name a file in it, such as ", "folder/agon.db"]);
}
