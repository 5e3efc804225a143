//! Evals with programs of the user's own.
use super::*;
use crate::stats::Effort;

fn program() -> UserProgram {
    UserProgram { run: vec!["/program".to_owned()], folder: "/".to_owned() }
}

fn mine() -> ArmName {
    ArmName("mine".to_owned())
}

fn with_command(spec: EvalSpec) -> EvalSpec {
    let command = CommandArm { name: mine(), program: program(), timeout_ms: 1_000, budget_of: None };
    EvalSpec { commands: vec![command], ..spec }
}

/// An eval whose questions a program scores.
fn scored(questions: usize) -> EvalSpec {
    let mut spec = EvalSpec { scorer: Some(program()), ..spec(questions) };
    for question in &mut spec.questions {
        question.gold = Gold::Command { answers: Vec::new() };
    }
    spec
}

/// The cell as its program ends it: methods answer 5, and an answer's score is a tenth of it.
fn ran(of: CellClosed) -> CellClosed {
    let mut of = of;
    match &of.cell.work {
        CellWork::Command { .. } => of.facts.answer = Some("5".to_owned()),
        CellWork::Debate { .. } => of.facts.answer = Some("2".to_owned()),
        CellWork::Grading { task: GradeTask::Score { answer }, .. } => {
            of.facts = Facts {
                ending: CellEnding::Answered,
                score: answer.parse::<f64>().ok().map(|answer| answer / 10.0),
                ..Facts::default()
            };
        }
        CellWork::Grading { .. } | CellWork::Samples { .. } | CellWork::Isolated { .. } | CellWork::BestOf { .. } => {}
    }
    of
}

fn held(spec: EvalSpec, end: impl Fn(CellClosed) -> CellClosed) -> Trial {
    let mut trial = Trial::new(spec);
    trial.run(7, |open| open / 2, end);
    trial
}

fn result(trial: &Trial) -> EvalResult {
    let machine = &trial.machine;
    let cells: Vec<&CellClosed> = machine.closed().collect();
    let effort = Some(Effort { draws: 199, flips: 999, seed: 1 });
    crate::result(machine.admission(), &cells, &ResultOptions { effort, ..ResultOptions::of(machine) })
}

fn arm<'a>(result: &'a EvalResult, id: &str) -> &'a ArmResult {
    result.arms.iter().find(|arm| arm.id == id).unwrap()
}

fn budgets(trial: &Trial) -> Vec<Option<u64>> {
    let budget = |closed: &CellClosed| match closed.cell.work {
        CellWork::Command { budget, .. } => Some(budget),
        _ => None,
    };
    trial.machine.closed().filter_map(budget).collect()
}

fn scorings(trial: &Trial) -> Vec<String> {
    let answer = |closed: &CellClosed| match &closed.cell.work {
        CellWork::Grading { task: GradeTask::Score { answer }, .. } => Some(answer.clone()),
        _ => None,
    };
    trial.machine.closed().filter_map(answer).collect()
}

#[test]
fn a_method_runs_once_for_each_question_and_repetition_with_the_debates_tokens_as_its_budget() {
    let trial = held(with_command(EvalSpec { repetitions: 2, ..spec(12) }), ran);
    assert_eq!(trial.machine.ended(), Some("complete"));
    assert_eq!(budgets(&trial), vec![Some(760); 24]);
    let result = result(&trial);
    let own = arm(&result, "mine");
    assert_eq!((own.kind, own.n, own.failed, own.calls), (ArmKind::Command, 24, 0, 24));
    // what it spent is compared with the debate's spending
    let pair = result.comparisons.iter().find(|pair| pair.rival == "mine").unwrap();
    assert_eq!((pair.arm.as_str(), pair.family), ("panel", ComparisonFamily::Secondary));
    assert!((pair.counts[0].ratio.unwrap() - 760.0 / 550.0).abs() < 1e-9);
}

#[test]
fn a_budget_is_the_one_of_the_matching() {
    let budgets_of = |spec| budgets(&held(with_command(spec), ran));
    assert_eq!(budgets_of(EvalSpec { matching: Matching::Budget(900), ..spec(3) }), vec![Some(900); 3]);
    assert_eq!(budgets_of(EvalSpec { matching: Matching::Mean, ..spec(3) }), vec![Some(760); 3]);
    assert_eq!(budgets_of(EvalSpec { matching: Matching::None, ..spec(3) }), vec![None; 3]);
    assert_eq!(budgets_of(EvalSpec { count: Count::Generated, ..spec(3) }), vec![Some(60); 3]);
}

#[test]
fn a_method_can_be_primary_against_a_debate_or_against_self_consistency() {
    let pair = |arm: &str, rival: &str| Comparison { arm: ArmName(arm.to_owned()), rival: ArmName(rival.to_owned()) };
    let primary = vec![pair("mine", "panel"), pair("mine", "self_consistency"), pair("panel", "mine")];
    let result = result(&held(with_command(EvalSpec { primary, ..spec(12) }), ran));
    let told: Vec<(&str, &str)> = result
        .comparisons
        .iter()
        .filter(|pair| pair.family == ComparisonFamily::Primary)
        .map(|pair| (pair.arm.as_str(), pair.rival.as_str()))
        .collect();
    assert_eq!(told, [("mine", "panel"), ("mine", "self_consistency@panel"), ("panel", "mine")]);
    let sentence = &result.comparisons[0].counts[0].sentence;
    assert!(sentence.contains("he program mine"), "{sentence}");
}

#[test]
fn a_method_that_fails_stays_in_the_denominator_ends_the_eval_when_it_fails_often_and_is_retried() {
    let one_in_ten = |of: CellClosed| match &of.cell.work {
        CellWork::Command { .. } if of.cell.question % 10 == 3 => failed(of),
        _ => ran(of),
    };
    let mut trial = held(with_command(spec(30)), one_in_ten);
    let before = result(&trial);
    assert_eq!((arm(&before, "mine").n, arm(&before, "mine").failed), (30, 3));
    assert_eq!(trial.take(EvalInput::Retry), 1);
    trial.run(3, |_| 0, ran);
    let after = result(&trial);
    assert_eq!((arm(&after, "mine").n, arm(&after, "mine").failed), (30, 0));
    assert_eq!(budgets(&trial), vec![Some(760); 30]);
    let folded = EvalMachine::fold(trial.log.iter().map(|(at, event)| (*at, event))).unwrap();
    assert_eq!(folded.progress(), trial.machine.progress());

    let mostly = |of: CellClosed| match &of.cell.work {
        CellWork::Command { .. } => failed(of),
        _ => ran(of),
    };
    let trial = held(with_command(spec(60)), mostly);
    assert_eq!((trial.machine.ended(), trial.machine.stopped()), (Some("failed"), Some("failures")));
}

#[test]
fn a_program_scores_every_answer_once_and_its_shares_are_scores() {
    let trial = held(with_command(scored(12)), ran);
    assert_eq!(trial.machine.ended(), Some("complete"));
    // three answers to each question: the debate's, the samples' and the method's
    assert_eq!(scorings(&trial).len(), 36);
    let graded = trial.log.iter().filter(|(_, event)| matches!(event, EvalEvent::CellGraded(_))).count();
    assert_eq!(graded, 36);
    let result = result(&trial);
    let rate = |id: &str| arm(&result, id).right.unwrap().value;
    for (id, wanted) in [("panel", 0.2), ("mine", 0.5), ("single", 0.1), ("self_consistency@panel", 0.1)] {
        assert!((rate(id) - wanted).abs() < 1e-9, "{id} {}", rate(id));
    }
    assert!(
        result.trust.is_none() && result.warnings.iter().all(|warning| !warning.contains("grader")),
        "{:?}",
        result.warnings
    );
    assert_eq!(result.setup.scorers.get("command"), Some(&12));
    assert!(result.cells.iter().all(|cell| cell.outcome == CellOutcome::Partly));
}

#[test]
fn a_missing_answer_scores_0_and_runs_nothing() {
    let trial = held(with_command(scored(12)), |of| match &of.cell.work {
        CellWork::Command { .. } => {
            let ending = CellEnding::NoAnswer { reason: "none_given".to_owned() };
            CellClosed { facts: Facts { ending, ..of.facts.clone() }, ..of }
        }
        CellWork::Debate { .. } => failed(of),
        _ => ran(of),
    });
    assert!(scorings(&trial).iter().all(|answer| answer == "1"), "{:?}", scorings(&trial));
    let result = result(&trial);
    for id in ["mine", "panel"] {
        assert_eq!((arm(&result, id).right.unwrap().value, arm(&result, id).right.unwrap().n), (0.0, 12), "{id}");
    }
}

#[test]
fn a_scorer_that_always_fails_gives_no_score_is_run_no_longer_and_runs_again_in_a_retry() {
    let broken = |of: CellClosed| match &of.cell.work {
        CellWork::Grading { .. } => {
            let mut of = failed(of);
            of.facts.detail = Some("it ended with exit status: 1; it says: boom".to_owned());
            of
        }
        _ => ran(of),
    };
    let mut trial = held(scored(30), broken);
    assert_eq!((trial.machine.stopped(), trial.machine.ended()), (Some("gradings"), Some("stopped")));
    let before = result(&trial);
    assert!(before.arms.iter().all(|arm| arm.right.is_none()), "no score is no 0");
    assert!(before.cells.iter().all(|cell| cell.outcome == CellOutcome::Ungraded && cell.score.is_none()));
    let reasons: Vec<&str> = before.cells.iter().filter_map(|cell| cell.reason.as_deref()).collect();
    assert!(!reasons.is_empty() && reasons.iter().all(|reason| reason.contains("boom") || *reason == "not_scored"));
    assert!(reasons.iter().any(|reason| reason.contains("boom")), "{reasons:?}");
    let told = before.warnings.iter().find(|warning| warning.starts_with("The scorer failed")).unwrap();
    assert!(told.contains("5 of the 5 answers") && told.contains("boom"), "{told}");

    assert_eq!(trial.take(EvalInput::Retry), 1);
    trial.run(5, |_| 0, ran);
    let after = result(&trial);
    assert!((arm(&after, "panel").right.unwrap().value - 0.2).abs() < 1e-9);
    assert!(after.warnings.iter().all(|warning| !warning.contains("The scorer failed")), "{:?}", after.warnings);
}

#[test]
fn what_was_answered_is_withheld_from_events_of_programs_too() {
    let trial = held(with_command(scored(3)), ran);
    let shown: String = trial.log.iter().skip(1).map(|(_, event)| format!("{:?}", event.withheld())).collect();
    assert!(!shown.contains("\"5\"") && !shown.contains("\"2\""), "{shown}");
}

#[test]
fn a_plan_counts_the_runs_of_programs_and_no_calls() {
    let specs = |spec: &EvalSpec| EvalAdmission { spec: spec.clone(), ..admission(spec.clone()) };
    struct OneSpec;
    impl CellSpecs for OneSpec {
        fn spec(&self, _: &Cell) -> Result<agon_core::DebateSpec, String> {
            Ok(agon_core::testing::spec())
        }
    }
    let plan = |spec: EvalSpec| EvalPlan::of(&specs(&spec), &OneSpec, &Default::default()).unwrap();
    let (without, with) = (plan(scored(12)), plan(with_command(EvalSpec { repetitions: 1, ..scored(12) })));
    assert_eq!((with.calls, with.cells, with.tokens_most), (without.calls, without.cells, without.tokens_most));
    let runs = |plan: &EvalPlan| plan.programs.iter().map(|of| (of.name.clone(), of.runs)).collect::<Vec<_>>();
    assert_eq!(runs(&without), [("the scorer".to_owned(), 36)]);
    assert_eq!(runs(&with), [("mine".to_owned(), 12), ("the scorer".to_owned(), 48)]);
    assert!(with.programs[1].runs_most > 48);
    // programs run anew where the debates of an earlier eval are found
    let admission = specs(&with_command(scored(12)));
    let held = crate::cells(&admission);
    let ids = held.map(|cell| order(&admission, &OneSpec, &cell, 0).unwrap().debate.id).collect();
    let facts =
        |_: &str| Some(Facts { ending: CellEnding::Answered, answer: Some("1".to_owned()), ..Facts::default() });
    let again = EvalPlan::of(&admission, &OneSpec, &HeldCells { ids: &ids, facts: &facts }).unwrap();
    assert_eq!((again.calls, again.reused), (0, again.cells));
    assert!(again.programs.iter().all(|of| of.runs > 0) && again.programs.len() == 2);
}
