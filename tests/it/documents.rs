//! Every command in every document was run: those that can run here are run again by these tests, as they are written.
//!
//! How to write commands so that they can be checked is told in CONTRIBUTING.md.
mod alerts;
mod kind;
mod page;
mod sandbox;

use agon_core::Named as _;
use kind::{CommandKind, ELSEWHERE, NotRunReason};
use page::{Typed, commands, documents, hidden, text};

/// What a page takes for granted that its readers have running.
const GIVEN: &[(&str, &[&str])] = &[
    // it is the gateway that kubectl forwards to
    ("docs/guide/kubernetes.md", &["agon serve --rehearsal"]),
    ("docs/reference/api.md", &["agon serve --rehearsal"]),
];

/// One test for each page with commands that run here.
macro_rules! pages {
    ($($test:ident: $page:literal,)*) => {
        const PAGES: &[&str] = &[$($page),*];
        $(
            #[test]
            fn $test() {
                works($page);
            }
        )*
    };
}

pages! {
    the_commands_of_the_readme_work: "README.md",
    the_commands_of_the_cluster_guide_work: "docs/guide/cluster.md",
    the_commands_of_the_guide_to_pages_work: "docs/guide/console.md",
    the_commands_of_getting_started_work: "docs/guide/getting-started.md",
    the_commands_of_the_way_from_laptop_to_cluster_work: "docs/guide/laptop-to-cluster.md",
    the_commands_of_the_operations_guide_work: "docs/guide/operations.md",
    the_commands_of_the_compose_guide_work: "docs/guide/compose.md",
    the_commands_of_the_kubernetes_guide_work: "docs/guide/kubernetes.md",
    the_commands_of_the_guide_to_ratings_work: "docs/guide/ratings.md",
    the_commands_of_the_security_guide_work: "docs/guide/security.md",
    the_commands_of_the_guide_to_evals_work: "docs/guide/evaluation.md",
    the_commands_of_the_guide_to_gates_work: "docs/guide/gate.md",
    the_commands_of_the_api_reference_work: "docs/reference/api.md",
    the_commands_of_bp_style_work: "docs/guide/formats/bp_style.md",
    the_commands_of_chain_of_thought_work: "docs/guide/formats/chain_of_thought.md",
    the_commands_of_critique_revision_work: "docs/guide/formats/critique_revision.md",
    the_commands_of_fishbowl_work: "docs/guide/formats/fishbowl.md",
    the_commands_of_open_fight_work: "docs/guide/formats/open_fight.md",
    the_commands_of_poll_work: "docs/guide/formats/poll.md",
    the_commands_of_round_robin_work: "docs/guide/formats/round_robin.md",
    the_commands_of_socratic_work: "docs/guide/formats/socratic.md",
}

fn works(page: &str) {
    let given = GIVEN.iter().find(|(of, _)| *of == page).map_or(&[][..], |(_, given)| given);
    if let Err(told) = sandbox::run(page, given, &commands(&text(page))) {
        panic!("{told}");
    }
}

/// What becomes of each command of each document.
fn all() -> Vec<(String, Typed, Result<CommandKind, String>)> {
    let of = |page: String| {
        let commands = commands(&text(&page));
        commands.into_iter().map(move |command| (page.clone(), command.clone(), kind::kind(&command)))
    };
    documents().into_iter().flat_map(of).collect()
}

#[test]
fn every_command_of_the_documents_is_known_to_run_here_or_says_why_not() {
    let unknown =
        all().into_iter().filter_map(|(page, command, kind)| Some(format!("{page}:{}: {}", command.line, kind.err()?)));
    let unknown: Vec<String> = unknown.collect();
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

#[test]
fn every_page_with_commands_that_run_here_is_run() {
    let runs = |kind: &Result<CommandKind, String>| !matches!(kind, Ok(CommandKind::Elsewhere(_)));
    let mut pages: Vec<String> = all().into_iter().filter(|(_, _, kind)| runs(kind)).map(|(page, _, _)| page).collect();
    pages.dedup();
    let mut run: Vec<&str> = PAGES.to_vec();
    run.sort_unstable();
    assert_eq!(pages, run, "the list of pages above names other pages than those with commands that run here");
}

#[test]
fn no_exception_outlives_the_commands_that_it_was_made_for() {
    let used: Vec<&NotRunReason> = all()
        .into_iter()
        .filter_map(|(_, _, kind)| match kind {
            Ok(CommandKind::Elsewhere(reason)) => Some(reason),
            Ok(CommandKind::Runs(_) | CommandKind::Serves(_)) | Err(_) => None,
        })
        .collect();
    let idle: Vec<&NotRunReason> = ELSEWHERE.iter().filter(|reason| !used.contains(reason)).collect();
    assert!(idle.is_empty(), "{idle:?}");
    let pages: Vec<&str> = GIVEN.iter().map(|(page, _)| *page).filter(|page| !PAGES.contains(page)).collect();
    assert!(pages.is_empty(), "{pages:?} are given servers and not run");
}

#[test]
fn what_is_typed_stands_in_blocks_that_say_so() {
    let places = |page: String| hidden(&text(&page)).into_iter().map(move |line| format!("{page}:{line}"));
    let hidden: Vec<String> = documents().into_iter().flat_map(places).collect();
    assert!(hidden.is_empty(), "blocks with commands have the language `sh`: {hidden:?}");
}

/// What running a planted page tells.
fn planted(commands_of_page: &str) -> Result<(), String> {
    sandbox::run("planted.md", &[], &commands(&format!("# Planted\n\n```sh\n{commands_of_page}\n```\n")))
}

#[test]
fn a_page_with_a_wrong_command_is_found_out() {
    planted("agon --version\necho fine > made-here && test -f made-here").unwrap();
    let wrong = [
        ("agon --version\nagon check examples/gone.md", "line 5 ended with 64"),
        ("agon run examples/city-diesel-ban.md --rehearsals", "line 4 ended with 64"),
        ("agon --version   # exits 3", "line 4 ended with 0, not with 3"),
        ("agon serve --roles host --nats nats://127.0.0.1:4222", "line 4 ended where it should serve"),
        ("nats-server -js -c gone.conf", "line 4 ended where it should serve"),
        ("cat gone.txt | sort", "line 4 ended with 1"),
        ("echo \"$NEVER_SET\"", "NEVER_SET"),
        ("agon serve --rehearsal\ncurl -s http://127.0.0.1:8080/v1/nothing", "line 5 ended with 22"),
        ("frobnicate --now", "neither known to run here nor listed"),
    ];
    for (command, told) in wrong {
        let error = planted(command).expect_err(command);
        assert!(error.contains(told), "{command}: {error}");
    }
}

#[test]
fn a_promised_code_is_the_code() {
    planted("agon check examples/gone.md   # exits 64\ncat gone.txt   # exits 1").unwrap();
}

#[test]
fn commands_are_taken_whole() {
    let text = "```sh\n# a comment\ncurl -s \\\n  http://x | jq .\nfor n in 1 2; do\n  echo $n\ndone\ncat > f <<'END'\n# kept\nEND\necho 'a\nb'\n\nagon list  # exits 3\n```\n```text\nagon fly\n```\n";
    let found = commands(text);
    let lines: Vec<usize> = found.iter().map(|command| command.line).collect();
    assert_eq!(lines, [3, 5, 8, 11, 14], "{found:?}");
    assert_eq!(found.last().and_then(|command| command.exits), Some(3));
    assert_eq!(hidden("```\nagon fly\n```\n```bash\nls\n```\n```\na picture\n```\n"), [2, 5]);
}

#[test]
fn the_picture_of_a_debate_names_every_phase_and_every_step() {
    let text = text("ARCHITECTURE.md");
    let picture = text.split_once("## Phases of a debate").and_then(|(_, rest)| rest.split("```").nth(1)).unwrap();
    let words: Vec<&str> = picture.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    for phase in agon_core::PhaseName::ALL {
        let name = phase.name().to_uppercase();
        assert!(words.contains(&name.as_str()), "the picture lacks {name}");
    }
    for step in agon_core::Step::ALL {
        assert!(words.contains(&step.name()), "the picture lacks {}", step.name());
    }
}
