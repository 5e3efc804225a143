//! A host as its actors share it: its settings and what is known of its models.
use crate::config::HostConfig;
use agon_core::ModelName;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// How long a listing of models is believed.
const FRESH: Duration = Duration::from_secs(300);
/// How soon a listing that failed is tried again.
const RETRY: Duration = Duration::from_secs(10);
/// How long a turn waits for a listing.
const PATIENCE: Duration = Duration::from_secs(2);

/// One configured host.
pub(crate) struct Desk {
    pub(crate) config: HostConfig,
    digests: Mutex<Digests>,
}

#[derive(Default)]
struct Digests {
    known: BTreeMap<String, String>,
    good_until: Option<Instant>,
}

impl Desk {
    pub(crate) fn new(config: HostConfig) -> Self {
        Self { config, digests: Mutex::default() }
    }

    /// The model's digest at this host, if its server tells.
    pub(crate) async fn digest(&self, model: &ModelName) -> Option<String> {
        let mut digests = self.digests.lock().await;
        let now = Instant::now();
        if digests.good_until.is_none_or(|until| until <= now) {
            let listed = tokio::time::timeout(PATIENCE, self.config.client.models()).await;
            digests.good_until = Some(now + if matches!(listed, Ok(Ok(_))) { FRESH } else { RETRY });
            if let Ok(Ok(models)) = listed {
                digests.known = models.into_iter().filter_map(|model| Some((model.name, model.digest?))).collect();
            }
        }
        let name = model.as_str();
        digests.known.get(name).or_else(|| digests.known.get(&format!("{name}:latest"))).cloned()
    }
}
