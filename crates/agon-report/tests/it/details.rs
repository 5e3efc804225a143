//! Details that every report has to get right, whatever the debate: badges, final marks, times, and the outline.
use crate::log::{Log, ReachedVerdict, admitted, argument, persona, spec};
use crate::page::Html;
use crate::shown::{minutes, text};
use crate::{formats, scenes};
use agon_core::*;
use agon_report::{DebateResult, Minutes, ResultBlock, full_markdown, html, summary_only, verbose};
use std::collections::BTreeSet;

fn all() -> Vec<Log> {
    scenes::all().into_iter().chain([animals()]).chain(formats::all()).collect()
}

const BUY: &str = "Buy it now.";
const WAIT: &str = "Why not wait?";

/// Two names with one first letter, stances that are sentences, a failed try, and a wait for a model server.
fn animals() -> Log {
    let personas = vec![persona("bull", Some(BUY), "Optimist"), persona("bear", Some(WAIT), "Pessimist")];
    let mut log = admitted(spec("Shall we?", personas));
    log.phase(PhaseName::InitialBallots);
    log.ballot(0, BallotStage::Initial, "bull", BUY, "It is cheap.");
    log.ballot(0, BallotStage::Initial, "bear", WAIT, "Is it?");
    log.phase(PhaseName::Rounds);
    log.round(1, &["bull", "bear"]);
    let asked = log.ask(1, "bull", argument());
    let again = log.fail(asked, Failure::new(FailureCause::Transport, "attic: cut"), Some(0));
    log.away_ms = Some(34_000);
    let asked = log.ask_again(again, "bull", argument());
    log.spoke(asked, SpeechKind::Argument, "It is cheap.", |_| {});
    log.speak(1, "bear", SpeechKind::Argument, "It is not.");
    log.phase(PhaseName::FinalBallots);
    log.ballot(2, BallotStage::Final, "bull", WAIT, "Is it?");
    log.ballot(2, BallotStage::Final, "bear", WAIT, "Is it?");
    log.phase(PhaseName::Decision);
    log.verdict(ReachedVerdict {
        verdict: Some("Both came to ask why.".to_owned()),
        winner: Some(WAIT.to_owned()),
        reasoning: Some("Is there a reason not to?".to_owned()),
        moved: vec!["bull".into()],
        ..ReachedVerdict::of(Outcome::Decided)
    });
    log.succeed(Outcome::Decided, None);
    log
}

/// The texts between tags, each on a line.
fn texts(page: &str) -> Vec<String> {
    let body = page.split("</style>").last().unwrap();
    body.split('<')
        .filter_map(|part| Some(part.split_once('>')?.1.trim().to_owned()))
        .filter(|t| !t.is_empty())
        .collect()
}

#[test]
fn no_two_participants_share_a_badge() {
    let page = html(&minutes(&animals())).unwrap();
    let cast = page.split("<ul class=\"cast\">").nth(1).unwrap().split("</ul>").next().unwrap();
    let marks: Vec<&str> =
        cast.split("aria-hidden=\"true\">").skip(1).map(|rest| rest.split('<').next().unwrap()).collect();
    assert!(marks.starts_with(&["Bu", "Be"]), "{marks:?}");
    for log in all() {
        let page = html(&minutes(&log)).unwrap();
        let cast = page.split("<ul class=\"cast\">").nth(1).unwrap().split("</ul>").next().unwrap();
        let marks: Vec<&str> =
            cast.split("aria-hidden=\"true\">").skip(1).map(|rest| rest.split('<').next().unwrap()).collect();
        assert_eq!(marks.iter().collect::<BTreeSet<_>>().len(), marks.len(), "{marks:?}");
    }
}

/// Two final marks in a row, be there a closing quotation mark or emphasis between them; `...` and `?!` are none.
fn doubled(text: &str) -> Option<String> {
    let chars: Vec<char> = text.chars().filter(|c| !matches!(c, '”' | '*' | '"' | '’')).collect();
    let at = (1..chars.len()).find(|at| {
        let around = |n: usize| chars.get(n).copied() == Some('.');
        let ellipsis = around(at + 1) || at.checked_sub(2).is_some_and(around);
        chars[*at] == '.' && matches!(chars[at - 1], '.' | '!' | '?' | '…') && !ellipsis
    })?;
    Some(chars[at.saturating_sub(40)..(at + 1).min(chars.len())].iter().collect())
}

#[test]
fn no_sentence_ends_with_two_marks() {
    assert_eq!(doubled("They ended with “Why?”.").as_deref(), Some("They ended with “Why?."));
    for log in all() {
        let minutes = minutes(&log);
        let block = text(&ResultBlock::of(&minutes).lines());
        let pages = [full_markdown(&minutes), verbose(&minutes), summary_only(&minutes), block];
        let lines = pages.iter().flat_map(|page| page.lines().map(str::to_owned));
        for line in lines.chain(texts(&html(&minutes).unwrap())) {
            assert_eq!(doubled(&line), None, "{line}");
        }
    }
}

#[test]
fn the_outline_leads_to_every_section_by_its_title() {
    for log in all() {
        let page = html(&minutes(&log)).unwrap();
        let outline = page.split("<nav class=\"outline\"").nth(1).unwrap().split("</nav>").next().unwrap();
        let main = page.split("<main>").nth(1).unwrap().split("</main>").next().unwrap();
        for section in main.split("<section").skip(1) {
            let id =
                section.split('>').next().unwrap().split("id=\"").nth(1).expect("an id").split('"').next().unwrap();
            let title = section.split("<h2>").nth(1).unwrap().split("</h2>").next().unwrap();
            assert!(outline.contains(&format!("href=\"#{id}\">{title}</a>")), "{id} {title}: {outline}");
        }
        Html::parse(&page).assert_sound();
    }
}

/// The bars of a lane: whether the try failed, and where each begins and ends.
fn bars(page: &str) -> Vec<(bool, f64, f64)> {
    let drawing = page.split("<svg class=\"timeline\"").nth(1).unwrap();
    let lane = drawing.split("<g class=\"s0\">").nth(1).unwrap().split("<g class=\"s1\"").next().unwrap();
    let number = |rect: &str, name: &str| -> f64 {
        rect.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    let bar = |bar: &str| {
        let rects: Vec<(f64, f64)> =
            bar.split("<rect").skip(1).map(|rect| (number(rect, "x"), number(rect, "width"))).collect();
        let from = rects.first().unwrap().0;
        let to = rects.last().map(|(x, width)| x + width).unwrap();
        (bar.starts_with(" class=\"failed\""), from, to)
    };
    lane.split("<g").skip(1).filter(|part| part.contains("<title>")).map(bar).collect()
}

#[test]
fn the_timeline_shows_a_failed_try_apart_from_the_one_that_follows() {
    let page = html(&minutes(&animals())).unwrap();
    let bars = bars(&page);
    let failed = bars.iter().position(|(failed, ..)| *failed).unwrap_or_else(|| panic!("{bars:?}"));
    let ((_, _, end), (failed_too, begin, _)) = (bars[failed], bars[failed + 1]);
    assert!(!failed_too && begin - end >= 1.5, "{bars:?}");
    assert!(page.contains("try 2") && page.contains("<rect class=\"away\""));
}

#[test]
fn the_time_that_was_waited_for_a_model_server_is_named_and_part_of_the_duration() {
    let log = animals();
    let minutes = minutes(&log);
    let timing = DebateResult::of(&minutes).timing;
    assert_eq!(timing.server_away_ms, 34_000);
    assert!(timing.duration_ms > timing.server_away_ms);
    let block = text(&ResultBlock::of(&minutes).lines());
    assert!(block.contains("(34.0 s of it waiting for a model server)"), "{block}");
    let page = html(&minutes).unwrap();
    for report in [&page, &full_markdown(&minutes)] {
        assert!(report.contains("12 ms + 34.0 s for the server"), "{report}");
    }
    assert!(verbose(&minutes).contains("model server away 34.0 s"));
    let calm = scenes::decided();
    assert_eq!(DebateResult::of(&Minutes::from_records(&calm.records).unwrap()).timing.server_away_ms, 0);
}
