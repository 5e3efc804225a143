//! What the process's roles may do on NATS, tried at the start: a refusal later would be told to nobody in particular.
use super::plan::ServePlan;
use crate::cli::ProcessRole;
use crate::exit::{Exit, Stop};
use crate::grants::{Grants, KEYS, REGISTER_REMOVAL, any_queue, eval_keeping, inbox, lent, queue_of};
use agon_bus::nats::permissions::{MissingPermission, Needed, probe};
use agon_bus::nats::{NatsError, NatsLink};
use agon_runtime::{HostConfig, Served, queue_token};
use std::collections::BTreeSet;

/// Stands for a name that nobody has.
const PROBE: &str = "agon-probe";

/// What becomes of the keys of hosts.
#[derive(Clone, Copy, Debug)]
pub struct HostKeyPolicy {
    /// This process's hosts may tell theirs.
    pub told: bool,
    /// It may hear those of others.
    pub heard: bool,
}

/// Tries everything that the process's roles need, the queues of models aside.
pub async fn check(plan: &ServePlan, link: &NatsLink) -> Result<HostKeyPolicy, Stop> {
    let shards = plan.settings.nats.shards.get();
    try_all(plan, link, &needed(&plan.roles, shards, link)).await?;
    keys(plan, link, &Grants::of(&plan.roles, shards)).await
}

/// Everything that these roles need, the queues of models aside.
pub fn needed(roles: &BTreeSet<ProcessRole>, shards: u32, link: &NatsLink) -> Vec<Needed> {
    let grants = Grants::of(roles, shards);
    let queues = if roles.contains(&ProcessRole::Host) { any_queue() } else { Vec::new() };
    let publish = Grants::needed_to_publish(roles, shards);
    let publish = publish.into_iter().filter(|subject| !queues.contains(subject));
    let publish = publish.filter_map(|subject| here(link, subject));
    let mut needed: Vec<Needed> = publish.map(Needed::publish).collect();
    needed.extend(grants.needed_to_hear().map(|subject| listening(subject)));
    // beside the process's own: of two listeners that fit, the server tells only one that nobody answers
    needed.push(Needed::subscribe(format!("_INBOX_{}.{PROBE}.>", inbox(roles))));
    needed
}

/// Tries what an older configuration of the server does not have.
async fn keys(plan: &ServePlan, link: &NatsLink, grants: &Grants) -> Result<HostKeyPolicy, Stop> {
    let ways = [(&grants.publish, Needed::publish(KEYS)), (&grants.subscribe, Needed::subscribe(KEYS))];
    let wanted = ways.into_iter().filter(|(granted, _)| granted.iter().any(|subject| subject == KEYS));
    let wanted: Vec<Needed> = wanted.map(|(_, needed)| needed).collect();
    let missing = probe(link, &wanted).await.map_err(|error| Stop::new(Exit::Unavailable, error))?;
    for missing in &missing {
        plan.herald.tell(&format!(
            "this NATS user may not {missing}: hosts obey every client that can send to them; `agon nats config` prints the missing permissions"
        ));
    }
    let has = |needed: &Needed| wanted.contains(needed) && !missing.iter().any(|missing| missing.0 == *needed);
    Ok(HostKeyPolicy { told: has(&Needed::publish(KEYS)), heard: has(&Needed::subscribe(KEYS)) })
}

/// Whether the process may remove the registers of debates that are over; older configurations of the server do not let coordinators.
pub async fn purges_registers(plan: &ServePlan, link: &NatsLink) -> Result<bool, Stop> {
    let granted = Grants::of(&plan.roles, plan.settings.nats.shards.get()).publish;
    let wanted = REGISTER_REMOVAL.into_iter().filter(|wanted| granted.iter().any(|subject| subject == wanted));
    let wanted: Vec<Needed> = wanted.map(Needed::publish).collect();
    let missing = probe(link, &wanted).await.map_err(|error| Stop::new(Exit::Unavailable, error))?;
    if let Some(missing) = missing.first() {
        plan.herald.tell(&format!(
            "this NATS user may not {missing}: results of turns stay until they expire (`nats.limits.registers_age`); `agon nats config` prints the missing permissions"
        ));
    }
    Ok(missing.is_empty())
}

/// Whether the process may keep evals; older configurations of the server do not have them.
pub async fn keeps_evals(plan: &ServePlan, link: &NatsLink) -> Result<bool, Stop> {
    let missing = evals_missing(&plan.roles, link).await.map_err(|error| Stop::new(Exit::Unavailable, error))?;
    if let Some(missing) = missing.first() {
        plan.herald.tell(&format!(
            "this NATS user may not {missing}: this process keeps no evals; `agon nats config` prints the missing permissions"
        ));
    }
    Ok(missing.is_empty())
}

/// What a user lacks that would keep evals.
pub async fn evals_missing(
    roles: &BTreeSet<ProcessRole>,
    link: &NatsLink,
) -> Result<Vec<MissingPermission>, NatsError> {
    let needed: Vec<Needed> = eval_keeping(roles).into_iter().map(Needed::publish).collect();
    probe(link, &needed).await
}

/// Tries the queues of the models that the process's hosts play: all of them, where a host does not name its models.
pub async fn check_queues(plan: &ServePlan, link: &NatsLink, hosts: &[HostConfig]) -> Result<(), Stop> {
    let mut needed = BTreeSet::new();
    for host in hosts {
        match &host.models {
            Served::List(models) => {
                needed.extend(models.iter().flat_map(|model| queue_of(&queue_token(model, host.rehearsal))));
            }
            Served::Any | Served::Discovered => needed.extend(any_queue()),
            // nobody may ever want its models, and what is offered directly needs no queue
            Served::Prefixed(_) => {}
        }
    }
    let needed = needed.into_iter().filter_map(|subject| here(link, subject));
    let needed: Vec<Needed> = needed.map(Needed::publish).collect();
    try_all(plan, link, &needed).await
}

/// The subject in the account that the process is in, where it is needed there.
fn here(link: &NatsLink, subject: String) -> Option<String> {
    if link.is_lent() { lent(&subject) } else { Some(subject) }
}

/// Listening for everything where the process will, else to one subject of the kind, so that no flood comes.
fn listening(subject: &str) -> Needed {
    match subject {
        "agon.v1.hb.*" | "agon.v1.alive.*" | "agon.v1.ready.*" => Needed::subscribe(subject),
        one => Needed::subscribe(one.replace(['*', '>'], PROBE)),
    }
}

async fn try_all(plan: &ServePlan, link: &NatsLink, needed: &[Needed]) -> Result<(), Stop> {
    let missing = probe(link, needed).await.map_err(|error| Stop::new(Exit::Unavailable, error))?;
    if missing.is_empty() {
        return Ok(());
    }
    let told = told(&plan.roles, &missing);
    Err(Stop::usage(format!("{told}\n  docs/guide/security.md lists what each user of NATS needs")))
}

/// What a user lacks, in words.
pub fn told(roles: &BTreeSet<ProcessRole>, missing: &[MissingPermission]) -> String {
    let line = |missing: &MissingPermission| format!("\n  {}", missing.to_string().replace(PROBE, "*"));
    let lines: Vec<String> = missing.iter().map(line).collect();
    let roles: Vec<&str> = roles.iter().map(|role| role.name()).collect();
    format!("this NATS user may not do what {} needs; it lacks:{}", roles.join(", "), lines.concat())
}
