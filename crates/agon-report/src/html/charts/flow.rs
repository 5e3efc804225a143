//! Where the ballots went: from the answers before the debate to those after it.
use super::Chart;
use super::draw::told;
use crate::minutes::Minutes;
use crate::text::{excerpt, one_line, sentence};
use crate::tree::{escaped, folded};
use crate::words::count;
use agon_core::BallotStage;
use agon_core::tally::same_answer;
use std::fmt::Write;

/// Answers that have a place of their own; the last place is for all others.
const MOST_ANSWERS: usize = 8;
/// Characters of an answer in words.
const MOST_ANSWER: usize = 160;
const TITLE: &str = "From first to last ballots";

/// Where the bars of the two sides begin, and how broad they are.
const BARS: [f64; 2] = [122.0, 262.0];
const BAR: f64 = 8.0;
/// Room above the first bar, between two, and for the two lines of a name.
const TOP: f64 = 26.0;
const GAP: f64 = 12.0;
const NAME: f64 = 30.0;
/// Height of all ballots of a side together, about, and of one.
const SIDE: f64 = 138.0;
const MOST_BALLOT: f64 = 30.0;
/// Columns of a line of a name.
const COLUMNS: usize = 12;
/// A narrower stream has no number on it.
const FEWEST_FOR_A_NUMBER: f64 = 10.0;

/// Ballots by answer, at first and in the end.
struct BallotFlow {
    /// By which the rest is numbered.
    answers: Vec<String>,
    /// How many went from which answer to which.
    streams: Vec<(usize, usize, usize)>,
    /// Debaters of whom a ballot is missing.
    missing: usize,
}

/// A bar, and how much of it streams have taken.
struct FlowBar {
    answer: usize,
    ballots: usize,
    y: f64,
    taken: f64,
}

impl Chart {
    /// The flow of the ballots; nothing where not even two debaters cast both.
    pub(crate) fn flow(minutes: &Minutes<'_>) -> Option<Self> {
        let flow = BallotFlow::of(minutes)?;
        let mut note = "How many private ballots went from which answer to which.".to_owned();
        if flow.missing > 0 {
            let missing = count(flow.missing as u64, "debater");
            note.push_str(&format!(" Without {missing} of whom a ballot is missing."));
        }
        let svg = flow.svg();
        Some(Self { title: TITLE, note, svg, legend: Vec::new(), head: Vec::new(), rows: Vec::new() })
    }
}

impl BallotFlow {
    fn of(minutes: &Minutes<'_>) -> Option<Self> {
        let of = |stage, name: &str| {
            minutes.ballots(stage).find(|(entry, _)| entry.participant == name).map(|(_, ballot)| ballot.choice)
        };
        let personas = &minutes.admission.spec.personas;
        let both = personas.iter().filter_map(|persona| {
            let name = persona.name.as_str();
            of(BallotStage::Initial, name).zip(of(BallotStage::Final, name))
        });
        let both: Vec<(&str, &str)> = both.collect();
        if both.len() < 2 {
            return None;
        }
        let mut answers: Vec<String> = Vec::new();
        let mut streams: Vec<(usize, usize, usize)> = Vec::new();
        for (first, last) in &both {
            let (from, to) = (place(&mut answers, first), place(&mut answers, last));
            match streams.iter_mut().find(|(one, other, _)| (*one, *other) == (from, to)) {
                Some((.., n)) => *n += 1,
                None => streams.push((from, to, 1)),
            }
        }
        streams.sort_unstable();
        Some(Self { answers, streams, missing: personas.len() - both.len() })
    }
    fn name(&self, answer: usize) -> &str {
        self.answers.get(answer).map_or("other answers", String::as_str)
    }
    fn ballots(&self) -> usize {
        self.streams.iter().map(|(.., n)| n).sum()
    }
    /// The bars of a side, from top to bottom, and where they end.
    fn bars(&self, of: fn(&(usize, usize, usize)) -> usize, ballot: f64) -> (Vec<FlowBar>, f64) {
        let mut y = TOP;
        let mut bars: Vec<FlowBar> = Vec::new();
        for answer in 0..=self.answers.len() {
            let ballots: usize = self.streams.iter().filter(|one| of(one) == answer).map(|(.., n)| n).sum();
            if ballots > 0 {
                let height = ballots as f64 * ballot;
                // A low bar stands in the middle of its name.
                let room = height.max(NAME);
                let top = y + (room - height) / 2.0;
                bars.push(FlowBar { answer, ballots, y: top, taken: top });
                y += room + GAP;
            }
        }
        (bars, y)
    }
    fn svg(&self) -> String {
        let ballot = (SIDE / self.ballots().max(1) as f64).min(MOST_BALLOT);
        let (mut left, left_end) = self.bars(|(from, ..)| *from, ballot);
        let (mut right, right_end) = self.bars(|(_, to, _)| *to, ballot);
        let mut out = String::new();
        for (n, head) in ["At first", "In the end"].into_iter().enumerate() {
            let (x, anchor) = if n == 0 { (BARS[0] + BAR, "end") } else { (BARS[1], "start") };
            // Writing to a string cannot fail.
            let _ = write!(out, "<text class=\"tick {anchor}\" x=\"{x:.1}\" y=\"12\">{head}</text>");
        }
        for (from, to, n) in &self.streams {
            let ends = left.iter_mut().find(|bar| bar.answer == *from);
            let Some((start, end)) = ends.zip(right.iter_mut().find(|bar| bar.answer == *to)) else { continue };
            self.stream(&mut out, (start, end), *n, *n as f64 * ballot);
        }
        left.iter().for_each(|bar| self.bar(&mut out, bar, ballot, true));
        right.iter().for_each(|bar| self.bar(&mut out, bar, ballot, false));
        told(TITLE, &self.words(), left_end.max(right_end) - GAP + 4.0, &out)
    }
    fn stream(&self, out: &mut String, (start, end): (&mut FlowBar, &mut FlowBar), n: usize, width: f64) {
        let (x0, x1) = (BARS[0] + BAR, BARS[1]);
        let middle = (x0 + x1) / 2.0;
        let (y0, y1) = (start.taken, end.taken);
        (start.taken, end.taken) = (y0 + width, y1 + width);
        let (b0, b1) = (start.taken, end.taken);
        let kind = if start.answer == end.answer { "kept" } else { "moved" };
        let title = escaped(&self.told((start.answer, end.answer, n)));
        let _ = write!(
            out,
            "<g class=\"s{} {kind}\"><title>{title}</title><path class=\"stream\" d=\"M{x0:.1} {y0:.1}C{middle:.1} {y0:.1} {middle:.1} {y1:.1} {x1:.1} {y1:.1}V{b1:.1}C{middle:.1} {b1:.1} {middle:.1} {b0:.1} {x0:.1} {b0:.1}Z\"/>",
            start.answer % 16
        );
        if width >= FEWEST_FOR_A_NUMBER {
            let y = y0 + width / 2.0 + 4.0;
            let _ = write!(out, "<text class=\"on\" x=\"{:.1}\" y=\"{y:.1}\">{n}</text>", x0 + 7.0);
        }
        out.push_str("</g>");
    }
    fn bar(&self, out: &mut String, bar: &FlowBar, ballot: f64, left: bool) {
        let height = bar.ballots as f64 * ballot;
        let (x, number, name, anchor) = match left {
            true => (BARS[0], BARS[0] - 6.0, BARS[0] - 22.0, "end"),
            false => (BARS[1], BARS[1] + BAR + 6.0, BARS[1] + BAR + 22.0, "start"),
        };
        let middle = bar.y + height / 2.0;
        let whole = self.name(bar.answer);
        let _ = write!(
            out,
            "<g class=\"s{}\"><title>{}</title><rect class=\"bar\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{BAR}\" height=\"{height:.1}\"/><text class=\"sum {anchor}\" x=\"{number:.1}\" y=\"{:.1}\">{}</text>",
            bar.answer % 16,
            escaped(&format!("{whole}: {}", count(bar.ballots as u64, "ballot"))),
            bar.y,
            middle + 4.0,
            bar.ballots
        );
        let lines = folded(&excerpt(whole, MOST_ANSWER), COLUMNS, 2);
        let first = middle + 4.0 - 6.5 * lines.len().saturating_sub(1) as f64;
        for (n, line) in lines.iter().enumerate() {
            let y = first + 13.0 * n as f64;
            let _ = write!(out, "<text class=\"{anchor}\" x=\"{name:.1}\" y=\"{y:.1}\">{}</text>", escaped(line));
        }
        out.push_str("</g>");
    }
    /// `1 moved from “Wait a year” to “Invest now”`.
    fn told(&self, (from, to, n): (usize, usize, usize)) -> String {
        match from == to {
            true => format!("{n} stayed with “{}”", self.name(from)),
            false => format!("{n} moved from “{}” to “{}”", self.name(from), self.name(to)),
        }
    }
    fn words(&self) -> String {
        let all: Vec<String> = self.streams.iter().map(|stream| self.told(*stream)).collect();
        sentence(&all.join("; "))
    }
}

/// The place of an answer, which gets one if there is room; else the place of all others.
fn place(answers: &mut Vec<String>, answer: &str) -> usize {
    let known = answers.iter().position(|known| same_answer(known, answer));
    known.unwrap_or_else(|| {
        if answers.len() < MOST_ANSWERS {
            answers.push(excerpt(&one_line(answer), MOST_ANSWER));
            return answers.len() - 1;
        }
        MOST_ANSWERS
    })
}
