//! An eval's result on a terminal: what was found, one line for each arm, and the front.
use super::summary::{self, VerdictTone};
use super::{document, words};
use crate::terminal::{StyledLine, StyledSpan, TextStyle, rehearsal_mark};
use crate::text::{excerpt, one_line};
use crate::words::number;
use agon_eval::*;

/// Columns that a name has at least; where there are fewer, an arm takes two lines.
const LEAST_NAME: usize = 14;
const MOST_NAME: usize = 44;
/// Blanks between columns.
const GAP: usize = 2;

/// What came out, for a terminal of so many columns. Colours and the wrapping of sentences are the caller's.
pub fn eval_terminal(result: &EvalResult, width: usize) -> Vec<StyledLine> {
    let mut out = Vec::new();
    if result.rehearsal {
        out.push(rehearsal_mark());
    }
    out.push(StyledLine::of(TextStyle::Title, document::title(result)));
    for (name, value) in summary::brief(result) {
        out.push(StyledLine::hanging(TextStyle::Dim, &format!("{name:<11}"), TextStyle::Plain, &value));
    }
    out.push(StyledLine::empty());
    out.extend(table(result, width));
    out.extend(causes(result));
    out.push(StyledLine::empty());
    let findings = summary::findings(result);
    if result.comparisons.iter().any(|of| of.family == ComparisonFamily::Primary) {
        let heading = if findings.len() == 1 { "Primary comparison:" } else { "Primary comparisons:" };
        out.push(StyledLine::of(TextStyle::Dim, heading));
    }
    for finding in findings {
        out.push(badge(&finding.badge, finding.tone).and(TextStyle::Plain, format!(" {}", finding.sentence)));
    }
    out.extend(others(result));
    out.extend(front(result));
    out.extend(result.arms.iter().filter_map(|arm| {
        let text = format!(" {}.", words::skipped(result, arm, arm.skipped?));
        let name = format!("{}:", words::arm_name(result, arm));
        Some(StyledLine::of(TextStyle::Strong, name).and(TextStyle::Plain, text))
    }));
    out.extend(
        summary::warnings(result).iter().map(|warning| StyledLine::of(TextStyle::Warn, format!("Warning: {warning}"))),
    );
    out.push(StyledLine::of(
        TextStyle::Dim,
        "This covers these questions, models and prompts only. The HTML report has all figures.",
    ));
    out
}

/// The other comparisons, a line each.
fn others(result: &EvalResult) -> Vec<StyledLine> {
    let others = result.comparisons.iter().filter(|of| of.family != ComparisonFamily::Primary);
    let mut lines: Vec<StyledLine> = others.filter_map(|of| Some(other(result, of, of.counts.first()?))).collect();
    if !lines.is_empty() {
        lines.insert(0, StyledLine::of(TextStyle::Dim, "Other comparisons, which prove nothing by themselves:"));
    }
    lines
}

/// `  panel against single sample: +3.3 points [-4.1, 10.7], at 1.18 ×, Cannot tell`
fn other(result: &EvalResult, of: &ComparisonResult, count: &CountResult) -> StyledLine {
    let cost = count.ratio.map(|ratio| format!(", at {} the {}", words::ratio(ratio), words::unit(count.count)));
    let found = words::found(count).to_lowercase();
    let difference = words::difference(&count.difference);
    let text = format!("{}: {difference}{}, {found}", words::versus(result, of), cost.unwrap_or_default());
    StyledLine::indented(TextStyle::Plain, &text)
}

fn badge(text: &str, tone: VerdictTone) -> StyledLine {
    let style = match tone {
        VerdictTone::Good => TextStyle::Good,
        VerdictTone::Mixed => TextStyle::Warn,
        VerdictTone::Bad => TextStyle::Bad,
        VerdictTone::Open => TextStyle::Strong,
    };
    StyledLine::of(style, format!("{text}."))
}

/// One arm's columns behind its name.
fn columns(result: &EvalResult, arm: &ArmResult) -> Vec<String> {
    let cost = summary::cost(result, arm).filter(|cost| cost.per_question.is_finite());
    let right = arm.right.filter(|right| right.n > 0);
    let of_all = |cells: u32| match cells {
        0 => "0".to_owned(),
        n => format!("{} of {}", number(n.into()), number(arm.n.into())),
    };
    let mut columns = vec![
        words::known(right, |right| words::percent(right.value)),
        words::known(right.and_then(|right| words::interval(right.interval)), |interval| interval),
        words::known(cost, |cost| words::cost(&cost)),
        words::known(arm.wall_median_seconds, words::seconds),
        number(arm.ties.into()),
        of_all(arm.no_answer),
    ];
    if has_failures(result) {
        columns.push(of_all(arm.failed));
    }
    columns
}

fn has_failures(result: &EvalResult) -> bool {
    result.arms.iter().any(|arm| arm.failed > 0)
}

/// Why arms have failures, and questions without an answer.
fn causes(result: &EvalResult) -> Option<StyledLine> {
    let failed = result.arms.iter().filter(|arm| arm.failed > 0);
    let arms = failed.map(|arm| {
        let causes = arm
            .causes
            .iter()
            .map(|(cause, n)| format!("{} {}", one_line(&cause.replace('_', " ")), number((*n).into())));
        format!("{} ({})", words::arm_name(result, arm), causes.collect::<Vec<_>>().join(", "))
    });
    let text = format!(" {}.", arms.collect::<Vec<_>>().join("; "));
    has_failures(result)
        .then(|| StyledLine::of(TextStyle::Warn, "Failed or without an answer:").and(TextStyle::Plain, text))
}

fn table(result: &EvalResult, width: usize) -> Vec<StyledLine> {
    let name = |arm| words::arm_name(result, arm);
    let mut rows: Vec<(String, Vec<String>)> =
        result.arms.iter().map(|arm| (name(arm), columns(result, arm))).collect();
    if rows.is_empty() {
        return vec![StyledLine::of(TextStyle::Dim, "No arm was asked.")];
    }
    let tokens = words::unit_title(result.setup.count);
    let head = [words::rate_name(result), "95 % interval", tokens, "Median time", "Tie", "No answer"];
    let head: Vec<String> =
        head.into_iter().chain(has_failures(result).then_some("Failed")).map(str::to_owned).collect();
    let columns = head.len();
    rows.insert(0, ("Per question".to_owned(), head));
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            rows.iter().filter_map(|(_, cells)| cells.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let figures: usize = widths.iter().map(|width| width + GAP).sum();
    let longest = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).min(MOST_NAME);
    let room = width.saturating_sub(figures);
    if room < LEAST_NAME.min(longest) {
        return narrow(&rows);
    }
    let name_width = longest.min(room);
    rows.iter()
        .enumerate()
        .map(|(at, (name, cells))| {
            let cells = cells.iter().zip(&widths).map(|(cell, width)| format!("{:GAP$}{cell:>width$}", ""));
            let fits = name.chars().count() <= name_width;
            let name = if fits { name.clone() } else { excerpt(name, name_width.saturating_sub(1)) };
            let style = if at == 0 { TextStyle::Dim } else { TextStyle::Strong };
            let rest = if at == 0 { TextStyle::Dim } else { TextStyle::Plain };
            spans([(format!("{name:<name_width$}"), style), (cells.collect(), rest)])
        })
        .collect()
}

/// Two lines for each arm, where there is no room for columns.
fn narrow(rows: &[(String, Vec<String>)]) -> Vec<StyledLine> {
    let Some((_, head)) = rows.first() else { return Vec::new() };
    let arms = rows.iter().skip(1).flat_map(|(name, cells)| {
        let figures: Vec<String> =
            head.iter().zip(cells).map(|(name, cell)| format!("{} {cell}", name.to_lowercase())).collect();
        [StyledLine::of(TextStyle::Strong, name), StyledLine::indented(TextStyle::Plain, &figures.join(", "))]
    });
    arms.collect()
}

/// A line whose blanks are kept; its texts are on one line already.
fn spans(parts: [(String, TextStyle); 2]) -> StyledLine {
    let spans = parts.into_iter().map(|(text, style)| StyledSpan { text, style }).collect();
    StyledLine { spans, ..StyledLine::default() }
}

/// What nothing cheaper beats.
fn front(result: &EvalResult) -> Option<StyledLine> {
    let upper: Vec<FreeArmKind> = result.free_arms.iter().filter(|arm| arm.upper_bound).map(|arm| arm.kind).collect();
    let on = result.front.iter().filter(|point| point.on_front && point.free.is_none_or(|kind| !upper.contains(&kind)));
    let names: Vec<String> = on
        .map(|point| {
            let cost = words::amount(result.setup.count, point.per_question);
            format!("{} ({} at {cost})", words::front_name(result, &point.id), words::percent(point.right.value))
        })
        .collect();
    let unit = words::unit(result.setup.count);
    (!names.is_empty()).then(|| {
        let as_good = if result.setup.measure() == RateMeasure::Right { "is right as often" } else { "scores as high" };
        let text = format!(" nothing cheaper {as_good}, in {unit} for each question: {}.", names.join(", "));
        StyledLine::of(TextStyle::Strong, "Best at their cost:").and(TextStyle::Plain, text)
    })
}
