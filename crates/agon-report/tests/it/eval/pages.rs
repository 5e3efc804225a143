use super::{page, shapes, terminal};
use crate::page::Html;
use agon_eval::testing::sample_result;
use agon_report::{DebateLinks, REHEARSAL, eval_html, eval_markdown};
use std::collections::BTreeSet;
use std::time::Instant;

/// What holds of every page, whatever the eval.
pub fn assert_sound(name: &str, page: &str) -> Html {
    let html = Html::parse(page);
    assert_eq!(html.errors, Vec::<String>::new(), "{name}");
    assert_eq!(html.unbalanced, Vec::<String>::new(), "{name}");
    for tag in
        ["img", "iframe", "object", "embed", "link", "form", "base", "video", "audio", "foreignobject", "use", "image"]
    {
        assert!(html.named(tag).is_empty(), "{name}: <{tag}>");
    }
    assert_eq!((html.named("style").len(), html.named("script").len(), html.named("main").len()), (1, 1, 1), "{name}");
    assert!(html.named("script")[0].attributes.is_empty(), "{name}");
    let mut ids = BTreeSet::new();
    for tag in &html.tags {
        let bad = |(attribute, _): &(String, String)| {
            attribute.starts_with("on") || attribute == "style" || attribute == "src"
        };
        assert!(!tag.attributes.iter().any(bad), "{name}: {tag:?}");
        assert!(tag.attribute("id").is_none_or(|id| ids.insert(id)), "{name}, twice: {tag:?}");
    }
    for href in html.tags.iter().filter_map(|tag| tag.attribute("href")) {
        match href.strip_prefix('#') {
            Some(target) => assert!(ids.contains(target), "{name}: {href} leads nowhere"),
            None => {
                let id = href.strip_prefix("debates/").and_then(|rest| rest.strip_suffix(".html"));
                let id = id.unwrap_or_else(|| panic!("{name}: {href} leads elsewhere"));
                assert!(id.chars().all(|c| c.is_ascii_alphanumeric()), "{name}: {href}");
            }
        }
    }
    for svg in html.named("svg") {
        assert_eq!(svg.attribute("role"), Some("img"), "{name}");
    }
    assert_eq!(page.matches("<svg ").count(), page.matches("</desc>").count(), "{name}");
    html
}

#[test]
fn every_shape_of_result_gives_a_sound_page() {
    for (name, result) in shapes::all() {
        assert_sound(name, &page(&result));
    }
}

#[test]
fn a_computed_result_fills_the_sections_that_its_cells_have_something_for() {
    let page = page(&shapes::computed());
    for id in
        ["verdicts", "arms", "changed", "free", "group", "calibration", "categories", "failures", "cells", "limits"]
    {
        assert!(page.contains(&format!("<section id=\"{id}\">")), "{id}");
    }
    assert!(
        page.contains("vote of the first ballots") && page.contains("failed: timeout") && !page.contains("id=\"gate\"")
    );
}

#[test]
fn no_face_shows_a_figure_that_is_not_one() {
    for (name, result) in shapes::all() {
        for text in [page(&result), eval_markdown(&result), terminal(&result, 100)] {
            let (_, text) = text.split_once("</style>").unwrap_or(("", &text));
            for word in ["NaN", "inf%", "inf ", " -0.0 ", "[-0.0,", " -0.0]", "-0.00"] {
                assert!(!text.contains(word), "{name}: {word}");
            }
        }
    }
}

#[test]
fn everything_that_a_page_can_show() {
    let mut result = sample_result(6, 2);
    let graded = shapes::graded();
    (result.trust, result.sequential) = (graded.trust, shapes::sequential().sequential);
    let page = page(&result);
    let (_, body) = page.split_once("</style>").unwrap();
    insta::assert_snapshot!(body);
}

#[test]
fn the_policy_allows_the_pages_own_style_and_script_alone() {
    use base64::Engine as _;
    use sha2::{Digest as _, Sha256};
    let page = page(&sample_result(3, 1));
    let html = Html::parse(&page);
    let policy = html.tags.iter().find(|tag| tag.attribute("http-equiv") == Some("Content-Security-Policy")).unwrap();
    let policy = policy.attribute("content").unwrap();
    let hash = |tag: &str| {
        let (_, rest) = page.split_once(&format!("<{tag}>")).unwrap();
        let (text, _) = rest.split_once(&format!("</{tag}>")).unwrap();
        format!("sha256-{}", base64::prelude::BASE64_STANDARD.encode(Sha256::digest(text)))
    };
    assert_eq!(
        policy,
        format!(
            "default-src 'none'; style-src '{}'; script-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
            hash("style"),
            hash("script")
        )
    );
    assert!(page.find("Content-Security-Policy") < page.find("<style>"));
}

#[test]
fn the_sections_come_in_the_order_in_which_a_stranger_asks_and_end_with_the_limits() {
    let html = Html::parse(&page(&shapes::graded()));
    let ids: Vec<&str> = html.named("section").into_iter().filter_map(|tag| tag.attribute("id")).collect();
    let all = "verdicts arms changed free group calibration gate categories sensitivity trust failures cells configuration limits";
    assert_eq!(ids, all.split(' ').filter(|id| *id != "failures").collect::<Vec<_>>());
}

#[test]
fn a_section_without_anything_to_say_is_left_out() {
    let page = page(&shapes::no_question());
    for id in ["changed", "gate", "calibration", "categories", "trust", "cells"] {
        assert!(!page.contains(&format!("id=\"{id}\"")), "{id}");
    }
    assert!(page.contains("id=\"limits\"") && page.contains("id=\"verdicts\""));
}

#[test]
fn every_row_leads_to_its_debate_and_can_be_filtered() {
    let result = sample_result(20, 1);
    let page = page(&result);
    let html = Html::parse(&page);
    let rows: Vec<_> = html.named("tr").into_iter().filter(|tag| tag.attribute("data-a").is_some()).collect();
    assert_eq!(rows.len(), result.cells.len());
    for (row, cell) in rows.iter().zip(&result.cells) {
        let arm = row.attribute("data-a").unwrap().parse::<usize>().unwrap();
        assert_eq!(result.arms[arm].id, cell.arm);
        assert_eq!(row.attribute("data-f").is_some(), cell.flip.is_some());
        assert!(page.contains(&format!("href=\"debates/{}.html\"", cell.debates[0])));
    }
    let selects: Vec<_> = html.named("select").into_iter().map(|tag| tag.attribute("name").unwrap()).collect();
    assert_eq!(selects, ["a", "o", "f", "c"]);
    let at_server = eval_html(&result, &DebateLinks::Server).unwrap();
    assert!(at_server.contains(&format!("href=\"../../debates/{}/report.html\"", result.cells[0].debates[0])));
    let at_pages = eval_html(&result, &DebateLinks::Pages).unwrap();
    assert!(at_pages.contains(&format!("href=\"/debates/{}\"", result.cells[0].debates[0])));
    let bare = eval_html(&result, &DebateLinks::None).unwrap();
    assert!(!bare.contains("report.html\"") && bare.contains(&format!("<code>{}</code>", result.cells[0].debates[0])));
}

#[test]
fn without_the_script_the_table_is_whole_and_the_filters_are_hidden() {
    let page = page(&sample_result(20, 1));
    let (before, _) = page.split_once("<script>").unwrap();
    assert!(before.contains("<div class=\"filters\" id=\"cells-filters\" role=\"search\" hidden>"));
    assert!(before.contains("<button id=\"cells-more\" type=\"button\" hidden>"));
    assert_eq!(before.matches("<tr data-a=").count(), sample_result(20, 1).cells.len());
}

#[test]
fn a_rehearsal_is_marked_at_the_top_at_the_bottom_and_at_every_figure() {
    let mut result = sample_result(20, 1);
    let marked = page(&result);
    let figures = marked.matches("<figure").count();
    // At the top, at each figure, among the limits and at the bottom.
    assert_eq!(marked.matches(REHEARSAL).count(), figures + 3);
    assert!(eval_markdown(&result).contains(REHEARSAL) && terminal(&result, 80).contains(REHEARSAL));
    result.rehearsal = false;
    let plain = page(&result);
    assert_eq!(plain.matches(REHEARSAL).count(), 0);
    assert!(!eval_markdown(&result).contains(REHEARSAL) && !terminal(&result, 80).contains(REHEARSAL));
}

#[test]
fn a_large_eval_stays_below_six_megabytes() {
    let mut result = sample_result(2_000, 2);
    assert_eq!(result.arms.len(), 6);
    let began = Instant::now();
    let page = page(&result);
    println!("2,000 questions x 6 arms: {} bytes in {:?}", page.len(), began.elapsed());
    assert!(page.len() < 6_000_000, "{}", page.len());
    // As bad as rows can be: all texts as long as they are kept, and full of what is escaped.
    let long = "<&\"'".repeat(75);
    for row in &mut result.questions {
        (row.text, row.gold) = (long.clone(), vec![long.clone(); 3]);
        row.category = Some(long.clone());
    }
    result.cells.iter_mut().for_each(|cell| cell.answer = Some(long.clone()));
    let worst = self::page(&result).len();
    println!("with the longest texts of characters that are escaped: {worst} bytes");
    assert!(worst < 6_000_000, "{worst}");
    let began = Instant::now();
    let markdown = eval_markdown(&result);
    println!("as Markdown: {} bytes in {:?}", markdown.len(), began.elapsed());
    assert!(markdown.len() < 1_000_000, "{}", markdown.len());
}
