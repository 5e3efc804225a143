//! Minds files, good and bad.

use super::*;

fn problem(text: &str) -> String {
    text.parse::<MindsFile>().unwrap_err().to_string()
}

#[test]
fn a_whole_file_is_read() {
    let file: MindsFile = "\
seed = 7
truth = 0.5
sway = 0
skill = { default = 0.2, \"qwen3:8b\" = 1 }
length = 90
confidence = { shifted = 12 }
difficulty = { spread = 1 }
grader = { order_bias = 0.7 }

[[questions]]
topic = \"How many legs has a spider?\"
answer = 8
difficulty = -1.5

[[questions]]
hash = \"0702b4aefae4243a8df0793e11a74977c4b1a1524d58de4bb32d9194199669a7\"
answer = [\"Bern\", \"Berne\"]
options = [\"Zurich\", \"Bern\", \"Berne\", \"Geneva\"]
distractor = \"Zurich\"
"
    .parse()
    .unwrap();
    assert_eq!((file.world.seed, file.world.truth, file.world.sway, file.world.judge), (7, 0.5, 0.0, 0.8));
    assert_eq!((file.world.skill.of("qwen3:8b"), file.world.skill.of("other")), (1.0, 0.2));
    assert_eq!(file.world.confidence, Some(StatedConfidence { shift: 12.0 }));
    assert_eq!(file.world.difficulty, Difficulty { mean: 0.0, spread: 1.0 });
    assert_eq!(file.world.grader, GraderMind { order_bias: 0.7, ..GraderMind::default() });
    let minds = Minds::from(file);
    assert_eq!(minds.questions[0].difficulty, -1.5);
    assert_eq!(minds.questions[1].candidates, ["Bern", "Zurich", "Geneva"]);
    assert_eq!(minds.questions[1].index("berne."), Some(0));
    let by_hash = minds.find("Rules.\n\n# Question\nWhat is the capital\nof  Switzerland?\n");
    assert_eq!(
        by_hash.map(|question| question.text(0)),
        Some("Bern"),
        "{}",
        blake3::Hash::from_bytes(question::key("What is the capital of Switzerland?"))
    );
    assert!(minds.find("Rules.\n\n# Question\nHow many legs has a spider?\n").is_some());
}

#[test]
fn every_mistake_is_named_with_its_line() {
    let found = problem(
        "truth = 1.5\nsway = nan\nlength = 0\nconfidence = \"high\"\n\n[[questions]]\nanswer = \"x\"\noptions = [\"y\"]\n\
        [[questions]]\nhash = \"12\"\nanswer = \"\"\n",
    );
    for line in [
        "line 1: `truth` is 1.5; write a chance from 0 to 1",
        "line 2: `sway` is NaN",
        "line 3: `length` is 0; write a number of 1 or more",
        "line 4: `confidence` is \"high\"",
        "line 6: `options` has one option",
        "line 6: write `topic`",
        "line 7: `answer` \"x\" is none of the options",
        "line 10: `hash` is no BLAKE3 hash",
        "line 11: `answer` is empty",
    ] {
        assert!(found.contains(line), "{line} in:\n{found}");
    }
}

#[test]
fn a_misspelt_member_is_named_with_its_line() {
    let found = problem("seed = 1\ntruht = 0.5\n");
    assert!(found.starts_with("line 2: ") && found.contains("truht") && found.contains("truth"), "{found}");
    let found = problem("seed = 1\n[[questions]]\ntopic = \"x\"\n");
    assert!(found.contains("answer"), "{found}");
}
