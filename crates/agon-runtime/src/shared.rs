//! What all actors of a node share: settings, ports, tasks. No state of any debate.
use crate::clock::Clock;
use crate::config::{NodeConfig, Ports};
use crate::directory::Directory;
use crate::held::HeldDebates;
use crate::tasks::Tasks;
use agon_bus::Bus;
use agon_core::DebateId;
use agon_store::{Jobs, Journal, Registers};
use bytes::Bytes;
use std::sync::Arc;
use tokio::sync::{Notify, Semaphore};

/// The node's common ground.
pub(crate) type Shared = Arc<Common>;

pub(crate) struct Common {
    pub(crate) config: NodeConfig,
    pub(crate) bus: Arc<dyn Bus>,
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) registers: Arc<dyn Registers>,
    pub(crate) jobs: Arc<dyn Jobs>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) tasks: Tasks,
    pub(crate) directory: Directory,
    pub(crate) held: HeldDebates,
    /// Places for debates; closed when no more are taken.
    pub(crate) room_for_debates: Arc<Semaphore>,
    /// A job may be there.
    pub(crate) job_ready: Notify,
}

impl Common {
    pub(crate) fn new(config: NodeConfig, ports: &Ports) -> Self {
        Self {
            bus: ports.bus.clone(),
            journal: ports.journal.clone(),
            registers: ports.registers.clone(),
            jobs: ports.jobs.clone(),
            clock: ports.clock.clone(),
            tasks: Tasks::default(),
            directory: Directory::new(&ports.hosts),
            held: HeldDebates::default(),
            room_for_debates: Arc::new(Semaphore::new(config.max_debates)),
            job_ready: Notify::new(),
            config,
        }
    }

    /// Sends a hint about a debate. A lost hint only costs time, so a failure is not the sender's trouble.
    pub(crate) async fn hint(&self, debate: &DebateId, payload: Bytes) {
        if let Err(error) = self.bus.publish(&crate::subjects::hints(debate), payload).await {
            tracing::debug!(%debate, %error, "hint lost");
        }
    }
}
