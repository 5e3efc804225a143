//! The database of debates: where it is, and how debates in it are found.
use crate::commands::{self, Context};
use crate::exit::{Exit, Stop};
use crate::reports::StoredLog;
use crate::shell::quoted;
use agon_core::{DebateId, Halt, Position, Record};
use agon_store::{
    DebateHead, Journal, ListPage, LocalState, OpenError, SqliteOptions, SqliteStore, StoreError, Upkeep, chain,
};
use anyhow::Context as _;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FILE_NAME: &str = "agon.db";
/// The name that stands for the newest debate; as an id of its own it would be ambiguous.
pub const LAST: &str = "last";
const PAGE: u32 = 500;
/// Characters of a short id.
const SHORT: usize = 8;
/// An id of more characters than this is shortened where it is only printed.
const LONG: usize = 20;
/// Debates that are listed where a name may be any of several.
const CANDIDATES: usize = 10;

/// What is kept of a debate.
#[derive(Clone, Debug)]
pub enum StoredDebate {
    /// Its log.
    Whole(StoredLog),
    /// A log that is damaged: where, and how.
    Damaged(String),
}

/// The debates that are kept.
#[derive(Clone, Debug)]
pub struct Store {
    /// The database itself.
    pub sqlite: Arc<SqliteStore>,
    /// Its file.
    pub path: PathBuf,
    /// What a command needs to look into this store.
    flag: String,
}

/// Where debates are kept: a flag before the settings, these before the user's data folder.
pub fn path(context: &Context) -> Result<PathBuf, Stop> {
    named_path(context, FILE_NAME)
}

fn named_path(context: &Context, file_name: &str) -> Result<PathBuf, Stop> {
    if let Some(path) = &context.global.store {
        return Ok(path.clone());
    }
    match context.settings()?.store.path {
        Some(path) => Ok(path),
        None => Ok(context.environment.data_dir()?.join(file_name)),
    }
}

/// Makes the folder of the database.
pub fn prepare(path: &Path) -> anyhow::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let made = std::fs::create_dir_all(folder);
    made.with_context(|| {
        format!("cannot create the folder {}; keep debates elsewhere with --store PATH", folder.display())
    })
}

impl Store {
    /// Opens the database, and makes it if there is none.
    pub fn open(context: &Context) -> Result<Self, Stop> {
        Self::open_named(context, FILE_NAME)
    }

    /// The same, in a file of another name unless flag or settings name one.
    pub fn open_named(context: &Context, file_name: &str) -> Result<Self, Stop> {
        let path = named_path(context, file_name)?;
        prepare(&path)?;
        let sync = context.settings()?.store.sync;
        let store = SqliteStore::open(&path, SqliteOptions { sync, ..SqliteOptions::default() });
        Ok(Self { sqlite: Arc::new(store.map_err(not_opened)?), flag: flag(context), path })
    }

    /// A command to advise, with the flag without which it would look into another store.
    pub fn advice(&self, command: &str) -> String {
        format!("agon {command}{}", self.flag)
    }

    /// Opens the database if there is one: looking must not leave anything behind. An empty file is none yet.
    pub fn open_existing(context: &Context) -> Result<Option<Self>, Stop> {
        let path = path(context)?;
        match std::fs::metadata(&path) {
            Ok(file) if file.is_file() && file.len() == 0 => Ok(None),
            Ok(_) => Self::open(context).map(Some),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => {
                let told = format!("the database {} cannot be read: {error}", path.display());
                Err(Stop::say(Exit::Internal, told))
            }
        }
    }

    /// Waits for an answer of the store, for commands that do nothing else.
    pub fn block_on<T>(&self, work: impl Future<Output = Result<T, Stop>>) -> Result<T, Stop> {
        commands::small_runtime()?.block_on(work)
    }

    /// The log of the debate that `name` means.
    pub fn log(&self, name: &str) -> Result<StoredLog, Stop> {
        self.block_on(async { self.log_of(&self.find(name).await?).await })
    }

    /// The log of a debate.
    pub async fn log_of(&self, id: &DebateId) -> Result<StoredLog, Stop> {
        self.read_log(id).await.map_err(failed)
    }

    /// The log of a debate, or in which way it is damaged; nothing where the debate was deleted meanwhile.
    pub async fn kept(&self, id: &DebateId) -> Result<Option<StoredDebate>, Stop> {
        match self.read_log(id).await {
            Ok(log) => Ok(Some(StoredDebate::Whole(log))),
            Err(damaged @ StoreError::Damaged { .. }) => Ok(Some(StoredDebate::Damaged(damaged.to_string()))),
            // without any record the log is gone with its debate, or without it
            Err(StoreError::NotFound(_)) => match self.sqlite.verify(id).await {
                Err(damaged @ StoreError::Damaged { .. }) => Ok(Some(StoredDebate::Damaged(damaged.to_string()))),
                Ok(_) | Err(StoreError::NotFound(_)) => Ok(None),
                Err(error) => Err(failed(error)),
            },
            Err(error) => Err(failed(error)),
        }
    }

    /// The log of a debate, or the store's failure.
    pub async fn stored_log(&self, id: &DebateId) -> Result<StoredLog, StoreError> {
        self.read_log(id).await
    }

    async fn read_log(&self, id: &DebateId) -> Result<StoredLog, StoreError> {
        let mut records: Vec<Record> = Vec::new();
        loop {
            let after = records.last().map_or(Position(0), Record::last);
            let more = self.sqlite.read(id, after).await?;
            if more.is_empty() {
                break;
            }
            records.extend(more.iter().map(|record| record.as_ref().clone()));
        }
        if records.is_empty() {
            return Err(StoreError::NotFound(id.clone()));
        }
        let raw = self.sqlite.raw_records(id).await?;
        let end = records.last().map(Record::last);
        let head = raw.iter().find(|raw| Some(raw.last) == end).map(|raw| chain::hex(&raw.hash));
        let halt = match self.sqlite.local(id).await? {
            Some(LocalState::Halted(halt)) => Some(halt),
            Some(LocalState::Played(_)) | None => None,
        };
        Ok(StoredLog { head, halt, ..StoredLog::of(records) })
    }

    /// The newest debates that fit, each as its head and its log say. What is damaged is no trouble of the others.
    pub async fn newest(
        &self,
        limit: u32,
        (among, fits): (impl Fn(&DebateHead) -> bool, impl Fn(&DebateHead, &StoredDebate) -> bool),
    ) -> Result<Vec<(DebateHead, StoredDebate)>, Stop> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut found = Vec::new();
        let mut after = None;
        loop {
            let heads = self.sqlite.list(ListPage { limit: PAGE, after }).await.map_err(failed)?;
            let Some(last) = heads.last() else { return Ok(found) };
            after = Some(last.id.clone());
            for head in heads.into_iter().filter(|head| among(head)) {
                let Some(kept) = self.kept(&head.id).await? else { continue };
                if fits(&head, &kept) {
                    found.push((head, kept));
                }
                if found.len() == limit {
                    return Ok(found);
                }
            }
        }
    }

    /// Every debate, newest first.
    pub async fn heads(&self) -> Result<Vec<DebateHead>, Stop> {
        let mut all: Vec<DebateHead> = Vec::new();
        loop {
            let after = all.last().map(|head| head.id.clone());
            let page = self.sqlite.list(ListPage { limit: PAGE, after }).await.map_err(failed)?;
            if page.is_empty() {
                return Ok(all);
            }
            all.extend(page);
        }
    }

    /// The debate that `name` means: an id, the beginning or the end of one, or `last`.
    pub async fn find(&self, name: &str) -> Result<DebateId, Stop> {
        let mut ids: Vec<DebateId> = self.heads().await?.into_iter().map(|head| head.id).collect();
        if name == LAST {
            ids.retain(is_own);
        }
        pick(name, &ids)
    }

    /// The debates that nobody plays until they are resumed, in the order of their admission. Those of evals go on with their eval.
    pub async fn halted(&self) -> Result<Vec<(DebateId, Halt)>, Stop> {
        let mut locals = self.sqlite.locals().await.map_err(failed)?;
        let heads = if locals.is_empty() { Vec::new() } else { self.heads().await? };
        let own = heads.into_iter().rev().filter(|head| is_own(&head.id));
        let halted = own.filter_map(|head| match locals.remove(&head.id)? {
            LocalState::Halted(halt) => Some((head.id, halt)),
            LocalState::Played(_) => None,
        });
        Ok(halted.collect())
    }

    /// How many debates there are, and in a few words how many of them wait to be resumed.
    pub fn count(&self) -> Result<(usize, Option<String>), Stop> {
        let (all, halted) = self.block_on(async { Ok((self.heads().await?, self.halted().await?)) })?;
        Ok((all.iter().filter(|head| is_own(&head.id)).count(), counted(&halted)))
    }
}

fn flag(context: &Context) -> String {
    let flags = [("config", &context.global.config), ("store", &context.global.store)];
    let given = flags.iter().filter_map(|(name, path)| Some((name, path.as_ref()?)));
    given.map(|(name, path)| format!(" --{name} {}", quoted(&path.display().to_string()))).collect()
}

/// [`Store::advice`], where the store need not be opened.
pub fn advice(context: &Context, command: &str) -> String {
    format!("agon {command}{}", flag(context))
}

/// How many of these debates are paused and interrupted; nothing where there are none.
pub fn counted(halted: &[(DebateId, Halt)]) -> Option<String> {
    let count = |of: Halt| halted.iter().filter(|(_, halt)| *halt == of).count();
    let counts = [Halt::Paused, Halt::Interrupted].map(|halt| (count(halt), halt.as_str()));
    let words: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// Whether a debate was not held for an eval.
pub fn is_own(id: &DebateId) -> bool {
    !agon_eval::is_cell_id(id.as_str())
}

/// The one of the ids of debates, newest first, that `name` means.
pub fn pick(name: &str, ids: &[DebateId]) -> Result<DebateId, Stop> {
    pick_of(("debate", "agon list"), name, ids)
}

/// The same of whatever has ids of this form: what it is called, and what lists it.
pub fn pick_of((noun, list): (&str, &str), name: &str, ids: &[DebateId]) -> Result<DebateId, Stop> {
    let none = || Stop::usage(format!("there is no {noun} {name:?}; {list} shows all {noun}s"));
    if name == LAST {
        return ids.first().cloned().ok_or_else(|| Stop::usage(format!("there is no {noun} yet")));
    }
    if let Some(id) = ids.iter().find(|id| id.as_str() == name) {
        return Ok(id.clone());
    }
    let fits = |id: &&DebateId| !name.is_empty() && (id.as_str().starts_with(name) || id.as_str().ends_with(name));
    let matching: Vec<&DebateId> = ids.iter().filter(fits).collect();
    match matching.as_slice() {
        [] => Err(none()),
        [one] => Ok((*one).clone()),
        many => {
            let listed: Vec<String> = many.iter().take(CANDIDATES).map(|id| format!("\n  {id}")).collect();
            let more = many.len().saturating_sub(CANDIDATES);
            let more = if more == 0 { String::new() } else { format!("\n  and {more} more") };
            Err(Stop::usage(format!(
                "{name:?} may be any of {} {noun}s; give more of the id:{}{more}",
                many.len(),
                listed.concat()
            )))
        }
    }
}

/// What a debate may be called in short: the end of a long id, where ids that are drawn at the same time differ.
pub fn short(name: &str) -> &str {
    let start = name.char_indices().rev().nth(SHORT - 1).map_or(0, |(at, _)| at);
    if name.chars().count() > LONG { name.get(start..).unwrap_or(name) } else { name }
}

/// What a failure of the store means for the program.
pub fn failed(error: StoreError) -> Stop {
    let exit = match &error {
        StoreError::NotFound(_) => Exit::Usage,
        StoreError::Damaged { .. } => Exit::Failed,
        StoreError::Full(_) => Exit::Unavailable,
        StoreError::Backend(_) => Exit::Internal,
    };
    Stop::new(exit, error)
}

fn not_opened(error: OpenError) -> Stop {
    // SQLite's errors say the same again in their causes.
    match error {
        OpenError::Full { .. } => Stop::say(Exit::Unavailable, error),
        OpenError::Folder { .. } => Stop::usage(error),
        OpenError::Open { .. } | OpenError::Newer { .. } | OpenError::Foreign { .. } | OpenError::Thread { .. } => {
            Stop::say(Exit::Internal, format!("{error}; keep debates elsewhere with --store PATH"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(name: &str) -> Result<String, String> {
        let ids: Vec<DebateId> = ["bbbb-2", "abcd-1", "abce-1"].iter().map(|id| DebateId::parse(id).unwrap()).collect();
        pick(name, &ids).map(|id| id.to_string()).map_err(|stop| stop.error.unwrap().to_string())
    }

    #[test]
    fn what_waits_to_be_resumed_is_counted_by_state() {
        let id = |n: u8| DebateId::parse(&format!("debate-{n}")).unwrap();
        let halted = [(id(1), Halt::Interrupted), (id(2), Halt::Paused), (id(3), Halt::Interrupted)];
        assert_eq!(counted(&halted).as_deref(), Some("1 paused, 2 interrupted"));
        assert_eq!(counted(&[]), None);
    }

    #[test]
    fn a_beginning_that_is_unambiguous_names_a_debate() {
        assert_eq!(picked("b"), Ok("bbbb-2".into()));
        assert_eq!(picked("abcd"), Ok("abcd-1".into()));
        assert_eq!(picked("last"), Ok("bbbb-2".into()));
    }

    #[test]
    fn debates_of_evals_are_known_by_their_ids() {
        let own = |id: &str| is_own(&DebateId::parse(id).unwrap());
        assert!(!own("evabcdefghijklmnopqrstuvwxyz"));
        assert!(own("evabcdefghijklmnopqrstuvwxy") && own("events-of-tomorrow-in-the-city") && own("0198c0de-0000"));
    }

    #[test]
    fn an_eval_that_is_not_there_is_no_debate() {
        let stop = pick_of(("eval", "agon eval list"), "nope", &[]).unwrap_err();
        assert_eq!(stop.why(), "there is no eval \"nope\"; agon eval list shows all evals");
    }

    #[test]
    fn the_end_of_an_id_names_a_debate_too() {
        assert_eq!(picked("d-1"), Ok("abcd-1".into()));
        assert_eq!(picked("b-2"), Ok("bbbb-2".into()));
    }

    #[test]
    fn a_short_id_is_the_end_of_a_long_one() {
        assert_eq!(short("0198c0de-0000-7000-8000-0000deadbeef"), "deadbeef");
        assert_eq!(short("tea-or-coffee"), "tea-or-coffee");
    }

    #[test]
    fn what_names_none_or_several_is_refused_and_several_are_listed() {
        let several = picked("-1").unwrap_err();
        assert!(several.contains("2 debates") && several.contains("\n  abcd-1\n  abce-1"), "{several}");
        assert!(picked("abc").unwrap_err().contains("2 debates"));
        assert!(picked("").is_err());
        assert!(picked("zz").unwrap_err().contains("agon list"));
    }
}
