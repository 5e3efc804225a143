//! Bearer tokens from a file: one line each, only hashes of tokens, read again when the file changes.
use super::{Caller, Scope};
use crate::error::Problem;
use agon_core::TenantId;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::Mutex;
use tokio::time::Instant;

/// Random bytes of a token that [`new_token`] makes.
const TOKEN_BYTES: usize = 32;

/// Where the tokens stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenFile {
    /// The file: lines `TENANT PRINCIPAL SCOPE,SCOPE BLAKE3-OF-TOKEN`, blank lines and lines that begin with `#`.
    pub path: PathBuf,
    /// How often at most the file is looked at for changes.
    pub look_every: Duration,
}

impl TokenFile {
    /// The file, looked at every second while calls come.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), look_every: Duration::from_secs(1) }
    }
}

/// What is wrong with a token file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenLineError {
    /// It cannot be read.
    #[error("the token file {0} cannot be read: {1}")]
    File(String, String),
    /// A line is not of the form.
    #[error("line {line} of the token file: {detail}; a line is TENANT PRINCIPAL SCOPE,SCOPE HASH")]
    Line {
        /// Which, from 1.
        line: usize,
        /// What is wrong.
        detail: String,
    },
}

/// A new random token, to be given to one caller.
pub fn new_token() -> String {
    use base64::Engine as _;
    let bytes: [u8; TOKEN_BYTES] = rand::random();
    format!("agon_{}", base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

/// The line of the token file that lets the token in.
pub fn token_line(tenant: &TenantId, principal: &str, scopes: &[Scope], token: &str) -> Result<String, TokenLineError> {
    let refused = |detail: &str| TokenLineError::Line { line: 1, detail: detail.to_owned() };
    if principal.is_empty() || principal.starts_with('#') || principal.contains(char::is_whitespace) {
        return Err(refused("the principal must be a word"));
    }
    if scopes.is_empty() {
        return Err(refused("a token without scopes allows nothing"));
    }
    let scopes: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
    Ok(format!("{tenant} {principal} {} {}", scopes.join(","), blake3::hash(token.as_bytes()).to_hex()))
}

/// The tokens as they were last read.
#[derive(Debug)]
pub(super) struct TokenTable {
    file: TokenFile,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    entries: Arc<[TokenEntry]>,
    mark: FileStamp,
    looked: Instant,
}

/// What changes when a file does.
type FileStamp = (Option<SystemTime>, u64);

#[derive(Debug)]
struct TokenEntry {
    hash: blake3::Hash,
    caller: Caller,
}

impl TokenTable {
    pub async fn open(file: TokenFile) -> Result<Self, TokenLineError> {
        let mark = mark(&file).await?;
        let entries = read(&file).await?;
        Ok(Self { file, state: Mutex::new(State { entries, mark, looked: Instant::now() }) })
    }

    /// Whose token it is. Every entry is compared, and each in constant time.
    pub async fn caller(&self, token: &str) -> Result<Caller, Problem> {
        let entries = self.entries().await;
        let hash = blake3::hash(token.as_bytes());
        let found = entries.iter().fold(None, |found, entry| if entry.hash == hash { Some(entry) } else { found });
        match found {
            Some(entry) => Ok(entry.caller.clone()),
            None => Err(Problem::Unauthenticated("the bearer token is not known")),
        }
    }

    /// The entries, read again where the file has changed. A file that became unreadable changes nothing, and is told.
    async fn entries(&self) -> Arc<[TokenEntry]> {
        let mut state = self.state.lock().await;
        if state.looked.elapsed() >= self.file.look_every {
            state.looked = Instant::now();
            if let Err(error) = self.refresh(&mut state).await {
                tracing::error!(%error, "token file not taken");
            }
        }
        state.entries.clone()
    }

    async fn refresh(&self, state: &mut State) -> Result<(), TokenLineError> {
        let mark = mark(&self.file).await?;
        if mark != state.mark {
            state.entries = read(&self.file).await?;
            state.mark = mark;
            tracing::info!(tokens = state.entries.len(), "token file read again");
        }
        Ok(())
    }
}

async fn mark(file: &TokenFile) -> Result<FileStamp, TokenLineError> {
    let about = tokio::fs::metadata(&file.path).await.map_err(|error| unread(file, &error))?;
    Ok((about.modified().ok(), about.len()))
}

async fn read(file: &TokenFile) -> Result<Arc<[TokenEntry]>, TokenLineError> {
    let path = file.path.clone();
    let text = tokio::task::spawn_blocking(move || agon_files::read_text(&path)).await.map_err(std::io::Error::other);
    let text = text.and_then(|text| text).map_err(|error| unread(file, &error))?;
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines.map(|(at, line)| entry(line).map_err(|detail| TokenLineError::Line { line: at, detail })).collect()
}

fn unread(file: &TokenFile, error: &std::io::Error) -> TokenLineError {
    TokenLineError::File(file.path.display().to_string(), error.to_string())
}

fn entry(line: &str) -> Result<TokenEntry, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [tenant, principal, scopes, hash] = words.as_slice() else {
        return Err(format!("{} words instead of 4", words.len()));
    };
    let tenant = TenantId::parse(tenant).map_err(|error| error.to_string())?;
    let scope = |text: &str| Scope::parse(text).ok_or_else(|| format!("{text:?} is not a scope"));
    let scopes = scopes.split(',').map(scope).collect::<Result<_, _>>()?;
    let hash = blake3::Hash::from_hex(hash).map_err(|_| "the hash is not 64 hexadecimal digits".to_owned())?;
    Ok(TokenEntry { hash, caller: Caller { tenant, principal: Some((*principal).to_owned()), scopes } })
}
