//! Questions that are in a file twice, or nearly so.
use crate::Question;
use agon_core::words::words;
use agon_spec::Code;
use agon_spec::reading::{FileNode, Problems, SpecFinding};
use std::collections::{BTreeMap, BTreeSet};

/// Two questions with so large a share of words in common are nearly the same.
const NEAR: f64 = 0.9;
/// Warnings about near questions, at the most.
const MOST_NEAR: usize = 20;
/// Pairs that are compared, at the most: a file of one question over and over ends sooner.
const MOST_COMPARED: usize = 2_000_000;
/// Words of a question that are compared, at the most.
const MOST_WORDS: usize = 400;

/// Reports questions that say the same: an error but for letter case and space, a warning by words.
pub(super) fn check(questions: &[(Question, &FileNode)], problems: &mut Problems<'_>) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut fresh: Vec<&(Question, &FileNode)> = Vec::new();
    for pair in questions {
        let (question, row) = pair;
        match seen.get(&folded(question)) {
            Some(line) => {
                let message = format!("the question is the same as that on line {line}, but for letter case and space");
                problems.error(
                    SpecFinding::new(Code::DuplicateItem, super::shapes::first_place(row), message).field("question"),
                );
            }
            None => {
                seen.insert(folded(question), row.span.start.line);
                fresh.push(pair);
            }
        }
    }
    near(&fresh, problems);
}

/// All that everybody is shown: short questions are alike, and differ in their options or their passage.
fn shown(question: &Question) -> String {
    let context = question.context.as_deref().unwrap_or_default();
    format!("{}\n{}\n{context}", question.text, question.options.join("\n"))
}

fn folded(question: &Question) -> String {
    shown(question).to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Pairs that share nine tenths of their words. Two sets so alike share a word among the rarest tenth of each, so that only
/// these need be looked up.
fn near(questions: &[&(Question, &FileNode)], problems: &mut Problems<'_>) {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let sets: Vec<BTreeSet<String>> =
        questions.iter().map(|(question, _)| words(&shown(question)).into_iter().take(MOST_WORDS).collect()).collect();
    sets.iter().flatten().for_each(|word| *counts.entry(word.clone()).or_default() += 1);
    let mut by_word: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let (mut told, mut compared) = (0, 0);
    for (at, set) in sets.iter().enumerate() {
        if told == MOST_NEAR || compared > MOST_COMPARED {
            return;
        }
        let mut rare: Vec<&String> = set.iter().collect();
        rare.sort_by_key(|word| (counts.get(*word).copied().unwrap_or(0), *word));
        let prefix = set.len() - least_common(set.len()) + 1;
        let mut candidates = BTreeSet::new();
        for word in rare.into_iter().take(prefix) {
            let others = by_word.entry(word).or_default();
            candidates.extend(others.iter().copied());
            others.push(at);
        }
        compared += candidates.len();
        let twin = candidates.into_iter().find(|other| sets.get(*other).is_some_and(|other| is_near(set, other)));
        let pair = twin.and_then(|twin| Some((questions.get(twin)?, questions.get(at)?)));
        if let Some(((_, first), (_, row))) = pair {
            told += 1;
            let line = first.span.start.line;
            let message = format!("the question has nearly the same words as that on line {line}");
            let finding =
                SpecFinding::new(Code::DuplicateItem, super::shapes::first_place(row), message).field("question");
            problems.warning(
                finding.help("give questions with a common source the same `group`: they count as one cluster"),
            );
        }
    }
}

/// Words that a set of this size has in common with one that is near, at least.
fn least_common(size: usize) -> usize {
    (size as f64 * NEAR).ceil() as usize
}

fn is_near(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let common = one.intersection(other).count();
    let all = one.len() + other.len() - common;
    all > 0 && common as f64 >= NEAR * all as f64
}
