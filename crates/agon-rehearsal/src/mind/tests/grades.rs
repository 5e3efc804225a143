//! Graders in a rehearsal.

use super::*;

const QUESTION: &str = "Which of the four is number 0?";

fn grade(grader: GraderMind, task: (&str, &[(&str, &str)]), sampling: i64) -> String {
    grade_of(QUESTION, grader, task, sampling)
}

fn grade_of(question: &str, grader: GraderMind, (lead, answers): (&str, &[(&str, &str)]), sampling: i64) -> String {
    let minds = minds(MindWorld { grader, ..MindWorld::default() }, 1);
    let mut context = format!("Lines that begin with \">\" are quoted.\n\nQuestion:\n> {question}\n\n");
    for (title, answer) in answers {
        write!(context, "{title}:\n> {answer}\n\n").unwrap();
    }
    let system = format!("Rules.\n\n# Question\n{lead} Say so.\n\n# Context\n{context}");
    let user = "=== YOUR TURN ===\nYou are Grader 1.\nGive your opening statement\n";
    let brief = Brief::read([("system", system.as_str()), ("user", user)].into_iter());
    minds.turn(MindCall { model: "m", system: &system, sampling: Some(sampling), brief: &brief }).unwrap().answer
}

fn single(grader: GraderMind, answer: &str) -> String {
    grade(grader, ("Grade one answer to a question.", &[("Answer to grade", answer)]), 1)
}

fn pair(grader: GraderMind, first: &str, second: &str) -> String {
    let answers = [("First answer", first), ("Second answer", second)];
    grade(grader, ("Compare two answers to a question.", &answers), 1)
}

#[test]
fn a_grader_that_never_errs_accepts_what_is_right() {
    let grader = GraderMind::default();
    assert_eq!([single(grader, "B"), single(grader, "C"), single(grader, "it is b.")], ["met", "not met", "met"]);
    assert_eq!(single(grader, "A or B"), "not met");
    assert_eq!([pair(grader, "B", "A"), pair(grader, "A", "B"), pair(grader, "A", "C")], ["first", "second", "equal"]);
}

#[test]
fn an_answer_to_an_unknown_question_has_the_same_merit_in_any_order_and_sample() {
    let pair = |first: &str, second: &str, sampling: i64| {
        let answers = [("First answer", first), ("Second answer", second)];
        grade_of("Should it rain?", GraderMind::default(), ("Compare two answers to a question.", &answers), sampling)
    };
    let names: Vec<String> = (0..20).map(|at| format!("answer {at}")).collect();
    let mut found = std::collections::BTreeSet::new();
    for (one, other) in names.iter().zip(names.iter().skip(1)) {
        let (first, swapped) = (pair(one, other, 1), pair(other, one, 2));
        assert!(matches!((first.as_str(), swapped.as_str()), ("first", "second") | ("second", "first")), "{first}");
        found.insert(first);
    }
    assert_eq!((found.len(), pair("a", "a", 3).as_str()), (2, "equal"));
    let single = |answer: &str| {
        let lead = "Grade one answer to a question.";
        grade_of("Should it rain?", GraderMind::default(), (lead, &[("Answer to grade", answer)]), 1)
    };
    let met = names.iter().filter(|name| single(name) == "met").count();
    assert!((1..20).contains(&met), "{met}");
}

#[test]
fn a_grader_that_always_errs_accepts_what_is_wrong() {
    let grader = GraderMind { accuracy: 0.0, ..GraderMind::default() };
    assert_eq!([single(grader, "B"), single(grader, "C")], ["not met", "met"]);
    assert_eq!([pair(grader, "B", "A"), pair(grader, "A", "B")], ["second", "first"]);
}

#[test]
fn a_grader_biased_by_order_and_a_lenient_one_do_not_look_at_what_is_said() {
    let biased = GraderMind { order_bias: 1.0, ..GraderMind::default() };
    assert_eq!([pair(biased, "A", "B"), pair(biased, "B", "A")], ["first", "first"]);
    let lenient = GraderMind { leniency: 1.0, ..GraderMind::default() };
    assert_eq!([single(lenient, "B"), single(lenient, "C")], ["met", "met"]);
}

#[test]
fn a_grader_errs_as_often_as_its_accuracy_says() {
    let grader = GraderMind { accuracy: 0.8, ..GraderMind::default() };
    let lead = "Grade one answer to a question.";
    let met = (0..2_000).filter(|seed| grade(grader, (lead, &[("Answer to grade", "B")]), *seed) == "met").count();
    let share = met as f64 / 2_000.0;
    assert!((share - 0.8).abs() < 3.0 * (0.8f64 * 0.2 / 2_000.0).sqrt(), "{share}");
}
