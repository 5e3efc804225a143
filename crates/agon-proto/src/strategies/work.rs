//! Arbitrary work of seats.
use super::maybe_shared;
use super::task::{bench, conclusion, participant, purpose, speech_kind, stage};
use agon_core::*;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

/// What a seat is opened for.
pub fn work() -> BoxedStrategy<Work> {
    let to = || of(participant());
    prop_oneof![
        select(vec![
            Work::Opening,
            Work::Closing,
            Work::AnswerPoints,
            Work::Revise,
            Work::Reflect,
            Work::OpenRound,
            Work::CloseRound,
            Work::Interject,
            Work::ScoreSpeeches,
            Work::Research,
            Work::Summarise,
            Work::Measure,
            Work::EnoughSaid,
            Work::Vote,
            Work::ScoreDebaters,
            Work::Synthesise,
        ]),
        stage().prop_map(|stage| Work::Ballot { stage }),
        (to(), of(bench())).prop_map(|(to, bench)| Work::Argument { to, bench }),
        (speech_kind(), to(), maybe_shared()).prop_map(|(speech, to, about)| Work::Statement { speech, to, about }),
        (purpose(), to(), maybe_shared()).prop_map(|(purpose, on, heard)| Work::Bid { purpose, on, heard }),
        participant().prop_map(|of| Work::Critique { of }),
        conclusion().prop_map(|conclusion| Work::Conclude { conclusion }),
        any::<u32>().prop_map(|order| Work::Judge { order }),
        any::<u32>().prop_map(|order| Work::Rank { order }),
    ]
    .boxed()
}

pub(super) fn seat() -> BoxedStrategy<Seat> {
    (participant(), work()).prop_map(|(participant, work)| Seat { participant, work }).boxed()
}

pub(super) fn step() -> BoxedStrategy<Step> {
    select(vec![
        Step::Research,
        Step::Admission,
        Step::Speaking,
        Step::Interjection,
        Step::Replies,
        Step::Scores,
        Step::Votes,
        Step::Measure,
        Step::Enough,
        Step::Notes,
        Step::Summary,
        Step::Reconciliation,
        Step::Conclusion,
    ])
    .boxed()
}
