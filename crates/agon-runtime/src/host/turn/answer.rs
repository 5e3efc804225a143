//! From a turn that was taken to its answer.
use super::ask::Generation;
use super::{NoAnswer, Play, STORE_PAUSE, Unplayed};
use crate::base::config::HostConfig;
use crate::cluster::TurnNeeds;
use crate::host::gate::Permit;
use crate::host::host_state::Answerer;
use crate::host::replica::{ReplicaError, read_answer};
use crate::host::request::{self, Costs};
use crate::host::turn::turn_report::TurnReport;
use agon_core::{Admission, Answer, Call, Failure, FailureCause, TurnResult};
use std::sync::Arc;

impl Play {
    /// Generates, unless another host shall.
    pub(super) async fn generate(&self, told: &TurnReport<'_>) -> Result<TurnResult, Unplayed> {
        let mut call = Box::new(self.call());
        match self.answer(&mut call, told).await {
            Ok(answer) => Ok(TurnResult::Answered { answer, call }),
            Err(NoAnswer::Failed(failure)) => Ok(TurnResult::Failed { failure, call }),
            Err(NoAnswer::Left(why)) => Err(why),
        }
    }

    /// The part of the call's account that is known before it.
    fn call(&self) -> Call {
        let (host, model) = (Some(self.host_state.id.to_string()), Some(self.work.ask.model.clone()));
        Call { host, model, rehearsal: self.host_state.rehearses(), ..Call::default() }
    }

    async fn answer(&self, call: &mut Call, told: &TurnReport<'_>) -> Result<Answer, NoAnswer> {
        let admission = self.caught_up().await.map_err(|behind| internal(&behind))?;
        told.admission(&admission);
        if !self.host_state.fits(admission.rehearsal) {
            return Err(NoAnswer::Left(Unplayed::Misplaced));
        }
        let needs = TurnNeeds::of(&admission.spec, &self.work.ask);
        let wanted = (&self.work.ask.model, &needs);
        if self.shared.directory.fits_elsewhere(&self.host_state.id, wanted, admission.rehearsal) {
            return Err(NoAnswer::Left(Unplayed::Lacking));
        }
        self.verifiers_there(&admission.spec)?;
        let answer = self.answer_of(&admission, call, told).await?;
        self.check_claims(&admission.spec, &answer, call).await;
        Ok(answer)
    }

    async fn answer_of(
        &self,
        admission: &Arc<Admission>,
        call: &mut Call,
        told: &TurnReport<'_>,
    ) -> Result<Answer, NoAnswer> {
        match (&self.host_state.player, self.work.ask.task.material.round) {
            (Answerer::Server(config), Some(round)) => {
                let permit = self.first_permit(admission, call).await?;
                Ok(Box::pin(self.measure(config, admission, round, permit, call)).await?)
            }
            (Answerer::Server(config), _) => {
                let turn = ServerTurn { admission, config, told };
                match self.tools(&turn, call).await? {
                    // boxed, as all that few turns do: every turn that waits would have its room
                    Some(tools) => Box::pin(self.speak_with_tools(&turn, tools, call)).await,
                    None => self.speak(&turn, call).await,
                }
            }
            (Answerer::Seats, _) => {
                let permit = self.first_permit(admission, call).await?;
                Box::pin(self.ask_seat(admission, permit, call)).await
            }
        }
    }

    /// The first permit of a turn, for which it stood in line.
    pub(super) async fn first_permit(&self, admission: &Admission, call: &mut Call) -> Result<Permit, NoAnswer> {
        let permit = self.permit(admission, self.asked(admission), call).await?;
        self.work.leave_line();
        self.still_undecided().await;
        Ok(permit)
    }

    /// A turn that has waited for long may have been decided without anybody here having heard of it. One that was is aborted.
    async fn still_undecided(&self) {
        let (debate, turn, times) = (&self.work.debate, self.work.ask.turn, &self.shared.config.times);
        if self.work.taken.elapsed() < times.turn_check {
            return;
        }
        if let Ok(Some(_)) = self.shared.in_time(self.shared.registers.get(debate, turn)).await {
            self.work.doubted.notify_one();
            std::future::pending().await
        }
    }

    /// One call, and what it says is the answer.
    async fn speak(&self, turn: &ServerTurn<'_>, call: &mut Call) -> Result<Answer, NoAnswer> {
        if let Some(ahead) = &self.ahead {
            ahead.rests(&self.work).await;
        }
        let permit = self.first_permit(turn.admission, call).await?;
        let prompt = self.prompt()?;
        call.prompt_hash = Some(request::hash(&prompt));
        request::check_context(&prompt, 0, turn.config)?;
        let mut costs = Costs::after(self.ahead.as_ref().and_then(|ahead| ahead.begins(&self.work, &prompt)));
        let ask = &self.work.ask;
        let mut request = request::build(prompt, ask, turn.config, &turn.admission.spec);
        self.host_state.check_prompt(&request, &ask.model).await?;
        self.host_state.make_room(&mut request, &ask.model, turn.admission.spec.budget.tokens.is_some());
        let bound = self.host_state.bound(&mut request, &ask.model);
        call.options = request.options.clone();
        call.digest = self.host_state.digest(&ask.model).await;
        turn.told.sends(call, &request);
        let ear = self.ear(&turn.admission.spec, call.options.max_tokens);
        let generation = Generation { turn, request, bound, permit, ear, plain: true };
        self.generate_once(generation, &mut costs, call).await?.into_answer(self, turn, call)
    }

    /// Reads what the model said; the call says which values were not read as they were written.
    pub(super) fn read(&self, admission: &Admission, text: &str, call: &mut Call) -> Result<Answer, NoAnswer> {
        let read = read_answer(admission, &self.work.ask, text);
        let read = read.map_err(|malformed| Failure::new(FailureCause::Malformed, malformed))?;
        call.coerced = read.coerced;
        Ok(read.answer)
    }

    /// A log that is behind may be a replica of the store that is: a few looks, then a failure.
    async fn caught_up(&self) -> Result<Arc<Admission>, ReplicaError> {
        let mut pause = STORE_PAUSE;
        for _ in 0..5 {
            match self.replica.catch_up(self.work.ask.sees).await {
                Ok(admission) => return Ok(admission),
                Err(behind) => tracing::warn!(debate = %self.work.debate, %behind, "log not read"),
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
        self.replica.catch_up(self.work.ask.sees).await
    }
}

/// What all calls of a turn at a model server have in common.
pub(super) struct ServerTurn<'a> {
    pub(super) admission: &'a Arc<Admission>,
    pub(super) config: &'a HostConfig,
    pub(super) told: &'a TurnReport<'a>,
}

fn internal(behind: &ReplicaError) -> Failure {
    Failure::new(FailureCause::Internal, behind.to_string())
}
