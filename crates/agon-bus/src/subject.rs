//! The subjects of Agon, built and parsed in this one place.
use agon_core::{DebateId, TurnId};
use std::fmt;
use std::str::FromStr;

mod token;

pub use agon_core::Priority;
pub use token::Token;

/// One debate, as subjects name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DebateKey {
    /// Whose.
    pub tenant: Token,
    /// Which.
    pub debate: Token,
}
impl From<&DebateId> for DebateKey {
    fn from(id: &DebateId) -> Self {
        Self { tenant: Token::new(id.tenant().as_str()), debate: Token::new(id.name()) }
    }
}

/// One try of one turn, as subjects name it: `r<round>-s<seat>.<attempt>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnKey {
    /// The round, 0 before the first.
    pub round: u32,
    /// The slot in the round, from 0.
    pub seat: u32,
    /// The try, from 1.
    pub attempt: u32,
}
impl From<TurnId> for TurnKey {
    fn from(turn: TurnId) -> Self {
        Self { round: turn.round, seat: turn.seat, attempt: turn.attempt }
    }
}

/// How subjects and the names of consumers write a priority.
pub const fn urgency(priority: Priority) -> &'static str {
    match priority {
        Priority::Interactive => "p0",
        Priority::Normal => "p1",
        Priority::Batch => "p2",
    }
}

/// A subject. `Display` writes it, `FromStr` reads it back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// A debate's event log.
    Log {
        /// Hash of the debate modulo a number fixed at set-up.
        shard: u32,
        /// The debate.
        key: DebateKey,
    },
    /// The write-once register of a try.
    Res {
        /// The debate.
        key: DebateKey,
        /// The try.
        turn: TurnKey,
    },
    /// A lasting command to whoever owns the debate.
    Cmd {
        /// The debate.
        key: DebateKey,
        /// What to do.
        verb: Token,
    },
    /// Work: own this debate.
    Job {
        /// How urgent.
        prio: Priority,
        /// The lane that its tenant is in.
        lane: u32,
        /// The debate.
        key: DebateKey,
    },
    /// Work: generate this try.
    Gen {
        /// The model, by [`Token::model`].
        model: Token,
        /// How urgent.
        prio: Priority,
        /// The debate.
        key: DebateKey,
        /// The try.
        turn: TurnKey,
    },
    /// Tokens of a running try.
    Tok {
        /// The debate.
        key: DebateKey,
        /// The try.
        turn: TurnKey,
    },
    /// A hint about a debate, such as that something was decided.
    Ctl {
        /// The debate.
        key: DebateKey,
    },
    /// A host lives.
    Hb {
        /// Which.
        host: Token,
    },
    /// The key that orders to a host carry, for those who may give them.
    Key {
        /// Which.
        host: Token,
    },
    /// A node with coordinators lives.
    Alive {
        /// Which.
        node: Token,
    },
    /// Hints for the debates that one node owns.
    Node {
        /// Which.
        node: Token,
    },
    /// Hint that a debate of this priority wants an owner.
    Ready {
        /// How urgent.
        prio: Priority,
    },
    /// A debate's entry in the catalogue.
    Idx {
        /// The debate.
        key: DebateKey,
    },
    /// What a client's request id stands for.
    Req {
        /// Whose.
        tenant: Token,
        /// The id's hash.
        request: Token,
    },
    /// A part of a stored message that is larger than the server takes.
    Big {
        /// The debate.
        key: DebateKey,
        /// The whole message's hash.
        hash: Token,
        /// The part, from 0.
        part: u32,
    },
    /// A part of a message on the way that is larger than the server takes.
    Blob {
        /// The whole message's random id.
        id: Token,
        /// The part, from 0.
        part: u32,
    },
    /// A request to one host.
    Host {
        /// Which.
        host: Token,
        /// What to do.
        verb: Token,
    },
    /// A request of a client.
    Api {
        /// Whose.
        tenant: Token,
        /// What to do.
        verb: Token,
    },
    /// A request to an external participant.
    Seat {
        /// The debate.
        key: DebateKey,
        /// Who.
        participant: Token,
    },
}

/// Why a text is not one of the subjects of Agon.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a subject of Agon: {0:?}")]
pub struct UnknownSubject(String);

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Log { shard, key } => write!(f, "agon.v1.log.{shard}.{key}"),
            Self::Res { key, turn } => write!(f, "agon.v1.res.{key}.{turn}"),
            Self::Cmd { key, verb } => write!(f, "agon.v1.cmd.{key}.{verb}"),
            Self::Job { prio, lane, key } => write!(f, "agon.v1.job.{}.{lane}.{key}", urgency(*prio)),
            Self::Gen { model, prio, key, turn } => {
                write!(f, "agon.v1.gen.{model}.{}.{key}.{turn}", urgency(*prio))
            }
            Self::Tok { key, turn } => write!(f, "agon.v1.tok.{key}.{turn}"),
            Self::Ctl { key } => write!(f, "agon.v1.ctl.{key}"),
            Self::Hb { host } => write!(f, "agon.v1.hb.{host}"),
            Self::Key { host } => write!(f, "agon.v1.key.{host}"),
            Self::Alive { node } => write!(f, "agon.v1.alive.{node}"),
            Self::Node { node } => write!(f, "agon.v1.node.{node}"),
            Self::Ready { prio } => write!(f, "agon.v1.ready.{}", urgency(*prio)),
            Self::Idx { key } => write!(f, "agon.v1.idx.{key}"),
            Self::Req { tenant, request } => write!(f, "agon.v1.req.{tenant}.{request}"),
            Self::Big { key, hash, part } => write!(f, "agon.v1.big.{key}.{hash}.{part}"),
            Self::Blob { id, part } => write!(f, "agon.v1.blob.{id}.{part}"),
            Self::Host { host, verb } => write!(f, "agon.v1.host.{host}.{verb}"),
            Self::Api { tenant, verb } => write!(f, "agon.v1.api.{tenant}.{verb}"),
            Self::Seat { key, participant } => write!(f, "agon.v1.seat.{key}.{participant}"),
        }
    }
}

impl FromStr for Subject {
    type Err = UnknownSubject;
    fn from_str(text: &str) -> Result<Self, UnknownSubject> {
        parse(text).ok_or_else(|| UnknownSubject(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Subject> {
    let tokens: Vec<&str> = text.strip_prefix("agon.v1.")?.split('.').collect();
    Some(match tokens.as_slice() {
        ["log", shard, tenant, debate] => Subject::Log { shard: number(shard)?, key: key(tenant, debate)? },
        ["res", tenant, debate, turn, attempt] => {
            Subject::Res { key: key(tenant, debate)?, turn: try_of(turn, attempt)? }
        }
        ["cmd", tenant, debate, verb] => Subject::Cmd { key: key(tenant, debate)?, verb: Token::parse(verb)? },
        ["job", prio, lane, tenant, debate] => {
            Subject::Job { prio: priority(prio)?, lane: number(lane)?, key: key(tenant, debate)? }
        }
        ["gen", model, prio, tenant, debate, turn, attempt] => Subject::Gen {
            model: Token::parse(model)?,
            prio: priority(prio)?,
            key: key(tenant, debate)?,
            turn: try_of(turn, attempt)?,
        },
        ["tok", tenant, debate, turn, attempt] => {
            Subject::Tok { key: key(tenant, debate)?, turn: try_of(turn, attempt)? }
        }
        ["ctl", tenant, debate] => Subject::Ctl { key: key(tenant, debate)? },
        ["hb", host] => Subject::Hb { host: Token::parse(host)? },
        ["key", host] => Subject::Key { host: Token::parse(host)? },
        ["alive", node] => Subject::Alive { node: Token::parse(node)? },
        ["node", node] => Subject::Node { node: Token::parse(node)? },
        ["ready", prio] => Subject::Ready { prio: priority(prio)? },
        ["idx", tenant, debate] => Subject::Idx { key: key(tenant, debate)? },
        ["req", tenant, request] => Subject::Req { tenant: Token::parse(tenant)?, request: Token::parse(request)? },
        ["big", tenant, debate, hash, part] => {
            Subject::Big { key: key(tenant, debate)?, hash: Token::parse(hash)?, part: number(part)? }
        }
        ["blob", id, part] => Subject::Blob { id: Token::parse(id)?, part: number(part)? },
        ["host", host, verb] => Subject::Host { host: Token::parse(host)?, verb: Token::parse(verb)? },
        ["api", tenant, verb] => Subject::Api { tenant: Token::parse(tenant)?, verb: Token::parse(verb)? },
        ["seat", tenant, debate, participant] => {
            Subject::Seat { key: key(tenant, debate)?, participant: Token::parse(participant)? }
        }
        _ => return None,
    })
}

fn key(tenant: &str, debate: &str) -> Option<DebateKey> {
    Some(DebateKey { tenant: Token::parse(tenant)?, debate: Token::parse(debate)? })
}

fn try_of(turn: &str, attempt: &str) -> Option<TurnKey> {
    let (round, seat) = turn.strip_prefix('r')?.split_once("-s")?;
    Some(TurnKey { round: number(round)?, seat: number(seat)?, attempt: number(attempt)? })
}

fn priority(token: &str) -> Option<Priority> {
    Priority::ALL.into_iter().find(|prio| urgency(*prio) == token)
}

/// A number in its one written form: no sign, no leading zero.
fn number(token: &str) -> Option<u32> {
    token.parse().ok().filter(|number: &u32| number.to_string() == token)
}

impl fmt::Display for DebateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.tenant, self.debate)
    }
}
impl fmt::Display for TurnKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}-s{}.{}", self.round, self.seat, self.attempt)
    }
}

/// Patterns for subscriptions, services and pulls.
pub mod pattern {
    use super::{DebateKey, Priority, Token, urgency};

    /// Every node's sign of life.
    pub fn nodes() -> String {
        "agon.v1.alive.*".to_owned()
    }
    /// Every register of a debate.
    pub fn results(key: &DebateKey) -> String {
        format!("agon.v1.res.{key}.>")
    }
    /// Every running try of a debate.
    pub fn tokens(key: &DebateKey) -> String {
        format!("agon.v1.tok.{key}.>")
    }
    /// Every command to a debate.
    pub fn commands(key: &DebateKey) -> String {
        format!("agon.v1.cmd.{key}.*")
    }
    /// Hints about any debate.
    pub fn all_hints() -> String {
        "agon.v1.ctl.>".to_owned()
    }
    /// Debates that want an owner.
    pub fn jobs(prio: Priority, lane: u32) -> String {
        format!("agon.v1.job.{}.{lane}.>", urgency(prio))
    }
    /// Turns for a model.
    pub fn generations(model: &Token, prio: Priority) -> String {
        format!("agon.v1.gen.{model}.{}.>", urgency(prio))
    }
    /// Every host's heartbeat.
    pub fn heartbeats() -> String {
        "agon.v1.hb.*".to_owned()
    }
    /// Every host's key.
    pub fn keys() -> String {
        "agon.v1.key.*".to_owned()
    }
    /// Every request to one host.
    pub fn host(host: &Token) -> String {
        format!("agon.v1.host.{host}.*")
    }
    /// Every client's request.
    pub fn api() -> String {
        "agon.v1.api.>".to_owned()
    }
}

#[cfg(test)]
mod tests;
