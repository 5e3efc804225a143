//! The OpenAPI document and the routes say the same.
use super::routes;
use std::collections::BTreeSet;

const DOCUMENT: &str = include_str!("../../../../docs/reference/openapi.yaml");

/// Paths stand under `paths:` with an indentation of two, their methods with one of four.
fn documented() -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    let mut path = String::new();
    let paths = DOCUMENT.lines().skip_while(|line| *line != "paths:").skip(1);
    for line in paths.take_while(|line| line.starts_with(' ') || line.is_empty()) {
        let indent = line.len() - line.trim_start().len();
        let Some(key) = line.trim().strip_suffix(':') else { continue };
        match indent {
            2 => path = key.trim_matches('"').to_owned(),
            4 if ["get", "post", "delete", "put", "patch"].contains(&key) => {
                found.insert((key.to_owned(), path.clone()));
            }
            _ => {}
        }
    }
    found
}

#[test]
fn the_openapi_document_names_every_route_and_no_other() {
    let routes = routes().into_iter().flat_map(|route| route.documented);
    let routes: BTreeSet<_> = routes.map(|(method, path)| ((*method).to_owned(), (*path).to_owned())).collect();
    assert_eq!(documented(), routes);
}

#[test]
fn every_query_parameter_of_the_document_is_one_that_the_code_reads() {
    let files = [
        include_str!("archive.rs"),
        include_str!("debates.rs"),
        include_str!("eval_events.rs"),
        include_str!("evals.rs"),
        include_str!("events.rs"),
        include_str!("input.rs"),
    ];
    let code = files.concat();
    let mut lines = DOCUMENT.lines().map(str::trim);
    let mut count = 0;
    while let Some(line) = lines.next() {
        let Some(name) = line.strip_prefix("- name: ") else { continue };
        if lines.next() == Some("in: query") {
            assert!(code.contains(&format!("\"{name}\"")), "{name}");
            count += 1;
        }
    }
    assert!(count > 10, "{count} parameters were found");
}
