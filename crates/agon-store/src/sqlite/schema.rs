//! Tables and their versions.
use super::open::OpenError;
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;

/// `application_id` of the file: "AGON".
pub(super) const APPLICATION: i64 = 0x4147_4F4E;

/// Step `n` leads from schema `n` to schema `n + 1`. A step that was released never changes.
pub(super) const STEPS: &[&str] = &[
    "
    CREATE TABLE debates (
        id        INTEGER PRIMARY KEY AUTOINCREMENT,
        debate    TEXT    NOT NULL UNIQUE,
        records   INTEGER NOT NULL,
        last      INTEGER NOT NULL,
        last_hash BLOB    NOT NULL,
        admitted  INTEGER NOT NULL,
        updated   INTEGER NOT NULL,
        ended     INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE records (
        debate INTEGER NOT NULL,
        first  INTEGER NOT NULL,
        last   INTEGER NOT NULL,
        body   BLOB    NOT NULL,
        hash   BLOB    NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX records_by_position ON records (debate, last);
    CREATE TABLE registers (
        debate  TEXT    NOT NULL,
        round   INTEGER NOT NULL,
        seat    INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        result  BLOB    NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX registers_by_turn ON registers (debate, round, seat, attempt);
    CREATE TABLE jobs (
        number     INTEGER PRIMARY KEY AUTOINCREMENT,
        debate     TEXT    NOT NULL UNIQUE,
        owner      TEXT,
        token      INTEGER,
        free_at    INTEGER NOT NULL,
        deliveries INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX jobs_by_time ON jobs (free_at, number);
",
    "
    ALTER TABLE jobs ADD COLUMN priority INTEGER NOT NULL DEFAULT 1;
    DROP INDEX jobs_by_time;
    CREATE INDEX jobs_by_time ON jobs (priority, free_at, number);
    CREATE TABLE shares (
        priority INTEGER PRIMARY KEY,
        credit   INTEGER NOT NULL,
        jobs     INTEGER NOT NULL
    ) STRICT;
    INSERT INTO shares SELECT 0, 0, 0 UNION SELECT 1, 0, (SELECT count(*) FROM jobs) UNION SELECT 2, 0, 0;
    CREATE TRIGGER jobs_added AFTER INSERT ON jobs
        BEGIN UPDATE shares SET jobs = jobs + 1 WHERE priority = new.priority; END;
    CREATE TRIGGER jobs_removed AFTER DELETE ON jobs
        BEGIN UPDATE shares SET jobs = jobs - 1 WHERE priority = old.priority; END;
    CREATE TABLE orders (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        debate TEXT    NOT NULL UNIQUE,
        body   BLOB    NOT NULL
    ) STRICT;
    CREATE TABLE requests (
        tenant  TEXT    NOT NULL,
        request TEXT    NOT NULL,
        claim   BLOB    NOT NULL,
        at      INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX requests_by_id ON requests (tenant, request);
    CREATE INDEX requests_by_time ON requests (at);
    CREATE TABLE catalogue (
        debate   TEXT    NOT NULL UNIQUE,
        tenant   TEXT    NOT NULL,
        admitted INTEGER NOT NULL,
        ended    INTEGER NOT NULL,
        summary  BLOB    NOT NULL
    ) STRICT;
    CREATE INDEX catalogue_by_admission ON catalogue (admitted, debate);
    CREATE INDEX catalogue_by_tenant ON catalogue (tenant, admitted, debate);
    CREATE INDEX catalogue_unfinished ON catalogue (admitted, debate) WHERE ended = 0;
",
    // Nobody knows whose the open debates of an older file are, so that none is played before a person says so.
    "
    CREATE TABLE local_debates (
        debate        TEXT    NOT NULL UNIQUE,
        paused        INTEGER NOT NULL,
        pid           INTEGER,
        started       INTEGER,
        host          TEXT,
        process_table TEXT,
        ticks         INTEGER,
        token         INTEGER,
        seen          INTEGER
    ) STRICT;
    INSERT INTO local_debates (debate, paused) SELECT debate, 0 FROM debates WHERE ended = 0;
    DELETE FROM jobs;
    DELETE FROM catalogue WHERE ended = 0;
",
    "
    CREATE TABLE vectors (
        debate TEXT NOT NULL,
        model  TEXT NOT NULL,
        vector BLOB NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX vectors_by_debate ON vectors (debate, model);
",
    "
    CREATE TABLE evals (
        id        INTEGER PRIMARY KEY AUTOINCREMENT,
        eval      TEXT    NOT NULL UNIQUE,
        records   INTEGER NOT NULL,
        last_hash BLOB    NOT NULL,
        admitted  INTEGER NOT NULL,
        updated   INTEGER NOT NULL,
        ended     INTEGER NOT NULL,
        card      BLOB    NOT NULL
    ) STRICT;
    CREATE TABLE eval_records (
        eval   INTEGER NOT NULL,
        number INTEGER NOT NULL,
        at     INTEGER NOT NULL,
        body   BLOB    NOT NULL,
        hash   BLOB    NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX eval_records_by_number ON eval_records (eval, number);
",
];

/// Refuses files of other programs and of newer versions, before anything is changed in them.
pub(super) fn check(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let open = |error| OpenError::of(path, &error);
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map_err(open);
    let found = number("PRAGMA user_version")?;
    let application = number("PRAGMA application_id")?;
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    if application != APPLICATION && (tables > 0 || found != 0) {
        return Err(OpenError::Foreign { path: path.to_owned() });
    }
    let known = STEPS.len() as i64;
    if found > known {
        return Err(OpenError::Newer { path: path.to_owned(), found, known });
    }
    Ok(())
}

/// Takes the steps that are missing. Another process may be doing the same: whoever comes second finds nothing to do.
pub(super) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), OpenError> {
    let open = |error| OpenError::of(path, &error);
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(open)?;
    check(&change, path)?;
    let found = change.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0)).map_err(open)?;
    let missing = STEPS.iter().skip(usize::try_from(found).unwrap_or(0));
    for step in missing {
        change.execute_batch(step).map_err(open)?;
    }
    if found != STEPS.len() as i64 {
        change.pragma_update(None, "application_id", APPLICATION).map_err(open)?;
        change.pragma_update(None, "user_version", STEPS.len() as i64).map_err(open)?;
    }
    change.commit().map_err(open)
}
