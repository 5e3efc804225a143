//! Which evals a node drives: those that nobody drives, as many as it may.
//!
//! Who drives an eval stands in its log. A node whose signs of life are missing has lost its evals to the first that claims them; a wrong
//! guess is harmless, because the log is fenced.
use super::cluster_holder::ClusterHolder;
use super::driver::{DriverConfig, DriverState, EvalDriver};
use super::log::{EvalLogError, read_eval};
use crate::base::tasks::{Awaited, Tasks};
use crate::base::trouble::Trouble;
use crate::cluster::Life;
use crate::node::Node;
use crate::room::{DebateRoom, RoomLimits};
use agon_core::{DebateId, NodeId, RetryPolicy};
use agon_eval::{EvalCard, TemplateSpecs, facts, is_decided};
use agon_store::{EvalHead, EvalLogs, StoreError, Upkeep};
use futures_util::future::join_all;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long drivers may take to stop.
const STOP_PATIENCE: Duration = Duration::from_secs(5);

/// What a keeper of evals is told at its start.
#[derive(Clone)]
pub struct EvalKeeperConfig {
    /// Where the logs of evals are.
    pub logs: Arc<dyn EvalLogs>,
    /// The logs of debates as a whole.
    pub upkeep: Arc<dyn Upkeep>,
    /// So many evals are driven here at once.
    pub evals: NonZeroUsize,
    /// So many cells of each are held at once.
    pub concurrency: NonZeroUsize,
    /// Where these are refused, cells wait.
    pub limits: RoomLimits,
    /// How failed tries of their turns follow each other.
    pub retry: RetryPolicy,
}

/// Drives evals at a node.
pub struct EvalKeeper {
    stop: CancellationToken,
    tasks: Tasks,
    life: Awaited<()>,
}

impl EvalKeeper {
    /// Looks for evals from now on.
    pub fn start(node: Arc<Node>, config: EvalKeeperConfig) -> Self {
        let (tasks, stop) = (Tasks::default(), CancellationToken::new());
        let catalogue = node.shared().catalogue.clone();
        let room = Arc::new(DebateRoom::new(catalogue, config.upkeep.clone(), config.limits));
        let state = State {
            node,
            config,
            room,
            driven: BTreeMap::new(),
            paused: BTreeMap::new(),
            full: false,
            known: BTreeSet::new(),
            blind: false,
        };
        let life = tasks.run(state.run(stop.clone()));
        Self { stop, tasks, life }
    }

    /// Gives the evals up: what is open goes on, and others drive it. False when something did not end.
    pub async fn stop(self) -> bool {
        self.stop.cancel();
        let ended = tokio::time::timeout(STOP_PATIENCE, self.life).await.is_ok();
        self.tasks.join(STOP_PATIENCE).await && ended
    }
}

struct State {
    node: Arc<Node>,
    config: EvalKeeperConfig,
    room: Arc<DebateRoom>,
    driven: BTreeMap<DebateId, EvalDriver>,
    /// Evals that could not go on here: until when they are left, and how long that is.
    paused: BTreeMap<DebateId, (Instant, Duration)>,
    /// Whether there was no room for the logs of evals at the last look.
    full: bool,
    /// The evals that had not ended at the last look that succeeded.
    known: BTreeSet<DebateId>,
    /// Whether a look has failed since.
    blind: bool,
}

impl State {
    async fn run(mut self, stop: CancellationToken) {
        let mut trouble = Trouble::default();
        while !stop.is_cancelled() {
            let looked = self.look().await;
            self.blind |= looked.is_err();
            trouble.tell(
                &looked,
                |error| tracing::warn!(%error, "evals cannot be looked for"),
                |after| tracing::info!(after, "evals are looked for again"),
            );
            let shared = self.node.shared();
            tokio::select! {
                biased;
                () = stop.cancelled() => {}
                () = shared.eval_changed.notified() => {}
                () = tokio::time::sleep(shared.config.times.job_poll) => {}
            }
        }
        join_all(std::mem::take(&mut self.driven).into_values().map(EvalDriver::stop)).await;
    }

    async fn look(&mut self) -> Result<(), StoreError> {
        let open = self.node.shared().in_time(self.config.logs.open_evals()).await?;
        self.tell_lost(&open).await?;
        self.let_go(&open.iter().map(|head| &head.id).collect()).await;
        if self.has_room() {
            self.take_free(open).await;
        }
        self.node.shared().observer.evals_active(self.driven.len());
        Ok(())
    }

    async fn take_free(&mut self, open: Vec<EvalHead>) {
        for head in open {
            if self.driven.len() < self.config.evals.get() && self.is_free(&head) {
                self.take(&head).await;
            }
        }
    }

    /// Names the evals whose logs are gone since the store could not be read: whoever deletes one in order ends it first, and that is
    /// seen.
    async fn tell_lost(&mut self, open: &[EvalHead]) -> Result<(), StoreError> {
        if self.blind {
            for eval in self.known.iter().filter(|eval| open.iter().all(|head| head.id != **eval)) {
                if self.node.shared().in_time(self.config.logs.eval_head(eval)).await?.is_none() {
                    tracing::error!(%eval, "the log of an eval is lost, with those of all evals that had ended");
                }
            }
        }
        (self.known, self.blind) = (open.iter().map(|head| head.id.clone()).collect(), false);
        Ok(())
    }

    /// Whether evals can go on. Where there was no room and now is, those that waited for it go on at once.
    fn has_room(&mut self) -> bool {
        let full = !self.config.upkeep.condition().evals_full.is_empty();
        if std::mem::replace(&mut self.full, full) && !full {
            self.paused.clear();
        }
        !full
    }

    /// Lets go of evals that are over, here or elsewhere.
    async fn let_go(&mut self, open: &BTreeSet<&DebateId>) {
        let mut over = Vec::new();
        for (eval, driver) in &self.driven {
            match &driver.updates().borrow().state {
                DriverState::Running if open.contains(eval) => {}
                DriverState::Running => driver.withdraw(),
                DriverState::Ended => over.push((eval.clone(), None)),
                DriverState::Failed(why) => over.push((eval.clone(), Some(why.clone()))),
            }
        }
        for (eval, failed) in over {
            if let Some(driver) = self.driven.remove(&eval) {
                driver.stop().await;
            }
            match failed.filter(|_| open.contains(&eval)) {
                Some(why) => self.pause(&eval, &why),
                None => tracing::info!(%eval, "eval is over"),
            }
        }
        self.paused.retain(|eval, _| open.contains(eval));
    }

    /// Leaves an eval for a while.
    fn pause(&mut self, eval: &DebateId, why: &str) {
        let times = &self.node.shared().config.times;
        let pause = self.paused.get(eval).map_or(times.park, |(_, pause)| (*pause * 2).min(times.park_max));
        tracing::warn!(%eval, why, pause_ms = pause.as_millis(), "eval cannot go on here");
        self.paused.insert(eval.clone(), (Instant::now() + pause, pause));
    }

    /// Whether nobody drives an eval, or nobody who lives.
    fn is_free(&self, head: &EvalHead) -> bool {
        let now = Instant::now();
        if self.driven.contains_key(&head.id) || self.paused.get(&head.id).is_some_and(|(until, _)| *until > now) {
            return false;
        }
        let card: EvalCard = serde_json::from_slice(&head.card).unwrap_or_default();
        let shared = self.node.shared();
        let Some(driver) = card.driver.map(NodeId::new) else { return true };
        driver == shared.config.id
            || !shared.config.has_peers()
            || matches!(shared.peers.life(&driver, now), Life::Dead | Life::Leaving)
    }

    async fn take(&mut self, head: &EvalHead) {
        match self.driver(head).await {
            Ok(Some(driver)) => {
                tracing::info!(eval = %head.id, "eval is driven here");
                self.driven.insert(head.id.clone(), driver);
            }
            Ok(None) => {}
            Err(why) => self.pause(&head.id, &why),
        }
    }

    /// A driver of the eval; nothing if somebody else was faster.
    async fn driver(&self, head: &EvalHead) -> Result<Option<EvalDriver>, String> {
        let logs = &self.config.logs;
        let eval = match read_eval(&**logs, &head.id).await {
            Ok(eval) if eval.records == head.records => eval,
            Ok(_) | Err(EvalLogError::Unknown(_)) => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let (shared, admission) = (self.node.shared(), eval.machine.admission());
        let specs = TemplateSpecs::of(admission)?;
        let holder = ClusterHolder {
            node: self.node.clone(),
            upkeep: self.config.upkeep.clone(),
            room: self.room.clone(),
            retry: self.config.retry,
            eval: admission.id.clone(),
            tenant: head.id.tenant(),
        };
        let config = DriverConfig {
            writer: shared.config.id.to_string(),
            concurrency: self.config.concurrency,
            peek: false,
            logs: logs.clone(),
            holder: Arc::new(holder),
            specs: Arc::new(specs),
            facts,
            decided: is_decided,
            clock: shared.clock.clone(),
            observer: shared.observer.clone(),
        };
        EvalDriver::start(config, eval).await.map(Some).map_err(|error| error.to_string())
    }
}
