//! Scores and measures.
use crate::mirror::mirror;

mirror! {
    agon_core::Score as Score { clarity, evidence, originality, on_topic }
    agon_core::SpeechScore as SpeechScore { speech, score, comment }
    agon_core::DebaterScore as DebaterScore { debater, score }
    agon_core::Measures as Measures { agreement, stability, stable, known, by_answers, method }
    agon_core::Figure as Figure { participant, value }
}
