//! Files of questions in every syntax and shape.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail loudly")]
use agon_eval::{
    BuiltinSet, DataShape, DataSource, DataSyntax, Gold, MOST_QUESTIONS, Question, ReadQuestions, Tolerance,
    builtin_questions, read_questions,
};
use agon_spec::{Severity, render};
use std::collections::BTreeSet;

fn read(name: &str, text: &str) -> ReadQuestions {
    read_questions(DataSource { name: name.into(), bytes: text.into(), ..DataSource::default() })
}

fn good(name: &str, text: &str) -> Vec<Question> {
    let read = read(name, text);
    read.questions.unwrap_or_else(|| panic!("{}", render(&read.diagnostics)))
}

fn shaped(name: &str, text: &str, shape: DataShape) -> (DataShape, Vec<Question>) {
    let (found, given) = (
        read(name, text),
        read_questions(DataSource {
            name: name.into(),
            bytes: text.into(),
            shape: Some(shape),
            ..DataSource::default()
        }),
    );
    assert_eq!(found.questions, given.questions, "{}", render(&given.diagnostics));
    (found.mapping.shape.unwrap(), given.questions.unwrap())
}

fn choice(right: usize) -> Gold {
    Gold::Choice { right: vec![right] }
}

fn number(answer: f64) -> Gold {
    Gold::Number { answers: vec![answer], tolerance: Tolerance::Exact }
}

#[test]
fn plain_members_become_a_question() {
    let text = r#"{"id":"q7","question":" Which city? ","options":["Rome","Paris"],"answer":"paris.","context":"Europe.","category":"geo","group":"g1"}"#;
    let [question] = good("a.jsonl", text).try_into().unwrap();
    assert_eq!((question.id.as_str(), question.text.as_str()), ("q7", "Which city?"));
    assert_eq!(
        (question.options.as_slice(), question.gold),
        (["Rome".to_owned(), "Paris".to_owned()].as_slice(), choice(1))
    );
    assert_eq!(question.context.as_deref(), Some("Europe."));
    assert_eq!((question.category.as_deref(), question.group.as_deref()), (Some("geo"), Some("g1")));
}

#[test]
fn without_an_id_a_question_has_the_number_of_its_line() {
    let ids: Vec<_> =
        good("a.jsonl", "\n{\"question\":\"a?\"}\n\n{\"question\":\"b?\"}").into_iter().map(|q| q.id).collect();
    assert_eq!(ids, ["2", "4"]);
}

#[test]
fn the_kind_follows_from_what_a_question_has() {
    let kind = |members: &str| good("a.jsonl", &format!("{{\"question\":\"a?\",{members}}}")).remove(0).gold;
    assert_eq!(kind(r#""options":["x","y"],"answer":0"#), choice(0));
    assert_eq!(kind(r#""answer":"1,200""#), number(1200.0));
    assert_eq!(
        kind(r#""answer":0.5,"tolerance":"2 %""#),
        Gold::Number { answers: vec![0.5], tolerance: Tolerance::Relative(0.02) }
    );
    assert_eq!(
        kind(r#""answer":["Bonn","the city of Bonn"]"#),
        Gold::Exact { answers: vec!["Bonn".into(), "the city of Bonn".into()] }
    );
    assert_eq!(kind(r#""answer":"42","kind":"exact""#), Gold::Exact { answers: vec!["42".into()] });
    assert_eq!(kind(r#""category":"c""#), Gold::Pairwise { answers: vec![] });
    let Gold::Rubric { criteria, .. } = kind(r#""rubric":"1. Names a city\n2. (must) Says why""#) else { panic!() };
    let said: Vec<_> = criteria.iter().map(|criterion| (criterion.text.as_str(), criterion.must)).collect();
    assert_eq!(said, [("Names a city", false), ("Says why", true)]);
}

#[test]
fn an_answer_is_a_text_a_letter_or_an_index_from_0_and_never_a_guess() {
    let right = |options: &str, answer: &str| {
        let read = read("a.jsonl", &format!("{{\"question\":\"a?\",\"options\":{options},\"answer\":{answer}}}"));
        let gold = read.questions.map(|questions| questions[0].gold.clone());
        gold.map(|gold| match gold {
            Gold::Choice { right } => right,
            other => panic!("{other:?}"),
        })
    };
    let cities = r#"["Rome","Paris","Bonn"]"#;
    assert_eq!(right(cities, "\"b\""), Some(vec![1]));
    assert_eq!(right(cities, "\"(C)\""), Some(vec![2]));
    assert_eq!(right(cities, "\"C) Bonn\""), Some(vec![2]));
    assert_eq!(right(cities, "0"), Some(vec![0]));
    assert_eq!(right(cities, "[\"A\",\"bonn\"]"), Some(vec![0, 2]));
    assert_eq!(right(r#"{"x":"Rome","y":"Bonn"}"#, "\"y\""), Some(vec![1]));
    assert_eq!(right(r#"[{"text":"3","label":"1"},{"text":"4","label":"2"}]"#, "\"2\""), Some(vec![1]));
    // 1 is the index of 2, and the text of the first option
    assert_eq!(right(r#"["1","2"]"#, "1"), None);
    assert_eq!(right(r#"["B","A"]"#, "\"A\""), None);
    assert_eq!(right(r#"["1","2"]"#, "\"1\""), Some(vec![0]));
    assert_eq!(right(cities, "3"), None);
    assert_eq!(right(cities, "\"D\""), None);
    assert_eq!(right(cities, "-1"), None);
}

#[test]
fn digits_that_could_be_read_otherwise_are_a_warning_with_both_readings() {
    let told = |name: &str, text: &str| {
        let read = read(name, text);
        assert!(
            read.diagnostics.iter().all(|found| found.severity == Severity::Warning),
            "{}",
            render(&read.diagnostics)
        );
        (read.questions.unwrap(), render(&read.diagnostics))
    };
    // a text in a table is the option with this text
    let (questions, warned) = told("a.csv", "question,A,B,C,answer\n1 + 1?,1,2,3,2\nWhat follows two?,1,2,3,3\n");
    assert_eq!((&questions[0].gold, &questions[1].gold), (&choice(1), &choice(2)));
    let wanted = "a.csv:2:14: warning[combination]: the answer is read as the option '2', and not as the index of '3'";
    assert!(warned.contains(wanted) && warned.matches("warning").count() == 1, "{warned}");
    // so is a label, which is no index
    let (questions, warned) = told("a.csv", "question,choice1,choice2,choice3,answer\nWhich?,iron,ice,salt,2\n");
    assert_eq!(questions[0].gold, choice(1));
    assert!(warned.contains("as the option 'ice', and not as the index of 'salt'"), "{warned}");
    // MMLU has indices; one that can be nothing else shows that the file means them
    let two = r#"{"question":"2 + 2?","choices":["1","4","2"],"answer":1}"#;
    let (questions, warned) = told("a.jsonl", two);
    assert_eq!(questions[0].gold, choice(1));
    assert!(warned.contains("is read as the index of the option '4', and not as the option '1'"), "{warned}");
    let (_, warned) =
        told("a.jsonl", &format!("{two}\n{{\"question\":\"Ice?\",\"choices\":[\"a\",\"b\"],\"answer\":0}}"));
    assert_eq!(warned, "");
}

#[test]
fn gsm8k_keeps_what_follows_the_mark() {
    let text = r#"{"question":"How many?","answer":"5 * 3 = <<5*3=15>>15 apples.\n#### 1,015"}"#;
    let (shape, questions) = shaped("test.jsonl", text, DataShape::Gsm8k);
    assert_eq!((shape, &questions[0].gold), (DataShape::Gsm8k, &number(1015.0)));
}

#[test]
fn mmlu_is_read_as_json_and_as_its_own_tables() {
    let json = r#"{"question":"2 + 2?","subject":"math","choices":["1","4","2","3"],"answer":1}"#;
    let (shape, questions) = shaped("a.jsonl", json, DataShape::Mmlu);
    assert_eq!(
        (shape, &questions[0].gold, questions[0].category.as_deref()),
        (DataShape::Mmlu, &choice(1), Some("math"))
    );
    let table =
        "\"What, then?\",one,two,three,four,C\nAnd \"\"now\"\"?,1,2,3,4,A\n".replace("And \"\"now\"\"?", "And now?");
    let questions = good("abstract_algebra_test.csv", &table);
    assert_eq!((questions[0].text.as_str(), &questions[0].gold), ("What, then?", &choice(2)));
    assert_eq!(questions[1].options, ["1", "2", "3", "4"]);
    assert_eq!(questions[1].gold, choice(0));
}

#[test]
fn arc_is_read_with_its_labels_in_both_its_forms() {
    let own = r#"{"id":"M1","question":{"stem":"Why?","choices":[{"text":"heat","label":"A"},{"text":"cold","label":"B"}]},"answerKey":"B"}"#;
    let (shape, questions) = shaped("a.jsonl", own, DataShape::Arc);
    assert_eq!((shape, questions[0].text.as_str(), &questions[0].gold), (DataShape::Arc, "Why?", &choice(1)));
    let hub = r#"{"id":"M1","question":"Why?","choices":{"text":["heat","cold"],"label":["1","2"]},"answerKey":"1"}"#;
    assert_eq!(shaped("a.jsonl", hub, DataShape::Arc).1[0].gold, choice(0));
}

#[test]
fn samples_of_inspect_and_of_openai_evals_are_read() {
    let sample = r#"{"input":[{"role":"user","content":"Pick."}],"choices":["x","y"],"target":["A"],"metadata":{"category":"c"}}"#;
    let (shape, questions) = shaped("a.jsonl", sample, DataShape::Inspect);
    assert_eq!(
        (shape, &questions[0].gold, questions[0].category.as_deref()),
        (DataShape::Inspect, &choice(0), Some("c"))
    );
    let evals = r#"{"input":[{"role":"system","content":"Be short."},{"role":"user","content":[{"type":"text","text":"Capital?"}]}],"ideal":["Bonn","Berlin"]}"#;
    let (shape, questions) = shaped("a.jsonl", evals, DataShape::OpenaiEvals);
    assert_eq!((shape, questions[0].text.as_str()), (DataShape::OpenaiEvals, "Capital?"));
    assert_eq!(questions[0].gold, Gold::Exact { answers: vec!["Bonn".into(), "Berlin".into()] });
    assert!(render(&read("a.jsonl", evals).diagnostics).contains("messages before the user's last one are not shown"));
}

#[test]
fn tests_of_promptfoo_are_read_as_yaml_and_as_a_table() {
    let yaml = "tests:\n  - vars: {question: Capital?}\n    assert: [{type: equals, value: Bonn}]\n  - vars: {question: Why?}\n    assert:\n      - {type: llm-rubric, value: Gives a reason}\n";
    let (shape, questions) = shaped("promptfooconfig.yaml", yaml, DataShape::Promptfoo);
    assert_eq!((shape, &questions[0].gold), (DataShape::Promptfoo, &Gold::Exact { answers: vec!["Bonn".into()] }));
    assert!(matches!(&questions[1].gold, Gold::Rubric { criteria, .. } if criteria[0].text == "Gives a reason"));
    let (_, questions) =
        shaped("tests.csv", "question,__expected\nCapital?,equals: Bonn\n6 * 7?,42\n", DataShape::Promptfoo);
    assert_eq!(questions[1].gold, number(42.0));
}

#[test]
fn topics_alone_are_read_from_lines_lists_and_tables() {
    for (name, text) in [
        ("a.txt", "Tea or coffee?\n\nCats or dogs?\n"),
        ("a.yaml", "- Tea or coffee?\n- Cats or dogs?\n"),
        ("a.json", "[\"Tea or coffee?\", \"Cats or dogs?\"]"),
        ("a.csv", "topic\nTea or coffee?\nCats or dogs?\n"),
        ("a.csv", "Tea or coffee?\nCats or dogs?\n"),
    ] {
        let questions = good(name, text);
        assert_eq!(questions.iter().map(|q| q.text.as_str()).collect::<Vec<_>>(), ["Tea or coffee?", "Cats or dogs?"]);
        assert!(questions.iter().all(|question| question.gold == Gold::Pairwise { answers: vec![] }));
    }
}

#[test]
fn tables_may_be_parted_by_semicolons_or_tabs_and_hold_options_in_columns() {
    for text in [
        "question;option_a;option_b;option_c;answer\n\"A; or?\nB?\";1;2;;b\nNo?;yes;no;maybe;2\n",
        "question\tA\tB\tC\tanswer\n\"A; or?\nB?\"\t1\t2\t\tB\nNo?\tyes\tno\tmaybe\tmaybe\n",
    ] {
        let questions = good("a.csv", text);
        assert_eq!((questions[0].text.as_str(), questions[0].options.len()), ("A; or?\nB?", 2));
        assert_eq!((&questions[0].gold, &questions[1].gold), (&choice(1), &choice(2)));
        assert_eq!(questions[1].id, "4");
    }
    let questions = good("a.csv", "question,options,answer\nOne?,x|y|z,a|c\nTwo?,\"[\"\"x, y\"\", \"\"z\"\"]\",z\n");
    assert_eq!((&questions[0].gold, &questions[1].gold), (&Gold::Choice { right: vec![0, 2] }, &choice(1)));
}

#[test]
fn the_mapping_says_what_was_read_from_where_and_what_was_not_used() {
    let text = "question,target,subject,source,anwser\na?,1,x,web,2\nb?,2,y,web,3\n";
    let read = read("a.csv", text);
    let mapping = read.mapping;
    assert_eq!((mapping.syntax, mapping.shape, mapping.rows), (Some(DataSyntax::Csv), Some(DataShape::Plain), 2));
    let members: Vec<_> =
        mapping.members.iter().map(|m| (m.member.as_str(), m.from[0].as_str(), m.questions)).collect();
    assert_eq!(members, [("question", "question", 2), ("answer", "target", 2), ("category", "subject", 2)]);
    assert_eq!((mapping.unused, mapping.categories), (vec!["source".to_owned(), "anwser".to_owned()], 2));
    assert!(render(&read.diagnostics).contains("did you mean `answer`?"));
}

#[test]
fn the_same_question_twice_is_an_error_and_nearly_the_same_one_a_warning() {
    let same = read("a.txt", "Tea or coffee?\ntea  OR coffee?\n");
    assert!(same.questions.is_none());
    assert!(
        render(&same.diagnostics)
            .contains("a.txt:2:1: error[duplicate-item]: the question is the same as that on line 1")
    );
    let words = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen";
    let near =
        read("a.txt", &format!("{words} twenty\n{words} thirty\n{}\n", words.replace("two", "2").replace("nine", "9")));
    assert!(near.questions.is_some());
    let told = render(&near.diagnostics);
    assert!(
        told.contains("a.txt:2:1: warning[duplicate-item]: the question has nearly the same words as that on line 1"),
        "{told}"
    );
    assert_eq!(near.diagnostics.len(), 1, "{told}");
    // what differs in its options or its passage is another question
    good("a.jsonl", "{\"question\":\"Why?\",\"context\":\"a\"}\n{\"question\":\"Why?\",\"context\":\"b\"}");
}

#[test]
fn every_mistake_is_told_at_once() {
    let read = read(
        "a.jsonl",
        "{\"question\":\"a?\",\"options\":[\"x\"],\"answer\":0}\n{\"anser\":1}\n{oops}\n{\"question\":\"b?\",\"kind\":\"number\",\"answer\":\"x\"}",
    );
    let lines: BTreeSet<usize> = read.diagnostics.iter().map(|found| found.place.line).collect();
    assert_eq!(lines, BTreeSet::from([1, 2, 3, 4]));
    assert!(read.diagnostics.iter().any(|found| found.severity == Severity::Error));
}

#[test]
fn too_many_questions_values_or_bytes_are_refused() {
    let many: String = (0..=MOST_QUESTIONS).map(|n| format!("question number {n}?\n")).collect();
    assert!(
        render(&read("a.txt", &many).diagnostics)
            .contains("a.txt:10001:1: error[out-of-range]: the file has 10001 questions")
    );
    let bomb = format!("[{}]", vec!["[]"; 1_200_000].join(","));
    assert!(render(&read("a.json", &bomb).diagnostics).contains("too-complex"));
    let wide = "x,".repeat(600_000);
    assert!(render(&read("a.csv", &format!("question,{wide}\n")).diagnostics).contains("error"));
}

#[test]
fn builtin_questions_are_all_different_follow_from_the_seed_and_cover_their_kinds() {
    for set in BuiltinSet::ALL {
        let questions = builtin_questions(*set, 300, 7);
        assert_eq!(questions.len(), 300, "{}", set.as_str());
        assert_eq!(questions, builtin_questions(*set, 300, 7));
        assert_ne!(questions, builtin_questions(*set, 300, 8));
        let texts: BTreeSet<&str> = questions.iter().map(|question| question.text.as_str()).collect();
        assert_eq!(texts.len(), 300);
        let kinds: BTreeSet<&str> = questions.iter().map(|question| question.gold.kind_name()).collect();
        assert!(kinds.len() >= 2, "{kinds:?}");
        let categories: BTreeSet<_> = questions.iter().map(|question| question.category.clone()).collect();
        assert!(categories.len() >= 12, "{categories:?}");
        for question in &questions {
            let Gold::Choice { right } = &question.gold else { continue };
            assert!((2..=26).contains(&question.options.len()) && right[0] < question.options.len(), "{question:?}");
            let different: BTreeSet<&String> = question.options.iter().collect();
            assert_eq!(different.len(), question.options.len(), "{question:?}");
        }
    }
}

#[test]
fn names_of_members_are_read_in_capitals_too_and_told_as_written() {
    let read = read("a.csv", "Question,Option_A,Option_B,ANSWER\nWhich city?,Rome,Paris,B\n");
    let [question] = read.questions.unwrap().try_into().unwrap();
    assert_eq!((question.text.as_str(), question.gold), ("Which city?", choice(1)));
    assert_eq!(read.diagnostics, []);
    let from: Vec<_> = read.mapping.members.iter().map(|member| member.from.join(" ")).collect();
    assert_eq!(from, ["Question", "option_a to option_b", "ANSWER"]);
}

#[test]
fn columns_that_nobody_is_shown_are_named_in_one_warning() {
    let read =
        read("a.csv", "question,source,answer,hint\nWhich city?,atlas,Paris,north\nWhich river?,atlas,Seine,north\n");
    let [warning] = read.diagnostics.try_into().unwrap();
    assert_eq!(warning.message, "not used, and shown to nobody: 'source', 'hint'");
    assert_eq!((warning.severity, warning.place.line, warning.place.column), (Severity::Warning, 1, 10));
}

#[test]
fn a_misnamed_question_is_one_problem() {
    let read = read("a.csv", "qestion,answer\nWhich city?,Paris\n");
    let [error] = read.diagnostics.try_into().unwrap();
    assert_eq!(error.message, "the question has no `question`; is 'qestion' meant as `question`?");
    assert_eq!((error.severity, error.place.line), (Severity::Error, 1));
}

#[test]
fn letters_are_answers_where_the_kind_says_so() {
    let text = "question,kind,answer\nWhich letter follows B?,exact,C\n";
    let [question] = good("a.csv", text).try_into().unwrap();
    assert_eq!(question.gold, Gold::Exact { answers: vec!["C".to_owned()] });
    assert!(read("a.csv", &text.replace("exact", "")).questions.is_none());
}

#[test]
fn a_question_is_text_without_control_characters() {
    for question in ["5", "\"Which\\u0000city?\""] {
        let read = read("a.jsonl", &format!("{{\"question\": {question}, \"answer\": \"Paris\"}}\n"));
        assert!(read.questions.is_none(), "{question}");
        assert_eq!(read.diagnostics.first().map(|found| found.field.as_str()), Some("question"));
    }
}
