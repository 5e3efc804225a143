//! Files of questions: each shape with its mistakes, and the same questions in every shape.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]
use agon_eval::{DataShape, DataSource, Gold, Question, ReadQuestions, read_questions};
use agon_spec::{Severity, render};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

fn read(path: &Path, shape: Option<DataShape>) -> ReadQuestions {
    let bytes = std::fs::read(path).unwrap();
    read_questions(DataSource { name: name(path).to_owned(), bytes, shape, ..DataSource::default() })
}

#[test]
fn every_broken_file_is_refused_with_these_words_at_these_places() {
    let files = folder("broken");
    let mut shapes = BTreeSet::new();
    for path in &files {
        let (shape, _) = name(path).split_once('-').unwrap();
        shapes.insert(shape);
        let read = read(path, DataShape::from_name(shape));
        let told = render(&read.diagnostics);
        let errors: Vec<_> = read.diagnostics.iter().filter(|found| found.severity == Severity::Error).collect();
        assert!(read.questions.is_none() && !errors.is_empty(), "{} is taken: {told}", name(path));
        assert!(errors.iter().all(|found| found.place.line > 0 && found.place.column > 0), "{told}");
        insta::with_settings!({snapshot_path => "snapshots/broken", prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_snapshot!(name(path), told);
        });
    }
    assert!(files.len() >= 30, "{}", files.len());
    assert_eq!(shapes, DataShape::ALL.iter().map(|shape| shape.as_str()).collect());
}

/// What a question asks, what may be answered, and what is right.
fn asked(question: &Question) -> (String, Vec<String>, Gold) {
    (question.text.clone(), question.options.clone(), question.gold.clone())
}

#[test]
fn the_same_questions_are_the_same_in_every_shape() {
    let mut shapes = BTreeSet::new();
    for (kind, first) in [("_choice.", "plain_choice.csv"), ("_open.", "plain_open.jsonl"), ("topics.", "topics.txt")] {
        let files: Vec<_> = folder("shapes").into_iter().filter(|path| name(path).contains(kind)).collect();
        let wanted = files.iter().find(|path| name(path) == first).unwrap();
        let wanted: Vec<_> = read(wanted, None).questions.unwrap().iter().map(asked).collect();
        assert_eq!(wanted.len(), 3);
        for path in &files {
            let read = read(path, None);
            let shape = read.mapping.shape.unwrap();
            let own = name(path).starts_with(shape.as_str());
            // lines and lists of texts have no members that a shape could be recognised by
            assert!(own, "{} is recognised as {}", name(path), shape.as_str());
            shapes.insert(shape.as_str());
            let questions = read.questions.unwrap_or_else(|| panic!("{}", render(&read.diagnostics)));
            assert_eq!(questions.iter().map(asked).collect::<Vec<_>>(), wanted, "{}", name(path));
        }
    }
    assert_eq!(shapes, DataShape::ALL.iter().map(|shape| shape.as_str()).collect());
}

#[test]
fn the_example_of_each_shape_in_the_reference_is_read_in_that_shape() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/questions.md");
    let page = std::fs::read_to_string(page).unwrap();
    for shape in DataShape::ALL {
        let section = page.split_once(&format!("### `{}`\n", shape.as_str())).unwrap().1;
        let (language, text) = section.split_once("```").unwrap().1.split_once('\n').unwrap();
        let text = text.split_once("```").unwrap().0;
        let ending = match language {
            "text" => "txt",
            "json" => "jsonl",
            other => other,
        };
        let bytes = text.as_bytes().to_vec();
        let read = read_questions(DataSource { name: format!("a.{ending}"), bytes, ..DataSource::default() });
        assert_eq!(read.mapping.shape, Some(*shape));
        assert!(read.questions.is_some() && read.diagnostics.is_empty(), "{}", render(&read.diagnostics));
    }
}
