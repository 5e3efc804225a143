use super::*;
use crate::testing::PlantedEval;
use crate::{ArmName, CellEnding, Gold};

fn program(name: &str) -> UserProgram {
    UserProgram { run: vec![name.to_owned()], folder: "/".to_owned() }
}

/// An eval with a method `mine` and a program that scores; its first question is scored by the program and has options.
fn admission() -> EvalAdmission {
    let mut admission = PlantedEval::new(2).admission;
    let name = ArmName("mine".to_owned());
    admission.spec.commands = vec![CommandArm { name, program: program("/m"), timeout_ms: 2_000, budget_of: None }];
    admission.spec.scorer = Some(program("/s"));
    admission.spec.questions[0] = Question {
        options: vec!["Rome".to_owned(), "Paris".to_owned()],
        context: Some("Cities.".to_owned()),
        gold: Gold::Command { answers: vec!["MARK-gold".to_owned()] },
        category: Some("MARK-category".to_owned()),
        ..admission.spec.questions[0].clone()
    };
    admission
}

fn answering(question: u32, budget: Option<u64>) -> ProgramOrder {
    let work = CellWork::Command { arm: ArmName("mine".to_owned()), budget };
    ProgramOrder::of(&admission(), &Cell { question, repetition: 1, work }, 0).unwrap().unwrap()
}

fn scoring(answer: &str) -> ProgramOrder {
    let work = CellWork::Grading { task: GradeTask::Score { answer: answer.to_owned() }, draw: 0 };
    ProgramOrder::of(&admission(), &Cell { question: 0, repetition: 0, work }, 0).unwrap().unwrap()
}

fn printed(output: &str) -> Result<PrintedOutput, ProgramFailure> {
    Ok(PrintedOutput { output: output.to_owned(), complaint: String::new() })
}

fn reason(facts: &Facts) -> &str {
    match &facts.ending {
        CellEnding::Answered => "answered",
        CellEnding::NoAnswer { reason } | CellEnding::Failed { reason } => reason,
    }
}

#[test]
fn a_program_that_answers_gets_one_line_without_what_is_right() {
    let order = answering(0, Some(760));
    assert!(order.input.ends_with("}\n") && order.input.matches('\n').count() == 1, "{}", order.input);
    assert!(!order.input.contains("MARK"), "{}", order.input);
    let input: Value = serde_json::from_str(&order.input).unwrap();
    assert_eq!((&input["question"], &input["context"]), (&json!("What is 0 + 0?"), &json!("Cities.")));
    assert_eq!((&input["options"], &input["repetition"]), (&json!(["Rome", "Paris"]), &json!(1)));
    assert_eq!((&input["budget"], &input["count"]), (&json!(760), &json!("total")));
    assert!(input["seed"].as_u64().unwrap() < 1 << 53);
    assert_eq!(order.timeout, Duration::from_secs(2));
    // the seed follows from the eval's, the question and the attempt
    let cell = &order.cell;
    let again = ProgramOrder::of(&admission(), cell, 0).unwrap().unwrap();
    assert_eq!(again, order);
    assert_ne!(ProgramOrder::of(&admission(), cell, 1).unwrap().unwrap().input, order.input);
    let free: Value = serde_json::from_str(&answering(1, None).input).unwrap();
    assert!(free.get("budget").is_none() && free.get("count").is_none());
}

#[test]
fn a_program_that_scores_gets_the_answer_and_what_is_right() {
    let order = scoring("Rome\nor so");
    let input: Value = serde_json::from_str(&order.input).unwrap();
    assert_eq!((&input["answer"], &input["gold"]), (&json!("Rome\nor so"), &json!(["MARK-gold"])));
    assert_eq!(input["question"]["options"], json!(["Rome", "Paris"]));
    assert_eq!((order.timeout, order.input.matches('\n').count()), (SCORER_TIMEOUT, 1));
}

#[test]
fn a_debate_is_no_order_of_a_program() {
    let work = CellWork::Debate { arm: ArmName("panel".to_owned()) };
    assert!(ProgramOrder::of(&admission(), &Cell { question: 0, repetition: 0, work }, 0).is_none());
}

#[test]
fn an_answer_has_its_usage_and_of_options_the_text() {
    let usage = r#"{"prompt_tokens": 90, "generated_tokens": 10, "cached_tokens": 5, "calls": 3, "seconds": 1.5}"#;
    let facts = answering(0, None).facts(printed(&format!("{{\"answer\": \"b\", \"usage\": {usage}}}\n")));
    assert_eq!((reason(&facts), facts.answer.as_deref()), ("answered", Some("Paris")));
    let cost = &facts.cost;
    assert_eq!((cost.calls, cost.unknown_calls, cost.prompt, cost.generated), (3, 0, 90, 10));
    assert_eq!((cost.cached, cost.seconds, cost.tokens(), cost.estimated()), (Some(5), Some(1.5), 100, 0));
    let number = answering(1, None).facts(printed("{\"answer\": 4.0, \"more\": 1}"));
    assert_eq!(number.answer.as_deref(), Some("4.0"));
    let free = answering(1, None).facts(printed("{\"answer\": 4, \"usage\": {\"calls\": 0}}"));
    assert_eq!((free.cost.calls, free.cost.tokens()), (0, 0));
}

#[test]
fn usage_that_cannot_be_is_a_failure_of_the_program() {
    for (usage, said) in [
        (
            r#"{"prompt_tokens": 18446744073709551615, "generated_tokens": 0}"#,
            "`usage.prompt_tokens` is 18446744073709551615",
        ),
        (r#"{"prompt_tokens": 1, "generated_tokens": 1000000000001}"#, "at most 1000000000000 are allowed"),
        (r#"{"prompt_tokens": 30000, "generated_tokens": 1000, "calls": 0}"#, "`usage.calls` is 0"),
        (r#"{"seconds": 50, "calls": 0}"#, "`usage.calls` is 0"),
    ] {
        let facts = answering(1, None).facts(printed(&format!("{{\"answer\": \"4\", \"usage\": {usage}}}")));
        assert_eq!((reason(&facts), facts.answer.as_deref()), ("program_output", None), "{usage}");
        assert!(facts.detail.as_deref().unwrap().contains(said), "{facts:?}");
    }
}

#[test]
fn usage_that_a_program_does_not_say_is_unknown_and_estimated() {
    let silent = answering(1, None).facts(printed("{\"answer\": \"4\"}"));
    assert_eq!((silent.cost.calls, silent.cost.unknown_calls, silent.cost.prompt), (1, 1, 0));
    assert!(silent.cost.estimated_prompt > 0 && silent.cost.estimated_generated > 0, "{:?}", silent.cost);
    let half =
        answering(1, None).facts(printed("{\"answer\": \"4\", \"usage\": {\"prompt_tokens\": 7, \"calls\": 2}}"));
    assert_eq!((half.cost.unknown_calls, half.cost.prompt, half.cost.estimated_prompt), (2, 7, 0));
    assert!(half.cost.estimated_generated > 0);
}

#[test]
fn null_and_nothing_are_no_answer_and_no_failure() {
    for output in ["{\"answer\": null}", "{\"answer\": \" \"}"] {
        let facts = answering(1, None).facts(printed(output));
        assert_eq!(facts.ending, CellEnding::NoAnswer { reason: "none_given".to_owned() }, "{output}");
        assert_eq!(facts.answer, None);
    }
}

#[test]
fn bad_output_fails_and_says_why() {
    let long = format!("{{\"answer\": \"{}\"}}", "x".repeat(MOST_PROGRAM_ANSWER + 1));
    for (output, why) in [
        ("", "nothing"),
        ("4", "something else than one JSON object"),
        ("{\"answer\": ", "bad JSON"),
        ("{\"answer\": 4} {\"answer\": 5}", "bad JSON"),
        ("{\"result\": 4}", "missing field `answer`"),
        ("{\"answer\": [4]}", "no text, number or null"),
        ("{\"answer\": 4, \"usage\": {\"tokens\": 3}}", "unknown field `tokens`"),
        ("{\"answer\": 4, \"usage\": {\"prompt_tokens\": -3}}", "bad JSON"),
        ("{\"answer\": 4, \"usage\": {\"prompt_tokens\": 3, \"cached_tokens\": 4}}", "more than"),
        ("{\"answer\": 4, \"usage\": {\"seconds\": -1}}", "seconds"),
        (long.as_str(), "65536 are allowed"),
    ] {
        let facts = answering(1, None).facts(printed(output));
        assert_eq!(reason(&facts), "program_output", "{output}");
        assert!(facts.detail.as_ref().unwrap().contains(why), "{:?} {why}", facts.detail);
        assert_eq!((facts.answer, facts.cost.unknown_calls), (None, 1));
    }
}

#[test]
fn a_run_that_failed_says_what_the_program_complained_of() {
    let failure = |fault| {
        let (detail, complaint) = ("it ended with exit status: 1".to_owned(), "no key".to_owned());
        Err(ProgramFailure { fault, detail, complaint })
    };
    let facts = answering(1, None).facts(failure(ProgramFault::Ended));
    assert_eq!(reason(&facts), "program_failed");
    assert_eq!(facts.detail.as_deref(), Some("it ended with exit status: 1; it says: no key"));
    assert_eq!((facts.cost.calls, facts.cost.unknown_calls), (1, 1));
    let facts = answering(1, None).facts(failure(ProgramFault::NotStarted));
    assert_eq!((reason(&facts), facts.cost.calls), ("program_not_started", 0));
    let facts = scoring("x").facts(failure(ProgramFault::Timeout));
    assert_eq!((reason(&facts), facts.score, facts.cost.calls), ("program_timeout", None, 0));
}

#[test]
fn a_score_is_a_number_from_0_to_1_and_anything_else_no_score() {
    for (output, score) in
        [("{\"score\": 0}", 0.0), ("{\"score\": 0.25, \"why\": \"x\"}\n", 0.25), ("{\"score\": 1}", 1.0)]
    {
        let facts = scoring("x").facts(printed(output));
        assert_eq!((facts.score, reason(&facts)), (Some(score), "answered"), "{output}");
    }
    let bad = [
        "{\"score\": 1.01}",
        "{\"score\": -0.1}",
        "{\"score\": \"1\"}",
        "{\"score\": null}",
        "{\"score\": NaN}",
        "1",
        "{}",
    ];
    for output in bad {
        let facts = scoring("x").facts(printed(output));
        assert_eq!((facts.score, reason(&facts)), (None, "program_output"), "{output}");
    }
}
