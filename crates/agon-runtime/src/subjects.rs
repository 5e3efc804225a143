//! The subjects that the actors use, from the ids of core.
use agon_bus::subject::{DebateKey, Priority, Subject, Token, TurnKey, pattern};
use agon_core::{DebateId, HostId, ModelName, TurnId};

/// The only tenant of a node that knows no tenants.
const TENANT: &str = "default";
const OFFER: &str = "offer";

fn key(debate: &DebateId) -> DebateKey {
    DebateKey { tenant: Token::new(TENANT), debate: Token::new(debate.as_str()) }
}
fn turn_key(turn: TurnId) -> TurnKey {
    TurnKey { round: turn.round, seat: turn.seat, attempt: turn.attempt }
}

/// Hints about one debate.
pub(crate) fn hints(debate: &DebateId) -> String {
    Subject::Ctl { key: key(debate) }.to_string()
}
/// Hints about any debate.
pub(crate) fn all_hints() -> String {
    pattern::all_hints()
}
/// Tokens of one try.
pub(crate) fn tokens(debate: &DebateId, turn: TurnId) -> String {
    Subject::Tok { key: key(debate), turn: turn_key(turn) }.to_string()
}
/// Tokens of every try of one debate.
pub(crate) fn all_tokens(debate: &DebateId) -> String {
    pattern::tokens(&key(debate))
}
/// Offers to one host.
pub(crate) fn offers(host: &HostId) -> String {
    Subject::Host { host: Token::new(host.as_str()), verb: Token::new(OFFER) }.to_string()
}
/// A turn's place in its model's queue.
pub(crate) fn queued_turn(model: &ModelName, debate: &DebateId, turn: TurnId) -> String {
    let model = Token::model(model.as_str());
    Subject::Gen { model, prio: Priority::Normal, key: key(debate), turn: turn_key(turn) }.to_string()
}
/// Every turn in a model's queue.
pub(crate) fn queue(model: &ModelName) -> String {
    pattern::generations(&Token::model(model.as_str()), Priority::Normal)
}
