//! How debates leave this node: ended, taken over, handed over, given up.
use super::{Msg, State};
use crate::base::catalogue;
use crate::base::shared::Shared;
use crate::base::supervision::ActorExit;
use crate::base::tasks::tell;
use crate::owner::coordinator::{self, CoordinatorEnd, Farewell};
use agon_core::restart::{ChildExit, RestartDecision};
use agon_core::{DebateId, Input, Priority, Reason, ReasonCode};
use agon_proto::DebateSummary;
use agon_store::Job;
use ractor::ActorRef;
use std::time::Duration;
use tokio::sync::oneshot;

/// What becomes of the job of a debate that is no longer held here and was not claimed.
enum JobFate {
    /// Nobody needs it.
    Complete,
    /// Others may have it after this time.
    Release(Duration),
}

impl State {
    pub(super) fn exited(&mut self, myself: &ActorRef<Msg>, (who, exit): ActorExit) {
        let Some(debate) = self.debates.exited(who) else { return };
        self.shared.owned.connect(&debate, None);
        let end = self.debates.get(&debate).map(|coordinated| coordinated.end.clone()).unwrap_or_default();
        match end.get() {
            Some(Farewell { end: CoordinatorEnd::Parked, .. }) => self.parked(myself, debate),
            Some(farewell) => self.ended(myself, &debate, farewell),
            None => self.died(myself, debate, exit),
        }
    }

    /// The store is away. That is no fault of the debate's: it waits, ever longer, and goes on.
    fn parked(&mut self, myself: &ActorRef<Msg>, debate: DebateId) {
        if self.draining {
            return self.leave(myself, &debate, None);
        }
        let Some(coordinated) = self.debates.get_mut(&debate) else { return };
        let times = &self.shared.config.times;
        let now = tokio::time::Instant::now();
        // one that went well for so long is no longer the same outage
        let same = coordinated.parked.filter(|_| now.duration_since(coordinated.started) < times.park_max * 2);
        let pause = same.map_or(times.park, |last| (last * 2).min(times.park_max));
        coordinated.parked = Some(pause);
        coordinated.known_epoch = coordinated.end.get().and_then(|farewell| farewell.epoch).or(coordinated.known_epoch);
        self.scope.after(myself, pause, Msg::Revive(debate));
    }

    fn died(&mut self, myself: &ActorRef<Msg>, debate: DebateId, exit: ChildExit) {
        let now = self.shared.clock.now();
        let Some(coordinated) = self.debates.get_mut(&debate) else { return };
        (coordinated.parked, coordinated.known_epoch) = (None, None);
        // one that says nothing of its end has failed, however quietly
        let exit = if exit == ChildExit::Normal { ChildExit::Abnormal } else { exit };
        match self.debates.decide(&debate, exit, now) {
            RestartDecision::Restart { after_ms } => {
                tracing::warn!(%debate, after_ms, "coordinator died, starting another");
                self.scope.after(myself, Duration::from_millis(after_ms), Msg::Revive(debate));
            }
            RestartDecision::GiveUp | RestartDecision::Leave => self.give_up(myself, debate),
        }
    }

    /// The budget is spent: one more coordinator, whose first act is to interrupt the debate. If it dies too, the job goes back.
    fn give_up(&mut self, myself: &ActorRef<Msg>, debate: DebateId) {
        if !self.shared.config.takes_jobs {
            return self.abandon(myself, debate);
        }
        let Some(coordinated) = self.debates.get_mut(&debate) else { return };
        let given_up = matches!(coordinated.orders, Some(Input::Interrupt { .. }));
        if given_up {
            tracing::error!(%debate, "debate cannot even be interrupted, left to another node");
            self.debates.remove(&debate);
            let job = self.shared.owned.remove(&debate).and_then(|held| held.job);
            let fate = JobFate::Release(self.shared.config.times.job_lease);
            return self.say_farewell(myself, debate, None, (job, fate));
        }
        tracing::error!(%debate, "coordinator died too often, the debate is interrupted");
        let reason = Reason::with(ReasonCode::Poison, "the coordinator failed again and again");
        coordinated.orders = Some(Input::Interrupt { reason });
        tell(myself, Msg::Revive(debate));
    }

    /// Leaves the debate as it is, because nobody else takes it up before a person has resumed it.
    fn abandon(&mut self, myself: &ActorRef<Msg>, debate: DebateId) {
        tracing::error!(%debate, "coordinator died too often, the debate is left as it is");
        self.debates.remove(&debate);
        self.shared.owned.remove(&debate);
        self.shared.gave_up.send_replace(true);
        self.say_farewell(myself, debate, None, (None, JobFate::Complete));
    }

    fn ended(&mut self, myself: &ActorRef<Msg>, debate: &DebateId, farewell: &Farewell) {
        let summary = farewell.summary.clone();
        match farewell.end {
            CoordinatorEnd::HandedOver | CoordinatorEnd::Parked => return self.leave(myself, debate, summary),
            CoordinatorEnd::Finished => {
                self.shared.journal.forget(debate);
                self.shared.ended.add(debate, farewell.asked.clone());
            }
            CoordinatorEnd::Interrupted => self.shared.journal.forget(debate),
            CoordinatorEnd::Fenced | CoordinatorEnd::Unknown => {}
        }
        self.debates.remove(debate);
        let Some(held) = self.shared.owned.remove(debate) else { return };
        self.say_farewell(myself, debate.clone(), summary, (held.job, JobFate::Complete));
    }

    /// Leaves a debate to another node, at once: one that was claimed is found by the catalogue.
    pub(super) fn leave(&mut self, myself: &ActorRef<Msg>, debate: &DebateId, summary: Option<DebateSummary>) {
        self.debates.remove(debate);
        let Some(held) = self.shared.owned.remove(debate) else { return };
        self.say_farewell(myself, debate.clone(), summary, (held.job, JobFate::Release(Duration::ZERO)));
    }

    fn say_farewell(
        &mut self,
        myself: &ActorRef<Msg>,
        debate: DebateId,
        summary: Option<DebateSummary>,
        (job, fate): (Option<Job>, JobFate),
    ) {
        self.farewells += 1;
        let (shared, target) = (self.shared.clone(), myself.clone());
        self.scope.spawn(myself.get_cell(), async move {
            let priority = summary.as_ref().map_or_else(Priority::default, |summary| summary.priority);
            // before another takes it and notes itself
            if let Some(summary) = summary {
                catalogue::note(&shared, summary).await;
            }
            if let Some(job) = job {
                settle_job(&shared, &job, &fate).await;
            }
            if let JobFate::Release(_) = fate {
                shared.hint_ready(&debate, priority).await;
            }
            tell(&target, Msg::SaidFarewell);
        });
    }

    pub(super) fn drain(&mut self, myself: &ActorRef<Msg>, done: oneshot::Sender<()>) {
        self.draining = true;
        self.drained = Some(done);
        self.shared.room_for_debates.close();
        for (debate, held) in self.shared.owned.all() {
            match held.actor {
                Some(actor) => tell(&actor, coordinator::Msg::Drain),
                // it waits for its next life, which it shall have elsewhere
                None => self.leave(myself, &debate, None),
            }
        }
    }

    pub(super) fn say_when_drained(&mut self) {
        if self.draining
            && self.farewells == 0
            && self.shared.owned.len() == 0
            && let Some(done) = self.drained.take()
        {
            // one that no longer waits needs no answer
            done.send(()).ok();
        }
    }
}

async fn settle_job(shared: &Shared, job: &Job, fate: &JobFate) {
    let settled = match fate {
        JobFate::Complete => shared.in_time(shared.jobs.complete(job)).await,
        JobFate::Release(delay) => shared.in_time(shared.jobs.release(job, *delay)).await,
    };
    if let Err(error) = settled {
        tracing::warn!(debate = %job.debate, %error, "a job is not put away, it comes again when its lease has run out");
    }
}
