//! Takes over the debates of nodes that died. Who takes which is agreed on without a word; a wrong guess is harmless,
//! because logs are fenced.
use crate::base::shared::Shared;
use crate::base::tasks::tell;
use crate::base::trouble::Trouble;
use crate::cluster::Life;
use crate::owner::coordinators::Msg;
use agon_core::NodeId;
use agon_proto::{DebateSummary, SummaryState};
use agon_store::StoreError;
use ractor::ActorRef;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::Instant;

/// How often is looked whether a node has died.
const LOOK: Duration = Duration::from_millis(200);

pub(crate) struct Takeover {
    pub(crate) shared: Shared,
    pub(crate) target: ActorRef<Msg>,
}

impl Takeover {
    /// Runs until no more debates are to be taken, or its owner is gone.
    pub(crate) async fn run(&self) {
        let mut buried: BTreeSet<NodeId> = BTreeSet::new();
        let (mut began, mut trouble) = (false, Trouble::default());
        while !self.shared.room_for_debates.is_closed() {
            tokio::time::sleep(LOOK).await;
            let now = Instant::now();
            let dead: BTreeSet<NodeId> = self.shared.peers.dead(now).into_iter().collect();
            // those that died before anybody here listened are in the catalogue alone
            let first = !began && self.shared.peers.knows(now);
            if !first && dead.is_subset(&buried) {
                // one that comes back may die again
                buried = dead;
                continue;
            }
            let inherited = self.inherit().await;
            trouble.tell(
                &inherited,
                |error| tracing::warn!(%error, "the debates of dead nodes cannot be found"),
                |after| tracing::info!(after, "the debates of dead nodes are found again"),
            );
            if inherited.is_ok() {
                (buried, began) = (dead, began || first);
            }
        }
    }

    async fn inherit(&self) -> Result<(), StoreError> {
        let orphans = self.shared.in_time(self.shared.catalogue.unfinished()).await?;
        let mut left = Vec::new();
        for orphan in orphans.into_iter().filter(|summary| self.is_orphan(summary)) {
            let here =
                self.shared.peers.heir(&orphan.id, Instant::now()).is_some_and(|heir| heir == self.shared.config.id);
            if here && !self.shared.owned.has(&orphan.id) && !self.adopt(&orphan) {
                left.push(orphan);
            }
        }
        for orphan in left {
            self.shared.in_time(self.shared.jobs.enqueue(&orphan.id, orphan.priority)).await?;
            self.shared.hint_ready(&orphan.id, orphan.priority).await;
        }
        Ok(())
    }

    fn is_orphan(&self, summary: &DebateSummary) -> bool {
        match &summary.state {
            SummaryState::Running { owner } => {
                *owner != self.shared.config.id && self.shared.peers.life(owner, Instant::now()) == Life::Dead
            }
            SummaryState::Queued | SummaryState::Local | SummaryState::Halted(_) | SummaryState::Ended { .. } => false,
        }
    }

    /// False when there is no room.
    fn adopt(&self, orphan: &DebateSummary) -> bool {
        let Ok(place) = self.shared.room_for_debates.clone().try_acquire_owned() else { return false };
        tracing::info!(debate = %orphan.id, "taking over the debate of a node that is gone");
        tell(&self.target, Msg::TakeOver { debate: orphan.id.clone(), place });
        true
    }
}
