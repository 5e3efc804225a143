//! Failures that are planted in one arm: what they cost its rate, and when they end an eval.
use super::planted::{PANEL, PlantedQuestions};
use agon_eval::{ArmResult, CellOutcome, CellRow, EvalResult, EvalState, SensitivityCase};
use agon_testkit::Rehearsal;

const QUESTIONS: usize = 30;
const EVAL: &str = "failing";

/// Questions whose debates fail wherever a debater fails.
fn questions() -> PlantedQuestions {
    let planted = PlantedQuestions::new(21, QUESTIONS, "");
    planted.world.file("panel.yaml", &format!("{PANEL}on_turn_failure: abort\n"));
    planted
}

/// A server at which every nth argument of a debater fails: polls have no arguments.
fn failing_server(planted: &PlantedQuestions, every: u32) -> Rehearsal {
    let rule = format!(
        "[[rules]]\nfault = \"not_found\"\nwhen = {{ speaker = \"Ada\", task = \"argument\", every = {every} }}\n"
    );
    let script = planted.world.file("faults.toml", &rule);
    planted.world.rehearsal(&["--minds", &planted.minds, "--script", &script])
}

fn run(planted: &PlantedQuestions, server: &Rehearsal) -> EvalResult {
    // one cell at a time, so that the failures hit the same share of any questions
    planted.run(EVAL, &["--ollama", server.url(), "--concurrency", "1"])
}

fn debate(result: &EvalResult) -> &ArmResult {
    result.arms.iter().find(|arm| arm.id == "panel").unwrap()
}

fn cells(result: &EvalResult) -> Vec<&CellRow> {
    result.cells.iter().filter(|cell| cell.arm == "panel").collect()
}

#[test]
fn failures_lower_the_rate_of_their_arm_by_what_they_cost_and_leave_no_table() {
    let calm = questions();
    let undisturbed = run(&calm, &calm.world.rehearsal(&["--minds", &calm.minds]));
    let planted = questions();
    let result = run(&planted, &failing_server(&planted, 10));

    let mut lost = 0.0;
    let (before, after) = (cells(&undisturbed), cells(&result));
    assert_eq!((before.len(), after.len()), (QUESTIONS, QUESTIONS));
    for (before, after) in before.into_iter().zip(after) {
        if after.outcome == CellOutcome::Failed {
            assert_eq!(after.score, Some(0.0), "{after:?}");
            lost += before.score.unwrap();
        } else {
            assert_eq!((&after.answer, after.score), (&before.answer, before.score));
        }
    }
    let (arm, all) = (debate(&result), f64::from(u32::try_from(QUESTIONS).unwrap()));
    assert_eq!(arm.failed as usize, QUESTIONS / 10);
    let rate = |result: &EvalResult| debate(result).right.unwrap().value;
    let wanted = rate(&undisturbed) - lost / all;
    assert!((rate(&result) - wanted).abs() < 1e-12, "{} {wanted}", rate(&result));
    for result in [&undisturbed, &result] {
        no_denominator_is_smaller(result);
    }
}

/// Every question is in every table but in the row that says that it leaves failures out.
fn no_denominator_is_smaller(result: &EvalResult) {
    let all = u32::try_from(QUESTIONS).unwrap();
    for arm in &result.arms {
        assert_eq!((arm.n, arm.right.unwrap().n), (all, all), "{}", arm.id);
        assert_eq!(arm.answered + arm.ties + arm.no_answer + arm.failed, all, "{}", arm.id);
        let by_category: u32 = result.categories.iter().filter(|row| row.arm == arm.id).map(|row| row.right.n).sum();
        assert_eq!(by_category, all, "{}", arm.id);
    }
    for free in &result.free_arms {
        assert_eq!(free.right.n, all, "{:?}", free.kind);
    }
    for comparison in &result.comparisons {
        assert_eq!(comparison.questions, all);
        let tables = comparison.counts.iter().map(|count| count.difference.n);
        assert!(tables.into_iter().all(|n| n == all), "{comparison:?}");
        for row in &comparison.sensitivity {
            let left_out = if row.case == SensitivityCase::FailuresLeftOut { row.changed_cells } else { 0 };
            assert_eq!(row.questions + left_out, all, "{row:?}");
        }
    }
}

#[test]
fn an_arm_of_which_a_quarter_fails_ends_the_eval_without_a_verdict_and_a_retry_completes_it() {
    let planted = questions();
    let server = failing_server(&planted, 4);
    let PlantedQuestions { world, questions, panel, .. } = &planted;
    let run = ["eval", "run", questions, "--debate", panel, "--id", EVAL, "--yes", "-q", "--concurrency", "1"];
    world.agon(&[&run[..], &["--ollama", server.url()]].concat()).code(3);
    let result = || -> EvalResult {
        serde_json::from_str(&world.agon(&["eval", "export", "result", EVAL]).ok().stdout).unwrap()
    };
    let stopped = result();
    assert_eq!(stopped.stopped.as_ref().unwrap().reason, "failures");
    assert_eq!(stopped.state, EvalState::Failed);
    let verdicts = stopped.comparisons.iter().flat_map(|comparison| &comparison.counts).map(|count| count.verdict);
    assert!(verdicts.into_iter().all(|verdict| verdict.is_none()), "{:?}", stopped.comparisons);

    let well = world.rehearsal(&["--minds", &planted.minds]);
    let retried = world.agon(&["eval", "retry", EVAL, "--ollama", well.url(), "-q"]);
    assert!(matches!(retried.code, Some(0 | 2)), "{retried:?}");
    let complete = result();
    assert_eq!((complete.state, debate(&complete).failed), (EvalState::Complete, 0));
    no_denominator_is_smaller(&complete);
    // what failed was paid, and stays in what was spent
    let spent = |result: &EvalResult| result.setup.spent.first().unwrap().total;
    let of_cells: f64 = complete.arms.iter().filter(|arm| arm.id == "panel").map(|arm| arm.costs[0].total).sum();
    assert!(spent(&complete) > of_cells && spent(&complete) > spent(&stopped));
}
