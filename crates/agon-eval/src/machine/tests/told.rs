//! What results of graded evals say of themselves.
use super::grading::{fair, graded, held, mostly_good, pairwise, primary, result, rubric, said};
use super::*;

#[test]
fn scores_of_rubrics_are_called_scores_and_those_of_patterns_right() {
    let scored = result(&held(graded(40, rubric), &mostly_good, &fair));
    assert_eq!(scored.setup.measure(), RateMeasure::Score);
    let sentence = &primary(&scored).sentence;
    assert!(sentence.contains("helped: a mean score of 75.0 % against 0.0 % for"), "{sentence}");
    assert!(!sentence.contains("right"), "{sentence}");
    let mixed =
        result(&held(graded(40, |at| if at < 20 { rubric(at) } else { question(at).gold }), &mostly_good, &fair));
    assert_eq!(mixed.setup.measure(), RateMeasure::Mixed);
    assert!(primary(&mixed).sentence.contains(": a mean score of "), "{}", primary(&mixed).sentence);
    let of = |scorers: &[&str]| RateMeasure::of(scorers.iter().copied());
    assert_eq!(
        [
            of(&["choice", "exact"]),
            of(&["pairwise"]),
            of(&["pairwise", "rubric"]),
            of(&["command"]),
            of(&["number", "command"])
        ],
        [RateMeasure::Right, RateMeasure::Right, RateMeasure::Score, RateMeasure::Score, RateMeasure::Mixed]
    );
}

#[test]
fn graders_that_all_fail_leave_no_rate_and_no_comparison_but_what_to_do() {
    for gold in [rubric, pairwise] {
        // every eighth debate fails, which alone would be a rate of 0 %
        let mut trial = Trial::new(graded(40, gold));
        trial.run(
            7,
            |_| 0,
            |closed| {
                let question = closed.cell.question;
                let of = said(closed, &mostly_good, &|_, _, _| None);
                let fails = matches!(of.cell.work, CellWork::Debate { .. }) && question.is_multiple_of(8);
                if fails { failed(of) } else { of }
            },
        );
        let result = result(&trial);
        assert!(result.arms.iter().all(|arm| arm.right.is_none()), "{:?}", result.arms);
        assert!(result.comparisons.is_empty(), "{:?}", result.comparisons);
        let warning = result.warnings.iter().find(|warning| warning.starts_with("No answer was graded: all ")).unwrap();
        let trust = result.trust.as_ref().unwrap();
        assert_eq!(trust.ungraded_causes, [("timeout".to_owned(), trust.gradings)].into());
        assert!(warning.contains(&format!("(timeout: {})", trust.gradings)), "{warning}");
        assert!(warning.contains("`agon eval retry eval-1` repeats"), "{warning}");
    }
}

#[test]
fn pairs_say_question_by_question_who_won_and_what_was_found_in_each_order() {
    // on question 1 the grader takes whatever is shown first; on question 2 it fails, in one order
    let script = |question: u32, task: &GradeTask, draw: u32| match (question, task) {
        (1, _) => Some("first"),
        (2, GradeTask::Pair { first, .. }) if first == "good" => None,
        _ => fair(question, task, draw),
    };
    let result = result(&held(graded(8, pairwise), &mostly_good, &script));
    let own: Vec<&PairRow> = result.pairs.iter().filter(|pair| pair.rival == "self_consistency@panel").collect();
    let of = |question: usize| {
        (own[question].winner, own[question].basis, own[question].arm_first, own[question].rival_first)
    };
    use PairWinner::{Arm, Rival, Tie};
    assert_eq!(own.len(), 8);
    assert_eq!(of(0), (Some(Tie), PairBasis::SameAnswer, None, None));
    assert_eq!(of(1), (Some(Tie), PairBasis::Graded, Some(Arm), Some(Rival)));
    assert_eq!(of(2), (None, PairBasis::Graded, None, Some(Arm)));
    assert_eq!(of(3), (Some(Arm), PairBasis::Graded, Some(Arm), Some(Arm)));
    // the rows add up to the shares
    let shares = primary(&result).pairs.unwrap();
    let told: Vec<&&PairRow> = own.iter().filter(|pair| pair.winner.is_some()).collect();
    let won = told.iter().filter(|pair| pair.winner == Some(Arm)).count();
    assert!((shares.win - won as f64 / told.len() as f64).abs() < 1e-12, "{shares:?}");
    let rows = pairs_csv(&result).unwrap();
    assert!(rows.lines().any(|row| row.starts_with("q1,") && row.contains("tie,graded,arm,rival,good,1")), "{rows}");
}

#[test]
fn a_rescored_eval_names_its_earlier_graders() {
    let mut trial = held(graded(40, rubric), &mostly_good, &|_, _, _| Some("met"));
    assert!(result(&trial).trust.unwrap().earlier_graders.is_empty());
    let grader = Grader { models: vec!["phi4".to_owned()], same_family: false };
    trial.take(EvalInput::Rescore(grader));
    trial.run(7, |_| 0, |closed| said(closed, &mostly_good, &fair));
    let after = result(&trial);
    assert_eq!(after.trust.as_ref().unwrap().earlier_graders, [["gemma3"]]);
    let told = "The answers were graded again; these figures are of scoring 2, by phi4. Earlier scorings, which the log keeps: gemma3.";
    assert!(after.warnings.iter().any(|warning| warning == told), "{:?}", after.warnings);
    let folded = EvalMachine::fold(trial.log.iter().map(|(at, event)| (*at, event))).unwrap();
    assert_eq!(folded.earlier_graders(), trial.machine.earlier_graders());
}

#[test]
fn results_that_a_retry_replaced_are_rows_with_what_they_cost() {
    let fails = |closed: CellClosed| {
        if closed.cell.question == 3 && !closed.cell.is_grading() { failed(closed) } else { closed }
    };
    let mut trial = Trial::new(spec(20));
    trial.run(7, |_| 0, fails);
    assert!(result(&trial).replaced.is_empty());
    trial.take(EvalInput::Retry);
    trial.run(7, |_| 0, |closed| closed);
    let after = result(&trial);
    let rows: Vec<(&str, &str, Option<&str>, u64)> = after
        .replaced
        .iter()
        .map(|row| (row.question.as_str(), row.arm.as_str(), row.reason.as_deref(), row.total_tokens))
        .collect();
    assert!(rows.contains(&("q3", "panel", Some("timeout"), 760)), "{rows:?}");
    assert!(
        after.warnings.iter().any(|warning| warning.contains("run again (panel 1, samples 1 ")),
        "{:?}",
        after.warnings
    );
}

#[test]
fn a_test_that_ended_the_eval_is_no_verdict_where_grades_cannot_be_trusted() {
    let looks = |trial: &mut Trial, script: super::grading::GradingScript<'_>| {
        for step in 0..100_000 {
            trial.settle(step);
            if let Some(EvalEffect::Look { blocks }) = trial.machine.outstanding().last().cloned() {
                let ends = is_decided(&trial.machine);
                trial.take(EvalInput::Looked { blocks, ends, by: "sequential".to_owned() });
                continue;
            }
            if trial.machine.ended().is_some() {
                return;
            }
            trial.open(7 - trial.machine.open_cells());
            let (cell, debate) = trial.held().swap_remove(0);
            trial.take(EvalInput::Closed(Box::new(said(closed(&cell, &debate), &|_| "good".to_owned(), script))));
        }
    };
    // a grader that accepts the debate's answers and every control fails the controls
    let lenient = |_: u32, task: &GradeTask, _: u32| match task {
        GradeTask::Criterion { answer, .. } if answer == "1" => Some("not met"),
        _ => Some("met"),
    };
    let mut trial = Trial::new(EvalSpec { design: Design::Sequential, ..graded(60, rubric) });
    looks(&mut trial, &lenient);
    assert_eq!(trial.machine.stopped(), Some("decided"));
    let row = primary(&result(&trial)).clone();
    assert_eq!(row.verdict, Some(VerdictKind::CannotTell));
    let told = "The sequential test ended the eval, but it compares scores alone, and asks for none of this.";
    assert!(row.sentence.contains(told), "{}", row.sentence);
}

#[test]
fn a_pilot_says_so_and_how_many_questions_a_verdict_needs() {
    let spec = spec(40).pilot(30, 7);
    assert_eq!((spec.questions.len(), spec.pilot_of), (30, Some(40)));
    let mut trial = Trial::new(spec);
    trial.run(
        7,
        |_| 0,
        |mut closed| {
            if matches!(closed.cell.work, CellWork::Debate { .. }) {
                closed.facts.answer = Some(closed.cell.question.to_string());
            }
            closed
        },
    );
    let result = result(&trial);
    assert_eq!(result.setup.pilot_of, Some(40));
    let row = primary(&result);
    assert!(row.sentence.contains("This is a pilot on 30 of 40 questions"), "{}", row.sentence);
    // even where it would tell
    assert_eq!(row.needed.len(), 3, "{row:?}");
    assert_eq!(super::spec(40).pilot(40, 7).pilot_of, None);
}
