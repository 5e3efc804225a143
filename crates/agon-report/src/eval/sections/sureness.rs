//! Calibration and the gate.
use super::hundredths;
use crate::eval::document::{ArmKey, EvalBlock, EvalDrawing, EvalFigure, EvalTable};
use crate::eval::draw::{self, CurveDot, ReliabilityBin, ReliabilityFigure, ScatterFigure, ScatterPoint};
use crate::eval::sections::{one_drawing, value};
use crate::eval::words;
use crate::text::{one_line, sentence};
use crate::words::number;
use agon_eval::*;

/// Reliability diagrams that are drawn at most; the table has all.
const MOST_DIAGRAMS: usize = 12;

/// How far sureness says how often an answer is right.
pub(in crate::eval) fn calibration(result: &EvalResult) -> Vec<EvalBlock> {
    if result.calibration.is_empty() {
        return Vec::new();
    }
    let whole = result.calibration.iter().filter(|of| of.persona.is_none());
    let drawing = |of: &CalibrationResult| {
        let bins = of.bins.iter().filter(|bin| bin.right.n > 0);
        let title = whose(result, of);
        let figure = ReliabilityFigure {
            title: format!("Accuracy over confidence: {title}"),
            description: format!(
                "{} bins of {}. On the dashed line, accuracy equals confidence.",
                of.bins.len(),
                words::sureness(of.source)
            ),
            bins: bins
                .map(|bin| ReliabilityBin {
                    sure: bin.sureness * 100.0,
                    right: bin.right.value * 100.0,
                    interval: hundredths(bin.right.interval),
                    answers: bin.right.n.into(),
                })
                .collect(),
        };
        Some(EvalDrawing { title: Some(format!("{title}: {}", words::sureness(of.source))), svg: figure.svg()? })
    };
    let head = [
        "Whose",
        "Confidence",
        "#Answers",
        "#Calibration error [95 %]",
        "#If perfectly calibrated",
        "#Brier score",
        "#Miscalibration",
        "#Resolution",
        "#Uncertainty",
    ];
    let row = |of: &CalibrationResult| {
        let range = of
            .ece_if_perfect_range
            .map(|Interval { low, high }| format!(" [{}, {}]", words::fixed(low, 3), words::fixed(high, 3)));
        vec![
            whose(result, of),
            words::sureness(of.source).to_owned(),
            number(of.n.into()),
            words::plain_estimate(&of.ece, 3),
            words::known(of.ece_if_perfect, |ece| format!("{}{}", words::fixed(ece, 3), range.unwrap_or_default())),
            words::fixed(of.brier, 3),
            words::fixed(of.reliability, 3),
            words::fixed(of.resolution, 3),
            words::fixed(of.uncertainty, 3),
        ]
    };
    let table = EvalTable::of("Calibration", &head, result.calibration.iter().map(row).collect()).known_columns();
    let figure = EvalBlock::Figure(EvalFigure {
        title: "Accuracy over confidence".to_owned(),
        note: "Answers are grouped by confidence; each dot shows how often such answers are right, with its 95 % interval. Larger dots are more answers. Where several answers share the first place, each of them counts, so there can be more answers than questions. The top answer of the ballots need not be the verdict. Dots below the dashed line are overconfident. Even perfect calibration gives an error above 0 by chance, so the table shows that figure too.".to_owned(),
        drawings: whole.take(MOST_DIAGRAMS).filter_map(drawing).collect(),
        keys: Vec::new(),
        table,
    });
    vec![figure, EvalBlock::Heading("Bins of the diagrams".to_owned()), EvalBlock::Table(bins(result))]
}

fn bins(result: &EvalResult) -> EvalTable {
    let percent = |value: f64| words::percent(value);
    let row = |(of, bin): (&CalibrationResult, &CalibrationBin)| {
        vec![
            format!("{}: {}", whose(result, of), words::sureness(of.source)),
            percent(bin.sureness),
            format!("{} to {}", percent(bin.least), percent(bin.most)),
            words::rate(&bin.right),
            number(bin.right.n.into()),
        ]
    };
    let drawn = result.calibration.iter().filter(|of| of.persona.is_none());
    let all = drawn.flat_map(|of| of.bins.iter().map(move |bin| (of, bin)));
    let head = ["Whose", "#Mean confidence", "#Range", "#Right [95 %]", "#Answers"];
    EvalTable::of("Bins of the diagrams", &head, all.map(row).collect())
}

fn whose(result: &EvalResult, of: &CalibrationResult) -> String {
    let parts =
        [Some(words::arm_of(result, &of.arm)), of.model.as_deref().map(one_line), of.persona.as_deref().map(one_line)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What a gate learned.
pub(in crate::eval) fn gate(result: &EvalResult) -> Vec<EvalBlock> {
    let Some(gate) = &result.gate else { return Vec::new() };
    let rows = found(gate);
    let drawing = scatter(gate).svg();
    let key = |(at, policy): (usize, &GatePolicy)| ArmKey {
        letter: draw::letter(at),
        colour: at,
        name: policy_name(&policy.name),
    };
    let row = |(at, policy): (usize, &GatePolicy)| {
        vec![
            format!("{} {}", draw::letter(at), policy_name(&policy.name)),
            words::rate(&policy.right),
            words::amount_estimate(Count::Total, &policy.tokens),
            words::rate(&policy.debated),
        ]
    };
    let head = ["Policy", "#Right [95 %]", "#Tokens per question [95 %]", "#Debated [95 %]"];
    let mut blocks = vec![
        EvalBlock::Lines(rows),
        EvalBlock::Figure(EvalFigure {
            title: "Right answers over tokens, by who decides what is debated".to_owned(),
            note: format!(
                "Learned on {} questions; all figures are out of fold, from questions that the gate had not seen. The grey curve shows other thresholds.",
                number(gate.questions.into())
            ),
            drawings: one_drawing(drawing),
            keys: gate.policies.iter().enumerate().map(key).collect(),
            table: EvalTable::of("Policies", &head, gate.policies.iter().enumerate().map(row).collect()),
        }),
    ];
    blocks.extend(thresholds(gate));
    blocks
}

/// What a gate learned, in lines of text.
pub fn gate_lines(gate: &GateResult) -> Vec<String> {
    let policy = |policy: &GatePolicy| {
        let tokens = words::amount_estimate(Count::Total, &policy.tokens);
        let (right, debated) = (words::rate(&policy.right), words::rate(&policy.debated));
        format!("{}: {right} right, {tokens} tokens per question, {debated} debated", policy_name(&policy.name))
    };
    let mut lines = found(gate);
    lines.extend(gate.policies.iter().map(policy));
    lines
}

fn found(gate: &GateResult) -> Vec<String> {
    let mut lines =
        vec![format!("Debate {}: {}. {}", one_line(&gate.debate), kind(&gate.kind), sentence(&one_line(&gate.why)))];
    let figures = [
        ("Tokens saved, compared with always debating", gate.savings),
        ("Accuracy lost, compared with a gate that knew", gate.regret),
        ("Harmful debates that it skips", gate.harm_avoided),
        ("Skipped debates that would have left their first ballots", gate.left_ballots),
    ];
    lines.extend(figures.into_iter().filter_map(|(name, figure)| Some(format!("{name}: {}.", words::rate(&figure?)))));
    lines
}

/// The curve of the gate in numbers.
fn thresholds(gate: &GateResult) -> Vec<EvalBlock> {
    if gate.curve.is_empty() {
        return Vec::new();
    }
    let row = |point: &GateCurvePoint| {
        vec![
            words::fixed(point.threshold, 3),
            words::percent(point.right),
            words::amount(Count::Total, point.tokens),
            words::percent(point.debated),
        ]
    };
    let head = ["Debated from this score on", "#Right", "#Tokens per question", "#Debated"];
    let table = EvalTable::of("Other thresholds", &head, gate.curve.iter().map(row).collect());
    vec![EvalBlock::Heading("Other thresholds".to_owned()), EvalBlock::Table(table)]
}

fn kind(kind: &str) -> String {
    match kind {
        "never" => "the gate never debates".to_owned(),
        "always" => "the gate always debates".to_owned(),
        "unanimous" => "the gate skips the debate if all first ballots agree".to_owned(),
        "threshold" => "the gate is a threshold on one feature".to_owned(),
        "logistic" => "the gate is a logistic model".to_owned(),
        other => format!("the gate is of the kind {}", one_line(other)),
    }
}

fn policy_name(name: &str) -> String {
    match name {
        "gate" => "this gate".to_owned(),
        "always" => "always debate".to_owned(),
        "never" => "never debate".to_owned(),
        "knows" => "a gate that knew (upper bound)".to_owned(),
        other => one_line(other),
    }
}

fn scatter(gate: &GateResult) -> ScatterFigure {
    let point = |(at, policy): (usize, &GatePolicy)| {
        Some(ScatterPoint {
            letter: draw::letter(at),
            colour: at,
            x: policy.tokens.value,
            y: value(&policy.right)?,
            interval: hundredths(policy.right.interval),
            title: format!("{}: {} right", policy_name(&policy.name), words::rate(&policy.right)),
        })
    };
    let mut curve: Vec<CurveDot> =
        gate.curve.iter().map(|point| CurveDot { x: point.tokens, y: point.right * 100.0, interval: None }).collect();
    curve.retain(|dot| dot.x.is_finite() && dot.y.is_finite());
    curve.sort_by(|one, other| one.x.total_cmp(&other.x));
    ScatterFigure {
        title: "Right answers over tokens, by who decides what is debated".to_owned(),
        description: "The gate, always, never, and a gate that knew. The numbers are in the table.".to_owned(),
        across: "tokens for each question".to_owned(),
        points: gate.policies.iter().enumerate().filter_map(point).filter(|point| point.x.is_finite()).collect(),
        curves: vec![curve],
        front: Vec::new(),
    }
}
