//! What rivals spend over what debates do, in whole evals.
use super::*;

/// What a cell costs where debates and samples differ, and where the first sample of each poll finds no cache.
fn varied(closed: CellClosed) -> CellClosed {
    let number = |about: u32| {
        let hash = blake3::hash(&[closed.cell.question.to_le_bytes(), about.to_le_bytes()].concat());
        u64::from(hash.as_bytes()[0])
    };
    let mut facts = closed.facts.clone();
    let first = facts.samples.first().map(|sample| sample.number);
    for sample in &mut facts.samples {
        let cached = if Some(sample.number) == first { 0 } else { 65 };
        let generated = 10 + number(sample.number) / 12;
        sample.cost = CellCost { cached: Some(cached), ..cost(80, generated) };
    }
    facts.cost = CellCost::default();
    facts.samples.iter().for_each(|sample| facts.cost.add(&sample.cost));
    if facts.samples.is_empty() {
        facts.cost = CellCost { cached: Some(300), ..cost(700 + number(1_000), 100 + number(2_000)) };
    }
    CellClosed { facts, ..closed }
}

/// What the debate spent over what self-consistency spent by the eval's count.
fn ratio(count: Count) -> f64 {
    let arms = vec![BaselineArm::SelfConsistency];
    let mut run = Trial::new(EvalSpec { count, arms, max_samples: 64, ..spec(200) });
    run.run(8, |_| 0, varied);
    assert_eq!(run.machine.ended(), Some("complete"));
    let result = result_of(&run.machine);
    let row = &result.comparisons[0].counts[0];
    assert_eq!(row.count, count);
    row.ratio.unwrap()
}

#[test]
fn rivals_spend_what_debates_do_in_the_mean_of_200_questions() {
    for count in [Count::Total, Count::Generated, Count::New] {
        let ratio = ratio(count);
        assert!((0.98..=1.02).contains(&ratio), "{ratio} x the {count:?} tokens");
    }
}
