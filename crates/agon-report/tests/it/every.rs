//! Every event has its place in every output, and words that are not to be shown have none.
use crate::formats;
use crate::log::Log;
use crate::page::Html;
use crate::shown::minutes;
use agon_core::*;
use agon_report::{
    DebateResult, LiveView, deltas_shown_to_clients, events_jsonl, full_markdown, html, shown_to_clients, summary_only,
    tree_markdown, tree_svg, verbose,
};

fn told(log: &Log) -> String {
    let mut view = LiveView::new();
    let mut out = String::new();
    for record in &log.records {
        for (position, event) in record.entries() {
            let mut lines = view.lines(position, record.at, event);
            lines.extend(view.details(record.at, event));
            lines.iter().for_each(|line| out.push_str(&format!("{line}\n")));
        }
    }
    out
}

#[test]
fn an_open_fight_in_full() {
    insta::assert_snapshot!(verbose(&minutes(&formats::fight())));
}

#[test]
fn critiques_and_revisions_in_full() {
    insta::assert_snapshot!(full_markdown(&minutes(&formats::critiques())));
}

#[test]
fn a_parliament_in_full() {
    insta::assert_snapshot!(full_markdown(&minutes(&formats::parliament())));
}

#[test]
fn every_format_in_plain_lines() {
    insta::assert_snapshot!(formats::all().iter().map(told).collect::<Vec<_>>().join("\n\n\n"));
}

#[test]
fn the_result_of_a_panel_that_ranks() {
    insta::assert_json_snapshot!(DebateResult::of(&minutes(&formats::critiques())));
}

#[test]
fn the_result_of_an_open_fight() {
    insta::assert_json_snapshot!(DebateResult::of(&minutes(&formats::fight())));
}

#[test]
fn the_page_of_every_format_is_sound_and_shows_what_is_its_own() {
    let wanted: [&[&str]; 3] = [
        &[
            "Bids for the floor",
            "Cut off by",
            "interjection to Ada",
            "Warning to Bruno",
            "research brief",
            "agreement 0.42",
            "Scores",
            "Agreement and stability",
        ],
        &[
            "severity 8 of 10",
            "Accepts the critique of",
            "Positions",
            "1. <strong>Ada</strong>",
            "on signature",
            "contested because",
        ],
        &[
            "Prime Minister",
            "takes the point of information of Bruno",
            "Votes by round",
            "((elo 1600 - 1000) / 500) × (0.5 + calibration 0.7) = 1.44",
        ],
    ];
    for (log, wanted) in formats::all().iter().zip(wanted) {
        let page = html(&minutes(log)).unwrap();
        Html::parse(&page).assert_sound();
        wanted.iter().for_each(|text| assert!(page.contains(text), "{text}"));
    }
}

#[test]
fn scores_that_the_moderator_gave_in_several_rounds_are_charted_by_round() {
    let mut log = formats::fight();
    let charted = |log: &Log| html(&minutes(log)).unwrap().contains("<h3>Scores by round</h3>");
    assert!(!charted(&log), "one round is nothing to compare");

    let spoken = log.speak(2, "Ada", SpeechKind::Argument, "Buy it.");
    let scores = vec![SpeechScore { speech: spoken, score: formats::score(9, 9, 9, 9), comment: None }];
    log.score_speeches(2, scores);

    assert!(charted(&log));
    assert!(html(&minutes(&log)).unwrap().contains("Round 2: Ada"));
}

/// Every text that a role spoke in a scene.
const WORDS: [(&str, &[&str]); 3] = [
    ("debaters", &["renting serves it", "forty is a guess", "Bring the sheets"]),
    ("moderator", &["You agree on more", "Stay with the oven", "installed", "All three would serve"]),
    ("judges", &["No figure is new"]),
];

#[test]
fn words_that_the_file_keeps_out_stand_in_no_report_and_all_in_the_log() {
    for (role, texts) in WORDS {
        let mut log = formats::fight();
        let visible = &mut log.spec_mut().visible;
        let hidden = Shown { client: true, history: false };
        match role {
            "debaters" => visible.debaters = hidden,
            "moderator" => visible.moderator = hidden,
            _ => visible.judge = hidden,
        }
        let minutes = minutes(&log);
        let result = serde_json::to_string(&DebateResult::of(&minutes)).unwrap();
        let reports = [
            full_markdown(&minutes),
            summary_only(&minutes),
            verbose(&minutes),
            html(&minutes).unwrap(),
            tree_markdown(&minutes),
            tree_svg(&minutes),
            result,
        ];
        for text in texts {
            reports.iter().for_each(|report| assert!(!report.contains(text), "{role}: {text}"));
            assert!(events_jsonl(&log.records).contains(text), "{text}");
        }
        assert!(reports[0].contains(&format!("The words of the {role} are not shown")), "{role}");
        assert!(role == "judges" || reports[0].contains(": not shown"), "{role}");
    }
}

#[test]
fn a_synthesis_that_the_file_keeps_back_reaches_neither_watchers_nor_reports() {
    let text = "Sell the morning run";
    let reports = |shown: Shown| {
        let mut log = formats::critiques();
        log.spec_mut().visible.synthesizer = shown;
        let synthesis = Synthesis { text: text.into(), output: None, problems: vec![] };
        log.synthesise(3, synthesis);
        let streamed = shown_to_clients(log.spec(), log.records.last().unwrap().events.first().unwrap());
        let minutes = minutes(&log);
        let result = serde_json::to_string(&DebateResult::of(&minutes)).unwrap();
        let reports = [full_markdown(&minutes), verbose(&minutes), html(&minutes).unwrap(), result];
        (streamed, reports.map(|report| report.contains(text)))
    };
    assert_eq!(reports(Shown::default()), (true, [true; 4]));
    assert_eq!(reports(Shown { client: true, history: false }), (true, [false; 4]));
    assert_eq!(reports(Shown { client: false, history: true }), (false, [true; 4]));
}

#[test]
fn watchers_are_shown_what_the_file_lets_them_see() {
    let mut log = formats::fight();
    log.spec_mut().visible.moderator.client = false;
    let spec = log.spec().clone();
    let events: Vec<&Event> = log.records.iter().flat_map(|record| &record.events).collect();
    let shown: Vec<&&Event> = events.iter().filter(|event| shown_to_clients(&spec, event)).collect();
    let of_moderator = |event: &Event| {
        matches!(
            event,
            Event::Answered(Answered { given: Given::Interjection(_), .. })
                | Event::Answered(Answered { given: Given::Research { .. }, .. })
                | Event::Answered(Answered { given: Given::SpeechScores { .. }, .. })
                | Event::Answered(Answered { given: Given::Conclusion { .. }, .. })
        )
    };
    assert!(events.iter().any(|event| of_moderator(event)) && !shown.iter().any(|event| of_moderator(event)));
    assert!(shown.iter().any(|event| matches!(event, Event::Answered(Answered { given: Given::Speech(_), .. }))));
    assert!(shown.iter().any(|event| matches!(event, Event::DebateEnded { .. })));
    assert!(!deltas_shown_to_clients(&spec, &MODERATOR.into()) && deltas_shown_to_clients(&spec, &"Ada".into()));
}
