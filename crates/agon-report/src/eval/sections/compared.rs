//! Comparisons: differences, verdicts, and whether another treatment would turn them.
use super::{MOST_DRAWN, hundredths, one_drawing, value};
use crate::eval::document::{EvalBlock, EvalFigure, EvalTable};
use crate::eval::draw::{ForestFigure, ForestMark, ForestRow};
use crate::eval::summary::{VerdictTone, findings};
use crate::eval::words;
use crate::text::{one_line, sentence};
use crate::words::number;
use agon_eval::*;

const READING: &str = "Each line is the 95 % interval of a difference, in points of a hundred; the mark is the estimate. If an interval lies right of the solid line, the arm is better.";

const SEQUENTIAL_NEEDS: &str =
    " They are those of the sequential test: at most 1.6 times those of a fixed design. It usually ends earlier.";

/// Whether it helps: every comparison with its interval, test and verdict.
pub(in crate::eval) fn verdicts(result: &EvalResult) -> Vec<EvalBlock> {
    let mut blocks: Vec<EvalBlock> = Vec::new();
    let compared: Vec<(&ComparisonResult, &CountResult)> =
        result.comparisons.iter().filter_map(|of| Some((of, of.counts.first()?))).collect();
    if compared.is_empty() {
        let why = findings(result).into_iter().map(|finding| finding.sentence);
        return vec![EvalBlock::Lead(why.collect::<Vec<_>>().join(" "))];
    }
    blocks.push(EvalBlock::Lead(meaning(result)));
    blocks.push(EvalBlock::Figure(EvalFigure {
        title: differences_title(result),
        note: READING.to_owned(),
        drawings: one_drawing(forest(result, &compared).svg()),
        keys: Vec::new(),
        table: differences(result, &compared),
    }));
    let others = compared.iter().filter(|(of, _)| of.family != ComparisonFamily::Primary);
    let others: Vec<String> = others.map(|(_, count)| sentence(&one_line(&count.sentence))).collect();
    if !others.is_empty() {
        blocks.push(EvalBlock::Heading("Secondary comparisons".to_owned()));
        blocks.push(EvalBlock::Lines(others));
    }
    let distrusted = compared.iter().flat_map(|(_, count)| &count.distrusted).map(|why| sentence(&one_line(why)));
    let mut distrusted: Vec<String> = distrusted.collect();
    distrusted.sort();
    distrusted.dedup();
    if !distrusted.is_empty() {
        blocks.push(EvalBlock::Warnings(distrusted));
    }
    blocks.extend(needed(result, &compared));
    blocks.extend(by_count(result));
    blocks.extend(looks(result));
    blocks.extend(tests(result, &compared));
    blocks
}

fn differences_title(result: &EvalResult) -> String {
    format!("Differences in {}", words::rates(result).to_lowercase())
}

fn meaning(result: &EvalResult) -> String {
    let worth = words::fixed(result.setup.worth_points, 1);
    format!(
        "A gain is worth having from {worth} points on. Helped: better, at no more than 1.05 times the cost. No gain: any gain is below {worth} points. Hurt: worse. Cannot tell: anything else, which is not the same as no difference."
    )
}

fn mark(count: &CountResult) -> ForestMark {
    match VerdictTone::of(count.verdict) {
        VerdictTone::Good => ForestMark::Good,
        VerdictTone::Bad => ForestMark::Bad,
        VerdictTone::Mixed => ForestMark::Mixed,
        VerdictTone::Open => ForestMark::Open,
    }
}

fn forest(result: &EvalResult, compared: &[(&ComparisonResult, &CountResult)]) -> ForestFigure {
    let row = |(of, count): &(&ComparisonResult, &CountResult)| ForestRow {
        name: match of.family {
            ComparisonFamily::Primary => words::versus(result, of),
            family => format!("{} ({})", words::versus(result, of), words::family(family)),
        },
        value: value(&count.difference),
        interval: hundredths(count.difference.interval),
        mark: mark(count),
        written: words::found(count),
    };
    ForestFigure {
        title: format!("{}, with intervals", differences_title(result)),
        description: format!("{} comparisons. The numbers are in the table.", compared.len()),
        unit: "points",
        lines: lines(result),
        percent: false,
        rows: compared.iter().take(MOST_DRAWN).map(row).collect(),
    }
}

fn lines(result: &EvalResult) -> Vec<(f64, String)> {
    let worth = result.setup.worth_points;
    vec![(0.0, "no difference".to_owned()), (worth, format!("worth having: {}", words::fixed(worth, 1)))]
}

fn differences(result: &EvalResult, compared: &[(&ComparisonResult, &CountResult)]) -> EvalTable {
    let head = ["Comparison", "Verdict", "#Difference [95 %]", "#p, adjusted", "#Cost ratio", "#Questions"];
    let row = |(of, count): &(&ComparisonResult, &CountResult)| {
        vec![
            words::versus(result, of),
            words::found(count),
            words::difference(&count.difference),
            words::known(count.p_adjusted, words::p),
            words::known(count.ratio, words::ratio),
            number(of.questions.into()),
        ]
    };
    EvalTable::of(differences_title(result), &head, compared.iter().map(row).collect())
}

/// What the verdicts rest on.
fn tests(result: &EvalResult, compared: &[(&ComparisonResult, &CountResult)]) -> Vec<EvalBlock> {
    let of_rival = format!("#Rival {}", words::rate_name(result).to_lowercase());
    let own = format!("#{}", words::rate_name(result));
    let head = [
        "Comparison",
        "Family",
        own.as_str(),
        of_rival.as_str(),
        "#Only it right",
        "#Only the rival right",
        "#p",
        "#mid-p",
        "#Clusters",
        "Interval by",
    ];
    let row = |(of, count): &(&ComparisonResult, &CountResult)| {
        vec![
            words::versus(result, of),
            words::family(of.family).to_owned(),
            words::known(count.arm_right, words::percent),
            words::known(count.rival_right, words::percent),
            only(count, count.arm_only),
            only(count, count.rival_only),
            words::known(count.p, words::p),
            words::known(count.mid_p, words::p),
            number(of.clusters.into()),
            words::known(count.method, |method| words::method(method).to_owned()),
        ]
    };
    let table = EvalTable::of("Tests in detail", &head, compared.iter().map(row).collect());
    let mut blocks = vec![EvalBlock::Heading("Tests in detail".to_owned())];
    if compared.iter().any(|(_, count)| count.difference.n > 0 && count.arm_only.is_none()) {
        blocks.push(EvalBlock::Lead(
            "Shares: ties, repetitions, groups or rubrics give questions a share of a right answer, so they are not counted as right in one arm only."
                .to_owned(),
        ));
    }
    blocks.push(EvalBlock::Table(table.known_columns()));
    blocks
}

/// Questions that are right in one arm only.
fn only(count: &CountResult, questions: Option<u32>) -> String {
    match questions {
        None if count.difference.n > 0 => "shares".to_owned(),
        questions => words::known(questions, |n| number(n.into())),
    }
}

/// How many questions would tell.
fn needed(result: &EvalResult, compared: &[(&ComparisonResult, &CountResult)]) -> Vec<EvalBlock> {
    let asked: Vec<_> = compared.iter().filter(|(_, count)| !count.needed.is_empty()).collect();
    let mut points: Vec<f64> = asked.iter().flat_map(|(_, count)| &count.needed).map(|needed| needed.points).collect();
    points.sort_by(f64::total_cmp);
    points.dedup();
    if asked.is_empty() {
        return Vec::new();
    }
    let mut head = vec!["Comparison".to_owned()];
    head.extend(points.iter().map(|points| format!("#For {} points", words::fixed(*points, 0))));
    head.push("#Questions on which they differ".to_owned());
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let questions = |needed: &NeededQuestions| match needed.questions {
        Some(questions) => number(questions.into()),
        None => "more than an eval may have".to_owned(),
    };
    let row = |(of, count): &&(&ComparisonResult, &CountResult)| {
        let needed = |points: &f64| count.needed.iter().find(|needed| needed.points.total_cmp(points).is_eq());
        let mut row = vec![words::versus(result, of)];
        row.extend(points.iter().map(|points| words::known(needed(points), questions)));
        row.push(words::percent(count.discordance));
        row
    };
    let rows = asked.iter().map(row).collect();
    vec![
        EvalBlock::Heading("Questions that are needed".to_owned()),
        EvalBlock::Lead(format!(
            "So many questions would show a gain of this size with 80 % power, if the two differ as often as here.{}",
            if result.sequential.is_some() { SEQUENTIAL_NEEDS } else { "" }
        )),
        EvalBlock::Table(EvalTable::of("Questions that are needed", &head, rows)),
    ]
}

/// The verdict at equal spending by each count.
fn by_count(result: &EvalResult) -> Vec<EvalBlock> {
    let several = result.comparisons.iter().filter(|of| of.counts.len() > 1);
    let rows: Vec<Vec<String>> = several
        .flat_map(|of| of.counts.iter().map(move |count| (of, count)))
        .map(|(of, count)| {
            vec![
                words::versus(result, of),
                words::unit(count.count).to_owned(),
                words::found(count),
                words::difference(&count.difference),
                words::known(count.p_adjusted.or(count.p), words::p),
                words::known(count.ratio, words::ratio),
                words::known(count.per_extra_right, |cost| words::amount(count.count, cost)),
            ]
        })
        .collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let gain = if result.setup.measure() == RateMeasure::Right { "right answer" } else { "full score" };
    let gain = format!("#Cost of one more {gain}");
    let head = ["Comparison", "Equal", "Verdict", "#Difference [95 %]", "#p", "#Cost ratio", gain.as_str()];
    vec![
        EvalBlock::Heading("At equal cost, by what is counted".to_owned()),
        EvalBlock::Lead(
            "The samples of self-consistency are matched to the debate by each count. What is counted can change the verdict."
                .to_owned(),
        ),
        EvalBlock::Table(EvalTable::of("Verdicts by what is counted", &head, rows).known_columns()),
    ]
}

fn looks(result: &EvalResult) -> Vec<EvalBlock> {
    let Some(sequential) = &result.sequential else { return Vec::new() };
    let ended = match sequential.ended_after {
        Some(questions) => format!("The test ended after {} questions", number(questions.into())),
        None => "The eval went to its last question".to_owned(),
    };
    let last = sequential.points.iter().rev();
    let row = |point: &LookPoint| {
        vec![
            format!("{} against {}", words::arm_of(result, &point.arm), words::arm_of(result, &point.rival)),
            number(point.clusters.into()),
            words::fixed(point.e, 2),
            words::difference(&point.difference),
        ]
    };
    let head = ["Comparison", "#Clusters", "#Value of the bets", "#Difference [95 %]"];
    vec![
        EvalBlock::Heading("Looks of the sequential design".to_owned()),
        EvalBlock::Lead(format!(
            "{ended}, at {}. Bets on a difference start at 1; at {} there is a winner. The latest look is first.",
            crate::words::count(sequential.looks.into(), "look"),
            words::fixed(1.0 / result.setup.alpha, 0)
        )),
        EvalBlock::Table(EvalTable::of("Looks of the sequential design", &head, last.map(row).collect())),
    ]
}

/// Whether another treatment of doubtful cells would turn a verdict.
pub(in crate::eval) fn sensitivity(result: &EvalResult) -> Vec<EvalBlock> {
    let several: Vec<&ComparisonResult> = result.comparisons.iter().filter(|of| of.sensitivity.len() > 1).collect();
    let mut blocks = Vec::new();
    if !several.is_empty() {
        blocks.push(EvalBlock::Lead(
            "The same comparison, with doubtful answers treated in another way. A verdict that one of these rows changes is called fragile.".to_owned(),
        ));
    }
    for of in several {
        let turns: Vec<String> = of.sensitivity.iter().filter(|row| row.turns).map(words::case).collect();
        let note = match turns.is_empty() {
            true => "No row changes the verdict.".to_owned(),
            false => format!("These rows change the verdict: {}.", turns.join("; ")),
        };
        let drawn = of.sensitivity.iter().map(|row| ForestRow {
            name: words::case(row),
            value: row.difference.as_ref().and_then(value),
            interval: hundredths(row.difference.and_then(|difference| difference.interval)),
            mark: match VerdictTone::of(row.verdict) {
                VerdictTone::Good => ForestMark::Good,
                VerdictTone::Bad => ForestMark::Bad,
                VerdictTone::Mixed => ForestMark::Mixed,
                VerdictTone::Open => ForestMark::Open,
            },
            written: told(row),
        });
        let forest = ForestFigure {
            title: format!("{}, treated in other ways", words::versus(result, of)),
            description: note.clone(),
            unit: "points",
            lines: lines(result),
            percent: false,
            rows: drawn.take(MOST_DRAWN).collect(),
        };
        blocks.push(EvalBlock::Figure(EvalFigure {
            title: words::versus(result, of),
            note,
            drawings: one_drawing(forest.svg()),
            keys: Vec::new(),
            table: cases(of),
        }));
    }
    blocks
}

fn told(row: &SensitivityRow) -> String {
    let verdict = row.verdict.map_or("no verdict", words::verdict);
    if row.turns { format!("{verdict} (changed)") } else { verdict.to_owned() }
}

fn cases(of: &ComparisonResult) -> EvalTable {
    let head = ["Treatment", "Verdict", "#Difference [95 %]", "#p", "#Questions", "#Answers concerned"];
    let row = |row: &SensitivityRow| {
        vec![
            words::case(row),
            told(row),
            words::known(row.difference, |difference| words::difference(&difference)),
            words::known(row.p, words::p),
            number(row.questions.into()),
            number(row.changed_cells.into()),
        ]
    };
    EvalTable::of("The comparison, treated in other ways", &head, of.sensitivity.iter().map(row).collect())
}
