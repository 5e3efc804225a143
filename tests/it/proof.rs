//! Replaying and verifying what is stored.
use crate::support::{TestCluster, World, address};
use rusqlite::Connection;

#[test]
fn replay_gives_result_and_reports_again_bit_for_bit_without_a_server() {
    let world = World::new();
    world.rehearse("again").ok();
    world.agon(&["replay", "again", "--output-dir", "second"]).ok();
    let mut compared = 0;
    for entry in std::fs::read_dir(world.path("agon-reports/again")).unwrap() {
        let path = entry.unwrap().path();
        let again = world.path("second/again").join(path.file_name().unwrap());
        assert!(std::fs::read(&path).unwrap() == std::fs::read(&again).unwrap(), "{} differs", path.display());
        compared += 1;
    }
    assert_eq!(compared, 4);
}

#[test]
fn every_report_can_be_printed_again() {
    let world = World::new();
    world.rehearse("reported").ok();
    for format in ["markdown", "summary", "verbose", "html", "json", "jsonl"] {
        let said = world.agon(&["report", "last", "--format", format]).ok();
        assert!(said.stdout.len() > 500, "{format}: {said:?}");
        assert!(said.stdout.to_lowercase().contains("rehearsal"), "{format} is not marked");
    }
    world.agon(&["report", "rep", "--format", "html", "-o", "page.html"]).ok();
    assert!(std::fs::read_to_string(world.path("page.html")).unwrap().starts_with("<!"));
}

#[test]
fn verify_says_that_a_log_is_whole_or_where_it_is_not() {
    let world = World::new();
    world.rehearse("proven").ok();
    let said = world.agon(&["verify", "proven"]).ok();
    assert!(said.stdout.contains("proven: whole"), "{said:?}");
    let records = records(&world);
    for (at, (row, body)) in records.iter().enumerate().step_by(7) {
        let byte = body.len() * (at + 1) / (records.len() + 1);
        flip(&world, *row, body, byte);
        let said = world.agon(&["verify", "proven"]).code(3);
        assert!(said.stdout.contains("proven: DAMAGED at event"), "record {at}: {said:?}");
        world.agon(&["replay", "proven"]).code(3);
        write(&world, *row, body);
    }
    world.agon(&["verify"]).ok();
}

#[test]
fn a_damaged_log_is_no_trouble_of_other_debates_and_can_be_deleted() {
    let world = World::new();
    world.rehearse("older").ok();
    world.rehearse("hurt").ok();
    world.rehearse("newer").ok();
    damage(&world, "hurt");
    let listed = world.agon(&["list"]).ok();
    let states: Vec<&str> = listed.stdout.lines().filter(|line| line.contains("damaged")).collect();
    assert!(states.len() == 1 && states[0].starts_with("hurt"), "{listed:?}");
    assert!(listed.stdout.contains("older") && listed.stdout.contains("newer"), "{listed:?}");
    assert!(listed.stderr.contains("debate hurt: the log is damaged at event"), "{listed:?}");
    let rows = world.json(&["list", "--json"]);
    let states: Vec<&str> = rows.as_array().unwrap().iter().map(|row| row["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["succeeded", "damaged", "succeeded"]);
    assert!(rows[1]["damage"].as_str().unwrap().contains("event") && rows[1].get("topic").is_none(), "{rows}");
    let some = world.agon(&["list", "--state", "succeeded"]).ok();
    assert!(!some.stdout.contains("hurt") && some.stderr.contains("unknown whether it fits"), "{some:?}");
    let got = world.agon(&["get", "hurt"]).code(3);
    assert!(got.stderr.contains("the log is damaged at event"), "{got:?}");
    let unended = world.agon(&["cancel", "hurt"]).code(3);
    assert!(unended.stderr.contains("agon delete hurt deletes it"), "{unended:?}");
    world.agon(&["delete", "hurt"]).ok();
    let listed = world.agon(&["list"]).ok();
    assert!(!listed.stdout.contains("hurt") && listed.stderr.is_empty(), "{listed:?}");
    world.agon(&["verify"]).ok();
}

#[test]
fn a_server_deletes_a_debate_whose_log_is_damaged() {
    let mut cluster = TestCluster::start();
    cluster.world.rehearse("hurt").ok();
    cluster.world.rehearse("whole").ok();
    damage(&cluster.world, "hurt");
    let database = cluster.world.database().display().to_string();
    let mut alone = cluster.launch("alone", &["--rehearsal", "--store", &database]);
    let grpc = address(&mut alone, "gRPC");
    let agon = |args: &[&str]| cluster.world.agon(&[args, &["--server", &grpc]].concat());
    assert!(agon(&["list"]).ok().stdout.contains("whole"));
    let got = agon(&["get", "hurt"]);
    assert!(got.code != Some(0) && got.stderr.contains("damaged"), "{got:?}");
    agon(&["delete", "hurt"]).ok();
    assert!(!agon(&["list"]).ok().stdout.contains("hurt"));
}

/// Changes one byte in the middle of a debate's log.
fn damage(world: &World, id: &str) {
    let find =
        "SELECT r.rowid, r.body FROM records r JOIN debates d ON r.debate = d.id WHERE d.debate = ?1 LIMIT 1 OFFSET 3";
    let row: (i64, Vec<u8>) = database(world).query_row(find, [id], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    flip(world, row.0, &row.1, row.1.len() / 2);
}

#[test]
fn list_and_get_find_debates_by_their_beginning() {
    let world = World::new();
    world.rehearse("alpha-1").ok();
    world.rehearse("beta-1").ok();
    let listed = world.agon(&["list"]).ok();
    assert!(listed.stdout.contains("alpha-1") && listed.stdout.contains("beta-1"), "{listed:?}");
    assert!(listed.stdout.contains("decided") && listed.stdout.contains("(rehearsal)"), "{listed:?}");
    assert_eq!(world.json(&["get", "al", "--json"])["id"], "alpha-1");
    assert_eq!(world.json(&["get", "--json"])["id"], "beta-1");
    assert_eq!(world.json(&["list", "--json"]).as_array().unwrap().len(), 2);
    world.agon(&["get", "gamma"]).code(64);
}

fn database(world: &World) -> Connection {
    Connection::open(world.database()).unwrap()
}

fn records(world: &World) -> Vec<(i64, Vec<u8>)> {
    let database = database(world);
    let mut rows = database.prepare("SELECT rowid, body FROM records ORDER BY first").unwrap();
    rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
}

fn flip(world: &World, row: i64, body: &[u8], at: usize) {
    let mut flipped = body.to_vec();
    flipped[at] ^= 0x20;
    write(world, row, &flipped);
}

fn write(world: &World, row: i64, body: &[u8]) {
    let changed = database(world).execute("UPDATE records SET body = ?1 WHERE rowid = ?2", (body, row)).unwrap();
    assert_eq!(changed, 1);
}

#[test]
fn a_debate_of_this_machine_is_judged_again() {
    let world = World::new();
    world.rehearse("first").ok();
    let said = world.agon(&["rejudge", "first", "--judge", "another:1b", "--id", "second", "--quiet"]);
    assert!(matches!(said.code, Some(0 | 2)), "{said:?}");
    let (old, new) = (world.events("first"), world.events("second"));
    let speeches = |events: &[serde_json::Value]| -> Vec<serde_json::Value> {
        events.iter().filter(|event| event["type"] == "speech_recorded").map(|event| event["text"].clone()).collect()
    };
    assert!(!speeches(&old).is_empty());
    assert_eq!(speeches(&old), speeches(&new));
    assert!(new.iter().any(|event| event["type"] == "verdict_reached"), "{said:?}");
    assert!(format!("{new:?}").contains("another:1b"));
    world.agon(&["verify", "second"]).ok();
    world.agon(&["rejudge", "first", "--id", "second"]).code(64);
}

#[test]
fn what_is_found_of_logs_can_be_had_as_json() {
    let world = World::new();
    world.rehearse("proven").ok();
    let found = world.json(&["verify", "--json"]);
    assert_eq!((&found[0]["id"], &found[0]["state"]), (&"proven".into(), &"whole".into()), "{found}");
    assert!(found[0]["hash"].as_str().unwrap().len() == 64, "{found}");
    assert_eq!(world.json(&["delete", "proven", "--json"])["removed"], true);
}
