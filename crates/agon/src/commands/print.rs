//! Commands that print what the program knows about itself: `schema`, `completions` and the command line reference.
use super::Context;
use crate::cli::{Cli, SchemaOf};
use crate::exit::{Exit, Stop};
use clap::{Arg, Command, CommandFactory};
use std::fmt::Write;

/// `agon schema`
pub fn schema(context: &Context, of: SchemaOf) -> Result<Exit, Stop> {
    let schema = match of {
        SchemaOf::Debate => agon_spec::schema(),
        SchemaOf::Eval => agon_spec::eval_schema(),
    };
    context.output.json(&schema)?;
    Ok(Exit::Done)
}

/// `agon completions SHELL`
pub fn completions(context: &Context, shell: clap_complete::Shell) -> Result<Exit, Stop> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "agon", &mut script);
    context.output.data(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

/// `agon reference`: the text of `docs/reference/cli.md`.
pub fn reference(context: &Context) -> Result<Exit, Stop> {
    context.output.data(&reference_text())?;
    Ok(Exit::Done)
}

const HEAD: &str = "\
# Command line

`agon reference > docs/reference/cli.md` generates this page from the program; a test compares the two.

Results go to stdout; progress and messages go to stderr. Name a debate by its id, by an unambiguous beginning or end of its id
(lists print the last 8 characters of a long id), or by `last`. `agon help COMMAND` prints the help of a command. `--json`
prints one JSON document instead of text; commands that already print a document do not have it.

## Exit codes

| code | meaning |
| --- | --- |
| 0 | done; the debate was decided (also with missing seats, which the result names), or ended without a decision because its file wants none (`agent_closing`, `no_consensus`) |
| 1 | `agon doctor` found something to fix |
| 2 | the debate ended in a tie, or inconclusive although a decision was asked for |
| 3 | the debate failed; or `agon verify` or `agon replay` found a damaged log |
| 4 | the debate was cancelled |
| 64 | wrong usage, a bad debate file, bad settings, an unknown debate, or missing permissions on a server |
| 69 | no model server is reachable, or it does not have the model, or it was unreachable for so long that the debate is paused; no Agon server or NATS is reachable, or it is full or not ready; a port is taken |
| 70 | Agon itself failed: its store, its files, or a defect |
| 130 | stopped by Ctrl-C or SIGTERM; the debate is paused, and `agon resume` continues it; a debate on a server continues by itself, or is interrupted |
| 141 | the reader closed the output; the debate is kept, as with 130 |

";

fn reference_text() -> String {
    let mut root = Cli::command();
    root.build();
    let mut text = HEAD.to_owned();
    let globals: Vec<&Arg> = root.get_arguments().filter(|arg| arg.is_global_set()).collect();
    text.push_str("## Options of every command\n\n");
    text.push_str(&table(&globals));
    for command in root.get_subcommands().filter(is_described) {
        section(&mut text, command, "agon");
    }
    format!("{}\n", text.trim_end())
}

/// Whether a command has a section: all but those that nobody types, and `help`, which repeats all others.
fn is_described(command: &&Command) -> bool {
    !command.is_hide_set() && command.get_name() != "help"
}

fn section(text: &mut String, command: &Command, parent: &str) {
    let name = format!("{parent} {}", command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let children: Vec<&Command> = command.get_subcommands().filter(is_described).collect();
    if children.is_empty() {
        let own: Vec<&Arg> = command
            .get_arguments()
            .filter(|arg| {
                (!arg.is_global_set() || arg.get_help_heading().is_none())
                    && !matches!(arg.get_id().as_str(), "help" | "version")
            })
            .collect();
        let places: String =
            own.iter().filter(|arg| arg.is_positional()).map(|arg| format!(" {}", place(arg))).collect();
        let options = if own.iter().any(|arg| !arg.is_positional()) { " [OPTIONS]" } else { "" };
        let _ = write!(text, "## {name}\n\n{about}.\n\n```text\n{name}{options}{places}\n```\n\n");
        text.push_str(&table(&own));
        if let Some(after) = command.get_after_help() {
            let _ = write!(text, "```text\n{}\n```\n\n", after.to_string().trim_end());
        }
    }
    children.into_iter().for_each(|child| section(text, child, &name));
}

fn table(arguments: &[&Arg]) -> String {
    if arguments.is_empty() {
        return String::new();
    }
    let mut text = String::from("| option | meaning |\n| --- | --- |\n");
    for arg in arguments {
        let name = if arg.is_positional() { place(arg) } else { option(arg) };
        let _ = writeln!(text, "| `{}` | {} |", name.replace('|', "\\|"), meaning(arg).replace('|', "\\|"));
    }
    text.push('\n');
    text
}

fn value(arg: &Arg) -> String {
    let names = arg.get_value_names().map(|names| names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
    names.unwrap_or_else(|| arg.get_id().to_string().to_uppercase())
}

fn place(arg: &Arg) -> String {
    let many = arg.get_num_args().is_some_and(|count| count.max_values() > 1);
    let name = format!("{}{}", value(arg), if many { "..." } else { "" });
    if arg.is_required_set() { name } else { format!("[{name}]") }
}

fn option(arg: &Arg) -> String {
    let long = arg.get_long().map(|long| format!("--{long}"));
    let short = arg.get_short().map(|short| format!("-{short}"));
    let names: Vec<String> = [short, long].into_iter().flatten().collect();
    let takes = if arg.get_action().takes_values() { format!(" {}", value(arg)) } else { String::new() };
    format!("{}{takes}", names.join(", "))
}

fn meaning(arg: &Arg) -> String {
    let mut text = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let choices: Vec<String> = match arg.get_action().takes_values() {
        true => arg.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect(),
        false => Vec::new(),
    };
    if !choices.is_empty() {
        let _ = write!(text, ": {}", choices.join(", "));
    }
    let defaults: Vec<String> =
        arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
    if !defaults.is_empty() && arg.get_action().takes_values() {
        let _ = write!(text, " (default `{}`)", defaults.join(" "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_in_the_docs_is_that_of_the_program() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/cli.md");
        let kept = std::fs::read_to_string(path).unwrap();
        assert!(kept == reference_text(), "write it again: cargo run -p agon -- reference > docs/reference/cli.md");
    }

    #[test]
    fn every_visible_command_and_its_options_stand_in_the_reference() {
        let text = reference_text();
        for wanted in [
            "## agon run",
            "## agon open",
            "## agon config show",
            "`--rehearsal`",
            "`-o, --output FILE`",
            "FILE...",
            "`bash`",
        ] {
            assert!(text.contains(wanted), "{wanted}");
        }
        assert!(!text.contains("## agon reference"));
    }
}
