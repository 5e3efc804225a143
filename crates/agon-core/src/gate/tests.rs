use super::*;
use crate::tally::same_answer;
use crate::{BallotStage, DebateFormat, DebateSpec, Event, SpeechKind, testing};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn ballot(answer: &str, reason_words: u32) -> GateBallot<'_> {
    GateBallot { answer, reason_words, model: None, confidence: None }
}

fn features(answers: &[&str]) -> GateFeatures {
    let ballots: Vec<GateBallot<'_>> = answers.iter().map(|answer| ballot(answer, 10)).collect();
    view(&ballots).features(same_answer)
}

fn view<'a>(ballots: &'a [GateBallot<'a>]) -> GateView<'a> {
    GateView { ballots, eligible: u32::try_from(ballots.len()).unwrap(), question_words: 20, options: None }
}

fn logistic() -> GateRule {
    GateRule::plain(GateMethod::Logistic {
        features: vec![ScaledFeature { feature: GateFeature::TopShare, mean: 0.75, scale: 0.25 }],
        debate: SideChance { intercept: 1.0, coefficients: vec![0.0] },
        vote_first: SideChance { intercept: 1.0, coefficients: vec![2.0] },
        threshold: 0.05,
    })
}

fn below(feature: GateFeature, threshold: f64) -> GateRule {
    GateRule::plain(GateMethod::Threshold { feature, debate_when: GateSide::Below, threshold })
}

#[test]
fn features_of_four_ballots_are_those_computed_by_hand() {
    let ballots = [
        GateBallot { answer: "Paris", reason_words: 10, model: Some("a"), confidence: Some(90) },
        GateBallot { answer: "paris ", reason_words: 20, model: Some("b"), confidence: Some(70) },
        GateBallot { answer: "Rome", reason_words: 30, model: Some("a"), confidence: Some(50) },
    ];
    let view = GateView { ballots: &ballots, eligible: 4, question_words: 7, options: Some(5) };
    let seen = view.features(same_answer);
    let entropy = -(2.0f64 / 3.0 * (2.0f64 / 3.0).ln() + 1.0 / 3.0 * (1.0f64 / 3.0).ln()) / 3.0f64.ln();
    assert_eq!(seen.top_share, Some(0.5));
    assert!((seen.entropy.unwrap() - entropy).abs() < 1e-12, "{seen:?}");
    assert_eq!(seen.margin, Some(0.25));
    assert_eq!(seen.answers, Some(2.0));
    assert_eq!(seen.reason_words_mean, Some(20.0));
    assert!((seen.reason_words_spread.unwrap() - (200.0f64 / 3.0).sqrt()).abs() < 1e-12, "{seen:?}");
    assert_eq!(seen.question_words, Some(7.0));
    assert_eq!(seen.options, Some(5.0));
    assert_eq!(seen.models_disagree, Some(0.5), "a and b agree, b and a differ; a pair of one model does not count");
    assert_eq!(seen.confidence_mean, Some(70.0));
}

#[test]
fn what_nobody_reported_is_absent() {
    let none = view(&[]).features(same_answer);
    assert_eq!(none, GateFeatures { question_words: Some(20.0), ..GateFeatures::default() });
    let one = features(&["A"]);
    assert_eq!((one.top_share, one.entropy, one.reason_words_spread), (Some(1.0), None, None));
    let mut half = [ballot("A", 1), ballot("A", 1)];
    half[0].confidence = Some(80);
    half[0].model = Some("a");
    let half = view(&half).features(same_answer);
    assert_eq!((half.confidence_mean, half.models_disagree), (None, None));
}

#[test]
fn three_equal_ballots_are_skipped_without_a_learned_gate_and_nothing_else_is() {
    let rule = GateRule::unanimous();
    let skips = |answers: &[&str], eligible| rule.decide(&features(answers), eligible, answers.len() as u32).skip;
    assert!(skips(&["A", "A", "a"], 3));
    assert!(!skips(&["A", "A", "B"], 3));
    assert!(!skips(&["A", "A"], 2), "two are too few");
    assert!(!skips(&["A", "A", "A"], 4), "one failed");
}

#[test]
fn a_threshold_splits_at_its_value() {
    let rule = below(GateFeature::TopShare, 0.75);
    let decided = |value: Option<f64>| rule.decide(&GateFeatures { top_share: value, ..GateFeatures::default() }, 4, 4);
    assert_eq!(decided(Some(0.75)), GateDecision { score: Some(0.75), skip: true, reason: GateReason::Rule });
    assert_eq!(decided(Some(0.5)), GateDecision { score: Some(0.5), skip: false, reason: GateReason::Rule });
    assert_eq!(decided(None), GateDecision { score: None, skip: false, reason: GateReason::FeatureUnknown });
    assert_eq!(decided(Some(f64::NAN)).reason, GateReason::FeatureUnknown);
    let other = GateMethod::Threshold { feature: GateFeature::Answers, debate_when: GateSide::AtLeast, threshold: 2.0 };
    assert!(!other.decide(&features(&["A", "B"]), 2, 2).skip);
    assert!(other.decide(&features(&["A", "A"]), 2, 2).skip);
}

#[test]
fn a_logistic_gate_debates_where_the_debate_has_the_better_chance() {
    let rule = logistic();
    let agreed = rule.decide(&features(&["A", "A", "A"]), 3, 3);
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    assert!((agreed.score.unwrap() - (sigmoid(1.0) - sigmoid(3.0))).abs() < 1e-12);
    assert!(agreed.skip);
    let split = rule.decide(&features(&["A", "B", "C"]), 3, 3);
    assert!(!split.skip && split.score.unwrap() > 0.3, "{split:?}");
}

#[test]
fn a_rule_survives_json_and_a_gate_file_may_hold_it() {
    let mut learned = logistic();
    learned.learned_on = Some(GateOrigin {
        eval: "ev1".to_owned(),
        debate: "panel".to_owned(),
        spec: Some("ab".to_owned()),
        models: BTreeMap::from([("m".to_owned(), None)]),
    });
    let plain = [GateMethod::Never, GateMethod::Always, GateMethod::Unanimous].map(GateRule::plain);
    for rule in plain.into_iter().chain([below(GateFeature::Entropy, 0.5), learned]) {
        let text = serde_json::to_string(&rule).unwrap();
        assert_eq!(GateRule::read(&text), Ok(rule.clone()), "{text}");
        assert_eq!(GateRule::read(&format!(r#"{{"format": 1, "rule": {text}, "figures": {{}}}}"#)), Ok(rule));
    }
}

#[test]
fn foreign_rules_are_rejected_with_what_is_wrong() {
    let scaled = r#"{"feature": "margin", "mean": 0, "scale": 0}"#;
    let cases = [
        (r#"{"#.to_owned(), "cannot be read"),
        (r#"{"version": 2, "kind": "oracle"}"#.to_owned(), "version 2"),
        (r#"{"version": 1, "kind": "oracle"}"#.to_owned(), "expected one of `never`"),
        (r#"{"version": 1, "kind": "never", "threshold": 1}"#.to_owned(), "takes no features and no threshold"),
        (r#"{"version": 1, "kind": "threshold", "feature": "mood"}"#.to_owned(), "unknown variant `mood`"),
        (r#"{"version": 1, "kind": "threshold", "feature": "margin"}"#.to_owned(), "debate_when"),
        (r#"{"version": 1, "kind": "always", "kind": "never"}"#.to_owned(), "twice"),
        (r#"{"version": 1, "kind": "always", "color": 1}"#.to_owned(), "unknown field"),
        (
            r#"{"version": 1, "kind": "threshold", "feature": "margin", "debate_when": "below", "threshold": 1e300}"#
                .to_owned(),
            "threshold is 1",
        ),
        (
            format!(
                r#"{{"version": 1, "kind": "logistic", "features": [{scaled}, {scaled}], "threshold": 0,
                "debate": {{"intercept": 0, "coefficients": [1]}}, "vote_first": {{"intercept": 0, "coefficients": [1, 2]}}}}"#
            ),
            "the scale of margin is 0; allowed is 1e-9 to 1e9; the scale of margin is 0; allowed is 1e-9 to 1e9; \
             feature margin is named twice; debate has 1 coefficients",
        ),
        (" ".repeat(MAX_GATE_BYTES + 1), "allowed are 1048576"),
        ("[".repeat(100_000), "recursion limit"),
    ];
    for (text, wanted) in cases {
        let error = GateRule::read(&text).unwrap_err().to_string();
        assert!(error.contains(wanted), "{wanted}: {error}");
        assert!(error.chars().count() < 600, "{error}");
    }
}

#[test]
fn a_gate_names_what_differs_from_what_it_learned_on() {
    let mut rule = GateRule::unanimous();
    let here = BTreeMap::from([("m".to_owned(), Some("1".to_owned())), ("n".to_owned(), None)]);
    assert_eq!(rule.differences("ab", &here), Vec::<String>::new(), "it was learned on nothing");
    rule.learned_on = Some(GateOrigin { spec: Some("ab".to_owned()), models: here.clone(), ..GateOrigin::default() });
    assert_eq!(rule.differences("ab", &here), Vec::<String>::new());
    let other = BTreeMap::from([("m".to_owned(), Some("2".to_owned())), ("o".to_owned(), None)]);
    assert_eq!(
        rule.differences("cd", &other),
        [
            "the gate was learned on a debate with other settings",
            "the gate was learned on another version of model m",
            "the gate was learned without model o",
            "the gate was learned with model n, which does not debate here",
        ]
    );
}

fn heard(spec: &DebateSpec, events: Vec<Event>) -> FirstBallots {
    let mut ballots = FirstBallots::default();
    for event in &events {
        let Event::Answered(answered) = event else { panic!("{event:?}") };
        ballots.take(spec, answered);
    }
    ballots
}

#[test]
fn first_ballots_are_taken_from_the_log_and_final_ones_are_not() {
    let mut spec = testing::spec();
    spec.topic = "Is it so?".to_owned();
    spec.context = Some("Perhaps it is.".to_owned());
    let asked = |who| testing::Asked::at(testing::turn(0, 0), who);
    let seen = heard(
        &spec,
        vec![
            asked("Ada").ballot(BallotStage::Initial, "yes", "one two three", Some(60)),
            asked("Ada").speech_as(SpeechKind::Opening, "no matter", |speech| speech.answer = Some("no".to_owned())),
            asked("Ben").ballot(BallotStage::Initial, "Yes", "one", Some(80)),
            asked("Ben").ballot(BallotStage::Final, "no", "one", Some(80)),
        ],
    );
    let features = seen.features(&spec);
    assert_eq!((seen.cast(), eligible(&spec)), (2, spec.personas.len() as u32));
    assert_eq!(
        (features.answers, features.reason_words_mean, features.confidence_mean),
        (Some(1.0), Some(2.0), Some(70.0))
    );
    assert_eq!((features.question_words, features.options), (Some(6.0), None));
}

#[test]
fn in_a_poll_and_in_critique_revision_the_answers_of_openings_are_the_ballots() {
    for (format, kind) in
        [(DebateFormat::Poll, SpeechKind::Opening), (DebateFormat::CritiqueRevision, SpeechKind::Proposal)]
    {
        let mut spec = testing::spec();
        spec.debate_format = format;
        spec.format.samples = 5;
        let asked = |seat| testing::Asked::at(testing::turn(0, seat), "Ada");
        let stated = |seat, answer: Option<&str>| {
            asked(seat).speech_as(kind, "some words", |speech| speech.answer = answer.map(str::to_owned))
        };
        let ballot = asked(4).ballot(BallotStage::Initial, "Ada", "why", None);
        let revised = asked(0).speech_as(SpeechKind::Revision, "x", |speech| speech.answer = Some("4".to_owned()));
        let seen = heard(&spec, vec![stated(0, Some("4")), stated(1, Some("5")), stated(2, None), ballot, revised]);
        assert_eq!(seen.cast(), 2, "{format:?}");
        assert_eq!(seen.features(&spec).answers, Some(2.0));
        assert_eq!(eligible(&spec), if format == DebateFormat::Poll { 5 } else { spec.personas.len() as u32 });
    }
}

fn any_rule() -> impl Strategy<Value = GateRule> {
    let feature = || proptest::sample::select(&GateFeature::ALL[..]);
    let side = proptest::sample::select(&GateSide::ALL[..]);
    let one = (feature(), side, -2.0..40.0f64).prop_map(|(feature, debate_when, threshold)| GateMethod::Threshold {
        feature,
        debate_when,
        threshold,
    });
    let chances =
        (feature(), -1e9..1e9f64, 1e-9..1e9f64, [-1e9..1e9f64, -1e9..1e9, -1e9..1e9, -1e9..1e9], -1.0..1.0f64)
            .prop_map(|(feature, mean, scale, [a, b, c, d], threshold)| GateMethod::Logistic {
                features: vec![ScaledFeature { feature, mean, scale }],
                debate: SideChance { intercept: a, coefficients: vec![b] },
                vote_first: SideChance { intercept: c, coefficients: vec![d] },
                threshold,
            });
    let plain = proptest::sample::select(vec![GateMethod::Never, GateMethod::Always, GateMethod::Unanimous]);
    prop_oneof![plain, one, chances].prop_map(GateRule::plain)
}

proptest! {
    #[test]
    fn no_rule_skips_where_a_ballot_failed_and_every_score_is_finite(
        rule in any_rule(),
        answers in prop::collection::vec("[ab]", 0..6),
        failed in 0u32..3,
    ) {
        prop_assert_eq!(rule.check(), Ok(()));
        let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
        let cast = answers.len() as u32;
        let seen = features(&answers);
        let decision = rule.decide(&seen, cast + failed, cast);
        prop_assert!(!decision.skip || (failed == 0 && cast >= 2));
        prop_assert!(decision.score.is_none_or(f64::is_finite));
        for feature in [seen.top_share, seen.entropy, seen.margin].into_iter().flatten() {
            prop_assert!((0.0..=1.0).contains(&feature) && feature.is_sign_positive());
        }
    }
}
