//! The coordinator of one debate: the shell around its pure machine, and the sole writer of its log.
//!
//! Journal first, then memory, then effects: after a crash between any two steps the log is folded again and what is
//! outstanding is performed. Every effect may be done twice.
use crate::base::catalogue;
use crate::base::clock::millis;
use crate::base::shared::Shared;
use crate::base::tasks::TaskScope;
use crate::owner::due_queue::{DueQueue, Pauses};
use crate::owner::offer::Offered;
use crate::owner::turn_checks::TurnFound;
use agon_core::{Debate, DebateId, Effect, HostId, Input, ModelName, Position, Timestamp, TurnId};
use agon_proto::{CancelDebate, DebateSummary, Hint, SummaryState, TurnTaken};
use agon_store::{AppendError, StoreError};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::task::AbortHandle;
use tokio::time::Instant;

mod begin;
mod journal_writer;
mod turns;

pub(crate) enum Msg {
    /// A turn's register may be decided.
    Look(TurnId),
    /// Hints were lost: any register may be decided.
    LookAround,
    /// Something is due.
    Tick,
    /// What was found where a turn is believed to be.
    Checked { turn: TurnId, checked: TurnFound },
    /// A host has taken a turn from a queue.
    Taken(TurnTaken),
    /// A host cannot play a turn that it was offered.
    Returned { turn: TurnId, host: HostId },
    /// So much was heard of a speech that goes on.
    Heard { turn: TurnId, text: Arc<str> },
    /// Hosts have appeared or gone.
    HostsChanged,
    /// What became of an offer.
    Offered { turn: TurnId, offered: Offered },
    /// Somebody wants the debate ended.
    Cancel { reason: String },
    /// Say that you live.
    Ping,
    /// Hand the debate over.
    Drain,
    /// Somebody else has the job, or has written to the log.
    Lost,
    #[cfg(any(test, feature = "test-hooks"))]
    Crash(crate::base::hooks::Death),
}

/// Why a coordinator stopped of its own will.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CoordinatorEnd {
    /// The debate is over.
    Finished,
    /// Another coordinator has taken the debate over.
    Fenced,
    /// It was asked to hand the debate over.
    HandedOver,
    /// There is no such debate.
    Unknown,
    /// The store is away or full: to be started again after a pause.
    Parked,
    /// Nobody is to play the debate before somebody has resumed it.
    Interrupted,
}

/// What a coordinator leaves behind when it stops of its own will.
pub(crate) struct Farewell {
    pub(crate) end: CoordinatorEnd,
    /// What the catalogue shall know.
    pub(crate) summary: Option<DebateSummary>,
    /// The log's epoch as far as it was read.
    pub(crate) epoch: Option<u64>,
    /// The turns that were asked, as far as the log was read.
    pub(crate) asked: Vec<TurnId>,
}

/// What stops a coordinator's work.
#[derive(Debug, thiserror::Error)]
enum CoordinatorStop {
    #[error("the coordinator is done")]
    Ended(CoordinatorEnd),
    #[error(transparent)]
    Append(#[from] AppendError),
    #[error(transparent)]
    Store(#[from] StoreError),
}
impl CoordinatorStop {
    /// How the actor ends of its own will; none where it has failed.
    fn end(&self) -> Option<CoordinatorEnd> {
        match self {
            Self::Ended(end) => Some(*end),
            Self::Append(AppendError::Fenced { .. }) => Some(CoordinatorEnd::Fenced),
            Self::Append(AppendError::Unsure(_)) => Some(CoordinatorEnd::Parked),
            Self::Append(AppendError::Store(error)) | Self::Store(error) => match error {
                StoreError::Backend(_) | StoreError::Full(_) => Some(CoordinatorEnd::Parked),
                // its log was deleted
                StoreError::NotFound(_) => Some(CoordinatorEnd::Unknown),
                StoreError::Damaged { .. } => None,
            },
        }
    }
}

pub(crate) struct Args {
    pub(crate) shared: Shared,
    pub(crate) debate: DebateId,
    /// Where it says why it stopped. Not a message: its supervisor hears of an exit before any message.
    pub(crate) end: Arc<OnceLock<Farewell>>,
    /// Pings that were not answered.
    pub(crate) unanswered: Arc<AtomicU64>,
    /// Where it says how many turns are open.
    pub(crate) open: Arc<AtomicUsize>,
    /// Where it says that it can do nothing for want of the store.
    pub(crate) parked: Arc<AtomicBool>,
    /// Its predecessor on this node was stopped by a store that was away: what it had claimed is still claimed.
    pub(crate) resumes: bool,
    /// The log's epoch as that predecessor knew it.
    pub(crate) known_epoch: Option<u64>,
    /// The debate is to be ended for this reason, as soon as it is claimed.
    pub(crate) orders: Option<Input>,
}

pub(crate) struct State {
    shared: Shared,
    id: DebateId,
    end: Arc<OnceLock<Farewell>>,
    unanswered: Arc<AtomicU64>,
    open: Arc<AtomicUsize>,
    parked: Arc<AtomicBool>,
    resumes: bool,
    known_epoch: Option<u64>,
    orders: Option<Input>,
    scope: TaskScope,
    /// Present once the log has been replayed.
    debate: Option<Debate>,
    /// When the last event was recorded, by the log's time, and when that was here.
    last: (Timestamp, Instant),
    admitted_at: Timestamp,
    /// The position and time of the last note in the catalogue.
    noted: (Position, Timestamp),
    /// The turns that were open before this coordinator came.
    inherited: Vec<TurnId>,
    turns: DueQueue,
    /// All turns that were ever asked.
    asked: Vec<TurnId>,
    /// The running speeches that somebody has interrupted.
    cuts: Vec<TurnId>,
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
        let Args { shared, debate, end, unanswered, open, parked, resumes, known_epoch, orders } = args;
        let times = &shared.config.times;
        let pauses = Pauses {
            look: millis(times.register_look),
            look_max: millis(times.register_look_max),
            sure: millis(times.register_sure),
            offer: millis(times.reoffer_after),
        };
        Ok(State {
            scope: shared.tasks.scope(),
            turns: DueQueue::new(pauses),
            id: debate,
            end,
            unanswered,
            open,
            parked,
            resumes,
            known_epoch,
            orders,
            debate: None,
            last: (Timestamp::default(), Instant::now()),
            admitted_at: Timestamp::default(),
            noted: (Position(0), Timestamp::default()),
            inherited: Vec::new(),
            asked: Vec::new(),
            cuts: Vec::new(),
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
            Msg::Checked { turn, checked } => state.on_checked(&myself, turn, checked).await,
            Msg::Taken(taken) => state.on_taken(taken),
            Msg::Returned { turn, host } => state.on_returned(&myself, turn, &host),
            Msg::Heard { turn, text } => state.on_input(&myself, Input::SpeechHeard { turn, text }).await,
            Msg::HostsChanged => state.hosts_changed(&myself).await,
            Msg::Offered { turn, offered } => state.on_offered(&myself, turn, offered).await,
            Msg::Cancel { reason } => state.on_input(&myself, Input::Cancel { reason }).await,
            Msg::Ping => state.pong(),
            Msg::Drain => Err(CoordinatorStop::Ended(CoordinatorEnd::HandedOver)),
            Msg::Lost => state.still_mine().await,
            #[cfg(any(test, feature = "test-hooks"))]
            Msg::Crash(death) => return death.happen(),
        };
        state.settle(&myself, done)
    }
}

impl State {
    /// Expected ends stop the actor and tell its supervisor; anything else fails it, and it is rebuilt from the journal.
    fn settle(&mut self, myself: &ActorRef<Msg>, done: Result<(), CoordinatorStop>) -> Result<(), ActorProcessingErr> {
        self.open.store(self.turns.len(), Ordering::Relaxed);
        let Err(stop) = done else {
            self.parked.store(false, Ordering::Relaxed);
            self.set_alarm(myself);
            self.note_progress(myself);
            return Ok(());
        };
        let Some(end) = stop.end() else { return Err(stop.into()) };
        match end {
            CoordinatorEnd::Parked => {
                self.parked.store(true, Ordering::Relaxed);
                tracing::warn!(debate = %self.id, error = %stop, "the debate waits for the store");
            }
            CoordinatorEnd::Finished
            | CoordinatorEnd::Fenced
            | CoordinatorEnd::HandedOver
            | CoordinatorEnd::Unknown
            | CoordinatorEnd::Interrupted => {
                tracing::info!(debate = %self.id, ?end, "coordinator stops");
            }
        }
        let summary = self.last_words(end);
        let epoch = self.debate.as_ref().map(Debate::epoch);
        let asked = std::mem::take(&mut self.asked);
        self.end.get_or_init(|| Farewell { end, summary, epoch, asked });
        self.debate = None;
        myself.stop(None);
        Ok(())
    }

    /// The log's time: the machine's, but from the last event on it neither runs backwards nor stands still, whoever recorded that and
    /// whatever the clocks do.
    fn now(&self) -> Timestamp {
        let (at, here) = self.last;
        self.shared.clock.now().max(at.plus(millis(here.elapsed())))
    }

    /// What the catalogue shall know when this coordinator is gone.
    fn last_words(&self, end: CoordinatorEnd) -> Option<DebateSummary> {
        match end {
            CoordinatorEnd::Finished | CoordinatorEnd::Interrupted => self.summary(None),
            // what is to be ended is not done
            CoordinatorEnd::HandedOver => {
                self.summary(None).map(|summary| catalogue::open(summary, SummaryState::Queued))
            }
            // whoever goes on notes it
            CoordinatorEnd::Fenced | CoordinatorEnd::Unknown | CoordinatorEnd::Parked => None,
        }
    }

    fn summary(&self, owner: Option<agon_core::NodeId>) -> Option<DebateSummary> {
        let debate = self.debate.as_ref()?;
        // whoever finishes it once more, and however late, notes the same end
        let at = if debate.ended().is_some() { self.last.0 } else { self.shared.clock.now() };
        Some(catalogue::standing(debate, self.admitted_at, at, owner))
    }

    /// Notes the debate as running here, however often that takes. From then on others find it should this node die, and its job leaves
    /// the queue. A halted debate is claimed to be ended, and wants to be found as well.
    fn note_claim(&mut self, myself: &ActorRef<Msg>) {
        let owner = self.shared.config.id.clone();
        let Some(summary) = self.summary(Some(owner.clone())) else { return };
        let summary = catalogue::open(summary, SummaryState::Running { owner });
        self.noted = (summary.last, summary.updated);
        let (shared, debate) = (self.shared.clone(), self.id.clone());
        self.scope.spawn(myself.get_cell(), async move {
            while !catalogue::note(&shared, summary.clone()).await {
                tokio::time::sleep(shared.config.times.park_max).await;
            }
            if let Some(job) = shared.owned.take_job(&debate)
                && let Err(error) = shared.in_time(shared.jobs.complete(&job)).await
            {
                tracing::warn!(%debate, %error, "the job of a claimed debate is not removed, it comes again and is dropped");
            }
        });
    }

    /// Notes the debate as running here, in a task of its own.
    fn note(&mut self, myself: &ActorRef<Msg>) {
        let Some(summary) = self.summary(Some(self.shared.config.id.clone())) else { return };
        self.noted = (summary.last, summary.updated);
        let shared = self.shared.clone();
        self.scope.spawn(myself.get_cell(), async move {
            catalogue::note(&shared, summary).await;
        });
    }

    /// Now and then, when the log has grown. Nobody else looks where all roles are in one process.
    fn note_progress(&mut self, myself: &ActorRef<Msg>) {
        let (last, at) = self.noted;
        let due = self.shared.clock.now().since(at) >= millis(self.shared.config.times.note_every);
        let grown = self.debate.as_ref().is_some_and(|debate| debate.position() > last);
        if due && grown && !self.shared.config.embedded {
            self.note(myself);
        }
    }

    async fn on_input(&mut self, myself: &ActorRef<Msg>, input: Input) -> Result<(), CoordinatorStop> {
        if self.step(input).await? { self.perform(myself).await } else { Ok(()) }
    }

    /// Performs what is outstanding and not yet under way.
    async fn perform(&mut self, myself: &ActorRef<Msg>) -> Result<(), CoordinatorStop> {
        let Some(debate) = self.debate.as_ref() else { return Ok(()) };
        if debate.interrupted() {
            // what is still generated goes into its register, where it is found once the debate is resumed
            return Err(CoordinatorStop::Ended(CoordinatorEnd::Interrupted));
        }
        let now = self.now();
        let (mut asked, mut retries, mut fresh, mut finished) = (Vec::new(), BTreeMap::new(), Vec::new(), false);
        let mut cuts = Vec::new();
        for effect in debate.outstanding() {
            match effect {
                Effect::Ask(ask) => {
                    asked.push(ask.turn);
                    if self.turns.open(now, &ask) {
                        fresh.push(ask.turn);
                    }
                }
                Effect::WakeAt { at, turn } => drop(retries.insert(turn, at)),
                Effect::Cut { turn } => cuts.push(turn),
                Effect::Finish => finished = true,
            }
        }
        self.cuts = cuts;
        let gone = self.turns.keep(&asked, retries);
        let (left, own): (Vec<TurnId>, Vec<TurnId>) = fresh.iter().partition(|turn| self.inherited.contains(turn));
        own.iter().for_each(|turn| self.offer(myself, *turn, true));
        self.ask_who_plays(myself, &left).await;
        for turn in &self.cuts {
            self.cut(*turn).await;
        }
        if finished { self.finish(gone).await } else { Ok(()) }
    }

    /// Withdraws what is still asked, so that nobody generates for a debate that is over.
    async fn finish(&mut self, open: Vec<TurnId>) -> Result<(), CoordinatorStop> {
        for turn in open {
            match self.give_up(turn).await {
                // nothing will be made of what such a turn brings; its host is told below
                Err(StoreError::Full(error)) => tracing::debug!(debate = %self.id, %turn, error, "turn not withdrawn"),
                given_up => drop(given_up?),
            }
        }
        let reason = "the debate has ended".to_owned();
        let hint = Hint::CancelDebate(CancelDebate { debate: self.id.clone(), reason });
        self.shared.hint_debate(&self.id, hint).await;
        Err(CoordinatorStop::Ended(CoordinatorEnd::Finished))
    }

    fn pong(&self) -> Result<(), CoordinatorStop> {
        self.unanswered.store(0, Ordering::Relaxed);
        Ok(())
    }
}
