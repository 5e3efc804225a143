//! Search in files that are really there.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use agon_llm::ChatErrorKind;
use agon_tools::{Toolbox, no_models};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::kit::{ScriptedModel, call, code, toolbox_with};

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        write(folder.path(), name, text);
    }
    folder
}

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn docs(folder: &Path) -> Toolbox {
    toolbox_with(json!({"docs": {"kind": "rag", "paths": [folder]}}), no_models())
}

fn with_vectors(folder: &Path, model: &Arc<ScriptedModel>) -> Toolbox {
    let config = json!({"docs": {"kind": "rag", "paths": [folder], "embedding_model": "e", "max_results": 1}});
    toolbox_with(config, model.named("e"))
}

async fn search(toolbox: &Toolbox, words: &str) -> String {
    let outcome = call(toolbox, "docs", query(words)).await;
    assert!(!outcome.is_error(), "{}", outcome.text);
    outcome.text
}

fn query(words: &str) -> Value {
    json!({ "query": words })
}

#[tokio::test]
async fn passages_come_with_their_file_and_lines() {
    let folder = folder(&[("law/rent.md", "# Rent\n\nThe cap rises with inflation.\n"), ("b.txt", "Nothing here.\n")]);
    let name = folder.path().canonicalize().unwrap();
    let name = name.file_name().unwrap().to_string_lossy();

    let text = search(&docs(folder.path()), "inflation").await;

    assert_eq!(text, format!("[1] {name}/law/rent.md, lines 1-3\n# Rent\n\nThe cap rises with inflation.\n\n"));
}

#[tokio::test]
async fn the_passage_that_is_more_about_the_words_comes_first() {
    let long = format!("rent once. {}", "Other matters fill this page. ".repeat(20));
    let folder = folder(&[("a.txt", &long), ("b.txt", "Rents, rent and renting.")]);

    let text = search(&docs(folder.path()), "rent").await;

    assert!(text.find("b.txt").unwrap() < text.find("a.txt").unwrap(), "{text}");
}

#[tokio::test]
async fn pages_data_and_source_are_searched_and_tags_are_not() {
    let folder = folder(&[
        ("a.html", "<div class=\"zebra\">giraffe</div>"),
        ("b.csv", "animal,legs\nheron,2\n"),
        ("c.json", "{\"animal\": \"otter\"}"),
        ("d.rs", "fn badger() {}\n"),
    ]);
    let docs = docs(folder.path());

    for (word, file) in [("giraffe", "a.html"), ("heron", "b.csv"), ("otter", "c.json"), ("badger", "d.rs")] {
        let text = search(&docs, word).await;
        assert!(text.contains(file), "{word}: {text}");
    }
    assert_eq!(search(&docs, "zebra").await, "Nothing was found.\n");
}

#[tokio::test]
async fn files_that_change_appear_and_go_are_noticed_by_the_next_call() {
    let folder = folder(&[("a.txt", "heron"), ("b.txt", "otter")]);
    let docs = docs(folder.path());
    assert!(search(&docs, "heron").await.contains("a.txt"));

    write(folder.path(), "a.txt", "giraffe, no other bird");
    write(folder.path(), "c.txt", "badger");
    fs::remove_file(folder.path().join("b.txt")).unwrap();

    assert!(search(&docs, "giraffe").await.contains("a.txt"));
    assert!(search(&docs, "badger").await.contains("c.txt"));
    assert_eq!(search(&docs, "heron otter").await, "Nothing was found.\n");
}

#[tokio::test]
async fn what_is_not_searched_is_counted() {
    let folder = folder(&[("a.txt", "heron"), (".env", "KEY=heron"), (".git/config", "heron")]);
    write(folder.path(), "b.bin", [0, 159, 146, 150]);
    write(folder.path(), "c.log", vec![b'x'; 2 * 1024 * 1024 + 1]);

    let text = search(&docs(folder.path()), "heron").await;

    assert_eq!(text.matches("heron").count(), 1, "{text}");
    assert!(text.ends_with("(Files not searched: 1 over 2 MB, 1 that are no text)\n"), "{text}");
}

#[tokio::test]
async fn links_are_followed_inside_the_folder_and_never_out_of_it() {
    let outside = folder(&[("secret.txt", "heron"), ("more/secret.txt", "heron")]);
    let inside = folder(&[("real/a.txt", "otter")]);
    let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, inside.path().join(name)).unwrap();
    link(&outside.path().join("secret.txt"), "file.txt");
    link(&outside.path().join("more"), "folder");
    link(inside.path(), "real/loop");
    let docs = docs(inside.path());

    let out = search(&docs, "heron").await;
    let within = search(&docs, "otter").await;

    assert_eq!(out, "Nothing was found.\n(Files not searched: 2 links that lead outside)\n");
    assert_eq!(within.matches("otter").count(), 1, "{within}");
}

#[tokio::test]
async fn the_query_is_words_and_never_the_index_own_language() {
    let folder = folder(&[("a.txt", "heron")]);
    let docs = docs(folder.path());

    for hostile in ["heron\" OR \"", "text:heron*", "heron) AND (NEAR", "heron'; DROP TABLE passages; --", "^heron -x"]
    {
        assert!(search(&docs, hostile).await.contains("a.txt"), "{hostile}");
    }
    assert_eq!(search(&docs, "\"'*()!").await, "Nothing was found.\n");
}

#[tokio::test]
async fn text_without_spaces_between_its_words_is_found_by_its_words() {
    let folder = folder(&[
        ("tram.txt", "東京には路面電車が必要だと市長は述べた。\n"),
        ("water.txt", "水道料金は来年から上がる見込みである。\n"),
        ("rail.txt", "รถไฟฟ้าสายใหม่จะเปิดปีหน้า\n"),
    ]);
    let toolbox = docs(folder.path());

    let found = search(&toolbox, "路面電車").await;
    assert!(found.contains("市長") && !found.contains("水道"), "{found}");
    let found = search(&toolbox, "รถไฟฟ้า").await;
    assert!(found.contains("สายใหม่"), "{found}");
}

#[tokio::test]
async fn paths_that_lead_nowhere_are_told_without_their_names() {
    let outcome = call(&docs(Path::new("/no/such/folder")), "docs", query("x")).await;

    assert_eq!(outcome.text, "the tool `docs` is not available: none of its paths can be read");
}

/// Birds lie along one axis and money along the other, whatever the words.
fn meaning(text: &str) -> Option<Vec<f32>> {
    let birds = ["heron", "feather", "wings"].iter().filter(|word| text.contains(**word)).count();
    let money = ["rent", "tax", "coin"].iter().filter(|word| text.contains(**word)).count();
    Some(vec![birds as f32, money as f32])
}

#[tokio::test]
async fn vectors_find_what_other_words_say() {
    let folder = folder(&[("a.txt", "A heron."), ("b.txt", "The tax.")]);
    let model = ScriptedModel::embedding(meaning);

    let text = search(&with_vectors(folder.path(), &model), "wings and feather").await;

    assert!(text.contains("a.txt") && !text.contains("b.txt") && !text.contains("alone"), "{text}");
}

#[tokio::test]
async fn without_vectors_the_words_decide_and_the_result_says_so() {
    let folder = folder(&[("a.txt", "A heron."), ("b.txt", "The tax.")]);
    let broken = ScriptedModel::answering(|_| Err(ChatErrorKind::Busy));

    let text = search(&with_vectors(folder.path(), &broken), "heron").await;

    assert!(text.contains("a.txt"), "{text}");
    assert!(text.contains("by their words alone: the model `e` gave no vectors"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_model_that_takes_too_long_over_the_passages_does_not_hold_the_search_up() {
    let folder = folder(&[("a.txt", "A heron."), ("b.txt", "The slow tax.")]);
    let model = ScriptedModel::embedding(|text| if text.contains("slow") { None } else { meaning(text) });

    let outcome = call(&with_vectors(folder.path(), &model), "docs", query("heron")).await;

    assert!(!outcome.is_error() && outcome.text.contains("a.txt"), "{}", outcome.text);
    assert!(outcome.text.contains("2 passages are not yet known by meaning"), "{}", outcome.text);
}

#[tokio::test]
async fn many_passages_get_their_vectors_in_several_batches() {
    let files = (0..40).map(|n| (format!("{n}.txt"), format!("Number {n} says tax."))).collect::<Vec<_>>();
    let folder = folder(&files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>());
    write(folder.path(), "z.txt", "A heron.");
    let model = ScriptedModel::embedding(meaning);

    let text = search(&with_vectors(folder.path(), &model), "wings").await;

    assert!(text.contains("z.txt"), "{text}");
}

#[tokio::test]
async fn a_query_that_is_no_text_is_refused() {
    let folder = folder(&[]);

    assert_eq!(code(&call(&docs(folder.path()), "docs", json!({"query": 7})).await), "bad_arguments");
}
