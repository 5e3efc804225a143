//! The plan of an eval for a person.
use crate::commands::Context;
use crate::exit::{Exit, Stop};
use agon_core::thousands;
use agon_eval::{EvalPlan, PlannedPart};
use agon_report::{REHEARSAL, count, one_line};
use std::io::IsTerminal as _;

/// An eval of more tokens than this is not begun unasked on a terminal.
const ASK_ABOVE: u64 = 1_000_000;

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
pub fn text(plan: &EvalPlan, seconds: Option<f64>) -> String {
    let mut lines: Vec<String> = plan.rehearsal.then(|| format!("{REHEARSAL}.")).into_iter().collect();
    lines.push(format!(
        "questions: {}; to be held: {}, up to {} if rivals need more samples to spend as much as the debates",
        thousands(plan.questions.into()),
        held(plan.cells),
        thousands(plan.cells_most)
    ));
    let kinds: Vec<String> = plan.scored.iter().map(|(kind, n)| format!("{n} {}", one_line(kind))).collect();
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
    if !plan.graders.is_empty() {
        let graders: Vec<String> = plan.graders.iter().map(|model| one_line(model)).collect();
        let (likely, most) = (thousands(plan.gradings_likely), thousands(plan.gradings_most));
        lines.push(format!("gradings: about {likely}, at most {most}, by {}", graders.join(", ")));
    }
    for program in &plan.programs {
        let runs = count(program.runs, "run");
        let most = if program.runs_most > program.runs {
            format!(", at most {}", thousands(program.runs_most))
        } else {
            String::new()
        };
        lines.push(format!(
            "program {}: {runs}{most}; its cost is unknown, and in no figure above",
            one_line(&program.name)
        ));
    }
    lines.push(match seconds {
        Some(seconds) => {
            let time = approximately(seconds);
            format!("time: {time} of generation by the measured speeds; less where servers answer several at once")
        }
        None => "time: unknown, because no speed of these models is measured yet".to_owned(),
    });
    lines.extend(power(plan));
    lines.extend(plan.parts.iter().map(part_line));
    lines.extend(plan.notes.iter().map(|note| one_line(note)));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// What so many questions can show.
fn power(plan: &EvalPlan) -> Option<String> {
    if plan.needed.is_empty() {
        return None;
    }
    let shown = plan
        .smallest_points
        .map_or("no gain however large".to_owned(), |points| format!("a gain of {points:.1} points or more"));
    let needed: Vec<String> =
        plan.needed.iter().map(|one| format!("{} points need {}", one.points, thousands(one.questions))).collect();
    Some(format!(
        "power: if two methods differ on a quarter of the questions, {} show {shown} in 4 of 5 evals; {} \
         questions",
        count(plan.questions.into(), "question"),
        needed.join(", ")
    ))
}

/// `panel: 60 debates, 26 calls each`, `samples of llama3.1:8b for panel: 60 polls, 4 calls each`.
fn part_line(part: &PlannedPart) -> String {
    let calls = count(part.calls_each, "call");
    if part.models.is_empty() {
        return format!("{}: {}, {calls} each", one_line(&part.name), count(part.cells, "debate"));
    }
    let arms: Vec<String> = part.arms.iter().map(|arm| one_line(arm)).collect();
    let models: Vec<String> = part.models.iter().map(|model| one_line(model)).collect();
    format!("samples of {} for {}: {}, {calls} each", models.join(", "), arms.join(", "), count(part.cells, "poll"))
}

/// Whether somebody is there to be asked before a large eval, who did not say yes already; a rehearsal costs nothing.
pub fn asks_for_consent(yes: bool, rehearsal: bool) -> bool {
    !yes && !rehearsal && can_ask()
}

/// A plan, and the seconds that it takes where speeds are known.
type TimedPlan<'a> = (&'a EvalPlan, Option<f64>);

/// Prints a plan.
pub fn print(context: &Context, (plan, seconds): TimedPlan<'_>, json: bool) -> Result<Exit, Stop> {
    match json {
        true => {
            let mut value = serde_json::to_value(plan).map_err(anyhow::Error::from)?;
            if let (Some(members), Some(seconds)) = (value.as_object_mut(), seconds) {
                members.insert("seconds_likely".to_owned(), seconds.into());
            }
            context.output.safe_json(&value)?;
        }
        false => context.output.data(&text(plan, seconds))?,
    }
    Ok(Exit::Done)
}

/// Shows the plan, and asks before a large eval.
pub fn agree(context: &Context, (plan, seconds): TimedPlan<'_>, asks: bool) -> Result<(), Stop> {
    context.output.note(text(plan, seconds).trim_end());
    if !asks || plan.tokens_likely <= ASK_ABOVE {
        return Ok(());
    }
    let question = format!("About {} tokens. Go on? [y/N] ", agon_core::thousands(plan.tokens_likely));
    match agrees(context, &question)? {
        true => Ok(()),
        false => Err(Stop::usage("the eval was not begun; --questions N asks fewer questions, --yes does not ask")),
    }
}

/// Asks a question, and whether the answer is yes.
pub fn agrees(context: &Context, question: &str) -> Result<bool, Stop> {
    context.output.ask(question);
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Whether somebody is there to be asked.
pub fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forecast_has_the_unit_that_fits() {
        assert_eq!([12.4, 610.0, 9_000.0].map(approximately), ["about 12 s", "about 10 min", "about 2.5 h"]);
    }
}
