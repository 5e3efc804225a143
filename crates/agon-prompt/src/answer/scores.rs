//! Scores, of speeches by their number and of debaters by their label.
use super::json::{Object, whole_number};
use super::{Malformed, one_of, wrong};
use agon_core::{Answer, DebaterScore, ParticipantId, Score, SpeechScore, TurnId};

/// Each speech once, by its number in the list that the prompt gave.
pub(super) fn speeches(object: &Object, speeches: &[TurnId]) -> Result<Answer, Malformed> {
    let allowed = || format!("each number from 1 to {} once", speeches.len());
    let mut scores: Vec<SpeechScore> = Vec::with_capacity(speeches.len());
    for item in object.array("scores", speeches.len(), speeches.len())? {
        let item = Object::of("scores", item)?;
        let number = item.required("speech")?;
        let index = whole_number(number).and_then(|number| (number as usize).checked_sub(1));
        let speech = index.and_then(|index| speeches.get(index));
        let speech = *speech.ok_or_else(|| wrong("speech", number, &allowed()))?;
        if scores.iter().any(|known| known.speech == speech) {
            return Err(Malformed(format!("speech: found {number} twice, allowed {}", allowed())));
        }
        scores.push(SpeechScore { speech, score: score(&item)?, comment: item.optional_text("comment")? });
    }
    Ok(Answer::SpeechScores(scores))
}

/// Each debater once, by the label that the prompt gave.
pub(super) fn debaters(object: &Object, debaters: &[(ParticipantId, String)]) -> Result<Answer, Malformed> {
    let labels: Vec<String> = debaters.iter().map(|(_, label)| label.clone()).collect();
    let mut scores: Vec<DebaterScore> = Vec::with_capacity(debaters.len());
    for item in object.array("scores", debaters.len(), debaters.len())? {
        let item = Object::of("scores", item)?;
        let label = one_of("name", &item.text("name")?, &labels, "")?;
        let known = debaters.iter().find(|(_, known)| *known == label);
        let Some((debater, _)) = known else { return Err(Malformed(format!("name: found \"{label}\""))) };
        if scores.iter().any(|known| known.debater == *debater) {
            return Err(Malformed(format!("name: found \"{label}\" twice, allowed each of them once")));
        }
        scores.push(DebaterScore { debater: debater.clone(), score: score(&item)? });
    }
    Ok(Answer::DebaterScores(scores))
}

fn score(object: &Object) -> Result<Score, Malformed> {
    Ok(Score {
        clarity: object.level("clarity")?,
        evidence: object.level("evidence")?,
        originality: object.level("originality")?,
        on_topic: object.level("on_topic")?,
    })
}
