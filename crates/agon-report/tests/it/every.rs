//! Every event has its place in every output, and words that are not to be shown have none.
use crate::formats;
use crate::log::Log;
use crate::page::Html;
use crate::shown::minutes;
use agon_core::*;
use agon_report::{
    DebateResult, LiveView, deltas_shown_to_clients, events_jsonl, for_clients, full_markdown, html, summary_only,
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

fn is_end(event: &Event) -> bool {
    matches!(event, Event::DebateEnded { .. })
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
    let reports = |shown: Shown, ended: bool| {
        let mut log = formats::critiques();
        log.spec_mut().visible.synthesizer = shown;
        let synthesis = Synthesis { text: text.into(), output: None, problems: vec![] };
        log.synthesise(3, synthesis);
        let streamed = for_clients(log.spec(), log.records.last().unwrap().events.first().unwrap()).is_some();
        log.records.retain(|record| ended || !record.events.iter().any(is_end));
        let minutes = minutes(&log);
        let result = serde_json::to_string(&DebateResult::of(&minutes)).unwrap();
        let reports = [full_markdown(&minutes), verbose(&minutes), html(&minutes).unwrap(), result];
        (streamed, reports.map(|report| report.contains(text)))
    };
    assert_eq!(reports(Shown::default(), false), (true, [true; 4]));
    assert_eq!(reports(Shown { client: true, history: false }, true), (true, [false; 4]));
    assert_eq!(reports(Shown { client: false, history: true }, true), (false, [true; 4]));
    assert_eq!(reports(Shown { client: false, history: true }, false), (false, [false; 4]), "readers are watchers");
}

#[test]
fn watchers_are_shown_what_the_file_lets_them_see() {
    let mut log = formats::fight();
    log.spec_mut().visible.moderator.client = false;
    let spec = log.spec().clone();
    let events: Vec<&Event> = log.records.iter().flat_map(|record| &record.events).collect();
    let shown: Vec<&&Event> = events.iter().filter(|event| for_clients(&spec, event).is_some()).collect();
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

#[test]
fn words_hidden_from_watchers_stand_in_no_event_and_no_report_until_the_debate_has_ended() {
    for (role, texts) in WORDS {
        for ended in [false, true] {
            let mut log = formats::fight();
            log.records.retain(|record| ended || !record.events.iter().any(is_end));
            let visible = &mut log.spec_mut().visible;
            let hidden = Shown { client: false, history: true };
            match role {
                "debaters" => visible.debaters = hidden,
                "moderator" => visible.moderator = hidden,
                _ => visible.judge = hidden,
            }
            let shown: Vec<Event> = log
                .events()
                .filter_map(|event| for_clients(log.spec(), event))
                .map(|event| event.into_owned())
                .collect();
            let events = serde_json::to_string(&shown).unwrap();
            let minutes = minutes(&log);
            let result = serde_json::to_string(&DebateResult::of(&minutes)).unwrap();
            let reports =
                [full_markdown(&minutes), verbose(&minutes), html(&minutes).unwrap(), tree_svg(&minutes), result];
            for text in texts {
                assert!(!events.contains(text), "{role}: {text}");
                let found = reports.iter().any(|report| report.contains(text));
                assert!(ended || !found, "{role}: {text}");
            }
            assert_eq!(reports[0].contains(&format!("The words of the {role} are not shown")), !ended, "{role}");
        }
    }
}

#[test]
fn events_of_roles_that_are_shown_quote_none_that_is_hidden() {
    let mut log = formats::fight();
    let (secret, hidden) = ("the secret word", Shown { client: false, history: true });
    let visible = &mut log.spec_mut().visible;
    (visible.debaters, visible.moderator) = (hidden, hidden);
    let answer = |speech| Work::Statement { speech, to: Some("Ada".into()), about: Some(secret.into()) };
    let seat = |work| Seat { participant: "Summarizer".into(), work };
    log.spec_mut().consensus_strategy = ConsensusStrategy::MediatorSummary;
    let reasoned = Event::VerdictReached {
        outcome: Outcome::Decided,
        verdict: None,
        winner: None,
        reasoning: Some(secret.to_owned()),
        reason: None,
        consensus: None,
        majority: MajorityShift::None,
        moved: vec![],
    };
    let bid = Work::Bid { purpose: BidPurpose::Interruption, on: None, heard: Some(secret.into()) };
    let works = [answer(SpeechKind::Answer), answer(SpeechKind::Clarification), bid];
    let citation =
        Citation { turn: None, participant: None, quote: secret.to_owned(), verified: false, too_short: false };
    log.judge(3, 0, None, "As they say.", vec![citation]);
    let quoting = [
        log.records.last().unwrap().events[0].clone(),
        Event::RoundOpened {
            round: 1,
            speakers: vec![],
            briefing: Some(secret.into()),
            new_angle: Some(secret.into()),
        },
        Event::StageOpened {
            round: 1,
            step: Step::Speaking,
            seats: works.map(seat).to_vec(),
            parallel: true,
            joins: false,
        },
        reasoned,
    ];
    for event in &quoting {
        let shown = |log: &Log| serde_json::to_string(&*for_clients(log.spec(), event).unwrap()).unwrap();
        assert!(!shown(&log).contains(secret), "{event:?}");
        assert!(shown(&formats::fight()).contains(secret));
    }
}
