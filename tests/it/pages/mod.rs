//! The HTML report in a real browser: at the width of a telephone and of a desk, with nothing run and nothing fetched.
use crate::browser::{Browser, OURS};
use crate::formats::{FORMATS, each};
use crate::support::{World, example};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Widths of windows, in pixels.
const WIDTHS: [u32; 2] = [390, 1280];
/// What is looked at in a page: a function that gives a list of problems.
pub const LAYOUT: &str = include_str!("layout.js");
/// The same of a report, which stands alone.
const REPORT: &str = "(/^(#|https?:|data:image\\/)/, 2)";
/// Lets what was set off come to its end: two frames, and a turn of the queue.
pub const SETTLED: &str =
    "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))))";

/// Every format, and a debate with one who attacks whoever shows its words.
const HOSTILE: &str = "[[rules]]\nwhen = { speaker = \"mallory\" }\nfault = \"hostile\"\n";

/// The page of a debate file's rehearsal.
fn report(world: &World, file: &str, options: &[&str]) -> PathBuf {
    let args = ["run", file, "--rehearsal", "--seed", "7", "--id", "on-a-page"];
    let said = world.agon(&[&args[..], options].concat());
    assert!(matches!(said.code, Some(0 | 2)), "{said:?}");
    world.path("agon-reports/on-a-page/report.html")
}

/// All that is wrong with a page at one width.
fn problems(browser: &mut Browser, file: &Path, width: u32) -> Vec<String> {
    let mut page = browser.open(file, width);
    let mut problems: Vec<String> =
        serde_json::from_value(page.evaluate(&format!("{}{REPORT}", LAYOUT.trim_end()))).unwrap();
    page.evaluate(SETTLED);
    let html = serde_json::to_string(&std::fs::read_to_string(file).unwrap()).unwrap();
    let written = format!("new DOMParser().parseFromString({html}, 'text/html').title === document.title");
    if page.evaluate(&written) != true {
        problems.push("the title is not what was written".to_owned());
    }
    let mut found = |event: &str, what: &str, is: &dyn Fn(&Value) -> bool| {
        let wrong = page.told(event).filter(|told| is(told)).map(|told| format!("{what}: {told}"));
        problems.extend(wrong.map(|problem| problem.chars().take(400).collect::<String>()));
    };
    let bad = |level: &Value| level == "error" || level == "warning" || level == "assert";
    found("Runtime.consoleAPICalled", "console", &|told| bad(&told["type"]));
    found("Log.entryAdded", "console", &|told| bad(&told["entry"]["level"]));
    found("Runtime.exceptionThrown", "exception", &|_| true);
    found("Network.loadingFailed", "not loaded", &|_| true);
    found("Network.requestWillBeSent", "request", &|told| {
        let url = told["request"]["url"].as_str().unwrap();
        !url.starts_with("data:") && url != format!("file://{}", file.display())
    });
    found("Debugger.scriptParsed", "script", &|told| !told["url"].as_str().unwrap().ends_with(OURS));
    found("Page.javascriptDialogOpening", "dialog", &|_| true);
    problems
}

fn at_each_width(browser: &mut Browser, file: &Path, name: &str) {
    for width in WIDTHS {
        let problems = problems(browser, file, width);
        assert!(problems.is_empty(), "{name} at {width} px:\n{}", problems.join("\n"));
    }
}

/// The sections of every report.
const PARTS: [&str; 7] =
    ["Ballots", "Round by round", "Speakers", "Argument tree", "Analysis", "Tokens and times", "Configuration"];
/// The drawings of a kind, each as how many shapes are to be seen in it.
const DRAWN: &str = "kind => [...document.querySelectorAll(`svg.${kind}`)].map(svg => [...svg.querySelectorAll(\
                     'path, rect, circle, polygon, line')].filter(shape => { const at = shape.getBoundingClientRect(); \
                     return at.width + at.height > 1 }).length)";

/// Every section is there under its heading, and the charts and the tree are drawn.
fn has_its_parts(browser: &mut Browser, file: &Path, name: &str) {
    let mut page = browser.open(file, 1280);
    let headings = page.evaluate("[...document.querySelectorAll('h2')].map(heading => heading.textContent.trim())");
    // Who speaks once and has an assigned stance gives no measure of a round to draw.
    let measured = name != "bp_style";
    for part in PARTS.into_iter().filter(|part| measured || *part != "Round by round") {
        assert!(headings.as_array().unwrap().contains(&part.into()), "{name} has no section {part}: {headings}");
    }
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })");
    let charts = if measured { 2 } else { 0 };
    for (kind, least) in [("chart", charts), ("tree", 1), ("timeline", 1)] {
        let drawn = page.evaluate(&format!("({DRAWN})('{kind}')"));
        let drawn: Vec<u64> = serde_json::from_value(drawn).unwrap();
        assert!(drawn.len() >= least && drawn.iter().all(|shapes| *shapes > 1), "{name}, {kind}: {drawn:?}");
    }
}

#[test]
fn the_page_of_every_format_fits_a_telephone_and_a_desk_and_runs_nothing() {
    each(&FORMATS, |format| {
        let world = World::new();
        let file = report(&world, &example(&format!("formats/{format}.md")), &[]);
        let mut browser = Browser::start();
        at_each_width(&mut browser, &file, format);
        has_its_parts(&mut browser, &file, format);
    });
}

#[test]
fn the_page_opens_with_its_topic_and_says_that_it_is_a_rehearsal() {
    let world = World::new();
    let file = report(&world, &example(crate::support::SHORT), &[]);
    let mut browser = Browser::start();
    let mut page = browser.open(&file, 1280);
    let text = page.evaluate("document.body.innerText").as_str().unwrap().to_owned();
    assert!(text.contains("Natrion"), "the topic is missing");
    assert!(text.contains("Rehearsal: scripted speakers"), "the banner is missing");
    assert!(page.evaluate("document.title").as_str().unwrap().contains("Natrion"), "the title is missing");
}

/// Every format that shows words in a way of its own, and every kind of answer.
const ATTACKED: [&str; 3] = [
    "moderator: {type: active}\nconsensus_strategy: vote\nvoting: {rule: plurality, self_votes: allow}\n",
    "debate_format: critique_revision\nmoderator: {type: judge}\n",
    "debate_format: open_fight\ninterruptions: mid_speech\nsynthesizer: {output_schema: {type: object, properties: {answer: {type: string}}, required: [answer]}}\n",
];

#[test]
fn no_word_of_a_hostile_debater_runs_or_breaks_the_page() {
    each(&ATTACKED, |more| {
        let world = World::new();
        let text = format!(
            "---\nmodel: m\n{more}outputs: [html, visual_tree]\npersonas:\n  - {{name: ada, stance: \"Move the depot.\"}}\n  \
             - {{name: mallory, stance: \"Keep <b onmouseover='document.title=1'>the</b> depot.\"}}\n  \
             - {{name: \"cleo <img src=x onerror=alert(1)>\", stance: \"Close the depot.\"}}\n  \
             - {{name: \"Donaudampfschifffahrtsgesellschaftskapitänswitwe\", stance: \"Ask the river.\"}}\n---\n\
             # Where should the depot stand? <script>document.title = 'taken over'</script>\n"
        );
        let (file, script) = (world.file("attacked.md", &text), world.file("hostile.toml", HOSTILE));
        let page = report(&world, &file, &["--rehearsal-script", &script]);
        let html = std::fs::read_to_string(&page).unwrap();
        assert!(html.contains("taken over"), "the attack is not on the page, so nothing was tested");
        at_each_width(&mut Browser::start(), &page, more);
    });
}

/// A copy of a good page, changed so that one thing is wrong with it.
fn spoilt(world: &World, good: &str, name: &str, change: impl Fn(&str) -> String) -> PathBuf {
    let changed = change(good);
    assert_ne!(changed, good, "{name} changed nothing");
    PathBuf::from(world.file(name, &changed))
}

/// Without the page's own policy, which would keep everything from running.
fn unguarded(html: &str) -> String {
    html.replacen("http-equiv=\"Content-Security-Policy\"", "name=\"nothing\"", 1)
}

#[test]
fn the_same_look_finds_every_fault_that_it_looks_for() {
    let world = World::new();
    let good = std::fs::read_to_string(report(&world, &example(crate::support::SHORT), &[])).unwrap();
    let end = |more: &'static str| move |html: &str| html.replace("</body>", &format!("{more}</body>"));
    let open = |more: &'static str| move |html: &str| end(more)(&unguarded(html));
    let faults: [(&str, PathBuf); 9] = [
        ("script", spoilt(&world, &good, "script.html", open("<script>document.title = 'taken over'</script>"))),
        ("title", spoilt(&world, &good, "image.html", open("<img src=x onerror=\"document.title = 'taken over'\">"))),
        ("dialog", spoilt(&world, &good, "link.html", open("<a href=\"javascript:alert('taken over')\">x</a>"))),
        ("console", spoilt(&world, &good, "policy.html", end("<script>document.title = 1</script>"))),
        ("not loaded", spoilt(&world, &good, "pixel.html", open("<img src=\"missing.png\">"))),
        ("in a window of", spoilt(&world, &good, "wide.html", end("<p><svg width=2000 height=10></svg></p>"))),
        ("leaves the window", spoilt(&world, &good, "long.html", end(LONG))),
        (
            "lie on one another",
            spoilt(
                &world,
                &good,
                "doubled.html",
                end("<svg width=99 height=30><text y=20>one</text><text y=22>two</text></svg>"),
            ),
        ),
        (
            "is cut off",
            spoilt(&world, &good, "cut.html", end("<svg width=30 height=30><text y=20>a long label</text></svg>")),
        ),
    ];
    let mut browser = Browser::start();
    for (wanted, file) in faults {
        let found = problems(&mut browser, &file, 390);
        assert!(found.iter().any(|problem| problem.contains(wanted)), "{wanted} is not found: {found:?}");
    }
}

const LONG: &str = "<nobr>WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW</nobr>";
