//! The plan of an eval for a person.
use agon_core::thousands;
use agon_eval::{EvalAdmission, EvalPlan, PlannedPart};
use agon_report::{count, one_line};
use std::collections::BTreeMap;

/// `84 debates and polls`: what an eval holds.
pub fn held(n: u64) -> String {
    format!("{} debates and polls", thousands(n))
}

/// A duration to the precision of a forecast.
pub fn approximately(seconds: f64) -> String {
    let minutes = seconds / 60.0;
    match () {
        () if seconds < 100.0 => format!("about {seconds:.0} s"),
        () if minutes < 100.0 => format!("about {minutes:.0} min"),
        () => format!("about {:.1} h", minutes / 60.0),
    }
}

/// The plan as text.
pub fn text(plan: &EvalPlan, seconds: Option<f64>, admission: &EvalAdmission) -> String {
    let mut lines = vec![format!(
        "questions: {}; to be held: {}, up to {} if rivals need more samples to spend as much as the debates",
        thousands(plan.questions.into()),
        held(plan.cells),
        thousands(plan.cells_most)
    )];
    let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
    admission.spec.questions.iter().for_each(|question| *kinds.entry(question.gold.kind_name()).or_default() += 1);
    let kinds: Vec<String> = kinds.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
    lines.push(format!("scored as: {}", kinds.join(", ")));
    if plan.reused > 0 {
        lines.push(format!("of these, {} were held before and cost nothing", thousands(plan.reused)));
    }
    lines.push(format!(
        "calls: {}, up to {}, if each succeeds at first",
        thousands(plan.calls),
        thousands(plan.calls_most)
    ));
    lines.push(format!("tokens: about {}, at most {}", thousands(plan.tokens_likely), thousands(plan.tokens_most)));
    lines.extend(
        plan.money_likely
            .map(|money| format!("money: about {money:.2}, in the currency of [eval.prices] in the settings")),
    );
    if let Some(grader) = admission.spec.grader.as_ref().filter(|_| plan.gradings_most > 0) {
        let graders: Vec<String> = grader.models.iter().map(|model| one_line(model)).collect();
        let (likely, most) = (thousands(plan.gradings_likely), thousands(plan.gradings_most));
        lines.push(format!("gradings: about {likely}, at most {most}, by {}", graders.join(", ")));
    }
    lines.push(match seconds {
        Some(seconds) => {
            let time = approximately(seconds);
            format!("time: {time} of generation by the measured speeds; less where servers answer several at once")
        }
        None => "time: unknown, because no speed of these models is measured yet".to_owned(),
    });
    lines.extend(power(plan));
    lines.extend(plan.parts.iter().map(|part| part_line(part, admission)));
    lines.extend(plan.notes.iter().map(|note| one_line(note)));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// What so many questions can show.
fn power(plan: &EvalPlan) -> Option<String> {
    let points = plan.smallest_points?;
    let needed: Vec<String> =
        plan.needed.iter().map(|one| format!("{} points need {}", one.points, thousands(one.questions))).collect();
    Some(format!(
        "power: if two methods differ on a quarter of the questions, {} show a gain of {points:.1} points or more in 4 of 5 evals; {} \
         questions",
        count(plan.questions.into(), "question"),
        needed.join(", ")
    ))
}

/// `panel: 60 debates, 26 calls each`, `samples of llama3.1:8b for panel: 60 polls, 4 calls each`.
fn part_line(part: &PlannedPart, admission: &EvalAdmission) -> String {
    let calls = count(part.calls_each, "call");
    let pool = part.name.strip_prefix("samples ").and_then(|at| at.parse::<usize>().ok());
    match pool.and_then(|at| admission.pools.get(at.checked_sub(1)?)) {
        Some(pool) => {
            let arms: Vec<String> = pool.arms.iter().map(|arm| one_line(&arm.0)).collect();
            let models: Vec<String> = pool.models.iter().map(|model| one_line(model)).collect();
            format!(
                "samples of {} for {}: {}, {calls} each",
                models.join(", "),
                arms.join(", "),
                count(part.cells, "poll")
            )
        }
        None => format!("{}: {}, {calls} each", one_line(&part.name), count(part.cells, "debate")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forecast_has_the_unit_that_fits() {
        assert_eq!([12.4, 610.0, 9_000.0].map(approximately), ["about 12 s", "about 10 min", "about 2.5 h"]);
    }
}
