use super::{shapes, terminal};
use agon_eval::testing::sample_result;
use agon_report::{eval_digest, eval_markdown};

#[test]
fn the_terminal_says_what_was_found_with_one_line_for_each_arm() {
    insta::assert_snapshot!(terminal(&sample_result(324, 2), 100));
}

#[test]
fn a_narrow_terminal_gives_two_lines_to_each_arm() {
    insta::assert_snapshot!(terminal(&sample_result(324, 1), 48));
}

#[test]
fn what_is_withheld_unknown_or_failed_is_said_and_is_no_zero() {
    let all: Vec<String> = [shapes::withheld(), shapes::nothing_known(), shapes::all_failed(), shapes::no_question()]
        .iter()
        .map(|result| terminal(result, 100))
        .collect();
    insta::assert_snapshot!(all.join("\n----\n"));
}

#[test]
fn columns_of_arms_fit_the_terminal() {
    for (name, result) in shapes::all() {
        for width in [60, 80, 100, 140] {
            let text = terminal(&result, width);
            let table = text.lines().skip_while(|line| !line.starts_with("Per question"));
            let is_row = |line: &&str| !line.is_empty() && !line.starts_with("Failed or without an answer:");
            for line in table.take_while(is_row) {
                assert!(line.chars().count() <= width, "{name}, {width}: {line}");
            }
        }
    }
}

#[test]
fn markdown_says_all_that_the_page_says() {
    let mut result = sample_result(6, 2);
    (result.trust, result.sequential) = (shapes::graded().trust, shapes::sequential().sequential);
    insta::assert_snapshot!(eval_markdown(&result));
}

#[test]
fn a_withheld_result_shows_no_rate_in_any_face() {
    let result = shapes::withheld();
    for text in [terminal(&result, 100), eval_markdown(&result)] {
        assert!(text.contains("Rates and differences are shown at the end"), "{text}");
        assert!(!text.contains(" points ["), "{text}");
    }
}

#[test]
fn the_digest_has_the_findings_the_arms_and_the_causes_of_the_report() {
    let digest = eval_digest(&sample_result(324, 2));
    let text = terminal(&sample_result(324, 2), 1_000);
    assert!(text.contains(&digest.title) && !digest.findings.is_empty() && !digest.arms.is_empty());
    for finding in &digest.findings {
        assert!(text.contains(&finding.sentence), "{} in {text}", finding.sentence);
    }
    let failed = eval_digest(&shapes::all_failed());
    assert!(
        !failed.failures.is_empty() && failed.failures.iter().all(|of| failed.arms.iter().any(|arm| arm.id == of.id))
    );
    let withheld = eval_digest(&shapes::withheld());
    assert!(withheld.arms.iter().all(|arm| arm.right == "–"), "{:?}", withheld.arms);
}
