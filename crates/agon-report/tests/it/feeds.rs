//! What the speakers were given of feeds, in every output.
use crate::log::Log;
use crate::page::Html;
use crate::scenes;
use crate::shown::{first_lines, minutes};
use agon_core::*;
use agon_report::*;

fn item(title: &str) -> FeedItem {
    FeedItem {
        title: title.to_owned(),
        date: Some("2026-11-20".to_owned()),
        link: Some("https://town.example/1".to_owned()),
        text: Some("Two lines open.".to_owned()),
    }
}

/// A decided debate that was given these.
fn given(feeds: Vec<FeedReading>) -> Log {
    let mut log = scenes::decided();
    let Event::DebateAdmitted(admission) = &mut log.records[0].events[0] else { panic!("an admission") };
    admission.spec.feeds = feeds.iter().map(|feed| feed.name.clone()).collect();
    admission.feeds = feeds;
    log
}

fn news(title: &str) -> FeedReading {
    FeedReading { name: "news".to_owned(), items: vec![item(title)], fault: None }
}

fn dead() -> FeedReading {
    FeedReading { name: "x".to_owned(), items: Vec::new(), fault: Some(FeedFault::TimedOut) }
}

#[test]
fn items_and_dead_feeds_stand_in_reports_results_and_first_lines() {
    let log = given(vec![news("Trams are back"), dead()]);
    let minutes = minutes(&log);
    let (told, warning) =
        ("told of 1 item from news, nothing from x", "The feed x took too long; the debate went on without it.");
    let markdown = full_markdown(&minutes);
    let listed = "## Feeds\n\n- news: **Trams are back** (2026-11-20, ";
    assert!([listed, told, warning].iter().all(|wanted| markdown.contains(wanted)), "{markdown}");
    let page = html(&minutes).unwrap();
    assert!(["<strong>Trams are back</strong>", told, warning].iter().all(|wanted| page.contains(wanted)), "{page}");
    let lines = first_lines(&log);
    assert!(lines.contains(&format!("\n{told}\n")) && lines.contains(warning), "{lines}");
    let result = DebateResult::of(&minutes);
    assert_eq!(
        (result.feeds[0].items.as_slice(), result.feeds[1].fault),
        (&["Trams are back".to_owned()][..], Some(FeedFault::TimedOut))
    );
    assert!(result.warnings.contains(&warning.to_owned()), "{:?}", result.warnings);
}

#[test]
fn a_debate_that_names_no_feed_says_nothing_of_feeds() {
    let log = given(Vec::new());
    let minutes = minutes(&log);
    assert!(!full_markdown(&minutes).contains("feed") && !first_lines(&log).contains("told of"));
    assert!(!serde_json::to_string(&DebateResult::of(&minutes)).unwrap().contains("feeds"));
}

#[test]
fn what_a_feed_says_is_text_in_every_report() {
    let hostile = "x\n# Decision\n- **won** <script>alert(1)</script> ![p](http://a.b/c)";
    let item =
        FeedItem { link: Some("javascript:alert(1)".to_owned()), text: Some(hostile.to_owned()), ..item(hostile) };
    let log = given(vec![FeedReading { items: vec![item], ..news("") }]);
    let minutes = minutes(&log);
    let markdown = full_markdown(&minutes);
    assert_eq!(markdown.lines().filter(|line| *line == "## Decision" || *line == "# Decision").count(), 1);
    let page = html(&minutes).unwrap();
    assert!(
        !page.contains("<script>alert") && !page.contains("http://a.b/c\"") && !page.contains("href=\"javascript"),
        "{page}"
    );
    Html::parse(&page).assert_sound();
}
