//! Every kind of mistake in a debate file, with what is said about it.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]
use agon_spec::{Code, Defaults, Parsed, Severity, Source, parse, render};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn check(path: &Path) -> Parsed {
    let name = path.file_name().unwrap().to_str().unwrap();
    let names = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect());
    let (feeds, verifiers) = (names(&["news", "papers"]), names(&["smt"]));
    let defaults = Defaults { feeds, verifiers, ..Defaults::default() };
    parse(&Source::new(name, std::fs::read(path).unwrap()), &defaults)
}

#[test]
fn every_malformed_file_is_refused_with_these_words() {
    for path in folder("bad") {
        let parsed = check(&path);
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(parsed.has_errors() && parsed.spec.is_none(), "{name} is taken");
        insta::with_settings!({snapshot_path => "snapshots/bad", prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_snapshot!(name, render(&parsed.diagnostics));
        });
    }
}

#[test]
fn names_and_stances_that_look_alike_are_refused_with_both_and_their_lines() {
    // a Cyrillic А, an accent of its own, a full stop, wide letters
    let file = "topic: Tea?\nmodel: m\npersonas:\n  - {name: Ada, stance: \"Yes\"}\n  - {name: \u{410}da, stance: \"yes.\"}\n  \
                - {name: Zo\u{eb}, stance: \"No\"}\n  - {name: Zoe\u{308}, stance: \u{ff2e}o!}\n";
    let told = render(&parse(&Source::new("a.yaml", file), &Defaults::default()).diagnostics);
    for line in [
        "a.yaml:5:12: error[duplicate-name]: the name '\u{410}da' looks like 'Ada', the persona on line 4",
        "error[duplicate-stance]: the stance 'yes.' looks like 'Yes' on line 4",
        "a.yaml:7:12: error[duplicate-name]: the name 'Zoe\u{308}' looks like 'Zo\u{eb}', the persona on line 6",
        "error[duplicate-stance]: the stance '\u{ff2e}o!' looks like 'No' on line 6",
    ] {
        assert!(told.contains(line), "{line}\n{told}");
    }
}

#[test]
fn every_unwise_file_is_taken_with_these_warnings() {
    for path in folder("unwise") {
        let parsed = check(&path);
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(parsed.spec.is_some() && !parsed.diagnostics.is_empty(), "{name}: {}", render(&parsed.diagnostics));
        insta::with_settings!({snapshot_path => "snapshots/unwise", prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_snapshot!(name, render(&parsed.diagnostics));
        });
    }
}

#[test]
fn every_kind_of_problem_has_a_file() {
    let files = folder("bad").into_iter().chain(folder("unwise"));
    let shown: BTreeSet<Code> = files.flat_map(|path| check(&path).diagnostics).map(|found| found.code).collect();
    let untested: Vec<_> = Code::ALL.iter().filter(|code| !shown.contains(code)).collect();
    // These two need files too large to keep; `limits.rs` makes them.
    assert_eq!(untested, [&Code::FileTooLarge, &Code::TooManyProblems]);
}

#[test]
fn where_nobody_knows_which_feeds_there_are_none_is_undefined() {
    let file = "topic: Tea?\nmodel: m\nfeeds: [anything]\n";
    let told = |feeds| {
        let parsed = parse(&Source::new("a.yaml", file), &Defaults { feeds, ..Defaults::default() });
        assert_eq!(parsed.spec.unwrap().feeds, ["anything"]);
        render(&parsed.diagnostics)
    };
    assert!(!told(None).contains("feed"), "{}", told(None));
    assert!(told(Some(Vec::new())).contains("add [feeds.NAME] to agon.toml"), "{}", told(Some(Vec::new())));
}

#[test]
fn the_json_form_has_place_code_and_message() {
    let found =
        parse(&Source::new("a.yaml", "topic: Tea?\nmodel: m\nmax_round: 3\n"), &Defaults::default()).diagnostics;
    let error = found.iter().find(|found| found.severity == Severity::Error).unwrap();
    insta::assert_json_snapshot!(error);
}

#[test]
fn a_verifier_that_the_settings_do_not_define_draws_a_warning_where_they_are_known() {
    let told = |verifiers: Option<&[&str]>| {
        let verifiers = verifiers.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        let source = Source::new("a.yaml", "topic: Tea?\nmodel: m\nverifiers: [smtt]\n");
        let parsed = parse(&source, &Defaults { verifiers, ..Defaults::default() });
        assert_eq!(parsed.spec.unwrap().verifiers, ["smtt"]);
        render(&parsed.diagnostics)
    };
    assert!(!told(None).contains("undefined-verifier"));
    assert!(!told(Some(&["smtt"])).contains("undefined-verifier"));
    assert!(told(Some(&["smt"])).contains("the settings define no verifier 'smtt'; did you mean `smt`?"));
    assert!(told(Some(&[])).contains("add [verifiers.NAME] to agon.toml"));
}
