//! Finds the debates that somebody had claimed and nobody plays: those of nodes that died, and those that were handed over or resumed.
//! Who takes which is agreed on without a word; a wrong guess is harmless, because logs are fenced.
use crate::base::catalogue;
use crate::base::shared::Shared;
use crate::base::trouble::Trouble;
use crate::cluster::Life;
use agon_core::{DebateId, NodeId};
use agon_proto::{DebateSummary, SummaryState};
use agon_store::StoreError;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;
use tokio::time::Instant;

/// How often is looked whether a node has died, and the shortest time between two looks into the catalogue.
const LOOK: Duration = Duration::from_millis(200);

/// Wakes the consumer of jobs when a node has died, and once all who live should have been heard, until the owner is gone.
pub(crate) async fn watch_deaths(shared: Shared) {
    let (mut before, mut knew) = (BTreeSet::new(), false);
    loop {
        tokio::time::sleep(LOOK).await;
        let now = Instant::now();
        let (dead, knows) = (shared.peers.dead(now).into_iter().collect(), shared.peers.knows(now));
        if !BTreeSet::is_subset(&dead, &before) || (knows && !knew) {
            shared.job_ready.notify_one();
        }
        (before, knew) = (dead, knows);
    }
}

/// Since when debates are seen without an owner, by the clock of this process.
#[derive(Debug, Default)]
pub(crate) struct LeftSince(BTreeMap<DebateId, Instant>);

impl LeftSince {
    /// Takes in those that are left now; which of them have been for so long.
    pub(crate) fn look(&mut self, left: Vec<DebateId>, now: Instant, long: Duration) -> BTreeSet<DebateId> {
        let before = std::mem::take(&mut self.0);
        let since = |debate: DebateId| (before.get(&debate).copied().unwrap_or(now), debate);
        self.0 = left.into_iter().map(since).map(|(since, debate)| (debate, since)).collect();
        let late = self.0.iter().filter(|(_, since)| now.duration_since(**since) >= long);
        late.map(|(debate, _)| debate.clone()).collect()
    }
}

/// The debates that this node is to take over.
pub(crate) struct Orphans {
    shared: Shared,
    /// When the catalogue was last looked at.
    looked: Option<Instant>,
    /// It was asked for again too soon after that.
    again: bool,
    since: LeftSince,
    /// When this node took a debate over that it may not have kept.
    taken: BTreeMap<DebateId, Instant>,
    waiting: VecDeque<DebateId>,
    trouble: Trouble,
}

impl Orphans {
    pub(crate) fn new(shared: Shared) -> Self {
        let (since, taken, waiting) = (LeftSince::default(), BTreeMap::new(), VecDeque::new());
        Self { shared, looked: None, again: false, since, taken, waiting, trouble: Trouble::default() }
    }

    /// The next one, if there is one. A catalogue that does not answer has none.
    pub(crate) async fn next(&mut self) -> Option<DebateSummary> {
        let looked = self.look().await;
        self.trouble.tell(
            &looked,
            |error| tracing::warn!(%error, "debates that nobody plays cannot be found"),
            |after| tracing::info!(after, "debates that nobody plays are found again"),
        );
        while let Some(debate) = self.waiting.pop_front() {
            if self.shared.owned.has(&debate) {
                continue;
            }
            // it may have been taken since the look
            if let Some(summary) = catalogue::known(&self.shared, &debate).await
                && is_left(&self.shared, &summary)
                && !self.is_lost(&summary).await
            {
                self.taken.insert(debate, Instant::now());
                return Some(summary);
            }
        }
        None
    }

    /// How long to wait before the next one is asked for: until the catalogue may be looked at again where that is due.
    pub(crate) fn pause(&self, usual: Duration) -> Duration {
        if self.again { LOOK } else { usual }
    }

    async fn look(&mut self) -> Result<(), StoreError> {
        let (shared, now) = (self.shared.clone(), Instant::now());
        // who is alone leaves nothing behind but at its end, and what its catalogue misses until a sweep
        let rest = if shared.config.embedded { shared.config.times.sweep } else { LOOK };
        let rests = self.looked.is_some_and(|at| now.duration_since(at) < rest);
        self.again = rests && !shared.config.embedded;
        if rests {
            return Ok(());
        }
        let is_gone = |owner: &NodeId| is_gone(&shared, owner);
        let left = shared.in_time(shared.catalogue.left(&is_gone)).await?;
        self.looked = Some(now);
        let again = shared.config.times.job_lease;
        self.taken.retain(|_, at| now.duration_since(*at) < again);
        let late = self.since.look(left, now, shared.config.times.heartbeat * 2);
        let mine = |debate: &&DebateId| late.contains(*debate) || is_heir(&shared, debate);
        let waits = |debate: &&DebateId| mine(debate) && !self.taken.contains_key(*debate) && !shared.owned.has(debate);
        self.waiting = self.since.0.keys().filter(waits).cloned().collect();
        Ok(())
    }

    /// Whether its log is gone: it is left alone.
    async fn is_lost(&self, summary: &DebateSummary) -> bool {
        let Some(upkeep) = &self.shared.upkeep else { return false };
        self.shared.in_time(upkeep.is_lost(&summary.id, summary.admitted)).await.unwrap_or(false)
    }
}

/// Whether somebody had claimed the debate and nobody plays it.
pub(crate) fn is_left(shared: &Shared, summary: &DebateSummary) -> bool {
    match &summary.state {
        SummaryState::Queued => summary.epoch > 0,
        SummaryState::Running { owner } => is_gone(shared, owner),
        SummaryState::Local | SummaryState::Halted(_) | SummaryState::Ended { .. } => false,
    }
}

/// Of the one process that serves a store, every other one is gone.
fn is_gone(shared: &Shared, owner: &NodeId) -> bool {
    let config = &shared.config;
    *owner != config.id && (config.embedded || shared.peers.life(owner, Instant::now()) == Life::Dead)
}

/// Whether this node is the one to take a debate over. Those for which its heir has no room are taken by whoever has some.
pub(crate) fn is_heir(shared: &Shared, debate: &DebateId) -> bool {
    shared.config.embedded || shared.peers.heir(debate, Instant::now()).is_some_and(|heir| heir == shared.config.id)
}
