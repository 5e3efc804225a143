//! What a participant answers.
use crate::error::{DecodeError, Problem, each, required, small};
use crate::flat as pb;
use agon_core::Answer;
use pb::answer::{self, Kind};

mod rounds;
mod scores;
mod words;

impl From<&Answer> for pb::Answer {
    fn from(answer: &Answer) -> Self {
        let kind = match answer {
            Answer::Speech { text, cut } => Kind::Speech(answer::Speech { text: text.to_string(), cut: *cut }),
            Answer::Text { text } => Kind::Text(answer::Text { text: text.to_string() }),
            Answer::Choice { choice, reasons, confidence } => {
                let confidence = confidence.map(u32::from);
                Kind::Choice(answer::Choice { choice: choice.clone(), reasons: reasons.clone(), confidence })
            }
            Answer::Choices { choices, reasons, confidence } => {
                let confidence = confidence.map(u32::from);
                Kind::Choices(pb::Choices { choices: choices.clone(), reasons: reasons.clone(), confidence })
            }
            Answer::RoundPlan(plan) => Kind::RoundPlan(plan.into()),
            Answer::RoundSummary(summary) => Kind::RoundSummary(summary.into()),
            Answer::Judgement(judgement) => Kind::Judgement(judgement.into()),
            Answer::Ranking(ranking) => Kind::Ranking(pb::Ranking { ranked: ranking.iter().map(Into::into).collect() }),
            Answer::Bid(bid) => Kind::Bid(bid.into()),
            Answer::PointReply(reply) => Kind::PointReply(reply.into()),
            Answer::Critique(critique) => Kind::Critique(critique.into()),
            Answer::Revision(revision) => Kind::Revision(revision.into()),
            Answer::Note(note) => Kind::Note(note.into()),
            Answer::Interjection(interjection) => Kind::Interjection(interjection.into()),
            Answer::SpeechScores(scores) => {
                Kind::SpeechScores(pb::SpeechScores { scores: scores.iter().map(Into::into).collect() })
            }
            Answer::DebaterScores(scores) => {
                Kind::DebaterScores(pb::DebaterScores { scores: scores.iter().map(Into::into).collect() })
            }
            Answer::Enough { enough, reasoning } => {
                Kind::Enough(pb::Enough { enough: *enough, reasoning: reasoning.clone() })
            }
            Answer::Conclusion { verdict, reasoning } => {
                Kind::Concluded(pb::Concluded { verdict: verdict.clone(), reasoning: reasoning.clone() })
            }
            Answer::Measures(measures) => Kind::Measures(measures.into()),
            Answer::Synthesis(synthesis) => Kind::Synthesis(synthesis.into()),
        };
        Self { kind: Some(kind) }
    }
}
/// A voter's confidence.
pub(crate) fn percent(confidence: Option<u32>) -> Result<Option<u8>, DecodeError> {
    confidence.map(|value| small(value, "confidence")).transpose()
}

impl TryFrom<pb::Answer> for Answer {
    type Error = DecodeError;
    fn try_from(answer: pb::Answer) -> Result<Self, DecodeError> {
        let kind = answer.kind.ok_or_else(|| DecodeError::field("kind", Problem::UnknownKind))?;
        Ok(match kind {
            Kind::Speech(speech) => Self::Speech { text: speech.text.into(), cut: speech.cut },
            Kind::Text(text) => Self::Text { text: text.text.into() },
            Kind::Choice(answer::Choice { choice, reasons, confidence }) => {
                Self::Choice { choice, reasons, confidence: percent(confidence)? }
            }
            Kind::Choices(pb::Choices { choices, reasons, confidence }) => {
                Self::Choices { choices, reasons, confidence: percent(confidence)? }
            }
            Kind::RoundPlan(plan) => Self::RoundPlan(plan.into()),
            Kind::RoundSummary(summary) => Self::RoundSummary(required(Some(summary), "round_summary")?),
            Kind::Judgement(judgement) => Self::Judgement(judgement.into()),
            Kind::Ranking(ranking) => Self::Ranking(ranking.ranked.into_iter().map(Into::into).collect()),
            Kind::Bid(bid) => Self::Bid(required(Some(bid), "bid")?),
            Kind::PointReply(reply) => Self::PointReply(reply.into()),
            Kind::Critique(critique) => Self::Critique(required(Some(critique), "critique")?),
            Kind::Revision(revision) => Self::Revision(revision.into()),
            Kind::Note(note) => Self::Note(note.into()),
            Kind::Interjection(interjection) => Self::Interjection(interjection.into()),
            Kind::SpeechScores(scores) => Self::SpeechScores(each(scores.scores, "speech_scores.scores")?),
            Kind::DebaterScores(scores) => Self::DebaterScores(each(scores.scores, "debater_scores.scores")?),
            Kind::Enough(enough) => Self::Enough { enough: enough.enough, reasoning: enough.reasoning },
            Kind::Concluded(concluded) => {
                Self::Conclusion { verdict: concluded.verdict, reasoning: concluded.reasoning }
            }
            Kind::Measures(measures) => Self::Measures(required(Some(measures), "measures")?),
            Kind::Synthesis(synthesis) => Self::Synthesis(synthesis.into()),
        })
    }
}
