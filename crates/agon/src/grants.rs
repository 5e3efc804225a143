//! What each user of NATS may do: the one table behind what roles try at their start and what `agon nats config` prints.
//!
//! `docs/guide/security.md` shows it; a test keeps the two alike.
use crate::cli::ProcessRole;
use agon_bus::nats::{ANSWERS, API, HOSTS_API};
use agon_bus::subject::Token;
use agon_core::ModelName;
use agon_runtime::queue_token;
use queues::{log_reading, seat_queue};
use std::collections::BTreeSet;
use tables::{
    COORDINATOR_PUBLISH, COORDINATOR_SUBSCRIBE, COORDINATOR_WISHES, EVAL_DELETING, EVAL_KEEPING, GATEWAY_PUBLISH,
    GATEWAY_SUBSCRIBE, GATEWAY_WISHES, HOST_PUBLISH, HOST_SUBSCRIBE, PROVISIONER,
};

mod queues;
#[cfg(test)]
mod readings;
mod tables;
#[cfg(test)]
mod tests;

pub use queues::{any_queue, queue_of};
pub use tables::{KEYS, REGISTER_REMOVAL};

/// What one user may do: subjects with wildcards, as the server's configuration has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// What it may send to, the logs' streams aside.
    pub publish: Vec<String>,
    /// What it may send to for each stream of logs (`AGON_LOG_0` and on), one list for each shard.
    pub shards: Vec<Vec<String>>,
    /// What it may listen to.
    pub subscribe: Vec<String>,
    /// Whether it answers what it is asked, wherever the answer is to go, and may send nothing else. Nobody who may send anything may do
    /// this: it could ask itself, with any subject for the answer.
    pub answers: bool,
}

impl Grants {
    /// What a process with these roles needs, where the logs are spread over so many shards.
    pub fn of(roles: &BTreeSet<ProcessRole>, shards: u32) -> Self {
        let mut all = Self::default();
        for role in roles {
            let one = of_role(*role, shards);
            add(&mut all.publish, one.publish);
            add(&mut all.subscribe, one.subscribe);
            all.shards.resize(one.shards.len(), Vec::new());
            all.shards.iter_mut().zip(one.shards).for_each(|(all, one)| add(all, one));
        }
        all.subscribe.push(format!("_INBOX_{}.>", inbox(roles)));
        all
    }

    /// What a host needs that plays these models and no others.
    pub fn of_host_for(models: &[ModelName], shards: u32) -> Self {
        let mut grants = Self::of(&BTreeSet::from([ProcessRole::Host]), shards);
        let any = any_queue();
        grants.publish.retain(|subject| !any.contains(subject));
        add(&mut grants.publish, models.iter().flat_map(|model| queue_of(&queue_token(model, false))).collect());
        grants
    }

    /// The same for a user of the account of hosts. What JetStream is asked there has another name, and whatever would let the server send to
    /// a subject of the caller's choice in the streams' account is left out: a consumer delivers wherever its maker says.
    pub fn lent(mut self) -> Self {
        for subjects in std::iter::once(&mut self.publish).chain(&mut self.shards) {
            *subjects = subjects.iter().filter_map(|subject| lent(subject)).collect();
        }
        // the account has no JetStream, and says so: by this a process knows where it is
        self.publish.push(format!("{API}.STREAM.INFO.AGON_GEN"));
        self
    }

    /// What `agon provision` needs.
    pub fn of_provisioner() -> Self {
        Self { publish: owned(PROVISIONER), subscribe: vec!["_INBOX_provisioner.>".to_owned()], ..Self::default() }
    }

    /// What an external participant needs for seats of this name in debates of this tenant, or for all seats of the tenant.
    pub fn of_seat(user: &str, tenant: &Token, name: Option<&Token>) -> Self {
        let seats = match name {
            Some(name) => format!("agon.v1.seat.{tenant}.*.{name}"),
            None => format!("agon.v1.seat.{tenant}.>"),
        };
        Self { subscribe: vec![seats, format!("_INBOX_{user}.>")], answers: true, ..Self::default() }
    }

    /// What has to be allowed for these roles to serve: everything that they send to, but for what none of them needs to serve. Answers are not
    /// tried: older configurations allow them in another way.
    pub fn needed_to_publish(roles: &BTreeSet<ProcessRole>, shards: u32) -> Vec<String> {
        let (mut all, answers) = (Vec::new(), answers());
        for role in roles {
            let wishes = wishes(*role);
            let needed = of_role(*role, shards).all_publish().cloned().collect::<Vec<_>>();
            let of_evals = eval_keeping(&BTreeSet::from([*role]));
            let spared =
                |one: &String| wishes.contains(&one.as_str()) || answers.contains(one) || of_evals.contains(one);
            let needed = needed.into_iter().filter(|one| !spared(one));
            add(&mut all, needed.collect());
        }
        all
    }

    /// What has to be allowed to be heard for a process to serve.
    pub fn needed_to_hear(&self) -> impl Iterator<Item = &String> {
        self.subscribe.iter().filter(|subject| !subject.starts_with("_INBOX") && *subject != KEYS)
    }

    /// Everything that may be sent to.
    pub fn all_publish(&self) -> impl Iterator<Item = &String> {
        self.publish.iter().chain(self.shards.iter().flatten())
    }
}

/// What these roles need to keep evals; nothing where they keep none.
pub fn eval_keeping(roles: &BTreeSet<ProcessRole>) -> Vec<String> {
    let gateway = roles.contains(&ProcessRole::Gateway);
    if !gateway && !roles.contains(&ProcessRole::Coordinator) {
        return Vec::new();
    }
    let mut subjects = owned(EVAL_KEEPING);
    subjects.extend(gateway.then(|| EVAL_DELETING.to_owned()));
    subjects
}

/// The subject under which the account of hosts asks for the same; none where it may not.
pub fn lent(subject: &str) -> Option<String> {
    let Some(call) = subject.strip_prefix(API) else { return Some(subject.to_owned()) };
    let kept = ["CONSUMER.CREATE.", "CONSUMER.DELETE.", "CONSUMER.MSG.NEXT.AGON_LOG_"];
    let call = call.strip_prefix('.')?;
    (!kept.iter().any(|kept| call.starts_with(kept))).then(|| format!("{HOSTS_API}.{call}"))
}

/// Where those who ask hosts and the seats of coordinators hear the answers: apart from the server's own answers.
fn answers() -> Vec<String> {
    const ASKING: [&[ProcessRole]; 6] = [
        &[ProcessRole::Gateway],
        &[ProcessRole::Coordinator],
        &[ProcessRole::Gateway, ProcessRole::Coordinator],
        &[ProcessRole::Gateway, ProcessRole::Host],
        &[ProcessRole::Coordinator, ProcessRole::Host],
        &[ProcessRole::Gateway, ProcessRole::Coordinator, ProcessRole::Host],
    ];
    let asking = ASKING.iter().map(|roles| inbox(&roles.iter().copied().collect()));
    asking.map(|roles| format!("_INBOX_{roles}.{ANSWERS}.>")).collect()
}

/// The roles of a process as its private inbox names them, in a fixed order.
pub fn inbox(roles: &BTreeSet<ProcessRole>) -> String {
    roles.iter().map(|role| role.name()).collect::<Vec<_>>().join("-")
}

fn wishes(role: ProcessRole) -> &'static [&'static str] {
    match role {
        ProcessRole::Gateway => GATEWAY_WISHES,
        ProcessRole::Coordinator => COORDINATOR_WISHES,
        ProcessRole::Host => &[KEYS],
    }
}

fn of_role(role: ProcessRole, shards: u32) -> Grants {
    let (publish, subscribe, queues, answers) = match role {
        ProcessRole::Gateway => (GATEWAY_PUBLISH, GATEWAY_SUBSCRIBE, Vec::new(), Vec::new()),
        ProcessRole::Coordinator => (COORDINATOR_PUBLISH, COORDINATOR_SUBSCRIBE, seat_queue(), answers()),
        ProcessRole::Host => (HOST_PUBLISH, HOST_SUBSCRIBE, any_queue(), answers()),
    };
    let mut publish = owned(publish);
    publish.extend(eval_keeping(&BTreeSet::from([role])));
    publish.extend(queues);
    publish.extend(answers);
    let of_shard = |shard| {
        let stream = format!("AGON_LOG_{shard}");
        let mut subjects = log_reading(&stream);
        if role == ProcessRole::Gateway {
            subjects.push(format!("$JS.API.STREAM.PURGE.{stream}"));
        }
        subjects
    };
    let shards = (0..shards).map(of_shard).collect();
    Grants { publish, shards, subscribe: owned(subscribe), ..Grants::default() }
}

fn owned(subjects: &[&str]) -> Vec<String> {
    subjects.iter().map(|subject| (*subject).to_owned()).collect()
}

/// Adds what is not there yet, so that the order stays that of the table.
fn add(all: &mut Vec<String>, more: Vec<String>) {
    for subject in more {
        if !all.contains(&subject) {
            all.push(subject);
        }
    }
}
