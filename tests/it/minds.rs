//! Speakers who know answers: `agon rehearsal --minds`.
use crate::support::{World, example};
use serde_json::Value;

const DEBATE: &str = "\
topic: Which of the planets has the shortest day?
mode: deliberative
answer: {kind: choice, options: [Mercury, Earth, Jupiter, Neptune]}
ballots: both
max_rounds: 1
model: m
personas: [{name: Ada}, {name: Ben}, {name: Cleo}]
";

const QUESTIONS: &str = "
[[questions]]
topic = \"Which of the planets has the shortest day?\"
answer = \"Jupiter\"
options = [\"Mercury\", \"Earth\", \"Jupiter\", \"Neptune\"]

[[questions]]
topic = \"For how many minutes does the train move between departure and arrival?\"
answer = \"125\"
";

/// The result of a debate file whose speakers are of this world.
fn held(text: &str, minds: &str, strategy: &str) -> Value {
    let world = World::new();
    let file = world.file("debate.yaml", &format!("{text}consensus_strategy: {strategy}\n"));
    let minds = world.file("minds.toml", &format!("{minds}{QUESTIONS}"));
    let server = world.rehearsal(&["--minds", &minds]);
    world.json(&["run", &file, "--ollama", server.url(), "--seed", "3", "--json", "--no-reports"])
}

fn debate(minds: &str, strategy: &str) -> Value {
    held(DEBATE, minds, strategy)
}

fn poll(minds: &str, strategy: &str) -> Value {
    held(&std::fs::read_to_string(example("poll.yaml")).unwrap(), minds, strategy)
}

/// What the ballots before or after the rounds were for.
fn ballots(result: &Value, stage: &str) -> Vec<String> {
    let of_stage = |ballot: &&Value| ballot["stage"] == stage;
    let cast = result["ballots"].as_array().unwrap().iter().filter(of_stage);
    cast.map(|ballot| ballot["choice"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn speakers_who_know_the_answer_give_it_in_ballots_votes_and_samples() {
    let result = debate("skill = 20\nsway = 0\n", "vote");
    assert_eq!(result["verdict"]["winner"], "Jupiter", "{result}");
    assert_eq!(ballots(&result, "initial"), ["Jupiter"; 3], "{result}");
    let result = poll("skill = 20\n", "vote");
    assert_eq!(result["verdict"]["winner"], "125", "{result}");
}

#[test]
fn a_judge_picks_the_right_answer_of_those_that_were_stated() {
    let result = poll("skill = 20\njudge = 1\n", "judge");
    assert_eq!(result["verdict"]["winner"], "125", "{result}");
    let wrong = poll("skill = -20\njudge = 1\n", "judge");
    assert_ne!(wrong["verdict"]["winner"], "125", "{wrong}");
}

#[test]
fn speakers_who_do_not_know_the_answer_are_wrong_and_stay_so() {
    let result = debate("skill = -20\ntruth = 1\nsway = 0\n", "vote");
    let first = ballots(&result, "initial");
    assert!(first.len() == 3 && first.iter().all(|choice| choice != "Jupiter"), "{result}");
    assert_eq!(ballots(&result, "final"), first, "nobody stated the right answer: {result}");
}

#[test]
fn a_bad_minds_file_is_refused_with_the_line() {
    let world = World::new();
    let minds = world.file("minds.toml", &format!("truth = 2\n{QUESTIONS}"));
    let said = world.agon(&["rehearsal", "--minds", &minds]).code(64);
    assert!(said.stderr.contains("line 1: `truth` is 2; write a chance from 0 to 1"), "{said:?}");
    let none = world.file("none.toml", "truth = 1\n");
    assert!(world.agon(&["rehearsal", "--minds", &none]).code(64).stderr.contains("[[questions]]"));
}
