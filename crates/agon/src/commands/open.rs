//! `agon open`: a debate's HTML report in the browser.
use super::Context;
use super::stored::document;
use crate::cli::{Format, OpenArgs};
use crate::client::{self, DebateSource};
use crate::environment::Environment;
use crate::exit::{Exit, Stop};
use crate::reports;
use crate::store::Store;
use anyhow::Context as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// What opens files where `BROWSER` names nothing.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// `agon open [ID]`
pub fn run(context: &Context, args: &OpenArgs) -> Result<Exit, Stop> {
    let name = find(context, args)?;
    let dir = args.output_dir.clone().map_or_else(|| context.settings().map(|settings| settings.output.dir), Ok)?;
    let folder = std::path::absolute(dir.join(&name)).context("the folder of the report has no path")?;
    let page = folder.join("report.html");
    // What stands there may be older than the log, or the report of a debate of the same name in another store.
    let text = document(context, &args.place, &name, Format::Html)?;
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    reports::replace(&page, &text)?;
    context.output.note(&format!("opening {}", page.display()));
    if !opened(&context.environment, &page) {
        context.output.line(&page.display().to_string())?;
    }
    Ok(Exit::Done)
}

/// The name of the debate.
fn find(context: &Context, args: &OpenArgs) -> Result<String, Stop> {
    match client::place(context, &args.place)? {
        DebateSource::Local => {
            let store = Store::open(context)?;
            store.block_on(async { Ok(store.find(&args.id).await?.name().to_owned()) })
        }
        DebateSource::Server(server) => client::ask(context, &server, async |client| client.find(&args.id).await),
    }
}

/// Whether a program took the file.
fn opened(environment: &Environment, page: &Path) -> bool {
    opener(environment, page).status().is_ok_and(|status| status.success())
}

/// What opens a file or an address in the user's browser.
pub fn opener(environment: &Environment, page: &Path) -> Command {
    environment.get("BROWSER").and_then(|list| browser(list, page)).unwrap_or_else(|| {
        let mut command = Command::new(OPENER);
        command.arg(page).stdout(Stdio::null()).stderr(Stdio::null());
        command
    })
}

/// The first of the commands in `BROWSER`; `%s` stands for the page, which else comes last.
fn browser(list: &str, page: &Path) -> Option<Command> {
    let mut words = list.split(':').find(|command| !command.trim().is_empty())?.split_whitespace();
    let mut command = Command::new(words.next()?);
    let mut named = false;
    for word in words {
        named |= word.contains("%s");
        command.arg(word.replace("%s", &page.to_string_lossy()));
    }
    if !named {
        command.arg(page);
    }
    Some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(list: &str) -> Vec<String> {
        let command = browser(list, Path::new("/r.html")).unwrap();
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        words.map(|word| word.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn the_first_browser_is_given_the_file_where_it_wants_it() {
        assert_eq!(words("w3m"), ["w3m", "/r.html"]);
        assert_eq!(words("firefox --new-tab %s:w3m"), ["firefox", "--new-tab", "/r.html"]);
        assert!(browser(" : ", Path::new("/r.html")).is_none());
    }
}
