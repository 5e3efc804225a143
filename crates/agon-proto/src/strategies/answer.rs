//! Arbitrary answers.
use super::task::{participant, turn};
use super::{maybe_real, maybe_shared, maybe_text, real, text, texts};
use agon_core::*;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

/// A well-formed answer.
pub fn answer() -> BoxedStrategy<Answer> {
    prop_oneof![of_debaters(), of_others()].boxed()
}

fn of_debaters() -> BoxedStrategy<Answer> {
    prop_oneof![
        (text(), any::<bool>()).prop_map(|(text, cut)| Answer::Speech { text: text.into(), cut }),
        (text(), texts(), any::<Option<u8>>()).prop_map(|(choice, reasons, confidence)| Answer::Choice {
            choice,
            reasons,
            confidence
        }),
        (texts(), texts(), any::<Option<u8>>()).prop_map(|(choices, reasons, confidence)| Answer::Choices {
            choices,
            reasons,
            confidence
        }),
        bid().prop_map(Answer::Bid),
        point_reply().prop_map(Answer::PointReply),
        critique().prop_map(Answer::Critique),
        (text(), vec(participant(), 0..3), vec(declined(), 0..3)).prop_map(|(text, accepted, declined)| {
            Answer::Revision(Revision { text: text.into(), accepted, declined })
        }),
        note().prop_map(Answer::Note),
        vec(debater_score(), 0..3).prop_map(Answer::DebaterScores),
    ]
    .boxed()
}

fn of_others() -> BoxedStrategy<Answer> {
    prop_oneof![
        text().prop_map(|text| Answer::Text { text: text.into() }),
        round_plan().prop_map(Answer::RoundPlan),
        round_summary().prop_map(Answer::RoundSummary),
        judgement().prop_map(Answer::Judgement),
        vec(ranked(), 0..3).prop_map(Answer::Ranking),
        interjection().prop_map(Answer::Interjection),
        vec(speech_score(), 0..3).prop_map(Answer::SpeechScores),
        (any::<bool>(), text()).prop_map(|(enough, reasoning)| Answer::Enough { enough, reasoning }),
        (text(), text()).prop_map(|(verdict, reasoning)| Answer::Conclusion { verdict, reasoning }),
        measures().prop_map(Answer::Measures),
        synthesis().prop_map(Answer::Synthesis),
    ]
    .boxed()
}

pub(super) fn round_plan() -> BoxedStrategy<RoundPlan> {
    (vec(participant(), 0..3), maybe_text(), maybe_text(), any::<bool>())
        .prop_map(|(next_speakers, briefing, new_angle, done)| RoundPlan { next_speakers, briefing, new_angle, done })
        .boxed()
}

pub(super) fn round_summary() -> BoxedStrategy<RoundSummary> {
    (text(), select(vec![RoundStatus::Settled, RoundStatus::Continue]), maybe_text(), any::<bool>())
        .prop_map(|(summary, status, decision, vote_now)| RoundSummary { summary, status, decision, vote_now })
        .boxed()
}

fn judgement() -> BoxedStrategy<Judgement> {
    let cited = (any::<u32>(), text()).prop_map(|(entry, quote)| CitedEntry { entry, quote });
    (text(), maybe_text(), text(), vec(cited, 0..3), texts())
        .prop_map(|(verdict, winner, reasoning, citations, open_objections)| Judgement {
            verdict,
            winner,
            reasoning,
            citations,
            open_objections,
        })
        .boxed()
}

pub(super) fn ranked() -> BoxedStrategy<Ranked> {
    (text(), text()).prop_map(|(candidate, reason)| Ranked { candidate, reason }).boxed()
}

pub(super) fn bid() -> BoxedStrategy<Bid> {
    (any::<u8>(), of(participant()), maybe_text()).prop_map(|(urgency, to, text)| Bid { urgency, to, text }).boxed()
}

pub(super) fn point_reply() -> BoxedStrategy<PointReply> {
    (of(participant()), maybe_text()).prop_map(|(accepts, reply)| PointReply { accepts, reply }).boxed()
}

pub(super) fn critique() -> BoxedStrategy<Critique> {
    (any::<u8>(), texts(), texts())
        .prop_map(|(severity, issues, suggestions)| Critique { severity, issues, suggestions })
        .boxed()
}

pub(super) fn declined() -> BoxedStrategy<Declined> {
    (participant(), text()).prop_map(|(critic, why)| Declined { critic, why }).boxed()
}

pub(super) fn note() -> BoxedStrategy<Note> {
    let optional = [maybe_text(), maybe_text(), maybe_text(), maybe_text(), maybe_text()];
    (optional, texts())
        .prop_map(|([position, changed_by, worked, did_not_work, next], contradictions)| Note {
            position,
            changed_by,
            contradictions,
            worked,
            did_not_work,
            next,
        })
        .boxed()
}

pub(super) fn interjection() -> BoxedStrategy<Interjection> {
    let remarks = || vec((participant(), text()).prop_map(|(to, text)| Remark { to, text }), 0..3);
    (maybe_text(), remarks(), remarks(), remarks())
        .prop_map(|(comment, warnings, questions, revisions)| Interjection { comment, warnings, questions, revisions })
        .boxed()
}

fn score() -> BoxedStrategy<Score> {
    any::<[u8; 4]>()
        .prop_map(|[clarity, evidence, originality, on_topic]| Score { clarity, evidence, originality, on_topic })
        .boxed()
}

pub(super) fn speech_score() -> BoxedStrategy<SpeechScore> {
    (turn(), score(), maybe_text()).prop_map(|(speech, score, comment)| SpeechScore { speech, score, comment }).boxed()
}

pub(super) fn debater_score() -> BoxedStrategy<DebaterScore> {
    (participant(), score()).prop_map(|(debater, score)| DebaterScore { debater, score }).boxed()
}

pub(super) fn measures() -> BoxedStrategy<Measures> {
    let figures = || vec((participant(), real()).prop_map(|(participant, value)| Figure { participant, value }), 0..3);
    let method = select(vec![Method::Embeddings, Method::Words, Method::WordsInstead]);
    (maybe_real(), maybe_real(), figures(), figures(), any::<bool>(), method)
        .prop_map(|(agreement, stability, stable, known, by_answers, method)| Measures {
            agreement,
            stability,
            stable,
            known,
            by_answers,
            method,
        })
        .boxed()
}

pub(super) fn synthesis() -> BoxedStrategy<Synthesis> {
    (text(), maybe_shared(), texts())
        .prop_map(|(text, output, problems)| Synthesis { text: text.into(), output, problems })
        .boxed()
}
