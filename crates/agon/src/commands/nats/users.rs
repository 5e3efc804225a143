//! Which users the options ask for, and what each may do.
use crate::cli::{NATS_ACCOUNT, NatsConfigArgs, ProcessRole};
use crate::exit::Stop;
use crate::grants::Grants;
use agon_bus::nats::is_public_key;
use agon_bus::subject::Token;
use agon_core::{ModelName, TenantId};
use clap::ValueEnum;
use std::collections::{BTreeMap, BTreeSet};

/// The account of operators, and its one user.
pub const SYSTEM: &str = "SYS";
/// The user of operators.
const OPERATOR: &str = "sys";

/// An account of nats-server: streams and subjects of its own.
#[derive(Debug)]
pub struct Account {
    /// Its name.
    pub name: String,
    /// Who may connect to it.
    pub users: Vec<User>,
}

/// A user of nats-server.
#[derive(Debug)]
pub struct User {
    /// Its name.
    pub name: String,
    /// What it is for, as a comment.
    pub about: String,
    /// What it may do; nothing is all, for operators.
    pub grants: Option<Grants>,
    /// Whether it is in the account of hosts, beside the one that has the streams.
    pub lent: bool,
    /// How it shows who it is.
    pub proof: UserCredential,
}

impl Account {
    /// The account of its hosts: an account of their own is all that keeps them from what the server would send for them.
    pub fn of_hosts(&self) -> String {
        format!("{}_HOSTS", self.name)
    }
}

/// How a user shows who it is.
#[derive(Debug)]
pub enum UserCredential {
    /// By a password that nats-server takes from this variable of its environment.
    Password(String),
    /// By a key, of which this is the public half.
    Key(String),
}

/// Everything that is asked for; the operators' account is the last one.
pub fn accounts(args: &NatsConfigArgs) -> Result<Vec<Account>, Stop> {
    let mut keys = keys(&args.nkey)?;
    let mut names = BTreeSet::new();
    let mut accounts = Vec::new();
    for name in &args.account {
        if !is_word(name, char::is_ascii_uppercase) || name == SYSTEM {
            return Err(Stop::usage(format!(
                "--account {name}: an account is named by A-Z, 0-9 and _, a letter first, and {SYSTEM} is the operators'"
            )));
        }
        accounts.push(Account { name: name.clone(), users: users(args, name, &mut keys)? });
    }
    if !args.accounts_only {
        let about = "For operators: the server's own events.".to_owned();
        let users = vec![user(OPERATOR.to_owned(), about, None, &mut keys)];
        accounts.push(Account { name: SYSTEM.to_owned(), users });
    }
    if let Some(taken) = accounts.iter().map(Account::of_hosts).find(|hosts| args.account.contains(hosts)) {
        return Err(Stop::usage(format!("--account {taken}: that is the account of another account's hosts")));
    }
    for user in accounts.iter().flat_map(|account| &account.users) {
        if !names.insert(user.name.clone()) {
            return Err(Stop::usage(format!("there are two users {}; each needs its own name", user.name)));
        }
    }
    match keys.into_keys().next() {
        None => Ok(accounts),
        Some(nobody) => Err(Stop::usage(format!(
            "--nkey {nobody}=...: there is no such user; the users are {}",
            names.into_iter().collect::<Vec<_>>().join(", ")
        ))),
    }
}

fn users(args: &NatsConfigArgs, account: &str, keys: &mut BTreeMap<String, String>) -> Result<Vec<User>, Stop> {
    let named = |name: &str| match account {
        NATS_ACCOUNT => name.to_owned(),
        other => format!("{}_{name}", other.to_lowercase()),
    };
    let about = "Sets up streams and the consumers of the job queue (`agon provision`), and reads none of them.";
    let mut users = vec![user(named("provisioner"), about.to_owned(), Some(Grants::of_provisioner()), keys)];
    for text in &args.roles {
        let roles = roles(text)?;
        let name = named(&roles.iter().map(|role| role.name()).collect::<Vec<_>>().join("_"));
        let grants = Grants::of(&roles, args.shards);
        let user = user(name, duties(&roles), Some(grants), keys);
        users.push(if roles == BTreeSet::from([ProcessRole::Host]) { user.lent() } else { user });
    }
    for text in &args.bound_host {
        let (name, models) = assigned("--bound-host", text)?;
        let about = format!("Plays turns of {models} alone; the settings name the same models ([[hosts]] models).");
        let models: Vec<ModelName> = models.split(',').map(|model| ModelName::from(model.trim())).collect();
        users.push(user(named(name), about, Some(Grants::of_host_for(&models, args.shards)), keys).lent());
    }
    for text in &args.seat {
        let (name, seats) = assigned("--seat", text)?;
        let name = named(name);
        let (grants, about) = seat(&name, seats)?;
        users.push(user(name, about, Some(grants), keys));
    }
    Ok(users)
}

fn user(name: String, about: String, grants: Option<Grants>, keys: &mut BTreeMap<String, String>) -> User {
    let proof = match keys.remove(&name) {
        Some(key) => UserCredential::Key(key),
        None => UserCredential::Password(format!("AGON_NATS_{}_PASSWORD", name.to_uppercase())),
    };
    User { name, about, grants, lent: false, proof }
}

impl User {
    fn lent(self) -> Self {
        Self { grants: self.grants.map(Grants::lent), lent: true, ..self }
    }
}

fn roles(text: &str) -> Result<BTreeSet<ProcessRole>, Stop> {
    let role = |name: &str| {
        ProcessRole::from_str(name.trim(), false).map_err(|_| {
            Stop::usage(format!("--roles {text}: {name:?} is not a role; use gateway, coordinator or host"))
        })
    };
    text.split('+').map(role).collect()
}

/// What the processes of these roles do, as a comment.
fn duties(roles: &BTreeSet<ProcessRole>) -> String {
    let duty = |role: &ProcessRole| match role {
        ProcessRole::Gateway => "Accepts debates from clients and shows them.",
        ProcessRole::Coordinator => "Leads debates, and asks external participants, for which it has its own queue.",
        ProcessRole::Host => "Plays turns of any model.",
    };
    roles.iter().map(duty).collect::<Vec<_>>().join(" ")
}

fn seat(user: &str, seats: &str) -> Result<(Grants, String), Stop> {
    let (tenant, name) = match seats.split_once('/') {
        Some((tenant, name)) => (tenant, Some(name)),
        None => (seats, None),
    };
    let tenant = TenantId::parse(tenant).map_err(|error| Stop::usage(format!("--seat {user}={seats}: {error}")))?;
    let whose = match name {
        Some("") => return Err(Stop::usage(format!("--seat {user}={seats}: the seat has no name"))),
        Some(name) => format!("Plays the seat {name} of every debate of the tenant {tenant}"),
        None => format!("Plays the seats of external participants in every debate of the tenant {tenant}"),
    };
    let grants = Grants::of_seat(user, &Token::new(tenant.as_str()), name.map(Token::new).as_ref());
    Ok((grants, format!("{whose}, and nothing else: it only answers requests.")))
}

/// `NAME=VALUE`, where the name can be a user's.
fn assigned<'a>(flag: &str, text: &'a str) -> Result<(&'a str, &'a str), Stop> {
    let split =
        text.split_once('=').filter(|(name, value)| is_word(name, char::is_ascii_lowercase) && !value.is_empty());
    split.ok_or_else(|| {
        Stop::usage(format!("{flag} {text}: a user's name, of a-z, 0-9 and _ with a letter first, then = and a value"))
    })
}

/// A name that reads the same in a configuration and, in capitals, as a variable of the environment.
fn is_word(text: &str, is_letter: fn(&char) -> bool) -> bool {
    let fits = |c: char| is_letter(&c) || c.is_ascii_digit() || c == '_';
    text.chars().next().is_some_and(|first| is_letter(&first)) && text.chars().all(fits)
}

fn keys(texts: &[String]) -> Result<BTreeMap<String, String>, Stop> {
    let mut keys = BTreeMap::new();
    for text in texts {
        let (name, key) = assigned("--nkey", text)?;
        if !is_public_key(key) {
            return Err(Stop::usage(format!(
                "--nkey {name}: that is not the public key of a user, which begins with U; `agon nats key` prints one"
            )));
        }
        if keys.insert(name.to_owned(), key.to_owned()).is_some() {
            return Err(Stop::usage(format!("--nkey {name}: a user has one key")));
        }
    }
    Ok(keys)
}
