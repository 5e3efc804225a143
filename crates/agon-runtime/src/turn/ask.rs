//! One call of a turn: leave to make it, the asking, and what it cost.
use super::answer::Turn;
use super::cut::Ear;
use super::{Left, NoAnswer, Play};
use crate::deltas::{self, Batcher};
use crate::failure;
use crate::gate::{End, GateLink, Permit, Refusal};
use crate::permits::Place;
use crate::request::{self, Costs};
use crate::roster::Work;
use crate::seat::SeatCall;
use agon_core::breaker::CallEnd;
use agon_core::{Admission, Answer, Call, Failure, FailureCause, ModelName};
use agon_llm::{ChatAnswer, ChatError, ChatRequest, DeltaSink};
use agon_prompt::Prompt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// A call that is to be made.
pub(super) struct Generation<'a> {
    pub(super) turn: &'a Turn<'a>,
    pub(super) request: ChatRequest,
    pub(super) permit: Permit,
    /// Listens to a speech that may be interrupted.
    pub(super) ear: Option<Arc<Ear>>,
}

/// What a call gave.
pub(super) enum Said {
    /// The model's whole answer.
    Whole(ChatAnswer),
    /// A speech that somebody cut.
    Cut(Answer),
}
impl Said {
    /// The answer to the turn.
    pub(super) fn into_answer(self, play: &Play, turn: &Turn<'_>, call: &mut Call) -> Result<Answer, NoAnswer> {
        match self {
            Self::Whole(answer) => {
                turn.told.answered(&answer);
                play.read(turn.admission, &answer.text, call)
            }
            Self::Cut(answer) => Ok(answer),
        }
    }
}

impl Play {
    /// Leave to call, waited for since `since`. A host that drains starts no call, so that who waits goes elsewhere at once.
    pub(super) async fn permit(&self, admission: &Admission, since: Instant) -> Result<Permit, NoAnswer> {
        match self.acquire(admission, since).await {
            Ok(permit) => Ok(permit),
            Err(Refusal::Elsewhere) => Err(NoAnswer::Left(Left::Unable)),
            Err(refusal) => Err(self.refused(refusal).into()),
        }
    }

    async fn acquire(&self, admission: &Admission, since: Instant) -> Result<Permit, Refusal> {
        let gate = self.gate().ok_or(Refusal::Elsewhere)?;
        let limit = Duration::from_millis(admission.retry.wait_limit_ms);
        let place = Place { priority: self.work.priority, key: self.work.debate.clone() };
        let mut draining = self.shared.directory.draining(&self.desk.id);
        tokio::select! {
            biased;
            _ = draining.wait_for(|draining| *draining) => Err(Refusal::Elsewhere),
            permit = gate.acquire(&place, since + limit) => permit,
        }
    }

    fn gate(&self) -> Option<Arc<GateLink>> {
        self.shared.directory.gate(&self.desk.id, &self.work.ask.model)
    }

    fn refused(&self, refusal: Refusal) -> Failure {
        let model: &ModelName = &self.work.ask.model;
        let open = (self.shared.directory.open_at(model), self.shared.clock.now());
        failure::of_refusal(refusal, model, &self.desk.id, (&open.0, open.1))
    }

    pub(super) fn prompt(&self) -> Result<Prompt, Failure> {
        let prompt = self.replica.prompt(&self.work.ask);
        let prompt = prompt.ok_or_else(|| Failure::new(FailureCause::Internal, "the log was dropped"))?;
        prompt.map_err(|error| request::prompt_failure(&error))
    }

    /// No server answers here, so the call says nothing about one.
    pub(super) async fn ask_seat(
        &self,
        admission: &Admission,
        permit: Permit,
        call: &mut Call,
    ) -> Result<Answer, NoAnswer> {
        let prompt = self.prompt()?;
        call.prompt_hash = Some(request::hash(&prompt));
        let generation = Duration::from_millis(admission.spec.timeout_per_turn_ms);
        let started = Instant::now();
        let ask = agon_prompt::shown_ask(&admission.spec, &self.work.ask);
        let seat = SeatCall { shared: &self.shared, work: &self.work, ask, generation };
        let answered = seat.ask(prompt).await;
        call.timing.total_ms = Some(request::millis(started.elapsed()));
        permit.report(End::NEUTRAL);
        self.read(admission, &answered?, call)
    }

    /// One call whose tokens go out while it runs.
    ///
    /// It has a task of its own, because it is woken for every token: what waits around it need not be.
    pub(super) async fn generate_once(
        &self,
        generation: Generation<'_>,
        costs: &mut Costs,
        call: &mut Call,
    ) -> Result<Said, Failure> {
        let Generation { turn, request, permit, ear } = generation;
        let Work { debate, ask, .. } = &*self.work;
        let (batcher, mut sender) = deltas::channel(&self.shared, debate, ask.turn, &ask.participant);
        let client = turn.config.client.clone();
        let started = Instant::now();
        let mut sink = Sink { batcher, ear: ear.clone() };
        let chat = self.shared.tasks.run(async move {
            let outcome = client.chat(&request, &mut sink).await;
            sink.batcher.flush();
            outcome
        });
        let whole = async { tokio::join!(chat, sender.run()).0 };
        let outcome = match ear {
            None => whole.await,
            Some(ear) => tokio::select! {
                biased;
                outcome = whole => outcome,
                answer = self.interrupted(turn.admission, &ear) => {
                    // the server was left in the middle of its work, which says nothing about it
                    permit.report(End::NEUTRAL);
                    costs.add_cut(call, started.elapsed());
                    return Ok(Said::Cut(answer));
                }
            },
        };
        self.account(outcome, permit, costs, call, started).map(Said::Whole)
    }

    /// One call that nobody hears, because more may follow before there is an answer.
    pub(super) async fn generate_unheard(
        &self,
        generation: Generation<'_>,
        costs: &mut Costs,
        call: &mut Call,
    ) -> Result<ChatAnswer, Failure> {
        let Generation { turn, request, permit, ear: _ } = generation;
        let client = turn.config.client.clone();
        let started = Instant::now();
        let chat = self.shared.tasks.run(async move { client.chat(&request, &mut agon_llm::Discard).await });
        let outcome = chat.await;
        self.account(outcome, permit, costs, call, started)
    }

    /// Sends to watchers at once what turned out to be the answer.
    pub(super) async fn tell_whole(&self, text: &str) {
        let Work { debate, ask, .. } = &*self.work;
        let (mut batcher, mut sender) = deltas::channel(&self.shared, debate, ask.turn, &ask.participant);
        batcher.text(text);
        batcher.flush();
        drop(batcher);
        sender.run().await;
    }

    fn account(
        &self,
        outcome: Result<ChatAnswer, ChatError>,
        permit: Permit,
        costs: &mut Costs,
        call: &mut Call,
        started: Instant,
    ) -> Result<ChatAnswer, Failure> {
        permit.report(outcome.as_ref().map_or_else(failure::end_of, |_| End { call: CallEnd::Success, busy: false }));
        match outcome {
            Ok(answer) => {
                costs.add_answer(call, &answer, started.elapsed());
                Ok(answer)
            }
            Err(error) => {
                costs.add_error(call, &error, started.elapsed());
                Err(failure::of_call(&error, &self.desk.id))
            }
        }
    }
}

/// Where the pieces of a speech go: to watchers, and to the ear of whoever may interrupt.
struct Sink {
    batcher: Batcher,
    ear: Option<Arc<Ear>>,
}
impl DeltaSink for Sink {
    fn text(&mut self, delta: &str) {
        if let Some(ear) = &self.ear {
            ear.hear(delta);
        }
        self.batcher.text(delta);
    }
    fn loading(&mut self) {
        self.batcher.loading();
    }
}
