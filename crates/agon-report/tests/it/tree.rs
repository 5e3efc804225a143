//! The argument tree: what follows from a log, and how it is drawn.
use crate::log::{Log, admitted};
use crate::page::Html;
use crate::shown::minutes;
use crate::{formats, scenes};
use agon_core::*;
use agon_report::{ArgumentTree, REHEARSAL, tree_markdown, tree_svg};

/// `T3 Chioma supports T1 Ada`.
fn edges(log: &Log) -> Vec<String> {
    let tree = ArgumentTree::of(&minutes(log));
    let name = |number| &tree.nodes.iter().find(|node| node.number == number).unwrap().speaker;
    let edge = |edge: &agon_report::TreeEdge| {
        let severity = edge.severity.map(|severity| format!(" ({severity})")).unwrap_or_default();
        format!(
            "T{} {} {}{severity} T{} {}",
            edge.from,
            name(edge.from),
            edge.relation.as_str(),
            edge.to,
            name(edge.to)
        )
    };
    tree.edges.iter().map(edge).collect()
}

#[test]
fn critiques_attack_by_severity_and_revisions_revise_and_answer() {
    assert_eq!(
        edges(&formats::critiques()),
        [
            "T4 Bruno attacks (8) T1 Ada",
            "T5 Chioma attacks (3) T1 Ada",
            "T6 Ada supports (0) T2 Bruno",
            "T7 Ada revises T1 Ada",
            "T7 Ada answers T4 Bruno",
            "T7 Ada answers T5 Chioma",
            "T8 Bruno revises T2 Bruno",
        ]
    );
}

#[test]
fn benches_of_one_side_support_each_other_and_points_attack_the_speech() {
    assert_eq!(
        edges(&formats::parliament()),
        [
            "T2 Bruno attacks T1 Ada",
            "T3 Ada answers T2 Bruno",
            "T5 Chioma supports T1 Ada",
            "T5 Chioma attacks T4 Bruno",
        ]
    );
}

#[test]
fn whom_a_speech_is_to_or_names_decides_where_it_goes() {
    assert_eq!(
        edges(&formats::fight()),
        [
            "T3 Bruno attacks T2 Ada",
            "T4 Chioma attacks T2 Ada",
            "T6 Ada attacks T3 Bruno",
            "T7 Bruno attacks T6 Ada",
            "T7 Bruno attacks T4 Chioma",
        ]
    );
}

#[test]
fn nobody_answers_what_he_could_not_see() {
    let mut log = admitted(scenes::pair());
    log.phase(PhaseName::Rounds).round(1, &["Ada", "Bruno"]);
    let ada = log.ask(1, "Ada", crate::log::argument());
    let bruno = log.ask(1, "Bruno", crate::log::argument());
    log.spoke(ada, SpeechKind::Argument, "Buy.", |_| {});
    log.spoke(bruno, SpeechKind::Argument, "I foresee what Ada says.", |_| {});
    assert_eq!(edges(&log), Vec::<String>::new());
    log.speak(2, "Bruno", SpeechKind::Argument, "Now I heard Ada.");
    assert_eq!(edges(&log), ["T3 Bruno attacks T1 Ada"]);
}

#[test]
fn questions_ask_and_answers_answer_them() {
    let mut log = admitted(scenes::pair());
    log.round(1, &["Ada", "Bruno"]);
    log.speak(1, "Bruno", SpeechKind::Argument, "We wait.");
    log.speak_as(1, "Ada", SpeechKind::Question, "Why?", |speech| speech.to = Some("Bruno".into()));
    log.speak_as(1, "Bruno", SpeechKind::Answer, "The loan.", |speech| speech.to = Some("Ada".into()));
    log.speak_as(1, "Ada", SpeechKind::FollowUp, "And then?", |speech| speech.to = Some("Bruno".into()));
    assert_eq!(edges(&log), ["T2 Ada asks T1 Bruno", "T3 Bruno answers T2 Ada", "T4 Ada asks T3 Bruno"]);
}

#[test]
fn a_step_that_is_spoken_against_is_attacked_by_whomever() {
    let mut spec = scenes::pair();
    (spec.mode, spec.debate_format) = (Mode::Deliberative, DebateFormat::ChainOfThought);
    spec.personas.iter_mut().for_each(|persona| persona.stance = None);
    let mut log = admitted(spec);
    log.speak(1, "Ada", SpeechKind::Argument, "1. Claim: buy.");
    log.speak(1, "Bruno", SpeechKind::Argument, "Against step 1 of Ada: no.");
    log.speak(2, "Ada", SpeechKind::Argument, "Bruno has a point.");
    assert_eq!(edges(&log), ["T2 Bruno attacks T1 Ada", "T3 Ada answers T2 Bruno"]);
}

#[test]
fn the_tree_as_mermaid() {
    insta::assert_snapshot!(tree_markdown(&minutes(&formats::critiques())));
}

#[test]
fn the_tree_as_svg() {
    insta::assert_snapshot!(tree_svg(&minutes(&formats::parliament())));
}

#[test]
fn an_empty_debate_has_an_empty_tree_and_a_picture_that_says_so() {
    let log = admitted(scenes::pair());
    assert_eq!(ArgumentTree::of(&minutes(&log)), ArgumentTree::default());
    assert!(!tree_markdown(&minutes(&log)).contains("```"));
    assert!(tree_svg(&minutes(&log)).contains("<desc>0 speeches.</desc>"));
}

#[test]
fn a_huge_debate_keeps_all_in_the_data_and_draws_what_can_be_seen() {
    let mut log = admitted(scenes::pair());
    for round in 1..=100 {
        for who in ["Ada", "Bruno"] {
            log.speak(round, who, SpeechKind::Argument, "Ada and Bruno, once more.");
        }
    }
    let tree = ArgumentTree::of(&minutes(&log));
    assert_eq!(tree.nodes.len(), 200);
    let (mermaid, svg) = (tree_markdown(&minutes(&log)), tree_svg(&minutes(&log)));
    assert!(mermaid.contains("80 later ones are not drawn") && mermaid.len() < 50_000);
    assert_eq!(svg.matches("<g class=\"node ").count(), 120);
    let page = agon_report::html(&minutes(&log)).unwrap();
    Html::parse(&page).assert_sound();
}

#[test]
fn a_rehearsal_stays_marked_in_both_pictures() {
    for (log, times) in [(scenes::grand(true), 1), (scenes::grand(false), 0)] {
        assert_eq!(tree_markdown(&minutes(&log)).matches(REHEARSAL).count(), times);
        assert_eq!(tree_svg(&minutes(&log)).matches(REHEARSAL).count(), times);
    }
}

#[test]
fn a_role_that_is_kept_out_of_reports_is_not_in_the_tree() {
    let mut log = formats::fight();
    log.spec_mut().visible.debaters.history = false;
    assert_eq!(ArgumentTree::of(&minutes(&log)), ArgumentTree::default());
}
