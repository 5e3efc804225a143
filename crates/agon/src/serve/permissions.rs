//! What each role may need of NATS, tried at the start: a refusal later would be told to nobody in particular.
use super::plan::Plan;
use crate::cli::Role;
use crate::exit::{Exit, Stop};
use agon_bus::nats::NatsLink;
use agon_bus::nats::permissions::{Needed, probe};
use agon_bus::subject::{DebateKey, Priority, Subject, Token, TurnKey, pattern};

/// Tries everything that the process's roles need.
pub async fn check(plan: &Plan, link: &NatsLink) -> Result<(), Stop> {
    let needed = needed(plan);
    let missing = probe(link, &needed).await.map_err(|error| Stop::new(Exit::Unavailable, error))?;
    if missing.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = missing.iter().map(|missing| format!("\n  {missing}")).collect();
    let roles: Vec<&str> = plan.roles.iter().map(|role| role.name()).collect();
    Err(Stop::usage(format!(
        "this NATS user may not do what {} needs; it lacks:{}\n  docs/guide/cluster.md says which user of NATS needs what",
        roles.join(", "),
        lines.concat()
    )))
}

fn needed(plan: &Plan) -> Vec<Needed> {
    let node = Token::new(plan.id.as_str());
    let mut needed = everybody(&node);
    for role in &plan.roles {
        needed.extend(match role {
            Role::Gateway => gateway(),
            Role::Coordinator => coordinator(&node),
            Role::Host => host(),
        });
    }
    needed.dedup();
    needed
}

/// A debate that nobody has.
fn nobody() -> DebateKey {
    DebateKey { tenant: word(), debate: word() }
}
fn nowhere() -> TurnKey {
    TurnKey { round: 0, seat: 0, attempt: 1 }
}
fn word() -> Token {
    Token::new("agon-probe")
}

fn publish(subjects: impl IntoIterator<Item = Subject>) -> Vec<Needed> {
    subjects.into_iter().map(|subject| Needed::publish(subject.to_string())).collect()
}

fn everybody(node: &Token) -> Vec<Needed> {
    let mut needed = publish([
        Subject::Node { node: word() },
        Subject::Ctl { key: nobody() },
        Subject::Host { host: word(), verb: Token::new("offer") },
    ]);
    needed.push(Needed::publish("$JS.API.STREAM.MSG.GET.AGON_LOG_0"));
    needed.push(Needed::publish("$JS.API.STREAM.MSG.GET.AGON_RES"));
    needed.push(Needed::subscribe(Subject::Node { node: node.clone() }.to_string()));
    needed.push(Needed::subscribe(Subject::Ctl { key: nobody() }.to_string()));
    needed.push(Needed::subscribe(pattern::heartbeats()));
    needed
}

fn gateway() -> Vec<Needed> {
    let mut needed = publish([
        Subject::Log { shard: 0, key: nobody() },
        Subject::Job { prio: Priority::Normal, lane: 0, key: nobody() },
        Subject::Cmd { key: nobody(), verb: Token::new("cancel") },
        Subject::Req { tenant: word(), request: word() },
        Subject::Idx { key: nobody() },
        Subject::Ready { prio: Priority::Normal },
    ]);
    needed.push(Needed::subscribe(pattern::tokens(&nobody())));
    needed
}

fn coordinator(node: &Token) -> Vec<Needed> {
    let mut needed = publish([
        Subject::Log { shard: 0, key: nobody() },
        Subject::Res { key: nobody(), turn: nowhere() },
        Subject::Gen { model: word(), prio: Priority::Normal, key: nobody(), turn: nowhere() },
        Subject::Job { prio: Priority::Normal, lane: 0, key: nobody() },
        Subject::Idx { key: nobody() },
        Subject::Ready { prio: Priority::Normal },
        Subject::Alive { node: node.clone() },
        Subject::Seat { key: nobody(), participant: word() },
    ]);
    needed.push(Needed::subscribe(pattern::nodes()));
    needed
}

fn host() -> Vec<Needed> {
    let mut needed = publish([
        Subject::Res { key: nobody(), turn: nowhere() },
        Subject::Tok { key: nobody(), turn: nowhere() },
        Subject::Hb { host: word() },
    ]);
    needed.push(Needed::subscribe(pattern::host(&word())));
    needed
}
