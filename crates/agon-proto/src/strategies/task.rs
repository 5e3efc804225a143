//! Arbitrary tasks, answers and results.
use super::answer::answer;
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
    prop_oneof![spoken(), between(), deciding()].boxed()
}

fn spoken() -> BoxedStrategy<Task> {
    let to = || of(participant());
    prop_oneof![
        Just(Task::Opening),
        Just(Task::Closing),
        (guidance(), to(), of(bench())).prop_map(|(guidance, to, bench)| Task::Argument { guidance, to, bench }),
        (speech_kind(), guidance(), to(), maybe_shared()).prop_map(|(speech, guidance, to, about)| Task::Statement {
            speech,
            guidance,
            to,
            about
        }),
        (purpose(), to(), maybe_shared()).prop_map(|(purpose, on, heard)| Task::Bid { purpose, on, heard }),
        vec(point(), 0..3).prop_map(|points| Task::AnswerPoints { points }),
        participant().prop_map(|of| Task::Critique { of }),
        vec(participant(), 0..3).prop_map(|critics| Task::Revise { critics }),
        any::<(bool, bool)>().prop_map(|(reflection, evolution)| Task::Reflect { reflection, evolution }),
    ]
    .boxed()
}

fn between() -> BoxedStrategy<Task> {
    prop_oneof![
        Just(Task::OpenRound),
        Just(Task::CloseRound),
        Just(Task::Interject),
        Just(Task::Research),
        vec(turn(), 0..3).prop_map(|speeches| Task::ScoreSpeeches { speeches }),
        conclusion().prop_map(|conclusion| Task::Conclude { conclusion }),
        any::<u32>().prop_map(|through| Task::Summarise { through }),
        any::<u32>().prop_map(|round| Task::Measure { round }),
        Just(Task::EnoughSaid),
    ]
    .boxed()
}

fn deciding() -> BoxedStrategy<Task> {
    let form = vec![BallotForm::Single, BallotForm::Ranking, BallotForm::Approval, BallotForm::Scores];
    prop_oneof![
        (stage(), texts()).prop_map(|(stage, choices)| Task::Ballot { stage, choices }),
        (any::<u32>(), texts()).prop_map(|(order, candidates)| Task::Judge { order, candidates }),
        (any::<u32>(), texts()).prop_map(|(order, candidates)| Task::Rank { order, candidates }),
        (texts(), select(form)).prop_map(|(candidates, form)| Task::Vote { candidates, form }),
        vec((participant(), text()), 0..3).prop_map(|debaters| Task::ScoreDebaters { debaters }),
        Just(Task::Synthesise),
    ]
    .boxed()
}

fn guidance() -> BoxedStrategy<Guidance> {
    [maybe_shared(), maybe_shared(), maybe_shared()]
        .prop_map(|[briefing, new_angle, summary]| Guidance { briefing, new_angle, summary })
        .boxed()
}

/// A British Parliamentary speaker.
pub(super) fn bench() -> BoxedStrategy<Bench> {
    select(Bench::ALL.to_vec()).boxed()
}

/// What kind of speech.
pub(super) fn speech_kind() -> BoxedStrategy<SpeechKind> {
    select(vec![
        SpeechKind::Opening,
        SpeechKind::Argument,
        SpeechKind::Closing,
        SpeechKind::Question,
        SpeechKind::Answer,
        SpeechKind::FollowUp,
        SpeechKind::Proposal,
        SpeechKind::Revision,
        SpeechKind::Rebuttal,
        SpeechKind::Clarification,
        SpeechKind::Interjection,
        SpeechKind::Critique,
        SpeechKind::Point,
        SpeechKind::PointReply,
        SpeechKind::Moderation,
    ])
    .boxed()
}

/// What a bid is for.
pub(super) fn purpose() -> BoxedStrategy<BidPurpose> {
    select(vec![
        BidPurpose::Floor,
        BidPurpose::Reaction,
        BidPurpose::Circle,
        BidPurpose::Interruption,
        BidPurpose::Point,
    ])
    .boxed()
}

/// In what manner a moderator concludes.
pub(super) fn conclusion() -> BoxedStrategy<Conclusion> {
    select(vec![Conclusion::Reconciliation, Conclusion::Summary, Conclusion::Decision]).boxed()
}

/// A point of information.
pub(super) fn point() -> BoxedStrategy<Point> {
    (participant(), text()).prop_map(|(by, text)| Point { by, text }).boxed()
}

/// One request to one participant.
pub fn ask() -> BoxedStrategy<Ask> {
    (turn(), participant(), text(), task(), any::<(u64, u64, bool)>(), maybe_text())
        .prop_map(|(turn, participant, model, task, (sees, deadline, kept), correction)| Ask {
            turn,
            participant,
            model: ModelName::new(model),
            task,
            sees: Position(sees),
            deadline: Timestamp(deadline),
            correction,
            kept,
        })
        .boxed()
}

/// How an answer came about.
pub fn call() -> BoxedStrategy<Call> {
    let texts = [maybe_text(), maybe_text(), maybe_text(), maybe_text(), maybe_text(), maybe_text()];
    let lists = (vec(tool_use(), 0..2), vec(coercion(), 0..2), vec(check(), 0..2));
    (texts, options(), usage(), timing(), any::<bool>(), lists)
        .prop_map(|(texts, options, usage, timing, rehearsal, lists)| {
            let [host, model, answered_by, digest, prompt_hash, finish_reason] = texts;
            let (tools, coerced, checks) = lists;
            Call {
                host,
                model: model.map(ModelName::new),
                answered_by,
                digest,
                prompt_hash,
                options,
                usage,
                timing,
                finish_reason,
                tools,
                coerced,
                checks,
                rehearsal,
            }
        })
        .boxed()
}

fn coercion() -> BoxedStrategy<Coercion> {
    (text(), text(), text()).prop_map(|(field, from, to)| Coercion { field, from, to }).boxed()
}

fn check() -> BoxedStrategy<Check> {
    let failed = select(CheckFailure::ALL.to_vec()).prop_map(|cause| CheckResult::Failed { cause });
    let said = select(vec![CheckResult::Holds, CheckResult::Refuted, CheckResult::Unknown]);
    ([text(), text(), text()], prop_oneof![said, failed], any::<(bool, u64)>())
        .prop_map(|([verifier, claim, output], result, (truncated, duration_ms))| Check {
            verifier,
            claim,
            result,
            output,
            truncated,
            duration_ms,
        })
        .boxed()
}

/// One use of a tool.
pub(super) fn tool_use() -> BoxedStrategy<ToolUse> {
    (text(), text(), [maybe_text(), maybe_text()], any::<(bool, u64)>())
        .prop_map(|(tool, arguments, [result, error], (truncated, duration_ms))| ToolUse {
            tool,
            arguments,
            result,
            error,
            truncated,
            duration_ms,
        })
        .boxed()
}

fn options() -> BoxedStrategy<CallOptions> {
    let think = proptest::option::of(select(vec![Think::Off, Think::On, Think::Low, Think::Medium, Think::High]));
    let reals = [maybe_real(), maybe_real(), maybe_real(), maybe_real()];
    (reals, any::<(Option<u64>, Option<u32>)>(), think)
        .prop_map(|([temperature, top_p, presence_penalty, tokens_per_second], (seed, max_tokens), think)| {
            CallOptions { temperature, top_p, presence_penalty, seed, max_tokens, think, tokens_per_second }
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
    any::<[Option<u64>; 7]>()
        .prop_map(|[queue_ms, load_ms, prefill_ms, decode_ms, first_byte_ms, total_ms, away_ms]| Timing {
            queue_ms,
            load_ms,
            prefill_ms,
            decode_ms,
            first_byte_ms,
            total_ms,
            away_ms,
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
        FailureCause::ToolMissing,
        FailureCause::ServerAway,
        FailureCause::TooSlow,
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
