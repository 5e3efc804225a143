//! What figures are called, and what readers are told of how an eval came about.
use super::{page, terminal};
use agon_eval::testing::sample_result;
use agon_eval::{
    CalibrationResult, CellOutcome, EvalResult, PairBasis, PairRow, PairWinner, ReplacedRow, ScorerTrust,
    TrustEvidence, trust,
};
use agon_report::{DebateLinks, eval_html, eval_markdown};

fn scored_by(scorers: &[(&str, u32)]) -> EvalResult {
    let mut result = sample_result(24, 1);
    result.setup.scorers = scorers.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
    result
}

#[test]
fn rates_of_rubrics_are_scores_in_every_face() {
    let right = scored_by(&[("choice", 24)]);
    let scores = scored_by(&[("rubric", 24)]);
    let mixed = scored_by(&[("number", 10), ("rubric", 14)]);
    assert!(eval_markdown(&right).contains("| Arm | Right \\[95 %\\] |"), "{}", eval_markdown(&right));
    for result in [&scores, &mixed] {
        let markdown = eval_markdown(result);
        assert!(
            markdown.contains("| Arm | Score \\[95 %\\] |") && markdown.contains("Differences in scores"),
            "{markdown}"
        );
        for face in [terminal(result, 100), markdown, page(result)] {
            // free arms and gates are about questions that patterns score
            let face = face.replace("Right answers over tokens, by who", "").replace("If a row is right as often", "");
            assert!(!face.contains("Right answers over") && !face.contains("is right as often"), "{face}");
        }
        assert!(
            terminal(result, 120).lines().any(|line| line.contains("Score  95 % interval")),
            "{}",
            terminal(result, 100)
        );
    }
    assert!(terminal(&scores, 200).contains("not a share of right answers"));
    assert!(
        terminal(&mixed, 200).contains("mean over 10 questions whose answers are right (100 %) or not, and 14 scored")
    );
    assert!(!terminal(&right, 200).contains("Score"));
}

#[test]
fn a_pilot_is_marked_at_its_verdict() {
    let mut result = sample_result(24, 1);
    result.setup.pilot_of = Some(300);
    for face in [terminal(&result, 200), eval_markdown(&result), page(&result)] {
        assert!(face.contains("Pilot: ") && face.contains("a pilot on 24 of 300"), "{face}");
    }
}

#[test]
fn pairs_and_replaced_results_are_rows() {
    let mut result = scored_by(&[("pairwise", 24)]);
    let (arm, rival) = ("panel".to_owned(), "self_consistency@panel".to_owned());
    let pair = |question, winner, arm_first, rival_first| PairRow {
        question,
        repetition: 0,
        arm: arm.clone(),
        rival: rival.clone(),
        winner,
        basis: PairBasis::Graded,
        arm_first,
        rival_first,
    };
    use PairWinner::{Arm, Rival, Tie};
    result.pairs = vec![
        pair(0, Some(Tie), Some(Arm), Some(Rival)),
        pair(1, Some(Arm), Some(Arm), Some(Arm)),
        pair(2, None, None, None),
    ];
    result.replaced = vec![ReplacedRow {
        question: "q<7>".to_owned(),
        arm: "panel".to_owned(),
        repetition: 0,
        debate: "evgone".to_owned(),
        reason: Some("no_quorum".to_owned()),
        calls: 3,
        total_tokens: 1_234,
    }];
    let markdown = eval_markdown(&result);
    let row = |question: usize| {
        let id = result.questions[question].id.as_str();
        let found = markdown.lines().find(|line| line.starts_with(&format!("| {id} | panel | self-consistency | ")));
        found.unwrap_or_else(|| panic!("{markdown}")).to_owned()
    };
    assert!(row(0).contains("| neither | panel | self-consistency |"), "{}", row(0));
    assert!(row(1).contains("| panel | panel | panel |"), "{}", row(1));
    assert!(row(2).contains("| – | – | – |"), "{}", row(2));
    assert!(markdown.contains("## Pairs of answers") && markdown.contains("### Results that a retry replaced"));
    assert!(markdown.contains("| no quorum | 1,234 | evgone |"), "{markdown}");
    assert!(page(&result).contains("q&#60;7&#62;"), "hostile ids are escaped");
}

#[test]
fn without_any_grade_there_is_no_figure_but_what_to_do() {
    let mut result = scored_by(&[("rubric", 24)]);
    let (gradings, ungraded) = (96, 96);
    result.trust = Some(ScorerTrust { gradings, ungraded, ..trust(&TrustEvidence::default()) });
    result.comparisons.clear();
    result.arms.iter_mut().for_each(|arm| arm.right = None);
    result.cells.iter_mut().for_each(|cell| (cell.score, cell.outcome) = (None, CellOutcome::Ungraded));
    let face = terminal(&result, 200);
    assert!(face.contains("No verdict. No answer was graded, so nothing can be compared."), "{face}");
}

#[test]
fn a_rescored_eval_names_its_earlier_graders() {
    let mut result = scored_by(&[("rubric", 24)]);
    let earlier_graders = vec![vec!["gemma3".to_owned()], vec!["phi4".to_owned(), "qwen3".to_owned()]];
    result.trust = Some(ScorerTrust { earlier_graders, ..trust(&TrustEvidence::default()) });
    assert!(eval_markdown(&result).contains("This is scoring 3. Earlier graders, in order: gemma3; phi4 and qwen3."));
}

#[test]
fn a_page_beside_its_debates_does_not_link_to_deleted_ones() {
    let result = sample_result(6, 1);
    let gone = result.cells[0].debates[0].clone();
    let links = DebateLinks::Files { deleted: [gone.clone()].into() };
    let page = eval_html(&result, &links).unwrap();
    assert!(!page.contains(&format!("debates/{gone}.html")) && page.contains(&format!("{gone} (deleted)")), "{page}");
    assert!(page.contains("debates/"), "the others are linked");
}

#[test]
fn a_result_of_an_older_version_still_reads() {
    let mut value = serde_json::to_value(sample_result(6, 1)).unwrap();
    value["setup"].as_object_mut().unwrap().remove("pilot_of");
    for of in value["calibration"].as_array_mut().unwrap() {
        of.as_object_mut().unwrap().remove("debiased_error");
    }
    let read: EvalResult = serde_json::from_value(value).unwrap();
    let none = |of: &CalibrationResult| of.debiased_error.is_none();
    assert!(read.calibration.iter().all(none) && read.pairs.is_empty() && read.replaced.is_empty());
}
