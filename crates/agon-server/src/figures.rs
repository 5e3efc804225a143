//! Tells the metrics what this gateway knows of the whole cluster, now and then.
use crate::config::GatewayPorts;
use agon_bus::BusError;
use agon_runtime::QueueWatch;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often it is tried again to count turns where that is not permitted.
const DENIED_PAUSE: Duration = Duration::from_secs(300);

/// Counts debates until `stop`; then nothing is told any more, for nobody keeps it true.
pub(crate) async fn debates(ports: GatewayPorts, every: Duration, stop: CancellationToken) {
    let counting = async {
        loop {
            let figures = ports.node.debate_figures().await.unwrap_or_else(|error| {
                tracing::debug!(%error, "debates not counted");
                None
            });
            ports.cluster.debates(figures);
            tokio::time::sleep(every).await;
        }
    };
    stop.run_until_cancelled(counting).await;
    ports.cluster.debates(None);
}

/// Counts queued turns until `stop`.
pub(crate) async fn turns(ports: GatewayPorts, every: Duration, stop: CancellationToken) {
    let mut watch = ports.node.queue_watch();
    let mut denied = Denied(false);
    let counting = async {
        loop {
            let counted = denied.look(&mut watch).await;
            ports.cluster.turns(counted);
            tokio::time::sleep(if denied.0 { DENIED_PAUSE.max(every) } else { every }).await;
        }
    };
    stop.run_until_cancelled(counting).await;
    ports.cluster.turns(None);
}

/// Whether the last look was not permitted; told once.
struct Denied(bool);

impl Denied {
    async fn look(&mut self, watch: &mut QueueWatch) -> Option<BTreeMap<String, u64>> {
        let counted = watch.look().await;
        let before = std::mem::replace(&mut self.0, matches!(counted, Err(BusError::Denied(_))));
        match counted {
            Ok(counted) => return Some(counted),
            Err(BusError::Denied(error)) if !before => tracing::warn!(
                error,
                "queued turns not counted, as this user of NATS may not look at them; the metric agon_turns_queued is missing"
            ),
            Err(error) => tracing::debug!(%error, "queued turns not counted"),
        }
        None
    }
}
