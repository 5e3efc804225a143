//! The worked numbers of `docs/guide/deciding.md`, run as they stand there.
use agon_core::tally::{Tally, borda, count, mean_totals, same_answer, strength, tally, weight, weighted};
use agon_core::{ParticipantId, Persona, Strength, VoteRule};

const PAGE: &str = include_str!("../../../../docs/guide/deciding.md");

/// The rows of the tables with this head, cells trimmed.
pub fn rows(head: &str) -> Vec<Vec<&'static str>> {
    let cells = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
    let mut lines = PAGE.lines().skip_while(|line| *line != head);
    assert!(lines.next().is_some(), "the page has no table {head:?}");
    let rows: Vec<_> = lines.skip(1).take_while(|line| line.starts_with('|')).map(cells).collect();
    assert!(rows.len() > 2, "the table {head:?} has {} rows", rows.len());
    rows
}

fn named(result: &Tally) -> String {
    match result {
        Tally::Winner(name) => name.clone(),
        Tally::Tie => "tie".into(),
        Tally::RuleNotMet => "rule not met".into(),
    }
}

fn names() -> [&'static str; 3] {
    ["A", "B", "C"]
}

/// `A 1.500` as a name and thousandths.
fn amount(text: &str) -> (&str, u32) {
    let (name, amount) = text.trim().split_once(' ').unwrap();
    (name, (amount.parse::<f64>().unwrap() * 1_000.0).round() as u32)
}

/// `B 5, A 3` as the counts that a tally is made of.
fn counts(text: &str, scale: u32) -> Vec<(String, u32)> {
    text.split(", ").map(amount).map(|(name, thousandths)| (name.to_owned(), thousandths * scale / 1_000)).collect()
}

#[test]
fn every_rule_draws_its_line_where_the_page_says() {
    let rows = rows("| rule | counts | eligible | result |");
    let mut known: Vec<VoteRule> = Vec::new();
    for row in rows {
        let [rule, votes, eligible, result] = row[..] else { panic!("{row:?}") };
        let rule = VoteRule::ALL.into_iter().find(|known| known.as_str() == rule).unwrap();
        let counts: Vec<(String, u32)> =
            ('A'..).map(String::from).zip(votes.split(", ").map(|votes| votes.parse().unwrap())).collect();
        assert_eq!(named(&tally(rule, &counts, eligible.parse().unwrap())), result, "{row:?}");
        known.push(rule);
    }
    for rule in [VoteRule::Majority, VoteRule::Supermajority, VoteRule::Unanimous, VoteRule::Plurality] {
        assert!(known.contains(&rule), "{rule:?} is not worked");
    }
}

#[test]
fn rankings_give_the_points_of_the_page() {
    for row in rows("| rankings | points | result |") {
        let rankings: Vec<Vec<String>> =
            row[0].split("; ").map(|ranking| ranking.split(' ').map(str::to_owned).collect()).collect();
        let points = borda(&names().map(String::from), &rankings);
        assert_eq!(points, counts(row[1], 1), "{row:?}");
        assert_eq!(named(&tally(VoteRule::Borda, &points, rankings.len() as u32)), row[2], "{row:?}");
    }
}

#[test]
fn approvals_are_counted_as_on_the_page() {
    for row in rows("| approvals | counts | result |") {
        let given = count(names(), row[0].split("; ").flat_map(|ballot| ballot.split(' ')));
        assert_eq!(given, counts(row[1], 1), "{row:?}");
        assert_eq!(named(&tally(VoteRule::Approval, &given, 9)), row[2], "{row:?}");
    }
}

fn rated(elo: &str, calibration: &str, own: &str) -> Persona {
    let number = |text: &str| text.parse::<f64>().ok();
    let (elo, calibration, weight) = (number(elo), number(calibration), number(own));
    Persona { elo, calibration, weight, ..agon_core::testing::persona("A", None) }
}

#[test]
fn ratings_make_the_weights_of_the_page() {
    for row in rows("| elo | calibration | weight | counts as |") {
        let persona = rated(row[0], row[1], row[2]);
        let weight = weight(ParticipantId::from("A"), Some(&persona), None).thousandths;
        assert_eq!(format!("{}.{:03}", weight / 1_000, weight % 1_000), row[3], "{row:?}");
    }
}

#[test]
fn weighted_votes_are_summed_as_on_the_page() {
    for row in rows("| votes | eligible weight | result |") {
        let sums = weighted(names(), row[0].split("; ").map(amount));
        let (_, whole) = amount(&format!("all {}", row[1])).to_owned();
        assert_eq!(named(&tally(VoteRule::Weighted, &sums, whole)), row[2], "{row:?}");
    }
}

#[test]
fn scores_have_the_means_of_the_page() {
    for row in rows("| totals | means | result |") {
        let totals = row[0].split("; ").flat_map(|of| {
            let (name, totals) = of.split_once(' ').unwrap();
            totals.split(", ").map(move |total| (name, total.parse().unwrap()))
        });
        let scored: Vec<&str> = row[0].split("; ").map(|of| &of[..1]).collect();
        let means = mean_totals(scored, totals);
        assert_eq!(means, counts(row[1], 1_000), "{row:?}");
        assert_eq!(named(&tally(VoteRule::AnonymousScoring, &means, 3)), row[2], "{row:?}");
    }
}

#[test]
fn strengths_have_the_names_of_the_page() {
    let mut found: Vec<Strength> = Vec::new();
    for row in rows("| top | eligible | strength |") {
        let strength = strength(row[0].parse().unwrap(), row[1].parse().unwrap());
        let name = serde_json::to_value(strength).unwrap();
        assert!(same_answer(name.as_str().unwrap(), row[2]), "{row:?}: {name}");
        found.push(strength);
    }
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), rows("| strength | share |").len(), "a strength is not worked");
}

#[test]
fn the_page_names_every_rule_and_every_strategy() {
    for rule in VoteRule::ALL {
        assert!(PAGE.contains(&format!("| `{}` |", rule.as_str())), "{rule:?}");
    }
    for strategy in agon_core::ConsensusStrategy::ALL {
        assert!(PAGE.contains(&format!("| `{}` |", strategy.as_str())), "{strategy:?}");
    }
}
