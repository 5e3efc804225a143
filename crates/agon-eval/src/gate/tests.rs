use super::*;
use crate::stats::wilson;
use crate::testing::gates::GateWorld;
use crate::{
    ArmName, BallotFact, Cell, CellClosed, CellCost, CellEnding, CellWork, Facts, GateFacts, GatePolicy, GateResult,
    Gold, Question,
};
use agon_core::gate::{GateFeatures, GateKind, GateMethod, GateOrigin, GateRule, GateSide};
use std::collections::BTreeMap;

fn plan(objective: GateObjective) -> GatePlan {
    GatePlan {
        objective,
        origin: GateOrigin { eval: "e".into(), debate: "panel".into(), ..GateOrigin::default() },
        seed: 1,
    }
}

fn policy<'a>(figures: &'a GateResult, name: &str) -> &'a GatePolicy {
    figures.policies.iter().find(|policy| policy.name == name).unwrap()
}

/// Rows with this top share, of which the debate mends some: by position.
fn rows(count: u32, top_share: impl Fn(u32) -> f64, rights: impl Fn(u32) -> (f64, f64)) -> Vec<GateRow> {
    let row = |at| {
        let share = top_share(at);
        let (debate_right, vote_first_right) = rights(at);
        let answers = if share >= 1.0 { 1.0 } else { 2.0 };
        GateRow {
            features: GateFeatures { top_share: Some(share), answers: Some(answers), ..GateFeatures::default() },
            eligible: 4,
            cast: 4,
            debate_right,
            vote_first_right,
            left: debate_right != vote_first_right,
            ballot_tokens: 1_000.0,
            debate_tokens: 10_000.0,
            cluster: at,
        }
    };
    (0..count).map(row).collect()
}

#[test]
fn where_debates_help_contested_questions_alone_a_gate_saves_what_the_best_threshold_saves() {
    let trials: Vec<_> = (0..3).map(|seed| GateWorld::CONTESTED.trial(400, 4_000, seed).unwrap()).collect();
    let saved = trials.iter().filter(|trial| trial.saves()).count();
    assert!(saved >= 2, "{trials:?}");
    assert!(trials.iter().all(|trial| trial.kind > GateKind::Always), "{trials:?}");
}

#[test]
fn where_ballots_say_nothing_a_gate_does_no_harm() {
    for world in [GateWorld::Blind { wins: 0.16, loses: 0.02 }, GateWorld::Blind { wins: 0.02, loses: 0.16 }] {
        let trials: Vec<_> = (0..2).map(|seed| world.trial(400, 4_000, seed).unwrap()).collect();
        assert!(trials.iter().all(|trial| trial.does_no_harm()), "{world:?} {trials:?}");
    }
}

#[test]
fn the_simplest_gate_that_saves_is_chosen_and_its_figures_are_those_of_a_hand_count() {
    // of 120 questions half are agreed and right; of the others the debate mends every second one
    let rows = rows(
        120,
        |at| if at % 2 == 0 { 1.0 } else { 0.5 },
        |at| match at % 4 {
            0 | 2 => (1.0, 1.0),
            1 => (1.0, 0.0),
            _ => (0.0, 0.0),
        },
    );
    let learned = learn_gate(&rows, &plan(GateObjective::FewestTokens)).unwrap();
    assert_eq!(learned.rule.method, GateMethod::Unanimous);
    let figures = &learned.figures;
    assert_eq!((figures.kind.as_str(), figures.questions), ("unanimous", 120));
    let near = |seen: f64, wanted: f64| assert!((seen - wanted).abs() < 1e-9, "{seen} {wanted}");
    for (name, right, tokens, debated) in [
        ("gate", 0.75, 5_500.0, 0.5),
        ("always", 0.75, 10_000.0, 1.0),
        ("never", 0.5, 1_000.0, 0.0),
        ("knows", 0.75, 3_250.0, 0.25),
    ] {
        let policy = policy(figures, name);
        near(policy.right.value, right);
        near(policy.tokens.value, tokens);
        near(policy.debated.value, debated);
    }
    near(figures.savings.unwrap().value, 0.45);
    assert_eq!(figures.left_ballots.map(|left| (left.value, left.n)), Some((0.0, 60)));
    near(figures.regret.unwrap().value, 0.0);
    assert_eq!(figures.harm_avoided, None, "no debate did harm");
    let interval = policy(figures, "gate").right.interval.unwrap();
    let error = (0.75f64 * 0.25 / 119.0).sqrt();
    near(interval.high - 0.75, 1.959_963_984_540_054 * error);
    let curve: Vec<(f64, f64)> = figures.curve.iter().map(|point| (point.debated, point.right)).collect();
    assert_eq!(curve, [(1.0, 0.75), (0.5, 0.75), (0.0, 0.5)]);
    assert!(figures.why.contains("45 % of the tokens saved"), "{}", figures.why);
}

#[test]
fn where_debates_do_harm_never_wins_and_where_each_helps_always_does() {
    let share = |at: u32| if at.is_multiple_of(2) { 1.0 } else { 0.5 };
    let harm = rows(100, share, |at| if at % 5 == 0 { (0.0, 1.0) } else { (1.0, 1.0) });
    let learned = learn_gate(&harm, &plan(GateObjective::FewestTokens)).unwrap();
    assert_eq!(learned.rule.method, GateMethod::Never);
    let avoided = learned.figures.harm_avoided.unwrap();
    assert_eq!((avoided.value, avoided.n, avoided.interval), (1.0, 20, wilson(20, 20, 0.95)));
    let help = rows(100, share, |at| if at % 5 < 2 { (1.0, 0.0) } else { (1.0, 1.0) });
    let learned = learn_gate(&help, &plan(GateObjective::FewestTokens)).unwrap();
    assert_eq!(learned.rule.method, GateMethod::Always);
    assert!(learned.figures.why.starts_with("No gate beats both"), "{}", learned.figures.why);
}

#[test]
fn a_gate_that_is_better_than_both_always_and_never_is_taken_though_it_costs_more_than_never() {
    let share = |at: u32| if at.is_multiple_of(2) { 1.0 } else { 0.5 };
    let rows = rows(200, share, |at| if at % 2 == 1 { (1.0, 0.0) } else { (0.0, 1.0) });
    let learned = learn_gate(&rows, &plan(GateObjective::FewestTokens)).unwrap();
    assert_eq!(learned.rule.method, GateMethod::Unanimous);
    assert_eq!(policy(&learned.figures, "gate").right.value, 1.0);
}

#[test]
fn a_price_decides_between_accuracy_and_tokens() {
    let rows = rows(
        200,
        |at| if at % 2 == 0 { 1.0 } else { 0.5 },
        |at| if at % 2 == 1 && at % 10 < 6 { (1.0, 0.0) } else { (1.0, 1.0) },
    );
    let kind = |points_per_million| {
        learn_gate(&rows, &plan(GateObjective::Price { points_per_million })).unwrap().rule.method.kind()
    };
    assert_eq!(kind(0.0), GateKind::Always, "all but never are equally right, and it is the simplest of these");
    assert_eq!(kind(100.0), GateKind::Unanimous, "it is 0.45 points of tokens better than always");
    assert_eq!(kind(1e6), GateKind::Never);
    assert!(matches!(
        learn_gate(&rows, &plan(GateObjective::Price { points_per_million: -1.0 })),
        Err(GateLearnError::Price(_))
    ));
}

#[test]
fn of_too_few_questions_or_groups_nothing_is_learned_and_the_gate_says_so() {
    let objective = GateObjective::FewestTokens;
    // never debating would be as right and cost a tenth
    let few = rows(49, |_| 0.5, |_| (1.0, 1.0));
    let mut grouped = rows(60, |_| 0.5, |_| (1.0, 1.0));
    assert_eq!(learn_gate(&grouped, &plan(objective)).unwrap().rule.method, GateMethod::Never);
    grouped.iter_mut().for_each(|row| row.cluster %= 9);
    for (rows, why) in [(few, "there are 49, so every debate is held"), (grouped, "questions of 10, and there are 9")] {
        let learned = learn_gate(&rows, &plan(objective)).unwrap();
        assert_eq!(learned.rule.method, GateMethod::Always);
        assert!(learned.figures.why.contains(why), "{}", learned.figures.why);
        assert_eq!(policy(&learned.figures, "gate").debated.value, 1.0);
    }
    assert_eq!(learn_gate(&[], &plan(objective)), Err(GateLearnError::NoRows));
}

#[test]
fn a_row_whose_ballot_failed_is_debated_by_every_gate() {
    let mut failed = rows(100, |at| if at % 2 == 0 { 1.0 } else { 0.5 }, |_| (1.0, 1.0));
    failed.iter_mut().step_by(4).for_each(|row| row.cast = 3);
    let learned = learn_gate(&failed, &plan(GateObjective::FewestTokens)).unwrap();
    assert_eq!(learned.rule.method, GateMethod::Never);
    assert_eq!(policy(&learned.figures, "never").debated.value, 0.25);
    assert_eq!(policy(&learned.figures, "gate").debated.value, 0.25);
}

#[test]
fn every_cut_is_what_the_rule_with_its_threshold_decides() {
    let mut rows = GateWorld::CONTESTED.rows(120, 9);
    rows.iter_mut().for_each(|row| row.cluster /= 3);
    rows.iter_mut().step_by(7).for_each(|row| row.cast -= 1);
    let rows: Vec<&GateRow> = rows.iter().collect();
    let objective = GateObjective::FewestTokens;
    for feature in agon_core::gate::GateFeature::ALL {
        let scores: Vec<Option<f64>> = rows.iter().map(|row| row.features.get(feature)).collect();
        for debate_when in GateSide::ALL {
            for cut in Cuts::between(&rows, &scores, debate_when, objective).0 {
                let method = GateMethod::Threshold { feature, debate_when, threshold: cut.threshold };
                let skips: Vec<bool> = rows.iter().map(|row| row.is_skipped_by(&method)).collect();
                let right = |at: usize| if skips[at] { rows[at].vote_first_right } else { rows[at].debate_right };
                let always = errors::mean(&rows, |at| rows[at].debate_right).mean;
                let never = errors::mean(&rows, |at| {
                    if rows[at].may_be_skipped() { rows[at].vote_first_right } else { rows[at].debate_right }
                });
                let better = always >= never.mean;
                let gain = errors::mean(&rows, |at| {
                    let rival = if better || !rows[at].may_be_skipped() {
                        rows[at].debate_right
                    } else {
                        rows[at].vote_first_right
                    };
                    right(at) - rival
                });
                assert!((gain.mean - cut.standing.gain).abs() < 1e-9, "{method:?}");
                let debated = skips.iter().filter(|skip| !**skip).count() as f64 / 120.0;
                assert!((cut.debated - debated).abs() < 1e-9, "{method:?}");
                let seen = errors::mean(&rows, right).mean;
                assert!((cut.right - seen).abs() < 1e-9, "{method:?}");
                assert!(cut.standing.error.is_finite() && cut.standing.error >= 0.0);
            }
        }
    }
}

#[test]
fn a_gate_file_survives_its_text_and_foreign_ones_are_rejected() {
    let rows = GateWorld::CONTESTED.rows(150, 3);
    let objective = GateObjective::FewestTokens;
    let file = GateFile::new(learn_gate(&rows, &plan(objective)).unwrap(), objective, 1, true);
    let text = file.to_text().unwrap();
    let read = GateFile::read(&text).unwrap();
    assert_eq!(read.rule, file.rule);
    assert_eq!(GateRule::read(&text).unwrap(), file.rule, "what runs a debate reads the same file");
    assert_eq!(read.to_text().unwrap(), text);
    let broken = [
        (text.replace("\"format\": 1", "\"format\": 2"), "format 2"),
        (text.replace("\"figures\"", "\"figure\""), "unknown field `figure`"),
        (text.replace("\"seed\": 1", "\"seed\": 1, \"seed\": 2"), "twice"),
        (text.replace("\"kind\": \"unanimous\"", "\"kind\": \"oracle\""), "unknown variant"),
        (format!("{text}{}", " ".repeat(1 << 20)), "allowed are 1048576"),
        (String::new(), "cannot be read"),
    ];
    for (broken, wanted) in broken {
        let error = GateFile::read(&broken).unwrap_err().to_string();
        assert!(error.contains(wanted), "{wanted}: {error}");
    }
    let mut wild = file;
    wild.figures.policies[0].right.value = 7.0;
    assert!(matches!(GateFile::read(&wild.to_text().unwrap()), Err(GateFileError::Invalid(_))));
}

fn closed(question: u32, facts: Facts) -> CellClosed {
    let work = CellWork::Debate { arm: ArmName("panel".into()) };
    CellClosed {
        cell: Cell { question, repetition: 0, work },
        debate: format!("d{question}"),
        head: String::new(),
        reused: false,
        wall_ms: 1,
        facts,
    }
}

fn facts(answer: &str, ballots: &[&str]) -> Facts {
    let cost = |tokens| CellCost { prompt: tokens, generated: 1, ..CellCost::default() };
    let ballot = |answer: &&str| BallotFact {
        last: false,
        participant: "Ada".into(),
        seat: 0,
        model: None,
        answer: (*answer).to_owned(),
        confidence: None,
        challenged: false,
    };
    let count = u32::try_from(ballots.len()).unwrap();
    Facts {
        ending: CellEnding::Answered,
        answer: Some(answer.to_owned()),
        ballots: ballots.iter().map(ballot).collect(),
        gate: (count > 0).then(|| GateFacts { features: GateFeatures::default(), eligible: 4, cast: count }),
        cost: cost(999),
        cost_by: BTreeMap::from([("initial_ballots".to_owned(), cost(99))]),
        ..Facts::default()
    }
}

#[test]
fn rows_come_from_the_cells_of_an_arm_and_what_is_no_row_is_counted() {
    let question = |id: &str| Question {
        id: id.to_owned(),
        text: "How many?".to_owned(),
        options: Vec::new(),
        context: None,
        gold: Gold::Number { answers: vec![4.0], tolerance: crate::Tolerance::Exact },
        category: None,
        group: (id != "c").then(|| "g".to_owned()),
    };
    let questions: Vec<Question> = ["a", "b", "c", "d", "e"].into_iter().map(question).collect();
    let skipped = Facts { stopped_by: Some("not_contested".to_owned()), ..facts("4", &["4", "4", "4"]) };
    let mut unknown = facts("4", &["4"]);
    unknown.cost.unknown_calls = 1;
    let cells = [
        closed(0, facts("5", &["4", "5"])),
        closed(0, facts("4", &["4", "5", "6.0", "6"])),
        closed(1, facts("4", &[])),
        closed(2, facts("4", &["4", "5", "4.0"])),
        closed(3, skipped),
        closed(4, unknown),
    ];
    let found = GateRows::of(&questions, &cells, &ArmName("panel".into()));
    assert_eq!((found.without_ballots, found.skipped, found.unscored), (1, 1, 1));
    let seen: Vec<_> =
        found.rows.iter().map(|row| (row.debate_right, row.vote_first_right, row.cluster, row.cast)).collect();
    assert_eq!(seen, [(1.0, 0.0, 0, 4), (1.0, 1.0, 1, 3)], "of a cell that was held again, the last counts");
    assert_eq!((found.rows[0].ballot_tokens, found.rows[0].debate_tokens), (100.0, 1_000.0));
    assert!(GateRows::of(&questions, &cells, &ArmName("other".into())).rows.is_empty());
    assert_eq!(found.rows.iter().map(|row| row.left).collect::<Vec<_>>(), [false, false]);
    let left = |answer: Option<&str>, ballots: &[&str]| {
        left_ballots(&Facts { answer: answer.map(str::to_owned), ..facts("4", ballots) })
    };
    assert_eq!(
        [left(Some("Bonn."), &["bonn", "Rome", "Bonn"]), left(Some("Rome"), &["Bonn", "Rome", "Bonn"])],
        [Some(false), Some(true)]
    );
    assert_eq!([left(None, &["Bonn"]), left(Some("Bonn"), &[])], [Some(true), None]);
}
