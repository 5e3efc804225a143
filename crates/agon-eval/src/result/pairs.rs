//! Pairs of answers: which is better, question by question.
use super::comparisons::Comparer;
use super::grades::AnswerPair;
use super::table::CellScore;
use crate::{Comparison, Grade, GradeTask, PairBasis, PairRow, PairWinner};

/// The pairs of all comparisons, by the eval's count.
pub(super) fn pairs(comparer: &Comparer<'_, '_>, post_hoc: &[Comparison]) -> Vec<PairRow> {
    let mut rows = Vec::new();
    for (arm, rival, _) in comparer.pairs(post_hoc) {
        let compared = arm.cells.iter().zip(&rival.cells).filter(|(one, _)| comparer.table.is_pairwise(one.at));
        rows.extend(compared.map(|(one, other)| row(comparer, (&arm.id, one), (&rival.id, other))));
    }
    rows
}

fn row(
    comparer: &Comparer<'_, '_>,
    (arm, one): (&str, &CellScore<'_>),
    (rival, other): (&str, &CellScore<'_>),
) -> PairRow {
    let table = comparer.table;
    let row = PairRow {
        question: u32::try_from(one.at).unwrap_or(u32::MAX),
        repetition: one.repetition,
        arm: arm.to_owned(),
        rival: rival.to_owned(),
        winner: None,
        basis: PairBasis::Graded,
        arm_first: None,
        rival_first: None,
    };
    match table.answer_pair(one, other) {
        AnswerPair::Told(difference) => {
            let answered = super::grades::shown_answer(one).is_some() && super::grades::shown_answer(other).is_some();
            let basis = if answered { PairBasis::SameAnswer } else { PairBasis::NoAnswer };
            PairRow { winner: Some(winner(difference)), basis, ..row }
        }
        AnswerPair::Graded(pair) => {
            let index = table.questions.get(one.at).map_or(u32::MAX, |(index, _)| *index);
            let found = |task: &GradeTask| table.grades.panel(index, task, false)?.grade;
            let rival_first = pair.swapped().as_ref().and_then(found).map(Grade::swapped);
            let outcome = table.pair_outcome(one.at, &pair);
            PairRow {
                winner: outcome.map(|outcome| winner(outcome.difference)),
                arm_first: found(&pair).map(better),
                rival_first: rival_first.map(better),
                ..row
            }
        }
    }
}

fn winner(difference: i8) -> PairWinner {
    match difference {
        1.. => PairWinner::Arm,
        0 => PairWinner::Tie,
        ..0 => PairWinner::Rival,
    }
}

/// Whose answer a grade says is better, where the arm's is the first of the two.
fn better(grade: Grade) -> PairWinner {
    match grade {
        Grade::First => PairWinner::Arm,
        Grade::Second => PairWinner::Rival,
        Grade::Equal | Grade::Met | Grade::NotMet => PairWinner::Tie,
    }
}
