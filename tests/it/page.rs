//! The HTML report in a real browser.
use crate::support::World;
use std::path::Path;
use std::process::Command;

const QUIET: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
];

fn chromium(world: &World, options: &[&str], page: &str) -> String {
    let profile = format!("--user-data-dir={}", world.path("browser").display());
    let output = Command::new("chromium").args(QUIET).arg(profile).args(options).arg(page).output();
    let output = output.expect("the report tests need chromium on PATH; cargo xtask test says how to get it");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn report(world: &World) -> std::path::PathBuf {
    world.rehearse("on-a-page").ok();
    world.path("agon-reports/on-a-page/report.html")
}

#[test]
fn the_page_opens_with_its_topic_and_says_that_it_is_a_rehearsal() {
    let world = World::new();
    let page = format!("file://{}", report(&world).display());
    let dom = chromium(&world, &["--dump-dom"], &page);
    assert!(dom.contains("Natrion"), "the topic is missing");
    assert!(dom.contains("Rehearsal: scripted speakers"), "the banner is missing");
    assert!(dom.contains("<title>"), "the title is missing");
}

/// The page in a frame of a telephone's width, measured by a page around it.
#[test]
fn the_page_fits_a_telephone_without_scrolling_sideways() {
    let world = World::new();
    let inner = report(&world);
    let html = std::fs::read_to_string(&inner).unwrap();
    // Its own policy forbids scripts: the width is measured from outside, in a copy of the same origin.
    let frame = format!(
        "<!doctype html><body style='margin:0'><iframe id=f style='width:390px;height:800px;border:0'></iframe><script>\
         const f=document.getElementById('f');f.onload=()=>{{document.title='width '+f.contentDocument.documentElement.scrollWidth}};\
         f.srcdoc={};</script>",
        serde_json::to_string(&html).unwrap().replace("</", "<\\/")
    );
    let outer = world.file("frame.html", &frame);
    let dom = chromium(&world, &["--virtual-time-budget=5000", "--dump-dom"], &format!("file://{outer}"));
    let width = dom.split("<title>width ").nth(1).and_then(|rest| rest.split('<').next()?.parse::<u32>().ok());
    let width = width.unwrap_or_else(|| panic!("the page did not load: {}", dom.chars().take(300).collect::<String>()));
    assert!(width <= 390, "the page is {width} px wide");
    assert!(Path::new(&outer).exists());
}
