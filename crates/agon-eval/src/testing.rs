//! Builders for tests: results that look as real ones do, and evals with a planted truth.
mod flips;
pub mod gates;
mod inside;
mod planted;
mod simulation;

pub use planted::*;
pub use simulation::{SIMULATION_CHECKS, SimulationCheck};

use crate::*;
use std::collections::BTreeMap;

/// A result with every part, of so many questions and debates, with figures made up: for tests of what shows results.
pub fn sample_result(questions: u32, debates: u32) -> EvalResult {
    let names: Vec<ArmName> = (0..debates).map(debate_name).collect();
    let arms = sample_arms(&names, questions);
    let rows = (0..questions).map(question_row).collect();
    let cells = (0..questions).flat_map(|question| arms.iter().map(move |arm| cell_row(question, arm))).collect();
    let comparisons = names.iter().zip(0..).map(|(name, at)| sample_comparison(name, at, questions)).collect();
    EvalResult {
        format: RESULT_FORMAT,
        agon_version: "0.1.0".to_owned(),
        eval: "ev0sample0sample0sample0samp".to_owned(),
        title: Some("Sums and dates".to_owned()),
        rehearsal: true,
        state: EvalState::Complete,
        stopped: None,
        withheld: false,
        setup: sample_setup(questions),
        comparisons,
        sequential: None,
        free_arms: names.iter().flat_map(|name| inside::free_arms(name, questions)).collect(),
        inside: names.iter().map(|name| inside::inside(name, questions)).collect(),
        calibration: names.first().map(|name| inside::calibration(name, questions)).into_iter().collect(),
        curves: vec![sample_curve(questions)],
        front: sample_front(&arms),
        categories: sample_categories(&arms, questions),
        trust: None,
        gate: names.first().map(|name| inside::gate(name, questions)),
        warnings: vec!["3 of 324 debates were held with missing seats.".to_owned()],
        arms,
        questions: rows,
        cells,
        pairs: Vec::new(),
        replaced: Vec::new(),
    }
}

/// An estimate with an interval of so much to both sides.
pub fn estimate(value: f64, half: f64, n: u32) -> Estimate {
    let interval = Some(Interval { low: (value - half).max(-1.0), high: (value + half).min(1.0) });
    Estimate { value, interval, n }
}

fn debate_name(at: u32) -> ArmName {
    ArmName(
        ["panel", "critique", "socratic", "fishbowl"].get(at as usize).map_or(format!("debate-{at}"), |&n| n.into()),
    )
}

fn sample_setup(questions: u32) -> EvalSetup {
    EvalSetup {
        questions,
        covered: questions,
        clusters: questions,
        pilot_of: None,
        repetitions: 1,
        scorers: BTreeMap::from([("choice".to_owned(), questions)]),
        seed: 7,
        count: Count::Total,
        matching: Matching::Debate,
        max_samples: 64,
        worth_points: 3.0,
        alpha: 0.05,
        level: 0.95,
        design: Design::Fixed,
        confidence: false,
        peeked: false,
        models: BTreeMap::from([
            ("llama3.2:3b".to_owned(), Some("a80c4f17acd5".to_owned())),
            ("qwen3:4b".to_owned(), None),
        ]),
        spent: vec![cost(Count::Total, 96_000.0, questions, None), cost(Count::Generated, 9_300.0, questions, None)],
        reused_cells: 0,
    }
}

fn cost(count: Count, per_question: f64, questions: u32, ratio: Option<f64>) -> CostFigure {
    CostFigure {
        count,
        total: per_question * f64::from(questions),
        per_question,
        ratio,
        estimated: None,
        unknown_share: 0.0,
    }
}

fn sample_arms(debates: &[ArmName], questions: u32) -> Vec<ArmResult> {
    let mut arms = vec![arm("single", "single", ArmKind::Single, None, 0.592, 650.0, questions)];
    for (name, at) in debates.iter().zip(0u32..) {
        let more = f64::from(at) * 0.01;
        let matched = format!("self_consistency@{name}");
        arms.push(arm(
            &matched,
            "self_consistency",
            ArmKind::SelfConsistency,
            Some(name),
            0.639 + more,
            38_200.0,
            questions,
        ));
        arms.push(arm(&name.0, &name.0, ArmKind::Debate, None, 0.713 - more, 38_449.0, questions));
    }
    if let Some(name) = debates.first() {
        arms.push(arm(
            &format!("best_of_n@{name}"),
            "best_of_n",
            ArmKind::BestOfN,
            Some(name),
            0.66,
            38_350.0,
            questions,
        ));
    }
    arms
}

fn arm(id: &str, name: &str, kind: ArmKind, to: Option<&ArmName>, rate: f64, tokens: f64, n: u32) -> ArmResult {
    let debate = kind == ArmKind::Debate;
    let failed = if debate { n / 100 } else { 0 };
    let ratio = to.map(|_| 1.01);
    ArmResult {
        id: id.to_owned(),
        name: ArmName(name.to_owned()),
        kind,
        matched_to: to.cloned(),
        models: vec!["llama3.2:3b".to_owned(), "qwen3:4b".to_owned()],
        right: Some(estimate(rate, 0.05, n)),
        n,
        answered: n - failed,
        ties: 0,
        skipped: debate.then_some(SkippedDebates { debates: n / 4, saved: Some(tokens * f64::from(n / 5)) }),
        no_answer: 0,
        failed,
        causes: (failed > 0).then(|| ("timeout".to_owned(), failed)).into_iter().collect(),
        degraded: failed,
        costs: vec![
            cost(Count::Total, tokens, n, ratio),
            cost(Count::Generated, tokens / 10.0, n, ratio.map(|r| r * 1.3)),
            cost(Count::Seconds, tokens / 800.0, n, ratio),
        ],
        calls: u64::from(n) * if debate { 24 } else { 40 },
        wall_median_seconds: Some(tokens / 900.0),
        wall_p95_seconds: Some(tokens / 500.0),
        samples: to.map(|_| SampleUse { mean: 37.4, least: 12, most: 64 }),
        cut: to.map(|_| BudgetCut { share: 0.02, plateau: Some(estimate(0.004, 0.01, n)), held_down: false }),
        dominated_by: Vec::new(),
    }
}

fn question_row(at: u32) -> QuestionRow {
    QuestionRow {
        id: format!("q{}", at + 1),
        text: format!("What is {} + {}? <b>Think</b> & answer.", at * 7 % 100, at * 13 % 100),
        gold: vec![(at * 7 % 100 + at * 13 % 100).to_string()],
        category: Some(if at.is_multiple_of(3) { "dates" } else { "sums" }.to_owned()),
        group: None,
    }
}

fn cell_row(question: u32, arm: &ArmResult) -> CellRow {
    let rate = arm.right.map_or(0.0, |right| right.value);
    let draw = f64::from((question * 7_919 + arm.id.len() as u32 * 31) % 1_000) / 1_000.0;
    let failed = question < arm.failed;
    let right = !failed && draw < rate;
    let outcome = match (failed, right) {
        (true, _) => CellOutcome::Failed,
        (false, true) => CellOutcome::Right,
        (false, false) => CellOutcome::Wrong,
    };
    let flip = match (arm.kind == ArmKind::Debate, right, question % 4) {
        (false, ..) => None,
        (true, true, 0) => Some(CellFlip::WrongToRight),
        (true, true, _) => Some(CellFlip::KeptRight),
        (true, false, 0) => Some(CellFlip::RightToWrong),
        (true, false, _) => Some(CellFlip::KeptWrong),
    };
    let of = |count| arm.costs.iter().find(|cost| cost.count == count).map_or(0.0, |cost| cost.per_question);
    CellRow {
        question,
        arm: arm.id.clone(),
        repetition: 0,
        debates: vec![format!("ev{question:08}{:016}", arm.id.len())],
        outcome,
        reason: failed.then(|| "timeout".to_owned()),
        score: Some(f64::from(u8::from(right))),
        answer: (!failed).then(|| format!("{} <script>alert(1)</script>", question * 3 % 100)),
        flip,
        samples: arm.samples.map(|samples| samples.least),
        calls: 24,
        total_tokens: of(Count::Total) as u64,
        estimated_tokens: 0,
        generated_tokens: of(Count::Generated) as u64,
        cost: Some(of(Count::Total)),
        degraded: question < arm.degraded,
    }
}

fn sample_comparison(debate: &ArmName, at: u32, questions: u32) -> ComparisonResult {
    let helped = at == 0;
    let difference = if helped { estimate(0.074, 0.057, questions) } else { estimate(0.012, 0.052, questions) };
    let verdict = if helped { VerdictKind::Helped } else { VerdictKind::CannotTell };
    let sentence = if helped {
        "Debating (panel) helped: 71.3 % right against 63.9 % for self-consistency at equal tokens (0.99 x), +7.4 points [1.7, 13.1], p = 0.012, 324 questions."
    } else {
        "Whether debating helps cannot be told: +1.2 points [-4.0, 6.4]."
    };
    let row = |count, ratio| CountResult {
        pairs: None,
        count,
        arm_right: Some(0.713),
        rival_right: Some(0.639),
        difference,
        method: Some(IntervalMethod::Tango),
        p: Some(0.012),
        p_adjusted: Some(0.012),
        mid_p: Some(0.009),
        discordance: 0.27,
        arm_only: Some(56),
        rival_only: Some(32),
        ratio: Some(ratio),
        estimated: false,
        verdict: Some(verdict),
        cost_only: false,
        fragile: helped,
        distrusted: Vec::new(),
        per_extra_right: None,
        needed: [(3.0, None), (5.0, Some(880)), (8.0, Some(348))]
            .map(|(points, questions)| NeededQuestions { points, questions })
            .into_iter()
            .filter(|_| !helped)
            .collect(),
        sentence: sentence.to_owned(),
    };
    let case = |case, count, changed_cells, verdict: VerdictKind| SensitivityRow {
        case,
        count,
        questions,
        changed_cells,
        difference: Some(difference),
        p: Some(0.02),
        verdict: Some(verdict),
        turns: helped && verdict != VerdictKind::Helped,
    };
    ComparisonResult {
        arm: debate.0.clone(),
        rival: format!("self_consistency@{debate}"),
        family: ComparisonFamily::Primary,
        questions,
        clusters: questions,
        counts: vec![row(Count::Total, 0.99), row(Count::Generated, 0.98)],
        sensitivity: vec![
            case(SensitivityCase::AsCounted, None, 0, verdict),
            case(SensitivityCase::FailuresLeftOut, None, 6, verdict),
            case(SensitivityCase::FailuresAtChance, None, 6, verdict),
            case(SensitivityCase::OtherCount, Some(Count::Generated), 0, VerdictKind::CannotTell),
        ],
    }
}

fn sample_curve(questions: u32) -> SampleCurve {
    let point = |k: u32| CurvePoint {
        k,
        per_question: Some(f64::from(k) * 650.0),
        right: estimate(0.64 - 0.05 / f64::from(k), 0.05, questions),
    };
    SampleCurve {
        models: vec!["llama3.2:3b".to_owned(), "qwen3:4b".to_owned()],
        points: [1, 2, 3, 4, 8, 16, 32, 64].map(point).into(),
    }
}

fn sample_front(arms: &[ArmResult]) -> Vec<FrontPoint> {
    let mut best = f64::MIN;
    let mut points: Vec<_> =
        arms.iter().filter_map(|arm| Some((arm, arm.costs.first()?.per_question, arm.right?))).collect();
    points.sort_by(|a, b| a.1.total_cmp(&b.1));
    let on_front = |right: f64, best: &mut f64| {
        let on = right > *best;
        *best = best.max(right);
        on
    };
    points
        .into_iter()
        .map(|(arm, per_question, right)| FrontPoint {
            id: arm.id.clone(),
            free: None,
            samples: None,
            per_question,
            right,
            on_front: on_front(right.value, &mut best),
        })
        .collect()
}

fn sample_categories(arms: &[ArmResult], questions: u32) -> Vec<CategoryRow> {
    let row = |category: &str, arm: &ArmResult, n| CategoryRow {
        category: category.to_owned(),
        arm: arm.id.clone(),
        right: Estimate { n, ..arm.right.unwrap_or(estimate(0.0, 0.1, n)) },
    };
    let third = questions / 3;
    arms.iter().flat_map(|arm| [row("dates", arm, third), row("sums", arm, questions - third)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_reads_as_it_was_written() {
        let result = sample_result(30, 3);
        let text = serde_json::to_string_pretty(&result).unwrap();
        assert_eq!(serde_json::from_str::<EvalResult>(&text).unwrap(), result);
        assert_eq!(result.cells.len(), 30 * result.arms.len());
    }
}
