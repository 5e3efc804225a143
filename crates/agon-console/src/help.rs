//! Help: the options of a debate file, and the guide, as pages.
mod markdown;

use crate::refusal::RefusedPage;
use crate::shell::{NavPlace, Shell, page};
use crate::visitor::PageVisitor;
use agon_server::Problem;
use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use markdown::{RenderedText, render};
use std::borrow::Cow;
use std::sync::LazyLock;

/// The page of all options.
const OPTIONS: &str = "options";

/// A page of the help.
struct HelpText {
    /// What its address calls it.
    name: &'static str,
    /// Where the repository has it, which is how other pages link to it.
    place: &'static str,
    title: &'static str,
    about: &'static str,
    text: fn() -> Cow<'static, str>,
}

macro_rules! texts {
    ($($name:literal $place:literal $file:literal $title:literal $about:literal,)*) => {
        [$(HelpText {
            name: $name,
            place: $place,
            title: $title,
            about: $about,
            text: || Cow::Borrowed(include_str!(concat!("../pages/", $file))),
        },)*]
    };
}

/// The options come from the table that the parser reads.
static REFERENCE: HelpText = HelpText {
    name: OPTIONS,
    place: "reference/debate-file.md",
    title: "All options of a debate file",
    about: "every key with its values, its default and its meaning",
    text: || Cow::Owned(agon_spec::reference_markdown()),
};

static GUIDE: [HelpText; 16] = texts! {
    "console" "guide/console.md" "console.md" "Pages in the browser" "what each page shows, `agon ui`, and who may see what",
    "debate-files" "guide/debate-files.md" "debate-files.md" "Debate files" "how to write one, from the topic to the budget",
    "deciding" "guide/deciding.md" "deciding.md" "Deciding" "judges, votes and what an outcome means",
    "formats" "guide/formats/README.md" "formats/README.md" "Formats" "what happens in a round",
    "round_robin" "guide/formats/round_robin.md" "formats/round_robin.md" "Round robin" "every debater once a round",
    "socratic" "guide/formats/socratic.md" "formats/socratic.md" "Socratic" "one asks, the others answer",
    "bp_style" "guide/formats/bp_style.md" "formats/bp_style.md" "British Parliamentary" "four teams, eight speeches",
    "fishbowl" "guide/formats/fishbowl.md" "formats/fishbowl.md" "Fishbowl" "an inner circle speaks",
    "chain_of_thought" "guide/formats/chain_of_thought.md" "formats/chain_of_thought.md" "Chain of thought" "numbered steps",
    "open_fight" "guide/formats/open_fight.md" "formats/open_fight.md" "Open fight" "all bid for the floor",
    "critique_revision" "guide/formats/critique_revision.md" "formats/critique_revision.md" "Critique and revision" "proposals that improve",
    "poll" "guide/formats/poll.md" "formats/poll.md" "Poll" "independent answers",
    "result" "reference/result.md" "result.md" "Results and reports" "what a report shows, and every member of its JSON",
    "analysis" "guide/analysis.md" "analysis.md" "The analysis of a debate" "how influence, attacks and strengths are computed",
    "reading-an-eval" "guide/reading-an-eval.md" "reading-an-eval.md" "Reading the report of an eval" "each part of it, and what a verdict means",
    "words" "glossary.md" "glossary.md" "Words" "each word of the product in one line",
};

fn all() -> impl Iterator<Item = &'static HelpText> {
    std::iter::once(&REFERENCE).chain(&GUIDE)
}

/// The address of a document of the repository, where it is a page here.
fn address(place: &str) -> Option<String> {
    all().find(|text| text.place == place).map(|text| format!("/help/{}", text.name))
}

/// Every page, drawn once.
static DRAWN: LazyLock<Vec<(&'static HelpText, RenderedText)>> =
    LazyLock::new(|| all().map(|text| (text, render(&(text.text)(), text.place, address))).collect());

/// Where an option is explained: `personas[1].stance` is a row of the page of all options.
pub(crate) fn option(field: &str) -> Option<String> {
    let plain: String = field.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest)).collect();
    let page = DRAWN.iter().find(|(text, _)| text.name == OPTIONS).map(|(_, drawn)| drawn)?;
    // what is not explained itself is explained by the block that it stands in
    let mut path = plain.as_str();
    loop {
        if let Some(place) = page.option(path) {
            return Some(format!("/help/{OPTIONS}#{place}"));
        }
        path = path.rsplit_once('.')?.0;
    }
}

#[derive(Template)]
#[template(path = "help/index.html")]
struct HelpIndex {
    shell: Shell,
}

#[derive(Template)]
#[template(path = "help/page.html")]
struct HelpPage {
    shell: Shell,
    text: &'static HelpText,
    drawn: &'static RenderedText,
}

/// `GET /help`
pub(crate) async fn index(visitor: PageVisitor) -> Response {
    let shell = Shell::of(&visitor, NavPlace::Help);
    page(&visitor, &shell, &HelpIndex { shell: shell.clone() })
}

/// `GET /help/{page}`
pub(crate) async fn show(visitor: PageVisitor, Path(name): Path<String>) -> Result<Response, RefusedPage> {
    let known = DRAWN.iter().find(|(text, _)| text.name == name);
    let (text, drawn) = known.ok_or_else(|| RefusedPage::of(Problem::NoRoute, &visitor.browser))?;
    let shell = Shell::of(&visitor, NavPlace::Help);
    Ok(page(&visitor, &shell, &HelpPage { shell: shell.clone(), text, drawn }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeSet;

    fn drawn(name: &str) -> &'static RenderedText {
        &DRAWN.iter().find(|(text, _)| text.name == name).unwrap().1
    }

    /// The paths of all keys that the schema of debate files has.
    fn keys(schema: &Value, path: &str, found: &mut BTreeSet<String>) {
        for part in ["anyOf", "oneOf", "allOf"] {
            schema[part].as_array().into_iter().flatten().for_each(|one| keys(one, path, found));
        }
        if schema["items"].is_object() {
            keys(&schema["items"], path, found);
        }
        for (name, below) in schema["properties"].as_object().into_iter().flatten() {
            let key = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            keys(below, &key, found);
            found.insert(key);
        }
    }

    #[test]
    fn every_option_of_the_schema_has_its_place() {
        let mut found = BTreeSet::new();
        keys(&agon_spec::schema(), "", &mut found);
        assert!(found.len() > 100 && found.contains("personas.stance") && found.contains("voting.rule"), "{found:?}");
        let page = drawn(OPTIONS);
        let is_there = |key: &&String| page.option(key).is_some_and(|at| page.html.contains(&format!("id=\"{at}\"")));
        let missing: Vec<&String> = found.iter().filter(|key| !is_there(key)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn a_field_leads_to_its_option_or_to_the_block_around_it() {
        assert_eq!(option("personas[1].stance").as_deref(), Some("/help/options#personas.stance"));
        assert_eq!(option("mediator.opens").as_deref(), Some("/help/options#moderator.opens"));
        assert_eq!(option("judge.nonsense").as_deref(), Some("/help/options#judge"));
        assert_eq!((option("nonsense"), option("")), (None, None));
    }

    #[test]
    fn no_link_leads_nowhere_and_nothing_is_styled_inline() {
        for (text, drawn) in DRAWN.iter() {
            assert!(!drawn.html.contains(" style=") && !drawn.html.contains("<script"), "{}", text.name);
            for link in drawn.html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                let (address, anchor) = link.split_once('#').unwrap_or((link, ""));
                let name = address.strip_prefix("/help/").unwrap_or(text.name);
                let target = DRAWN.iter().find(|(text, _)| text.name == name);
                let (_, target) = target.unwrap_or_else(|| panic!("{}: {link}", text.name));
                assert!(
                    anchor.is_empty() || target.html.contains(&format!("id=\"{anchor}\"")),
                    "{}: {link}",
                    text.name
                );
            }
        }
    }
}
