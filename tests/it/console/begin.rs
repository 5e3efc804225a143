//! The form of a new debate: mistakes come and go at their fields, and nothing of it is sent twice.
use super::{ConsoleServer, barriers, misdeeds};
use crate::browser::{Browser, BrowserPage, Shade};

/// What is in a field, by what somebody types into it.
fn fill(page: &mut BrowserPage<'_>, selector: &str, text: &str) {
    page.click(selector);
    page.write(text);
}

const BEGIN: &str = ".send button[value=begin]";

#[test]
fn a_mistake_goes_when_it_is_mended_and_going_back_sends_nothing_again() {
    let server = ConsoleServer::start(&["--rehearsal", "--token-interval", "0ms"]);
    let mut browser = Browser::start();
    let mut page = browser.window(390, Shade::Light);
    page.go(&server.at("/new"));
    page.wait_for("document.querySelector('#findings .summary').textContent === 'Nothing to check yet'");
    page.click(BEGIN);
    page.wait_for("document.querySelectorAll('.wrong-here').length === 3");
    page.wait_for("document.activeElement.id === 'topic'");
    assert!(page.text().contains("the debater has no answer to argue") && !page.text().contains("personas"));
    assert!(barriers(&mut page).is_empty());
    page.write("Should the town build a tram?");
    page.wait_for("document.querySelector('#topic-wrong') === null && !document.querySelector('#topic').ariaInvalid");
    page.wait_for("document.querySelectorAll('.wrong-here').length === 2");
    fill(&mut page, "#stance-0", "Yes");
    fill(&mut page, "#stance-1", "Yes");
    page.wait_for("document.querySelector('#stance-1-wrong')?.textContent.includes('argues the same answer')");
    page.write(", but later");
    page.wait_for("document.querySelector('#findings .summary').textContent.startsWith('Ready')");
    assert!(!page.text().contains("llama"), "no model matters in a rehearsal: {}", page.text());
    page.click(BEGIN);
    page.wait_for("location.pathname.startsWith('/debates/')");
    // later, because the page that is left answers nothing
    page.evaluate("void setTimeout(() => history.back())");
    page.wait_for("location.pathname === '/new' && document.querySelector('#draft') !== null");
    assert!(misdeeds(&page, &server).is_empty());
}

#[test]
fn the_cursor_is_at_a_new_debater_and_at_the_one_after_a_removed_one() {
    let server = ConsoleServer::start(&["--rehearsal"]);
    let mut browser = Browser::start();
    let mut page = browser.window(1280, Shade::Dark);
    page.go(&server.at("/new"));
    fill(&mut page, "#topic", "Should we?");
    page.tab_to("button[value=add]");
    page.press("Enter");
    page.wait_for("document.activeElement.id === 'name-2'");
    page.write("Cleo");
    page.wait_for("document.querySelector('#findings .problems')?.textContent.includes('Debater 3')");
    page.tab_to("button[value=add]");
    page.press("Enter");
    page.wait_for("document.activeElement.id === 'name-3'");
    page.tab_to("button[value=remove-0]");
    page.press("Enter");
    page.wait_for("document.activeElement.id === 'name-0' && document.activeElement.value === 'Ben'");
    assert_eq!(page.evaluate("document.querySelector('#name-1').value"), "Cleo");
    page.wait_for("!document.querySelector('#findings .problems').textContent.includes('Debater 4')");
}

#[test]
fn a_form_and_its_file_lead_to_each_other_and_a_file_of_the_disk_is_taken() {
    let server = ConsoleServer::start(&["--rehearsal"]);
    let mut browser = Browser::start();
    let mut page = browser.window(1280, Shade::Light);
    page.go(&server.at("/new"));
    fill(&mut page, "#topic", "Should we?");
    page.click("#answers-own");
    page.click(".tabs button[value=file]");
    page.wait_for("document.querySelector('#text')?.value.includes('Should we?')");
    page.click(".tabs button[value=form]");
    page.wait_for("document.querySelector('#topic')?.value === 'Should we?'");
    page.go(&server.at("/new?with=file"));
    page.evaluate(
        "(() => { const chosen = new DataTransfer(); chosen.items.add(new File(['# Should we?\\n'], 'mine.md')); \
         const file = document.querySelector('#pick-file'); file.files = chosen.files; \
         file.dispatchEvent(new Event('change', {bubbles: true})) })()",
    );
    page.wait_for("document.querySelector('#text').value === '# Should we?\\n' && document.querySelector('#file_name').value === 'mine.md'");
    page.wait_for("document.querySelector('#findings .summary').textContent.startsWith('Ready')");
    assert!(misdeeds(&page, &server).is_empty());
}

#[test]
fn a_debate_whose_model_no_host_serves_is_not_ready_and_a_file_without_a_form_says_which_key() {
    let server = ConsoleServer::start(&["--rehearsal"]);
    let mut browser = Browser::start();
    let mut page = browser.window(390, Shade::Light);
    page.go(&server.at("/new"));
    fill(&mut page, "#topic", "Should we?");
    page.click("#answers-own");
    page.wait_for("document.querySelector('#findings .summary').textContent.startsWith('Ready')");
    page.click("#speakers-models");
    page.wait_for("document.querySelector('#findings .summary').textContent.startsWith('Nobody could play it now: ')");
    page.wait_for("document.querySelector('.problems .said').textContent.startsWith('No live host serves ')");
    assert!(barriers(&mut page).is_empty());
    page.go(&server.at("/new?with=file&start=decision"));
    page.click(".tabs button[value=form]");
    page.wait_for("document.querySelector('#content > .notice')?.textContent.includes('outputs')");
    page.evaluate("document.querySelector('#text').value = '---\\nno_such_key: 1\\n---\\n# Should we?'");
    page.click(".tabs button[value=form]");
    page.wait_for("document.querySelector('#content > .notice')?.textContent.includes('a file with errors')");
    assert!(misdeeds(&page, &server).is_empty());
}
