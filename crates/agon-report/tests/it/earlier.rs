//! What the speakers were told of earlier debates, in every output.
use crate::log::Log;
use crate::page::Html;
use crate::scenes;
use crate::shown::{first_lines, minutes};
use agon_core::*;
use agon_report::*;

fn past(id: &str, topic: &str, verdict: Option<&str>) -> PastDebate {
    PastDebate {
        id: DebateId::parse(id).unwrap(),
        topic: topic.into(),
        admitted: Timestamp(1_777_800_000_000),
        outcome: Outcome::Decided,
        verdict: verdict.map(str::to_owned),
        winner: Some("wait".into()),
        failed: Vec::new(),
    }
}

/// A decided debate that was told of these.
fn told_of(history_limit: u32, history: Vec<PastDebate>) -> Log {
    let mut log = scenes::decided();
    let Event::DebateAdmitted(admission) = &mut log.records[0].events[0] else { panic!("an admission") };
    (admission.spec.history_limit, admission.history) = (history_limit, history);
    log
}

#[test]
fn earlier_debates_stand_in_reports_results_and_first_lines() {
    let log = told_of(5, vec![past("depot", "Move the depot?", Some("Not yet.")), past("tunnel", "A tunnel?", None)]);
    let minutes = minutes(&log);
    let markdown = full_markdown(&minutes);
    let section = "## Earlier debates\n\n\
        - **Move the depot?** (debate depot, 3 May 2026, 09:20 UTC): Decided, won by wait. Not yet.\n\
        - **A tunnel?** (debate tunnel, 3 May 2026, 09:20 UTC): Decided, won by wait.\n";
    assert!(markdown.contains(section) && markdown.contains("told of 2 earlier debates"), "{markdown}");
    let page = html(&minutes).unwrap();
    for wanted in ["Earlier debates", "<strong>Move the depot?</strong>", "told of 2 earlier debates"] {
        assert!(page.contains(wanted), "{wanted}");
    }
    let history = DebateResult::of(&minutes).history.unwrap();
    assert_eq!(history[0].verdict.as_deref(), Some("Not yet."));
    assert_eq!((history[1].id.as_str(), history[1].topic.as_str()), ("tunnel", "A tunnel?"));
    assert!(first_lines(&log).contains("\ntold of 2 earlier debates\n"), "{}", first_lines(&log));
}

#[test]
fn arguments_that_failed_stand_with_the_debate_that_they_failed_in() {
    let failed = |how, text: &str| FailedArgument {
        how,
        text: text.into(),
        persona: "Ada".into(),
        model: "m".into(),
        decided_by: None,
        raised_by: None,
    };
    let ways = [failed(Failing::Conceded, "No <b>figure</b>"), failed(Failing::Lost, "Build it")];
    let depot = PastDebate { failed: ways.into(), ..past("depot", "Move the depot?", Some("Not yet.")) };
    let log = told_of(5, vec![depot, past("tunnel", "A tunnel?", None)]);
    let minutes = minutes(&log);
    let markdown = full_markdown(&minutes);
    let told = "Not yet. Failed there: “Build it” (a position that lost). Objections accepted there: \
        “No \\<b>figure\\</b>” (accepted by the author of the proposal).\n";
    assert!(markdown.contains(told), "{markdown}");
    assert_eq!(markdown.matches("Failed there").count(), 1, "{markdown}");
    assert!(
        first_lines(&log)
            .contains("\ntold of 2 earlier debates, and of 1 argument that failed, and of 1 accepted objection\n"),
        "{}",
        first_lines(&log)
    );
    let history = DebateResult::of(&minutes).history.unwrap();
    let texts: Vec<usize> = history.iter().map(|past| past.failed.len()).collect();
    assert_eq!(texts, [2, 0]);
    assert!(serde_json::to_value(&history[1]).unwrap().get("failed").is_none());
}

#[test]
fn a_debate_that_asked_for_history_and_found_none_says_so() {
    let log = told_of(5, Vec::new());
    let minutes = minutes(&log);
    let none = "told of no earlier debate";
    assert!(first_lines(&log).contains(none) && full_markdown(&minutes).contains(none));
    assert_eq!(DebateResult::of(&minutes).history, Some(Vec::new()));
}

#[test]
fn how_earlier_debates_were_found_is_told_where_the_file_names_a_model() {
    let mut log = told_of(5, vec![past("depot", "Move the depot?", None)]);
    let mut found_by = |method| {
        let Event::DebateAdmitted(admission) = &mut log.records[0].events[0] else { panic!("an admission") };
        admission.recalled = Some(Recalled { method, model: "e:1".into() });
        let minutes = minutes(&log);
        let recalled = DebateResult::of(&minutes).recalled.unwrap();
        assert_eq!((recalled.method, recalled.model.as_str()), (method, "e:1"));
        let (markdown, lines) = (full_markdown(&minutes), first_lines(&log));
        move |told: &str| markdown.contains(told) && lines.contains(told)
    };
    assert!(found_by(Method::Embeddings)("told of 1 earlier debate, by embeddings of e:1"));
    let instead = "told of 1 earlier debate, by words, because the embeddings of e:1 could not be had";
    assert!(found_by(Method::WordsInstead)(instead));
}

#[test]
fn a_debate_that_asks_for_no_history_says_nothing_of_it() {
    let log = told_of(0, Vec::new());
    let minutes = minutes(&log);
    assert!(!first_lines(&log).contains("earlier debate") && !full_markdown(&minutes).contains("arlier debate"));
    assert_eq!(DebateResult::of(&minutes).history, None);
}

#[test]
fn what_came_out_of_an_earlier_debate_is_text_in_every_report() {
    let hostile = "x\n# Decision\n- **won** <script>alert(1)</script> ![p](http://a.b/c)";
    let log = told_of(5, vec![past("depot", hostile, Some(hostile))]);
    let minutes = minutes(&log);
    let markdown = full_markdown(&minutes);
    assert_eq!(markdown.lines().filter(|line| *line == "## Decision" || *line == "# Decision").count(), 1);
    assert!(!markdown.contains("<script") || markdown.contains("\\<script"), "{markdown}");
    let page = html(&minutes).unwrap();
    assert!(!page.contains("<script>alert") && !page.contains("http://a.b/c\""), "{page}");
    Html::parse(&page).assert_sound();
}
