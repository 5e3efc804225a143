//! The subjects that the actors use, from the ids of core.
use agon_bus::subject::{Subject, Token, pattern};
use agon_core::{Ask, DebateId, HostId, ModelName, NodeId, ParticipantId, Priority, TurnId};

/// A turn is offered to a host.
pub(crate) const OFFER: &str = "offer";
pub(crate) const LEARN: &str = "learn";
/// A host is shown its key: it obeys nothing without it from then on.
pub(crate) const GREET: &str = "greet";
/// A host is asked whether it has turns.
pub(crate) const CHECK: &str = "check";
pub(crate) const DRAIN: &str = "drain";
pub(crate) const UNDRAIN: &str = "undrain";

/// Hints about one debate: for its watchers, and for the hosts that play in it.
pub(crate) fn hints(debate: &DebateId) -> String {
    Subject::Ctl { key: debate.into() }.to_string()
}
/// Hints for the debates that one node owns.
pub(crate) fn node(node: &NodeId) -> String {
    Subject::Node { node: Token::new(node.as_str()) }.to_string()
}
pub(crate) fn node_alive(node: &NodeId) -> String {
    Subject::Alive { node: Token::new(node.as_str()) }.to_string()
}
pub(crate) fn nodes_alive() -> String {
    pattern::nodes()
}
pub(crate) fn host_alive(host: &HostId) -> String {
    Subject::Hb { host: Token::new(host.as_str()) }.to_string()
}
pub(crate) fn hosts_alive() -> String {
    pattern::heartbeats()
}
/// The key of a host's process.
pub(crate) fn host_key(host: &HostId) -> String {
    Subject::Key { host: Token::new(host.as_str()) }.to_string()
}
/// The keys of every host's process.
pub(crate) fn host_keys() -> String {
    pattern::keys()
}
/// Hint that a debate wants an owner.
pub(crate) fn ready(priority: Priority) -> String {
    Subject::Ready { prio: priority }.to_string()
}
/// Every such hint.
pub(crate) fn all_ready() -> String {
    "agon.v1.ready.*".to_owned()
}
pub(crate) fn tokens(debate: &DebateId, turn: TurnId) -> String {
    Subject::Tok { key: debate.into(), turn: turn.into() }.to_string()
}
/// Tokens of every try of one debate.
pub(crate) fn all_tokens(debate: &DebateId) -> String {
    pattern::tokens(&debate.into())
}
/// Models that one host shall look for in their queues.
pub(crate) fn lessons(host: &HostId) -> String {
    host_request(host, LEARN)
}
pub(crate) fn offers(host: &HostId) -> String {
    host_request(host, OFFER)
}
pub(crate) fn host_requests(host: &HostId) -> String {
    pattern::host(&Token::new(host.as_str()))
}
/// What is to be done, by a subject that ends with it.
pub(crate) fn verb(subject: &str) -> &str {
    subject.rsplit('.').next().unwrap_or_default()
}
pub(crate) fn host_request(host: &HostId, verb: &str) -> String {
    Subject::Host { host: Token::new(host.as_str()), verb: Token::new(verb) }.to_string()
}
pub(crate) fn seat(debate: &DebateId, participant: &ParticipantId) -> String {
    Subject::Seat { key: debate.into(), participant: Token::new(participant.as_str()) }.to_string()
}
/// A turn's place in its model's queue. Rehearsals have queues of their own, because only rehearsing hosts play them.
pub(crate) fn queued_turn((debate, ask): (&DebateId, &Ask), priority: Priority, rehearsal: bool) -> String {
    let model = line(&ask.model, rehearsal);
    Subject::Gen { model, prio: priority, key: debate.into(), turn: ask.turn.into() }.to_string()
}
/// Every turn of one priority in a model's queue.
pub(crate) fn queue(model: &ModelName, rehearsal: bool, priority: Priority) -> String {
    pattern::generations(&line(model, rehearsal), priority)
}
/// The queue of a model, as subjects and consumers name it: a rehearsal's is another one.
pub fn queue_token(model: &ModelName, rehearsal: bool) -> Token {
    line(model, rehearsal)
}
fn line(model: &ModelName, rehearsal: bool) -> Token {
    Token::model(&queue_name(model, rehearsal))
}
/// What the token of a queue stands for.
pub(crate) fn queue_name(model: &ModelName, rehearsal: bool) -> String {
    let model = crate::cluster::plain(model);
    match rehearsal && !model.is_external() {
        true => format!("rehearsal {model}"),
        false => model.to_string(),
    }
}
