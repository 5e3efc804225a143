//! How far the graders of an eval are to be trusted.
use super::arms::ScoredArm;
use super::comparisons::Comparer;
use super::grades::{AnswerPair, shown_answer};
use super::statistics::LEVEL;
use super::table::{CellScore, CellTable};
use crate::{
    AnswerLabel, CellCost, CellEnding, CorrectedRate, Gold, Grade, GradeTask, GradedAnswer, GradedPair,
    GradingSchedule, LabelledAnswer, ScorerTrust, TrustEvidence, check_graders, corrected_rates, rubric_score, trust,
};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of the graders; none where nobody graded anything.
pub(super) fn scorer_trust(comparer: &Comparer<'_, '_>, labels: &[AnswerLabel]) -> Option<ScorerTrust> {
    let table = comparer.table;
    let spec = &table.admission.spec;
    let grader = spec.grader.as_ref()?;
    if table.questions.iter().all(|(_, question)| !question.is_scored_by_grader()) {
        return None;
    }
    let arms = comparer.arms.iter().flat_map(|arm| arm.models(table));
    let tested: BTreeSet<String> = arms.collect();
    let mut evidence = TrustEvidence {
        graders: grader.models.clone(),
        same_family: check_graders(grader, tested.iter().map(String::as_str)).unwrap_or(true),
        level: LEVEL,
        pairs: pairs(comparer),
        ..TrustEvidence::default()
    };
    controls(table, &mut evidence);
    let (cost, causes) = gradings(table, &mut evidence);
    let mut found = trust(&evidence);
    (found.tokens, found.calls) = (cost.tokens(), u64::from(cost.calls));
    (found.gradings, found.ungraded) = (count(evidence.panel.len()), causes.values().sum());
    found.ungraded_causes = causes;
    let answers: Vec<GradedAnswer> =
        graded_answers(table, comparer.arms).into_iter().map(|(answer, _)| answer).collect();
    let (rates, distrusted) = corrected_rates(&answers, &labelled(table, comparer.arms, labels), LEVEL);
    found.corrected = rates;
    found.distrusted.extend(distrusted);
    Some(found)
}

fn count(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

/// The pairs of all comparisons, each once, by the eval's count.
fn pairs(comparer: &Comparer<'_, '_>) -> Vec<GradedPair> {
    let table = comparer.table;
    let (mut seen, mut pairs) = (BTreeSet::new(), Vec::new());
    for (arm, rival, _) in comparer.pairs(&[]) {
        for (one, other) in arm.cells.iter().zip(&rival.cells).filter(|(one, _)| table.is_pairwise(one.at)) {
            let AnswerPair::Graded(pair) = table.answer_pair(one, other) else { continue };
            let swapped = pair.swapped();
            let known = seen.contains(&(one.at, pair.clone()))
                || swapped.as_ref().is_some_and(|swapped| seen.contains(&(one.at, swapped.clone())));
            if known {
                continue;
            }
            let Some((index, _)) = table.questions.get(one.at) else { continue };
            let found = |task: &GradeTask| table.grades.panel(*index, task, false)?.grade;
            let words = |text: &str| text.split_whitespace().count();
            if let GradeTask::Pair { first, second } = &pair {
                let words = [words(first), words(second)];
                pairs.extend(GradedPair::of(found(&pair), swapped.as_ref().and_then(found), words));
            }
            seen.insert((one.at, pair));
        }
    }
    pairs
}

/// Whether each control was graded as it should be.
fn controls(table: &CellTable<'_>, evidence: &mut TrustEvidence) {
    let schedule = GradingSchedule::of(&table.admission.spec);
    for (index, question) in &table.questions {
        let tasks = schedule.controls(*index, &question.gold);
        let found = |task: &GradeTask| table.grades.panel(*index, task, false)?.grade;
        let grades = |tasks: &[GradeTask]| tasks.iter().map(found).collect::<Vec<_>>();
        if tasks.gold.is_empty() {
            continue;
        }
        let (gold, foreign) = (grades(&tasks.gold), grades(&tasks.foreign));
        match &question.gold {
            Gold::Rubric { criteria, .. } => {
                evidence.gold.push(rubric_score(criteria, &gold).map(is_whole));
                evidence.foreign.push(rubric_score(criteria, &foreign).map(|score| !is_whole(score)));
            }
            _ => {
                let won =
                    |grades: &[Option<Grade>], wanted| grades.first().copied().flatten().map(|grade| grade == wanted);
                evidence.gold.push(won(&gold, Grade::First));
                evidence.foreign.push(won(&foreign, Grade::Second));
            }
        }
    }
}

fn is_whole(score: f64) -> bool {
    score > 1.0 - 1e-9
}

/// What each grader of the panel found, whether it found the same again, and what that cost; and how often there is no grade, by cause.
fn gradings(table: &CellTable<'_>, evidence: &mut TrustEvidence) -> (CellCost, BTreeMap<String, u32>) {
    let covered: BTreeSet<u32> = table.questions.iter().map(|(index, _)| *index).collect();
    let (mut cost, mut causes) = (CellCost::default(), BTreeMap::new());
    for (task, again, closed) in table.grades.all(|question| covered.contains(&question)) {
        if !closed.reused {
            cost.add(&closed.facts.cost);
        }
        let Some(found) = table.grades.panel(closed.cell.question, task, again) else { continue };
        if found.grade.is_none() {
            *causes.entry(why_ungraded(&closed.facts.ending)).or_default() += 1;
        }
        if again {
            let before = table.grades.panel(closed.cell.question, task, false).and_then(|before| before.grade);
            evidence.repeats.extend(before.zip(found.grade).map(|(one, other)| one == other));
        }
        evidence.panel.push(found.by_grader);
    }
    (cost, causes)
}

fn why_ungraded(ending: &CellEnding) -> String {
    match ending {
        CellEnding::Answered => "no_majority".to_owned(),
        CellEnding::NoAnswer { reason } | CellEnding::Failed { reason } => reason.clone(),
    }
}

/// The answers that were graded one by one, each with its text as graders saw it.
pub(super) fn graded_answers(table: &CellTable<'_>, arms: &[ScoredArm<'_>]) -> Vec<(GradedAnswer, String)> {
    let graded = |arm: &ScoredArm<'_>, cell: &CellScore<'_>| {
        let (question, asked) = table.questions.get(cell.at)?;
        let is_rubric = matches!(asked.gold, Gold::Rubric { .. });
        let (answer, score) = (shown_answer(cell).filter(|_| is_rubric)?, cell.score?);
        let (question, repetition) = (*question, cell.repetition);
        Some((GradedAnswer { arm: arm.id.clone(), question, repetition, accepted: is_whole(score) }, answer))
    };
    arms.iter().flat_map(|arm| arm.cells.iter().filter_map(move |cell| graded(arm, cell))).collect()
}

/// The labels of answers that are still those of their arms; of several the last.
fn labelled(table: &CellTable<'_>, arms: &[ScoredArm<'_>], labels: &[AnswerLabel]) -> Vec<LabelledAnswer> {
    let of = |(graded, answer): &(GradedAnswer, String)| {
        let own = |label: &&AnswerLabel| {
            (label.arm == graded.arm, label.question, label.repetition, &label.answer)
                == (true, graded.question, graded.repetition, answer)
        };
        let label = labels.iter().rfind(own)?;
        Some(LabelledAnswer { arm: graded.arm.clone(), accepted: graded.accepted, right: label.right })
    };
    if labels.is_empty() { Vec::new() } else { graded_answers(table, arms).iter().filter_map(of).collect() }
}

/// An arm's rate as people's labels correct it.
pub(super) fn corrected<'r>(rates: &'r [CorrectedRate], arm: &str) -> Option<&'r CorrectedRate> {
    rates.iter().find(|rate| rate.arm == arm)
}
