//! Arbitrary tasks, answers and results.
use super::{maybe_real, maybe_shared, maybe_text, text, texts};
use agon_core::*;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

/// A turn.
pub fn turn() -> BoxedStrategy<TurnId> {
    any::<(u32, u32, u32)>().prop_map(|(round, seat, attempt)| TurnId { round, seat, attempt }).boxed()
}

/// A participant.
pub(super) fn participant() -> BoxedStrategy<ParticipantId> {
    text().prop_map(ParticipantId::new).boxed()
}

/// When a ballot is cast.
pub(super) fn stage() -> BoxedStrategy<BallotStage> {
    select(vec![BallotStage::Initial, BallotStage::Final]).boxed()
}

/// What a turn asks for.
pub fn task() -> BoxedStrategy<Task> {
    prop_oneof![
        (stage(), texts()).prop_map(|(stage, choices)| Task::Ballot { stage, choices }),
        Just(Task::Opening),
        (maybe_shared(), maybe_shared(), maybe_shared()).prop_map(|(briefing, new_angle, summary)| Task::Argument {
            briefing,
            new_angle,
            summary
        }),
        Just(Task::Closing),
        Just(Task::OpenRound),
        Just(Task::CloseRound),
        (any::<u32>(), texts()).prop_map(|(order, candidates)| Task::Judge { order, candidates }),
        texts().prop_map(|candidates| Task::Vote { candidates }),
    ]
    .boxed()
}

/// One request to one participant.
pub fn ask() -> BoxedStrategy<Ask> {
    (turn(), participant(), text(), task(), any::<(u64, u64)>(), maybe_text())
        .prop_map(|(turn, participant, model, task, (sees, deadline), correction)| Ask {
            turn,
            participant,
            model: ModelName::new(model),
            task,
            sees: Position(sees),
            deadline: Timestamp(deadline),
            correction,
        })
        .boxed()
}

/// A well-formed answer.
pub fn answer() -> BoxedStrategy<Answer> {
    prop_oneof![
        text().prop_map(|text| Answer::Speech { text: text.into() }),
        (text(), texts()).prop_map(|(choice, reasons)| Answer::Choice { choice, reasons }),
        round_plan().prop_map(Answer::RoundPlan),
        round_summary().prop_map(Answer::RoundSummary),
        judgement().prop_map(Answer::Judgement),
    ]
    .boxed()
}

/// How a round is opened.
pub(super) fn round_plan() -> BoxedStrategy<RoundPlan> {
    (vec(participant(), 0..3), maybe_text(), maybe_text(), any::<bool>())
        .prop_map(|(next_speakers, briefing, new_angle, done)| RoundPlan { next_speakers, briefing, new_angle, done })
        .boxed()
}

/// How a round is closed.
pub(super) fn round_summary() -> BoxedStrategy<RoundSummary> {
    (text(), select(vec![RoundStatus::Settled, RoundStatus::Continue]), maybe_text())
        .prop_map(|(summary, status, decision)| RoundSummary { summary, status, decision })
        .boxed()
}

fn judgement() -> BoxedStrategy<Judgement> {
    let cited = (any::<u32>(), text()).prop_map(|(entry, quote)| CitedEntry { entry, quote });
    (text(), maybe_text(), text(), vec(cited, 0..3))
        .prop_map(|(verdict, winner, reasoning, citations)| Judgement { verdict, winner, reasoning, citations })
        .boxed()
}

/// How an answer came about.
pub fn call() -> BoxedStrategy<Call> {
    let texts = [maybe_text(), maybe_text(), maybe_text(), maybe_text(), maybe_text()];
    (texts, options(), usage(), timing(), any::<bool>())
        .prop_map(|([host, model, digest, prompt_hash, finish_reason], options, usage, timing, rehearsal)| Call {
            host,
            model: model.map(ModelName::new),
            digest,
            prompt_hash,
            options,
            usage,
            timing,
            finish_reason,
            rehearsal,
        })
        .boxed()
}

fn options() -> BoxedStrategy<CallOptions> {
    (maybe_real(), maybe_real(), maybe_real(), any::<(Option<u64>, Option<u32>)>())
        .prop_map(|(temperature, top_p, presence_penalty, (seed, max_tokens))| CallOptions {
            temperature,
            top_p,
            presence_penalty,
            seed,
            max_tokens,
        })
        .boxed()
}

fn usage() -> BoxedStrategy<Usage> {
    any::<[Option<u64>; 3]>()
        .prop_map(|[prompt_tokens, cached_tokens, completion_tokens]| Usage {
            prompt_tokens,
            cached_tokens,
            completion_tokens,
        })
        .boxed()
}

fn timing() -> BoxedStrategy<Timing> {
    any::<[Option<u64>; 6]>()
        .prop_map(|[queue_ms, load_ms, prefill_ms, decode_ms, first_byte_ms, total_ms]| Timing {
            queue_ms,
            load_ms,
            prefill_ms,
            decode_ms,
            first_byte_ms,
            total_ms,
        })
        .boxed()
}

/// The kind of a failure.
pub(super) fn cause() -> BoxedStrategy<FailureCause> {
    select(vec![
        FailureCause::Timeout,
        FailureCause::Busy,
        FailureCause::NotFound,
        FailureCause::ContextOverflow,
        FailureCause::Truncated,
        FailureCause::Malformed,
        FailureCause::Transport,
        FailureCause::ServerError,
        FailureCause::BadRequest,
        FailureCause::Unauthorized,
        FailureCause::Quota,
        FailureCause::BreakerOpen,
        FailureCause::Internal,
        FailureCause::Cancelled,
    ])
    .boxed()
}

/// Why a try failed.
pub(super) fn failure() -> BoxedStrategy<Failure> {
    (cause(), text(), of(any::<u64>()))
        .prop_map(|(cause, detail, retry_after_ms)| Failure { cause, detail, retry_after_ms })
        .boxed()
}

/// What became of a try.
pub fn turn_result() -> BoxedStrategy<TurnResult> {
    prop_oneof![
        (answer(), call()).prop_map(|(answer, call)| TurnResult::Answered { answer, call: Box::new(call) }),
        (failure(), call()).prop_map(|(failure, call)| TurnResult::Failed { failure, call: Box::new(call) }),
        Just(TurnResult::Withdrawn),
    ]
    .boxed()
}
