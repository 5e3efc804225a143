//! What is said as often as the truth says.

use super::*;

/// Whether a share seen in so many trials may come from this rate: three standard errors, the rate's own included.
fn assert_near(seen: f64, trials: usize, truth: TrueRate) {
    let spread = truth.rate * (1.0 - truth.rate) / trials as f64 + truth.standard_error.powi(2);
    assert!((seen - truth.rate).abs() <= 3.0 * spread.sqrt(), "seen {seen}, truth {truth:?}, {trials} trials");
}

fn models(n: usize) -> Vec<String> {
    vec!["m".to_owned(); n]
}

/// The score of votes for the right answer `B`.
fn score(votes: &[String]) -> f64 {
    let count = |answer: &String| votes.iter().filter(|vote| *vote == answer).count();
    let most = votes.iter().map(count).max().unwrap();
    let mut top: Vec<&String> = votes.iter().filter(|vote| count(vote) == most).collect();
    top.sort();
    top.dedup();
    if top.iter().any(|answer| *answer == "B") { 1.0 / top.len() as f64 } else { 0.0 }
}

#[test]
fn the_usual_world_has_the_rates_that_its_description_states() {
    let minds = minds(MindWorld::default(), 4_000);
    let rate = |arm: &TruthArm| minds.truth(arm).unwrap().rate;
    let single = rate(&TruthArm::Single { model: "m".into() });
    let votes = |samples| rate(&TruthArm::Plurality { models: models(1), samples });
    let debate = rate(&TruthArm::Ballots { models: models(3) });
    assert!((single - 0.59).abs() < 0.015, "{single}");
    assert!((votes(3) - 0.65).abs() < 0.015, "{}", votes(3));
    assert!((debate - 0.76).abs() < 0.015, "{debate}");
    assert!((votes(40) - 0.75).abs() < 0.015, "{}", votes(40));
}

#[test]
fn speakers_answer_and_move_as_often_as_the_truth_says() {
    const QUESTIONS: usize = 2_000;
    let minds = minds(MindWorld { sway: 0.2, ..MindWorld::default() }, QUESTIONS);
    let (mut single, mut votes, mut last_votes, mut judged) = (0.0, 0.0, 0.0, 0.0);
    let (mut gained, mut lost) = (0, 0);
    for question in 0..QUESTIONS {
        let mut debate = PromptedDebate::new(question, 1);
        let first = CAST.map(|name| debate.debater(&minds, name, "private ballot (initial)", Some(1)));
        debate.entries = CAST
            .iter()
            .map(|name| ((*name).to_owned(), debate.debater(&minds, name, "opening statement", Some(2))))
            .collect();
        let last = CAST.map(|name| debate.debater(&minds, name, "private ballot (final)", Some(3)));
        single += f64::from(u8::from(first[0] == "B"));
        votes += score(&first);
        last_votes += score(&last);
        judged += f64::from(u8::from(debate.judge(&minds) == "B"));
        gained += first.iter().zip(&last).filter(|(a, b)| *a != "B" && *b == "B").count();
        lost += first.iter().zip(&last).filter(|(a, b)| *a == "B" && *b != "B").count();
    }
    let seen = |sum: f64| sum / QUESTIONS as f64;
    let truth = |arm| minds.truth(&arm).unwrap();
    assert_near(seen(single), QUESTIONS, truth(TruthArm::Single { model: "m".into() }));
    assert_near(seen(votes), QUESTIONS, truth(TruthArm::Plurality { models: models(3), samples: 3 }));
    let debate = truth(TruthArm::Ballots { models: models(3) });
    assert_near(seen(last_votes), QUESTIONS, debate);
    assert_near(seen(judged), QUESTIONS, truth(TruthArm::Judged { models: models(3), samples: 3, orders: 1 }));
    for (count, rate) in [(gained, debate.wrong_to_right), (lost, debate.right_to_wrong)] {
        // ballots of one debate are alike: as if each debate were one trial of three
        let flips = TrueRate { rate: rate.unwrap(), ..debate };
        assert_near(count as f64 / (3 * QUESTIONS) as f64, QUESTIONS, flips);
    }
}

#[test]
fn polls_and_their_judges_are_right_as_often_as_the_truth_says() {
    const QUESTIONS: usize = 1_000;
    let minds = minds(MindWorld { order_bias: 0.3, ..MindWorld::default() }, QUESTIONS);
    let (mut votes, mut best) = (0.0, 0.0);
    for question in 0..QUESTIONS {
        let mut poll = PromptedDebate::new(question, 2);
        let samples: Vec<String> =
            (0..5).map(|seed| poll.debater(&minds, "Ada", "opening statement", Some(seed))).collect();
        votes += score(&samples);
        poll.entries = samples.into_iter().enumerate().map(|(n, answer)| (format!("Sample {n}"), answer)).collect();
        let picked = poll.judge(&minds);
        poll.entries.reverse();
        best += f64::from(u8::from(picked == "B" && poll.judge(&minds) == picked));
    }
    let truth = |arm| minds.truth(&arm).unwrap();
    let (votes, best) = (votes / QUESTIONS as f64, best / QUESTIONS as f64);
    assert_near(votes, QUESTIONS, truth(TruthArm::Plurality { models: models(1), samples: 5 }));
    assert_near(best, QUESTIONS, truth(TruthArm::Judged { models: models(1), samples: 5, orders: 2 }));
}

#[test]
fn a_world_without_a_pull_to_the_truth_has_a_debate_that_is_its_vote() {
    let minds = minds(MindWorld { truth: 0.0, sway: 0.0, ..MindWorld::default() }, 500);
    let vote = minds.truth(&TruthArm::Plurality { models: models(3), samples: 3 }).unwrap();
    let debate = minds.truth(&TruthArm::Ballots { models: models(3) }).unwrap();
    assert!((vote.rate - debate.rate).abs() < 3.0 * (vote.standard_error + debate.standard_error));
    assert_eq!((debate.wrong_to_right, debate.right_to_wrong), (Some(0.0), Some(0.0)));
}

#[test]
fn a_stronger_model_is_right_more_often() {
    let skill = ByModel { default: 0.0, models: [("big".to_owned(), 2.0)].into() };
    let minds = minds(MindWorld { skill, ..MindWorld::default() }, 500);
    let rate = |model: &str| minds.truth(&TruthArm::Single { model: model.into() }).unwrap().rate;
    assert!(rate("big:latest") > rate("small") + 0.2);
}
