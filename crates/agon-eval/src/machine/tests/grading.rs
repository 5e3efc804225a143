//! Evals whose answers are graded by scripted graders.
use super::*;
use crate::stats::{Effort, ResampleDice};
use std::collections::BTreeSet;

/// What a grader says of a task, by the number of times it was asked before; nothing where its call fails.
pub(super) type GradingScript<'s> = &'s dyn Fn(u32, &GradeTask, u32) -> Option<&'static str>;

pub(super) fn graded(questions: usize, gold: impl Fn(usize) -> Gold) -> EvalSpec {
    let grader = Grader { models: vec!["gemma3".to_owned()], same_family: false };
    let mut spec = EvalSpec { grader: Some(grader), ..spec(questions) };
    for (at, question) in spec.questions.iter_mut().enumerate() {
        question.gold = gold(at);
    }
    spec
}

pub(super) fn pairwise(at: usize) -> Gold {
    Gold::Pairwise { answers: vec![format!("Reference {at}.")] }
}

pub(super) fn rubric(at: usize) -> Gold {
    let criterion = |text: &str| Criterion { text: text.to_owned(), must: false };
    Gold::Rubric { criteria: vec![criterion("Names a cause.")], answers: vec![format!("Reference {at}.")] }
}

/// The cell as the debate and the graders end it: debates answer `debate`, samples answer 1.
pub(super) fn said(of: CellClosed, debate: &dyn Fn(u32) -> String, script: GradingScript<'_>) -> CellClosed {
    let mut of = of;
    match &of.cell.work {
        CellWork::Debate { .. } => of.facts.answer = Some(debate(of.cell.question)),
        CellWork::BestOf { .. } | CellWork::Isolated { .. } => of.facts.answer = Some("1".to_owned()),
        CellWork::Samples { .. } | CellWork::Command { .. } => {}
        CellWork::Grading { task, draw } => match script(of.cell.question, task, *draw) {
            Some(answer) => {
                let answer = Some(answer.to_owned());
                of.facts.samples =
                    vec![SampleFact { number: 0, model: None, answer, confidence: None, cost: cost(40, 2) }];
            }
            None => return failed(of),
        },
    }
    of
}

pub(super) fn held(spec: EvalSpec, debate: &dyn Fn(u32) -> String, script: GradingScript<'_>) -> Trial {
    let mut trial = Trial::new(spec);
    trial.run(7, |open| open / 2, |closed| said(closed, debate, script));
    trial
}

pub(super) fn result(trial: &Trial) -> EvalResult {
    let machine = &trial.machine;
    let cells: Vec<&CellClosed> = machine.closed().collect();
    let effort = Some(Effort { draws: 199, flips: 999, seed: 1 });
    crate::result(machine.admission(), &cells, &ResultOptions { effort, ..ResultOptions::of(machine) })
}

pub(super) fn primary(result: &EvalResult) -> &CountResult {
    &result.comparisons.iter().find(|of| of.family == ComparisonFamily::Primary).unwrap().counts[0]
}

fn gradings(trial: &Trial) -> Vec<&CellClosed> {
    trial.machine.closed().filter(|closed| closed.cell.is_grading()).collect()
}

/// How good an answer is, whoever gave it.
fn worth(question: u32, answer: &str) -> u32 {
    match answer {
        "good" => 2,
        "1" => 1,
        gold if gold == format!("Reference {question}.") => 3,
        _ => 0,
    }
}

pub(super) fn fair(question: u32, task: &GradeTask, _: u32) -> Option<&'static str> {
    match task {
        GradeTask::Criterion { answer, .. } => Some(if worth(question, answer) > 1 { "met" } else { "not met" }),
        GradeTask::Score { .. } => None,
        GradeTask::Pair { first, second } => Some(match worth(question, first).cmp(&worth(question, second)) {
            std::cmp::Ordering::Greater => "first",
            std::cmp::Ordering::Less => "second",
            std::cmp::Ordering::Equal => "equal",
        }),
    }
}

/// The debate is better on three of four questions, and answers the same on the others.
pub(super) fn mostly_good(question: u32) -> String {
    if question.is_multiple_of(4) { "1".to_owned() } else { "good".to_owned() }
}

#[test]
fn pairs_are_graded_in_both_orders_once_and_with_controls_and_repeats() {
    let trial = held(graded(40, pairwise), &mostly_good, &fair);
    let all = gradings(&trial);
    // 30 pairs differ, 20 controls, each in both orders; of 20 questions, 3 of which tie, both are asked again
    let again = all.iter().filter(|closed| matches!(closed.cell.work, CellWork::Grading { draw: 1, .. })).count();
    assert_eq!((all.len() - again, again), (2 * 30 + 2 * 20, 2 * 17));
    let ids: BTreeSet<&str> = all.iter().map(|closed| closed.debate.as_str()).collect();
    assert_eq!(ids.len(), all.len());
    let logged = trial.log.iter().filter(|(_, event)| matches!(event, EvalEvent::CellGraded(_))).count();
    assert_eq!(logged, all.len());

    let result = result(&trial);
    let row = primary(&result);
    assert_eq!(row.verdict, Some(VerdictKind::Helped), "{}", row.sentence);
    assert_eq!(row.pairs, Some(PairShares { win: 0.75, tie: 0.25, loss: 0.0 }));
    assert_eq!((row.arm_right, row.rival_right), (None, None));
    assert!(result.arms.iter().all(|arm| arm.right.is_none()) && result.free_arms.is_empty());
    assert!(row.sentence.contains("better than self-consistency on 75.0 %, as good on 25.0 %"), "{}", row.sentence);
    let trust = result.trust.as_ref().unwrap();
    assert_eq!((trust.distrusted.len(), trust.gradings, trust.ungraded), (0, 134, 0), "{trust:?}");
    assert_eq!((trust.tokens, trust.calls), (42 * 134, 134));
    for figure in [trust.gold_accepted, trust.foreign_rejected, trust.order_consistency, trust.repeat_agreement] {
        assert_eq!(figure.unwrap().value, 1.0);
    }
    // the graders' tokens are in no arm and in no sum of the arms
    let spent: u64 = trial
        .machine
        .closed()
        .filter(|closed| !closed.cell.is_grading())
        .map(|of| of.facts.cost.prompt + of.facts.cost.generated)
        .sum();
    let total = result.setup.spent.iter().find(|figure| figure.count == Count::Total).unwrap().total;
    assert_eq!(total, spent as f64);
    assert_eq!(trial.machine.tokens(), spent + 42 * 134);
    let folded = EvalMachine::fold(trial.log.iter().map(|(at, event)| (*at, event))).unwrap();
    assert_eq!(folded.progress(), trial.machine.progress());
}

#[test]
fn a_grader_that_looks_at_the_order_leaves_nothing_to_tell() {
    let biased = |question: u32, task: &GradeTask, draw: u32| {
        let mut dice = ResampleDice::new(u64::from(question), &format!("{task:?}"));
        if dice.unit() < 0.5 { Some("first") } else { fair(question, task, draw) }
    };
    let result = result(&held(graded(60, pairwise), &mostly_good, &biased));
    let trust = result.trust.as_ref().unwrap();
    assert!(trust.order_consistency.unwrap().value < LEAST_CONSISTENCY, "{trust:?}");
    let row = primary(&result);
    assert_eq!(row.verdict, Some(VerdictKind::CannotTell));
    assert!(row.sentence.contains("The winner is the same in both orders in"), "{}", row.sentence);
}

#[test]
fn a_grader_that_passes_everything_fails_the_controls() {
    let result = result(&held(graded(40, rubric), &mostly_good, &|_, _, _| Some("met")));
    assert_eq!(primary(&result).verdict, Some(VerdictKind::CannotTell));
    let trust = result.trust.unwrap();
    assert_eq!(trust.distrusted, ["The grader accepts 20 of 20 answers to other questions; 10 % may be missed."]);
}

#[test]
fn a_rubric_gives_rates_and_answers_that_are_the_same_are_graded_once() {
    let trial = held(graded(40, rubric), &mostly_good, &fair);
    let again = |closed: &&&CellClosed| matches!(closed.cell.work, CellWork::Grading { draw: 1, .. });
    let all = gradings(&trial);
    // "1" on 40 questions, "good" on 30, and two controls on 20
    assert_eq!(all.iter().filter(|closed| !again(closed)).count(), 40 + 30 + 2 * 20);
    let result = result(&trial);
    let row = primary(&result);
    assert_eq!((row.arm_right, row.rival_right), (Some(0.75), Some(0.0)), "{}", row.sentence);
    assert_eq!(row.verdict, Some(VerdictKind::Helped), "{}", row.sentence);
}

#[test]
fn a_grading_that_fails_is_no_zero_and_a_retry_asks_again() {
    let fails = |question: u32, task: &GradeTask, draw: u32| {
        if question == 1 { None } else { fair(question, task, draw) }
    };
    let mut trial = held(graded(40, rubric), &|_| "good".to_owned(), &fails);
    assert_eq!(trial.machine.ended(), Some("complete"));
    let before = result(&trial);
    assert!(before.trust.as_ref().unwrap().ungraded > 0);
    let (row, panel) = (primary(&before), before.arms.iter().find(|arm| arm.id == "panel").unwrap());
    assert_eq!((row.arm_right, panel.right.unwrap().n, panel.n), (Some(1.0), 39, 40));
    assert!(before.warnings.iter().any(|warning| warning.contains("came to no grade")), "{:?}", before.warnings);

    let opened = trial.opened.len();
    assert_eq!(trial.take(EvalInput::Retry), 1);
    trial.run(7, |_| 0, |closed| said(closed, &|_| "good".to_owned(), &fair));
    assert!(trial.opened[opened..].iter().all(Cell::is_grading) && trial.opened.len() > opened);
    let panel = result(&trial).arms.into_iter().find(|arm| arm.id == "panel").unwrap();
    assert_eq!(panel.right.unwrap().n, 40);
}

#[test]
fn graders_that_never_answer_are_not_asked_on_and_a_retry_asks_them_again() {
    let mut trial = held(graded(60, rubric), &mostly_good, &|_, _, _| None);
    assert_eq!((trial.machine.stopped(), trial.machine.ended()), (Some("gradings"), Some("stopped")));
    let asked = gradings(&trial).len();
    assert!((5..5 + 7).contains(&asked), "five failed, and what was open then came to its end: {asked}");
    let detail = trial.machine.stop().unwrap().detail.clone().unwrap();
    assert_eq!(detail, "5 of 5 gradings failed (5 x timeout); nothing more is graded until a retry");
    // the blocks that were begun have all their answers
    let answered = trial.machine.questions_over();
    assert!((10..=20).contains(&answered.len()), "{answered:?}");
    let stopped = result(&trial);
    assert!(stopped.comparisons.iter().all(|of| of.counts[0].verdict == Some(VerdictKind::CannotTell)));
    assert!(!stopped.trust.unwrap().distrusted.is_empty());
    let folded = EvalMachine::fold(trial.log.iter().map(|(at, event)| (*at, event))).unwrap();
    assert_eq!((folded.progress(), folded.next_cells(8)), (trial.machine.progress(), Vec::new()));

    assert_eq!(trial.take(EvalInput::Retry), 1);
    trial.run(7, |_| 0, |closed| said(closed, &mostly_good, &fair));
    assert_eq!((trial.machine.stopped(), trial.machine.ended()), (None, Some("complete")));
    assert_eq!(trial.machine.questions_over().len(), 60);
    let complete = result(&trial);
    assert_eq!(complete.trust.as_ref().unwrap().ungraded, 0);
    assert_eq!(primary(&complete).verdict, Some(VerdictKind::Helped));
}

#[test]
fn another_grader_grades_what_one_that_never_answers_has_left() {
    let mut trial = held(graded(60, rubric), &mostly_good, &|_, _, _| None);
    let covered = trial.machine.questions_over().len();
    let grader = Grader { models: vec!["phi4".to_owned()], same_family: false };
    assert_eq!(trial.take(EvalInput::Rescore(grader)), 1);
    trial.run(7, |_| 0, |closed| said(closed, &mostly_good, &fair));
    assert_eq!(trial.machine.questions_over().len(), covered, "no debate is held for it");
    assert_eq!(result(&trial).trust.unwrap().ungraded, 0);
}

#[test]
fn grading_anew_holds_no_debate_and_the_last_grades_count() {
    let mut trial = held(graded(40, rubric), &mostly_good, &|_, _, _| Some("met"));
    let (opened, cells) = (trial.opened.len(), trial.machine.closed().count());
    let grader = Grader { models: vec!["phi4".to_owned()], same_family: false };
    assert_eq!(trial.take(EvalInput::Rescore(grader)), 1);
    trial.run(7, |_| 0, |closed| said(closed, &mostly_good, &fair));
    assert!(trial.opened[opened..].iter().all(Cell::is_grading) && trial.opened.len() > opened);
    let result = result(&trial);
    let trust = result.trust.as_ref().unwrap();
    assert_eq!((trust.graders.as_slice(), trust.distrusted.len()), (["phi4".to_owned()].as_slice(), 0));
    assert_eq!(primary(&result).verdict, Some(VerdictKind::Helped));
    // both scorings are kept
    assert_eq!(trial.machine.closed().count(), cells + trial.opened.len() - opened);
    let folded = EvalMachine::fold(trial.log.iter().map(|(at, event)| (*at, event))).unwrap();
    assert_eq!(folded.admission(), trial.machine.admission());
}

#[test]
fn labels_take_a_planted_bias_of_the_grader_away() {
    // 60 % of the debate's answers are right; the grader accepts nearly all of these and 30 % of the others: 10 points too many
    const EVALS: u64 = 8;
    const QUESTIONS: usize = 200;
    let (mut bias, mut left) = (0.0, 0.0);
    for eval in 0..EVALS {
        let chance = |what: &str, question: u32| ResampleDice::new(eval, &format!("{what} {question}")).unit();
        let right = |question: u32| chance("right", question) < 0.6;
        let lenient = |question: u32, task: &GradeTask, draw: u32| match task {
            GradeTask::Criterion { answer, .. } if answer == "good" => {
                let accepts = chance("accepts", question) < if right(question) { 0.97 } else { 0.3 };
                Some(if accepts { "met" } else { "not met" })
            }
            task => fair(question, task, draw),
        };
        let spec = EvalSpec { seed: eval, arms: vec![BaselineArm::SelfConsistency], ..graded(QUESTIONS, rubric) };
        let mut trial = held(spec, &|_| "good".to_owned(), &lenient);
        let items: Vec<LabelItem> =
            label_items(&trial.machine).unwrap().into_iter().filter(|item| item.graded.arm == "panel").collect();
        let answers: Vec<GradedAnswer> = items.iter().map(|item| item.graded.clone()).collect();
        let sheet = label_sheet(&answers, 100, eval);
        let labels = sheet.iter().map(|at| items[*at].label(right(items[*at].graded.question))).collect();
        assert_eq!(trial.take(EvalInput::Label(labels)), 1);
        let result = result(&trial);
        let truth = (0..QUESTIONS as u32).filter(|question| right(*question)).count() as f64 / QUESTIONS as f64;
        let rates = &result.trust.as_ref().unwrap().corrected;
        let rate = rates.iter().find(|rate| rate.arm == "panel").unwrap();
        assert_eq!(rate.labels, 100);
        bias += (rate.raw.value - truth) / EVALS as f64;
        left += (rate.corrected.unwrap().value - truth) / EVALS as f64;
    }
    assert!((0.07..0.13).contains(&bias), "the bias is there: {bias}");
    assert!(left.abs() < 0.03, "{left}");
}

#[test]
fn corrected_rates_of_both_arms_are_a_row_of_the_sensitivity_table() {
    let mut trial = held(graded(60, rubric), &mostly_good, &|question, task, draw| match task {
        // the grader misses every tenth right answer, and accepts every tenth wrong one
        GradeTask::Criterion { answer, .. } if answer == "good" && question % 10 == 1 => Some("not met"),
        GradeTask::Criterion { answer, .. } if answer == "1" && question % 10 == 2 => Some("met"),
        task => fair(question, task, draw),
    });
    let items = label_items(&trial.machine).unwrap();
    let labels = items.iter().map(|item| item.label(item.answer == "good")).collect();
    trial.take(EvalInput::Label(labels));
    let result = result(&trial);
    let primary = result.comparisons.iter().find(|of| of.family == ComparisonFamily::Primary).unwrap();
    let row = primary.sensitivity.iter().find(|row| row.case == SensitivityCase::CorrectedLabels);
    // self-consistency has no right answer at all, so there is no sensitivity for it, and no corrected rate
    assert!(row.is_none() && result.trust.as_ref().unwrap().corrected.len() == 1, "{row:?}");
    let mixed = items.iter().map(|item| item.label(item.answer == "good" || item.graded.question % 10 == 2)).collect();
    trial.take(EvalInput::Label(mixed));
    let result = crate::machine::tests::grading::result(&trial);
    let primary = result.comparisons.iter().find(|of| of.family == ComparisonFamily::Primary).unwrap();
    let row = primary.sensitivity.iter().find(|row| row.case == SensitivityCase::CorrectedLabels).unwrap();
    let rate = |arm: &str| {
        let rates = &result.trust.as_ref().unwrap().corrected;
        rates.iter().find(|rate| rate.arm == arm).unwrap().corrected.unwrap().value
    };
    let difference = row.difference.unwrap();
    assert!((difference.value - (rate(&primary.arm) - rate(&primary.rival))).abs() < 1e-12);
    assert!(difference.interval.is_some() && row.verdict.is_some());
}

#[test]
fn only_answers_that_were_graded_one_by_one_can_be_labelled() {
    let refused = |spec| label_items(&held(spec, &mostly_good, &fair).machine).unwrap_err();
    assert_eq!(refused(graded(10, pairwise)), LabelsRefused::Pairs);
    assert_eq!(refused(spec(10)), LabelsRefused::NotGraded);
    let none = held(graded(10, rubric), &mostly_good, &|_, _, _| None);
    // answers that are missing are wrong without a grader; all others have no grade
    assert_eq!(label_items(&none.machine).unwrap_err(), LabelsRefused::NoGrades);
    assert_eq!(label_items(&Trial::new(graded(10, rubric)).machine).unwrap_err(), LabelsRefused::Running);
}

#[test]
fn a_sequential_eval_looks_at_graded_pairs() {
    let mut trial = Trial::new(EvalSpec { design: Design::Sequential, ..graded(60, pairwise) });
    for step in 0..100_000 {
        trial.settle(step);
        if let Some(EvalEffect::Look { blocks }) = trial.machine.outstanding().last().cloned() {
            let over: Vec<u32> = trial.machine.questions_over();
            let cells: Vec<&CellClosed> = trial.machine.closed().collect();
            let ends = look_ends(trial.machine.admission(), &cells, &over);
            trial.take(EvalInput::Looked { blocks, ends, by: "sequential".to_owned() });
            continue;
        }
        if trial.machine.ended().is_some() {
            break;
        }
        trial.open(7 - trial.machine.open_cells());
        let (cell, debate) = trial.held().swap_remove(0);
        trial.take(EvalInput::Closed(Box::new(said(closed(&cell, &debate), &|_| "good".to_owned(), &fair))));
    }
    let result = result(&trial);
    assert_eq!(primary(&result).verdict, Some(VerdictKind::Helped), "{}", primary(&result).sentence);
    assert!(result.sequential.unwrap().ended_after.is_some_and(|questions| questions < 60));
}
