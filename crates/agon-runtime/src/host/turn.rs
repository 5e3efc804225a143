//! One turn from its taking to its result in the register. The body of the task that a participant starts.
use crate::base::shared::Shared;
use crate::base::trouble::Trouble;
use crate::host::host_state::{Answerer, HostState};
use crate::host::open_turns::{OpenTurns, TakenTurn};
use crate::host::read_ahead::ReadAhead;
use crate::host::replica::Replica;
use crate::host::turn::turn_report::TurnReport;
use agon_bus::Delivery;
use agon_core::{Call, Failure, FailureCause, TurnResult};
use agon_proto::{Hint, TurnDecided, TurnReturned};
use agon_store::StoreError;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

mod answer;
mod ask;
mod checked;
mod cut;
mod deltas;
mod measure;
pub(crate) mod seat;
mod sinks;
mod tooled;
pub(crate) mod turn_report;

/// What playing a turn needs.
#[derive(Clone)]
pub(crate) struct Play {
    pub(crate) shared: Shared,
    pub(crate) host_state: Arc<HostState>,
    pub(crate) replica: Arc<Replica>,
    pub(crate) open: Arc<OpenTurns>,
    pub(crate) work: Arc<TakenTurn>,
    /// What models have read before their turns, where they do.
    pub(crate) ahead: Option<Arc<ReadAhead>>,
}

enum PlayEnd {
    /// The register is decided, by this host or against it.
    Decided,
    /// Another host shall take the turn.
    Elsewhere(Unplayed),
}

/// Why this host does not play a turn to its end.
#[derive(Clone, Copy)]
enum Unplayed {
    /// It is not well, or it stops.
    Unable,
    /// It lacks a tool or verifier that another host has.
    Lacking,
    /// It may not: models speak here and the debate is a rehearsal, or the other way round.
    Misplaced,
}

/// Why a turn has no answer from here.
enum NoAnswer {
    Failed(Failure),
    Left(Unplayed),
}
impl From<Failure> for NoAnswer {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// The first and the longest pause between two tries to reach a store.
const STORE_PAUSE: Duration = Duration::from_millis(100);
const STORE_PAUSE_MAX: Duration = Duration::from_secs(5);

/// How long a turn rests in its queue that was pulled by a host which lacks a tool for it: the same host may pull it again.
const LACKING_PAUSE: Duration = Duration::from_secs(1);

impl Play {
    /// Plays the turn and ends it everywhere.
    pub(crate) async fn run(&self) {
        let _playing = self.shared.directory.playing();
        let done = tokio::select! {
            biased;
            done = self.play() => done,
            () = self.retreat() => PlayEnd::Elsewhere(Unplayed::Unable),
        };
        self.open.remove(self.work.ask.turn);
        match done {
            PlayEnd::Decided => self.finish().await,
            PlayEnd::Elsewhere(why) => self.hand_back(why).await,
        }
    }

    /// Returns when the turn is to be given back unfinished: a process that ends waits for models, not for those outside.
    async fn retreat(&self) {
        let directory = &self.shared.directory;
        let mut signal = match &self.host_state.player {
            Answerer::Server(_) => directory.retreating(),
            Answerer::Seats => directory.draining(&self.host_state.id),
        };
        if signal.wait_for(|now| *now).await.is_err() {
            std::future::pending().await
        }
    }

    /// Decides the register with a failure of this side.
    pub(crate) async fn fail(&self, detail: &str) {
        let failure = Failure::new(FailureCause::Internal, detail);
        let call = Box::new(Call { host: Some(self.host_state.id.to_string()), ..Call::default() });
        let result = TurnResult::Failed { failure, call };
        let won = self.commit(&result).await;
        TurnReport::new(self).over(&result, won);
        self.open.remove(self.work.ask.turn);
        self.finish().await;
    }

    async fn play(&self) -> PlayEnd {
        // between machines even a first offer may come long after it was sent, when another host has played the turn
        let fresh = !self.work.may_be_decided() && self.shared.config.embedded;
        if !fresh && self.is_decided().await {
            return PlayEnd::Decided;
        }
        let told = TurnReport::new(self);
        tokio::select! {
            biased;
            () = self.overtaken() => {
                told.overtaken();
                PlayEnd::Decided
            }
            done = self.generate_and_commit(&told) => done,
        }
    }

    async fn generate_and_commit(&self, told: &TurnReport<'_>) -> PlayEnd {
        match self.generate(told).await {
            Ok(result) => {
                let won = self.commit(&result).await;
                told.over(&result, won);
                PlayEnd::Decided
            }
            Err(why) => PlayEnd::Elsewhere(why),
        }
    }

    /// Keeps the turn's leases, and returns when its register was decided against this host.
    async fn overtaken(&self) {
        loop {
            let pause = tokio::time::sleep(self.shared.config.times.turn_check);
            let doubted = tokio::select! {
                biased;
                () = pause => false,
                () = self.work.doubted.notified() => true,
            };
            for delivery in self.work.deliveries() {
                if let Err(error) = delivery.extend().await {
                    tracing::debug!(debate = %self.work.debate, %error, "lease of a turn not extended");
                }
            }
            if !doubted && self.work.waits_wanted(self.wanted_for()) {
                continue;
            }
            if self.is_decided().await {
                tracing::info!(debate = %self.work.debate, turn = %self.work.ask.turn, "turn decided elsewhere, aborted");
                return;
            }
        }
    }

    /// For how long a turn that waits is wanted after its owner has said so.
    fn wanted_for(&self) -> Duration {
        let times = &self.shared.config.times;
        times.register_look_max + times.turn_check
    }

    /// Whether the register is decided. A store that cannot be read is asked again until the turn's deadline.
    async fn is_decided(&self) -> bool {
        let read = || self.shared.registers.get(&self.work.debate, self.work.ask.turn);
        self.until_late("register not read", read).await.is_none_or(|result| result.is_some())
    }

    /// Writes the result unless the register is decided, and says whether it did. A result is not given up before the
    /// turn's deadline.
    async fn commit(&self, result: &TurnResult) -> Option<bool> {
        let (debate, turn) = (&self.work.debate, self.work.ask.turn);
        let write = || self.shared.registers.decide(debate, turn, result.clone());
        let won = self.until_late("register not written", write).await?.won;
        tracing::debug!(%debate, %turn, won, "result offered to the register");
        Some(won)
    }

    /// Asks the store until it answers, or until the turn's deadline: after that the coordinator decides the register.
    async fn until_late<T, F>(&self, trouble_is: &'static str, ask: impl Fn() -> F) -> Option<T>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        let (mut pause, mut trouble) = (STORE_PAUSE, Trouble::default());
        loop {
            match ask().await {
                Ok(answer) => return Some(answer),
                Err(error) if trouble.is_news() => {
                    tracing::warn!(debate = %self.work.debate, %error, "{trouble_is}");
                }
                Err(_) => {}
            }
            if self.work.left().is_zero() {
                return None;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(STORE_PAUSE_MAX);
        }
    }

    /// The result first, then the hint, then the queue: a crash in between costs a look at the register.
    async fn finish(&self) {
        let (debate, turn) = (&self.work.debate, self.work.ask.turn);
        if let Some(owner) = self.work.owner() {
            let decided = TurnDecided { debate: debate.clone(), turn };
            self.shared.hint_node(&owner, Hint::TurnDecided(decided)).await;
        }
        self.acknowledge(&self.work.deliveries()).await;
    }

    async fn hand_back(&self, why: Unplayed) {
        let deliveries = self.work.deliveries();
        match why {
            Unplayed::Unable if !deliveries.is_empty() => self.release(&deliveries, Duration::ZERO).await,
            Unplayed::Lacking if !deliveries.is_empty() => self.release(&deliveries, LACKING_PAUSE).await,
            Unplayed::Unable | Unplayed::Lacking => self.give_back().await,
            Unplayed::Misplaced => {
                tracing::error!(debate = %self.work.debate, host = %self.host_state.id, "a rehearsal and models do not mix, turn given back");
                self.give_back().await;
                self.acknowledge(&deliveries).await;
            }
        }
    }

    /// Tells the owner, who alone puts turns into queues. Should that get lost, the owner offers the turn again by itself.
    async fn give_back(&self) {
        let (debate, turn, host) = (self.work.debate.clone(), self.work.ask.turn, self.host_state.id.clone());
        match self.work.owner() {
            Some(owner) => {
                self.shared.hint_node(&owner, Hint::TurnReturned(TurnReturned { debate, turn, host })).await;
            }
            None => tracing::warn!(%debate, %turn, "the owner of a turn is not known, it will be offered again"),
        }
    }

    async fn release(&self, deliveries: &[Arc<dyn Delivery>], pause: Duration) {
        for delivery in deliveries {
            if let Err(error) = delivery.nak(pause).await {
                tracing::debug!(debate = %self.work.debate, %error, "turn not given back, its lease will run out");
            }
        }
    }

    async fn acknowledge(&self, deliveries: &[Arc<dyn Delivery>]) {
        for delivery in deliveries {
            if let Err(error) = delivery.ack().await {
                tracing::debug!(debate = %self.work.debate, %error, "turn not acknowledged, it will come again");
            }
        }
    }
}
