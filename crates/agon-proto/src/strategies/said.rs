//! Arbitrary events of formats, moderators and measures.
use super::answer::{
    bid, critique, debater_score, interjection, measures, note, point_reply, ranked, speech_score, synthesis,
};
use super::event::boxed_call;
use super::task::{conclusion, participant, point, purpose, tool_use};
use super::work::{seat, step};
use super::{maybe_text, text, turn};
use agon_core::*;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

/// What debaters and judges said beside their speeches.
pub(super) fn said() -> BoxedStrategy<Event> {
    prop_oneof![
        (any::<u32>(), step(), vec(seat(), 0..3), any::<(bool, bool)>()).prop_map(
            |(round, step, seats, (parallel, joins))| Event::StageOpened { round, step, seats, parallel, joins }
        ),
        (turn(), participant(), tool_use()).prop_map(|(turn, participant, tool)| Event::ToolCalled {
            turn,
            participant,
            tool
        }),
        (turn(), participant(), text()).prop_map(|(turn, participant, text)| Event::SpeechHeard {
            turn,
            participant,
            text: text.into()
        }),
        (turn(), participant(), purpose(), bid(), boxed_call()).prop_map(|(turn, participant, purpose, bid, call)| {
            Event::BidPlaced { turn, participant, purpose, bid, call }
        }),
        (turn(), participant(), vec(point(), 0..3), point_reply(), boxed_call()).prop_map(
            |(turn, participant, points, reply, call)| Event::PointsAnswered { turn, participant, points, reply, call }
        ),
        (turn(), participant(), participant(), critique(), any::<u32>(), boxed_call()).prop_map(
            |(turn, participant, of, critique, neutralised, call)| Event::CritiqueRecorded {
                turn,
                participant,
                of,
                critique,
                neutralised,
                call,
            }
        ),
        (turn(), participant(), note(), boxed_call()).prop_map(|(turn, participant, note, call)| Event::NoteTaken {
            turn,
            participant,
            note,
            call
        }),
        (turn(), participant(), vec(debater_score(), 0..3), boxed_call())
            .prop_map(|(turn, participant, scores, call)| Event::DebatersScored { turn, participant, scores, call }),
        (turn(), participant(), any::<bool>(), text(), boxed_call()).prop_map(
            |(turn, judge, enough, reasoning, call)| Event::EnoughAsked { turn, judge, enough, reasoning, call }
        ),
        (turn(), participant(), any::<u32>(), vec(ranked(), 0..3), boxed_call()).prop_map(
            |(turn, judge, order, ranking, call)| Event::RankingRecorded { turn, judge, order, ranking, call }
        ),
    ]
    .boxed()
}

/// What moderators, summarizers, measures and synthesizers added.
pub(super) fn between() -> BoxedStrategy<Event> {
    prop_oneof![
        (turn(), interjection(), boxed_call()).prop_map(|(turn, interjection, call)| Event::ModeratorInterjected {
            turn,
            interjection,
            call
        }),
        (turn(), vec(speech_score(), 0..3), boxed_call()).prop_map(|(turn, scores, call)| Event::SpeechesScored {
            turn,
            scores,
            call
        }),
        (turn(), text(), boxed_call()).prop_map(|(turn, text, call)| Event::ResearchBriefed {
            turn,
            text: text.into(),
            call
        }),
        (turn(), conclusion(), text(), maybe_text(), boxed_call()).prop_map(
            |(turn, conclusion, text, reasoning, call)| Event::ModeratorConcluded {
                turn,
                conclusion,
                text: text.into(),
                reasoning,
                call,
            }
        ),
        (turn(), any::<u32>(), text(), boxed_call()).prop_map(|(turn, through, text, call)| Event::SummaryRecorded {
            turn,
            through,
            text: text.into(),
            call
        }),
        (any::<u32>(), measures(), of(turn()), of(boxed_call()))
            .prop_map(|(round, measures, turn, call)| Event::RoundMeasured { round, measures, turn, call }),
        (turn(), synthesis(), boxed_call()).prop_map(|(turn, synthesis, call)| Event::SynthesisRecorded {
            turn,
            synthesis,
            call
        }),
    ]
    .boxed()
}
