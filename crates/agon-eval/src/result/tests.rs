use crate::testing::{PlantedEval, planted_ballot, planted_cost};
use crate::*;
use std::collections::BTreeMap;

fn arm<'a>(result: &'a EvalResult, id: &str) -> &'a ArmResult {
    result.arms.iter().find(|arm| arm.id == id).unwrap()
}

fn rate(result: &EvalResult, id: &str) -> f64 {
    arm(result, id).right.unwrap().value
}

fn none(reason: &str) -> CellEnding {
    CellEnding::NoAnswer { reason: reason.to_owned() }
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

/// 12 questions: the debate is right on the first 9, sample 1 on the first 3, and of 3 samples two on the first 6.
fn twelve() -> PlantedEval {
    let mut eval = PlantedEval::new(12);
    for question in 0..12 {
        eval.answered(question, if question < 9 { "4" } else { "5" }, 300);
        let second = if question < 6 { "4" } else { "5" };
        let first = if question < 3 { "4" } else { "5" };
        let third = if question < 6 { "4.0" } else { "7" };
        eval.samples(question, 0, &[Some(first), Some(second), Some(third), Some("9")], 100);
    }
    eval
}

#[test]
fn arms_count_what_is_right_over_all_questions() {
    let result = twelve().result();
    assert!(near(rate(&result, "panel"), 0.75));
    assert!(near(rate(&result, "single"), 0.25));
    assert!(near(rate(&result, "self_consistency@panel"), 0.5));
    assert_eq!(arm(&result, "self_consistency@panel").samples, Some(SampleUse { mean: 3.0, least: 3, most: 3 }));
    let interval = arm(&result, "panel").right.unwrap().interval.unwrap();
    assert_eq!(Some(interval), stats::wilson(9, 12, 0.95));
}

#[test]
fn every_token_is_that_of_the_cells_and_the_ratio_that_of_the_sums() {
    let eval = twelve();
    let result = eval.result();
    let total = |id: &str| arm(&result, id).costs.iter().find(|cost| cost.count == Count::Total).unwrap().total;
    assert!(near(total("panel"), 3_600.0) && near(total("single"), 1_200.0));
    assert!(near(total("self_consistency@panel"), 3_600.0));
    let held: u64 = eval.cells.iter().map(|closed| closed.facts.cost.prompt + closed.facts.cost.generated).sum();
    assert!(near(result.setup.spent[0].total, held as f64));
    assert!(near(result.comparisons[0].counts[0].ratio.unwrap(), 1.0));
    assert_eq!(arm(&result, "panel").calls, 36);
}

#[test]
fn the_primary_comparison_has_a_row_for_each_count_and_one_sentence_each() {
    let result = twelve().result();
    let primary = &result.comparisons[0];
    assert_eq!((primary.family, primary.rival.as_str()), (ComparisonFamily::Primary, "self_consistency@panel"));
    let counts: Vec<Count> = primary.counts.iter().map(|row| row.count).collect();
    assert_eq!(counts, [Count::Total, Count::Generated, Count::New, Count::Seconds]);
    let own = &primary.counts[0];
    assert!(near(own.difference.value, 0.25));
    assert_eq!((own.arm_only, own.rival_only), (Some(3), Some(0)));
    assert!(near(own.p.unwrap(), 0.25) && own.method == Some(IntervalMethod::Tango));
    assert_eq!(own.verdict, Some(VerdictKind::CannotTell));
    assert!(
        own.sentence.starts_with("Whether debating (panel) helps cannot be told: 75.0 % right against 50.0 %"),
        "{}",
        own.sentence
    );
    assert!(own.sentence.contains("at equal tokens (1.00 x), +25.0 points ["), "{}", own.sentence);
    assert!(own.sentence.contains("p = 0.250, 12 questions."), "{}", own.sentence);
    assert_eq!(own.needed.len(), 3);
}

#[test]
fn the_questions_needed_are_those_of_the_test_that_is_used() {
    let needed = |result: EvalResult| {
        let row = result.comparisons.into_iter().next().unwrap().counts.swap_remove(0);
        let questions: Vec<u32> = row.needed.iter().map(|needed| needed.questions.unwrap()).collect();
        (questions, row.sentence)
    };
    // a quarter of the questions differs: the table of section 8, and 1.6 times that, rounded up
    let (fixed, sentence) = needed(twelve().result());
    assert_eq!(fixed, [2_238, 817, 324]);
    assert!(sentence.contains(" Questions needed: 2,238 for 3 points"), "{sentence}");
    let mut sequential = twelve();
    sequential.admission.spec.design = Design::Sequential;
    for (questions, sentence) in [needed(sequential.result()), needed(twelve().result_with(|of| of.peeked = true))] {
        assert_eq!(questions, [3_581, 1_308, 519]);
        assert!(
            sentence.contains(" Questions needed by the sequential test, at most: 3,581 for 3 points"),
            "{sentence}"
        );
    }
}

#[test]
fn a_gain_that_is_large_and_sure_helped() {
    let mut eval = PlantedEval::new(100);
    for question in 0..100 {
        eval.answered(question, if question < 90 { "4" } else { "5" }, 100);
        eval.samples(question, 0, &[Some(if question < 50 { "4" } else { "5" }); 4], 100);
    }
    let result = eval.result();
    let own = &result.comparisons[0].counts[0];
    assert_eq!((own.verdict, own.cost_only, own.fragile), (Some(VerdictKind::Helped), false, false));
    assert!(
        own.sentence.starts_with("Debating (panel) helped: 90.0 % right against 50.0 % for self-consistency"),
        "{}",
        own.sentence
    );
    // the same at three times the tokens of a rival that may have but one sample
    let mut dear = eval.clone();
    dear.admission.spec.max_samples = 1;
    dear.cells
        .iter_mut()
        .filter(|closed| closed.facts.samples.is_empty())
        .for_each(|c| c.facts.cost = planted_cost(3, 300));
    let result = dear.result();
    let own = &result.comparisons[0].counts[0];
    assert_eq!((own.verdict, own.cost_only), (Some(VerdictKind::CannotTell), true));
    assert!(near(own.per_extra_right.unwrap(), 500.0) && own.needed.is_empty());
    let cut = arm(&result, "self_consistency@panel").cut.unwrap();
    let open = |of: Estimate| of.interval.is_none_or(|interval| interval.high >= 0.03);
    assert!(near(cut.share, 1.0) && cut.held_down == cut.plateau.is_none_or(open));
}

#[test]
fn failures_and_missing_answers_count_0_and_stay_in_every_denominator() {
    let mut eval = PlantedEval::new(40);
    for question in 0..40 {
        match question {
            0..4 => eval.debate(question, Facts::failed("quorum", 120)),
            4..6 => eval
                .debate(question, Facts { ending: none("order_sensitive"), answer: None, ..Facts::planted("", 300) }),
            _ => eval.answered(question, "4", 300),
        };
        eval.samples(question, 0, &[Some("4"); 4], 100);
    }
    let result = eval.result();
    let panel = arm(&result, "panel");
    // 10 % planted failures cost just 4 of 40
    assert!(near(panel.right.unwrap().value, 34.0 / 40.0));
    assert_eq!((panel.n, panel.answered, panel.no_answer, panel.failed), (40, 34, 2, 4));
    assert_eq!(panel.causes, BTreeMap::from([("quorum".to_owned(), 4), ("order_sensitive".to_owned(), 2)]));
    assert!(result.arms.iter().all(|arm| arm.n == 40 && arm.right.unwrap().n == 40));
    assert!(result.comparisons.iter().all(|comparison| comparison.questions == 40));
    let left_out =
        result.comparisons[0].sensitivity.iter().find(|row| row.case == SensitivityCase::FailuresLeftOut).unwrap();
    assert_eq!((left_out.questions, left_out.changed_cells), (36, 4));
    assert!(near(left_out.difference.unwrap().value, -2.0 / 36.0));
    assert!(panel.costs.iter().all(|cost| cost.unknown_share == 0.0));
}

#[test]
fn an_eval_that_failed_has_no_verdict_and_a_blind_one_no_figures_of_rightness() {
    let result = twelve().result_with(|options| options.state = EvalState::Failed);
    assert!(result.comparisons.iter().flat_map(|comparison| &comparison.counts).all(|row| row.verdict.is_none()));
    let blind = twelve().result_with(|options| options.withheld = true);
    assert!(blind.comparisons.is_empty() && blind.free_arms.is_empty() && blind.front.is_empty());
    assert!(blind.arms.iter().all(|arm| arm.right.is_none() && !arm.costs.is_empty()));
    assert!(blind.cells.iter().all(|cell| cell.score.is_none() && cell.answer.is_none() && cell.flip.is_none()));
}

#[test]
fn answers_that_tie_share_and_a_sample_that_failed_is_paid_but_has_no_vote() {
    let mut eval = PlantedEval::new(1);
    eval.answered(0, "5", 400).samples(0, 0, &[Some("4"), None, Some("5"), None], 100);
    let result = eval.result();
    assert!(near(rate(&result, "self_consistency@panel"), 0.5));
    let cell = result.cells.iter().find(|cell| cell.arm == "self_consistency@panel").unwrap();
    assert_eq!((cell.outcome, cell.reason.as_deref(), cell.total_tokens), (CellOutcome::Tie, Some("tie"), 400));
    let mut failed = PlantedEval::new(1);
    failed.answered(0, "5", 400).samples(0, 0, &[None; 4], 100);
    let result = failed.result();
    assert_eq!(arm(&result, "self_consistency@panel").causes, BTreeMap::from([("samples_failed".to_owned(), 1)]));
}

#[test]
fn budgets_match_question_by_question_and_counts_have_their_own_samples() {
    let mut eval = PlantedEval::new(200);
    for question in 0..200 {
        eval.answered(question, "4", 250 + u64::from(question % 90) * 10);
        let tokens = 80 + u64::from(question % 7) * 15;
        eval.samples(question, 0, &[Some("4"); 4], tokens).samples(question, 4, &[Some("5"); 30], tokens);
    }
    let result = eval.result();
    for row in &result.comparisons[0].counts {
        let ratio = row.ratio.unwrap();
        assert!((0.98..=1.02).contains(&ratio), "{:?} {ratio}", row.count);
    }
    let used = arm(&result, "self_consistency@panel").samples.unwrap();
    assert!(used.least >= 1 && used.most <= 34 && used.mean > 4.0);
}

#[test]
fn unknown_usage_of_more_than_5_percent_of_the_calls_lets_nothing_be_told_at_that_count() {
    let mut eval = PlantedEval::new(100);
    for question in 0..100 {
        let mut facts = Facts::planted("4", 100);
        if question < 20 {
            facts.cost.unknown_calls = 2;
        }
        eval.debate(question, facts).samples(question, 0, &[Some("5"); 4], 100);
    }
    let own = &eval.result().comparisons[0].counts[0];
    assert_eq!(own.verdict, Some(VerdictKind::CannotTell));
    assert!(own.sentence.contains("13 % of the calls of panel did not report what they used."), "{}", own.sentence);
}

/// A debate of three whose ballots are these.
fn voted(first: [&str; 3], last: [&str; 3], answer: &str) -> Facts {
    let ballots = (0..).zip(first).map(|(seat, answer)| planted_ballot(false, seat, answer));
    let ballots = ballots.chain((0..).zip(last).map(|(seat, answer)| planted_ballot(true, seat, answer)));
    let cost_by = BTreeMap::from([
        ("initial_ballots".to_owned(), planted_cost(3, 60)),
        ("final_ballots".to_owned(), planted_cost(9, 240)),
    ]);
    Facts { ballots: ballots.collect(), cost_by, ..Facts::planted(answer, 300) }
}

#[test]
fn flips_drift_conformity_and_lost_truth_are_those_of_the_ballots() {
    let mut eval = PlantedEval::new(4);
    // mended; broken against a right majority; contested, then unanimous and wrong; kept
    eval.debate(0, voted(["5", "5", "4"], ["4", "5", "4"], "4"));
    eval.debate(1, voted(["4", "4", "5"], ["4", "4", "4"], "5"));
    eval.debate(2, voted(["4", "5", "5"], ["5", "5", "5"], "5"));
    eval.debate(3, voted(["4", "4", "4"], ["4", "4", "4"], "4"));
    for question in 0..4 {
        eval.samples(question, 0, &[Some("4"); 4], 100);
    }
    let result = eval.result();
    let inside = &result.inside[0];
    let ballots = inside.ballots.unwrap();
    assert_eq!((ballots.kept_right, ballots.kept_wrong, ballots.wrong_to_other), (6, 3, 0));
    assert_eq!((ballots.wrong_to_right, ballots.right_to_wrong), (2, 1));
    assert!(near(ballots.mended.unwrap().value, 0.4) && near(ballots.broken.unwrap().value, 1.0 / 7.0));
    let results = inside.results.unwrap();
    assert_eq!((results.kept_right, results.kept_wrong, results.wrong_to_right, results.right_to_wrong), (1, 1, 1, 1));
    assert!(near(results.p.unwrap(), 1.0));
    let drift = inside.drift.unwrap();
    assert!(near(drift.first.value, 7.0 / 12.0) && near(drift.last.value, 8.0 / 12.0));
    // outside a majority stood Cy (0), Cy (1) and Ada (2); the two latter moved to it
    let conformity = inside.conformity.unwrap();
    assert!(near(conformity.all.value, 2.0 / 3.0));
    assert!(near(conformity.to_right.unwrap().value, 1.0) && near(conformity.to_wrong.unwrap().value, 0.5));
    assert!(near(conformity.unchallenged.unwrap().value, 1.0));
    let lost = inside.lost_truth.unwrap();
    assert!(near(lost.lost.value, 0.5) && near(lost.collapsed.unwrap().value, 1.0 / 3.0));
    let flips: Vec<Option<CellFlip>> =
        result.cells.iter().filter(|cell| cell.arm == "panel").map(|cell| cell.flip).collect();
    let wanted = [CellFlip::WrongToRight, CellFlip::RightToWrong, CellFlip::KeptWrong, CellFlip::KeptRight];
    assert_eq!(flips, wanted.map(Some));
}

#[test]
fn free_arms_cost_what_the_log_had_cost_by_then_and_the_oracle_is_no_method() {
    let mut eval = PlantedEval::new(12);
    for question in 0..12 {
        eval.debate(question, voted(["4", "4", "5"], ["5", "5", "4"], if question < 6 { "4" } else { "5" }));
        eval.samples(question, 0, &[Some("4"); 4], 100);
    }
    let result = eval.result();
    let free = |kind| result.free_arms.iter().find(|free| free.kind == kind).unwrap();
    assert!(near(free(FreeArmKind::VoteFirst).right.value, 1.0) && near(free(FreeArmKind::VoteLast).right.value, 0.0));
    assert!(near(free(FreeArmKind::RandomFirst).right.value, 2.0 / 3.0));
    assert!(near(free(FreeArmKind::VoteFirst).per_question.unwrap(), 60.0));
    assert!(near(free(FreeArmKind::RandomFirst).per_question.unwrap(), 20.0));
    assert!(near(free(FreeArmKind::VoteLast).per_question.unwrap(), 240.0));
    assert!(near(free(FreeArmKind::VoteFirst).gain.value, -0.5));
    assert!(free(FreeArmKind::Oracle).upper_bound);
    assert!(result.front.iter().all(|point| point.id != "panel/oracle"));
    assert_eq!(arm(&result, "panel").dominated_by, ["panel/random_first", "panel/vote_first", "single"]);
    assert!(!result.free_arms.iter().any(|free| free.kind == FreeArmKind::VoteOpenings));
}

#[test]
fn two_thousand_questions_and_six_arms_are_computed_with_every_draw() {
    let mut eval = PlantedEval::new(2_000);
    let (first, second) = (ArmName("panel".to_owned()), ArmName("second".to_owned()));
    let other = DebateArm { name: second.clone(), ..eval.admission.spec.debates[0].clone() };
    let rival = ArmName("self_consistency".to_owned());
    let spec = &mut eval.admission.spec;
    spec.debates.push(other);
    spec.primary.push(Comparison { arm: second.clone(), rival });
    spec.debates[0].isolated = true;
    eval.admission.pools[0].arms.push(second.clone());
    for question in 0..2_000_u32 {
        let says = |salt: u32| {
            if question.wrapping_mul(2_654_435_761).wrapping_add(salt * 977) >> 7 & 3 == 0 { "5" } else { "4" }
        };
        let ballots = [says(1), says(2), says(3)];
        let last = [says(2), says(2), says(3)];
        eval.debate(question, Facts { degraded: question % 90 == 0, ..voted(ballots, last, says(4)) });
        eval.push(question, CellWork::Debate { arm: second.clone() }, voted(ballots, last, says(5)));
        eval.push(question, CellWork::Isolated { arm: first.clone() }, voted(ballots, last, says(6)));
        eval.samples(question, 0, &[Some(says(7)), Some(says(8)), Some(says(9)), None], 70);
    }
    let result = eval.result_with(|options| options.effort = None);
    assert_eq!(result.arms.len(), 6);
    assert_eq!(result.cells.len(), 12_000);
    assert!(result.arms.iter().all(|arm| arm.right.unwrap().interval.is_some()));
    let json = result_json(&result).unwrap();
    assert!(json.len() < 12_000_000, "{}", json.len());
}

#[test]
fn what_a_retry_replaced_was_paid_and_cells_of_earlier_evals_were_not() {
    let mut eval = twelve();
    eval.cells.iter_mut().take(2).for_each(|closed| closed.reused = true);
    let replaced = CellClosed { facts: Facts::failed("quorum", 250), reused: false, ..eval.cells[0].clone() };
    let result = eval.result_with(|options| options.replaced = vec![replaced]);
    // 12 debates of 300 and 12 polls of 400, without the first of each
    assert!(near(result.setup.spent[0].total, 11.0 * 700.0 + 250.0), "{:?}", result.setup.spent);
    assert_eq!(result.setup.reused_cells, 2);
    assert!(result.warnings.iter().any(|warning| warning.starts_with("1 failed cell was run again (panel 1)")));
    // the arms say what their cells cost, whoever paid
    assert!(near(arm(&result, "panel").costs[0].total, 3_600.0));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 12, failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_table_has_fewer_questions_than_were_covered_and_every_token_is_in_it(
        outcomes in proptest::collection::vec((0_u8..5, 0_u8..4, 50_u64..900), 12..40),
    ) {
        let count = u32::try_from(outcomes.len()).unwrap();
        let mut eval = PlantedEval::new(count);
        let mut right = 0_u32;
        for (question, (kind, samples, tokens)) in (0..).zip(&outcomes) {
            let facts = match kind {
                0 => Facts::failed("quorum", *tokens),
                1 => Facts { ending: none("inconclusive"), answer: None, ..Facts::planted("", *tokens) },
                2 => Facts::planted("5", *tokens),
                _ => Facts::planted("4", *tokens),
            };
            right += u32::from(*kind > 2);
            eval.debate(question, facts);
            let one = |n: u8| if n < *samples { Some(["4", "5"][usize::from(n % 2)]) } else { None };
            eval.samples(question, 0, &[one(0), one(1), one(2), one(3)], 70);
        }
        let result = eval.result();
        let same = |n: u32| n == count;
        proptest::prop_assert!(result.arms.iter().all(|arm| same(arm.n) && same(arm.right.unwrap().n)));
        proptest::prop_assert!(result.arms.iter().all(|arm| same(arm.answered + arm.ties + arm.no_answer + arm.failed)));
        proptest::prop_assert!(result.comparisons.iter().all(|comparison| same(comparison.questions)));
        proptest::prop_assert!(result.free_arms.iter().all(|free| same(free.right.n)));
        proptest::prop_assert!(near(rate(&result, "panel"), f64::from(right) / f64::from(count)));
        let spent: u64 = eval.cells.iter().map(|closed| closed.facts.cost.prompt + closed.facts.cost.generated).sum();
        proptest::prop_assert!(near(result.setup.spent[0].total, spent as f64));
        for arm in &result.arms {
            let rows = result.cells.iter().filter(|cell| cell.arm == arm.id);
            let tokens: u64 = rows.map(|cell| cell.total_tokens).sum();
            proptest::prop_assert!(near(arm.costs[0].total, tokens as f64));
        }
    }
}
