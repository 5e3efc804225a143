//! Which of several debates is resumed: the user chooses on a terminal, and elsewhere has to name it.
use crate::commands::Context;
use crate::commands::rows::{self, Row};
use crate::commands::stored::PIPED;
use crate::exit::Stop;
use crate::store::Store;
use agon_core::DebateId;
use std::io::{self, IsTerminal};

/// Columns before each line of the list.
const NUMBER: usize = 5;

/// The only one, or the one that the user chooses.
pub async fn one_of(context: &Context, store: &Store, halted: Vec<DebateId>) -> Result<Vec<DebateId>, Stop> {
    if halted.len() < 2 {
        return Ok(halted);
    }
    let mut debates = Vec::new();
    for id in &halted {
        debates.push(Row::of_result(&store.log_of(id).await?.result()?));
    }
    let list = rows::lines(&debates, context.output.columns().unwrap_or(PIPED).saturating_sub(NUMBER));
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Err(Stop::usage(format!(
            "{} debates are paused or interrupted; name those to resume, or use --all:\n{}",
            halted.len(),
            list.trim_end()
        )));
    }
    let list: String = list.lines().enumerate().map(|(at, line)| format!("{:>3}  {line}\n", at + 1)).collect();
    context.output.ask(&format!("{list}Resume which one? [1-{}] ", halted.len()));
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    let chosen = chosen(&answer, &halted)?;
    Ok(vec![chosen])
}

fn chosen(answer: &str, halted: &[DebateId]) -> Result<DebateId, Stop> {
    let number = answer.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let chosen = number.and_then(|number| halted.get(number));
    chosen
        .cloned()
        .ok_or_else(|| Stop::usage(format!("nothing is resumed: the answer is a number from 1 to {}", halted.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_the_list_is_chosen_and_nothing_else() {
        let ids = ["one-one", "two-two"].map(|id| DebateId::parse(id).unwrap());
        assert_eq!(chosen(" 2\n", &ids).unwrap(), ids[1]);
        for answer in ["0", "3", "", "two", "-1"] {
            assert!(chosen(answer, &ids).unwrap_err().error.unwrap().to_string().contains("1 to 2"), "{answer:?}");
        }
    }
}
