//! From the polls of graders to scores.
use super::GradeTask;
use crate::{Criterion, Facts};
use serde::{Deserialize, Serialize};

/// What a grader found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// The criterion is met.
    Met,
    /// It is not.
    NotMet,
    /// The answer that was shown first is better.
    First,
    /// The other one is.
    Second,
    /// Neither is better.
    Equal,
}

impl Grade {
    /// The same grade of a pair that was shown in the other order.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
            same @ (Self::Met | Self::NotMet | Self::Equal) => same,
        }
    }
}

/// What a panel found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PanelGrade {
    /// What more than half of the panel found; absent where nothing was found by so many.
    pub grade: Option<Grade>,
    /// What each grader found, in order of the panel; absent where its call failed.
    pub by_grader: Vec<Option<Grade>>,
}

/// What the samples of a grading found.
pub fn read_grade(task: &GradeTask, facts: &Facts, panel: usize) -> PanelGrade {
    let mut by_grader = vec![None; panel];
    for sample in &facts.samples {
        let seat = usize::try_from(sample.number).ok().and_then(|seat| by_grader.get_mut(seat));
        if let (Some(seat), Some(answer)) = (seat, &sample.answer) {
            *seat = task.grade(answer);
        }
    }
    let count = |grade: Grade| by_grader.iter().filter(|found| **found == Some(grade)).count();
    let grade = by_grader.iter().flatten().copied().find(|grade| 2 * count(*grade) > panel);
    PanelGrade { grade, by_grader }
}

/// The score of an answer by its rubric: the share of criteria that are met, 0 where a `must` is not. Absent where a criterion has no grade.
pub fn rubric_score(criteria: &[Criterion], grades: &[Option<Grade>]) -> Option<f64> {
    if criteria.is_empty() || grades.len() != criteria.len() {
        return None;
    }
    let met: Vec<bool> = grades.iter().map(|grade| Some((*grade)? == Grade::Met)).collect::<Option<_>>()?;
    if criteria.iter().zip(&met).any(|(criterion, met)| criterion.must && !met) {
        return Some(0.0);
    }
    Some(met.iter().filter(|met| **met).count() as f64 / met.len() as f64)
}

/// What both orders of a pair came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairOutcome {
    /// 1 where the first answer won in both orders, -1 where the second did, else 0.
    pub difference: i8,
    /// Whether both orders had the same winner, or none in both.
    pub consistent: bool,
}

/// A pair by its grades in the order of the comparison and in the other one, as each grader said it. Absent where one has no grade.
pub fn pair_outcome(as_is: Option<Grade>, swapped: Option<Grade>) -> Option<PairOutcome> {
    let (one, other) = (as_is?, swapped?.swapped());
    let difference = match (one, other) {
        (Grade::First, Grade::First) => 1,
        (Grade::Second, Grade::Second) => -1,
        (_, _) => 0,
    };
    Some(PairOutcome { difference, consistent: one == other })
}
