//! What does not go together, and what a debate does not read.
use crate::diagnostic::{Code, Problems, SpecFinding};
use crate::keys;
use crate::place::Span;
use crate::section::{CheckedValue, Field, Section};
use agon_core::{DebateSpec, combination_problems};

pub(super) fn check(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    let mut told: Vec<String> = Vec::new();
    unused_blocks(root, spec, &mut told, problems);
    for problem in combination_problems(spec) {
        let first = problem.keys.first().cloned().unwrap_or_default();
        // What follows from a refused value is no problem of its own.
        let chosen = chosen_by(&first).iter().copied();
        let guessed = problem.keys.iter().map(String::as_str).chain(chosen).any(|key| is_refused(root, key));
        let few = spec.personas.len() < 2 && first != "personas" && problem.keys.iter().any(|key| key == "personas");
        if guessed || few || told.contains(&first) || problems.is_about(&first) {
            continue;
        }
        let span = problem.keys.iter().find_map(|key| span_of(root, key)).unwrap_or_default();
        problems.error(SpecFinding::new(Code::Combination, span, problem.message).field(&first));
        told.push(first);
    }
    unused_keys(root, spec, &told, problems);
}

/// Blocks that no spec has where they are not used, so that core cannot see them.
fn unused_blocks(root: &Section, spec: &DebateSpec, told: &mut Vec<String>, problems: &mut Problems<'_>) {
    let strategy = spec.consensus_strategy.as_str();
    let judge = "`consensus_strategy: judge` or `ranked_reasons`, `voters: judges` or `ends_rounds: true`";
    let blocks = [
        ("judge", spec.judge.is_some(), judge, "consensus_strategy"),
        ("voting", spec.voting.is_some(), "`consensus_strategy: vote`", "consensus_strategy"),
    ];
    for (key, used, needs, chosen) in blocks {
        let Some(field) = root.get(key).filter(|_| !used && !is_refused(root, chosen)) else { continue };
        let message = format!("`{key}` is used with {needs} only; here the strategy is {strategy}");
        let finding = SpecFinding::new(Code::UnusedBlock, field.key_span, message).field(key);
        problems.error(finding.help("remove the block, or write what it needs"));
        told.push(key.to_owned());
    }
}

/// Keys that stand there with the value that they would have anyway; all others core has seen.
fn unused_keys(root: &Section, spec: &DebateSpec, told: &[String], problems: &mut Problems<'_>) {
    for (path, need) in keys::conditional() {
        let block = path.split('.').next().unwrap_or(&path);
        let known = told.iter().any(|key| *key == path || key == block) || problems.is_about(&path);
        if (need.holds)(spec) || known || need.by.iter().any(|key| is_refused(root, key)) {
            continue;
        }
        if let Some(field) = find(root, &path) {
            let message = format!("`{path}` has no effect here: it needs {}", need.words);
            let finding = SpecFinding::new(Code::UnusedKey, field.key_span, message).field(&path);
            problems.error(finding.help("remove the key, or write what it needs"));
        }
    }
}

/// The keys whose value says whether this one is read.
fn chosen_by(path: &str) -> &'static [&'static str] {
    keys::at(path).and_then(|key| key.need.as_ref()).map_or(&["debate_format"], |need| need.by)
}

/// Whether the file has the key, or the block it would stand in, with a value that was refused.
fn is_refused(root: &Section, path: &str) -> bool {
    let block = path.split(['.', '[']).next().unwrap_or(path);
    let is_bad = |field: &Field| matches!(field.value, CheckedValue::Bad);
    root.get(block).is_some_and(is_bad) || find(root, path).is_some_and(is_bad)
}

/// The field at a path such as `voting.rule` or `personas[0].sees`.
fn find<'a>(root: &'a Section, path: &str) -> Option<&'a Field> {
    let Some((block, key)) = path.split_once('.') else { return root.get(path) };
    let section = match block.split_once('[') {
        None => root.section(block),
        Some((list, at)) => root.list(list)?.get(at.trim_end_matches(']').parse::<usize>().ok()?),
    };
    section?.get(key)
}

/// Where the key stands, or the block it would stand in.
fn span_of(root: &Section, path: &str) -> Option<Span> {
    let block = path.split(['.', '[']).next().unwrap_or(path);
    let short =
        |field: &Field| if field.span.start.line > field.key_span.start.line { field.key_span } else { field.span };
    find(root, path).map(short).or_else(|| root.get(block).map(|field| field.key_span))
}
