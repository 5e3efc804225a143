//! The names of streams, and the subjects of what they hold.
use agon_bus::subject::{DebateKey, Subject, Token, pattern, urgency};
use agon_core::{DebateId, Priority, TenantId, TurnId};
use agon_proto::Hash;

/// Results of turns.
pub(crate) const REGISTERS: &str = "AGON_RES";
/// Orders to owners.
pub(crate) const ORDERS: &str = "AGON_CMD";
/// Debates that want an owner.
pub(crate) const JOBS: &str = "AGON_JOB";
pub(crate) const REQUESTS: &str = "AGON_REQ";
pub(crate) const CATALOGUE: &str = "AGON_IDX";
/// Parts of large bodies.
pub(crate) const PARTS: &str = "AGON_BIG";

/// Logs of evals, with their parts.
pub(crate) const EVALS: &str = "AGON_EVL";

pub(crate) const ALL_EVALS: &str = "agon.v1.evl.*.*";
pub(crate) const ALL_EVAL_PARTS: &str = "agon.v1.evp.>";
pub(crate) const ALL_ORDERS: &str = "agon.v1.cmd.>";
/// The whole catalogue.
pub(crate) const ALL_ENTRIES: &str = "agon.v1.idx.>";
pub(crate) const ALL_PARTS: &str = "agon.v1.big.>";
/// Where it is tried whether messages are still stored. What a role needs at its start is tried by the same name.
pub(crate) const PROBE: &str = "agon.v1.big.agon-probe";
/// Every request id.
pub(crate) const ALL_REQUESTS: &str = "agon.v1.req.>";
pub(crate) const ALL_JOBS: &str = "agon.v1.job.>";
pub(crate) const ALL_REGISTERS: &str = "agon.v1.res.>";

const CANCEL: &str = "cancel";

pub(crate) fn log_stream(shard: u32) -> String {
    format!("AGON_LOG_{shard}")
}
/// What a subject that the store has to send to begins with, by what it is for; none of another subject.
pub(crate) fn needed_kind(subject: &str) -> Option<&'static str> {
    let kinds = [
        "$JS.API.STREAM.MSG.GET.",
        "agon.v1.js.STREAM.MSG.GET.",
        "agon.v1.log.",
        "agon.v1.res.",
        "agon.v1.cmd.",
        "agon.v1.job.",
        "agon.v1.req.",
        "agon.v1.idx.",
        "agon.v1.big.",
        "agon.v1.evl.",
        "agon.v1.evp.",
    ];
    kinds.into_iter().find(|kind| subject.starts_with(kind))
}
/// Whether a stream holds logs.
pub(crate) fn is_log_stream(stream: &str) -> bool {
    stream.starts_with("AGON_LOG_")
}
pub(crate) fn shard_logs(shard: u32) -> String {
    format!("agon.v1.log.{shard}.*.*")
}
pub(crate) fn shard(debate: &DebateId, shards: u32) -> u32 {
    bucket(debate.as_str(), shards)
}
pub(crate) fn log(debate: &DebateId, shard: u32) -> String {
    Subject::Log { shard, key: debate.into() }.to_string()
}
pub(crate) fn register(debate: &DebateId, turn: TurnId) -> String {
    Subject::Res { key: debate.into(), turn: turn.into() }.to_string()
}
pub(crate) fn registers(debate: &DebateId) -> String {
    pattern::results(&debate.into())
}
/// The order to end a debate.
pub(crate) fn cancel(debate: &DebateId) -> String {
    Subject::Cmd { key: debate.into(), verb: Token::new(CANCEL) }.to_string()
}
pub(crate) fn orders(debate: &DebateId) -> String {
    pattern::commands(&debate.into())
}
/// What a request id stands for. Ids are free text of clients, so their hash stands in the subject.
pub(crate) fn request(tenant: &TenantId, request_id: &str) -> String {
    let request = Token::new(blake3::hash(request_id.as_bytes()).to_hex().as_str());
    Subject::Req { tenant: Token::new(tenant.as_str()), request }.to_string()
}
/// A debate's entry in the catalogue.
pub(crate) fn entry(debate: &DebateId) -> String {
    Subject::Idx { key: debate.into() }.to_string()
}
/// A part of a large body.
pub(crate) fn part(debate: &DebateId, hash: &Hash, part: u32) -> String {
    let hash = Token::new(&crate::chain::hex(hash));
    Subject::Big { key: debate.into(), hash, part }.to_string()
}
/// Every part of every large body of a debate.
pub(crate) fn parts(debate: &DebateId) -> String {
    format!("agon.v1.big.{}.>", DebateKey::from(debate))
}
pub(crate) fn eval(eval: &DebateId) -> String {
    Subject::Evl { key: eval.into() }.to_string()
}
/// The logs of all evals of a tenant.
pub(crate) fn evals_of(tenant: &TenantId) -> String {
    format!("agon.v1.evl.{}.*", Token::new(tenant.as_str()))
}
pub(crate) fn eval_part(eval: &DebateId, hash: &Hash, part: u32) -> String {
    let hash = Token::new(&crate::chain::hex(hash));
    Subject::Evp { key: eval.into(), hash, part }.to_string()
}
/// Every part of every record of an eval.
pub(crate) fn eval_parts(eval: &DebateId) -> String {
    format!("agon.v1.evp.{}.>", DebateKey::from(eval))
}
pub(crate) fn job(debate: &DebateId, priority: Priority, lanes: u32) -> String {
    let lane = bucket(debate.tenant().as_str(), lanes);
    Subject::Job { prio: priority, lane, key: debate.into() }.to_string()
}
/// A debate's job, whatever its priority.
pub(crate) fn jobs_of(debate: &DebateId) -> String {
    format!("agon.v1.job.*.*.{}", DebateKey::from(debate))
}
pub(crate) fn jobs(priority: Priority, lane: u32) -> String {
    pattern::jobs(priority, lane)
}
pub(crate) fn job_consumer(priority: Priority, lane: u32) -> String {
    format!("job-{}-{lane}", urgency(priority))
}

/// Which debate a subject is about.
pub(crate) fn debate_of(text: &str) -> Option<DebateId> {
    let subject: Subject = text.parse().ok()?;
    let key = subject.debate()?;
    let tenant = TenantId::parse(key.tenant.as_str()).ok()?;
    DebateId::in_tenant(&tenant, key.debate.as_str()).ok()
}

/// A stable spread over `count` buckets: what is stored depends on it.
fn bucket(text: &str, count: u32) -> u32 {
    let hash = *blake3::hash(text.as_bytes()).as_bytes();
    let [a, b, c, d, ..] = hash;
    u32::from_be_bytes([a, b, c, d]).checked_rem(count).unwrap_or(0)
}
