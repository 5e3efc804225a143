//! What the moderator answers.
use super::super::draft::Draft;
use super::asides::known_debater;
use super::choices::in_range;
use super::mismatch;
use crate::answer::{Answer, Interjection, Remark, RoundPlan, RoundSummary, SpeechScore};
use crate::event::{Given, ModeratorDecision};
use crate::ids::{ParticipantId, TurnId};
use crate::plan::REQUESTS;
use crate::spec::{ConsensusStrategy, TurnMode};
use crate::task::{Ask, Conclusion, Task};
use crate::work::Work;

impl Draft<'_> {
    pub(super) fn moderation_of(&self, ask: &Ask, answer: Answer) -> Result<Given, String> {
        let Task { work, material } = &ask.task;
        match (work, answer) {
            (Work::OpenRound, Answer::RoundPlan(plan)) => {
                let decision = ModeratorDecision::Opens(self.plan(plan)?);
                Ok(Given::Decision { decision })
            }
            (Work::CloseRound, Answer::RoundSummary(summary)) => {
                // There is no vote to be called where somebody else decides.
                let votes = self.strategy() == ConsensusStrategy::Vote;
                let vote_now = summary.vote_now && votes;
                let decision = ModeratorDecision::Closes(RoundSummary { vote_now, ..summary });
                Ok(Given::Decision { decision })
            }
            (Work::Interject, Answer::Interjection(interjection)) => {
                Ok(Given::Interjection(self.interjection(interjection)?))
            }
            (Work::ScoreSpeeches, Answer::SpeechScores(scores)) => {
                Ok(Given::SpeechScores { scores: speech_scores(scores, material.speeches())? })
            }
            (Work::Research, Answer::Text { text }) if !text.trim().is_empty() => Ok(Given::Research { text }),
            (Work::Conclude { conclusion: Conclusion::Decision }, Answer::Conclusion { verdict, reasoning }) => {
                if verdict.trim().is_empty() {
                    return Err("the verdict is empty".to_owned());
                }
                let (conclusion, text, reasoning) = (Conclusion::Decision, verdict.into(), Some(reasoning));
                Ok(Given::Conclusion { conclusion, text, reasoning })
            }
            (Work::Conclude { conclusion }, Answer::Text { text })
                if *conclusion != Conclusion::Decision && !text.trim().is_empty() =>
            {
                Ok(Given::Conclusion { conclusion: *conclusion, text, reasoning: None })
            }
            (
                Work::Research | Work::Conclude { conclusion: Conclusion::Reconciliation | Conclusion::Summary },
                Answer::Text { .. },
            ) => Err("the text is empty".to_owned()),
            (work, answer) => Err(mismatch(&answer, work)),
        }
    }

    /// The moderator's plan with names as the roster spells them.
    fn plan(&self, plan: RoundPlan) -> Result<RoundPlan, String> {
        let roster: Vec<&ParticipantId> = self.spec().personas.iter().map(|persona| &persona.name).collect();
        let next_speakers: Result<Vec<_>, _> =
            plan.next_speakers.iter().map(|name| known_debater(self.spec(), name)).collect();
        let next_speakers = next_speakers?;
        let chooses = self.spec().turn_mode == TurnMode::Moderator;
        if chooses && next_speakers.is_empty() && !plan.done {
            return Err(format!("next_speakers is empty and done is false; name at least one of: {}", listed(&roster)));
        }
        if chooses && next_speakers.is_empty() && self.control.speeches == 0 {
            return Err(format!("nobody has spoken yet; name at least one of: {}", listed(&roster)));
        }
        // A moderator that repeats names without end must not make a round without end.
        let most = roster.len().saturating_mul(2);
        if chooses && next_speakers.len() > most {
            return Err(format!("next_speakers names {} speakers; {most} are allowed", next_speakers.len()));
        }
        Ok(RoundPlan { next_speakers, ..plan })
    }

    /// The interjection with names as the roster spells them, and without what is not among the moderator's duties.
    fn interjection(&self, interjection: Interjection) -> Result<Interjection, String> {
        let Some(moderator) = &self.spec().moderator else { return Err("the debate has no moderator".to_owned()) };
        let remarks = |remarks: Vec<Remark>, wanted: bool| -> Result<Vec<Remark>, String> {
            let mut known: Vec<Remark> = Vec::new();
            for remark in remarks.into_iter().filter(|remark| wanted && !remark.text.trim().is_empty()) {
                let to = known_debater(self.spec(), &remark.to)?;
                if !known.iter().any(|other| other.to == to) && known.len() < REQUESTS {
                    known.push(Remark { to, ..remark });
                }
            }
            Ok(known)
        };
        let comment = interjection.comment.filter(|comment| moderator.interjects && !comment.trim().is_empty());
        if comment.is_none() && moderator.sums_up_midway() {
            return Err("comment is empty; at the midpoint it sums the debate up".to_owned());
        }
        Ok(Interjection {
            comment,
            warnings: remarks(interjection.warnings, moderator.warns)?,
            questions: remarks(interjection.questions, moderator.clarifies)?,
            revisions: remarks(interjection.revisions, moderator.reflects)?,
        })
    }
}

/// The scores in the order of the speeches, each speech once.
fn speech_scores(scores: Vec<SpeechScore>, speeches: &[TurnId]) -> Result<Vec<SpeechScore>, String> {
    let mut ordered = Vec::with_capacity(speeches.len());
    for (number, speech) in (1..).zip(speeches) {
        let mut of = scores.iter().filter(|score| score.speech.same_slot(*speech));
        let (Some(score), None) = (of.next(), of.next()) else {
            return Err(format!("speech {number} is to be scored once"));
        };
        in_range(&score.score)?;
        ordered.push(SpeechScore { speech: *speech, ..score.clone() });
    }
    match scores.len() > speeches.len() {
        true => Err(format!("{} speeches are scored; {} are to be", scores.len(), speeches.len())),
        false => Ok(ordered),
    }
}

fn listed(names: &[&ParticipantId]) -> String {
    let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    names.join(", ")
}
