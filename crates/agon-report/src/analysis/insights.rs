//! The figures in plain sentences.
use super::AnalysisFacts;
use super::{Analysis, Side};
use crate::text::{excerpt, one_line, sentence};
use crate::words::{self, count, counted};
use agon_core::MajorityShift;
use agon_core::tally::same_answer;

/// Sentences of an analysis at most.
const MOST: usize = 8;
/// Sentences about who moved at most, one for each answer that was moved to.
const MOST_MOVES: usize = 3;
/// Sides and names that a sentence spells out at most.
const MOST_NAMED: usize = 4;
/// Characters of an answer and of a name that stand in a sentence.
const MOST_ANSWER: usize = 120;
const MOST_NAME: usize = 60;

/// The sentences, most important first.
pub(super) fn of(facts: &AnalysisFacts<'_, '_>, analysis: &Analysis) -> Vec<String> {
    let mut insights: Vec<String> = Vec::new();
    insights.extend(overturned(facts));
    insights.extend(moves(facts));
    insights.extend(differ(analysis));
    insights.extend(not_found(analysis));
    insights.extend(severest(analysis));
    insights.extend(unanswered(analysis));
    insights.extend(most_words(analysis));
    insights.truncate(MOST);
    insights
}

fn overturned(facts: &AnalysisFacts<'_, '_>) -> Option<String> {
    let verdict = facts.minutes.verdict.filter(|verdict| verdict.majority == MajorityShift::Overturned)?;
    Some(words::majority(verdict.majority, verdict.winner.is_some()).to_owned())
}

/// Who moved to which answer, the one to which most moved first; or that nobody did.
fn moves(facts: &AnalysisFacts<'_, '_>) -> Vec<String> {
    let known: Vec<(&str, Option<(&str, &str)>)> =
        facts.held.iter().filter_map(|held| Some((held.debater, held.moved()?))).collect();
    let mut moves: Vec<(&str, Vec<(&str, &str)>)> = Vec::new();
    for (who, moved) in &known {
        let Some((first, last)) = *moved else { continue };
        match moves.iter_mut().find(|(to, _)| same_answer(to, last)) {
            Some((_, movers)) => movers.push((who, first)),
            None => moves.push((last, vec![(who, first)])),
        }
    }
    if moves.is_empty() {
        return nobody_moved(known.len(), facts.held.len()).into_iter().collect();
    }
    moves.sort_by_key(|(_, movers)| std::cmp::Reverse(movers.len()));
    let told = moves.iter().take(MOST_MOVES).map(|(to, movers)| match movers.as_slice() {
        [(who, from)] => sentence(&format!("{} moved from {} to {}", name(who), quoted(from), quoted(to))),
        movers => {
            let names: Vec<&str> = movers.iter().map(|(who, _)| *who).collect();
            sentence(&format!("{} moved to {}", self::names(&names), quoted(to)))
        }
    });
    told.collect()
}

fn nobody_moved(known: usize, all: usize) -> Option<String> {
    let who = match known {
        0 => return None,
        _ if known == all => "every debater".to_owned(),
        _ => format!("each of the {known} debaters of whom both ballots are known"),
    };
    Some(format!("Nobody moved: {who} ended with the answer that it began with."))
}

fn differ(analysis: &Analysis) -> Option<String> {
    let sides = &analysis.disagreement.sides;
    if analysis.disagreement.remains? {
        let told: Vec<String> = sides.iter().take(MOST_NAMED).map(held).collect();
        let more = sides.len().saturating_sub(MOST_NAMED);
        let more =
            if more == 0 { String::new() } else { format!(", and there are {}", count(more as u64, "more side")) };
        return Some(sentence(&format!("The debaters still differ: {}{more}", told.join(", "))));
    }
    let side = sides.first()?;
    let all = match side.held_by.len() {
        2 => "Both debaters".to_owned(),
        n => format!("All {}", count(n as u64, "debater")),
    };
    Some(sentence(&format!("{all} ended with {}", quoted(&side.position))))
}

fn held(side: &Side) -> String {
    let verb = if side.held_by.len() == 1 { "holds" } else { "hold" };
    format!("{} {verb} {}", side.held_by.len(), quoted(&side.position))
}

fn not_found(analysis: &Analysis) -> Option<String> {
    let citations = &analysis.verdict_grounds.as_ref()?.citations;
    let missing = citations.iter().filter(|citation| !citation.verified && !citation.too_short).count();
    let all = counted(citations.len() as u64, "quotation", "quotations");
    let found = match missing {
        0 => return None,
        1 => "was not found in the speech that it names",
        _ => "were not found in the speeches that they name",
    };
    Some(format!("{missing} of {all} by the judges {found}."))
}

fn severest(analysis: &Analysis) -> Option<String> {
    let attack = analysis.disagreement.standing.as_ref()?.attacks.first()?;
    let severity = attack.severity?;
    Some(format!(
        "The most severe critique that nobody answered is {}'s of {} (T{} on T{}, {severity} of 10).",
        name(&attack.by),
        name(&attack.on),
        attack.from,
        attack.to
    ))
}

fn unanswered(analysis: &Analysis) -> Option<String> {
    let standing = analysis.disagreement.standing.as_ref().filter(|standing| standing.total > 0)?;
    let verb = if standing.total == 1 { "was" } else { "were" };
    Some(format!("{} of {} {verb} never answered.", standing.total, count(standing.of.into(), "attack")))
}

/// Of two debaters one nearly always has more than half of the words, so there it takes two thirds.
fn most_words(analysis: &Analysis) -> Option<String> {
    let all: u64 = analysis.metrics.iter().filter_map(|metrics| metrics.words).sum();
    let enough = |words: u64| {
        if analysis.metrics.len() > 2 {
            words.saturating_mul(2) > all
        } else {
            words.saturating_mul(3) > all.saturating_mul(2)
        }
    };
    let most = analysis.metrics.iter().find(|metrics| metrics.words.is_some_and(enough))?;
    let share = most.word_share.map(|share| format!(" ({:.1} %)", share * 100.0)).unwrap_or_default();
    let how = if analysis.metrics.len() > 2 { "half" } else { "two thirds" };
    Some(format!("{} had more than {how} of all words{share}.", name(&most.debater)))
}

fn name(name: &str) -> String {
    excerpt(name, MOST_NAME)
}
fn quoted(answer: &str) -> String {
    format!("“{}”", excerpt(answer, MOST_ANSWER))
}
/// `Ada, Bruno and Chioma`; of many the first, and how many more.
fn names(all: &[&str]) -> String {
    let mut told: Vec<String> = all.iter().take(MOST_NAMED).map(|one| name(one)).collect();
    let more = all.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        told.push(format!("{more} more"));
    }
    match told.split_last() {
        Some((last, rest)) if !rest.is_empty() => one_line(&format!("{} and {last}", rest.join(", "))),
        Some((last, _)) => last.clone(),
        None => "nobody".to_owned(),
    }
}
