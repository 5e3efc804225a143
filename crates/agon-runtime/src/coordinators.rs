//! Supervises the coordinators: takes jobs while there is room, starts them, rebuilds them, ends what cannot be rebuilt.
use crate::coordinator::{self, Coordinator, End};
use crate::shared::Shared;
use crate::supervision::{exit_of, restarts};
use crate::taker::Taker;
use crate::tasks::{Scope, tell};
use crate::{leases, wire};
use agon_core::restart::{Exit, RestartDecision, Restarts};
use agon_core::{DebateId, Input, Reason, ReasonCode, TurnId};
use agon_store::Job;
use ractor::{Actor, ActorId, ActorProcessingErr, ActorRef, SupervisionEvent};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

pub(crate) enum Msg {
    /// A job was taken.
    Start { job: Job, place: OwnedSemaphorePermit },
    /// Own this debate without a job, and do this first.
    Adopt { debate: DebateId, orders: Option<Input> },
    /// Start a coordinator again.
    Revive(DebateId),
    /// A register may be decided.
    Look { debate: DebateId, turn: TurnId },
    /// Hints were lost.
    LookAround,
    /// Somebody asks to end a debate.
    Cancel { debate: DebateId, reason: String },
    /// Take no more jobs, hand over those that run, and say when that is done.
    Drain(oneshot::Sender<()>),
    #[cfg(any(test, feature = "test-hooks"))]
    Crash(crate::hooks::Death),
    #[cfg(any(test, feature = "test-hooks"))]
    Strike(crate::hooks::Blow),
}

pub(crate) struct Args {
    pub(crate) shared: Shared,
}

pub(crate) struct State {
    shared: Shared,
    scope: Scope,
    debates: BTreeMap<DebateId, Supervised>,
    by_actor: HashMap<ActorId, Running>,
    drained: Option<oneshot::Sender<()>>,
    draining: bool,
}

/// A coordinator that lives.
struct Running {
    debate: DebateId,
    /// Why it stopped, if it did so of its own will.
    end: Arc<OnceLock<End>>,
}

struct Supervised {
    restarts: Restarts,
    /// What the next coordinator does first.
    orders: Option<Input>,
}

pub(crate) struct Coordinators;

impl Actor for Coordinators {
    type Msg = Msg;
    type State = State;
    type Arguments = Args;

    async fn pre_start(&self, _: ActorRef<Msg>, args: Args) -> Result<State, ActorProcessingErr> {
        let scope = args.shared.tasks.scope();
        Ok(State {
            shared: args.shared,
            scope,
            debates: BTreeMap::new(),
            by_actor: HashMap::new(),
            drained: None,
            draining: false,
        })
    }

    /// Goes on with the debates of a predecessor, then takes jobs.
    async fn post_start(&self, myself: ActorRef<Msg>, state: &mut State) -> Result<(), ActorProcessingErr> {
        for (debate, _) in state.shared.held.all() {
            state.start(&myself, &debate, None).await?;
        }
        let taker = Taker { shared: state.shared.clone(), target: myself.clone() };
        state.scope.spawn(myself.get_cell(), async move { taker.run().await });
        let shared = state.shared.clone();
        state.scope.spawn(myself.get_cell(), leases::keep(shared));
        Ok(())
    }

    async fn handle(&self, myself: ActorRef<Msg>, msg: Msg, state: &mut State) -> Result<(), ActorProcessingErr> {
        match msg {
            Msg::Start { job, place } => state.take(&myself, job, place).await?,
            Msg::Adopt { debate, orders } => state.adopt(&myself, debate, orders).await?,
            Msg::Revive(debate) => state.revive(&myself, &debate).await?,
            Msg::Look { debate, turn } => state.pass_on(&debate, coordinator::Msg::Look(turn)),
            Msg::LookAround => state.look_around(),
            Msg::Cancel { debate, reason } => state.pass_on(&debate, coordinator::Msg::Cancel { reason }),
            Msg::Drain(done) => state.drain(done),
            #[cfg(any(test, feature = "test-hooks"))]
            Msg::Crash(death) => return death.happen(),
            #[cfg(any(test, feature = "test-hooks"))]
            Msg::Strike(blow) => state.strike(&blow),
        }
        state.say_when_drained();
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<Msg>,
        event: SupervisionEvent,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        if let Some((who, exit)) = exit_of(&event) {
            state.exited(&myself, who, exit);
        }
        state.say_when_drained();
        Ok(())
    }
}

impl State {
    async fn take(
        &mut self,
        myself: &ActorRef<Msg>,
        job: Job,
        place: OwnedSemaphorePermit,
    ) -> Result<(), ActorProcessingErr> {
        let debate = job.debate.clone();
        if self.draining {
            self.release(myself, job, Duration::ZERO);
            return Ok(());
        }
        if self.shared.held.add(&debate, Some(job), Some(place)) {
            self.start(myself, &debate, None).await?;
        }
        Ok(())
    }

    async fn adopt(
        &mut self,
        myself: &ActorRef<Msg>,
        debate: DebateId,
        orders: Option<Input>,
    ) -> Result<(), ActorProcessingErr> {
        if self.shared.held.add(&debate, None, None) {
            return self.start(myself, &debate, orders).await;
        }
        if let Some(Input::Cancel { reason }) = &orders {
            self.pass_on(&debate, coordinator::Msg::Cancel { reason: reason.clone() });
        }
        // should the coordinator die before it hears of them, the next one carries them out
        if let Some(supervised) = self.debates.get_mut(&debate) {
            supervised.orders = orders.or(supervised.orders.take());
        }
        Ok(())
    }

    async fn start(
        &mut self,
        myself: &ActorRef<Msg>,
        debate: &DebateId,
        orders: Option<Input>,
    ) -> Result<(), ActorProcessingErr> {
        let Some(held) = self.shared.held.get(debate) else { return Ok(()) };
        let fresh = || Supervised { restarts: restarts(&self.shared), orders: None };
        let supervised = self.debates.entry(debate.clone()).or_insert_with(fresh);
        supervised.orders = orders.or(supervised.orders.take());
        let end = Arc::new(OnceLock::new());
        let args = coordinator::Args {
            shared: self.shared.clone(),
            debate: debate.clone(),
            end: end.clone(),
            unanswered: held.unanswered,
            orders: supervised.orders.clone(),
        };
        let (actor, _) = Actor::spawn_linked(None, Coordinator, args, myself.get_cell()).await?;
        self.by_actor.insert(actor.get_id(), Running { debate: debate.clone(), end });
        self.shared.held.connect(debate, Some(actor));
        Ok(())
    }

    async fn revive(&mut self, myself: &ActorRef<Msg>, debate: &DebateId) -> Result<(), ActorProcessingErr> {
        let vacant = self.shared.held.get(debate).is_some_and(|held| held.actor.is_none());
        if vacant { self.start(myself, debate, None).await } else { Ok(()) }
    }

    fn pass_on(&self, debate: &DebateId, message: coordinator::Msg) {
        if let Some(actor) = self.shared.held.get(debate).and_then(|held| held.actor) {
            tell(&actor, message);
        }
    }

    fn look_around(&self) {
        self.shared.held.actors().iter().for_each(|actor| tell(actor, coordinator::Msg::LookAround));
    }

    fn ended(&mut self, myself: &ActorRef<Msg>, debate: &DebateId, end: End) {
        self.debates.remove(debate);
        let Some(held) = self.shared.held.remove(debate) else { return };
        if end == End::Finished {
            self.shared.journal.forget(debate);
        }
        let Some(job) = held.job else { return };
        match end {
            End::Finished | End::Unknown => self.complete(myself, job),
            End::HandedOver => self.release(myself, job, Duration::ZERO),
            // whoever fenced us is at work: not again before a lease has passed
            End::Fenced => self.release(myself, job, self.shared.config.times.job_lease),
        }
    }

    fn complete(&self, myself: &ActorRef<Msg>, job: Job) {
        let shared = self.shared.clone();
        self.scope.spawn(myself.get_cell(), async move {
            if let Err(error) = shared.jobs.complete(&job).await {
                tracing::warn!(debate = %job.debate, %error, "job of an ended debate not removed, it will come again");
            }
        });
    }

    fn release(&self, myself: &ActorRef<Msg>, job: Job, delay: Duration) {
        let shared = self.shared.clone();
        self.scope.spawn(myself.get_cell(), async move {
            if let Err(error) = shared.jobs.release(&job, delay).await {
                tracing::warn!(debate = %job.debate, %error, "job not given back, its lease will run out");
            }
            shared.hint(&job.debate, wire::job_ready(&job.debate)).await;
        });
    }

    fn exited(&mut self, myself: &ActorRef<Msg>, who: ActorId, exit: Exit) {
        let Some(Running { debate, end }) = self.by_actor.remove(&who) else { return };
        if let Some(end) = end.get() {
            return self.ended(myself, &debate, *end);
        }
        self.shared.held.connect(&debate, None);
        let now = self.shared.clock.now();
        let Some(supervised) = self.debates.get_mut(&debate) else { return };
        // one that says nothing of its end has failed, however quietly
        let exit = if exit == Exit::Normal { Exit::Abnormal } else { exit };
        match supervised.restarts.on_exit(exit, now) {
            RestartDecision::Restart { after_ms } => {
                tracing::warn!(%debate, after_ms, "coordinator died, starting another");
                self.scope.after(myself, Duration::from_millis(after_ms), Msg::Revive(debate));
            }
            RestartDecision::GiveUp | RestartDecision::Leave => self.give_up(myself, debate),
        }
    }

    /// The budget is spent: one more coordinator, whose first act is to end the debate. If it dies too, the job goes back.
    fn give_up(&mut self, myself: &ActorRef<Msg>, debate: DebateId) {
        let Some(supervised) = self.debates.get_mut(&debate) else { return };
        let given_up = matches!(supervised.orders, Some(Input::GiveUp { .. }));
        if given_up {
            tracing::error!(%debate, "debate cannot even be ended, left to another node");
            self.debates.remove(&debate);
            let held = self.shared.held.remove(&debate);
            if let Some(job) = held.and_then(|held| held.job) {
                self.release(myself, job, self.shared.config.times.job_lease);
            }
            return;
        }
        tracing::error!(%debate, "coordinator died too often, the debate is ended");
        let reason = Reason::with(ReasonCode::Poison, "the coordinator failed again and again");
        supervised.orders = Some(Input::GiveUp { reason });
        tell(myself, Msg::Revive(debate));
    }

    fn drain(&mut self, done: oneshot::Sender<()>) {
        self.draining = true;
        self.drained = Some(done);
        self.shared.room_for_debates.close();
        self.shared.held.actors().iter().for_each(|actor| tell(actor, coordinator::Msg::Drain));
    }

    fn say_when_drained(&mut self) {
        if self.draining
            && self.shared.held.len() == 0
            && let Some(done) = self.drained.take()
        {
            // one that no longer waits needs no answer
            done.send(()).ok();
        }
    }
}

#[cfg(any(test, feature = "test-hooks"))]
impl State {
    fn strike(&self, blow: &crate::hooks::Blow) {
        let crate::hooks::Victim::Coordinator(debate) = &blow.victim else { return };
        if let Some(actor) = self.shared.held.get(debate).and_then(|held| held.actor) {
            blow.strike(&actor, coordinator::Msg::Crash);
        }
    }
}
