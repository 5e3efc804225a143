//! Arbitrary events.
use super::answer::{declined, round_plan, round_summary};
use super::said::{between, said};
use super::spec::{spec, vote_rule};
use super::task::{bench, cause, failure, participant, speech_kind, stage};
use super::{ask, call, debate_id, maybe_real, maybe_shared, maybe_text, text, texts, turn};
use agon_core::*;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

/// Something that happened.
pub fn event() -> BoxedStrategy<Event> {
    prop_oneof![control(), turns(), said(), between(), ends()].boxed()
}

fn control() -> BoxedStrategy<Event> {
    prop_oneof![
        admission().prop_map(|admission| Event::DebateAdmitted(Box::new(admission))),
        (text(), any::<u64>()).prop_map(|(writer, epoch)| Event::Claimed { writer: NodeId::new(writer), epoch }),
        phase().prop_map(|phase| Event::PhaseEntered { phase }),
        (participant(), text(), text(), maybe_text()).prop_map(|(participant, host, model, digest)| {
            Event::ParticipantPlaced { participant, host, model: ModelName::new(model), digest }
        }),
        (any::<u32>(), vec(participant(), 0..3), maybe_shared(), maybe_shared()).prop_map(
            |(round, speakers, briefing, new_angle)| Event::RoundOpened { round, speakers, briefing, new_angle }
        ),
        ask().prop_map(Event::TurnAsked),
        (any::<(u32, u32)>(), participant()).prop_map(|((round, seat), participant)| Event::SeatSkipped {
            round,
            seat,
            participant,
            reason: SkipReason::Budget,
        }),
        text().prop_map(|reason| Event::CancelRequested { reason }),
        reason().prop_map(|reason| Event::DebateInterrupted { reason }),
        maybe_text().prop_map(|by| Event::DebateResumed { by }),
    ]
    .boxed()
}

fn turns() -> BoxedStrategy<Event> {
    prop_oneof![
        speech().prop_map(Event::SpeechRecorded),
        (turn(), stage(), participant(), text(), texts(), any::<Option<u8>>(), boxed_call()).prop_map(
            |(turn, stage, participant, choice, reasons, confidence, call)| Event::BallotCast {
                turn,
                stage,
                participant,
                choice,
                reasons,
                confidence,
                call,
            }
        ),
        (turn(), participant(), text(), [texts(), texts()], any::<Option<u8>>(), boxed_call()).prop_map(
            |(turn, participant, choice, [choices, reasons], confidence, call)| Event::VoteCast {
                turn,
                participant,
                choice,
                choices,
                reasons,
                confidence,
                call,
            }
        ),
        (turn(), moderator_decision(), any::<bool>(), of(boxed_call())).prop_map(|(turn, decision, fallback, call)| {
            Event::ModeratorDecided { turn, decision, fallback, call }
        }),
        (turn(), participant(), failure(), of(any::<u64>()), boxed_call()).prop_map(
            |(turn, participant, failure, retry_at, call)| Event::TurnFailed {
                turn,
                participant,
                failure,
                retry_at: retry_at.map(Timestamp),
                call,
            }
        ),
        (
            turn(),
            participant(),
            any::<u32>(),
            [text(), text()],
            maybe_text(),
            vec(citation(), 0..3),
            texts(),
            boxed_call()
        )
            .prop_map(
                |(turn, judge, order, [verdict, reasoning], winner, citations, open_objections, call)| {
                    Event::JudgementRecorded {
                        turn,
                        judge,
                        order,
                        verdict,
                        winner,
                        reasoning,
                        citations,
                        open_objections,
                        call,
                    }
                }
            ),
    ]
    .boxed()
}

fn ends() -> BoxedStrategy<Event> {
    prop_oneof![
        (stop_rule(), any::<u32>(), maybe_text()).prop_map(|(rule, round, warning)| Event::LoopEnded {
            rule,
            round,
            warning
        }),
        (of(vote_rule()), vec((text(), any::<u32>()), 0..3), vec(weight(), 0..3), any::<(u32, u32)>(), maybe_text())
            .prop_map(|(rule, counts, weights, (eligible, received), winner)| Event::VoteTallied {
                rule,
                counts,
                weights,
                eligible,
                received,
                winner,
            }),
        verdict(),
        (
            select(vec![DebateState::Succeeded, DebateState::Failed, DebateState::Cancelled]),
            of(outcome()),
            of(reason()),
            totals(),
            vec(missing_seat(), 0..3),
        )
            .prop_map(|(state, outcome, reason, usage, missing_seats)| Event::DebateEnded {
                state,
                outcome,
                reason,
                usage,
                missing_seats,
            }),
    ]
    .boxed()
}

fn weight() -> BoxedStrategy<VoterWeight> {
    (participant(), maybe_real(), maybe_real(), any::<(u32, Option<u8>)>())
        .prop_map(|(voter, elo, calibration, (thousandths, confidence))| VoterWeight {
            voter,
            elo,
            calibration,
            confidence,
            thousandths,
        })
        .boxed()
}

pub(super) fn boxed_call() -> BoxedStrategy<Box<Call>> {
    call().prop_map(Box::new).boxed()
}

fn admission() -> BoxedStrategy<Admission> {
    let retry = any::<(u32, u64, u64, u64)>().prop_map(|(max_attempts, base_delay_ms, max_delay_ms, wait_limit_ms)| {
        RetryPolicy { max_attempts, base_delay_ms, max_delay_ms, wait_limit_ms }
    });
    let priority = select(Priority::ALL.to_vec());
    let labels = proptest::collection::btree_map(text(), text(), 0..3);
    let ratings = proptest::collection::btree_map(participant(), -1e6..1e6, 0..3);
    let method = select(vec![Method::Embeddings, Method::Words, Method::WordsInstead]);
    let recalled = (method, text()).prop_map(|(method, model)| Recalled { method, model: ModelName::new(model) });
    let archive = (vec(past_debate(), 0..3), ratings, vec(feed(), 0..3), of(recalled));
    let from = (priority, labels, maybe_text(), maybe_text(), proptest::option::of(debate_id()), archive);
    (debate_id(), spec(), any::<u64>(), retry, text(), maybe_text(), any::<bool>(), from)
        .prop_map(|(id, spec, seed, retry, agon_version, request_id, rehearsal, from)| Admission {
            id,
            spec,
            seed,
            retry,
            agon_version,
            request_id,
            rehearsal,
            priority: from.0,
            labels: from.1,
            creator: from.2,
            submitted_by: from.3,
            rejudges: from.4,
            history: from.5.0,
            ratings: from.5.1,
            feeds: from.5.2,
            recalled: from.5.3,
        })
        .boxed()
}

fn past_debate() -> BoxedStrategy<PastDebate> {
    let outcome = select(vec![Outcome::Decided, Outcome::Degraded, Outcome::Tie, Outcome::Inconclusive]);
    (debate_id(), text(), any::<u64>(), outcome, maybe_text(), maybe_text(), vec(failed_argument(), 0..2))
        .prop_map(|(id, topic, admitted, outcome, verdict, winner, failed)| PastDebate {
            id,
            topic,
            admitted: Timestamp(admitted),
            outcome,
            verdict,
            winner,
            failed,
        })
        .boxed()
}

fn failed_argument() -> BoxedStrategy<FailedArgument> {
    let how = select(vec![Failing::Conceded, Failing::Left, Failing::Lost]);
    (how, text(), participant(), text(), of(select(ConsensusStrategy::ALL.to_vec())), of(participant()))
        .prop_map(|(how, text, persona, model, decided_by, raised_by)| FailedArgument {
            how,
            text,
            persona,
            model: ModelName::new(model),
            decided_by,
            raised_by,
        })
        .boxed()
}

fn feed() -> BoxedStrategy<FeedReading> {
    let item = (text(), maybe_text(), maybe_text(), maybe_text()).prop_map(|(title, date, link, text)| FeedItem {
        title,
        date,
        link,
        text,
    });
    let faults = vec![
        FeedFault::Unavailable,
        FeedFault::TimedOut,
        FeedFault::TooLarge,
        FeedFault::Refused,
        FeedFault::Malformed,
        FeedFault::Empty,
    ];
    (text(), vec(item, 0..3), of(select(faults)))
        .prop_map(|(name, items, fault)| FeedReading { name, items, fault })
        .boxed()
}

fn phase() -> BoxedStrategy<PhaseName> {
    select(vec![
        PhaseName::InitialBallots,
        PhaseName::OpeningStatements,
        PhaseName::Rounds,
        PhaseName::FinalStatements,
        PhaseName::Rebuttals,
        PhaseName::FinalBallots,
        PhaseName::Decision,
        PhaseName::Synthesis,
    ])
    .boxed()
}

fn speech() -> BoxedStrategy<Speech> {
    let said = (speech_kind(), text(), maybe_text(), any::<u32>());
    let around = (of(participant()), of(bench()), vec(participant(), 0..3), vec(declined(), 0..3), of(participant()));
    (turn(), participant(), maybe_text(), said, around, boxed_call())
        .prop_map(|(turn, participant, stance, said, (to, bench, accepted, declined, cut_by), call)| {
            let (kind, text, answer, neutralised) = said;
            Speech {
                turn,
                participant,
                stance,
                kind,
                text: text.into(),
                to,
                bench,
                answer,
                accepted,
                declined,
                cut_by,
                neutralised,
                call,
            }
        })
        .boxed()
}

fn moderator_decision() -> BoxedStrategy<ModeratorDecision> {
    prop_oneof![round_plan().prop_map(ModeratorDecision::Opens), round_summary().prop_map(ModeratorDecision::Closes)]
        .boxed()
}

fn citation() -> BoxedStrategy<Citation> {
    (of(turn()), of(participant()), text(), any::<bool>(), any::<bool>())
        .prop_map(|(turn, participant, quote, verified, too_short)| Citation {
            turn,
            participant,
            quote,
            verified,
            too_short,
        })
        .boxed()
}

fn stop_rule() -> BoxedStrategy<StopRule> {
    select(vec![
        StopRule::MathematicallyDecided,
        StopRule::ConsensusReached,
        StopRule::Converged,
        StopRule::Impasse,
        StopRule::NoNewArguments,
        StopRule::JudgeEnough,
        StopRule::ModeratorDone,
        StopRule::ModeratorSettled,
        StopRule::ModeratorVote,
        StopRule::TerminateWhen,
        StopRule::TokenBudget,
        StopRule::TimeBudget,
        StopRule::MaxRounds,
    ])
    .boxed()
}

fn outcome() -> BoxedStrategy<Outcome> {
    select(vec![Outcome::Decided, Outcome::Degraded, Outcome::Tie, Outcome::Inconclusive]).boxed()
}

fn verdict() -> BoxedStrategy<Event> {
    let majority = select(vec![MajorityShift::Kept, MajorityShift::Overturned, MajorityShift::None]);
    let texts = [maybe_text(), maybe_text(), maybe_text()];
    (outcome(), texts, of(reason()), of(consensus()), majority, vec(participant(), 0..3))
        .prop_map(|(outcome, [verdict, winner, reasoning], reason, consensus, majority, moved)| Event::VerdictReached {
            outcome,
            verdict,
            winner,
            reasoning,
            reason,
            consensus,
            majority,
            moved,
        })
        .boxed()
}

fn consensus() -> BoxedStrategy<Consensus> {
    let strength =
        select(vec![Strength::Split, Strength::Weak, Strength::Moderate, Strength::Strong, Strength::Unanimous]);
    let source = select(vec![ConsensusSource::FinalBallots, ConsensusSource::Votes]);
    (of(text()), any::<(u32, u32, bool)>(), strength, source)
        .prop_map(|(answer, (top, eligible, contested), strength, source)| Consensus {
            answer,
            top,
            eligible,
            strength,
            contested,
            source,
        })
        .boxed()
}

fn reason() -> BoxedStrategy<Reason> {
    let code = select(vec![
        ReasonCode::OrderSensitive,
        ReasonCode::JudgeIncomplete,
        ReasonCode::JudgeFailed,
        ReasonCode::NoVotes,
        ReasonCode::RuleNotMet,
        ReasonCode::Quorum,
        ReasonCode::TurnFailed,
        ReasonCode::TerminateWhen,
        ReasonCode::EmptyTranscript,
        ReasonCode::Poison,
        ReasonCode::ServerAway,
        ReasonCode::Cancelled,
        ReasonCode::PanelSplit,
        ReasonCode::NoDecisionWanted,
        ReasonCode::ModeratorFailed,
        ReasonCode::SynthesisFailed,
    ]);
    (code, maybe_text()).prop_map(|(code, detail)| Reason { code, detail }).boxed()
}

fn totals() -> BoxedStrategy<UsageTotals> {
    any::<(u32, u32, u64, Option<u64>, u64)>()
        .prop_map(|(calls, unknown_calls, prompt_tokens, cached_tokens, completion_tokens)| UsageTotals {
            calls,
            unknown_calls,
            prompt_tokens,
            cached_tokens,
            completion_tokens,
        })
        .boxed()
}

fn missing_seat() -> BoxedStrategy<MissingSeat> {
    (any::<(u32, u32)>(), participant(), cause())
        .prop_map(|((round, seat), participant, cause)| MissingSeat { round, seat, participant, cause })
        .boxed()
}
