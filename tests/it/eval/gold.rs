//! What is right stands in an eval's log alone: no prompt, label or debate has it.
use super::planted::{PANEL, logs};
use crate::support::World;
use agon_eval::EvalResult;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Stands in every answer and category, and nowhere else.
const MARKER: &str = "zqgoldqz";

/// Holds an eval of so many questions, and counts the prompts that were recorded.
fn prompts_without_gold(questions: usize) -> usize {
    let world = World::new();
    let mut data = String::new();
    for n in 0..questions {
        let question = serde_json::json!({
            "id": format!("q{n}"),
            "question": format!("Which word stands on page {n}?"),
            "kind": "exact",
            "answer": [format!("{MARKER} {n}"), format!("the {MARKER}")],
            "category": format!("{MARKER}-{}", n % 3),
        });
        writeln!(data, "{question}").unwrap();
    }
    let data = world.file("questions.jsonl", &data);
    let panel = world.file("panel.yaml", PANEL);
    let records = world.path("records");
    let server = world.rehearsal(&["--record", records.to_str().unwrap()]);
    let run = ["eval", "run", &data, "--debate", &panel, "--id", "gold", "--yes", "-q", "--ollama", server.url()];
    let said = world.agon(&run);
    assert!(matches!(said.code, Some(0 | 2)), "{said:?}");

    let prompts: Vec<PathBuf> = std::fs::read_dir(&records).unwrap().map(|file| file.unwrap().path()).collect();
    for prompt in &prompts {
        let body = std::fs::read_to_string(prompt).unwrap();
        assert!(!body.contains(MARKER), "{}: {body}", prompt.display());
    }
    let eval = world.agon(&["eval", "watch", "gold", "--jsonl"]).stdout;
    assert!(eval.contains(MARKER), "the eval's own log has what is right");
    let result: EvalResult =
        serde_json::from_str(&world.agon(&["eval", "export", "result", "gold"]).ok().stdout).unwrap();
    let debates: BTreeSet<&str> = result.cells.iter().flat_map(|cell| &cell.debates).map(String::as_str).collect();
    for (debate, log) in logs(&world, debates) {
        assert!(!format!("{log:?}").contains(MARKER), "labels, spec or log of {debate}");
    }
    prompts.len()
}

#[test]
fn no_prompt_label_or_debate_has_what_is_right() {
    assert!(prompts_without_gold(25) > 600);
}

mod slow {
    #[test]
    fn none_of_ten_thousand_prompts_has_what_is_right() {
        let prompts = super::prompts_without_gold(350);
        assert!(prompts >= 10_000, "{prompts}");
    }
}
