//! The fuzzer finds what is there to be found, and says how it was found.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]
use std::process::{Command, Output};

fn fuzz(folder: &std::path::Path, words: &[&str]) -> Output {
    let limits = ["--seconds", "60"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon-fuzz"));
    command.arg("--findings").arg(folder).args(limits).args(words).output().unwrap()
}

#[test]
fn every_kind_of_planted_fault_is_found_and_kept() {
    let plants = [
        ("panic", "60", "planted"),
        ("hang", "1", "longer than 1 s"),
        ("memory", "60", "MiB"),
        ("stack", "60", "signal"),
    ];
    for (plant, seconds, said) in plants {
        let folder = tempfile::tempdir().unwrap();
        let output = fuzz(
            folder.path(),
            &[
                "--inputs",
                "200",
                "--input-seconds",
                seconds,
                "--memory",
                "600",
                "--target",
                "planted",
                "--plant",
                plant,
            ],
        );
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{plant}: {text}");
        assert!(text.contains("FINDING") && text.contains(said), "{plant}: {text}");
        let kept = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap());
        let kept: Vec<_> = kept.filter(|entry| entry.file_name() != "current").collect();
        assert_eq!(kept.len(), 1, "{plant}");
        assert_eq!(std::fs::read(kept[0].path()).unwrap(), [7], "{plant}");
    }
}

#[test]
fn every_target_runs_some_inputs_without_a_finding() {
    let folder = tempfile::tempdir().unwrap();
    let output = fuzz(folder.path(), &["--inputs", "20", "--input-seconds", "30", "--memory", "1024"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&output.stderr));
    for target in
        ["file", "alias", "expression", "schema", "bus", "record", "rest", "ollama", "openai", "answer", "mcp"]
    {
        assert!(text.lines().any(|line| line.starts_with(target)), "{target}: {text}");
    }
}
