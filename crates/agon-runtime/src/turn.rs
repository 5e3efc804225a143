//! One turn from its taking to its result in the register. The body of the task that a participant starts.
use crate::deltas;
use crate::desk::Desk;
use crate::gate::{GateLink, Permit, Refusal};
use crate::replica::{Behind, Replica, read_answer};
use crate::request::{self, Request};
use crate::roster::{OpenTurns, Work};
use crate::shared::Shared;
use crate::{failure, wire};
use agon_core::breaker::CallEnd;
use agon_core::{Admission, Call, Failure, FailureCause, ModelName, TurnResult};
use agon_llm::{ChatAnswer, ChatError, ChatRequest};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// What playing a turn needs.
#[derive(Clone)]
pub(crate) struct Play {
    pub(crate) shared: Shared,
    pub(crate) desk: Arc<Desk>,
    pub(crate) replica: Arc<Replica>,
    pub(crate) open: Arc<OpenTurns>,
    pub(crate) work: Arc<Work>,
}

enum Done {
    /// The register is decided, by this host or against it.
    Decided,
    /// Another host shall take the turn.
    Elsewhere,
}

/// The first and the longest pause between two tries to reach a store.
const STORE_PAUSE: Duration = Duration::from_millis(100);
const STORE_PAUSE_MAX: Duration = Duration::from_secs(5);

impl Play {
    /// Plays the turn and ends it everywhere.
    pub(crate) async fn run(&self) {
        let done = self.play().await;
        self.open.remove(self.work.ask.turn);
        match done {
            Done::Decided => self.finish().await,
            Done::Elsewhere => self.hand_back().await,
        }
    }

    /// Decides the register with a failure of this side.
    pub(crate) async fn fail(&self, detail: &str) {
        let failure = Failure::new(FailureCause::Internal, detail);
        let call = Box::new(Call { host: Some(self.desk.config.id.to_string()), ..Call::default() });
        self.commit(TurnResult::Failed { failure, call }).await;
        self.open.remove(self.work.ask.turn);
        self.finish().await;
    }

    async fn play(&self) -> Done {
        if self.work.may_be_decided() && self.is_decided().await {
            return Done::Decided;
        }
        tokio::select! {
            () = self.overtaken() => Done::Decided,
            done = self.generate_and_commit() => done,
        }
    }

    async fn generate_and_commit(&self) -> Done {
        match self.generate().await {
            Some(result) => {
                self.commit(result).await;
                Done::Decided
            }
            None => Done::Elsewhere,
        }
    }

    /// Keeps the turn's leases, and returns when its register was decided against this host.
    async fn overtaken(&self) {
        loop {
            let pause = tokio::time::sleep(self.shared.config.times.turn_check);
            tokio::select! {
                () = pause => {}
                () = self.work.doubted.notified() => {}
            }
            for delivery in self.work.deliveries() {
                if let Err(error) = delivery.extend().await {
                    tracing::debug!(debate = %self.work.debate, %error, "lease of a turn not extended");
                }
            }
            if self.is_decided().await {
                tracing::info!(debate = %self.work.debate, turn = %self.work.ask.turn, "turn decided elsewhere, aborted");
                return;
            }
        }
    }

    /// Whether the register is decided. A store that cannot be read is asked again until the turn's deadline.
    async fn is_decided(&self) -> bool {
        let mut pause = STORE_PAUSE;
        loop {
            match self.shared.registers.get(&self.work.debate, self.work.ask.turn).await {
                Ok(result) => return result.is_some(),
                Err(error) => tracing::warn!(debate = %self.work.debate, %error, "register not read"),
            }
            if self.is_late() {
                return true;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(STORE_PAUSE_MAX);
        }
    }

    /// Writes the result unless the register is decided. A result is not given up before the turn's deadline.
    async fn commit(&self, result: TurnResult) {
        let mut pause = STORE_PAUSE;
        loop {
            let (debate, turn) = (&self.work.debate, self.work.ask.turn);
            match self.shared.registers.decide(debate, turn, result.clone()).await {
                Ok(decision) => {
                    tracing::debug!(%debate, %turn, won = decision.won, "result offered to the register");
                    return;
                }
                Err(error) => tracing::warn!(%debate, %error, "register not written"),
            }
            if self.is_late() {
                return;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(STORE_PAUSE_MAX);
        }
    }

    /// After the deadline the coordinator decides the register.
    fn is_late(&self) -> bool {
        self.shared.clock.now() >= self.work.ask.deadline
    }

    /// The result first, then the hint, then the queue: a crash in between costs a look at the register.
    async fn finish(&self) {
        let (debate, turn) = (&self.work.debate, self.work.ask.turn);
        self.shared.hint(debate, wire::decided(debate, turn)).await;
        for delivery in self.work.deliveries() {
            if let Err(error) = delivery.ack().await {
                tracing::debug!(%debate, %error, "turn not acknowledged, it will come again");
            }
        }
    }

    async fn hand_back(&self) {
        let deliveries = self.work.deliveries();
        for delivery in &deliveries {
            if let Err(error) = delivery.nak(Duration::ZERO).await {
                tracing::debug!(debate = %self.work.debate, %error, "turn not given back, its lease will run out");
            }
        }
        if deliveries.is_empty() {
            crate::offer::enqueue(&self.shared, &self.work.debate, &self.work.ask).await;
        }
    }

    /// Generates; none when another host shall.
    async fn generate(&self) -> Option<TurnResult> {
        let mut call = Box::new(self.call());
        match self.answer(&mut call).await {
            Ok(Some(answer)) => Some(TurnResult::Answered { answer, call }),
            Ok(None) => None,
            Err(failure) => Some(TurnResult::Failed { failure, call }),
        }
    }

    /// The part of the call's account that is known before it.
    fn call(&self) -> Call {
        let host = &self.desk.config;
        let model = Some(self.work.ask.model.clone());
        Call { host: Some(host.id.to_string()), model, rehearsal: host.rehearsal, ..Call::default() }
    }

    async fn answer(&self, call: &mut Call) -> Result<Option<agon_core::Answer>, Failure> {
        let admission = self.caught_up().await.map_err(|behind| internal(&behind))?;
        let permit = match self.permit(&admission).await {
            Ok(permit) => permit,
            Err(Refusal::Elsewhere) => return Ok(None),
            Err(refusal) => return Err(self.refused(refusal)),
        };
        self.work.leave_line();
        let waited = self.work.taken.elapsed();
        let request = self.request(&admission)?;
        call.digest = self.desk.digest(&self.work.ask.model).await;
        call.prompt_hash = Some(request.hash.clone());
        call.options = request.options.clone();
        call.timing.queue_ms = Some(request::millis(waited));
        let text = self
            .chat(request.chat, permit, call)
            .await
            .map_err(|error| failure::of_call(&error, &self.desk.config.id))?;
        let answer = read_answer(&admission, &self.work.ask, &text);
        answer.map(Some).map_err(|malformed| Failure::new(FailureCause::Malformed, malformed))
    }

    /// A log that is behind may be a replica of the store that is: a few looks, then a failure.
    async fn caught_up(&self) -> Result<Arc<Admission>, Behind> {
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

    async fn permit(&self, admission: &Admission) -> Result<Permit, Refusal> {
        let gate = self.gate().ok_or(Refusal::Elsewhere)?;
        let limit = Duration::from_millis(admission.retry.wait_limit_ms);
        gate.acquire(&self.work.debate, self.work.taken + limit).await
    }

    fn gate(&self) -> Option<Arc<GateLink>> {
        self.shared.directory.gate(&self.desk.config.id, &self.work.ask.model)
    }

    fn refused(&self, refusal: Refusal) -> Failure {
        let model: &ModelName = &self.work.ask.model;
        failure::of_refusal(refusal, model, &self.desk.config.id, &self.shared.directory.open_at(model))
    }

    fn request(&self, admission: &Admission) -> Result<Request, Failure> {
        let prompt = self.replica.prompt(&self.work.ask);
        let prompt = prompt.ok_or_else(|| Failure::new(FailureCause::Internal, "the log was dropped"))?;
        let prompt = prompt.map_err(|error| request::prompt_failure(&error))?;
        Ok(request::build(prompt, &self.work.ask, &self.desk.config, &admission.spec))
    }

    /// One call. Tokens go out while it runs.
    ///
    /// It has a task of its own, because it is woken for every token: what waits around it need not be.
    async fn chat(&self, request: ChatRequest, permit: Permit, call: &mut Call) -> Result<String, ChatError> {
        let Work { debate, ask, .. } = &*self.work;
        let (mut sink, mut sender) = deltas::channel(&self.shared, debate, ask.turn, &ask.participant);
        let (client, started) = (self.desk.config.client.clone(), Instant::now());
        let chat = self.shared.tasks.run(async move {
            let outcome = client.chat(&request, &mut sink).await;
            sink.flush();
            outcome
        });
        let (outcome, ()) = tokio::join!(chat, sender.run());
        permit.report(outcome.as_ref().map_or_else(failure::end_of, |_| CallEnd::Success));
        account(call, &outcome, started.elapsed());
        outcome.map(|answer| answer.text)
    }
}

fn account(call: &mut Call, outcome: &Result<ChatAnswer, ChatError>, elapsed: Duration) {
    match outcome {
        Ok(answer) => request::account_answer(call, answer, elapsed),
        Err(error) => request::account_error(call, error, elapsed),
    }
}

fn internal(behind: &Behind) -> Failure {
    Failure::new(FailureCause::Internal, behind.to_string())
}
