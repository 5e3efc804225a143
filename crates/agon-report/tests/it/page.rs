use crate::shown::minutes;
use crate::{log::Log, scenes};
use agon_report::{REHEARSAL, html, page_parts};
use html5ever::tokenizer::{BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A page as a browser's tokenizer sees it.
#[derive(Default)]
pub struct Html {
    pub tags: Vec<HtmlTag>,
    pub errors: Vec<String>,
    /// End tags without their start and starts without their end.
    pub unbalanced: Vec<String>,
}
#[derive(Debug)]
pub struct HtmlTag {
    pub name: String,
    pub attributes: Vec<(String, String)>,
}
impl HtmlTag {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
    pub fn attribute_names(&self) -> Vec<&str> {
        self.attributes.iter().map(|(name, _)| name.as_str()).collect()
    }
}

const VOID: [&str; 4] = ["meta", "br", "hr", "input"];

#[derive(Default)]
struct HtmlSink {
    html: RefCell<Html>,
    open: RefCell<Vec<String>>,
}
impl TokenSink for HtmlSink {
    type Handle = ();
    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut html = self.html.borrow_mut();
        match token {
            Token::TagToken(tag) => {
                let name = tag.name.to_string();
                if tag.kind == TagKind::EndTag {
                    if self.open.borrow_mut().pop().as_ref() != Some(&name) {
                        html.unbalanced.push(name);
                    }
                    return TokenSinkResult::Continue;
                }
                if !VOID.contains(&name.as_str()) && !tag.self_closing {
                    self.open.borrow_mut().push(name.clone());
                }
                let raw = name == "style" || name == "script";
                let attributes = tag
                    .attrs
                    .iter()
                    .map(|attribute| (attribute.name.local.to_string(), attribute.value.to_string()))
                    .collect();
                html.tags.push(HtmlTag { name, attributes });
                if raw {
                    return TokenSinkResult::RawData(html5ever::tokenizer::states::RawKind::Rawtext);
                }
            }
            Token::ParseError(error) => html.errors.push(error.to_string()),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Html {
    pub fn parse(page: &str) -> Self {
        let tokenizer =
            Tokenizer::new(HtmlSink::default(), TokenizerOpts { exact_errors: true, ..TokenizerOpts::default() });
        let input = BufferQueue::default();
        input.push_back(page.into());
        let _ = tokenizer.feed(&input);
        tokenizer.end();
        let mut html = tokenizer.sink.html.into_inner();
        html.unbalanced.extend(tokenizer.sink.open.into_inner());
        html
    }
    pub fn named<'h>(&'h self, name: &str) -> Vec<&'h HtmlTag> {
        self.tags.iter().filter(|tag| tag.name == name).collect()
    }
    /// What holds of every page, whatever the debate.
    pub fn assert_sound(&self) {
        assert_eq!(self.errors, Vec::<String>::new());
        assert_eq!(self.unbalanced, Vec::<String>::new());
        for name in ["script", "img", "iframe", "object", "embed", "link", "form", "input", "base", "video", "audio"] {
            assert!(self.named(name).is_empty(), "<{name}>");
        }
        assert_eq!(self.named("style").len(), 1);
        let mut ids = BTreeSet::new();
        for tag in &self.tags {
            assert!(
                !tag.attributes.iter().any(|(name, _)| name.starts_with("on") || name == "style" || name == "src"),
                "{tag:?}"
            );
            assert!(tag.attribute("id").is_none_or(|id| ids.insert(id)), "twice: {tag:?}");
        }
        for href in self.tags.iter().filter_map(|tag| tag.attribute("href")) {
            let target = href.strip_prefix('#').expect("no link leaves the page");
            assert!(ids.contains(target), "{href} leads nowhere");
        }
    }
}

fn page(log: &Log) -> String {
    html(&minutes(log)).unwrap()
}

#[test]
fn every_kind_of_debate_gives_a_sound_page() {
    let logs = scenes::all().into_iter().chain([scenes::grand(true)]).collect::<Vec<_>>();
    logs.iter().for_each(|log| Html::parse(&page(log)).assert_sound());
}

#[test]
fn everything_that_a_page_can_show() {
    let page = page(&scenes::grand(false));
    let (_, body) = page.split_once("</style>").unwrap();
    insta::assert_snapshot!(body);
}

#[test]
fn the_pieces_of_a_page_are_what_stands_in_it_in_order_and_each_has_its_own_id() {
    for (name, log) in scenes::all().iter().enumerate() {
        let (minutes, whole) = (minutes(log), page(log));
        let parts = page_parts(&minutes).unwrap();
        let mut rest = whole.as_str();
        let mut ids = BTreeSet::new();
        for part in &parts {
            let piece = part.html.trim();
            let at = rest.find(piece).unwrap_or_else(|| panic!("{name}: {} is not in the page", part.id));
            rest = &rest[at + piece.len()..];
            assert!(piece.contains(&format!("id=\"{}\"", part.id)) && ids.insert(&part.id), "{name}: {}", part.id);
        }
    }
}

#[test]
fn the_policy_forbids_everything_but_the_pages_own_style() {
    let html = Html::parse(&page(&scenes::decided()));
    let policy = html.tags.iter().find(|tag| tag.attribute("http-equiv") == Some("Content-Security-Policy")).unwrap();
    let policy = policy.attribute("content").unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(policy.ends_with("='; img-src data:; base-uri 'none'; form-action 'none'"), "{policy}");
    assert!(!policy.contains("unsafe"));
}

#[test]
fn the_policy_comes_before_the_style() {
    let page = page(&scenes::decided());
    assert!(page.find("Content-Security-Policy") < page.find("<style>"));
}

#[test]
fn the_hash_is_that_of_the_style_as_the_browser_sees_it() {
    use base64::Engine as _;
    use sha2::{Digest as _, Sha256};
    let page = page(&scenes::decided());
    let (_, rest) = page.split_once("<style>").unwrap();
    let (style, _) = rest.split_once("</style>").unwrap();
    let hash = base64::prelude::BASE64_STANDARD.encode(Sha256::digest(style));
    assert!(page.contains(&format!("style-src 'sha256-{hash}'")));
}

#[test]
fn the_sections_come_in_the_order_in_which_a_stranger_asks() {
    let html = Html::parse(&page(&scenes::grand(false)));
    let ids: Vec<&str> = html.named("section").into_iter().filter_map(|tag| tag.attribute("id")).collect();
    assert_eq!(
        ids,
        [
            "verdict",
            "dissent",
            "ballots",
            "speakers",
            "context",
            "round-0",
            "round-1",
            "round-2",
            "round-3",
            "tree",
            "analysis",
            "costs",
            "configuration"
        ]
    );
}

#[test]
fn every_citation_of_a_speech_links_to_it_and_says_whether_it_is_there() {
    let page = page(&scenes::grand(false));
    let (_, citations) = page.split_once("<ul class=\"citations\">").unwrap();
    let (citations, _) = citations.split_once("</ul>").unwrap();
    assert_eq!(citations.matches("✓ verified").count(), 2);
    assert_eq!(citations.matches("✗ not found").count(), 1);
    assert_eq!(citations.matches("<a href=\"#turn-").count(), 3);
}

#[test]
fn an_order_sensitive_judge_is_shown_with_both_readings() {
    let page = page(&scenes::order_sensitive());
    let (_, readings) = page.split_once("<div class=\"readings\">").unwrap();
    assert!(readings.contains("order 1") && readings.contains("order 2") && readings.contains("A synthesis"));
    assert!(page.contains("<p class=\"badge\">Inconclusive</p>"));
}

#[test]
fn what_the_judge_calls_speakers_and_entries_is_resolved_under_each_reading() {
    let page = page(&scenes::order_sensitive());
    let keys: Vec<&str> =
        page.split("<p class=\"judge-key\">").skip(1).map(|rest| rest.split("</p>").next().unwrap()).collect();
    assert_eq!(keys.len(), 2);
    for key in &keys {
        assert!(key.contains("Speaker A = <b>") && key.contains("Speaker B = <b>"), "{key}");
    }
    let link = |key: &str, entry: u32| {
        let (before, _) = key.split_once(&format!("\">entry {entry}: ")).unwrap();
        before.rsplit_once("href=\"").unwrap().1.to_owned()
    };
    assert_ne!(link(keys[0], 3), link(keys[1], 3));
    assert!(!keys[0].contains("entry 2: ") && link(keys[1], 2).starts_with("#turn-0-"));
}

#[test]
fn failed_tries_and_skipped_seats_are_notes_and_not_speeches() {
    let html = page(&scenes::failed());
    assert_eq!(html.matches("<p class=\"incident\"").count(), 3);
    assert_eq!(html.matches("<article class=\"speech").count(), 0);
}

#[test]
fn unknown_tokens_are_said_to_be_unknown() {
    let (none, some) = (page(&scenes::cancelled()), page(&scenes::grand(false)));
    assert!(none.contains("<span>tokens unknown</span>") && none.contains("no call reported its tokens"));
    assert!(some.contains("3 calls did not report all of theirs"));
}

#[test]
fn a_rehearsal_carries_its_banner_at_the_top_at_the_bottom_and_at_every_picture() {
    assert_eq!(page(&scenes::grand(true)).matches(REHEARSAL).count(), 5);
    assert_eq!(page(&scenes::grand(false)).matches(REHEARSAL).count(), 0);
}

#[test]
fn a_night_between_crash_and_resume_does_not_squeeze_the_timeline() {
    let page = page(&scenes::grand(false));
    assert!(page.contains("<line class=\"cut\""));
    let (_, svg) = page.split_once("<svg class=\"timeline\"").unwrap();
    let (svg, _) = svg.split_once("</svg>").unwrap();
    let widths = svg.split("width=\"").skip(1).map(|rest| rest.split('"').next().unwrap().parse::<f64>().unwrap());
    assert!(widths.filter(|width| *width > 8.0).count() > 15);
}

#[test]
fn moments_at_the_end_of_time_and_clocks_that_run_backwards_still_give_a_page() {
    for at in [u64::MAX, 0] {
        let mut log = scenes::grand(false);
        log.records.iter_mut().skip(20).step_by(3).for_each(|record| record.at = agon_core::Timestamp(at));
        Html::parse(&page(&log)).assert_sound();
    }
}
