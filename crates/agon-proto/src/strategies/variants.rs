//! Arbitrary values of the enums whose messages are built by hand.
use super::Arbitrary;
use crate::mirror::{fields, variant};
use agon_core::{
    Answered, By, Check, CheckResult, Fates, Given, Guidance, ModeratorDecision, Objections, ParticipantId, Speech,
};
use proptest::strategy::{BoxedStrategy, Strategy, Union};

macro_rules! variants {
    ($($type:ident { $($variant:ident $shape:tt)+ })+) => {$(
        impl Arbitrary for $type {
            fn arbitrary() -> BoxedStrategy<Self> {
                Union::new([$(variant!(arbitrary [Self::$variant], $shape)),+]).boxed()
            }
        }
    )+};
}
variants! {
    CheckResult {
        Holds {}
        Refuted {}
        Unknown {}
        Failed { cause }
    }
    Given {
        Speech(speech)
        Ballot { stage, choice, reasons, confidence }
        Bid { purpose, bid }
        Points { points, reply }
        Critique { of, critique, neutralised }
        Note(note)
        Vote { choice, choices, reasons, confidence }
        DebaterScores { scores }
        Decision { decision }
        Interjection(interjection)
        SpeechScores { scores }
        Research { text }
        Conclusion { conclusion, text, reasoning }
        Summary { through, text }
        Measures { round, measures }
        Enough { enough, reasoning }
        Judgement { order, verdict, winner, reasoning, citations, open_objections }
        Ranking { order, ranking }
        Synthesis(synthesis)
    }
    ModeratorDecision {
        Opens(plan)
        Closes(summary)
    }
}

/// An answer of an office is nobody else's.
impl Arbitrary for Answered {
    fn arbitrary() -> BoxedStrategy<Self> {
        let parts = (Arbitrary::arbitrary(), ParticipantId::arbitrary(), Given::arbitrary(), Arbitrary::arbitrary());
        let answered = |(turn, participant, given, call): (_, _, Given, _)| {
            let participant = if let By::Office(office) = given.kind().by { office.into() } else { participant };
            Self { turn, participant, given, call }
        };
        parts.prop_map(answered).boxed()
    }
}
impl Arbitrary for Speech {
    fn arbitrary() -> BoxedStrategy<Self> {
        fields!((arbitrary [Self]) [] stance, kind, text, to, bench, answer, accepted, declined, cut_by, confidence, cut_at_limit, neutralised)
    }
}
impl Arbitrary for Check {
    fn arbitrary() -> BoxedStrategy<Self> {
        fields!((arbitrary [Self]) [] verifier, claim, result, output, truncated, duration_ms)
    }
}
impl Arbitrary for Guidance {
    fn arbitrary() -> BoxedStrategy<Self> {
        fields!((arbitrary [Self]) [] briefing, new_angle, summary)
    }
}
impl Arbitrary for Objections {
    fn arbitrary() -> BoxedStrategy<Self> {
        fields!((arbitrary [Self]) [] by, of, kind, fates)
    }
}
impl Arbitrary for Fates {
    fn arbitrary() -> BoxedStrategy<Self> {
        fields!((arbitrary [Self]) [] raised, accepted, declined)
    }
}
