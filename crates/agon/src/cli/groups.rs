//! The list of commands, in groups.
use super::Cli;
use clap::{Command, CommandFactory, FromArgMatches};
use std::fmt::Write;

/// Which commands belong together, in the order of the list.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Debates", &["run", "ui", "new", "check", "pause", "resume", "cancel"]),
    ("Results", &["list", "get", "open", "report", "ratings", "delete"]),
    ("Does it help?", &["eval"]),
    ("Checks on results", &["rejudge", "replay", "verify"]),
    ("Servers and clusters", &["serve", "submit", "watch", "hosts", "provision", "nats", "token", "health"]),
    ("This machine", &["doctor", "config", "rehearsal", "schema", "completions", "help"]),
];
/// What is in no group.
const OTHERS: &str = "Others";

/// The command line with its list of commands in groups.
pub(super) fn command() -> Command {
    let mut command = Cli::command();
    command.build();
    let list = list(&command);
    Cli::command().help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}Options:\n{{options}}{{after-help}}\n\n\
         agon help COMMAND and agon COMMAND --help describe a command."
    ))
}

/// Reads the command line of the process.
pub fn parse() -> Result<Cli, clap::Error> {
    Cli::from_arg_matches(&command().try_get_matches()?)
}

fn list(command: &Command) -> String {
    let visible: Vec<&Command> = command.get_subcommands().filter(|command| !command.is_hide_set()).collect();
    let width = visible.iter().map(|command| command.get_name().len()).max().unwrap_or_default();
    let line = |command: &&&Command| {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let name = command.get_name();
        format!("  {name:width$}  {about}\n")
    };
    let grouped = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let mut text = String::new();
    let mut group = |title: &str, commands: Vec<&&Command>| {
        if !commands.is_empty() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{title}:\n{}", commands.iter().map(line).collect::<String>());
        }
    };
    for (title, names) in GROUPS {
        let find = |name: &&str| visible.iter().find(|command| command.get_name() == *name);
        group(title, names.iter().filter_map(find).collect());
    }
    group(OTHERS, visible.iter().filter(|command| !grouped(command.get_name())).collect());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut command = Cli::command();
        command.build();
        for name in command.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name) {
            let groups = GROUPS.iter().filter(|(_, names)| names.contains(&name)).count();
            assert_eq!(groups, 1, "{name}");
        }
        assert!(!list(&command).contains(OTHERS));
    }

    #[test]
    fn every_command_that_prints_anything_but_a_document_can_print_json() {
        // What these print is a document or a script of its own, or pages; a server's log has --json-logs.
        const DOCUMENTS: [&str; 11] = [
            "new",
            "export",
            "report",
            "schema",
            "completions",
            "serve",
            "ui",
            "agon nats config",
            "agon eval gate",
            "open",
            "reference",
        ];
        fn walk(command: &Command, path: &str) {
            let children: Vec<&Command> =
                command.get_subcommands().filter(|child| child.get_name() != "help").collect();
            let (name, json) = (command.get_name(), command.get_arguments().any(|arg| arg.get_id() == "json"));
            let document = DOCUMENTS.contains(&name) || DOCUMENTS.contains(&path);
            assert!(json || document || !children.is_empty(), "{path} has no --json");
            children.iter().for_each(|child| walk(child, &format!("{path} {}", child.get_name())));
        }
        let mut command = Cli::command();
        command.build();
        walk(&command, "agon");
    }
}
