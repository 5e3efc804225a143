//! The call of a turn: leave to make it, the prompt, the asking, and what it cost.
use super::Play;
use crate::config::HostConfig;
use crate::gate::{End, GateLink, Permit, Refusal};
use crate::permits::Place;
use crate::roster::Work;
use crate::seat::SeatCall;
use crate::told::Told;
use crate::{deltas, failure, request};
use agon_core::breaker::CallEnd;
use agon_core::{Admission, Call, Failure, FailureCause, ModelName};
use agon_llm::{ChatAnswer, ChatError, ChatModel, ChatRequest};
use agon_prompt::Prompt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// What a call starts with.
pub(super) struct Ready<'a> {
    pub(super) prompt: Prompt,
    pub(super) admission: &'a Admission,
    pub(super) permit: Permit,
}

impl Play {
    /// Leave to call. A host that drains starts no call, so that who waits goes elsewhere at once.
    pub(super) async fn permit(&self, admission: &Admission) -> Result<Permit, Refusal> {
        let gate = self.gate().ok_or(Refusal::Elsewhere)?;
        let limit = Duration::from_millis(admission.retry.wait_limit_ms);
        let place = Place { priority: self.work.priority, key: self.work.debate.clone() };
        let mut draining = self.shared.directory.draining(&self.desk.id);
        tokio::select! {
            biased;
            _ = draining.wait_for(|draining| *draining) => Err(Refusal::Elsewhere),
            permit = gate.acquire(&place, self.work.taken + limit) => permit,
        }
    }

    fn gate(&self) -> Option<Arc<GateLink>> {
        self.shared.directory.gate(&self.desk.id, &self.work.ask.model)
    }

    pub(super) fn refused(&self, refusal: Refusal) -> Failure {
        let model: &ModelName = &self.work.ask.model;
        failure::of_refusal(refusal, model, &self.desk.id, &self.shared.directory.open_at(model))
    }

    pub(super) fn prompt(&self) -> Result<Prompt, Failure> {
        let prompt = self.replica.prompt(&self.work.ask);
        let prompt = prompt.ok_or_else(|| Failure::new(FailureCause::Internal, "the log was dropped"))?;
        prompt.map_err(|error| request::prompt_failure(&error))
    }

    pub(super) async fn ask_server(
        &self,
        config: &HostConfig,
        ready: Ready<'_>,
        call: &mut Call,
        told: &Told<'_>,
    ) -> Result<String, Failure> {
        let Ready { prompt, admission, permit } = ready;
        call.digest = self.desk.digest(&self.work.ask.model).await;
        let request = request::build(prompt, &self.work.ask, config, &admission.spec);
        call.options = request.options;
        told.sends(call, &request.chat);
        match self.chat(config.client.clone(), request.chat, permit, call).await {
            Ok(answer) => {
                told.answered(&answer);
                Ok(answer.text)
            }
            Err(error) => Err(failure::of_call(&error, &config.id)),
        }
    }

    /// No server answers here, so the call says nothing about one.
    pub(super) async fn ask_seat(&self, ready: Ready<'_>, call: &mut Call) -> Result<String, Failure> {
        let Ready { prompt, admission, permit } = ready;
        let generation = Duration::from_millis(admission.spec.timeout_per_turn_ms);
        let started = Instant::now();
        let seat = SeatCall { shared: &self.shared, work: &self.work, generation };
        let answered = seat.ask(prompt).await;
        call.timing.total_ms = Some(request::millis(started.elapsed()));
        permit.report(End::NEUTRAL);
        answered
    }

    /// One call. Tokens go out while it runs.
    ///
    /// It has a task of its own, because it is woken for every token: what waits around it need not be.
    async fn chat(
        &self,
        client: Arc<dyn ChatModel>,
        request: ChatRequest,
        permit: Permit,
        call: &mut Call,
    ) -> Result<ChatAnswer, ChatError> {
        let Work { debate, ask, .. } = &*self.work;
        let (mut sink, mut sender) = deltas::channel(&self.shared, debate, ask.turn, &ask.participant);
        let started = Instant::now();
        let chat = self.shared.tasks.run(async move {
            let outcome = client.chat(&request, &mut sink).await;
            sink.flush();
            outcome
        });
        let (outcome, ()) = tokio::join!(chat, sender.run());
        permit.report(outcome.as_ref().map_or_else(failure::end_of, |_| End { call: CallEnd::Success, busy: false }));
        account(call, &outcome, started.elapsed());
        outcome
    }
}

fn account(call: &mut Call, outcome: &Result<ChatAnswer, ChatError>, elapsed: Duration) {
    match outcome {
        Ok(answer) => request::account_answer(call, answer, elapsed),
        Err(error) => request::account_error(call, error, elapsed),
    }
}
