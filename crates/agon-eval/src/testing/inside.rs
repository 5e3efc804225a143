//! What the logs say for nothing, made up.
use super::estimate;
use crate::*;

pub(super) fn free_arms(debate: &ArmName, n: u32) -> Vec<FreeArm> {
    let arm = |kind, round, rate: f64, tokens: Option<f64>| FreeArm {
        debate: debate.clone(),
        kind,
        round,
        right: estimate(rate, 0.05, n),
        gain: estimate(0.713 - rate, 0.04, n),
        p: Some(0.03),
        per_question: tokens,
        upper_bound: kind == FreeArmKind::Oracle,
        silent: 2,
    };
    vec![
        arm(FreeArmKind::VoteFirst, None, 0.62, Some(1_900.0)),
        arm(FreeArmKind::VoteLast, None, 0.7, Some(35_100.0)),
        arm(FreeArmKind::RandomFirst, None, 0.58, Some(1_900.0)),
        arm(FreeArmKind::Oracle, None, 0.82, Some(1_900.0)),
        arm(FreeArmKind::StopAfter, Some(1), 0.66, Some(14_000.0)),
    ]
}

pub(super) fn inside(debate: &ArmName, n: u32) -> InsideDebates {
    let flips = FlipCounts {
        kept_right: 520,
        kept_wrong: 240,
        wrong_to_right: 140,
        right_to_wrong: 52,
        wrong_to_other: 20,
        mended: Some(estimate(0.35, 0.05, 400)),
        broken: Some(estimate(0.091, 0.03, 572)),
    };
    let by = |by, value: &str| FlipRow { by, value: value.to_owned(), flips };
    let place = |by, value: &str, rate| OrderRow { by, value: value.to_owned(), right: estimate(rate, 0.08, n / 3) };
    InsideDebates {
        debate: debate.clone(),
        debates: n,
        ballots: Some(flips),
        ballots_by: vec![
            by(FlipDivision::Persona, "Ada"),
            by(FlipDivision::Persona, "Bo <i>"),
            by(FlipDivision::Model, "qwen3:4b"),
            by(FlipDivision::Format, "panel"),
            by(FlipDivision::Round, "1"),
        ],
        results: Some(ResultFlips {
            kept_right: 190,
            kept_wrong: 78,
            wrong_to_right: 41,
            right_to_wrong: 11,
            mended: Some(estimate(0.34, 0.09, 119)),
            broken: Some(estimate(0.055, 0.03, 201)),
            p: Some(0.000_04),
        }),
        drift: Some(DriftResult {
            first: estimate(0.58, 0.04, 972),
            last: estimate(0.68, 0.04, 972),
            change: estimate(0.1, 0.03, 972),
        }),
        conformity: Some(ConformityResult {
            all: estimate(0.3, 0.06, 260),
            to_right: Some(estimate(0.42, 0.08, 150)),
            to_wrong: Some(estimate(0.14, 0.07, 110)),
            unchallenged: Some(estimate(0.1, 0.06, 78)),
        }),
        lost_truth: Some(LostTruthResult {
            lost: estimate(0.12, 0.04, 270),
            collapsed: Some(estimate(0.06, 0.03, 160)),
        }),
        order: Some(OrderResult {
            rows: vec![
                place(OrderPlace::RightSeat, "1", 0.52),
                place(OrderPlace::RightSeat, "2", 0.49),
                place(OrderPlace::LastSpeaker, "right", 0.8),
                place(OrderPlace::LastSpeaker, "wrong", 0.6),
                place(OrderPlace::JudgeOrder, "1", 0.7),
            ],
            judges_changed: Some(estimate(0.11, 0.04, n)),
        }),
        diversity: Some(DiversityResult {
            models: ["llama3.2:3b", "qwen3:4b"]
                .map(|m| ModelAlone { model: m.to_owned(), right: estimate(0.58, 0.05, n) })
                .into(),
            pairs: vec![ModelPair {
                first: "llama3.2:3b".to_owned(),
                second: "qwen3:4b".to_owned(),
                agreement: estimate(0.31, 0.1, n),
            }],
        }),
    }
}

pub(super) fn calibration(debate: &ArmName, n: u32) -> CalibrationResult {
    let bin = |at: u32| {
        let sureness = 0.3 + 0.07 * f64::from(at);
        CalibrationBin {
            sureness,
            least: sureness - 0.03,
            most: sureness + 0.03,
            right: estimate(sureness * 0.85, 0.12, n / 10),
        }
    };
    CalibrationResult {
        arm: debate.0.clone(),
        model: None,
        persona: None,
        source: SurenessSource::BallotShare,
        n,
        bins: (0..10).map(bin).collect(),
        brier: 0.19,
        reliability: 0.012,
        resolution: 0.027,
        uncertainty: 0.205,
        ece: estimate(0.092, 0.03, n),
        ece_if_perfect: Some(0.048),
        ece_if_perfect_range: Some(Interval { low: 0.02, high: 0.08 }),
        debiased_error: Some(0.078),
    }
}

pub(super) fn gate(debate: &ArmName, n: u32) -> GateResult {
    let policy = |name: &str, rate, tokens, debated| GatePolicy {
        name: name.to_owned(),
        right: estimate(rate, 0.05, n),
        tokens: Estimate { value: tokens, interval: Some(Interval { low: tokens * 0.95, high: tokens * 1.05 }), n },
        debated: estimate(debated, 0.05, n),
    };
    GateResult {
        debate: debate.0.clone(),
        kind: "threshold".to_owned(),
        why: "The simplest gate within one standard error of the best.".to_owned(),
        questions: n,
        policies: vec![
            policy("gate", 0.715, 17_000.0, 0.4),
            policy("always", 0.713, 38_449.0, 1.0),
            policy("never", 0.62, 1_900.0, 0.0),
            policy("knows", 0.75, 7_000.0, 0.15),
        ],
        savings: Some(estimate(0.56, 0.04, n)),
        regret: Some(estimate(0.035, 0.02, n)),
        harm_avoided: Some(estimate(0.6, 0.15, n)),
        left_ballots: None,
        curve: (0u32..=10)
            .map(|at| {
                let share = 1.0 - f64::from(at) / 10.0;
                GateCurvePoint {
                    threshold: f64::from(at) / 10.0,
                    right: 0.62 + 0.093 * share.sqrt(),
                    tokens: 1_900.0 + 36_549.0 * share,
                    debated: share,
                }
            })
            .collect(),
    }
}
