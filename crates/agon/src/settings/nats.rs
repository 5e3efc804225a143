//! How a cluster's processes reach NATS, and how its streams are set up.
use super::{KeySource, Length, list};
use crate::environment::Environment;
use agon_bus::nats::provision::Growth;
use agon_bus::nats::{NatsAuth, NatsConfig, NatsTls, ProvisionConfig};
use agon_store::{NatsLimits, NatsStoreConfig};
use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

const MIB: u64 = 1 << 20;
/// A pebibyte: more than any server has, and a number of bytes that NATS can count.
const MOST_MIB: u64 = 1 << 30;
/// Results of turns and request ids outlive any restart of the process that waits for them.
const SHORTEST_AGE: Length = Length::seconds(600);

/// NATS.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NatsSettings {
    /// Its servers, `nats://HOST:PORT` or `tls://HOST:PORT`; none: everything is in one process.
    #[serde(deserialize_with = "list::texts")]
    pub urls: Vec<String>,
    /// A credentials file as `nsc` writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creds: Option<PathBuf>,
    /// A file with the seed of a user's nkey.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nkey: Option<PathBuf>,
    /// A user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Where the user's password is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<KeySource>,
    /// Where a token is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<KeySource>,
    /// How long a start goes on trying to reach NATS before it gives up.
    pub wait: Length,
    /// Copies of every stream: 1, 3 or 5, at most as many as there are servers.
    pub replicas: NonZeroUsize,
    /// Streams that the logs are spread over; fixed by the first start.
    pub shards: NonZeroU32,
    /// How the connection is secured.
    #[serde(skip_serializing_if = "is_default")]
    pub tls: NatsTlsSettings,
    /// What the streams may hold.
    pub limits: NatsLimitSettings,
}
impl Default for NatsSettings {
    fn default() -> Self {
        let store = NatsStoreConfig::default();
        Self {
            urls: Vec::new(),
            creds: None,
            nkey: None,
            user: None,
            password: None,
            token: None,
            wait: Length::seconds(10),
            replicas: store.replicas,
            shards: store.shards,
            tls: NatsTlsSettings::default(),
            limits: NatsLimitSettings::default(),
        }
    }
}

fn is_default(tls: &NatsTlsSettings) -> bool {
    *tls == NatsTlsSettings::default()
}

/// How the connection to NATS is secured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NatsTlsSettings {
    /// Refuse servers without TLS, also where the address begins with `nats://`.
    pub require: bool,
    /// The authorities to trust instead of the system's (PEM).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca: Option<PathBuf>,
    /// The client's certificate (PEM).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cert: Option<PathBuf>,
    /// Its key (PEM).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<PathBuf>,
}

/// What the streams may hold. The server reserves the bytes when they are set up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NatsLimitSettings {
    /// Mebibytes of all logs.
    pub logs_mib: NonZeroU64,
    /// Mebibytes of the results of turns.
    pub registers_mib: NonZeroU64,
    /// How long a turn's result is kept beside the log.
    pub registers_age: Length,
    /// Debates that the job queue may hold.
    pub jobs: NonZeroU32,
    /// Mebibytes of the job queue.
    pub jobs_mib: NonZeroU64,
    /// Turns that the queues of all models may hold, those being played included.
    pub turns: NonZeroU32,
    /// Mebibytes of those queues.
    pub turns_mib: NonZeroU64,
    /// Mebibytes of the orders to cancel debates.
    pub orders_mib: NonZeroU64,
    /// Mebibytes of the request ids.
    pub requests_mib: NonZeroU64,
    /// How long a request id is remembered.
    pub requests_age: Length,
    /// Mebibytes of the list of debates.
    pub catalogue_mib: NonZeroU64,
    /// Mebibytes of the logs of evals.
    pub evals_mib: NonZeroU64,
    /// Mebibytes of the parts of large records and results.
    pub parts_mib: NonZeroU64,
    /// Mebibytes of the parts of large messages in transit; beyond it the oldest are dropped.
    pub transit_mib: NonZeroU64,
    /// Percent of each stream that new debates and turns leave free, so that ends, cancellations and deletions always fit.
    pub reserve_percent: u8,
}
impl Default for NatsLimitSettings {
    fn default() -> Self {
        let store = NatsStoreConfig::default();
        let bus = ProvisionConfig::default();
        let mebibytes = |bytes: NonZeroU64| NonZeroU64::new(bytes.get() / MIB).unwrap_or(NonZeroU64::MIN);
        let of_bus =
            |bytes: i64| mebibytes(u64::try_from(bytes).ok().and_then(NonZeroU64::new).unwrap_or(NonZeroU64::MIN));
        let turns = u32::try_from(bus.queue_messages).ok().and_then(NonZeroU32::new);
        Self {
            logs_mib: mebibytes(store.limits.log_bytes),
            registers_mib: mebibytes(store.limits.register_bytes),
            registers_age: Length(store.limits.register_age),
            jobs: store.max_jobs,
            jobs_mib: mebibytes(store.limits.job_bytes),
            turns: turns.unwrap_or(NonZeroU32::MIN),
            turns_mib: of_bus(bus.queue_bytes),
            orders_mib: mebibytes(store.limits.order_bytes),
            requests_mib: mebibytes(store.limits.request_bytes),
            requests_age: Length(store.limits.request_age),
            catalogue_mib: mebibytes(store.limits.catalogue_bytes),
            evals_mib: mebibytes(store.limits.eval_bytes),
            parts_mib: mebibytes(store.limits.part_bytes),
            transit_mib: of_bus(bus.blob_bytes),
            reserve_percent: store.reserve_percent,
        }
    }
}

impl NatsLimitSettings {
    /// Sizes and ages that no stream can have, each with its field.
    fn problems(&self) -> Vec<String> {
        let sizes = [
            ("logs_mib", self.logs_mib),
            ("registers_mib", self.registers_mib),
            ("jobs_mib", self.jobs_mib),
            ("turns_mib", self.turns_mib),
            ("orders_mib", self.orders_mib),
            ("requests_mib", self.requests_mib),
            ("catalogue_mib", self.catalogue_mib),
            ("evals_mib", self.evals_mib),
            ("parts_mib", self.parts_mib),
            ("transit_mib", self.transit_mib),
        ];
        let sizes = sizes.into_iter().filter(|(_, size)| size.get() > MOST_MIB);
        let sizes = sizes.map(|(name, size)| format!("limits.{name}: {size}; from 1 to {MOST_MIB} is allowed"));
        let ages = [("registers_age", self.registers_age), ("requests_age", self.requests_age)];
        let ages = ages.into_iter().filter(|(_, age)| age.0 < SHORTEST_AGE.0);
        let ages = ages.map(|(name, age)| format!("limits.{name}: {age}; {SHORTEST_AGE} and more is allowed"));
        sizes.chain(ages).collect()
    }
}

impl NatsSettings {
    /// What is wrong with it, each with its field.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let ways = [self.creds.is_some(), self.nkey.is_some(), self.user.is_some(), self.token.is_some()];
        if ways.into_iter().filter(|way| *way).count() > 1 {
            problems.push("creds, nkey, user, token: give one of them".to_owned());
        }
        if self.user.is_some() != self.password.is_some() {
            problems.push("user, password: give both or neither".to_owned());
        }
        for (name, source) in [("password", &self.password), ("token", &self.token)] {
            let problem = source.as_ref().and_then(KeySource::problem);
            problems.extend(problem.map(|problem| format!("{name}: {problem}")));
        }
        if !matches!(self.replicas.get(), 1 | 3 | 5) {
            problems.push(format!("replicas: {}; 1, 3 or 5 is allowed", self.replicas));
        }
        problems.extend(self.limits.problems());
        if self.limits.reserve_percent > 50 {
            problems.push(format!("limits.reserve_percent: {}; from 0 to 50 is allowed", self.limits.reserve_percent));
        }
        if self.tls.cert.is_some() != self.tls.key.is_some() {
            problems.push("tls.cert, tls.key: give both or neither".to_owned());
        }
        problems
    }

    /// How to connect as `role` on `node`; reads the secrets.
    pub fn config(&self, role: &str, node: &str, environment: &Environment) -> anyhow::Result<NatsConfig> {
        Ok(NatsConfig {
            auth: self.auth(environment)?,
            tls: NatsTls {
                require: self.tls.require,
                ca_file: self.tls.ca.clone(),
                cert_file: self.tls.cert.clone(),
                key_file: self.tls.key.clone(),
            },
            wait: self.wait.0,
            ..NatsConfig::new(self.urls.iter().map(String::as_str), role, node)
        })
    }

    fn auth(&self, environment: &Environment) -> anyhow::Result<NatsAuth> {
        if let Some(path) = &self.creds {
            return Ok(NatsAuth::CredsFile(path.clone()));
        }
        if let Some(path) = &self.nkey {
            return Ok(NatsAuth::NKeySeed(path.clone()));
        }
        if let Some(token) = &self.token {
            return Ok(NatsAuth::Token(token.read(environment).context("the token of `nats.token`")?));
        }
        let (Some(user), Some(password)) = (&self.user, &self.password) else { return Ok(NatsAuth::None) };
        let password = password.read(environment).context("the password of `nats.password`")?;
        Ok(NatsAuth::UserPassword { user: user.clone(), password })
    }

    /// How the streams of the bus are set up.
    pub fn bus(&self) -> ProvisionConfig {
        let signed = |number: NonZeroU64| i64::try_from(number.get()).unwrap_or(i64::MAX);
        ProvisionConfig {
            replicas: self.replicas.get(),
            queue_messages: self.limits.turns.get().into(),
            queue_bytes: signed(bytes(self.limits.turns_mib)),
            blob_bytes: signed(bytes(self.limits.transit_mib)),
            growth: Growth::Allow,
            ..ProvisionConfig::default()
        }
    }

    /// How the streams of the store are set up.
    pub fn store(&self) -> NatsStoreConfig {
        let default = NatsStoreConfig::default();
        NatsStoreConfig {
            shards: self.shards,
            replicas: self.replicas,
            max_jobs: self.limits.jobs,
            reserve_percent: self.limits.reserve_percent,
            limits: NatsLimits {
                log_bytes: bytes(self.limits.logs_mib),
                register_bytes: bytes(self.limits.registers_mib),
                register_age: self.limits.registers_age.0,
                request_age: self.limits.requests_age.0,
                catalogue_bytes: bytes(self.limits.catalogue_mib),
                job_bytes: bytes(self.limits.jobs_mib),
                order_bytes: bytes(self.limits.orders_mib),
                request_bytes: bytes(self.limits.requests_mib),
                eval_bytes: bytes(self.limits.evals_mib),
                part_bytes: bytes(self.limits.parts_mib),
                ..default.limits
            },
            ..default
        }
    }
}

fn bytes(mebibytes: NonZeroU64) -> NonZeroU64 {
    mebibytes.saturating_mul(NonZeroU64::MIN.saturating_add(MIB - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_of_the_settings_are_those_of_store_and_bus() {
        assert_eq!(NatsSettings::default().store(), NatsStoreConfig::default());
        let bus = ProvisionConfig { growth: Growth::Allow, ..ProvisionConfig::default() };
        assert_eq!(NatsSettings::default().bus(), bus);
    }

    #[test]
    fn each_limit_reaches_its_stream() {
        let set = |name: &str| {
            let value = serde_json::json!({ "limits": { name: 7 } });
            serde_json::from_value::<NatsSettings>(value).unwrap()
        };
        let mib = bytes(NonZeroU64::new(7).unwrap());
        assert_eq!(set("jobs_mib").store().limits.job_bytes, mib);
        assert_eq!(set("orders_mib").store().limits.order_bytes, mib);
        assert_eq!(set("requests_mib").store().limits.request_bytes, mib);
        assert_eq!(set("parts_mib").store().limits.part_bytes, mib);
        assert_eq!(set("turns").bus().queue_messages, 7);
        assert_eq!(set("turns_mib").bus().queue_bytes, 7 << 20);
        assert_eq!(set("transit_mib").bus().blob_bytes, 7 << 20);
    }

    #[test]
    fn sizes_and_ages_that_no_stream_can_have_are_refused_by_name() {
        let problems = |name: &str, value: serde_json::Value| {
            let value = serde_json::json!({ "limits": { name: value } });
            serde_json::from_value::<NatsSettings>(value).unwrap().problems().join("\n")
        };
        for size in ["logs_mib", "registers_mib", "evals_mib", "turns_mib", "transit_mib"] {
            assert_eq!(problems(size, (1_u64 << 30).into()), "");
            let wanted = format!("limits.{size}: 1073741825; from 1 to 1073741824 is allowed");
            assert_eq!(problems(size, ((1_u64 << 30) + 1).into()), wanted);
        }
        for age in ["registers_age", "requests_age"] {
            assert_eq!(problems(age, "10m".into()), "");
            assert_eq!(problems(age, "1s".into()), format!("limits.{age}: 1s; 600s and more is allowed"));
        }
    }

    #[test]
    fn one_way_to_prove_who_connects_is_enough() {
        let settings = NatsSettings {
            creds: Some("/c".into()),
            user: Some("agon".into()),
            replicas: NonZeroUsize::MIN.saturating_add(1),
            ..NatsSettings::default()
        };
        let problems = settings.problems().join("\n");
        for wanted in ["give one of them", "user, password", "1, 3 or 5"] {
            assert!(problems.contains(wanted), "{problems}");
        }
    }

    #[test]
    fn the_password_comes_from_where_the_settings_say() {
        let password = Some(KeySource { env: Some("NATS_PASSWORD".into()), file: None });
        let settings = NatsSettings { user: Some("agon".into()), password, ..NatsSettings::default() };
        let config = settings.config("host", "n1", &Environment::from([("NATS_PASSWORD", "s3cret")])).unwrap();
        assert!(matches!(config.auth, NatsAuth::UserPassword { .. }));
        assert!(!format!("{config:?}").contains("s3cret"));
        assert!(settings.config("host", "n1", &Environment::default()).is_err());
    }
}
