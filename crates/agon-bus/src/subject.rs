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

impl DebateKey {
    /// The debate that subjects name so. Nothing where a name was too long for a token.
    pub fn id(&self) -> Option<DebateId> {
        let id = DebateId::parse(&format!("{}/{}", self.tenant, self.debate)).ok()?;
        (Self::from(&id) == *self).then_some(id)
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
pub fn urgency(priority: Priority) -> &'static str {
    priority.pick(["p0", "p1", "p2"])
}

/// What stands in a subject behind its word: a token, or several.
trait SubjectPart: Sized {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn read<'a>(tokens: &mut impl Iterator<Item = &'a str>) -> Option<Self>;
    /// The debate, where the part is one.
    fn debate(&self) -> Option<&DebateKey> {
        None
    }
}

/// The kinds of subjects, a row each: what it is for, its word, and its parts in their order.
macro_rules! subjects {
    ($($(#[$doc:meta])* $kind:ident $word:literal { $($part:ident: $type:ty),* })*) => {
        /// A subject. `Display` writes it, `FromStr` reads it back.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Subject {
            $($(#[$doc])* $kind { $(#[doc = concat!("Its ", stringify!($part), ".")] $part: $type),* },)*
        }

        impl fmt::Display for Subject {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$kind { $($part),* } => {
                        f.write_str(concat!("agon.v1.", $word))?;
                        $(f.write_str(".")?;
                        $part.write(f)?;)*
                        Ok(())
                    })*
                }
            }
        }

        impl Subject {
            /// The debate that it is about, if it is about one.
            pub fn debate(&self) -> Option<&DebateKey> {
                match self {
                    $(Self::$kind { $($part),* } => [$($part.debate()),*].into_iter().flatten().next(),)*
                }
            }
        }

        fn parse(text: &str) -> Option<Subject> {
            let mut tokens = text.strip_prefix("agon.v1.")?.split('.');
            let subject = match tokens.next()? {
                $($word => Subject::$kind { $($part: SubjectPart::read(&mut tokens)?),* },)*
                _ => return None,
            };
            tokens.next().is_none().then_some(subject)
        }
    };
}

subjects! {
    /// A debate's event log. The shard is a hash of the debate modulo a number fixed at set-up.
    Log "log" { shard: u32, key: DebateKey }
    /// The write-once register of a try.
    Res "res" { key: DebateKey, turn: TurnKey }
    /// A lasting command to whoever owns the debate.
    Cmd "cmd" { key: DebateKey, verb: Token }
    /// Work: own this debate. The lane is its tenant's.
    Job "job" { prio: Priority, lane: u32, key: DebateKey }
    /// Work: generate this try. The model is named by [`Token::model`].
    Gen "gen" { model: Token, prio: Priority, key: DebateKey, turn: TurnKey }
    /// Tokens of a running try.
    Tok "tok" { key: DebateKey, turn: TurnKey }
    /// A hint about a debate, such as that something was decided.
    Ctl "ctl" { key: DebateKey }
    /// A host lives.
    Hb "hb" { host: Token }
    /// The key that orders to a host carry, for those who may give them.
    Key "key" { host: Token }
    /// A node with coordinators lives.
    Alive "alive" { node: Token }
    /// Hints for the debates that one node owns.
    Node "node" { node: Token }
    /// Hint that a debate of this priority wants an owner.
    Ready "ready" { prio: Priority }
    /// A debate's entry in the catalogue.
    Idx "idx" { key: DebateKey }
    /// An eval's log.
    Evl "evl" { key: DebateKey }
    /// A part, counted from 0, of a record of an eval that is larger than the server takes, by the hash of the whole.
    Evp "evp" { key: DebateKey, hash: Token, part: u32 }
    /// What a client's request id stands for; the id is written as its hash.
    Req "req" { tenant: Token, request: Token }
    /// A part, counted from 0, of a stored message that is larger than the server takes, by the hash of the whole.
    Big "big" { key: DebateKey, hash: Token, part: u32 }
    /// A part, counted from 0, of a message on the way that is larger than the server takes, by the random id of the whole.
    Blob "blob" { id: Token, part: u32 }
    /// A request to one host.
    Host "host" { host: Token, verb: Token }
    /// A request to an external participant.
    Seat "seat" { key: DebateKey, participant: Token }
}

/// Why a text is not one of the subjects of Agon.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a subject of Agon: {0:?}")]
pub struct UnknownSubject(String);

impl FromStr for Subject {
    type Err = UnknownSubject;
    fn from_str(text: &str) -> Result<Self, UnknownSubject> {
        parse(text).ok_or_else(|| UnknownSubject(text.to_owned()))
    }
}

impl SubjectPart for Token {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
    fn read<'a>(tokens: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        Self::parse(tokens.next()?)
    }
}

impl SubjectPart for DebateKey {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
    fn read<'a>(tokens: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        Some(Self { tenant: SubjectPart::read(tokens)?, debate: SubjectPart::read(tokens)? })
    }
    fn debate(&self) -> Option<&DebateKey> {
        Some(self)
    }
}

impl SubjectPart for TurnKey {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}-s{}.{}", self.round, self.seat, self.attempt)
    }
    fn read<'a>(tokens: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        let (round, seat) = tokens.next()?.strip_prefix('r')?.split_once("-s")?;
        Some(Self { round: number(round)?, seat: number(seat)?, attempt: SubjectPart::read(tokens)? })
    }
}

impl SubjectPart for Priority {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(urgency(*self))
    }
    fn read<'a>(tokens: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        let token = tokens.next()?;
        Self::ALL.into_iter().find(|prio| urgency(*prio) == token)
    }
}

impl SubjectPart for u32 {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
    fn read<'a>(tokens: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        number(tokens.next()?)
    }
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
}

#[cfg(test)]
mod tests;
