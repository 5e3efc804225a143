//! Rules about what is shipped beside the program and is no Rust: chart, compose file, Dockerfile, configurations, workflows.

use super::finding::Finding;

/// Where such files are.
const FOLDERS: &[&str] = &["helm/", "deploy/", ".github/"];

/// Whether `path` (relative, with `/`) is one of them. Documents have rules of their own.
pub fn is_shipped(path: &str) -> bool {
    FOLDERS.iter().any(|folder| path.starts_with(folder)) && !path.ends_with(".md")
}

/// Everything wrong with the file `path` that holds `text`.
pub fn check(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let mut say = |what: &str| findings.push(Finding::fail(format!("{path}:{}", at + 1), what));
        if line.contains('\t') {
            say("a tab: use spaces");
        }
        if line.ends_with([' ', '\r']) {
            say("white space at the end of the line");
        }
        if names_no_version(line) {
            say("`:latest` is another image tomorrow: name a version");
        }
        if names_no_commit(line) {
            say("the tag of an action can be moved: name its commit, with deploy/pin.sh");
        }
    }
    if !text.is_empty() && (!text.ends_with('\n') || text.ends_with("\n\n")) {
        findings.push(Finding::fail(path, "must end with one line break"));
    }
    findings
}

/// Whether the line takes the image that is the latest on the day of the pull.
fn names_no_version(line: &str) -> bool {
    let code = line.split(" #").next().unwrap_or_default().trim_start();
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || ".-_".contains(c));
    // elsewhere the word may stand for something else: it is a model's tag, too
    let of_images = code.starts_with("FROM ") || code.to_ascii_lowercase().contains("image");
    of_images
        && !code.starts_with('#')
        && code.match_indices(":latest").any(|(at, word)| code.get(at + word.len()..).is_some_and(ends))
}

/// Whether the line uses an action of somebody else by anything but a commit.
fn names_no_commit(line: &str) -> bool {
    let action = line.trim_start().trim_start_matches("- ").strip_prefix("uses: ");
    let action = action.and_then(|action| action.split_whitespace().next()).filter(|action| !action.starts_with("./"));
    let commit = |version: &str| version.len() == 40 && version.bytes().all(|byte| byte.is_ascii_hexdigit());
    action.is_some_and(|action| !action.split_once('@').is_some_and(|(_, version)| commit(version)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "deploy/compose.yaml";

    fn places(text: &str) -> Vec<String> {
        check(FILE, text).into_iter().map(|finding| finding.place).collect()
    }

    #[test]
    fn clean_files_have_no_findings() {
        assert_eq!(
            places("a: 1\n\nb: nats:2.12\n# never x:latest\nimage: x:latest-2\nmodel: x:latest\n"),
            Vec::<String>::new()
        );
        assert_eq!(places(""), Vec::<String>::new());
    }

    #[test]
    fn tabs_and_white_space_at_the_end_are_found_with_their_line() {
        assert_eq!(places("a: 1\n\tb: 2\nc: 3 \n"), [format!("{FILE}:2"), format!("{FILE}:3")]);
        assert_eq!(places("a: 1"), [FILE]);
        assert_eq!(places("a: 1\n\n"), [FILE]);
    }

    #[test]
    fn an_image_without_a_version_is_found() {
        assert_eq!(places("image: ollama/ollama:latest\n"), [format!("{FILE}:1")]);
        assert_eq!(places("FROM \"rust:latest\" AS build\n"), [format!("{FILE}:1")]);
    }

    #[test]
    fn documents_and_programs_are_not_meant() {
        assert!(is_shipped("helm/agon/values.yaml") && is_shipped("deploy/Dockerfile"));
        assert!(is_shipped(".github/workflows/release.yml"));
        assert!(!is_shipped("helm/agon/README.md") && !is_shipped("crates/agon/src/main.rs"));
    }

    #[test]
    fn actions_are_named_by_commit() {
        let commit = format!("      - uses: a/b@{} # v1\n", "0123456789".repeat(4));
        assert_eq!(places(&format!("{commit}    uses: ./.github/workflows/ci.yaml\n")), Vec::<String>::new());
        assert_eq!(places("- uses: a/b@v1\n"), ["deploy/compose.yaml:1"]);
        assert_eq!(places("  uses: a/b\n"), ["deploy/compose.yaml:1"]);
    }
}
