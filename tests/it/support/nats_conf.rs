//! Configurations of nats-server, read as far as Agon and its chart print them, so that users can be compared.
use super::{ProgramOutput, agon};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;
use std::path::Path;
use std::process::Command;
use std::vec::IntoIter;

/// What `agon nats config` prints with these options.
pub fn nats_config(options: &[&str]) -> String {
    let output = Command::new(agon()).args(["nats", "config"]).args(options).env_clear().output().unwrap();
    ProgramOutput::of(&output).ok().stdout
}

/// The variables that a configuration takes from the environment, each with this value.
pub fn variables(conf: &str, value: &str) -> Vec<(String, String)> {
    let lines = conf.lines().filter(|line| !line.trim_start().starts_with('#'));
    let names = lines.flat_map(|line| line.split(['$', ' ', ',']).filter(|word| word.starts_with("AGON_NATS_")));
    names.map(|name| (name.to_owned(), value.to_owned())).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Fails unless nats-server itself says that the configuration is valid.
pub fn assert_valid(conf: &Path, environment: &[(String, String)]) {
    let environment = environment.iter().map(|(name, value)| (name, value));
    let output = Command::new("nats-server").arg("-t").arg("-c").arg(conf).envs(environment).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("is valid"), "{}: {said}", conf.display());
}

/// A user of nats-server.
#[derive(Debug, PartialEq, Eq)]
pub struct NatsUser {
    pub account: String,
    /// What it may send to.
    pub publish: BTreeSet<String>,
    /// What it may not send to.
    pub kept_from: BTreeSet<String>,
    /// What it may listen to.
    pub subscribe: BTreeSet<String>,
    /// Whether it may answer what it is asked, as the configuration says it.
    pub answers: Value,
}

/// The users of a configuration by their names, or by their keys where they have none.
pub fn nats_users(conf: &str) -> BTreeMap<String, NatsUser> {
    let mut users = BTreeMap::new();
    let conf = parse(conf);
    let accounts = conf["accounts"].as_object().expect("there are accounts");
    for (account, body) in accounts {
        for user in body["users"].as_array().expect("there are users") {
            let name = user["user"].as_str().or(user["nkey"].as_str()).expect("a user has a name or a key").to_owned();
            let permissions = &user["permissions"];
            let is = NatsUser {
                account: account.clone(),
                publish: texts(&permissions["publish"]["allow"]),
                kept_from: texts(&permissions["publish"]["deny"]),
                subscribe: texts(&permissions["subscribe"]["allow"]),
                answers: permissions["allow_responses"].clone(),
            };
            assert!(users.insert(name.clone(), is).is_none(), "{name} is there twice");
        }
    }
    users
}

fn texts(value: &Value) -> BTreeSet<String> {
    match value {
        Value::Array(all) => all.iter().map(|one| one.as_str().unwrap().to_owned()).collect(),
        Value::String(one) => BTreeSet::from([one.clone()]),
        _ => BTreeSet::new(),
    }
}

/// A piece of the text: whether it stood in quotes, and what it says.
type ConfToken = (bool, String);

fn parse(conf: &str) -> Value {
    let mut pieces = pieces(conf).into_iter().peekable();
    let all = map(&mut pieces);
    assert!(pieces.next().is_none(), "a brace is closed that was never opened");
    all
}

fn is(piece: Option<&ConfToken>, what: &str) -> bool {
    piece.is_some_and(|(quoted, text)| !quoted && text == what)
}

fn map(pieces: &mut Peekable<IntoIter<ConfToken>>) -> Value {
    let mut map = Map::new();
    while pieces.peek().is_some() && !is(pieces.peek(), "}") {
        let (_, key) = pieces.next().unwrap();
        map.insert(key, value(pieces));
    }
    Value::Object(map)
}

fn value(pieces: &mut Peekable<IntoIter<ConfToken>>) -> Value {
    let (quoted, text) = pieces.next().expect("a value");
    match (quoted, text.as_str()) {
        (false, "{") => {
            let map = map(pieces);
            assert!(is(pieces.next().as_ref(), "}"), "a brace is not closed");
            map
        }
        (false, "[") => {
            let mut list = Vec::new();
            while !is(pieces.peek(), "]") {
                list.push(value(pieces));
            }
            pieces.next();
            Value::Array(list)
        }
        _ => Value::String(text),
    }
}

/// Words, quoted texts and brackets; colons and commas say nothing that the order does not.
fn pieces(conf: &str) -> Vec<ConfToken> {
    let mut pieces = Vec::new();
    for line in conf.lines() {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next().filter(|first| *first != '#') {
            let length = match first {
                '"' => {
                    let end = rest[1..].find('"').expect("a quote is closed in its line");
                    pieces.push((true, rest[1..=end].to_owned()));
                    end + 2
                }
                '{' | '}' | '[' | ']' => {
                    pieces.push((false, first.to_string()));
                    1
                }
                ',' | ':' | '=' => 1,
                _ => {
                    let ends = |c: char| c.is_whitespace() || "{}[],".contains(c);
                    let end = rest.find(ends).unwrap_or(rest.len());
                    pieces.push((false, rest[..end].trim_end_matches([':', '=']).to_owned()));
                    end
                }
            };
            rest = rest[length..].trim_start();
        }
    }
    pieces
}

#[test]
fn users_are_read_however_they_are_laid_out() {
    let conf = r#"
        listen: 0.0.0.0:4222 # where
        accounts {
          A { jetstream: enabled, users: [
            { user: one, password: $P, permissions { publish: { allow: ["a.>", "b"] }, subscribe = { allow: "c" } } }
            { nkey: UABC
              permissions: { publish: { deny: [">"] }
                allow_responses: { max: 1, expires: "1h" } } }
          ] }
        }
        system_account: SYS"#;
    let users = nats_users(conf);
    assert_eq!(users["one"].publish, BTreeSet::from(["a.>".to_owned(), "b".to_owned()]));
    assert_eq!(users["one"].subscribe, BTreeSet::from(["c".to_owned()]));
    assert_eq!((users["UABC"].account.as_str(), &users["UABC"].answers["expires"]), ("A", &Value::from("1h")));
    assert_eq!(users["UABC"].kept_from, BTreeSet::from([">".to_owned()]));
}
