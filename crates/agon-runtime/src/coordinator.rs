//! The coordinator of one debate: the shell around its pure machine, and the sole writer of its log.
//!
//! Journal first, then memory, then effects: after a crash between any two steps the log is folded again and what is
//! outstanding is performed. Every effect may be done twice.
use crate::agenda::{Agenda, Pauses};
use crate::offer::Offered;
use crate::shared::Shared;
use crate::tasks::Scope;
use crate::{ledger, replay, wire};
use agon_core::{
    Debate, DebateId, Effect, HostId, Input, ModelName, Reason, ReasonCode, Timestamp, TurnId, TurnResult,
};
use agon_store::{AppendError, StoreError};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::task::AbortHandle;

mod turns;

pub(crate) enum Msg {
    /// A turn's register may be decided.
    Look(TurnId),
    /// Hints were lost: any register may be decided.
    LookAround,
    /// Something is due.
    Tick,
    /// What became of an offer.
    Offered { turn: TurnId, offered: Offered },
    /// Somebody wants the debate ended.
    Cancel { reason: String },
    /// Say that you live.
    Ping,
    /// Hand the debate over.
    Drain,
    /// Somebody else has the job.
    Lost,
    #[cfg(any(test, feature = "test-hooks"))]
    Crash(crate::hooks::Death),
}

/// Why a coordinator stopped of its own will.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The debate is over.
    Finished,
    /// Another coordinator has taken the debate over.
    Fenced,
    /// It was asked to hand the debate over.
    HandedOver,
    /// There is no such debate.
    Unknown,
}

/// What stops a coordinator's work.
#[derive(Debug, thiserror::Error)]
enum Stop {
    #[error("the coordinator is done")]
    Ended(End),
    #[error(transparent)]
    Append(AppendError),
    #[error(transparent)]
    Store(#[from] StoreError),
}
impl From<AppendError> for Stop {
    fn from(error: AppendError) -> Self {
        match error {
            AppendError::Fenced { .. } => Self::Ended(End::Fenced),
            AppendError::Unsure(_) | AppendError::Store(_) => Self::Append(error),
        }
    }
}

pub(crate) struct Args {
    pub(crate) shared: Shared,
    pub(crate) debate: DebateId,
    /// Where it says why it stopped. Not a message: its supervisor hears of an exit before any message.
    pub(crate) end: Arc<OnceLock<End>>,
    /// Pings that were not answered.
    pub(crate) unanswered: Arc<AtomicU64>,
    /// The debate is to be ended for this reason, as soon as it is claimed.
    pub(crate) orders: Option<Input>,
}

pub(crate) struct State {
    shared: Shared,
    id: DebateId,
    end: Arc<OnceLock<End>>,
    unanswered: Arc<AtomicU64>,
    orders: Option<Input>,
    scope: Scope,
    /// Present once the log has been replayed.
    debate: Option<Debate>,
    last_at: Timestamp,
    /// The turns that were open before this coordinator came.
    inherited: Vec<TurnId>,
    agenda: Agenda,
    /// Where this debate's prompts for a model were last evaluated.
    warm: BTreeMap<ModelName, HostId>,
    alarm: Option<(Timestamp, AbortHandle)>,
}

pub(crate) struct Coordinator;

impl Actor for Coordinator {
    type Msg = Msg;
    type State = State;
    type Arguments = Args;

    async fn pre_start(&self, _: ActorRef<Msg>, args: Args) -> Result<State, ActorProcessingErr> {
        let Args { shared, debate, end, unanswered, orders } = args;
        let times = &shared.config.times;
        let pauses = Pauses {
            look: millis(times.register_look),
            look_max: millis(times.register_look_max),
            offer: millis(times.reoffer_after),
        };
        Ok(State {
            scope: shared.tasks.scope(),
            agenda: Agenda::new(pauses),
            id: debate,
            end,
            unanswered,
            orders,
            debate: None,
            last_at: Timestamp::default(),
            inherited: Vec::new(),
            warm: BTreeMap::new(),
            alarm: None,
            shared,
        })
    }

    /// Replays and claims. Here and not in `pre_start`, whose failures no supervisor is told of.
    async fn post_start(&self, myself: ActorRef<Msg>, state: &mut State) -> Result<(), ActorProcessingErr> {
        let begun = state.begin(&myself).await;
        state.settle(&myself, begun)
    }

    async fn handle(&self, myself: ActorRef<Msg>, msg: Msg, state: &mut State) -> Result<(), ActorProcessingErr> {
        let done = match msg {
            Msg::Look(turn) => state.look(&myself, turn).await,
            Msg::LookAround => state.look_around(&myself).await,
            Msg::Tick => state.on_due(&myself).await,
            Msg::Offered { turn, offered } => state.on_offered(&myself, turn, offered).await,
            Msg::Cancel { reason } => state.on_input(&myself, Input::Cancel { reason }).await,
            Msg::Ping => state.pong(),
            Msg::Drain => Err(Stop::Ended(End::HandedOver)),
            Msg::Lost => Err(Stop::Ended(End::Fenced)),
            #[cfg(any(test, feature = "test-hooks"))]
            Msg::Crash(death) => return death.happen(),
        };
        state.settle(&myself, done)
    }
}

impl State {
    async fn begin(&mut self, myself: &ActorRef<Msg>) -> Result<(), Stop> {
        let records = self.shared.journal.read(&self.id, agon_core::Position(0)).await?;
        let Some(debate) = Debate::fold(records.iter().map(Arc::as_ref)) else { return Err(Stop::Ended(End::Unknown)) };
        self.last_at = records.last().map_or(self.last_at, |record| record.at);
        self.inherited = replay::open_turns(&records);
        self.warm = replay::placements(&records);
        let ended = debate.ended().is_some();
        self.debate = Some(debate);
        if ended {
            let open = std::mem::take(&mut self.inherited);
            return self.finish(open).await;
        }
        let fruitless = replay::claims_without_progress(&records);
        let decided = self.decided_before().await?;
        self.step(Input::Claim { writer: self.shared.config.id.clone() }).await?;
        if fruitless.saturating_add(1) >= self.shared.config.claims_without_progress {
            let detail = format!("{} claims in a row brought nothing", fruitless.saturating_add(1));
            let reason = Reason::with(ReasonCode::Poison, detail);
            return self.on_input(myself, Input::GiveUp { reason }).await;
        }
        if let Some(input) = self.orders.take() {
            self.step(input).await?;
        }
        for (turn, result) in decided {
            self.step(Input::TurnDecided { turn, result }).await?;
        }
        self.perform(myself).await
    }

    /// The turns that were decided while nobody owned the debate. Looked at before any is offered again.
    async fn decided_before(&self) -> Result<Vec<(TurnId, TurnResult)>, StoreError> {
        let mut decided = Vec::new();
        for turn in &self.inherited {
            if let Some(result) = self.shared.registers.get(&self.id, *turn).await? {
                decided.push((*turn, (*result).clone()));
            }
        }
        Ok(decided)
    }

    /// Expected ends stop the actor and tell its supervisor; anything else fails it, and it is rebuilt from the journal.
    fn settle(&mut self, myself: &ActorRef<Msg>, done: Result<(), Stop>) -> Result<(), ActorProcessingErr> {
        match done {
            Ok(()) => {
                self.set_alarm(myself);
                Ok(())
            }
            Err(Stop::Ended(end)) => {
                tracing::info!(debate = %self.id, ?end, "coordinator stops");
                self.end.get_or_init(|| end);
                self.debate = None;
                myself.stop(None);
                Ok(())
            }
            Err(error @ (Stop::Append(_) | Stop::Store(_))) => Err(error.into()),
        }
    }

    async fn on_input(&mut self, myself: &ActorRef<Msg>, input: Input) -> Result<(), Stop> {
        if self.step(input).await? { self.perform(myself).await } else { Ok(()) }
    }

    /// Decides, appends, applies. False when the machine has no use for the input.
    async fn step(&mut self, input: Input) -> Result<bool, Stop> {
        let Some(debate) = self.debate.as_mut() else { return Ok(false) };
        // the log's time never runs backwards, whatever the clock does
        let at = self.shared.clock.now().max(self.last_at);
        let events = match debate.decide(at, input) {
            Ok(events) => events,
            Err(rejection) => {
                tracing::debug!(debate = %self.id, %rejection, "input ignored");
                return Ok(false);
            }
        };
        if events.is_empty() {
            return Ok(false);
        }
        let record = debate.record(at, rand::random(), events);
        let record = ledger::append(&*self.shared.journal, &self.id, &record).await?;
        debate.apply_record(&record);
        self.last_at = at;
        self.announce(record.last()).await;
        Ok(true)
    }

    async fn announce(&self, last: agon_core::Position) {
        if self.shared.bus.may_have_listeners(&crate::subjects::hints(&self.id)) {
            self.shared.hint(&self.id, wire::log_advanced(&self.id, last)).await;
        }
    }

    /// Performs what is outstanding and not yet under way.
    async fn perform(&mut self, myself: &ActorRef<Msg>) -> Result<(), Stop> {
        let Some(debate) = self.debate.as_ref() else { return Ok(()) };
        let now = self.shared.clock.now();
        let (mut asked, mut retries, mut fresh, mut finished) = (Vec::new(), BTreeMap::new(), Vec::new(), false);
        for effect in debate.outstanding() {
            match effect {
                Effect::Ask(ask) => {
                    asked.push(ask.turn);
                    if self.agenda.open(now, &ask) {
                        fresh.push(ask.turn);
                    }
                }
                Effect::WakeAt { at, turn } => drop(retries.insert(turn, at)),
                Effect::Finish => finished = true,
            }
        }
        let gone = self.agenda.keep(&asked, retries);
        fresh.iter().for_each(|turn| self.offer(myself, *turn, !self.inherited.contains(turn)));
        if finished { self.finish(gone).await } else { Ok(()) }
    }

    /// Withdraws what is still asked, so that nobody generates for a debate that is over.
    async fn finish(&mut self, open: Vec<TurnId>) -> Result<(), Stop> {
        for turn in open {
            let decision = self.shared.registers.decide(&self.id, turn, TurnResult::Withdrawn).await?;
            if decision.won {
                self.shared.hint(&self.id, wire::cancel_turn(&self.id, turn)).await;
            }
        }
        self.shared.hint(&self.id, wire::cancel_debate(&self.id, "the debate has ended")).await;
        Err(Stop::Ended(End::Finished))
    }

    fn pong(&self) -> Result<(), Stop> {
        self.unanswered.store(0, Ordering::Relaxed);
        Ok(())
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
