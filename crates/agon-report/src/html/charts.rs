//! Charts: how positions, agreement, votes and scores went, each with its numbers folded below it.
mod draw;
mod flow;

use crate::document::ReportBlock;
use crate::minutes::{Deed, Minutes};
use crate::text::one_line;
use crate::words;
use agon_core::tally::same_answer;
use agon_core::{BallotStage, Score};
use draw::{BarChart, GridCell, GridChart, LineChart};
use std::collections::{BTreeMap, BTreeSet};

/// Rows that a chart draws at most; the table below it has all.
const MOST_ROWS: usize = 24;
/// Rounds that a chart draws at most, the latest.
const MOST_ROUNDS: usize = 30;

/// A chart with its numbers.
pub(crate) struct Chart {
    pub(super) title: &'static str,
    pub(super) note: String,
    /// Safe as it is.
    pub(super) svg: String,
    /// What the letters in it stand for.
    pub(super) legend: Vec<(String, String)>,
    pub(super) head: Vec<String>,
    /// Its numbers; none where the drawing says them all.
    pub(super) rows: Vec<Vec<String>>,
}

impl Chart {
    /// The charts for which there are data.
    pub(crate) fn all<'m>(minutes: &Minutes<'_>) -> Vec<ReportBlock<'m>> {
        let charts = [positions(minutes), measures(minutes), votes(minutes), scores(minutes), scores_by_round(minutes)];
        charts.into_iter().flatten().map(ReportBlock::Chart).collect()
    }
}

/// Agreement and stability, round by round.
fn measures(minutes: &Minutes<'_>) -> Option<Chart> {
    let mut known: Vec<(u32, Option<f64>, Option<f64>)> =
        minutes.measures.iter().map(|(round, m)| (*round, m.agreement, m.stability)).collect();
    known.sort_by_key(|(round, ..)| *round);
    if known.iter().all(|(_, agreement, stability)| agreement.is_none() && stability.is_none()) {
        return None;
    }
    let figure = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), words::measure);
    let rows = known
        .iter()
        .map(|(round, agreement, stability)| vec![round.to_string(), figure(*agreement), figure(*stability)])
        .collect();
    let latest = known.get(known.len().saturating_sub(MOST_ROUNDS)..).unwrap_or_default();
    let method = minutes.measures.last().map_or("", |(_, measures)| measures.method.label());
    let lines = LineChart {
        title: "Agreement and stability by round",
        rounds: latest.iter().map(|(round, ..)| *round).collect(),
        series: vec![
            ("agreement", latest.iter().map(|(_, agreement, _)| *agreement).collect()),
            ("stability", latest.iter().map(|(.., stability)| *stability).collect()),
        ],
    };
    Some(Chart {
        title: "Agreement and stability",
        note: format!(
            "Agreement is between the speakers, stability is each speaker against its own last round; 1 is the same. Measured {method}."
        ),
        svg: lines.svg(),
        legend: Vec::new(),
        head: ["Round", "Agreement", "Stability"].map(str::to_owned).to_vec(),
        rows,
    })
}

/// What everybody held: before, in each round where speeches name answers, and after. Without such rounds the ballots say it all.
fn positions(minutes: &Minutes<'_>) -> Option<Chart> {
    let ballot = |stage, name: &str| {
        minutes.ballots(stage).find(|(entry, _)| entry.participant == name).map(|(_, choice)| choice.choice)
    };
    let mut named: BTreeMap<u32, BTreeMap<&str, &str>> = BTreeMap::new();
    for (entry, speech) in minutes.speeches() {
        if let Some(answer) = speech.answer.as_deref() {
            named.entry(entry.turn.round).or_default().insert(entry.participant, answer);
        }
    }
    let rounds: Vec<u32> = named.keys().rev().take(MOST_ROUNDS).rev().copied().collect();
    if rounds.is_empty() {
        return None;
    }
    let names: Vec<&str> = minutes.admission.spec.personas.iter().map(|persona| persona.name.as_str()).collect();
    let holds = |name: &str| -> Vec<Option<&str>> {
        let said = rounds.iter().map(|round| named.get(round).and_then(|of| of.get(name)).copied());
        std::iter::once(ballot(BallotStage::Initial, name))
            .chain(said)
            .chain([ballot(BallotStage::Final, name)])
            .collect()
    };
    let table: Vec<(&str, Vec<Option<&str>>)> = names.iter().map(|name| (*name, holds(name))).collect();
    let held = table.iter().flat_map(|(_, cells)| cells.iter().flatten());
    let answers = held.fold(minutes.admission.spec.stances(), |mut known: Vec<&str>, answer| {
        if !known.iter().any(|known| same_answer(known, answer)) {
            known.push(answer);
        }
        known
    });
    if table.iter().all(|(_, cells)| cells.iter().flatten().count() < 2) {
        return None;
    }
    let columns: Vec<String> = std::iter::once("Before".to_owned())
        .chain(rounds.iter().map(|round| if *round == 0 { "At first".to_owned() } else { format!("Round {round}") }))
        .chain(["After".to_owned()])
        .collect();
    let place = |answer: &str| answers.iter().position(|known| same_answer(known, answer));
    let cell = |answer: Option<&str>| answer.and_then(place).map_or(GridCell::Empty, GridCell::Of);
    let rows = table
        .iter()
        .take(MOST_ROWS)
        .map(|(name, cells)| (one_line(name), cells.iter().map(|answer| cell(*answer)).collect()));
    let grid = GridChart {
        title: "What everybody held, from before the debate to after it",
        columns: columns.clone(),
        rows: rows.collect(),
    };
    let word = |answer: &Option<&str>| answer.and_then(place).map_or_else(|| "–".to_owned(), draw::letter);
    let held = |at: usize| table.iter().flat_map(|(_, cells)| cells.iter().flatten()).any(|of| place(of) == Some(at));
    let known = answers.iter().enumerate().filter(|(at, _)| held(*at));
    Some(Chart {
        title: "Positions",
        note: "Private ballots before and after, and the answers that speeches name; a letter for each answer."
            .to_owned(),
        svg: grid.svg(),
        legend: known.map(|(at, answer)| (draw::letter(at), one_line(answer))).collect(),
        head: row("Debater", columns),
        rows: table.iter().map(|(name, cells)| row(&one_line(name), cells.iter().map(word))).collect(),
    })
}

/// Votes for one candidate, round by round.
fn votes(minutes: &Minutes<'_>) -> Option<Chart> {
    let mut rounds: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for (entry, vote) in minutes.votes() {
        rounds.entry(entry.turn.round).or_default().push(vote.choice);
    }
    if rounds.len() < 2 {
        return None;
    }
    let mut candidates: Vec<&str> = Vec::new();
    for choice in rounds.values().flatten() {
        if !candidates.iter().any(|known| same_answer(known, choice)) {
            candidates.push(choice);
        }
    }
    let count = |votes: &[&str], candidate: &str| votes.iter().filter(|vote| same_answer(vote, candidate)).count();
    let bars = rounds.iter().rev().take(MOST_ROUNDS).rev().flat_map(|(round, votes)| {
        candidates.iter().enumerate().map(move |(at, candidate)| {
            let n = count(votes, candidate);
            (format!("Round {round}: {}", one_line(candidate)), n as f64, n.to_string(), at)
        })
    });
    let most = rounds.values().map(Vec::len).max().unwrap_or(1) as f64;
    let rows: Vec<_> = bars.take(MOST_ROWS).collect();
    Some(Chart {
        title: "Votes by round",
        note: "How many voted for whom in each round; in a ranking or an approval, for whom first.".to_owned(),
        svg: BarChart { title: "Votes by round", most, rows }.svg(),
        legend: Vec::new(),
        head: row("For", rounds.keys().map(|round| format!("Round {round}"))),
        rows: candidates
            .iter()
            .map(|name| row(&one_line(name), rounds.values().map(|votes| count(votes, name).to_string())))
            .collect(),
    })
}

/// What the moderator scored the speeches of each round with, where there are rounds to compare.
fn scores_by_round(minutes: &Minutes<'_>) -> Option<Chart> {
    let mut rounds: BTreeMap<u32, BTreeMap<usize, Vec<Score>>> = BTreeMap::new();
    let personas = &minutes.admission.spec.personas;
    for score in minutes.speech_scores().flat_map(|(_, scores)| scores) {
        let holder = minutes.holder(score.speech).unwrap_or_default();
        if let Some(at) = personas.iter().position(|persona| persona.name.as_str() == holder) {
            rounds.entry(score.speech.round).or_default().entry(at).or_default().push(score.score);
        }
    }
    if rounds.len() < 2 {
        return None;
    }
    let name = |at: usize| personas.get(at).map_or_else(String::new, |persona| one_line(persona.name.as_str()));
    let bars = rounds.iter().rev().take(MOST_ROUNDS).rev().flat_map(|(round, scored)| {
        scored.iter().map(move |(at, scores)| {
            let total = mean(scores, Score::total);
            (format!("Round {round}: {}", name(*at)), total, format!("{total:.1}"), *at)
        })
    });
    let totals = |at: usize| {
        let total = |scores: &Vec<Score>| format!("{:.1}", mean(scores, Score::total));
        let figures = rounds.values().map(|scored| scored.get(&at).map_or_else(|| "–".to_owned(), total));
        row(&name(at), figures)
    };
    let scored: BTreeSet<usize> = rounds.values().flat_map(|scored| scored.keys().copied()).collect();
    Some(Chart {
        title: "Scores by round",
        note: "The moderator’s total for the speeches of each round, of 40.".to_owned(),
        svg: BarChart {
            title: "Total score of each speaker in each round, of 40",
            most: 40.0,
            rows: bars.take(MOST_ROWS).collect(),
        }
        .svg(),
        legend: Vec::new(),
        head: row("Debater", rounds.keys().map(|round| format!("Round {round}"))),
        rows: scored.into_iter().map(totals).collect(),
    })
}

/// A row of a table, with its name.
fn row(name: &str, cells: impl IntoIterator<Item = String>) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(cells).collect()
}

fn mean(scores: &[Score], of: fn(&Score) -> u32) -> f64 {
    scores.iter().map(|score| f64::from(of(score))).sum::<f64>() / scores.len().max(1) as f64
}

/// What the speakers were scored with: by the moderator, and by the others.
fn scores(minutes: &Minutes<'_>) -> Option<Chart> {
    let mut by: BTreeMap<(usize, &'static str), Vec<Score>> = BTreeMap::new();
    let personas = &minutes.admission.spec.personas;
    let mut add = |name: &str, whose: &'static str, score: Score| {
        if let Some(at) = personas.iter().position(|persona| persona.name.as_str() == name) {
            by.entry((at, whose)).or_default().push(score);
        }
    };
    for entry in &minutes.entries {
        match entry.deed {
            Deed::ScoredSpeeches(scores) => {
                for score in scores {
                    add(minutes.holder(score.speech).unwrap_or_default(), "the moderator", score.score);
                }
            }
            Deed::ScoredDebaters(scores) => {
                scores.iter().for_each(|score| add(score.debater.as_str(), "the others", score.score));
            }
            _ => {}
        }
    }
    if by.is_empty() {
        return None;
    }
    let name = |at: usize| personas.get(at).map_or_else(String::new, |persona| one_line(persona.name.as_str()));
    let rows: Vec<_> = by
        .iter()
        .take(MOST_ROWS)
        .map(|((at, whose), scores)| {
            let total = mean(scores, Score::total);
            (format!("{}, by {whose}", name(*at)), total, format!("{total:.1}"), *at)
        })
        .collect();
    let scales: [fn(&Score) -> u32; 5] = [
        |score| score.clarity.into(),
        |score| score.evidence.into(),
        |score| score.originality.into(),
        |score| score.on_topic.into(),
        Score::total,
    ];
    Some(Chart {
        title: "Scores",
        note: "Means over all scores; each scale goes to 10, the total to 40.".to_owned(),
        svg: BarChart { title: "Mean total score of each speaker, of 40", most: 40.0, rows }.svg(),
        legend: Vec::new(),
        head: ["Debater", "By", "Clarity", "Evidence", "Originality", "On topic", "Total"].map(str::to_owned).to_vec(),
        rows: by
            .iter()
            .map(|((at, whose), scores)| {
                let means = scales.iter().map(|of| format!("{:.1}", mean(scores, *of)));
                [name(*at), (*whose).to_owned()].into_iter().chain(means).collect()
            })
            .collect(),
    })
}
