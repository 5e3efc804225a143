//! Claims that speeches mark, in every report.
use crate::log::{Log, admitted, persona, spec};
use crate::shown::{live, minutes};
use agon_core::testing::argument;
use agon_core::*;
use agon_report::{DebateResult, full_markdown, html, summary_only};

fn check(claim: &str, result: CheckResult, output: &str) -> Check {
    let (verifier, claim, output) = ("sum".to_owned(), claim.to_owned(), output.to_owned());
    Check { verifier, claim, result, output, truncated: false, duration_ms: 12 }
}

/// Ada marks three claims and Bruno none.
fn marked(hidden: bool) -> Log {
    let cast = vec![persona("Ada", Some("Buy it"), "Bakes"), persona("Bruno", Some("Wait"), "Keeps the books")];
    let mut spec = spec("Should the bakery buy an oven?", cast);
    spec.verifiers = vec!["sum".to_owned()];
    spec.visible.debaters.history = !hidden;
    let mut log = admitted(spec);
    log.phase(PhaseName::Rounds).round(1, &["Ada", "Bruno"]);
    let failed = CheckResult::Failed { cause: CheckFailure::TimedOut };
    let checks = vec![
        check("21 + 3 = 24", CheckResult::Holds, ""),
        check("3 | 4\n= 2", CheckResult::Refuted, "it is\n7"),
        check("P = NP", failed, "the verifier `sum` gave no result within 10 s"),
    ];
    let mut asked = log.ask(1, "Ada", argument());
    asked.call.checks = checks;
    log.spoke(asked, SpeechKind::Argument, "It pays.", |_| {});
    log.speak_as(1, "Bruno", SpeechKind::Argument, "It does not.", |_| {});
    log
}

#[test]
fn each_claim_stands_in_a_table_with_its_result() {
    let log = marked(false);

    let page = full_markdown(&minutes(&log));

    let (_, table) = page.split_once("## Checked claims\n\n").unwrap();
    let rows: Vec<&str> = table.lines().take(5).collect();
    assert_eq!(rows[0], "| Claim | Who | Verifier | Result | Output |");
    assert_eq!(rows[2], "| 21 + 3 = 24 | Ada, argument | sum | holds |  |");
    assert!(rows[3].ends_with("| Ada, argument | sum | refuted | it is 7 |"), "{}", rows[3]);
    assert!(rows[4].contains("| failed (timed_out) | the verifier"), "{}", rows[4]);
    let html = html(&minutes(&log)).unwrap();
    assert!(html.contains("<h2>Checked claims</h2>") && html.contains("<td>failed (timed_out)</td>"));
    let warnings = DebateResult::of(&minutes(&log)).warnings;
    assert!(
        warnings.contains(&"1 of 3 checks of claims failed, which says nothing about these claims.".to_owned()),
        "{warnings:?}"
    );
}

#[test]
fn results_stand_below_the_speech_in_terminal_and_reports() {
    let log = marked(false);

    let told = live(&log);

    assert!(told.contains("(check by sum: holds)"), "{told}");
    assert!(told.contains("(check by sum: refuted: it is 7)"), "{told}");
    assert!(full_markdown(&minutes(&log)).contains("*Check by sum: refuted: it is 7*"));
}

#[test]
fn the_result_has_each_claim_with_its_speech() {
    let log = marked(false);

    let result = serde_json::to_value(DebateResult::of(&minutes(&log))).unwrap();

    assert_eq!(
        result["checks"][2],
        serde_json::json!({
            "round": 1, "seat": 0, "participant": "Ada", "verifier": "sum", "claim": "P = NP", "result": "failed",
            "cause": "timed_out", "output": "the verifier `sum` gave no result within 10 s", "duration_ms": 12,
        })
    );
    assert_eq!(result["checks"].as_array().unwrap().len(), 3);
}

#[test]
fn reports_without_speeches_or_checks_show_none() {
    let hidden = marked(true);
    let result = DebateResult::of(&minutes(&hidden));
    assert_eq!(result.checks, []);
    assert!(!full_markdown(&minutes(&hidden)).contains("21 + 3"));
    assert!(!html(&minutes(&hidden)).unwrap().contains("21 + 3"));
    let none = crate::scenes::decided();
    assert!(!html(&minutes(&none)).unwrap().contains("Checked claims"));
    assert!(!summary_only(&minutes(&none)).contains("Checked claims"));
}
