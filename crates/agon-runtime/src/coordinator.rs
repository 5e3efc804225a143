//! The coordinator of one debate: the shell around its pure machine, and the sole writer of its log.
//!
//! Journal first, then memory, then effects: after a crash between any two steps the log is folded again and what is
//! outstanding is performed. Every effect may be done twice.
use crate::agenda::{Agenda, Due, Pauses};
use crate::offer::{self, Offered};
use crate::shared::Shared;
use crate::tasks::{Scope, tell};
use crate::{ledger, replay, wire};
use agon_core::{
    Debate, DebateId, Effect, HostId, Input, ModelName, Reason, ReasonCode, Record, Timestamp, TurnId, TurnResult,
};
use agon_store::{AppendError, StoreError};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::task::AbortHandle;

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
        self.warm = replay::placements(&records);
        let ended = debate.ended().is_some();
        self.debate = Some(debate);
        if ended {
            let open = replay::open_turns(&records);
            return self.finish(open).await;
        }
        let fruitless = replay::claims_without_progress(&records);
        let decided = self.decided_before(&records).await?;
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
    async fn decided_before(&self, records: &[Arc<Record>]) -> Result<Vec<(TurnId, TurnResult)>, StoreError> {
        let mut decided = Vec::new();
        for turn in replay::open_turns(records) {
            if let Some(result) = self.shared.registers.get(&self.id, turn).await? {
                decided.push((turn, (*result).clone()));
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
        fresh.iter().for_each(|turn| self.offer(myself, *turn));
        if finished { self.finish(gone).await } else { Ok(()) }
    }

    fn offer(&self, myself: &ActorRef<Msg>, turn: TurnId) {
        let Some(open) = self.agenda.get(turn) else { return };
        let (ask, debate, shared) = (open.ask.clone(), self.id.clone(), self.shared.clone());
        let sticky = open.host.clone().or_else(|| self.warm.get(&ask.model).cloned());
        let target = myself.clone();
        self.scope.spawn(myself.get_cell(), async move {
            let offered = offer::offer(&shared, &debate, &ask, sticky).await;
            tell(&target, Msg::Offered { turn, offered });
        });
    }

    async fn on_offered(&mut self, myself: &ActorRef<Msg>, turn: TurnId, offered: Offered) -> Result<(), Stop> {
        match offered {
            Offered::Accepted(host) => {
                if let Some(open) = self.agenda.get(turn) {
                    self.warm.insert(open.ask.model.clone(), host.clone());
                }
                self.agenda.placed(turn, host);
                Ok(())
            }
            Offered::Queued => Ok(()),
            Offered::Refused => self.look(myself, turn).await,
        }
    }

    async fn on_due(&mut self, myself: &ActorRef<Msg>) -> Result<(), Stop> {
        self.alarm = None;
        for due in self.agenda.due(self.shared.clock.now()) {
            match due {
                Due::Withdraw(turn) => self.withdraw(myself, turn).await?,
                Due::Look(turn) => self.look(myself, turn).await?,
                Due::Offer(turn) => {
                    self.look(myself, turn).await?;
                    self.offer(myself, turn);
                }
                Due::Retry(turn) => self.on_input(myself, Input::RetryDue { turn }).await?,
            }
        }
        Ok(())
    }

    async fn look_around(&mut self, myself: &ActorRef<Msg>) -> Result<(), Stop> {
        for turn in self.agenda.turns() {
            self.look(myself, turn).await?;
        }
        Ok(())
    }

    /// Feeds what the register holds, if it is decided.
    async fn look(&mut self, myself: &ActorRef<Msg>, turn: TurnId) -> Result<(), Stop> {
        if self.agenda.get(turn).is_none() {
            return Ok(());
        }
        match self.shared.registers.get(&self.id, turn).await? {
            Some(result) => self.on_result(myself, turn, &result).await,
            None => Ok(()),
        }
    }

    /// The deadline races with the host for the register; whoever comes first decides.
    async fn withdraw(&mut self, myself: &ActorRef<Msg>, turn: TurnId) -> Result<(), Stop> {
        let decision = self.shared.registers.decide(&self.id, turn, TurnResult::Withdrawn).await?;
        if decision.won {
            self.shared.hint(&self.id, wire::cancel_turn(&self.id, turn)).await;
        }
        self.on_result(myself, turn, &decision.result).await
    }

    async fn on_result(&mut self, myself: &ActorRef<Msg>, turn: TurnId, result: &TurnResult) -> Result<(), Stop> {
        if let Some((model, host)) = replay::placement(result) {
            self.warm.insert(model, host);
        }
        let told = self.step(Input::TurnDecided { turn, result: result.clone() }).await?;
        self.agenda.close(turn);
        if told { self.perform(myself).await } else { Ok(()) }
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

    /// One timer for all that will be due.
    fn set_alarm(&mut self, myself: &ActorRef<Msg>) {
        let Some(next) = self.agenda.next() else { return };
        if self.alarm.as_ref().is_some_and(|(at, _)| *at == next) {
            return;
        }
        // never at once: what is due and not accepted must not turn into a busy loop
        let wait = next.since(self.shared.clock.now()).max(SHORTEST_ALARM);
        let alarm = self.scope.after(myself, Duration::from_millis(wait), Msg::Tick);
        if let Some((_, old)) = self.alarm.replace((next, alarm)) {
            old.abort();
        }
    }
}

/// In milliseconds.
const SHORTEST_ALARM: u64 = 5;

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
