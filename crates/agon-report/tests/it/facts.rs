//! What stands right under the winner: who changed, what nobody answered, where judges differed.
use crate::log::{Log, ReachedVerdict, admitted};
use crate::reading::{all, between, page};
use crate::shown::minutes;
use crate::{big, formats, scenes};
use agon_core::*;
use agon_report::full_markdown;

/// The lines of a key fact; nothing where there is none.
fn fact(log: &Log, label: &str) -> Option<Vec<String>> {
    let page = page(log);
    let (_, rest) = page.split_once(&format!("<div><dt>{label}</dt>"))?;
    let (lines, _) = rest.split_once("</div>")?;
    let text = |line: &str| line.split("</dd>").next().unwrap_or_default().to_owned();
    Some(lines.split("<dd dir=\"auto\">").skip(1).map(text).collect())
}
#[test]
fn who_changed_is_told_from_what_to_what_and_those_who_did_the_same_together() {
    assert_eq!(fact(&scenes::decided(), "Changed").unwrap(), ["Bruno changed from “Wait a year” to “Invest now”"]);
    let rent = "Rent the capacity of the school kitchen on Saturdays until…";
    assert_eq!(
        fact(&big::big(), "Changed").unwrap(),
        [
            "Abe and Dmitri Volkonsky changed from “Wait a year” to “Invest now”".to_owned(),
            format!("Bruno and Eszter changed from “{rent}” to “Invest now”")
        ]
    );
    assert!(full_markdown(&minutes(&scenes::decided())).contains("- **Changed:** Bruno changed from"));
}

#[test]
fn that_nobody_changed_is_told_only_where_it_is_known() {
    let ballots = |both: usize| {
        let mut log = admitted(scenes::pair());
        for (n, (who, choice)) in [("Ada", scenes::NOW), ("Bruno", scenes::WAIT)].into_iter().enumerate() {
            log.ballot(0, BallotStage::Initial, who, choice, "");
            if n < both {
                log.ballot(2, BallotStage::Final, who, choice, "");
            }
        }
        log.verdict(ReachedVerdict { winner: Some(scenes::NOW.to_owned()), ..ReachedVerdict::of(Outcome::Decided) });
        log.succeed(Outcome::Decided, None);
        log
    };
    assert_eq!(fact(&ballots(2), "Changed").unwrap(), ["nobody changed their ballot"]);
    assert_eq!(fact(&ballots(1), "Changed").unwrap(), ["the one debater whose ballots are both known did not"]);
    assert_eq!(fact(&ballots(0), "Changed"), None);
    for log in [scenes::voted(), scenes::failed(), scenes::cancelled(), scenes::running()] {
        assert_eq!(fact(&log, "Changed"), None);
    }
}

#[test]
fn without_ballots_the_answers_that_speeches_name_say_who_changed() {
    let mut log = admitted(scenes::pair());
    for (round, answer) in [(1, scenes::WAIT), (2, scenes::NOW)] {
        log.speak_as(round, "Bruno", SpeechKind::Argument, "So.", |speech| speech.answer = Some(answer.to_owned()));
    }
    log.verdict(ReachedVerdict::of(Outcome::Inconclusive));
    log.succeed(Outcome::Inconclusive, None);
    assert_eq!(fact(&log, "Changed").unwrap(), ["Bruno changed from “Wait a year” to “Invest now”"]);
}

#[test]
fn what_nobody_answered_links_to_where_it_was_said() {
    let lines = fact(&big::big(), "Left open").unwrap();
    let [first, second] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(first.starts_with("attack by Bruno on Chioma in round 2, unanswered: “Hana leaves out"), "{first}");
    assert!(first.contains("<a href=\"#turn-2-") && first.ends_with(">Read it</a>"), "{first}");
    assert_eq!(second, "10 of 18 attacks were never answered");
}

#[test]
fn that_every_attack_was_answered_is_told_only_where_it_is_known() {
    assert_eq!(fact(&formats::critiques(), "Left open").unwrap(), ["every attack was answered"]);
    let mut hidden = formats::critiques();
    hidden.spec_mut().visible.debaters.history = false;
    assert_eq!(fact(&hidden, "Left open"), None, "what nobody may see is not known");
    assert_eq!(fact(&scenes::decided(), "Left open"), None, "nobody attacked anybody");
}

#[test]
fn judges_who_found_something_else_are_named_with_it() {
    let rent = "Rent the capacity of the school kitchen on Saturdays until…";
    assert_eq!(fact(&big::big(), "Judges differ").unwrap(), [format!("Judge 3 put “{rent}” first")]);
    assert_eq!(
        fact(&scenes::order_sensitive(), "Judges differ").unwrap(),
        ["Judge found for “Invest now” in order 1, for a synthesis in order 2"]
    );
    for log in [scenes::decided(), scenes::synthesis(), scenes::voted(), scenes::running()] {
        assert_eq!(fact(&log, "Judges differ"), None);
    }
}

#[test]
fn no_fact_stands_twice_in_the_head() {
    for log in all() {
        let page = page(&log);
        let head = between(&page, "<header id=\"top\">", "</header>");
        assert!(head.matches("<dt>Left open</dt>").count() <= 1, "{head}");
        assert!(!head.contains("(changed from"), "{head}");
    }
}
