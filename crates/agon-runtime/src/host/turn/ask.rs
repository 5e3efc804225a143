//! One call of a turn: leave to make it, the asking, and what it cost.
use super::answer::ServerTurn;
use super::cut::{Ear, SpokenText};
use super::sinks::{SpeechSink, UnheardSink};
use super::{NoAnswer, Play, Unplayed};
use crate::base::clock::millis;
use crate::host::contexts::Bound;
use crate::host::failure;
use crate::host::gate::line::WaitingPlace;
use crate::host::gate::{CallCost, CallReport, GateLink, Permit, PermitRefusal};
use crate::host::host_state::Answerer;
use crate::host::open_turns::TakenTurn;
use crate::host::request::{self, Costs};
use crate::host::turn::deltas;
use crate::host::turn::seat::SeatCall;
use agon_core::{Admission, Answer, Call, FIRST_WAIT_MS, Failure, FailureCause, ModelName, OnCut, Timestamp};
use agon_llm::{ChatAnswer, ChatError, ChatRequest, DeltaSink as _};
use agon_prompt::Prompt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The target of log lines that say what watchers are told as well: a process that shows its debates leaves them out.
const WATCHED: &str = "agon_runtime::watched";

/// A call that is to be made.
pub(super) struct Generation<'a> {
    pub(super) turn: &'a ServerTurn<'a>,
    pub(super) request: ChatRequest,
    /// The answer may be shorter than the debate allows.
    pub(super) bound: Option<Bound>,
    pub(super) permit: Permit,
    /// Listens to a speech that may be interrupted.
    pub(super) ear: Option<Arc<Ear>>,
    /// What is said is the answer as it is, so that a part of it may stand.
    pub(super) plain: bool,
}

impl<'a> Generation<'a> {
    fn spare(&self) -> Spare<'a> {
        let (request, ear) = (self.request.clone(), self.ear.clone());
        Spare { turn: self.turn, request, bound: self.bound, ear, plain: self.plain }
    }
}

/// What it takes to make a call again.
struct Spare<'a> {
    turn: &'a ServerTurn<'a>,
    request: ChatRequest,
    bound: Option<Bound>,
    ear: Option<Arc<Ear>>,
    plain: bool,
}

/// A call without an answer.
struct Lost {
    /// Its server is away, and nothing of an answer had come.
    away: bool,
    failure: Failure,
    /// What was said up to the limit of tokens, or until it went in circles.
    cut: Option<String>,
}

impl Lost {
    /// With what was said, where the limit of tokens cut it.
    fn with(mut self, said: &SpokenText) -> Self {
        self.cut = (self.failure.cause == FailureCause::Truncated).then(|| said.text());
        self
    }
}

/// For how much of the time that a turn may wait others may be preferred to it, by its priority.
const PATIENCE: [f64; 3] = [0.05, 0.5, 0.8];
/// A turn of a debate with a time budget is passed over for this part of it at the most.
const HURRY: u32 = 40;
/// How often those who wait are told what for.
const TELL_EVERY: Duration = Duration::from_secs(1);
/// A turn that has another model looks soon whether its server is away.
const FALLBACK_LOOK: Duration = Duration::from_millis(50);
/// An absence that was seen so long before a turn came is as good as seen by it, in milliseconds.
const FRESH: u64 = 500;
/// Whoever reads the log is told within so long after a server went away, in milliseconds: less than two looks take.
const WARNED_WITHIN: u64 = 2_000;
/// A call that was not refused for so long has a server: longer than it takes to give up a connection.
const TAKEN: Duration = Duration::from_secs(5);
/// A turn is given up so long before its deadline, in milliseconds, so that its host says why.
const MARGIN: u64 = 1_000;

/// What a call gave.
pub(super) enum CallAnswer {
    /// The model's whole answer.
    Whole(ChatAnswer),
    /// A speech that somebody cut, or its limit of tokens.
    Cut(Answer),
}
impl CallAnswer {
    /// The answer to the turn.
    pub(super) fn into_answer(self, play: &Play, turn: &ServerTurn<'_>, call: &mut Call) -> Result<Answer, NoAnswer> {
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
    /// Leave to call, waited for since `since`; the call's times tell how long, and what for. A host that drains starts no
    /// call, so that who waits goes elsewhere at once.
    pub(super) async fn permit(
        &self,
        admission: &Admission,
        since: Instant,
        call: &mut Call,
    ) -> Result<Permit, NoAnswer> {
        let acquired = self.acquire(admission, since).await;
        self.note_wait(since, call);
        match acquired {
            Ok(permit) => Ok(permit),
            Err(PermitRefusal::Elsewhere) => Err(NoAnswer::Left(Unplayed::Unable)),
            Err(refusal) => Err(self.refused(refusal).into()),
        }
    }

    /// Writes down a wait that ends now: for a model server that was away, and for the rest in the queue.
    fn note_wait(&self, since: Instant, call: &mut Call) {
        let waited = millis(since.elapsed());
        let now = self.shared.clock.now();
        let began = Timestamp(now.0.saturating_sub(waited));
        let away = self.gate().map_or(0, |gate| gate.absent(began, now)).min(waited);
        let timing = &mut call.timing;
        timing.queue_ms = Some(timing.queue_ms.unwrap_or(0).saturating_add(waited - away));
        add_away(call, away);
    }

    async fn acquire(&self, admission: &Admission, since: Instant) -> Result<Permit, PermitRefusal> {
        let gate = self.gate().ok_or(PermitRefusal::Elsewhere)?;
        let (limit, place) =
            (Duration::from_millis(admission.retry.wait_limit_ms), self.waiting_place(admission, since));
        let until = if place.begun { since + limit } else { self.work.given_up_at() };
        let mut draining = self.shared.directory.draining(&self.host_state.id);
        tokio::select! {
            biased;
            _ = draining.wait_for(|draining| *draining) => Err(PermitRefusal::Elsewhere),
            permit = gate.acquire(&place, until) => match (permit, gate.away()) {
                (Err(PermitRefusal::NoPermit), Some(away)) => Err(PermitRefusal::Away(away)),
                (permit, _) => permit,
            },
            refusal = self.out_of_patience(&gate, admission) => Err(refusal),
        }
    }

    /// When the turn was asked, by what is left of its time; with a time budget that is not known, and it was taken just then.
    pub(super) fn asked(&self, admission: &Admission) -> Instant {
        let (taken, spec) = (self.work.taken, &admission.spec);
        let wait = admission.retry.wait_limit_ms;
        let wait = if self.work.begun { wait } else { wait.max(FIRST_WAIT_MS) };
        let whole = Duration::from_millis(wait.saturating_add(spec.timeout_per_turn_ms));
        let left = self.work.given_up_at().saturating_duration_since(taken);
        let waited = whole.saturating_sub(left);
        spec.budget.seconds.map_or(taken.checked_sub(waited), |_| None).unwrap_or(taken)
    }

    /// Where the turn waits. Whoever watches is preferred to whoever does not.
    fn waiting_place(&self, admission: &Admission, since: Instant) -> WaitingPlace {
        let TakenTurn { debate, priority, begun, .. } = &*self.work;
        let limit = Duration::from_millis(admission.retry.wait_limit_ms);
        let patience = limit.mul_f64(priority.pick(PATIENCE));
        let budget = admission.spec.budget.seconds.map(|seconds| Duration::from_secs(seconds) / HURRY);
        let patience = budget.map_or(patience, |budget| budget.min(patience));
        WaitingPlace { priority: *priority, debate: debate.clone(), begun: *begun, patience, since }
    }

    /// Returns when the server was away for as long as a turn waits for one; until then it tells what is waited for. A
    /// persona that has another model left does not wait.
    async fn out_of_patience(&self, gate: &GateLink, admission: &Admission) -> PermitRefusal {
        let ask = &self.work.ask;
        let models = admission.spec.role(&ask.participant).map(|role| role.models()).unwrap_or_default();
        let has_fallback = models.last().is_some_and(|last| **last != ask.model);
        let limit = if has_fallback { 0 } else { admission.retry.wait_limit_ms };
        let began = self.shared.clock.now();
        loop {
            tokio::time::sleep(if has_fallback { FALLBACK_LOOK } else { TELL_EVERY }).await;
            let Some(away) = gate.away() else { continue };
            let now = self.shared.clock.now();
            // seen by a call that was made since this turn waits, or by the turn's own
            let seen = away.seen.plus(FRESH) >= began && !away.is_looked_for(now);
            let given_up = now.plus(millis(self.work.left()).saturating_sub(MARGIN));
            let until = away.since.plus(limit).min(given_up);
            if seen && now >= until {
                return PermitRefusal::Away(away);
            }
            let what = failure::waiting_for(&self.host_state.id, &away, now);
            // once: every look that finds nobody begins to wait anew
            if now.since(away.since) < WARNED_WITHIN {
                let server = match &self.host_state.player {
                    Answerer::Server(config) => Some(tracing::field::display(config.client.endpoint())),
                    Answerer::Seats => None,
                };
                tracing::warn!(target: WATCHED, debate = %self.work.debate, turn = %ask.turn, server, "turn waits for its model server: {what}; is it running? `agon doctor` looks");
            }
            deltas::tell_waiting(&self.shared, &self.work.debate, (ask.turn, &ask.participant), what).await;
        }
    }

    /// The same call once more, when its server may be back: nothing of an answer has come.
    async fn again<'a>(&self, lost: Lost, spare: Spare<'a>, call: &mut Call) -> Result<Generation<'a>, NoAnswer> {
        let Lost { away, failure, cut: _ } = lost;
        if !away {
            return Err(failure.into());
        }
        tracing::debug!(debate = %self.work.debate, host = %self.host_state.id, error = %failure.detail, "model server away");
        let permit = self.permit(spare.turn.admission, Instant::now(), call).await?;
        let Spare { turn, request, bound, ear, plain } = spare;
        Ok(Generation { turn, request, bound, permit, ear, plain })
    }

    fn gate(&self) -> Option<Arc<GateLink>> {
        self.shared.directory.gate(&self.host_state.id, &self.work.ask.model)
    }

    fn refused(&self, refusal: PermitRefusal) -> Failure {
        let model: &ModelName = &self.work.ask.model;
        let open = failure::OpenBreaker {
            model,
            hosts: self.shared.directory.open_at(model),
            failing: self.gate().and_then(|gate| gate.failing()),
            now: self.shared.clock.now(),
        };
        failure::of_refusal(refusal, &self.host_state.id, &open)
    }

    pub(super) fn prompt(&self) -> Result<Prompt, Failure> {
        let speed = self.shared.config.speeds.of(&self.host_state.id, &self.work.ask.model);
        let prompt = self.replica.prompt(&self.work.ask, speed);
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
        call.timing.total_ms = Some(millis(started.elapsed()));
        permit.report(CallReport::NEUTRAL);
        self.read(admission, &answered?, call)
    }

    /// One call whose tokens go out while it runs, made again for as long as its server is away.
    pub(super) async fn generate_once(
        &self,
        generation: Generation<'_>,
        costs: &mut Costs,
        call: &mut Call,
    ) -> Result<CallAnswer, NoAnswer> {
        let mut next = generation;
        loop {
            let spare = next.spare();
            match self.call_aloud(next, costs, call).await {
                Ok(CallAnswer::Whole(answer)) => {
                    self.host_state.check_whole(&spare.request, answer.usage, &self.work.ask.model).await?;
                    return Ok(CallAnswer::Whole(answer));
                }
                Ok(cut @ CallAnswer::Cut(_)) => return Ok(cut),
                Err(lost) => match self.kept(&spare, &lost) {
                    Some(answer) => return Ok(CallAnswer::Cut(answer)),
                    None => next = Box::pin(self.again(lost, spare, call)).await?,
                },
            }
        }
    }

    /// One call that nobody hears, because more may follow before there is an answer, made again likewise.
    pub(super) async fn generate_unheard(
        &self,
        generation: Generation<'_>,
        costs: &mut Costs,
        call: &mut Call,
    ) -> Result<CallAnswer, NoAnswer> {
        let mut next = generation;
        loop {
            let spare = next.spare();
            match self.call_unheard(next, costs, call).await {
                Ok(answer) => {
                    self.host_state.check_whole(&spare.request, answer.usage, &self.work.ask.model).await?;
                    return Ok(CallAnswer::Whole(answer));
                }
                Err(lost) => match self.kept(&spare, &lost) {
                    Some(answer) => return Ok(CallAnswer::Cut(answer)),
                    None => next = Box::pin(self.again(lost, spare, call)).await?,
                },
            }
        }
    }

    /// A speech that reached its limit, where the file lets it stand as far as it came.
    fn kept(&self, spare: &Spare<'_>, lost: &Lost) -> Option<Answer> {
        let admission = spare.turn.admission;
        let said = lost.cut.as_deref().filter(|_| spare.plain && admission.spec.on_cut == OnCut::Keep)?;
        self.speech_up_to(admission, said)
    }

    /// A call whose tokens go out while it runs.
    ///
    /// A call has a task of its own, because it is woken for every token: what waits around it need not be.
    async fn call_aloud(
        &self,
        generation: Generation<'_>,
        costs: &mut Costs,
        call: &mut Call,
    ) -> Result<CallAnswer, Lost> {
        let Generation { turn, request, bound, permit, ear, plain: _ } = generation;
        let TakenTurn { debate, ask, .. } = &*self.work;
        let said = Arc::new(SpokenText::new(request.format.is_some()));
        let (batcher, mut sender) = deltas::channel(&self.shared, debate, ask.turn, &ask.participant);
        let client = turn.config.client.clone();
        let started = Instant::now();
        let mut sink = SpeechSink { batcher, ear: ear.clone(), said: said.clone(), witness: permit.witness() };
        let chat = self.shared.tasks.run(async move {
            let outcome = client.chat(&request, &mut sink).await;
            sink.batcher.flush();
            outcome
        });
        let chat = self.taken(&permit, chat);
        let whole = async { tokio::join!(chat, sender.run()).0 };
        let interrupted = async {
            match &ear {
                Some(ear) => self.interrupted(turn.admission, ear).await,
                None => std::future::pending().await,
            }
        };
        let answer = tokio::select! {
            biased;
            outcome = whole => {
                let answered = self.account((outcome, bound), permit, costs, call, started);
                return answered.map(CallAnswer::Whole).map_err(|lost| lost.with(&said));
            }
            answer = interrupted => Ok(CallAnswer::Cut(answer)),
            () = said.goes_in_circles() => {
                let detail = format!("{}: the answer says the same over and over", self.host_state.id);
                let failure = Failure::new(FailureCause::Truncated, detail);
                Err(Lost { away: false, failure, cut: Some(said.text()) })
            }
        };
        // the server was left in the middle of its work, which says nothing about it
        permit.report(CallReport::NEUTRAL);
        costs.add_cut(call, started.elapsed());
        answer
    }

    async fn call_unheard(
        &self,
        generation: Generation<'_>,
        costs: &mut Costs,
        call: &mut Call,
    ) -> Result<ChatAnswer, Lost> {
        let Generation { turn, request, bound, permit, ear: _, plain: _ } = generation;
        let client = turn.config.client.clone();
        let started = Instant::now();
        let said = Arc::new(SpokenText::default());
        let mut sink = UnheardSink { said: said.clone(), witness: permit.witness() };
        let chat = self.shared.tasks.run(async move { client.chat(&request, &mut sink).await });
        let outcome = self.taken(&permit, chat).await;
        self.account((outcome, bound), permit, costs, call, started).map_err(|lost| lost.with(&said))
    }

    /// The same call. A server that was away and refuses it for so long neither the connection nor the request has taken it: it is
    /// back, and those who wait for it need not wait for the first byte of an answer, which a long prompt or load puts off.
    async fn taken<T>(&self, permit: &Permit, call: impl Future<Output = T>) -> T {
        if !permit.is_of_absent_server() {
            return call.await;
        }
        let mut call = std::pin::pin!(call);
        match tokio::time::timeout(TAKEN, call.as_mut()).await {
            Ok(outcome) => outcome,
            Err(_) => {
                permit.witness().sees();
                let ask = &self.work.ask;
                let nothing = String::new();
                deltas::tell_waiting(&self.shared, &self.work.debate, (ask.turn, &ask.participant), nothing).await;
                call.await
            }
        }
    }

    /// Sends to watchers at once what turned out to be the answer.
    pub(super) async fn tell_whole(&self, text: &str) {
        let TakenTurn { debate, ask, .. } = &*self.work;
        let (mut batcher, mut sender) = deltas::channel(&self.shared, debate, ask.turn, &ask.participant);
        batcher.text(text);
        batcher.flush();
        drop(batcher);
        sender.run().await;
    }

    fn account(
        &self,
        (outcome, bound): (Result<ChatAnswer, ChatError>, Option<Bound>),
        mut permit: Permit,
        costs: &mut Costs,
        call: &mut Call,
        started: Instant,
    ) -> Result<ChatAnswer, Lost> {
        if let Ok(answer) = &outcome {
            permit.cost(CallCost { usage: answer.usage, prefill_ms: answer.timing.prefill_ms });
        }
        self.shared.config.speeds.learn(&self.host_state.id, &self.work.ask.model, &outcome);
        let outcome = self.host_state.repeated.judge(&self.work.ask.model, outcome);
        let is_away = match &outcome {
            Ok(_) => permit.report(CallReport::SUCCESS),
            Err(error) => permit.report_failed(failure::end_of(error), error),
        };
        match outcome {
            Ok(answer) => {
                costs.add_answer(call, &answer, started.elapsed());
                if let Some(count) = answer.disbelieved_count {
                    self.host_state.note_count(&self.work.ask.model, count);
                }
                if let Some(name) = &answer.model {
                    call.answered_as(name);
                    self.host_state.note_name(call);
                }
                Ok(answer)
            }
            Err(error) => {
                if error.is_thinking_alone() {
                    self.host_state.note_thinking(&self.work.ask.model);
                }
                let away = error.is_away() || is_away && error.was_unanswered();
                match away {
                    true => add_away(call, millis(started.elapsed())),
                    false => costs.add_error(call, &error, started.elapsed()),
                }
                Err(Lost { away, failure: self.failed(&error, bound), cut: None })
            }
        }
    }

    /// The failure of a call to the model server.
    fn failed(&self, error: &ChatError, bound: Option<Bound>) -> Failure {
        let mut failure = failure::of_bounded_call(error, bound, &self.host_state.id);
        if let Answerer::Server(config) = &self.host_state.player {
            let known = self.shared.directory.served_at(&self.host_state.id);
            failure::name_others(&mut failure, &self.work.ask.model, config.client.endpoint().kind(), &known);
        }
        failure
    }
}

/// Adds to the time that a call waited for a model server that was away.
fn add_away(call: &mut Call, ms: u64) {
    if ms > 0 {
        call.timing.away_ms = Some(call.timing.away_ms.unwrap_or(0).saturating_add(ms));
    }
}
