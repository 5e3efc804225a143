//! Rate over cost: the curve of self-consistency, the front, and what is dominated.
use super::arms::spent;
use super::free::free_id;
use super::statistics::Estimator;
use super::table::CellTable;
use crate::at_once::at_once;
use crate::{ArmResult, CurvePoint, FreeArm, FrontPoint, SampleCurve};

/// Numbers of samples at which the curve is drawn.
const POINTS: [usize; 17] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 56, 64];
/// A point is drawn where at least this share of the questions has so many samples: else it is about other questions.
const COVERED: f64 = 0.9;

/// The curve of each pool of debaters' models.
pub(super) fn curves(table: &CellTable<'_>, estimator: &Estimator) -> Vec<SampleCurve> {
    let curve = |(index, pool): (u32, &crate::Pool)| {
        let counts = table.sample_counts(index);
        let reach =
            |k: usize| counts.iter().filter(|count| **count >= k).count() as f64 >= COVERED * counts.len() as f64;
        let reached = POINTS.into_iter().filter(|k| !counts.is_empty() && reach(*k)).collect();
        let points = at_once(reached, |k| {
            let cells = table.prefix(index, |_| k);
            let total = spent(table, cells.iter().map(|cell| &cell.cost), table.admission.spec.count);
            Some(CurvePoint {
                k: u32::try_from(k).ok()?,
                per_question: total.map(|(sum, _)| sum / cells.len().max(1) as f64),
                right: estimator.rate(table, &cells)?,
            })
        });
        SampleCurve { models: pool.models.clone(), points: points.into_iter().flatten().collect() }
    };
    let curves = table.debater_pools().map(curve);
    curves.filter(|curve| curve.points.len() > 1).collect()
}

/// Arms and free arms, cheapest first, and of the curves the numbers of samples that are on the front. The upper bound is no method.
pub(super) fn front(
    arms: &[ArmResult],
    free: &[FreeArm],
    curves: &[SampleCurve],
    count: crate::Count,
) -> Vec<FrontPoint> {
    let of_arms = arms.iter().filter_map(|arm| {
        let cost = arm.costs.iter().find(|cost| cost.count == count)?;
        let (per_question, right) = (cost.per_question, arm.right?);
        Some(FrontPoint { id: arm.id.clone(), free: None, samples: None, per_question, right, on_front: false })
    });
    let of_free = free.iter().filter(|free| !free.upper_bound).filter_map(|free| {
        let (id, kind) = (free_id(free), Some(free.kind));
        let per_question = free.per_question?;
        Some(FrontPoint { id, free: kind, samples: None, per_question, right: free.right, on_front: false })
    });
    let of_curves = curves.iter().flat_map(|curve| curve.points.iter().map(move |point| (curve, point)));
    let of_curves = of_curves.filter_map(|(curve, point)| {
        let (id, samples) = (format!("{} samples of {}", point.k, curve.models.join(", ")), Some(point.k));
        Some(FrontPoint {
            id,
            free: None,
            samples,
            per_question: point.per_question?,
            right: point.right,
            on_front: false,
        })
    });
    let mut points: Vec<FrontPoint> = of_arms.chain(of_free).chain(of_curves).collect();
    let rank = |a: &FrontPoint, b: &FrontPoint| {
        a.per_question.total_cmp(&b.per_question).then(b.right.value.total_cmp(&a.right.value)).then(a.id.cmp(&b.id))
    };
    points.sort_by(rank);
    let mut best = f64::NEG_INFINITY;
    for point in &mut points {
        point.on_front = point.right.value > best;
        best = best.max(point.right.value);
    }
    points.retain(|point| point.on_front || point.samples.is_none());
    points
}

/// What is right at least as often as an arm at lower cost.
pub(super) fn dominated_by(arm: &ArmResult, front: &[FrontPoint]) -> Vec<String> {
    let Some(own) = front.iter().find(|point| point.id == arm.id) else { return Vec::new() };
    let better = |point: &&FrontPoint| point.per_question < own.per_question && point.right.value >= own.right.value;
    front.iter().filter(better).map(|point| point.id.clone()).collect()
}
