//! Servers that hang or do not say what they used.
use super::planted::PlantedQuestions;
use agon_eval::{Count, EvalResult, VerdictKind};

const SENSIBLE: &str = "truth = 0.5\n";

/// A fault script of one rule.
fn script(planted: &PlantedQuestions, rule: &str) -> String {
    planted.world.file("faults.toml", &format!("[[rules]]\n{rule}\n"))
}

#[test]
fn debates_that_hang_do_not_hold_up_an_eval_beyond_its_seconds() {
    let planted = PlantedQuestions::new(3, 12, SENSIBLE);
    let world = &planted.world;
    let file = "questions: questions.jsonl\ndebates: [{file: panel.yaml}]\nlimits: {seconds: 4}\n";
    let file = world.file("eval.yaml", file);
    let script = script(&planted, "fault = \"hang\"\nwhen = { speaker = \"Ada\", task = \"argument\" }");
    let run = ["eval", "run", &file, "--rehearsal", "--rehearsal-script", &script, "--id", "hanging", "--yes", "-q"];
    world.agon(&run).code(2);
    let got = world.json(&["eval", "get", "hanging", "--json"]);
    assert_eq!((&got["state"], &got["stopped"]), (&"stopped".into(), &"limit_seconds".into()), "{got}");
    let debates = world.json(&["list", "--label", "eval=hanging", "--json"]);
    let states: Vec<&str> = debates.as_array().unwrap().iter().map(|one| one["state"].as_str().unwrap()).collect();
    assert!(states.contains(&"cancelled"), "{states:?}");
    assert!(states.iter().all(|state| ["succeeded", "cancelled"].contains(state)), "{states:?}");
}

#[test]
fn usage_that_nobody_reports_is_estimated_marked_and_lets_nothing_be_told() {
    let planted = PlantedQuestions::new(4, 12, SENSIBLE);
    let script = script(&planted, "fault = \"uncounted\"");
    let more = ["--rehearsal", "--minds", &planted.minds, "--rehearsal-script", &script];
    let result: EvalResult = planted.run("uncounted", &more);
    let total = |id: &str| {
        let arm = result.arms.iter().find(|arm| arm.id == id).unwrap();
        *arm.costs.iter().find(|cost| cost.count == Count::Total).unwrap()
    };
    for id in ["single", "self_consistency@panel", "panel"] {
        let cost = total(id);
        assert!(cost.total > 0.0 && cost.estimated == Some(cost.total) && cost.unknown_share == 1.0, "{cost:?}");
    }
    let row = &result.comparisons[0].counts[0];
    assert_eq!((row.count, row.verdict, row.estimated), (Count::Total, Some(VerdictKind::CannotTell), true));
    for part in ["x, estimated)", "100 % of the calls of panel did not report what they used"] {
        assert!(row.sentence.contains(part), "{}", row.sentence);
    }
    assert!(result.cells.iter().all(|cell| cell.estimated_tokens == cell.total_tokens && cell.total_tokens > 0));
    let text = planted.world.agon(&["eval", "report", "uncounted"]).ok().stdout;
    assert!(text.contains("(estimated)") && text.contains("estimated by the"), "{text}");
}
