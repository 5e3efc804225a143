//! A debate in the browser while it runs: what is ordered of it, and what a page does that nobody sees.
use super::{ConsoleServer, OVER, SLOW, SPEECHES, misdeeds};
use crate::browser::{Browser, Shade};
use crate::support::example;

/// Whether the page has said so, which a browser does that is minimised or shows another tab.
fn hidden(hidden: bool) -> String {
    format!(
        "Object.defineProperty(document, 'hidden', {{configurable: true, get: () => {hidden}}}); \
         document.dispatchEvent(new Event('visibilitychange')); true"
    )
}

#[test]
fn a_running_debate_is_paused_and_resumed_by_the_mouse() {
    let server = ConsoleServer::start(&SLOW);
    server.submit(&example("city-diesel-ban.md"), "trams", &[]);
    let mut browser = Browser::start();
    let mut page = browser.window(768, Shade::Light);
    page.go(&server.at("/debates/trams"));
    page.wait_for("document.querySelectorAll('article.speech').length >= 1");
    page.click("form[action$='/pause'] button");
    page.wait_for("document.querySelector(\"form[action$='/resume'] button\") !== null");
    page.wait_for("document.getElementById('status').innerText.toLowerCase().includes('paused')");
    let said = page.evaluate(SPEECHES);
    page.go(&server.at("/"));
    page.wait_for("document.getElementById('row-trams').innerText.toLowerCase().includes('paused')");
    page.go(&server.at("/debates/trams"));
    assert_eq!(page.evaluate(SPEECHES), said, "nothing is added");
    page.click("form[action$='/resume'] button");
    page.wait_for(OVER);
    assert!(misdeeds(&page, &server).is_empty());
}

#[test]
fn a_page_that_nobody_sees_holds_no_connection_and_goes_on_where_it_was() {
    let server = ConsoleServer::start(&SLOW);
    server.submit(&example("city-diesel-ban.md"), "trams", &[]);
    let mut browser = Browser::start();
    let mut page = browser.window(1280, Shade::Light);
    page.go(&server.at("/debates/trams"));
    page.wait_for("document.getElementById('line').textContent === 'live'");
    page.evaluate(&hidden(true));
    let before = page.evaluate(SPEECHES);
    server.submit(&example("city-diesel-ban.md"), "waited-for", &["--wait", "--quiet", "--no-reports"]);
    assert_eq!(page.evaluate(SPEECHES), before, "nobody sees it");
    page.evaluate(&hidden(false));
    page.wait_for(OVER);
    let seen = page.evaluate(SPEECHES);
    page.go(&server.at("/debates/trams"));
    assert_eq!(page.evaluate(SPEECHES), seen);
    assert_ne!(before, seen);
}

#[test]
fn the_stream_of_a_page_ends_with_its_debate() {
    let server = ConsoleServer::start(&["--rehearsal", "--token-interval", "1ms"]);
    server.submit(&example("city-diesel-ban.md"), "trams", &[]);
    let (_, address) = server.http.rsplit_once('/').unwrap();
    let told = agon_testkit::http_get(address, "/debates/trams/live?after=0").unwrap();
    let last = told.lines().rfind(|line| line.starts_with("data: ")).unwrap();
    assert!(last.contains("\"over\":true"), "{last}");
}
