//! Calibration: how far shares and stated confidence say how often an answer is right.
use super::arms::ScoredArm;
use super::plurality::vote_of;
use super::statistics::{Estimator, Sureness};
use super::table::{CellScore, CellTable};
use crate::at_once::at_once;
use crate::{ArmKind, CalibrationResult, Facts, Question, SurenessSource};
use std::collections::BTreeMap;

/// Whose sureness: all of an arm's, or that of one model or persona.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SureOne {
    All,
    Model(String),
    Persona(String),
}

/// All answers with a sureness, by what stands for it and whose it is.
type SureAnswers = BTreeMap<(SurenessSource, SureOne), Vec<Sureness>>;

/// The calibration of every arm that has any.
pub(super) fn calibration<'a>(
    table: &CellTable<'a>,
    arms: &[ScoredArm<'a>],
    estimator: &Estimator,
) -> Vec<CalibrationResult> {
    let mut all = Vec::new();
    for arm in arms {
        let mut answers = SureAnswers::new();
        for cell in &arm.cells {
            let Some(question) = table.question(cell.at).filter(|question| question.is_scored_by_pattern()) else {
                continue;
            };
            let cluster = table.cluster(cell.at);
            if let Some(facts) = cell.facts {
                of_debate(question, facts, cluster, &mut answers);
            } else if arm.kind != ArmKind::Single {
                of_samples(table, arm, cell, question, &mut answers);
            }
        }
        all.extend(answers.into_iter().map(|(whose, sure)| (arm, whose, sure)));
    }
    let results = at_once(all, |(arm, (source, one), sure)| {
        let (model, persona) = match one {
            SureOne::All => (None, None),
            SureOne::Model(model) => (Some(model), None),
            SureOne::Persona(persona) => (None, Some(persona)),
        };
        let figures = estimator.calibration(&sure)?;
        Some(CalibrationResult { arm: arm.id.clone(), model, persona, source, ..figures })
    });
    results.into_iter().flatten().collect()
}

/// The share of the votes behind the first answer, and whether it is right; where several share the first place, each has its share.
fn by_share<'a>(
    question: &Question,
    votes: impl Iterator<Item = &'a str>,
    (cluster, eligible): (u32, u32),
) -> Option<Sureness> {
    let vote = vote_of(question, votes);
    let sure = f64::from(vote.votes) / f64::from(eligible.max(vote.cast).max(1));
    Some(Sureness { cluster, sure, right: vote.score? })
}

fn of_debate(question: &Question, facts: &Facts, cluster: u32, answers: &mut SureAnswers) {
    let last = facts.ballots.iter().any(|ballot| ballot.last);
    let ballots = || facts.ballots.iter().filter(move |ballot| ballot.last == last);
    let mut push = |source, one, sure: Option<Sureness>| {
        if let Some(sure) = sure {
            answers.entry((source, one)).or_default().push(sure);
        }
    };
    let cast = ballots().map(|ballot| ballot.answer.as_str());
    push(SurenessSource::BallotShare, SureOne::All, by_share(question, cast, (cluster, facts.eligible)));
    let judged = u32::try_from(facts.judged.len()).unwrap_or(u32::MAX);
    let found = facts.judged.iter().filter_map(|judged| judged.answer.as_deref());
    push(SurenessSource::JudgeShare, SureOne::All, by_share(question, found, (cluster, judged)));
    let samples = facts.samples.iter().filter_map(|sample| sample.answer.as_deref());
    push(SurenessSource::SampleShare, SureOne::All, by_share(question, samples, (cluster, facts.eligible)));
    for ballot in ballots() {
        let Some(sure) = stated(question, &ballot.answer, ballot.confidence, cluster) else { continue };
        let persona = SureOne::Persona(ballot.participant.to_string());
        let model = ballot.model.as_ref().map(|model| SureOne::Model(model.to_string()));
        for one in [Some(SureOne::All), Some(persona), model].into_iter().flatten() {
            push(SurenessSource::StatedByBallots, one, Some(sure));
        }
    }
}

fn stated(question: &Question, answer: &str, confidence: Option<u8>, cluster: u32) -> Option<Sureness> {
    let right = f64::from(u8::from(question.is_right(answer)?));
    Some(Sureness { cluster, sure: f64::from(confidence?) / 100.0, right })
}

fn of_samples<'a>(
    table: &CellTable<'a>,
    arm: &ScoredArm<'a>,
    cell: &CellScore<'a>,
    question: &Question,
    answers: &mut SureAnswers,
) {
    let used = table.used_samples(arm, cell);
    let cluster = table.cluster(cell.at);
    let given = used.iter().filter_map(|sample| sample.answer.as_deref());
    // one sample is always of one mind
    if used.len() > 1 {
        let eligible = u32::try_from(used.len()).unwrap_or(u32::MAX);
        if let Some(sure) = by_share(question, given, (cluster, eligible)) {
            answers.entry((SurenessSource::SampleShare, SureOne::All)).or_default().push(sure);
        }
    }
    for sample in used {
        let sure = sample.answer.as_deref().and_then(|answer| stated(question, answer, sample.confidence, cluster));
        let Some(sure) = sure else { continue };
        let model = sample.model.as_ref().map(|model| SureOne::Model(model.to_string()));
        for one in [Some(SureOne::All), model].into_iter().flatten() {
            answers.entry((SurenessSource::StatedBySamples, one)).or_default().push(sure);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::plurality::tests::two_and_two;
    use super::*;

    #[test]
    fn answers_that_tie_are_one_answer_that_is_right_by_its_share() {
        let question = two_and_two();
        let of =
            |votes: &[&'static str]| by_share(&question, votes.iter().copied(), (0, 3)).map(|of| (of.sure, of.right));
        assert_eq!(of(&["4", "5", "6"]), Some((1.0 / 3.0, 1.0 / 3.0)));
        assert_eq!(of(&["4", "5", "4"]), Some((2.0 / 3.0, 1.0)));
        assert_eq!(of(&["7", "5"]), Some((1.0 / 3.0, 0.0)));
        assert_eq!(of(&[]), None);
    }
}
