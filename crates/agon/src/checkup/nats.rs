//! NATS, where the settings name it: whether it answers, and whether its user may do what it is there for. Nothing is set up.
use super::CheckupFinding;
use crate::cli::ProcessRole;
use crate::commands::Context;
use crate::grants::inbox;
use crate::serve::permissions::{evals_missing, needed, told};
use crate::serve::plan;
use crate::settings::Settings;
use agon_bus::nats::permissions::{Needed, probe};
use agon_bus::nats::provision::ProvisionError;
use agon_bus::nats::{NatsConfig, NatsError, NatsLink, check as check_streams, connect};
use agon_store::{Condition, NatsStore, NatsUse};
use clap::ValueEnum as _;
use std::collections::BTreeSet;
use std::time::Duration;

/// The servers before this one cannot do what Agon builds on.
const OLDEST_NATS: (u32, u32, u32) = (2, 9, 10);
const RIGHTS: &str = "docs/guide/security.md lists what each user of NATS needs";
const SETTINGS: &str = "correct [nats]; agon config show --origin shows where each value comes from";
const REACH: &str = "start it (nats-server -js), or check nats.urls and the credentials of [nats]; agon config show --origin shows where they come from";

/// Looks at NATS, where the settings name it.
pub async fn check(context: &Context, settings: &Settings) -> Option<CheckupFinding> {
    if settings.nats.urls.is_empty() {
        return None;
    }
    let what = format!("NATS {}", settings.nats.urls.join(", "));
    let config = match settings.nats.config("doctor", "doctor", &context.environment) {
        Ok(config) => NatsConfig { wait: Duration::ZERO, ..config },
        Err(error) => return Some(CheckupFinding::fail(what, format!("{error:#}"), SETTINGS)),
    };
    let found = looked_at(&what, settings, config).await;
    Some(found.unwrap_or_else(|error| {
        let fix = remedy(&error);
        CheckupFinding::fail(what, format!("{:#}", anyhow::Error::from(error)), fix)
    }))
}

/// What helps where there is no connection.
fn remedy(error: &NatsError) -> &'static str {
    match error {
        NatsError::Unreachable { .. } | NatsError::Silent { .. } => REACH,
        NatsError::Refused { .. } => {
            "it runs, but rejects this user or password: check nats.user and nats.password, or nats.nkey, nats.creds or nats.token; agon config show \
             --origin shows where they come from"
        }
        NatsError::Tls { .. } => "it runs: check nats.tls, and that nats.urls has the name of its certificate",
        NatsError::NoAddress
        | NatsError::Address { .. }
        | NatsError::UserInAddress { .. }
        | NatsError::InboxPrefix(_)
        | NatsError::HalfCertificate(_)
        | NatsError::File { .. }
        | NatsError::BadFile { .. } => SETTINGS,
    }
}

/// Whether a user is for operators, as `agon nats config` names it: in the system's account, where no role can work.
fn is_operator(user: &str) -> bool {
    user.rsplit(['_', '-']).next() == Some("sys")
}

async fn looked_at(what: &str, settings: &Settings, config: NatsConfig) -> Result<CheckupFinding, NatsError> {
    if let Some(user) = settings.nats.user.as_deref().filter(|user| is_operator(user)) {
        connect(config).await?.close().await;
        let found = format!("reached, by the user {user}, which is for operators and has no streams");
        let fix = "name the user of a role in nats.user: gateway, coordinator, host, or provisioner for agon provision";
        return Ok(CheckupFinding::fail(what, found, fix));
    }
    let named = settings.nats.user.as_deref().map_or(Who::Anybody, Who::named);
    let (who, link) = match open(&config, &named).await? {
        Some(link) => (named, link),
        None => match another(&config, &named).await? {
            Some(found) => found,
            None => {
                let found = "reached, but its user may listen to no inbox of a role of Agon, so no answer reaches it";
                return Ok(CheckupFinding::fail(what, found, RIGHTS));
            }
        },
    };
    let found = asked(what, settings, &who, &link).await;
    link.close().await;
    found
}

/// Who the user of NATS is: each has an inbox of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Who {
    /// The server asks nobody, or allows everything.
    Anybody,
    /// It serves with these roles.
    Roles(BTreeSet<ProcessRole>),
    /// It sets up streams.
    Provisioner,
}

impl Who {
    /// As `agon nats config` names users: `gateway`, `coordinator_host`, `acme_provisioner`.
    fn named(user: &str) -> Self {
        let words = || user.split(['_', '-']);
        let roles: BTreeSet<ProcessRole> = words().filter_map(|word| ProcessRole::from_str(word, false).ok()).collect();
        match words().next_back() {
            Some("provisioner") => Self::Provisioner,
            _ if roles.is_empty() => Self::Anybody,
            _ => Self::Roles(roles),
        }
    }

    fn all() -> Vec<Self> {
        let roles = [ProcessRole::Gateway, ProcessRole::Coordinator, ProcessRole::Host];
        let chosen = |set: u8| (0_u8..).zip(roles).filter(move |(bit, _)| set & (1 << bit) != 0).map(|(_, role)| role);
        let mixes = (1..8_u8).map(|set| Self::Roles(chosen(set).collect()));
        [Self::Anybody, Self::Provisioner].into_iter().chain(mixes).collect()
    }

    /// What it uses of the store.
    fn uses(&self) -> NatsUse {
        match self {
            Self::Anybody | Self::Provisioner => NatsUse { queues: true, ..NatsUse::ALL },
            Self::Roles(roles) => plan::uses(roles),
        }
    }

    fn inbox(&self) -> String {
        match self {
            Self::Anybody => "doctor".to_owned(),
            Self::Roles(roles) => inbox(roles),
            Self::Provisioner => "provisioner".to_owned(),
        }
    }
}

/// A connection with the inbox of `who`, if the user may listen there.
async fn open(config: &NatsConfig, who: &Who) -> Result<Option<NatsLink>, NatsError> {
    let inbox = format!("_INBOX_{}", who.inbox());
    let listening = Needed::subscribe(format!("{inbox}.doctor-probe.>"));
    let link = connect(NatsConfig { inbox_prefix: format!("{inbox}.doctor"), ..config.clone() }).await?;
    if probe(&link, &[listening]).await?.is_empty() {
        return Ok(Some(link));
    }
    link.close().await;
    Ok(None)
}

/// The same for whoever else the user may be: names are free, and credentials may have none.
async fn another(config: &NatsConfig, tried: &Who) -> Result<Option<(Who, NatsLink)>, NatsError> {
    for who in Who::all().into_iter().filter(|who| who != tried) {
        if let Some(link) = open(config, &who).await? {
            return Ok(Some((who, link)));
        }
    }
    Ok(None)
}

async fn asked(what: &str, settings: &Settings, who: &Who, link: &NatsLink) -> Result<CheckupFinding, NatsError> {
    let version = link.state().server_version;
    let (major, minor, patch) = OLDEST_NATS;
    if !link.server_at_least(major, minor, patch) {
        let fix = format!("use nats-server {major}.{minor}.{patch} or newer");
        return Ok(CheckupFinding::fail(what, format!("nats-server {version} is too old"), fix));
    }
    let link = match who {
        Who::Roles(roles) if *roles == BTreeSet::from([ProcessRole::Host]) => link.clone().in_its_account().await,
        Who::Roles(_) | Who::Anybody | Who::Provisioner => link.clone(),
    };
    if let Who::Roles(roles) = who {
        let missing = probe(&link, &needed(roles, settings.nats.shards.get(), &link)).await?;
        if !missing.is_empty() {
            return Ok(CheckupFinding::fail(what, told(roles, &missing), RIGHTS));
        }
    }
    let mut uses = who.uses();
    if let Who::Roles(roles) = who {
        // a user of an older configuration serves without
        uses.evals &= evals_missing(roles, &link).await?.is_empty();
    }
    let queues = check_streams(&link, &settings.nats.bus()).await;
    let condition = NatsStore::examine(&link, &settings.store_on_nats(), uses).await;
    Ok(match condition {
        Some(condition) if matches!(queues, Ok(()) | Err(ProvisionError::Missing(_))) => {
            store_found(what, condition).unwrap_or_else(|| streams_found(what, &version, who, queues))
        }
        Some(_) | None => streams_found(what, &version, who, queues),
    })
}

/// What is wrong with the store, as the readiness of a process says it.
fn store_found(what: &str, condition: Condition) -> Option<CheckupFinding> {
    const FULL: &str = "delete ended debates (agon delete), or raise nats.limits and run agon provision";
    let fix = match condition.broken.is_empty() {
        true => FULL,
        false => {
            "run agon provision as the provisioner, or restore a backup; a running role that may set up streams does so by itself"
        }
    };
    Some(CheckupFinding::fail(what, condition.trouble()?, fix))
}

fn streams_found(what: &str, version: &str, who: &Who, streams: Result<(), ProvisionError>) -> CheckupFinding {
    let user = match who {
        Who::Anybody => String::new(),
        Who::Roles(roles) => {
            let roles: Vec<&str> = roles.iter().map(|role| role.name()).collect();
            format!(", by a user who may do what {} needs", roles.join(", "))
        }
        Who::Provisioner => ", by a user who sets up streams".to_owned(),
    };
    let reached = format!("reached{user}, nats-server {version} with JetStream");
    match (streams, who) {
        (Ok(()), _) => CheckupFinding::ok(what, format!("{reached}, streams set up")),
        (Err(ProvisionError::Missing(_)), Who::Anybody) => {
            CheckupFinding::ok(what, format!("{reached}; agon serve will set up the streams"))
        }
        (Err(ProvisionError::Missing(_)), Who::Roles(_) | Who::Provisioner) => CheckupFinding::fail(
            what,
            format!("{reached}, but without the streams"),
            "run agon provision as the provisioner",
        ),
        (Err(error @ ProvisionError::NoJetStream(_)), _) => CheckupFinding::fail(
            what,
            error.to_string(),
            "start it with JetStream (nats-server -js), and allow it for this account",
        ),
        // an older configuration of a gateway's user lacks this, and the gateway does without
        (Err(ProvisionError::Denied { .. }), Who::Roles(roles)) if *roles == BTreeSet::from([ProcessRole::Gateway]) => {
            CheckupFinding::ok(what, format!("{reached}; the user may not check whether the queue is set up"))
        }
        (Err(error @ ProvisionError::Denied { .. }), _) => CheckupFinding::fail(what, error.to_string(), RIGHTS),
        (Err(error @ (ProvisionError::Differs { .. } | ProvisionError::Server { .. })), _) => {
            CheckupFinding::fail(what, error.to_string(), "docs/reference/nats.md describes the required streams")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_of_operators_is_known() {
        assert_eq!(["sys", "acme_sys", "system", "gateway"].map(is_operator), [true, true, false, false]);
    }

    #[test]
    fn a_user_is_known_by_the_name_that_the_printed_configuration_gives_it() {
        let roles = |roles: &[ProcessRole]| Who::Roles(roles.iter().copied().collect());
        for (name, who) in [
            ("gateway", roles(&[ProcessRole::Gateway])),
            ("acme_coordinator_host", roles(&[ProcessRole::Coordinator, ProcessRole::Host])),
            ("acme_provisioner", Who::Provisioner),
            ("qwen", Who::Anybody),
        ] {
            assert_eq!(Who::named(name), who, "{name}");
            assert!(Who::all().contains(&who), "{name}");
        }
    }
}
