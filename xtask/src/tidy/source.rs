//! Rules about single source files: their size, words that may not stand in them, and their crate docs.

use super::finding::Finding;
use super::scan::{SourceFile, SourceLine};

const CODE_LINES_WARN: usize = 300;
const LINES_FAIL: usize = 500;

/// Places that may start a task which no tracker owns, and why. Tests may too.
const SPAWN_OWNERS: &[(&str, &str)] = &[
    ("crates/agon-console/src/live/hub.rs", "a hub aborts its task when nobody watches"),
    ("crates/agon-rehearsal/src/", "each connection of the rehearsal server lives and dies with its socket"),
];

/// Places that look after processes from outside, which tell nobody when something has happened.
const SLEEPERS: &[&str] = &["xtask/", "tests/kit/", "tests/chaos/"];

/// Where files are read that nobody names, or up to a limit of their own.
const READERS: &[&str] = &[
    "crates/agon-files/",
    "crates/agon-store/src/owner.rs",
    "crates/agon-tools/src/rag/files.rs",
    "crates/agon/src/checkup/machine.rs",
    "crates/agon/src/serve/plan.rs",
];

/// A word that may not stand in code.
struct BannedWord {
    words: &'static [&'static str],
    applies: fn(path: &str, line: &SourceLine<'_>) -> bool,
    instead: &'static str,
}

const BANS: &[BannedWord] = &[
    BannedWord {
        words: &["#[allow(", "#![allow("],
        applies: |_, _| true,
        instead: "use #[expect(lint, reason = \"...\")], which reports itself when it is no longer needed",
    },
    BannedWord {
        words: &["todo!(", "unimplemented!("],
        applies: |_, _| true,
        instead: "build it, or refuse the request by name with a typed error",
    },
    BannedWord { words: &["#[ignore"], applies: |_, _| true, instead: "a test runs or is deleted" },
    BannedWord {
        words: &["tokio::spawn(", "tokio::task::spawn("],
        applies: |path, line| !line.in_test && !is_test_file(path) && !owns_its_tasks(path),
        instead: "spawn on the task tracker, so that shutdown joins it (or add the owner to xtask/src/tidy/source.rs)",
    },
    BannedWord {
        words: &["fs::read(", "fs::read_to_string(", "File::open(", "from_pem_file(", "pem_file_iter("],
        applies: |path, line| path.starts_with("crates/") && !line.in_test && !is_test_file(path) && !is_reader(path),
        instead: "agon_files reads a file that was named up to a limit, and refuses devices and pipes (or add the place to \
                  xtask/src/tidy/source.rs)",
    },
    BannedWord {
        words: &["thread::sleep("],
        applies: |path, _| !SLEEPERS.iter().any(|folder| path.starts_with(folder)),
        instead: "wait for the event itself; in tests pause the clock",
    },
];

/// Everything wrong with the file `path` (relative, with `/`) that holds `text`.
pub fn check(path: &str, text: &str) -> Vec<Finding> {
    let source = SourceFile::new(text);
    let mut findings = banned_words(path, &source);
    if !is_test_file(path) {
        findings.extend(size(path, &source));
    }
    findings
}

/// Whether `text`, the root file of a crate, documents the crate and ends with an `Invariant:` paragraph.
pub fn check_crate_docs(path: &str, text: &str) -> Option<Finding> {
    let docs = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect::<Vec<_>>();
    let last = docs.rsplit(|line| line.is_empty()).find(|paragraph| !paragraph.is_empty()).unwrap_or_default();
    let says = last.first().is_some_and(|line| line.starts_with("Invariant:"));
    (!says).then(|| Finding::fail(path, "crate docs must end with a paragraph that starts with `Invariant:`"))
}

/// Generated code is checked by its generator, not here.
pub fn is_generated(path: &str) -> bool {
    path.contains("/generated/")
}

fn is_test_file(path: &str) -> bool {
    path.starts_with("tests/") || path.contains("/tests/") || path.ends_with("/tests.rs") || path.ends_with("_tests.rs")
}

fn owns_its_tasks(path: &str) -> bool {
    SPAWN_OWNERS.iter().any(|(owner, _)| path.starts_with(owner))
}

fn is_reader(path: &str) -> bool {
    READERS.iter().any(|place| path.starts_with(place))
}

fn banned_words(path: &str, source: &SourceFile) -> Vec<Finding> {
    source
        .lines()
        .flat_map(|line| {
            BANS.iter()
                .filter(|ban| (ban.applies)(path, &line))
                .filter_map(|ban| {
                    let word = ban.words.iter().find(|word| line.code.contains(**word))?;
                    Some(Finding::fail(format!("{path}:{}", line.number), format!("`{word}`: {}", ban.instead)))
                })
                .collect::<Vec<_>>()
        })
        .collect()
}

fn size(path: &str, source: &SourceFile) -> Option<Finding> {
    let (mut total, mut code) = (0, 0);
    for line in source.lines().filter(|line| !line.in_test) {
        total += 1;
        code += usize::from(!line.code.trim().is_empty());
    }
    if total > LINES_FAIL {
        Some(Finding::fail(path, format!("{total} lines outside tests, at most {LINES_FAIL}: split it")))
    } else if code > CODE_LINES_WARN {
        Some(Finding::warn(path, format!("{code} lines of code outside tests, better at most {CODE_LINES_WARN}")))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::finding::Level;

    const FILE: &str = "crates/agon-runtime/src/a.rs";

    #[test]
    fn banned_words_are_found_with_their_line() {
        let found =
            check(FILE, "fn a() {}\n#[allow(dead_code)]\nfn b() { todo!(\"x\") }\n#[ignore = \"slow\"]\nfn c() {}\n");
        let places = found.iter().map(|finding| finding.place.as_str()).collect::<Vec<_>>();
        assert_eq!(places, [format!("{FILE}:2"), format!("{FILE}:3"), format!("{FILE}:4")]);
    }

    #[test]
    fn banned_words_in_comments_and_strings_are_no_findings() {
        assert_eq!(check(FILE, "// todo!() and #[allow(x)]\nconst A: &str = \"tokio::spawn(\";\n"), []);
    }

    #[test]
    fn spawning_is_for_tests_and_listed_owners() {
        let code = "fn a() { tokio::spawn(b()); }\n";
        assert_eq!(check(FILE, code).len(), 1);
        assert_eq!(check("crates/agon-rehearsal/src/server.rs", code), []);
        assert_eq!(check("tests/it/main.rs", code), []);
        assert_eq!(check(FILE, "#[cfg(test)]\nmod tests {\n    fn a() { tokio::spawn(b()); }\n}\n"), []);
    }

    #[test]
    fn files_are_read_up_to_a_limit_wherever_they_are_named() {
        for code in [
            "fn a() { std::fs::read(b); }\n",
            "fn a() { tokio::fs::read_to_string(b); }\n",
            "fn a() { File::open(b); }\n",
        ] {
            assert_eq!(check(FILE, code).len(), 1, "{code}");
            assert_eq!(check("crates/agon-files/src/lib.rs", code), []);
            assert_eq!(check("tests/it/main.rs", code), []);
            assert_eq!(check(FILE, &format!("#[cfg(test)]\nmod tests {{\n    {code}}}\n")), []);
        }
    }

    #[test]
    fn sleeping_threads_are_refused_even_in_tests() {
        assert_eq!(check("tests/it/main.rs", "fn a() { std::thread::sleep(x); }\n").len(), 1);
    }

    #[test]
    fn size_counts_code_but_not_tests() {
        let long = "fn a() {}\n".repeat(301);
        assert_eq!(check(FILE, &long).first().map(|finding| finding.level), Some(Level::Warn));
        assert_eq!(check(FILE, &"// why\n".repeat(301)), []);
        assert_eq!(check(FILE, &"// why\n".repeat(501)).first().map(|finding| finding.level), Some(Level::Fail));
        let tests = format!("#[cfg(test)]\nmod tests {{\n{long}{long}}}\n");
        assert_eq!(check(FILE, &tests), []);
        assert_eq!(check("crates/agon-core/tests/model.rs", &long.repeat(2)), []);
    }

    #[test]
    fn crate_docs_must_end_with_an_invariant() {
        let good = "//! A crate.\n//!\n//! Invariant: no IO,\n//! ever.\n\nmod a;\n";
        assert_eq!(check_crate_docs("a", good), None);
        assert!(check_crate_docs("a", "//! A crate.\nmod a;\n").is_some());
        assert!(check_crate_docs("a", "//! Invariant: no IO.\n//!\n//! More.\n").is_some());
        assert!(check_crate_docs("a", "mod a;\n").is_some());
    }
}
