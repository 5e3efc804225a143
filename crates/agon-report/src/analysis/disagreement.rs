//! What the debaters still differ on.
use super::AnalysisFacts;
use super::sums::counted;
use agon_core::Method;
use agon_core::tally::same_answer;
use serde::Serialize;

/// Attacks that the result lists at most.
const MOST_ATTACKS: usize = 20;

/// What the debaters still differ on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Disagreement {
    /// Whether two final ballots differ. Absent where those that came are the same and not every debater's came, and
    /// where fewer than two came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remains: Option<bool>,
    /// The answers of the final ballots, the one that most hold first.
    pub sides: Vec<Side>,
    /// Debaters of whom there is no final ballot.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_ballot: Vec<String>,
    /// Agreement after the first round in which it was measured; absent where it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_agreement: Option<Agreement>,
    /// Agreement after the last round in which it was measured, which may be the same round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_agreement: Option<Agreement>,
    /// Attacks that nobody answered; absent where the debate file keeps the debaters' words out of reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<StandingAttacks>,
}

/// An answer, and who holds it in the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Side {
    /// The answer, as its first holder put it.
    pub position: String,
    /// Whose final ballot it is.
    pub held_by: Vec<String>,
}

/// How far the speakers of a round agreed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// The round.
    pub round: u32,
    /// 0 to 1, as in `measures`.
    pub value: f64,
    /// Whether it is the share of pairs that named the same answer, and not a similarity of texts.
    pub by_answers: bool,
    /// How texts were compared. Two figures can be compared where this and `by_answers` are the same.
    pub method: Method,
}

/// Attacks that nobody answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StandingAttacks {
    /// How many stand.
    pub total: u32,
    /// All attacks of the debate, answered ones included.
    pub of: u32,
    /// The first 20 of those that stand: critiques, the most severe first, then the others in the order of speaking.
    pub attacks: Vec<StandingAttack>,
}

/// An attack that nobody answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StandingAttack {
    /// The number of the attacking speech in the argument tree.
    pub from: u32,
    /// The number of the attacked one.
    pub to: u32,
    /// Who attacks.
    pub by: String,
    /// Who is attacked.
    pub on: String,
    /// Of a critique, 1 to 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<u8>,
}

pub(super) fn of(facts: &AnalysisFacts<'_, '_>) -> Disagreement {
    let sides = sides(facts);
    let without_ballot: Vec<String> =
        facts.held.iter().filter(|held| held.last.is_none()).map(|held| held.debater.to_owned()).collect();
    let remains = match sides.as_slice() {
        [] => None,
        [one] => (one.held_by.len() > 1 && without_ballot.is_empty()).then_some(false),
        [_, ..] => Some(true),
    };
    let mut measured = agreements(facts);
    let first_agreement = measured.first().cloned();
    Disagreement {
        remains,
        sides,
        without_ballot,
        first_agreement,
        last_agreement: measured.pop(),
        standing: standing(facts),
    }
}

fn sides(facts: &AnalysisFacts<'_, '_>) -> Vec<Side> {
    let mut sides: Vec<Side> = Vec::new();
    for held in &facts.held {
        let Some(last) = held.last else { continue };
        let debater = held.debater.to_owned();
        match sides.iter_mut().find(|side| same_answer(&side.position, last)) {
            Some(side) => side.held_by.push(debater),
            None => sides.push(Side { position: last.to_owned(), held_by: vec![debater] }),
        }
    }
    sides.sort_by_key(|side| std::cmp::Reverse(side.held_by.len()));
    sides
}

/// By round.
fn agreements(facts: &AnalysisFacts<'_, '_>) -> Vec<Agreement> {
    let one = |(round, measures): &(u32, &agon_core::Measures)| {
        let (value, by_answers, method) = (measures.agreement?, measures.by_answers, measures.method);
        Some(Agreement { round: *round, value, by_answers, method })
    };
    let mut agreements: Vec<Agreement> = facts.minutes.measures.iter().filter_map(one).collect();
    agreements.sort_by_key(|agreement| agreement.round);
    agreements
}

fn standing(facts: &AnalysisFacts<'_, '_>) -> Option<StandingAttacks> {
    let floor = facts.floor.as_ref()?;
    let mut standing: Vec<_> = floor.attacks.iter().filter(|attack| !attack.answered).collect();
    standing.sort_by_key(|attack| (std::cmp::Reverse(attack.edge.severity), attack.edge.from, attack.edge.to));
    let attacks = standing.iter().take(MOST_ATTACKS).map(|attack| StandingAttack {
        from: attack.edge.from,
        to: attack.edge.to,
        by: attack.by.to_owned(),
        on: attack.on.to_owned(),
        severity: attack.edge.severity,
    });
    let (total, of) = (counted(standing.len()), counted(floor.attacks.len()));
    Some(StandingAttacks { total, of, attacks: attacks.collect() })
}
