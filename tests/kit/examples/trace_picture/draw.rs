//! A trace as a waterfall: a row for each span below its parent, a bar for the time that it took.
use agon_testkit::SinkSpan;
use std::fmt::Write;

/// Sizes in pixels.
const WIDTH: f64 = 1100.0;
const NAMES: f64 = 400.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 92.0;
const ROW: f64 = 24.0;
const INDENT: f64 = 16.0;
/// Room that a duration needs beside its bar.
const LABEL: f64 = 64.0;
const STYLE: &str = "\
  svg { --back: #ffffff; --text: #1f2328; --faint: #59636e; --line: #d1d9e0; --row: #f6f8fa;
        --coordinator: #0969da; --host: #bf5a00; --gateway: #1a7f37; --bad: #cf222e; }
  @media (prefers-color-scheme: dark) {
    svg { --back: #0d1117; --text: #e6edf3; --faint: #9198a1; --line: #3d444d; --row: #151b23;
          --coordinator: #58a6ff; --host: #f0883e; --gateway: #3fb950; --bad: #f85149; }
  }
  text { font: 13px ui-sans-serif, system-ui, 'DejaVu Sans', sans-serif; fill: var(--text); }
  .title { font-size: 16px; font-weight: 600; }
  .faint { fill: var(--faint); font-size: 12px; }
  .took { paint-order: stroke; stroke: var(--back); stroke-width: 4; }
  .end { text-anchor: end; }
  .middle { text-anchor: middle; }
  .agon-coordinator { fill: var(--coordinator); } .agon-host { fill: var(--host); } .agon-gateway { fill: var(--gateway); }
  .bad { stroke: var(--bad); stroke-width: 2; }
";

/// A span and how deep it lies.
struct SpanRow<'a> {
    span: &'a SinkSpan,
    depth: usize,
}

/// The time that is drawn, in nanoseconds of Unix time.
struct TraceAxis {
    from: u64,
    to: u64,
}

impl TraceAxis {
    fn x(&self, at: u64) -> f64 {
        let share = at.saturating_sub(self.from) as f64 / self.to.saturating_sub(self.from).max(1) as f64;
        NAMES + share * (WIDTH - NAMES - RIGHT)
    }
    /// The distance of marks: a round number of milliseconds, of which about six fit.
    fn step(&self) -> u64 {
        let all = self.to.saturating_sub(self.from) / 1_000_000;
        [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000]
            .into_iter()
            .find(|step| all / step <= 7)
            .unwrap_or(all)
    }
}

/// The picture.
pub fn svg(spans: &[SinkSpan]) -> String {
    let rows = rows(spans);
    let from = spans.iter().map(|span| span.start).min().unwrap_or_default();
    let axis = TraceAxis { from, to: spans.iter().map(|span| span.end).max().unwrap_or(from) };
    let height = TOP + rows.len() as f64 * ROW + 16.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" \
         aria-label=\"Waterfall of the spans of a rehearsed debate\">\n<style>\n{STYLE}</style>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"var(--back)\"/>\n"
    );
    head(&mut out, spans);
    marks(&mut out, &axis, height);
    for (number, row) in rows.iter().enumerate() {
        draw(&mut out, row, &axis, TOP + number as f64 * ROW);
    }
    out.push_str("</svg>\n");
    out
}

/// The spans as a walk over the tree meets them, siblings by their start.
fn rows(spans: &[SinkSpan]) -> Vec<SpanRow<'_>> {
    let children = |parent: &str| {
        let mut all: Vec<&SinkSpan> = spans.iter().filter(|span| span.parent == parent).collect();
        all.sort_by_key(|span| (std::cmp::Reverse((span.start, span.end)), &span.name));
        all
    };
    let mut rows = Vec::new();
    let mut open: Vec<SpanRow<'_>> = children("").into_iter().map(|span| SpanRow { span, depth: 0 }).collect();
    while let Some(row) = open.pop() {
        open.extend(children(&row.span.span_id).into_iter().map(|span| SpanRow { span, depth: row.depth + 1 }));
        rows.push(row);
    }
    rows
}

fn head(out: &mut String, spans: &[SinkSpan]) {
    let title = "One debate, one trace: a rehearsal with scripted speakers, no model";
    let _ = writeln!(out, "<text class=\"title\" x=\"16\" y=\"30\">{title}</text>");
    let mut services: Vec<&str> = spans.iter().map(|span| span.service.as_str()).collect();
    services.sort_unstable();
    services.dedup();
    let mut x = 16.0;
    for service in services {
        let count = spans.iter().filter(|span| span.service == service).count();
        let text = format!("{service}, {count} spans");
        let _ = writeln!(
            out,
            "<rect class=\"{0}\" x=\"{x}\" y=\"43\" width=\"12\" height=\"12\" rx=\"2\"/><text class=\"faint\" x=\"{1}\" y=\"53\">{text}</text>",
            escaped(service),
            x + 18.0
        );
        x += 40.0 + 6.6 * text.len() as f64;
    }
}

fn marks(out: &mut String, axis: &TraceAxis, height: f64) {
    let (step, all) = (axis.step().max(1), axis.to.saturating_sub(axis.from) / 1_000_000);
    for at in (0..=all).step_by(usize::try_from(step).unwrap_or(usize::MAX)) {
        let x = axis.x(axis.from + at * 1_000_000);
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{0}\" y2=\"{height}\" stroke=\"var(--line)\"/><text class=\"faint middle\" x=\"{x:.1}\" y=\"{1}\">{at} ms</text>",
            TOP - 8.0,
            TOP - 14.0
        );
    }
}

fn draw(out: &mut String, SpanRow { span, depth }: &SpanRow<'_>, axis: &TraceAxis, y: f64) {
    let (from, to) = (axis.x(span.start), axis.x(span.end));
    let bar = (to - from).max(2.0);
    let middle = y + ROW / 2.0 + 4.5;
    let x = 16.0 + *depth as f64 * INDENT;
    let bad = if span.error.is_some() { " bad" } else { "" };
    let took = took(span.end.saturating_sub(span.start));
    let (side, at) = match from + bar + LABEL < WIDTH {
        true => ("", from + bar + 6.0),
        false => (" end", from - 6.0),
    };
    // a bar over the whole width has its duration inside
    let inside = side == " end" && from - LABEL < NAMES;
    let (side, at, colour) = match inside {
        true => (" end", from + bar - 6.0, " style=\"fill: var(--back)\""),
        false => (side, at, ""),
    };
    let halo = if inside { "" } else { " took" };
    let _ = writeln!(
        out,
        "<g><title>{title}</title><text x=\"{x}\" y=\"{middle}\">{name}<tspan class=\"faint\" dx=\"6\">{detail}</tspan></text>\
         <rect class=\"{service}{bad}\" x=\"{from:.1}\" y=\"{0}\" width=\"{bar:.1}\" height=\"{1}\" rx=\"2\"/>\
         <text class=\"faint{side}{halo}\" x=\"{at:.1}\" y=\"{middle}\"{colour}>{took}</text></g>",
        y + 4.0,
        ROW - 8.0,
        title = escaped(&format!("{} of {}, {took}", span.name, span.service)),
        name = escaped(&span.name),
        detail = escaped(&detail(span)),
        service = escaped(&span.service),
    );
}

/// What tells a span from others of its name.
fn detail(span: &SinkSpan) -> String {
    let word = span.name.split(' ').next().unwrap_or_default();
    let key = match word {
        "invoke_workflow" => "debate.outcome",
        "debate.round" => "debate.round",
        "send" => "debate.turn",
        "process" => "agon.host",
        "invoke_agent" => "debate.role",
        "chat" => "gen_ai.usage.output_tokens",
        _ => return String::new(),
    };
    let value = span.attributes.get(key).cloned().unwrap_or_default();
    if word == "chat" && !value.is_empty() { format!("{value} tokens out") } else { value }
}

fn took(nanos: u64) -> String {
    let ms = nanos as f64 / 1_000_000.0;
    if ms < 10.0 { format!("{ms:.1} ms") } else { format!("{ms:.0} ms") }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
