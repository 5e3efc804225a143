use super::*;
use crate::contract::summary;
use crate::sqlite::catalogue;
use crate::sqlite::schema::{APPLICATION, STEPS};
use crate::{Catalogue as _, Claimed, LocalState, Owner};
use agon_core::Halt;

/// A file as the first version wrote it: two logs and a job, that nobody holds, of each.
async fn first_schema(rig: &Sqlite) {
    let newer = Sqlite::new();
    let store = newer.open();
    for name in ["a", "b"] {
        store.append(&debate(name), record(1, 2, 1)).await.unwrap();
        store.decide(&debate(name), TURN, said(name)).await.unwrap();
    }
    let old = rig.raw();
    old.execute_batch(STEPS[0]).unwrap();
    old.pragma_update(None, "application_id", APPLICATION).unwrap();
    old.pragma_update(None, "user_version", 1).unwrap();
    old.execute("ATTACH ?1 AS newer", [newer.path().to_str().unwrap()]).unwrap();
    for table in ["debates", "records", "registers"] {
        old.execute_batch(&format!("INSERT INTO {table} SELECT * FROM newer.{table}")).unwrap();
    }
    for name in ["a", "b"] {
        let sql = "INSERT INTO jobs (debate, free_at, deliveries) VALUES (?1, 0, 3)";
        old.execute(sql, [debate(name).as_str()]).unwrap();
    }
}

#[tokio::test]
async fn a_file_of_schema_1_is_brought_up_to_date_and_goes_on() {
    let rig = Sqlite::new();
    first_schema(&rig).await;
    let store = rig.open();
    assert_eq!(store.verify(&debate("a")).await.unwrap().events, 2);
    assert_eq!(*store.get(&debate("a"), TURN).await.unwrap().unwrap(), said("a"));
    store.append(&debate("a"), record(3, 1, 2)).await.unwrap();
    store.note(summary("a", 1)).await.unwrap();
    assert_eq!(store.unfinished().await.unwrap(), [summary("a", 1)]);
}

#[tokio::test]
async fn the_open_debates_of_an_older_file_are_interrupted_and_nobody_takes_their_jobs() {
    let rig = Sqlite::new();
    first_schema(&rig).await;
    let store = rig.open();
    for name in ["a", "b"] {
        assert_eq!(store.local(&debate(name)).await.unwrap(), Some(LocalState::Halted(Halt::Interrupted)), "{name}");
    }
    assert_eq!(store.take("owner", Duration::from_secs(9)).await.unwrap(), None);
    let jobs: i64 = rig.raw().query_row("SELECT sum(jobs) FROM shares", [], |row| row.get(0)).unwrap();
    assert_eq!(jobs, 0);

    let own = Owner::this_process(Timestamp(START));
    assert_eq!(store.claim_local(&debate("a"), &own).await.unwrap(), Claimed::Won);
    store.append(&debate("a"), ending(3)).await.unwrap();
    assert_eq!(store.locals().await.unwrap().into_keys().collect::<Vec<_>>(), [debate("b")]);
}

#[tokio::test]
async fn listings_walk_along_an_index() {
    let rig = Sqlite::new();
    drop(rig.open());
    for (sql, index) in [
        (catalogue::EVERYWHERE, "catalogue_by_admission (admitted>? AND (admitted,debate)<(?,?))"),
        (catalogue::IN_TENANT, "catalogue_by_tenant (tenant=? AND admitted>? AND (admitted,debate)<(?,?))"),
        (catalogue::UNFINISHED, "catalogue_unfinished"),
    ] {
        let raw = rig.raw();
        let mut statement = raw.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let values = (1..=statement.parameter_count()).map(|n| n as i64).collect::<Vec<_>>();
        let rows = statement.query_map(rusqlite::params_from_iter(values), |row| row.get::<_, String>(3)).unwrap();
        let plan: Vec<_> = rows.map(Result::unwrap).collect();
        assert_eq!(plan.len(), 1, "{plan:?}");
        assert!(plan[0].contains(index), "{plan:?}");
    }
}
