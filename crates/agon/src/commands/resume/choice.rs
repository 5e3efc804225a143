//! Which of several debates is resumed: the user chooses on a terminal, and elsewhere has to name it.
use crate::commands::Context;
use crate::commands::rows::{self, DebateRow};
use crate::commands::stored::PIPED;
use crate::exit::Stop;
use std::io::{self, IsTerminal};

/// Columns before each line of the list.
const NUMBER: usize = 5;

/// The only one, or the one that the user chooses; by its place in the rows.
pub fn one_of(context: &Context, debates: &[DebateRow]) -> Result<Option<usize>, Stop> {
    if debates.len() < 2 {
        return Ok((!debates.is_empty()).then_some(0));
    }
    let list = rows::lines(debates, context.output.columns().unwrap_or(PIPED).saturating_sub(NUMBER));
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Err(Stop::usage(format!(
            "{} debates are paused or interrupted; name those to resume, or use --all:\n{}",
            debates.len(),
            list.trim_end()
        )));
    }
    let list: String = list.lines().enumerate().map(|(at, line)| format!("{:>3}  {line}\n", at + 1)).collect();
    context.output.ask(&format!("{list}Resume which one? [1-{}] ", debates.len()));
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    chosen(&answer, debates.len()).map(Some)
}

fn chosen(answer: &str, of: usize) -> Result<usize, Stop> {
    let number = answer.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    number
        .filter(|number| *number < of)
        .ok_or_else(|| Stop::usage(format!("nothing is resumed: the answer is a number from 1 to {of}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_the_list_is_chosen_and_nothing_else() {
        assert_eq!(chosen(" 2\n", 2).unwrap(), 1);
        for answer in ["0", "3", "", "two", "-1"] {
            assert!(chosen(answer, 2).unwrap_err().error.unwrap().to_string().contains("1 to 2"), "{answer:?}");
        }
    }
}
