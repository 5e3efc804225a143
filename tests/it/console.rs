//! The console in a real browser: every page by mouse and keyboard, at three widths, light and dark; what it may not do; and who may
//! see what.
mod begin;
mod door;
mod hidden;
mod live;

use crate::browser::{Browser, BrowserPage, OURS, Shade};
use crate::pages::{LAYOUT, SETTLED};
use crate::support::{SHORT, TestCluster, World, address, axe, example};
use agon_testkit::Process;
use serde_json::Value;

/// A telephone, a tablet, a desk.
const WIDTHS: [u32; 3] = [390, 768, 1280];
/// The layout of pages that lead to each other.
const OF_CONSOLE: &str = "(/^(#|\\/|https?:|data:image\\/)/, 0)";
/// A pace at which there is something to see.
const SLOW: [&str; 3] = ["--rehearsal", "--token-interval", "4ms"];

/// One server with everything in it, and where its pages are.
pub struct ConsoleServer {
    cluster: TestCluster,
    process: Process,
    http: String,
    grpc: String,
}

impl ConsoleServer {
    pub fn start(options: &[&str]) -> Self {
        Self::of(TestCluster::start(), options)
    }

    fn of(mut cluster: TestCluster, options: &[&str]) -> Self {
        let mut process = cluster.launch("console", options);
        let http = format!("http://{}", address(&mut process, "HTTP"));
        let grpc = address(&mut process, "gRPC");
        process.wait_for(" is up: ").unwrap();
        Self { cluster, process, http, grpc }
    }

    pub fn at(&self, path: &str) -> String {
        format!("{}{path}", self.http)
    }

    /// Submits a debate, and waits for its end where that is wanted.
    pub fn submit(&self, file: &str, id: &str, more: &[&str]) {
        let args = ["submit", file, "--id", id, "--seed", "7", "--rehearsal", "--server", &self.grpc];
        let said = self.cluster.world.agon(&[&args[..], more].concat());
        assert!(matches!(said.code, Some(0 | 2)), "{said:?}");
    }
}

/// All that is wrong with the page that is open.
fn problems(page: &mut BrowserPage<'_>, server: &ConsoleServer) -> Vec<String> {
    let mut problems = layout(page);
    problems.extend(barriers(page));
    problems.extend(misdeeds(page, server));
    problems
}

fn layout(page: &mut BrowserPage<'_>) -> Vec<String> {
    let layout = page.evaluate(&format!("{}{OF_CONSOLE}", LAYOUT.trim_end()));
    serde_json::from_value(layout).unwrap()
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AxeRules {
    All,
    /// What may differ from colours to colours.
    Colours,
}

/// What keeps people from using the page.
fn barriers(page: &mut BrowserPage<'_>) -> Vec<String> {
    barriers_by(page, AxeRules::All)
}

fn barriers_by(page: &mut BrowserPage<'_>, rules: AxeRules) -> Vec<String> {
    if page.evaluate("typeof axe") == "undefined" {
        page.evaluate(&format!("{}; true", axe()));
    }
    let only = match rules {
        AxeRules::All => "",
        AxeRules::Colours => ", runOnly: {type: 'rule', values: ['color-contrast', 'link-in-text-block']}",
    };
    let found = page.evaluate(&format!(
        "axe.run(document, {{resultTypes: ['violations']{only}}}).then(found => found.violations.map(one => \
         `${{one.id}}: ${{one.help}}: ${{one.nodes.slice(0, 3).map(node => node.html.slice(0, 160) + ' ' + node.failureSummary).join(' | ')}}`))",
    ));
    serde_json::from_value(found).unwrap()
}

/// What the page has done that it may not: errors, what its policy forbade, requests to other places, scripts of others.
fn misdeeds(page: &BrowserPage<'_>, server: &ConsoleServer) -> Vec<String> {
    let mut problems = Vec::new();
    let mut found = |event: &str, what: &str, is: &dyn Fn(&Value) -> bool| {
        let wrong = page.told(event).filter(|told| is(told)).map(|told| format!("{what}: {told}"));
        problems.extend(wrong.map(|problem| problem.chars().take(500).collect::<String>()));
    };
    let bad = |level: &Value| level == "error" || level == "warning" || level == "assert";
    found("Runtime.consoleAPICalled", "console", &|told| bad(&told["type"]));
    found("Log.entryAdded", "console", &|told| bad(&told["entry"]["level"]));
    found("Runtime.exceptionThrown", "exception", &|_| true);
    let own = |url: &Value| url.as_str().is_some_and(|url| url.starts_with(&server.http) || url.starts_with("data:"));
    found("Network.requestWillBeSent", "request", &|told| !own(&told["request"]["url"]));
    let asset = |url: &str| url.starts_with(&server.at("/assets/")) || url.ends_with(OURS);
    found("Debugger.scriptParsed", "script", &|told| {
        told["url"].as_str().is_some_and(|url| !url.is_empty() && !asset(url))
    });
    found("Page.javascriptDialogOpening", "dialog", &|_| true);
    problems
}

/// Looks at pages at every width, in both colours. Each is loaded once: its window changes.
fn look_at(server: &ConsoleServer, paths: &[(&str, String)]) {
    let (mut browser, mut found) = (Browser::start(), Vec::new());
    for (name, path) in paths {
        let mut page = browser.window(WIDTHS[0], Shade::Light);
        page.go(&server.at(path));
        for width in WIDTHS {
            for (shade, rules) in [(Shade::Light, AxeRules::All), (Shade::Dark, AxeRules::Colours)] {
                page.becomes(width, shade);
                page.evaluate(SETTLED);
                let name = format!("{name}-{width}-{shade:?}");
                page.picture(&name.to_lowercase());
                let wrong = layout(&mut page).into_iter().chain(barriers_by(&mut page, rules));
                found.extend(wrong.map(|problem| format!("{name}: {problem}")));
            }
        }
        found.extend(misdeeds(&page, server).into_iter().map(|problem| format!("{name}: {problem}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_page_fits_every_window_and_has_no_barrier_and_asks_nobody_else() {
    let server = ConsoleServer::start(&["--rehearsal"]);
    server.submit(&example(SHORT), "decided", &["--wait", "--no-reports"]);
    server.submit(&example("panel-and-borda.yaml"), "ranked", &["--wait", "--no-reports", "--label", "team=north"]);
    let paths = [
        ("debates", "/"),
        ("none", "/?text=nothing+has+this"),
        ("debate", "/debates/decided"),
        ("ranked", "/debates/ranked"),
        ("delete", "/debates/decided/delete"),
        ("rejudge", "/debates/decided/rejudge"),
        ("new", "/new"),
        ("file", "/new?with=file"),
        ("again", "/new?from=decided"),
        ("compare", "/compare?pick=decided&pick=ranked"),
        ("hosts", "/hosts"),
        ("ratings", "/ratings?rehearsal=true"),
        ("evals", "/evals"),
        ("help", "/help"),
    ];
    look_at(&server, &paths.map(|(name, path)| (name, path.to_owned())));
}

#[test]
fn what_is_not_there_is_said_on_a_page_that_fits_too() {
    let server = ConsoleServer::start(&["--rehearsal"]);
    let mut browser = Browser::start();
    for path in ["/debates/nothing-here", "/nowhere", "/debates/UPPER%20%3Cb%3E", "/evals/nothing-here"] {
        let mut page = browser.window(390, Shade::Dark);
        page.go(&server.at(path));
        assert!(page.text().contains("All debates"), "{path}: {}", page.text());
        let barriers = barriers(&mut page);
        assert!(barriers.is_empty(), "{path}: {barriers:?}");
    }
}

#[test]
fn a_debate_is_begun_by_the_keyboard_watched_to_its_end_and_is_then_its_report() {
    let server = ConsoleServer::start(&["--rehearsal", "--token-interval", "2ms"]);
    let mut browser = Browser::start();
    let mut page = browser.window(1280, Shade::Light);
    page.go(&server.at("/"));
    page.tab_to("a[href='/new']");
    page.press("Enter");
    page.wait_for("location.pathname === '/new' && document.readyState === 'complete'");
    page.tab_to("[name=topic]");
    page.write("Should the town build a tram?");
    page.click("#answers-own");
    page.tab_to(".send button[value=begin]");
    page.press("Enter");
    page.wait_for("location.pathname.startsWith('/debates/')");
    page.wait_for("document.body.innerText.includes('tram')");
    page.wait_for("document.querySelector('[data-live]') !== null");
    page.wait_for("[...document.querySelectorAll('[data-words]')].some(words => words.textContent.length > 20)");
    page.picture("live");
    let while_it_runs = misdeeds(&page, &server);
    assert!(while_it_runs.is_empty(), "{while_it_runs:?}");
    page.wait_for("document.querySelector('[data-live]') === null && document.querySelector('#verdict') !== null && document.readyState === 'complete'");
    let found = problems(&mut page, &server);
    assert!(found.is_empty(), "{}", found.join("\n"));
    let order = page.evaluate("[...document.querySelectorAll('#sections > section')].map(section => section.id)");
    let report = page.evaluate(
        "fetch(location.pathname + '/report.html').then(answer => answer.text()).then(text => \
         [...new DOMParser().parseFromString(text, 'text/html').querySelectorAll('main > section')].map(section => section.id))",
    );
    assert_eq!(order, report, "the page of a debate that is over is its report");
}

/// The speeches of the page, each with its words.
/// Whether the page of a debate that is over is there as a whole.
const OVER: &str = "document.readyState === 'complete' && document.querySelector('[data-live]') === null && document.querySelector('#verdict') !== null";
const SPEECHES: &str = "[...document.querySelectorAll('article.speech')].map(speech => speech.id + speech.textContent)";

#[test]
fn one_who_comes_half_way_and_loses_the_line_misses_nothing_and_sees_nothing_twice() {
    let mut server = ConsoleServer::start(&SLOW);
    server.submit(&example("city-diesel-ban.md"), "trams", &[]);
    let mut browser = Browser::start();
    let mut page = browser.window(1280, Shade::Light);
    page.go(&server.at("/debates/trams"));
    page.wait_for("document.querySelectorAll('article.speech').length >= 2");
    // the gateway dies as a machine dies, and another one takes its address
    server.process.kill();
    page.wait_for("document.getElementById('line').textContent !== 'live'");
    let http = server.http.trim_start_matches("http://");
    server.process = server.cluster.launch("again", &[&SLOW[..], &["--http", http]].concat());
    server.process.wait_for(" is up: ").unwrap();
    page.wait_for(
        "document.getElementById('line')?.textContent === 'live' || document.querySelector('[data-live]') === null",
    );
    page.wait_for(OVER);
    let seen = page.evaluate(SPEECHES);
    let ids = page.evaluate("[...document.querySelectorAll('[id]')].map(element => element.id).filter((id, at, all) => all.indexOf(id) !== at)");
    assert_eq!(ids, serde_json::json!([]), "ids that are there twice");
    page.go(&server.at("/debates/trams"));
    assert_eq!(page.evaluate(SPEECHES), seen, "what was watched is what is there");
}

#[test]
fn a_running_debate_is_cancelled_by_the_mouse() {
    let server = ConsoleServer::start(&SLOW);
    server.submit(&example("city-diesel-ban.md"), "trams", &[]);
    let mut browser = Browser::start();
    let mut page = browser.window(768, Shade::Dark);
    page.go(&server.at("/"));
    page.click("a[href='/debates/trams/cancel']");
    page.wait_for("location.pathname === '/debates/trams/cancel' && document.readyState === 'complete'");
    page.click("#reason");
    page.write("the town has decided <b>otherwise</b>");
    page.click("form.stack button");
    page.wait_for(
        "location.pathname === '/debates/trams' && document.body.innerText.toLowerCase().includes('cancelled')",
    );
    page.wait_for("document.body.innerText.includes('<b>otherwise</b>')");
    assert!(misdeeds(&page, &server).is_empty());
}

#[test]
fn who_shows_no_token_sees_a_page_to_sign_in_and_a_reader_sees_no_orders() {
    let cluster = TestCluster::start();
    let token = |principal: &str, scopes: &str| {
        let made = cluster.world.json(&["token", principal, "--scopes", scopes, "--json"]);
        (made["line"].as_str().unwrap().to_owned(), made["token"].as_str().unwrap().to_owned())
    };
    let (reader, reads) = token("reader", "debates:read");
    let (writer, writes) = token("writer", "debates:read,debates:write");
    let file = cluster.world.file("tokens.txt", &format!("{reader}\n{writer}\n"));
    let server = ConsoleServer::of(cluster.setting("AGON__GATEWAY__AUTH__TOKENS_FILE", &file), &["--rehearsal"]);
    let mut browser = Browser::start();
    let mut page = browser.window(1280, Shade::Light);
    let sign_in = |page: &mut BrowserPage<'_>, token: &str| {
        page.tab_to("#token");
        page.write(token);
        page.press("Enter");
    };
    page.go(&server.at("/debates/nothing?x=1"));
    page.wait_for("location.pathname === '/sign-in'");
    assert!(!page.text().contains("New debate"), "{}", page.text());
    let found = problems(&mut page, &server);
    assert!(found.is_empty(), "{found:?}");
    sign_in(&mut page, "agon_wrong");
    page.wait_for("document.body.innerText.includes('not known')");
    sign_in(&mut page, &reads);
    page.wait_for("location.pathname === '/debates/nothing'");
    page.go(&server.at("/"));
    page.wait_for("document.body.innerText.includes('reader')");
    assert!(!page.text().contains("New debate") && !page.text().contains("Hosts"), "{}", page.text());
    assert_eq!(page.evaluate("document.cookie"), "", "no script reads what a browser keeps");
    page.click("form[action='/sign-out'] button");
    page.wait_for("location.pathname === '/sign-in'");
    page.go(&server.at("/"));
    page.wait_for("location.pathname === '/sign-in'");
    sign_in(&mut page, &writes);
    page.wait_for("document.body.innerText.includes('New debate')");
}

/// What the review of the report attacked with, and what else could become a tag, a script, a link or an order of letters.
const HOSTILE: &str = "[[rules]]\nwhen = { speaker = \"mallory\" }\nfault = \"hostile\"\n";

#[test]
fn no_word_from_outside_runs_or_breaks_any_page() {
    let world = World::new();
    let script = world.file("hostile.toml", HOSTILE);
    let server = ConsoleServer::start(&["--rehearsal", "--rehearsal-script", &script]);
    let text = "---\nmodel: m\nmoderator: {type: judge}\npersonas:\n  - {name: ada, stance: \"Move the depot.\"}\n  \
         - {name: mallory, stance: \"Keep <b onmouseover='document.title=1'>the</b> depot.\"}\n  \
         - {name: \"cleo <img src=x onerror=alert(1)>\", stance: \"<svg onload=alert(2)> \u{202e}close it\"}\n---\n\
         # Where should the depot stand? <script>document.title = 'taken over'</script> [x](javascript:alert(3)) \u{202e}\u{7}\n";
    let file = world.file("attacked.md", text);
    server.submit(&file, "attacked", &["--wait", "--no-reports", "--label", "team=<img src=//evil.example/x>"]);
    server.submit(&file, "again", &["--wait", "--no-reports"]);
    let mut browser = Browser::start();
    let paths = [
        "/",
        "/?text=%3Cscript%3Ealert(1)%3C/script%3E&label=%22%3E%3Cimg%20src=x%3E",
        "/debates/attacked",
        "/debates/attacked/delete",
        "/debates/attacked/rejudge",
        "/compare?pick=attacked&pick=again",
        "/new?from=attacked",
        "/ratings?rehearsal=true",
        "/sign-in?to=javascript:alert(1)",
        "/debates/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "/help/%3Cscript%3E",
    ];
    for path in paths {
        let mut page = browser.window(1280, Shade::Light);
        page.go(&server.at(path));
        page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })");
        let misdeeds: Vec<String> =
            misdeeds(&page, &server).into_iter().filter(|one| !one.contains("status of 4")).collect();
        assert!(misdeeds.is_empty(), "{path}: {misdeeds:?}");
        let foreign = page.evaluate("document.querySelectorAll('main img, main script, main iframe, main object, main [onload], main [onerror], main [onmouseover]').length");
        assert_eq!(foreign, 0, "{path}");
        assert!(!page.text().contains('\u{202e}'), "{path}");
        let title = page.evaluate("document.title");
        assert!(title != "taken over" && title != "1", "{path}: {title}");
    }
}
