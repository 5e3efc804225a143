//! Arms: how right, at what cost, and what failed.
use super::{hundredths, keys, one_drawing, value};
use crate::eval::document::{ArmKey, EvalBlock, EvalFigure, EvalTable};
use crate::eval::draw::{self, CurveDot, ScatterFigure, ScatterPoint};
use crate::eval::{summary, words};
use crate::text::one_line;
use crate::words::number;
use agon_eval::*;
use std::collections::{BTreeMap, BTreeSet};

/// Free arms on the front that are drawn at most.
const MOST_FREE: usize = 12;

/// Accuracy over cost, and the arms with all their figures.
pub(in crate::eval) fn arms(result: &EvalResult) -> Vec<EvalBlock> {
    if result.arms.is_empty() {
        return Vec::new();
    }
    let free = free_on_front(result);
    let mut keys = keys(result);
    keys.extend(free.iter().enumerate().map(|(at, point)| ArmKey {
        letter: small(at),
        colour: result.arms.len() + at,
        name: words::front_name(result, &point.id),
    }));
    let drawing = scatter(result, &free).svg();
    let drawn = drawing.is_some();
    let unit = words::unit(result.setup.count);
    let note = format!(
        "Up is {}, left is cheaper. Vertical lines are 95 % intervals; those at nearly the same cost stand side by side. The grey curve is self-consistency by number of samples, with its interval. The dotted steps are the Pareto front: nothing below or right of them is a better choice. Cost is in {unit} for each question.",
        if result.setup.measure() == RateMeasure::Right { "more often right" } else { "a higher score" }
    );
    let mut blocks = vec![EvalBlock::Figure(EvalFigure {
        title: format!("{} over {unit}", words::rates(result)),
        note: if drawn { note } else { "There is no rate with a known cost to draw.".to_owned() },
        drawings: one_drawing(drawing),
        keys,
        table: table(result),
    })];
    let lines = remarks(result);
    if !lines.is_empty() {
        blocks.push(EvalBlock::Lines(lines));
    }
    blocks.push(EvalBlock::Heading("Arms in detail".to_owned()));
    blocks.push(EvalBlock::Table(details(result)));
    blocks.extend(curve_tables(result));
    blocks.extend(front_table(result));
    blocks
}

fn small(at: usize) -> String {
    draw::letter(at).to_lowercase()
}

fn free_on_front(result: &EvalResult) -> Vec<&FrontPoint> {
    let bounds: BTreeSet<FreeArmKind> =
        result.free_arms.iter().filter(|arm| arm.upper_bound).map(|arm| arm.kind).collect();
    let free =
        result.front.iter().filter(|point| point.on_front && point.free.is_some_and(|kind| !bounds.contains(&kind)));
    free.take(MOST_FREE).collect()
}

fn scatter(result: &EvalResult, free: &[&FrontPoint]) -> ScatterFigure {
    let count = result.setup.count;
    let point = |(at, arm): (usize, &ArmResult)| {
        let cost = summary::cost(result, arm)?;
        let right = arm.right?;
        Some(ScatterPoint {
            letter: draw::letter(at),
            colour: at,
            x: cost.per_question,
            y: value(&right)?,
            interval: hundredths(right.interval),
            title: told(&words::arm_name(result, arm), result, cost.per_question, &right),
        })
    };
    let arms = result.arms.iter().enumerate().filter_map(point);
    let free = free.iter().enumerate().filter_map(|(at, point)| {
        Some(ScatterPoint {
            letter: small(at),
            colour: result.arms.len() + at,
            x: point.per_question,
            y: value(&point.right)?,
            interval: hundredths(point.right.interval),
            title: told(&words::front_name(result, &point.id), result, point.per_question, &point.right),
        })
    });
    let dot = |point: &CurvePoint| {
        let y = value(&point.right)?;
        Some(CurveDot { x: point.per_question?, y, interval: hundredths(point.right.interval) })
    };
    let front = result.front.iter().filter(|point| point.on_front);
    ScatterFigure {
        title: format!("{} over {}", words::rates(result), words::unit(count)),
        description: "Each arm with its interval, the curve of self-consistency and the front of the best. The numbers are in the table."
            .to_owned(),
        across: format!("{} for each question", words::unit(count)),
        points: arms.chain(free).filter(|point| point.x.is_finite()).collect(),
        curves: result.curves.iter().map(|curve| curve.points.iter().filter_map(dot).collect()).collect(),
        front: front.filter_map(|point| Some((point.per_question, value(&point.right)?))).collect(),
    }
}

fn told(name: &str, result: &EvalResult, cost: f64, right: &Estimate) -> String {
    let count = result.setup.count;
    let rate = words::rate(right);
    let is_right = result.setup.measure() == RateMeasure::Right;
    format!(
        "{name}: {} at {} {} for each question",
        if is_right { format!("{rate} right") } else { format!("score {rate}") },
        words::amount(count, cost),
        words::unit(count)
    )
}

/// The arms at one look.
fn table(result: &EvalResult) -> EvalTable {
    let cost = format!("#{} per question", words::unit_title(result.setup.count));
    let rate = words::rate_column(result);
    let head = [
        "Arm",
        rate.as_str(),
        cost.as_str(),
        "#Cost ratio to its debate",
        "#Median time",
        "#Tie",
        "#No answer",
        "#Failed",
        "#Asked",
    ];
    let row = |(at, arm): (usize, &ArmResult)| {
        let cost = summary::cost(result, arm);
        vec![
            lettered(result, at, arm),
            words::known(arm.right, |right| words::rate(&right)),
            words::known(cost, amount),
            words::known(cost.and_then(|cost| cost.ratio), words::ratio),
            words::known(arm.wall_median_seconds, words::seconds),
            number(arm.ties.into()),
            number(arm.no_answer.into()),
            number(arm.failed.into()),
            number(arm.n.into()),
        ]
    };
    EvalTable::of("Arms", &head, result.arms.iter().enumerate().map(row).collect()).known_columns()
}

/// Self-consistency by samples.
fn curve_tables(result: &EvalResult) -> Vec<EvalBlock> {
    let count = result.setup.count;
    let cost = format!("#{} per question", words::unit_title(count));
    let row = |(curve, point): (&SampleCurve, &CurvePoint)| {
        vec![
            crate::words::count(point.k.into(), "sample"),
            words::rate(&point.right),
            words::known(point.per_question, |cost| words::amount(count, cost)),
            number(point.right.n.into()),
            one_line(&curve.models.join(", ")),
        ]
    };
    let all = result.curves.iter().flat_map(|curve| curve.points.iter().map(move |point| (curve, point)));
    let rows: Vec<Vec<String>> = all.map(row).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let rate = words::rate_column(result);
    let head = ["Self-consistency of", rate.as_str(), cost.as_str(), "#Of", "Models"];
    let table = EvalTable::of("Self-consistency by samples", &head, rows).known_columns();
    vec![EvalBlock::Heading("Self-consistency by number of samples".to_owned()), EvalBlock::Table(table)]
}

/// Arms and free arms by cost.
fn front_table(result: &EvalResult) -> Vec<EvalBlock> {
    if result.front.is_empty() {
        return Vec::new();
    }
    let count = result.setup.count;
    let cost = format!("#{} per question", words::unit_title(count));
    let row = |point: &FrontPoint| {
        vec![
            words::front_name(result, &point.id),
            words::amount(count, point.per_question),
            words::rate(&point.right),
            if point.on_front { "yes" } else { "no" }.to_owned(),
        ]
    };
    let rate = words::rate_column(result);
    let head = ["Choice", cost.as_str(), rate.as_str(), "On the Pareto front"];
    let table = EvalTable::of("Choices from cheap to expensive", &head, result.front.iter().map(row).collect());
    vec![EvalBlock::Heading("Choices from cheap to expensive".to_owned()), EvalBlock::Table(table)]
}

/// The rest that is known of the arms.
fn details(result: &EvalResult) -> EvalTable {
    let others: Vec<Count> = Count::ALL.into_iter().filter(|count| *count != result.setup.count).collect();
    let mut head: Vec<String> = ["Arm", "What it is"].map(str::to_owned).into();
    head.extend(others.iter().map(|count| format!("#{} per question", words::unit_title(*count))));
    head.extend(
        [
            "#Calls per question",
            "#Samples per question (range)",
            "#95th percentile of time",
            "#Seats missing",
            "Models",
        ]
        .map(str::to_owned),
    );
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let row = |(at, arm): (usize, &ArmResult)| {
        let cost = |count: &Count| words::known(arm.costs.iter().find(|cost| cost.count == *count).copied(), amount);
        let calls = (arm.n > 0).then(|| arm.calls as f64 / f64::from(arm.n));
        let samples =
            |samples: SampleUse| format!("{} ({}–{})", words::fixed(samples.mean, 1), samples.least, samples.most);
        let mut out = vec![lettered(result, at, arm), words::arm_kind(arm.kind).to_owned()];
        out.extend(others.iter().map(cost));
        out.push(words::known(calls, |calls| words::fixed(calls, 1)));
        out.push(words::known(arm.samples, samples));
        out.push(words::known(arm.wall_p95_seconds, words::seconds));
        out.push(number(arm.degraded.into()));
        out.push(words::known((!arm.models.is_empty()).then(|| one_line(&arm.models.join(", "))), |models| models));
        out
    };
    EvalTable::of("Arms in detail", &head, result.arms.iter().enumerate().map(row).collect()).known_columns()
}

fn lettered(result: &EvalResult, at: usize, arm: &ArmResult) -> String {
    format!("{} {}", draw::letter(at), words::arm_name(result, arm))
}
fn amount(cost: CostFigure) -> String {
    words::cost(&cost)
}

fn remarks(result: &EvalResult) -> Vec<String> {
    let mut out = Vec::new();
    let is_right = result.setup.measure() == RateMeasure::Right;
    for arm in &result.arms {
        let name = words::arm_name(result, arm);
        if let Some(skipped) = arm.skipped {
            out.push(format!("{name}: {}.", words::skipped(result, arm, skipped)));
        }
        if let Some(cut) = arm.cut.filter(|cut| cut.held_down) {
            out.push(format!(
                "{name} was held down: the limit of {} samples cut {} of its questions, and more samples may have helped.",
                result.setup.max_samples,
                words::percent(cut.share)
            ));
        }
        if !arm.dominated_by.is_empty() {
            let better: Vec<String> = arm.dominated_by.iter().map(|id| words::front_name(result, id)).collect();
            out.push(format!(
                "{name} is dominated: at lower cost, these {} as {}: {}.",
                if is_right { "are right at least" } else { "score at least" },
                if is_right { "often" } else { "high" },
                better.join("; ")
            ));
        }
    }
    out
}

/// Failures and missing answers, by cause and arm.
pub(in crate::eval) fn failures(result: &EvalResult) -> Vec<EvalBlock> {
    let row = |(arm, cause, n): (&ArmResult, &String, &u32)| {
        let share = (arm.n > 0).then(|| f64::from(*n) / f64::from(arm.n));
        vec![
            words::arm_name(result, arm),
            one_line(&cause.replace('_', " ")),
            number((*n).into()),
            words::known(share, words::percent),
        ]
    };
    let all = result.arms.iter().flat_map(|arm| arm.causes.iter().map(move |(cause, n)| (arm, cause, n)));
    let rows: Vec<Vec<String>> = all.map(row).collect();
    if rows.is_empty() {
        return replaced(result);
    }
    let mut blocks = vec![
        EvalBlock::Lead(
            "A question without an answer counts as not right and stays in every denominator. If failures were left out, an unreliable arm would look better.".to_owned(),
        ),
        EvalBlock::Table(EvalTable::of("Failures by cause", &["Arm", "Cause", "#Times", "#Share of its answers"], rows)),
    ];
    blocks.extend(replaced(result));
    blocks
}

/// Results that a retry replaced: how many of each arm, and which.
fn replaced(result: &EvalResult) -> Vec<EvalBlock> {
    if result.replaced.is_empty() {
        return Vec::new();
    }
    let mut by_arm: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for row in &result.replaced {
        let (times, tokens) = by_arm.entry(&row.arm).or_default();
        (*times, *tokens) = (*times + 1, *tokens + row.total_tokens);
    }
    let arms = by_arm.iter().map(|(arm, (times, tokens))| vec![one_line(arm), number(*times), number(*tokens)]);
    let row = |row: &ReplacedRow| {
        vec![
            one_line(&row.question),
            one_line(&row.arm),
            words::known(row.reason.as_ref(), |reason| one_line(&reason.replace('_', " "))),
            number(row.total_tokens),
            one_line(&row.debate),
        ]
    };
    let rows = result.replaced.iter().map(row).collect();
    let head = ["Question", "Arm", "Why it had failed", "#Tokens", "Debate"];
    vec![
        EvalBlock::Heading("Results that a retry replaced".to_owned()),
        EvalBlock::Lead("These failed, were paid for, and were run again. Only the later result counts.".to_owned()),
        EvalBlock::Table(EvalTable::of("Replaced results by arm", &["Arm", "#Times", "#Tokens"], arms.collect())),
        EvalBlock::Table(EvalTable::of("Replaced results", &head, rows)),
    ]
}

/// What other ways of deciding would have made of the same debates.
pub(in crate::eval) fn free_arms(result: &EvalResult) -> Vec<EvalBlock> {
    if result.free_arms.is_empty() {
        return Vec::new();
    }
    let count = result.setup.count;
    let row = |arm: &FreeArm| {
        let bound = if arm.upper_bound { " (upper bound, not a method)" } else { "" };
        vec![
            format!("{}: {}{bound}", one_line(&arm.debate.0), words::free_arm(arm.kind, arm.round)),
            words::rate(&arm.right),
            words::difference(&arm.gain),
            words::known(arm.p, words::p),
            words::known(arm.per_question, |cost| words::amount(count, cost)),
            number(arm.silent.into()),
        ]
    };
    let cost = format!("#{} per question", words::unit_title(count));
    let head = [
        "Way to decide",
        "#Right [95 %]",
        "#Debate minus this [95 %]",
        "#p, not adjusted",
        cost.as_str(),
        "#Debates without it",
    ];
    vec![
        EvalBlock::Lead(
            "The log of a debate holds more than its verdict. These rows decide the same debates by their ballots, openings or judges alone, at the cost up to that point. If a row is right as often at lower cost, the rest of the debate did not pay. The p-values are not adjusted, so no row is a verdict.".to_owned(),
        ),
        EvalBlock::Table(EvalTable::of("Other ways to decide", &head, result.free_arms.iter().map(row).collect()).known_columns()),
    ]
}
