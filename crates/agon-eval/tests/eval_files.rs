//! Eval files, and the files that they name.
use agon_eval::{
    BaselineArm, Count, Design, EvalSurroundings, FoundProgram, Gold, Matching, ReadEval, no_programs, read_eval_file,
};
use agon_spec::{Source, eval_reference_markdown, eval_schema, is_eval_file, render};

fn load(name: &str) -> Result<Vec<u8>, String> {
    match name {
        "q.jsonl" => Ok(b"{\"question\":\"a?\",\"answer\":1}\n{\"question\":\"b?\",\"answer\":2}".to_vec()),
        "bad.csv" => Ok(b"question,options,answer\na?,x|y,z\n".to_vec()),
        "kinds.csv" => Ok(b"question,answer,kind\na?,z,exact\n".to_vec()),
        "programs.csv" => Ok(b"question,answer,kind\na?,z,command\n".to_vec()),
        "panel.md" => Ok(b"# t\n".to_vec()),
        _ => Err(format!("cannot read {name}: there is no such file")),
    }
}

fn read(text: &str) -> ReadEval {
    read_eval_file(&Source::new("eval.yaml", text), EvalSurroundings { load: &load, find: &find })
}

/// Every program but one is there.
fn find(name: &str) -> Result<FoundProgram, String> {
    if name == "gone" {
        return Err("there is no program gone in PATH".to_owned());
    }
    Ok(FoundProgram { path: format!("/bin/{name}"), folder: "/evals".to_owned() })
}

fn told(text: &str) -> String {
    let read = read(text);
    assert!(read.spec.is_none());
    render(&read.diagnostics)
}

#[test]
fn what_an_eval_file_leaves_open_has_its_usual_value() {
    let read = read("questions: q.jsonl\ndebates: {file: panel.md}\n");
    let spec = read.spec.unwrap_or_else(|| panic!("{}", render(&read.diagnostics)));
    assert_eq!((spec.questions.len(), spec.debates[0].name.0.as_str()), (2, "panel"));
    assert_eq!(spec.arms, [BaselineArm::Single, BaselineArm::SelfConsistency]);
    assert_eq!((spec.primary[0].arm.0.as_str(), spec.primary[0].rival.0.as_str()), ("panel", "self_consistency"));
    assert_eq!((spec.matching, spec.count, spec.max_samples), (Matching::Debate, Count::Total, 64));
    assert_eq!((spec.repetitions, spec.worth, spec.alpha, spec.design), (1, 3.0, 0.05, Design::Fixed));
}

#[test]
fn every_key_reaches_the_eval() {
    let read = read(
        "questions: {builtin: logic, count: 12, seed: 3}\ndebates:\n  - {name: wide, file: panel.md, set: {persona_count: 5}, isolated: true}\n\
         arms: [self_consistency, best_of_n, judge_alone]\nprimary: [{arm: wide, rival: best_of_n}]\nmatch: {budget: 9000}\ncount: generated\n\
         max_samples: 16\nrepetitions: 2\nworth: 5\nalpha: 0.01\ndesign: sequential\nconfidence: true\ngrader: {models: [g], same_family: true}\n\
         limits: {tokens: 100, seconds: 60, money: 2.5}\nseed: 9\n",
    );
    let spec = read.spec.unwrap_or_else(|| panic!("{}", render(&read.diagnostics)));
    assert_eq!((spec.questions.len(), spec.questions[0].id.as_str()), (12, "logic-1"));
    assert_eq!((spec.debates[0].isolated, spec.debates[0].template.set["persona_count"].as_u64()), (true, Some(5)));
    assert_eq!(spec.arms, [BaselineArm::SelfConsistency, BaselineArm::BestOfN, BaselineArm::JudgeAlone]);
    assert_eq!(spec.primary[0].rival.0, "best_of_n");
    assert_eq!(
        (spec.matching, spec.count, spec.max_samples, spec.repetitions),
        (Matching::Budget(9000), Count::Generated, 16, 2)
    );
    assert_eq!(
        (spec.worth, spec.alpha, spec.design, spec.confidence, spec.seed),
        (5.0, 0.01, Design::Sequential, true, 9)
    );
    assert_eq!((spec.limits.tokens, spec.limits.seconds, spec.limits.money), (Some(100), Some(60.0), Some(2.5)));
    let grader = spec.grader.unwrap();
    assert_eq!((grader.models, grader.same_family), (vec!["g".to_owned()], true));
}

#[test]
fn every_mistake_of_the_file_is_told_at_once_with_its_line() {
    let told = told(
        "questions: {file: q.jsonl, count: 3}\ndebates:\n  - {file: panel.md}\n  - {file: x/panel.md}\narm: [single]\nprimary: [{arm: pannel, rival: self_consistency}]\nmatch: exact\nmax_samples: 99\n",
    );
    for wanted in [
        "eval.yaml:1:28: error[unused-key]: `count` is for `builtin` questions",
        "eval.yaml:4:12: error[duplicate-name]: two arms are called 'panel'",
        "eval.yaml:5:1: error[unknown-key]: unknown key 'arm'; did you mean `arms`?",
        "eval.yaml:6:17: error[unknown-name]: 'pannel' is no arm of this eval; did you mean `panel`?",
        "eval.yaml:7:8: error[unknown-value]",
        "eval.yaml:8:14: error[out-of-range]",
    ] {
        assert!(told.contains(wanted), "{wanted}\n{told}");
    }
}

#[test]
fn files_that_it_names_are_read_and_their_mistakes_are_told_with_their_lines() {
    let told = told("questions: bad.csv\ndebates: [{file: gone.md}]\n");
    assert!(told.contains("bad.csv:2:"), "{told}");
    assert!(told.contains("eval.yaml:2:18: error[unknown-name]: cannot read gone.md: there is no such file"), "{told}");
}

const PROGRAMS: &str = "\
questions: {builtin: arithmetic, count: 4}
debates: [{file: panel.md}]
commands:
  - {name: mine, run: [python3, mine.py, mine.py, ''], timeout: 90s, budget_of: panel}
  - {name: other, run: [other]}
primary: [{arm: mine, rival: panel}]
scorer: {command: [score, --strict]}
";

#[test]
fn programs_are_found_and_fresh_questions_are_scored_by_the_one_that_scores() {
    let read = read(PROGRAMS);
    let spec = read.spec.unwrap_or_else(|| panic!("{}", render(&read.diagnostics)));
    let [mine, other] = spec.commands.as_slice() else { panic!("{:?}", spec.commands) };
    assert_eq!(mine.program.run, ["/bin/python3", "mine.py", "mine.py", ""]);
    assert_eq!((mine.program.folder.as_str(), mine.timeout_ms, other.timeout_ms), ("/evals", 90_000, 300_000));
    assert_eq!((mine.budget_of.as_ref().map(|arm| arm.0.as_str()), other.budget_of.as_ref()), (Some("panel"), None));
    assert_eq!(spec.scorer.unwrap().run, ["/bin/score", "--strict"]);
    assert!(spec.questions.iter().all(|one| matches!(&one.gold, Gold::Command { answers } if answers.len() == 1)));
}

#[test]
fn mistakes_about_programs_are_told_at_their_keys() {
    let told = told(
        "questions: q.jsonl\ndebates: [{file: panel.md}]\ncommands:\n  - {name: panel, run: [a]}\n  - {name: single, run: [a]}\n  \
         - {name: x, run: []}\n  - {name: y, run: [gone]}\n  - {name: z, run: [a], budget_of: other}\n  - {name: w, run: [3]}\n\
         scorer: {command: a b}\n",
    );
    for wanted in [
        "eval.yaml:4:12: error[duplicate-name]: two arms are called 'panel'",
        "eval.yaml:5:12: error[reserved-name]",
        "eval.yaml:6:20: error[out-of-range]: `commands[2].run` must be a list of a program and its arguments",
        "eval.yaml:8:36: error[unknown-name]: 'other' is no debate of this eval",
        "eval.yaml:9:21: error[wrong-type]: `commands[5].run` must be a list of a program",
        "eval.yaml:10:19: error[wrong-type]: `scorer.command` must be a list of a program",
    ] {
        assert!(told.contains(wanted), "{wanted}\n{told}");
    }
}

#[test]
fn a_program_that_is_not_there_or_has_nothing_to_score_is_an_error_at_its_key() {
    let gone = told(&PROGRAMS.replace("[other]", "[gone]"));
    assert!(
        gone.contains("eval.yaml:5:24: error[unknown-name]: `commands[1].run`: there is no program gone in PATH"),
        "{gone}"
    );
    let none = told("questions: kinds.csv\ndebates: [{file: panel.md}]\nscorer: {command: [a]}\n");
    assert!(none.contains("eval.yaml:3:19: error[unknown-name]: the program scores nothing"), "{none}");
    let unscored = told("questions: programs.csv\ndebates: [{file: panel.md}]\n");
    assert!(unscored.contains("is scored by a program, and none is named"), "{unscored}");
    let source = Source::new("eval.yaml", PROGRAMS);
    let refused = read_eval_file(&source, EvalSurroundings { load: &load, find: &no_programs });
    let refused = render(&refused.diagnostics);
    for key in ["commands[0].run", "commands[1].run", "scorer.command"] {
        assert!(refused.contains(key), "{key} {refused}");
    }
    assert!(refused.contains("run only on the machine of whoever begins the eval"), "{refused}");
}

#[test]
fn too_many_arms_are_refused() {
    let debates: String = (0..16).map(|n| format!("  - {{name: d{n}, file: panel.md}}\n")).collect();
    assert!(
        told(&format!("questions: q.jsonl\ndebates:\n{debates}"))
            .contains("the eval has 18 arms; at most 16 are allowed")
    );
}

#[test]
fn an_eval_file_is_told_from_a_file_of_questions() {
    let is = |name: &str, text: &str| is_eval_file(&Source::new(name, text));
    assert!(is("e.yaml", "questions: q.jsonl\n") && is("e.json", "{\"debates\": []}"));
    assert!(!is("q.yaml", "- {question: a?}\n") && !is("q.json", "{\"questions\": [{\"question\": \"a?\"}]}"));
    assert!(!is("q.csv", "question,answer\na,1\n"));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a switch of the person at the terminal")]
fn the_schema_takes_what_the_reader_takes_and_the_reference_is_the_one_in_the_docs() {
    let validator = jsonschema::validator_for(&eval_schema()).unwrap();
    let good = serde_json::json!({"questions": "q.jsonl", "debates": [{"file": "panel.md"}], "match": {"budget": 5}, "grader": "g"});
    assert!(validator.is_valid(&good));
    let bad = serde_json::json!({"questions": "q.jsonl", "debates": [{"file": "panel.md", "rounds": 3}]});
    assert!(!validator.is_valid(&bad));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/eval-file.md");
    let page = eval_reference_markdown();
    if std::env::var_os("AGON_WRITE_REFERENCE").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(path).unwrap(),
        page,
        "AGON_WRITE_REFERENCE=1 cargo test -p agon-eval writes the page anew"
    );
}
