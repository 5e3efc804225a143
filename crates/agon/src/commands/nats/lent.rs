//! What the account of hosts is lent of the streams' account, and the other way round, as nats-server's configuration says it.
use super::users::User;
use agon_bus::matches;
use agon_bus::nats::{API, HOSTS_API};
use std::collections::BTreeSet;

/// What travels between the two accounts.
#[derive(Debug, Default)]
pub struct Lent {
    /// Calls of JetStream's API, without its prefix.
    api: BTreeSet<String>,
    /// What is stored or acknowledged, with an answer of the server.
    services: BTreeSet<String>,
    /// What hosts say.
    up: BTreeSet<String>,
    /// What hosts hear.
    down: BTreeSet<String>,
}

/// What these users need beyond their own account.
pub fn lent(hosts: &[&User]) -> Lent {
    let mut lent = Lent::default();
    let grants = || hosts.iter().filter_map(|host| host.grants.as_ref());
    for subject in grants().flat_map(|grants| grants.all_publish()) {
        if let Some(call) = subject.strip_prefix(HOSTS_API) {
            lent.api.insert(call.to_owned());
        } else if ["agon.v1.res.", "agon.v1.big.", "$JS.ACK."].iter().any(|stored| subject.starts_with(stored)) {
            lent.services.insert(subject.clone());
        } else if !subject.starts_with(API) {
            lent.up.insert(subject.clone());
        }
    }
    // what hosts say they also hear of one another, within their account
    let own = |subject: &&String| !subject.starts_with("_INBOX") && !lent.up.contains(*subject);
    let down = grants().flat_map(|grants| &grants.subscribe).filter(own).cloned().collect();
    Lent { api: widest(lent.api), services: widest(lent.services), down, ..lent }
}

/// Those that no other one includes: what is lent twice would be asked twice.
fn widest(subjects: BTreeSet<String>) -> BTreeSet<String> {
    let included = |subject: &String| subjects.iter().any(|other| other != subject && matches(other, subject));
    subjects.iter().filter(|subject| !included(subject)).cloned().collect()
}

impl Lent {
    /// The exports of the streams' account.
    pub fn exported(&self, hosts: &str) -> Vec<String> {
        let to = format!("accounts: [\"{hosts}\"]");
        let calls = self.api.iter().map(|call| match call.contains(".MSG.NEXT.") {
            // one request, and a status or a turn later
            true => format!("{{ service: \"{API}{call}\", response_type: stream, {to} }}"),
            false => format!("{{ service: \"{API}{call}\", {to} }}"),
        });
        let services = self.services.iter().map(|subject| format!("{{ service: \"{subject}\", {to} }}"));
        let down = self.down.iter().map(|subject| format!("{{ stream: \"{subject}\", {to} }}"));
        calls.chain(services).chain(down).collect()
    }

    /// The imports of the streams' account.
    pub fn heard(&self, hosts: &str) -> Vec<String> {
        imported("stream", &self.up, hosts)
    }

    /// The exports of the hosts' account.
    pub fn told(&self, streams: &str) -> Vec<String> {
        self.up.iter().map(|subject| format!("{{ stream: \"{subject}\", accounts: [\"{streams}\"] }}")).collect()
    }

    /// The imports of the hosts' account.
    pub fn imported(&self, streams: &str) -> Vec<String> {
        let call = |call: &String| {
            format!("{{ service: {{ account: \"{streams}\", subject: \"{API}{call}\" }}, to: \"{HOSTS_API}{call}\" }}")
        };
        let mut all: Vec<String> = self.api.iter().map(call).collect();
        all.extend(imported("service", &self.services, streams));
        all.extend(imported("stream", &self.down, streams));
        all
    }
}

fn imported(kind: &str, subjects: &BTreeSet<String>, account: &str) -> Vec<String> {
    subjects
        .iter()
        .map(|subject| format!("{{ {kind}: {{ account: \"{account}\", subject: \"{subject}\" }} }}"))
        .collect()
}
