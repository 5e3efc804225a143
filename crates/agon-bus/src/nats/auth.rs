//! Credentials, from files that may change while the program runs.
use super::config::{NatsAuth, NatsConfig};
use super::error::NatsError;
use async_nats::{Auth, AuthError, ConnectOptions};
use nkeys::{KeyPair, KeyPairType};
use secrecy::ExposeSecret;
use std::path::Path;

const CREDS: &str = "NATS credentials file";
const SEED: &str = "file with the seed of a NATS user key";

/// Options that authenticate as configured. Files are checked now, and read again whenever the connection is made anew.
pub(super) fn options(config: &NatsConfig) -> Result<ConnectOptions, NatsError> {
    Ok(match &config.auth {
        NatsAuth::None => ConnectOptions::new(),
        NatsAuth::UserPassword { user, password } => {
            ConnectOptions::with_user_and_password(user.clone(), password.expose_secret().to_owned())
        }
        NatsAuth::Token(token) => ConnectOptions::with_token(token.expose_secret().to_owned()),
        NatsAuth::CredsFile(path) => from_file(path, read_creds)?,
        NatsAuth::NKeySeed(path) => from_file(path, read_seed)?,
    })
}

/// Who asks, without secrets.
pub(super) fn who(auth: &NatsAuth) -> String {
    match auth {
        NatsAuth::None => "a client without credentials".to_owned(),
        NatsAuth::UserPassword { user, .. } => format!("user {user:?} with its password"),
        NatsAuth::Token(_) => "the token".to_owned(),
        NatsAuth::CredsFile(path) => format!("the credentials in {}", path.display()),
        NatsAuth::NKeySeed(path) => format!("the key in {}", path.display()),
    }
}

/// A key, and the signed token that names it where there is one.
struct Credentials {
    key: KeyPair,
    jwt: Option<String>,
}

type Read = fn(&Path) -> Result<Credentials, NatsError>;

fn from_file(path: &Path, read: Read) -> Result<ConnectOptions, NatsError> {
    read(path)?;
    let path = path.to_owned();
    Ok(ConnectOptions::with_auth_callback(move |nonce| {
        // a few lines, once for each connection: not worth another thread
        let signed = read(&path).map_err(AuthError::new).and_then(|credentials| sign(credentials, &nonce));
        async move { signed }
    }))
}

fn sign(credentials: Credentials, nonce: &[u8]) -> Result<Auth, AuthError> {
    let mut auth = Auth::new();
    auth.signature = Some(credentials.key.sign(nonce).map_err(AuthError::new)?);
    match credentials.jwt {
        Some(jwt) => auth.jwt = Some(jwt),
        None => auth.nkey = Some(credentials.key.public_key()),
    }
    Ok(auth)
}

fn read_creds(path: &Path) -> Result<Credentials, NatsError> {
    let text = read(path, CREDS)?;
    let missing = |part: &str| bad(path, CREDS, format!("it holds no {part}"));
    let jwt = block(&text, "NATS USER JWT").ok_or_else(|| missing("user token"))?;
    let seed = block(&text, "USER NKEY SEED").ok_or_else(|| missing("user key"))?;
    Ok(Credentials { key: key(path, CREDS, seed)?, jwt: Some(jwt.to_owned()) })
}

fn read_seed(path: &Path) -> Result<Credentials, NatsError> {
    let text = read(path, SEED)?;
    let seed = text.lines().map(str::trim).find(|line| line.starts_with('S'));
    let seed = seed.ok_or_else(|| bad(path, SEED, "no line of it starts with S, as seeds do".to_owned()))?;
    Ok(Credentials { key: key(path, SEED, seed)?, jwt: None })
}

/// The line between `-----BEGIN NAME-----` and the dashes that end it.
fn block<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let begins = |line: &&str| line.starts_with("---") && line.contains("BEGIN") && line.contains(name);
    let mut lines = text.lines().map(str::trim).skip_while(|line| !begins(line)).skip(1);
    lines.find(|line| !line.is_empty()).filter(|line| !line.starts_with("---"))
}

fn key(path: &Path, what: &'static str, seed: &str) -> Result<KeyPair, NatsError> {
    let key = KeyPair::from_seed(seed).map_err(|e| bad(path, what, format!("its seed is damaged ({e})")))?;
    match key.key_pair_type() {
        KeyPairType::User => Ok(key),
        KeyPairType::Server
        | KeyPairType::Cluster
        | KeyPairType::Operator
        | KeyPairType::Account
        | KeyPairType::Module
        | KeyPairType::Service
        | KeyPairType::Curve => Err(bad(path, what, "its seed is not a user's, which starts with SU".to_owned())),
    }
}

fn read(path: &Path, what: &'static str) -> Result<String, NatsError> {
    agon_files::read_text(path).map_err(|source| NatsError::File { what, path: path.to_owned(), source })
}

fn bad(path: &Path, what: &'static str, reason: String) -> NatsError {
    NatsError::BadFile { what, path: path.to_owned(), reason }
}
