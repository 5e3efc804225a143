//! Results of every shape that an eval can come out with.
use agon_eval::testing::{estimate, sample_result};
use agon_eval::*;

/// Each with its name.
pub fn all() -> Vec<(&'static str, EvalResult)> {
    vec![
        ("usual", sample_result(40, 1)),
        ("three debates", sample_result(6, 3)),
        ("twelve debates", sample_result(3, 12)),
        ("no question", no_question()),
        ("one arm", one_arm()),
        ("sixteen arms", sixteen_arms()),
        ("all failed", all_failed()),
        ("withheld", withheld()),
        ("graded", graded()),
        ("sequential", sequential()),
        ("long names", long_names()),
        ("nothing known", nothing_known()),
        ("computed", computed()),
    ]
}

pub fn no_question() -> EvalResult {
    let mut result = sample_result(0, 1);
    let none = |arm: &mut ArmResult| {
        (arm.right, arm.n, arm.calls, arm.samples, arm.cut) = (None, 0, 0, None, None);
        (arm.wall_median_seconds, arm.wall_p95_seconds) = (None, None);
        arm.costs.clear();
    };
    result.arms.iter_mut().for_each(none);
    (result.comparisons, result.free_arms, result.inside, result.calibration) = Default::default();
    (result.curves, result.front, result.categories, result.gate) = Default::default();
    result.setup.spent.clear();
    (result.state, result.warnings) = (EvalState::Running, Vec::new());
    result
}

pub fn one_arm() -> EvalResult {
    let mut result = sample_result(40, 1);
    result.arms.retain(|arm| arm.kind == ArmKind::Debate);
    result.cells.retain(|cell| result.arms.iter().any(|arm| arm.id == cell.arm));
    result.categories.retain(|row| result.arms.iter().any(|arm| arm.id == row.arm));
    (result.comparisons, result.curves, result.front) = Default::default();
    result
}

pub fn sixteen_arms() -> EvalResult {
    let mut result = sample_result(4, 7);
    result.arms.truncate(16);
    result.cells.retain(|cell| result.arms.iter().any(|arm| arm.id == cell.arm));
    for (arm, at) in result.arms.iter_mut().zip(0u32..) {
        // Close together, as arms that are matched are.
        arm.right = Some(estimate(0.7 + f64::from(at % 4) * 0.004, 0.06, 50));
        arm.costs.iter_mut().for_each(|cost| cost.per_question = 38_000.0 + f64::from(at) * 120.0);
    }
    result
}

/// Every cell of every arm failed.
pub fn all_failed() -> EvalResult {
    let mut result = sample_result(25, 1);
    for arm in &mut result.arms {
        (arm.answered, arm.failed, arm.right) = (0, arm.n, Some(estimate(0.0, 0.0, arm.n)));
        arm.causes = [("server_away".to_owned(), arm.n)].into();
        arm.costs.iter_mut().for_each(|cost| (cost.total, cost.per_question) = (0.0, 0.0));
    }
    for cell in &mut result.cells {
        (cell.outcome, cell.reason) = (CellOutcome::Failed, Some("server_away".to_owned()));
        (cell.answer, cell.flip, cell.score) = (None, None, Some(0.0));
    }
    (result.comparisons, result.inside, result.calibration, result.curves) = Default::default();
    (result.free_arms, result.front, result.gate) = Default::default();
    result.state = EvalState::Stopped;
    result.stopped = Some(EvalStop { reason: "failures".to_owned(), detail: Some("panel: 25 of 25 cells".to_owned()) });
    result
}

/// A fixed design before its end.
pub fn withheld() -> EvalResult {
    let mut result = no_question();
    (result.withheld, result.setup.questions, result.setup.covered, result.setup.clusters) = (true, 324, 40, 40);
    for arm in &mut result.arms {
        (arm.n, arm.answered, arm.calls) = (40, 40, 960);
        arm.costs = vec![CostFigure {
            count: Count::Total,
            total: 400_000.0,
            per_question: 10_000.0,
            ratio: None,
            estimated: None,
            unknown_share: 0.0,
        }];
    }
    result
}

/// A grader scored, is distrusted in part, and people labelled.
pub fn graded() -> EvalResult {
    let mut result = sample_result(6, 2);
    result.setup.scorers = [("pairwise".to_owned(), 6)].into();
    let corrected = CorrectedRate {
        arm: "panel".to_owned(),
        labels: 100,
        sensitivity: estimate(0.95, 0.04, 70),
        specificity: estimate(0.7, 0.1, 30),
        raw: estimate(0.71, 0.05, 60),
        corrected: Some(estimate(0.63, 0.08, 60)),
    };
    result.trust = Some(ScorerTrust {
        graders: vec!["gemma3:12b".to_owned()],
        gradings: 100,
        ungraded: 0,
        ungraded_causes: Default::default(),
        earlier_graders: Vec::new(),
        same_family: true,
        gold_accepted: Some(estimate(0.95, 0.09, 20)),
        foreign_rejected: Some(estimate(0.4, 0.2, 20)),
        order_consistency: Some(estimate(0.871, 0.04, 240)),
        first_wins: Some(estimate(0.55, 0.06, 240)),
        longer_wins: Some(estimate(0.68, 0.06, 240)),
        repeat_agreement: None,
        panel_alpha: Some(0.71),
        corrected: vec![corrected.clone(), CorrectedRate { corrected: None, arm: "critique".to_owned(), ..corrected }],
        distrusted: vec!["The grader accepts 12 of 20 answers to other questions".to_owned()],
        tokens: 81_200,
        calls: 480,
    });
    result
}

pub fn sequential() -> EvalResult {
    let mut result = sample_result(24, 1);
    (result.setup.design, result.setup.confidence) = (Design::Sequential, true);
    let point = |at: u32| LookPoint {
        arm: "panel".to_owned(),
        rival: "self_consistency@panel".to_owned(),
        clusters: at * 10,
        e: 1.15_f64.powi(i32::try_from(at).unwrap()),
        difference: estimate(0.074, 0.4 / f64::from(at), at * 10),
    };
    result.sequential =
        Some(SequentialResult { looks: 22, ended_after: Some(220), points: (1..=22).map(point).collect() });
    result
}

/// Names as long as they may be, in scripts of all directions.
pub fn long_names() -> EvalResult {
    let mut result = sample_result(12, 2);
    result.title = Some(
        "How far do panels of small models answer questions on the history of the Eastern Roman Empire 中文字符 שלום"
            .repeat(2),
    );
    let long = "a-debate-with-a-name-of-forty-characters";
    for arm in result.arms.iter_mut().filter(|arm| arm.kind == ArmKind::Debate) {
        arm.name = ArmName(format!("{}{}", &long[..39], arm.name.0.len()));
        arm.models = vec!["registry.example.org/organisation/very-long-model-name-instruct-q4_K_M:70b".to_owned(); 4];
    }
    for row in &mut result.questions {
        row.text = "word ".repeat(60);
        row.category = Some("international-mathematical-olympiad-shortlist-problems-in-number-theory".to_owned());
    }
    result
}

/// Nobody reported tokens or times, and nothing has an interval.
pub fn nothing_known() -> EvalResult {
    let mut result = sample_result(3, 1);
    for arm in &mut result.arms {
        arm.costs.clear();
        (arm.wall_median_seconds, arm.wall_p95_seconds, arm.samples, arm.cut) = (None, None, None, None);
        arm.right = arm.right.map(|right| Estimate { interval: None, ..right });
    }
    for count in result.comparisons.iter_mut().flat_map(|of| &mut of.counts) {
        count.difference.interval = None;
        (count.method, count.p, count.p_adjusted, count.mid_p, count.ratio) = (None, None, None, None, None);
        (count.verdict, count.fragile) = (Some(VerdictKind::CannotTell), false);
        count.sentence = "Whether debating helps cannot be told".to_owned();
    }
    (result.curves, result.front, result.free_arms, result.setup.spent) = Default::default();
    result
}

/// Computed from closed cells as those of a real eval are: 40 questions, of which some debates failed or turned.
pub fn computed() -> EvalResult {
    let mut eval = agon_eval::testing::PlantedEval::new(40);
    for (question, at) in eval.admission.spec.questions.iter_mut().zip(0u32..) {
        question.category = Some(["dates", "sums"][at as usize % 2].to_owned());
    }
    let ballot = agon_eval::testing::planted_ballot;
    for question in 0..40u32 {
        let right = |share: u32, salt: u32| (question * 7_919 + salt * 104_729) % 100 < share;
        let answer = |right: bool| if right { "4" } else { "5" };
        if question == 13 {
            eval.debate(question, Facts::failed("timeout", 120));
        } else {
            let first = (0..3).map(|seat| ballot(false, seat, answer(right(55, seat))));
            let last = (0..3).map(|seat| ballot(true, seat, answer(right(70, seat))));
            let facts = Facts::planted(answer(right(70, 1)), 900 + u64::from(question) * 10);
            eval.debate(question, Facts { ballots: first.chain(last).collect(), ..facts });
        }
        let samples: Vec<Option<&str>> = (0..16).map(|n| (n != 7).then(|| answer(right(58, 10 + n)))).collect();
        eval.samples(question, 0, &samples, 100);
    }
    eval.result()
}
