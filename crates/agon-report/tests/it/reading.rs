//! The page as a reader uses it: what is folded, what is told first, where links lead, what stays out of the way.
use crate::log::Log;
use crate::page::{Html, HtmlTag};
use crate::shown::minutes;
use crate::{big, formats, hostile, scenes};
use agon_core::*;
use agon_report::{STYLE, full_markdown, html, page_parts};
use std::collections::{BTreeMap, BTreeSet};

pub fn all() -> Vec<Log> {
    let texts = ["harmless".to_owned(), "a long and harmless text ".repeat(30)];
    let hostile = texts.iter().map(|text| hostile::hostile(text));
    scenes::all().into_iter().chain(formats::all()).chain([big::big(), scenes::grand(true)]).chain(hostile).collect()
}
pub fn page(log: &Log) -> String {
    html(&minutes(log)).unwrap()
}
pub fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end}")).0
}
fn trio(change: impl FnOnce(&mut DebateSpec)) -> Log {
    let mut log = scenes::before_judging(false).0;
    change(log.spec_mut());
    log
}

#[test]
fn only_what_is_longer_than_two_lines_is_folded_and_one_switch_opens_all() {
    let page = page(&scenes::grand(false));
    let speeches: Vec<&str> = page.split("<article class=\"speech").skip(1).collect();
    for speech in &speeches {
        let speech = speech.split("</article>").next().unwrap();
        let folded = speech.contains("class=\"prose fold\"");
        assert_eq!(folded, speech.contains("<details class=\"more\">"), "{speech}");
    }
    let of = |text: &str| *speeches.iter().find(|speech| speech.contains(text)).unwrap();
    assert!(of("I have counted them since March").contains("prose fold"));
    assert!(!of("I move towards Ada").contains("prose fold"), "one line");
    assert_eq!(page.matches("id=\"open-all\"").count(), 1);
    assert!(page.find("id=\"open-all\"") < page.find("<article class=\"speech"), "before the first of them");
}

#[test]
fn where_nothing_is_folded_there_is_no_switch() {
    for log in [scenes::voted(), scenes::running(), scenes::failed()] {
        assert!(!page(&log).contains("id=\"open-all\""));
    }
}

#[test]
fn a_folded_speech_is_whole_in_the_page_on_paper_and_where_a_link_leads_to_it() {
    let page = page(&scenes::grand(false));
    assert!(page.contains("It is the cost of keeping the customers we already have."));
    for rule in [".speech:target > .fold", ".speech:has(.more[open]) > .fold", ":root:has(#open-all[open]) .fold"] {
        assert!(STYLE.contains(rule), "{rule}");
    }
    let print = between(STYLE, "@media print {", "\n}");
    assert!(print.contains(".fold { max-height: none !important;"));
    assert!(print.contains("details::details-content { display: block;") && !print.contains(", details {"));
}

#[test]
fn the_pieces_of_a_growing_page_keep_their_ids() {
    let log = scenes::grand(false);
    let mut before: Vec<(String, BTreeSet<String>)> = Vec::new();
    for n in (1..=log.records.len()).step_by(4) {
        let minutes = agon_report::Minutes::from_records(log.records.iter().take(n)).unwrap();
        let parts = page_parts(&minutes).unwrap();
        let ids = |html: &str| -> BTreeSet<String> {
            Html::parse(html).tags.iter().filter_map(|tag| tag.attribute("id").map(str::to_owned)).collect()
        };
        for (id, known) in &before {
            let now = parts.iter().find(|part| part.id == *id).unwrap_or_else(|| panic!("{id} is gone"));
            assert!(known.is_subset(&ids(&now.html)), "{id}: {known:?}");
        }
        before = parts.iter().map(|part| (part.id.clone(), ids(&part.html))).collect();
    }
    assert!(before.len() > 10);
}

#[test]
fn every_thing_with_an_id_has_a_link_to_itself_and_every_link_leads_somewhere() {
    for log in all() {
        let html = Html::parse(&page(&log));
        html.assert_sound();
        let permalinks: BTreeSet<&str> = html
            .named("a")
            .into_iter()
            .filter(|tag| tag.attribute("class") == Some("permalink"))
            .filter_map(|tag| tag.attribute("href"))
            .collect();
        // The head, the contents and the switch are no things to link to.
        let own = ["top", "outline", "open-all"];
        for id in html.tags.iter().filter_map(|tag| tag.attribute("id")).filter(|id| !own.contains(id)) {
            assert!(permalinks.contains(format!("#{id}").as_str()), "{id}");
        }
        for link in html.named("a").into_iter().filter(|tag| tag.attribute("class") == Some("permalink")) {
            assert!(link.attribute("aria-label").is_some_and(|label| label.starts_with("Link to")), "{link:?}");
        }
    }
    assert!(STYLE.contains(".permalink:is(:hover, :focus-visible) { opacity: 1; }"));
}

#[test]
fn a_panel_that_ranks_has_a_matrix_with_the_points_that_were_counted() {
    let page = page(&big::big());
    let matrix = between(&page, "<table class=\"ranks\">", "</table>");
    let row = |name: &str| -> Vec<String> {
        let row = matrix.split("<tr").find(|row| row.contains(&format!("dir=\"auto\">{name}"))).unwrap();
        row.split("<td").skip(1).map(|cell| between(cell, ">", "</td>").to_owned()).collect()
    };
    assert_eq!(row("Invest now"), ["1", "1", "1", "1", "2", "2", "1.33", "10"]);
    assert_eq!(row("Rent the"), ["3", "2", "3", "3", "1", "1", "2.17", "5"]);
    assert!(matrix.contains("<th scope=\"col\" dir=\"auto\">Judge 3, order 2</th>"));
    assert!(!between(&page, "<section id=\"votes\">", "</section>").contains("class=\"tally\""), "no bars beside it");
    let markdown = full_markdown(&minutes(&big::big()));
    assert!(markdown.contains("| Invest now | 1 | 1 | 1 | 1 | 2 | 2 | 1.33 | 10 |"));
}

#[test]
fn a_place_that_a_ranking_leaves_out_is_empty_and_other_votes_have_bars() {
    let mut log = formats::critiques();
    for event in log.records.iter_mut().flat_map(|record| &mut record.events) {
        if let Event::VoteTallied { counts, .. } = event {
            counts.push(("Bruno".to_owned(), 0));
        }
    }
    assert!(full_markdown(&minutes(&log)).contains("| Bruno |  |  |  |  | 0 |"));
    let page = page(&scenes::voted());
    assert!(!page.contains("class=\"ranks\"") && page.contains("class=\"tally\""));
}

#[test]
fn the_grid_of_attacks_counts_those_of_the_tree() {
    for log in all() {
        let tree = agon_report::ArgumentTree::of(&minutes(&log));
        let attacks = tree.edges.iter().filter(|edge| edge.relation == agon_report::Relation::Attacks).count();
        let page = page(&log);
        assert_eq!(page.contains("<table class=\"heat\">"), attacks > 0);
        if attacks > 0 {
            let grid = between(&page, "<table class=\"heat\">", "</table>");
            let cells =
                grid.split("<td class=\"h").skip(1).map(|cell| between(cell, ">", "</td>").parse::<usize>().unwrap());
            assert_eq!(cells.sum::<usize>(), attacks);
        }
    }
}

#[test]
fn few_attacks_are_not_dark() {
    let page = page(&scenes::grand(false));
    let grid = between(&page, "<table class=\"heat\">", "</table>");
    assert!(grid.contains("<td class=\"h1\">1</td>") && !grid.contains("class=\"h5\""));
}

#[test]
fn ballots_flow_from_the_first_to_the_last_with_their_numbers() {
    let page = page(&big::big());
    let flow = between(&page, "<title>From first to last ballots</title>", "</svg>");
    for told in ["4 stayed with “Invest now”", "2 moved from “Wait a year” to “Invest now”"] {
        assert!(between(flow, "<desc>", "</desc>").contains(told), "{told}");
        assert!(flow.contains(&format!("<title>{told}</title>")), "{told}");
    }
    assert!(
        flow.contains(">8</text>")
            && !between(&page, "<section id=\"ballots\">", "</section>").contains("class=\"numbers\"")
    );
}

#[test]
fn a_missing_ballot_is_not_drawn_and_said_to_be_missing() {
    let mut log = scenes::grand(false);
    let last = |event: &Event| matches!(event, Event::Answered(Answered { given: Given::Ballot { stage: BallotStage::Final, .. }, participant, .. }) if participant.as_str() == "Chioma");
    log.records.iter_mut().for_each(|record| record.events.retain(|event| !last(event)));
    let page = page(&log);
    assert!(page.contains("Without 1 debater of whom a ballot is missing."));
    let flow = between(&page, "<title>From first to last ballots</title>", "</svg>");
    assert!(!flow.contains("Rent the capacity"), "unknown is not zero");
    assert!(!self::page(&scenes::voted()).contains("From first to last ballots"), "no ballots, no flow");
}

#[test]
fn very_many_answers_share_a_last_bar() {
    let mut log = trio(|_| {});
    let names: Vec<String> = (0..30).map(|n| format!("Debater {n}")).collect();
    log.spec_mut().personas = names.iter().map(|name| crate::log::persona(name, None, "")).collect();
    for (n, who) in names.iter().enumerate() {
        log.ballot(0, BallotStage::Initial, who, &format!("answer {n}"), "");
        log.ballot(2, BallotStage::Final, who, &format!("answer {}", n / 2), "");
    }
    let page = page(&log);
    let flow = between(&page, "<title>From first to last ballots</title>", "</svg>");
    assert!(flow.contains("other answers") && flow.matches("class=\"bar\"").count() <= 18);
}

#[test]
fn attacks_that_nobody_answered_are_marked_by_more_than_a_colour() {
    let page = page(&scenes::grand(false));
    let tree = between(&page, "<svg class=\"tree\"", "</svg>");
    assert_eq!(tree.matches("<g class=\"attacks open\"><title>").count(), 2);
    assert_eq!(tree.matches("<g class=\"unanswered\">").count(), 3, "two edges and the legend");
    assert!(tree.contains("<title>T7 attacks T6, unanswered</title>") && tree.contains(">unanswered</text>"));
    assert!(page.contains("<li class=\"open\">T7 attacks T6, unanswered</li>"));
}

#[test]
fn what_may_yet_be_answered_is_not_called_unanswered() {
    let mut log = crate::log::admitted(scenes::pair());
    log.speak(1, "Ada", SpeechKind::Argument, "Buy.");
    log.speak(1, "Bruno", SpeechKind::Argument, "Ada forgets the loan.");
    let page = page(&log);
    let tree = between(&page, "<section id=\"tree\">", "</section>");
    assert!(tree.contains("1 × attacks.") && !tree.contains("unanswered"), "the debate runs");
}

#[test]
fn no_chart_has_its_numbers_open_beside_it() {
    for log in all() {
        let page = page(&log);
        for figure in page.split("<figure class=\"plot\">").skip(1) {
            let figure = figure.split("</figure>").next().unwrap();
            let table = figure.find("<table");
            assert!(table.is_none() || figure.find("<details>") < table, "{figure}");
        }
        let analysis = page.split("<h3>Who to whom</h3>").nth(1);
        assert!(analysis.is_none_or(|after| after.trim_start().starts_with("<details>")));
    }
}

#[test]
fn under_a_speech_stand_model_and_tokens_and_its_times_are_a_tooltip_and_in_the_table() {
    let page = page(&scenes::grand(false));
    let speech = between(&page, "id=\"turn-0-3\"", "</article>");
    let meta = between(speech, "<p class=\"meta\"", "</p>");
    assert_eq!(
        meta.split("<span>").skip(1).map(|part| part.split("</span>").next().unwrap()).collect::<Vec<_>>(),
        ["gemma3:4b", "812 tokens in (640 cached), 210 out"]
    );
    assert!(
        meta.starts_with(" title=\"on attic, queued 12 ms, first byte after 400 ms, in all 2.8 s, finish: stop\""),
        "{meta}"
    );
    let calls = between(&page, "<table class=\"figures\">", "</table>");
    let row = calls.split("<tr>").find(|row| row.contains("#turn-0-3")).unwrap();
    assert!(row.contains("12 ms") && row.contains("400 ms") && row.contains("2.8 s"), "{row}");
}

#[test]
fn no_two_speakers_have_the_same_mark_and_later_ones_have_another_shape() {
    let names: Vec<String> = (0..40).map(|n| format!("{}{n}", if n % 2 == 0 { "Ada" } else { "Abe" })).collect();
    let cast = names.iter().map(|name| crate::log::persona(name, None, "")).collect();
    let page = page(&crate::log::admitted(crate::log::spec("Why?", cast)));
    let cast = between(&page, "<ul class=\"cast\">", "</ul>");
    let marks: Vec<(&str, &str)> = cast
        .split("<span class=\"mark ")
        .skip(1)
        .map(|mark| (mark.split('"').next().unwrap(), between(mark, ">", "<")))
        .collect();
    let letters: BTreeSet<String> = marks.iter().map(|(_, letters)| letters.to_lowercase()).collect();
    assert_eq!(letters.len(), marks.len(), "{marks:?}");
    assert_eq!((marks[0].0, marks[8].0, marks[16].0), ("s0", "s8", "s0 again"));
    for rule in [".mark:is(.s8,", ".mark.again {"] {
        assert!(STYLE.contains(rule), "{rule}");
    }
}

#[test]
fn drawings_with_links_are_groups_and_the_others_images_with_words() {
    for log in all() {
        let page = page(&log);
        for svg in page.split("<svg ").skip(1) {
            let (svg, tag) = (svg.split("</svg>").next().unwrap(), svg.split('>').next().unwrap());
            let hidden = tag.contains("aria-hidden=\"true\"");
            let linked = svg.contains("<a href");
            assert!(hidden || !linked || tag.contains("role=\"group\" aria-label="), "{tag}");
            assert!(
                hidden
                    || linked
                    || tag.contains("role=\"group\"")
                    || (tag.contains("role=\"img\"") && svg.contains("<desc>")),
                "{tag}"
            );
        }
    }
}

#[test]
fn nothing_to_click_stands_in_something_to_click() {
    for log in all() {
        let page = page(&log);
        for summary in page.split("<summary>").skip(1).map(|rest| rest.split("</summary>").next().unwrap()) {
            assert!(!summary.contains("<a ") && !summary.trim().is_empty(), "{summary}");
        }
    }
}

#[test]
fn regions_that_scroll_can_be_reached_and_have_names_of_their_own() {
    for log in all() {
        let html = Html::parse(&page(&log));
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        let scrolls = |tag: &&HtmlTag| tag.attribute("class") == Some("scroll");
        for tag in html.tags.iter().filter(scrolls) {
            assert_eq!((tag.attribute("tabindex"), tag.attribute("role")), (Some("0"), Some("region")));
            *names.entry(tag.attribute("aria-label").unwrap()).or_default() += 1;
        }
        assert!(names.values().all(|n| *n == 1), "{names:?}");
    }
}

#[test]
fn on_paper_no_heading_stays_alone() {
    let print = between(STYLE, "@media print {", "\n}");
    let rule = print.lines().find(|line| line.contains("break-after: avoid") && line.contains("h2")).unwrap();
    for heading in ["h1", "h2", "h3", "h4", "h5", "h6", ".speech header", ".title"] {
        assert!(rule.contains(heading), "{heading}");
    }
}
