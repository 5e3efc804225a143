//! Every debate file under `examples/` must pass the program's own check.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::finding::Finding;

/// Runs `agon check` on each of `files`, and `agon eval check` on the eval files; the findings are what it refuses.
pub fn check(agon: &Path, root: &Path, files: &[PathBuf]) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    if files.is_empty() {
        findings.push(Finding::fail("examples/", "holds no debate file"));
    }
    for file in files {
        let command: &[&str] = if is_eval_file(file) { &["eval", "check"] } else { &["check"] };
        let output = Command::new(agon)
            .args(command)
            .arg(file)
            .current_dir(root)
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start {}", agon.display()))?;
        if !output.status.success() {
            let said = [output.stdout, output.stderr].concat();
            let what =
                format!("`agon {}` refuses it:\n{}", command.join(" "), String::from_utf8_lossy(&said).trim_end());
            findings.push(Finding::fail(file.display().to_string(), what));
        }
    }
    Ok(findings)
}

/// Whether the file says what is compared and not what is debated.
fn is_eval_file(path: &Path) -> bool {
    path.starts_with("examples/eval") && path.extension().is_some_and(|ending| ending == "yaml")
}

/// Whether the file at `path`, relative to the workspace, is a debate file that users are shown. Templates of evals are none: they are
/// checked with the eval file that names them.
pub fn is_debate_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let known = [".md", ".yaml", ".yml", ".json"].iter().any(|ending| name.ends_with(ending));
    let template = path.starts_with("examples/eval/") && name.ends_with(".md");
    path.starts_with("examples/") && known && name != "README.md" && !template
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debate_files_are_told_from_other_files() {
        assert!(is_debate_file("examples/hiring.md"));
        assert!(is_debate_file("examples/a/policy.yaml"));
        assert!(!is_debate_file("examples/README.md"));
        assert!(is_debate_file("examples/eval/eval.yaml") && !is_debate_file("examples/eval/panel.md"));
        assert!(!is_debate_file("examples/cast.py"));
        assert!(!is_debate_file("docs/hiring.md"));
    }

    #[test]
    fn eval_files_are_told_from_debate_files() {
        assert!(is_eval_file(Path::new("examples/eval/eval.yaml")));
        assert!(!is_eval_file(Path::new("examples/eval/panel.md")) && !is_eval_file(Path::new("examples/poll.yaml")));
    }

    #[test]
    fn a_file_that_the_program_refuses_is_reported() {
        let file = [PathBuf::from("examples/a.md")];
        assert_eq!(check(Path::new("true"), Path::new("/"), &file).unwrap(), []);
        assert_eq!(check(Path::new("false"), Path::new("/"), &file).unwrap().len(), 1);
    }

    #[test]
    fn no_examples_at_all_is_a_finding() {
        assert_eq!(check(Path::new("true"), Path::new("/"), &[]).unwrap().len(), 1);
    }
}
