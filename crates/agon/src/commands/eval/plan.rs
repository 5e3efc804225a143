//! The plan of an eval for a person.
use agon_core::thousands;
use agon_eval::{EvalAdmission, EvalPlan};
use agon_report::{count, one_line};
use std::fmt::Write;

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
    // Writing to a string cannot fail.
    let mut text = format!(
        "questions: {}, {} cells, up to {} with the samples that debates' tokens are worth\n",
        thousands(plan.questions.into()),
        thousands(plan.cells),
        thousands(plan.cells_most)
    );
    if plan.reused > 0 {
        let _ = writeln!(text, "held before: {}, which cost nothing", count(plan.reused, "cell"));
    }
    let _ = writeln!(
        text,
        "calls: {}, up to {}, if each succeeds at first",
        thousands(plan.calls),
        thousands(plan.calls_most)
    );
    let _ = writeln!(text, "tokens: about {}, at most {}", thousands(plan.tokens_likely), thousands(plan.tokens_most));
    if let Some(grader) = admission.spec.grader.as_ref().filter(|_| plan.gradings_most > 0) {
        let graders: Vec<String> = grader.models.iter().map(|model| one_line(model)).collect();
        let (likely, most) = (thousands(plan.gradings_likely), thousands(plan.gradings_most));
        let _ = writeln!(text, "gradings: about {likely}, at most {most}, by {}", graders.join(", "));
    }
    if let Some(money) = plan.money_likely {
        let _ = writeln!(text, "money: about {money:.2}, by the prices of the settings");
    }
    text.push_str(&match seconds {
        Some(seconds) => {
            let time = approximately(seconds);
            format!("time: {time} of generation by the measured speeds; less where servers answer several at once\n")
        }
        None => "time: unknown, because no speed of these models is measured yet\n".to_owned(),
    });
    if let Some(points) = plan.smallest_points {
        let needed: Vec<String> =
            plan.needed.iter().map(|one| format!("{} points need {}", one.points, thousands(one.questions))).collect();
        let _ =
            writeln!(text, "so many questions show a difference of {points:.1} points or more; {}", needed.join(", "));
    }
    for note in &plan.notes {
        let _ = writeln!(text, "{}", one_line(note));
    }
    for part in &plan.parts {
        let name = one_line(&part.name);
        let _ = writeln!(text, "{name}: {}, {} each", count(part.cells, "cell"), count(part.calls_each, "call"));
    }
    for (at, pool) in (1..).zip(&admission.pools) {
        let arms: Vec<String> = pool.arms.iter().map(|arm| one_line(&arm.0)).collect();
        let models: Vec<String> = pool.models.iter().map(|model| one_line(model)).collect();
        let _ = writeln!(text, "samples {at} are of {}, for {}", models.join(", "), arms.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forecast_has_the_unit_that_fits() {
        assert_eq!([12.4, 610.0, 9_000.0].map(approximately), ["about 12 s", "about 10 min", "about 2.5 h"]);
    }
}
