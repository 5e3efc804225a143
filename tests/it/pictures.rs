//! The pictures that the README begins with: what a terminal and a browser show of a rehearsal. `cargo xtask pictures` has them
//! written where the README looks for them; without it they are made all the same, and thrown away.
use crate::browser::{Browser, Shade};
use crate::console::ConsoleServer;
use crate::support::{World, example};
use std::path::PathBuf;

/// The debate that is shown.
const SHOWN: &str = "monolith-or-services.md";
/// Bytes of a picture that shows anything.
const FEWEST: usize = 20_000;
/// A terminal as a page, with `LINES` in it.
const TERMINAL: &str = include_str!("pictures/terminal.html");

fn keep(world: &World, name: &str, png: &[u8]) {
    assert!(png.len() > FEWEST && png.starts_with(b"\x89PNG"), "{name} has {} bytes", png.len());
    let folder = std::env::var_os("AGON_README_PICTURES").map_or_else(|| world.path("pictures"), PathBuf::from);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), png).unwrap();
}

#[test]
fn what_a_terminal_shows_of_a_debate_that_ends() {
    let world = World::new();
    let said = world.agon(&["run", &example(SHOWN), "--rehearsal", "--seed", "7", "--color", "always", "--no-reports"]);
    let (_, end) = said.stdout.split_once("\x1b[1;4m==\x1b[0m\x1b[1;4m Decision").expect("there is a decision");
    let html = TERMINAL.replace("LINES", &coloured(&format!("\x1b[1;4m==\x1b[0m\x1b[1;4m Decision{end}")));
    let file = world.file("terminal.html", &html);
    let mut browser = Browser::start();
    let mut page = browser.open(file.as_ref(), 900);
    assert!(page.text().contains("Decided:") && page.text().contains("Left open"), "{}", page.text());
    keep(&world, "terminal.png", &page.png(true));
}

#[test]
fn what_a_browser_shows_of_a_debate_that_runs() {
    let server = ConsoleServer::start(&["--rehearsal", "--token-interval", "6ms"]);
    server.submit(&example(SHOWN), "shown", &[]);
    let mut browser = Browser::start();
    let mut page = browser.window(1280, Shade::Light);
    page.go(&server.at("/debates/shown"));
    page.wait_for("[...document.querySelectorAll('[data-words]')].some(words => words.textContent.length > 250)");
    page.evaluate("document.getElementById('status').scrollIntoView({behavior: 'instant'})");
    keep(&World::new(), "console.png", &page.png(false));
}

/// Text with the colours of a terminal as HTML.
fn coloured(text: &str) -> String {
    let mut html = String::new();
    for piece in text.split("\x1b[") {
        let (codes, words) = piece.split_once('m').unwrap_or(("0", piece));
        let class = codes.split(';').map(|code| format!("c{code}")).collect::<Vec<_>>().join(" ");
        let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        html.push_str(&format!("<span class=\"{class}\">{words}</span>"));
    }
    html
}
