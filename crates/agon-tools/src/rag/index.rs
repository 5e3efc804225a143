//! The full-text index, in memory.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use agon_core::words::words;
use rusqlite::{Connection, params};
use tracing::debug;

use super::PassageVectors;
use super::chunk::chunks;
use super::files::{FoundFile, SkipCause, Skipped, Stamp, read, walk};
use super::rank::FoundPassage;

const MAX_PASSAGES: usize = 20_000;
const MAX_QUERY_WORDS: usize = 32;

/// Why nothing can be searched.
#[derive(Debug, thiserror::Error)]
pub(super) enum IndexError {
    /// The index itself failed.
    #[error("its index failed")]
    Sqlite(#[from] rusqlite::Error),
    /// No path leads anywhere.
    #[error("none of its paths can be read")]
    NoPaths,
    /// The call is over.
    #[error("nobody waits for it any more")]
    Stopped,
}

/// The passages of all files, by words as [`words`] cuts them, and the vectors of those that have one.
pub(super) struct PassageIndex {
    db: Connection,
    files: BTreeMap<PathBuf, IndexedFile>,
    pub(super) vectors: PassageVectors,
    next: i64,
    passages: usize,
}

struct IndexedFile {
    stamp: Stamp,
    label: String,
    /// The numbers of its passages, or why it has none.
    content: Result<Vec<i64>, SkipCause>,
}

impl PassageIndex {
    pub(super) fn new() -> Result<Self, IndexError> {
        let db = Connection::open_in_memory()?;
        db.execute_batch(
            "CREATE VIRTUAL TABLE passages USING fts5(words, text UNINDEXED, label UNINDEXED, first UNINDEXED, last UNINDEXED,
             tokenize = 'porter unicode61 remove_diacritics 2')",
        )?;
        Ok(Self { db, files: BTreeMap::new(), vectors: PassageVectors::new(), next: 1, passages: 0 })
    }

    /// Reads what is new or changed below `roots`, forgets what is gone, and says what is not searched.
    ///
    /// What was read stays when `stop` ends it early, so that the next call goes on from there.
    pub(super) fn refresh(&mut self, roots: &[PathBuf], stop: &AtomicBool) -> Result<Skipped, IndexError> {
        let mut skipped = Skipped::default();
        let found = walk(roots, &mut skipped);
        if found.is_empty() && skipped.0.get(&SkipCause::Unreadable).is_some_and(|count| *count >= roots.len()) {
            return Err(IndexError::NoPaths);
        }
        let is_stale = |path: &PathBuf, entry: &IndexedFile| {
            found.get(path).is_none_or(|found| found.stamp != entry.stamp || found.label != entry.label)
        };
        let stale = self.files.iter().filter(|(path, entry)| is_stale(path, entry)).map(|(path, _)| path.clone());
        for path in stale.collect::<Vec<_>>() {
            self.forget(&path)?;
        }
        for (path, found) in found {
            if stop.load(Ordering::Relaxed) {
                return Err(IndexError::Stopped);
            }
            if !self.files.contains_key(&path) {
                self.add(path, found)?;
            }
        }
        self.files.values().filter_map(|entry| entry.content.as_ref().err()).for_each(|why| skipped.add(*why));
        Ok(skipped)
    }

    fn add(&mut self, path: PathBuf, found: FoundFile) -> Result<(), IndexError> {
        let FoundFile { label, stamp } = found;
        let room = MAX_PASSAGES - self.passages;
        let content = read(&path)
            .map(|text| chunks(&text))
            .and_then(|chunks| if chunks.len() > room { Err(SkipCause::TooMany) } else { Ok(chunks) });
        let content = match content {
            Err(why) => {
                debug!(file = %path.display(), ?why, "a file is not searched");
                Err(why)
            }
            Ok(chunks) => {
                let write = self.db.transaction()?;
                let mut numbers = Vec::new();
                for chunk in &chunks {
                    write
                        .prepare_cached(
                            "INSERT INTO passages (rowid, words, text, label, first, last) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                        )?
                        .execute(params![
                            self.next,
                            words(&chunk.text).join(" "),
                            chunk.text,
                            label,
                            chunk.first,
                            chunk.last
                        ])?;
                    numbers.push(self.next);
                    self.next += 1;
                }
                write.commit()?;
                self.passages += numbers.len();
                Ok(numbers)
            }
        };
        self.files.insert(path, IndexedFile { stamp, label, content });
        Ok(())
    }

    fn forget(&mut self, path: &PathBuf) -> Result<(), IndexError> {
        let Some(entry) = self.files.remove(path) else { return Ok(()) };
        let numbers = entry.content.unwrap_or_default();
        let write = self.db.transaction()?;
        for number in &numbers {
            write.prepare_cached("DELETE FROM passages WHERE rowid = ?1")?.execute([number])?;
            self.vectors.remove(number);
        }
        write.commit()?;
        self.passages -= numbers.len();
        Ok(())
    }

    /// The best passages for the words of `query`, by BM25.
    pub(super) fn by_words(&self, query: &str, count: usize) -> Result<Vec<FoundPassage>, IndexError> {
        let Some(expression) = expression(query) else { return Ok(Vec::new()) };
        let mut select = self.db.prepare_cached(
            "SELECT rowid, text, label, first, last FROM passages WHERE passages MATCH ?1 ORDER BY rank, rowid LIMIT ?2",
        )?;
        let rows = select.query_map(params![expression, i64::try_from(count).unwrap_or(i64::MAX)], passage)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The passages `numbers`, in that order; those that are gone by now are left out.
    pub(super) fn by_numbers(&self, numbers: &[i64]) -> Result<Vec<FoundPassage>, IndexError> {
        let mut select =
            self.db.prepare_cached("SELECT rowid, text, label, first, last FROM passages WHERE rowid = ?1")?;
        let mut passages = Vec::new();
        for number in numbers {
            passages.extend(select.query_map([number], passage)?.collect::<Result<Vec<_>, _>>()?);
        }
        Ok(passages)
    }

    /// Some passages that have no vector yet, and how many there are in all.
    pub(super) fn without_vector(&self, count: usize) -> Result<(Vec<FoundPassage>, usize), IndexError> {
        let all = self.files.values().filter_map(|entry| entry.content.as_ref().ok()).flatten();
        let missing = all.filter(|number| !self.vectors.contains_key(number)).copied().collect::<Vec<_>>();
        let some = missing.iter().take(count).copied().collect::<Vec<_>>();
        Ok((self.by_numbers(&some)?, missing.len()))
    }

    /// Keeps `vector` for a passage that still exists.
    pub(super) fn keep(&mut self, number: i64, vector: Vec<f32>) {
        let exists = self.files.values().any(|entry| entry.content.as_ref().is_ok_and(|all| all.contains(&number)));
        if exists {
            self.vectors.insert(number, vector);
        }
    }
}

fn passage(row: &rusqlite::Row<'_>) -> rusqlite::Result<FoundPassage> {
    Ok(FoundPassage {
        number: row.get(0)?,
        text: row.get(1)?,
        label: row.get(2)?,
        first: row.get(3)?,
        last: row.get(4)?,
    })
}

/// Any of the query's words, each quoted, so that nothing a model writes is taken for FTS5's own language.
fn expression(query: &str) -> Option<String> {
    let quoted = words(query).iter().take(MAX_QUERY_WORDS).map(|word| format!("\"{word}\"")).collect::<Vec<_>>();
    (!quoted.is_empty()).then(|| quoted.join(" OR "))
}
