//! Scores and measures.
use crate::enums::Numbered;
use crate::error::{DecodeError, required, small};
use crate::flat as pb;
use crate::task::turn;
use agon_core::{DebaterScore, Figure, Measures, ParticipantId, Score, SpeechScore};

impl From<Score> for pb::Score {
    fn from(score: Score) -> Self {
        Self {
            clarity: score.clarity.into(),
            evidence: score.evidence.into(),
            originality: score.originality.into(),
            on_topic: score.on_topic.into(),
        }
    }
}
impl TryFrom<pb::Score> for Score {
    type Error = DecodeError;
    fn try_from(score: pb::Score) -> Result<Self, DecodeError> {
        Ok(Self {
            clarity: small(score.clarity, "clarity")?,
            evidence: small(score.evidence, "evidence")?,
            originality: small(score.originality, "originality")?,
            on_topic: small(score.on_topic, "on_topic")?,
        })
    }
}

impl From<&SpeechScore> for pb::SpeechScore {
    fn from(scored: &SpeechScore) -> Self {
        Self { speech: Some(scored.speech.into()), score: Some(scored.score.into()), comment: scored.comment.clone() }
    }
}
impl TryFrom<pb::SpeechScore> for SpeechScore {
    type Error = DecodeError;
    fn try_from(scored: pb::SpeechScore) -> Result<Self, DecodeError> {
        Ok(Self {
            speech: turn(scored.speech, "speech")?,
            score: required(scored.score, "score")?,
            comment: scored.comment,
        })
    }
}

impl From<&DebaterScore> for pb::DebaterScore {
    fn from(scored: &DebaterScore) -> Self {
        Self { debater: scored.debater.to_string(), score: Some(scored.score.into()) }
    }
}
impl TryFrom<pb::DebaterScore> for DebaterScore {
    type Error = DecodeError;
    fn try_from(scored: pb::DebaterScore) -> Result<Self, DecodeError> {
        Ok(Self { debater: ParticipantId::new(scored.debater), score: required(scored.score, "score")? })
    }
}

impl From<&Measures> for pb::Measures {
    fn from(measures: &Measures) -> Self {
        let figure = |figure: &Figure| pb::Figure { participant: figure.participant.to_string(), value: figure.value };
        Self {
            agreement: measures.agreement,
            stability: measures.stability,
            stable: measures.stable.iter().map(figure).collect(),
            known: measures.known.iter().map(figure).collect(),
            by_answers: measures.by_answers,
            method: measures.method.number(),
        }
    }
}
impl TryFrom<pb::Measures> for Measures {
    type Error = DecodeError;
    fn try_from(measures: pb::Measures) -> Result<Self, DecodeError> {
        let figure =
            |figure: pb::Figure| Figure { participant: ParticipantId::new(figure.participant), value: figure.value };
        Ok(Self {
            agreement: measures.agreement,
            stability: measures.stability,
            stable: measures.stable.into_iter().map(figure).collect(),
            known: measures.known.into_iter().map(figure).collect(),
            by_answers: measures.by_answers,
            method: Numbered::from_number(measures.method, "method")?,
        })
    }
}
