//! How right over how dear: a point for each arm with its interval, a curve, and a front.
use super::{Axis, WIDTH, framed};
use crate::tree::escaped;
use std::fmt::Write;

const LEFT: f64 = 40.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 14.0;

const HEIGHT: f64 = 230.0;
/// Half of a letter's circle.
const RADIUS: f64 = 9.0;
/// Close intervals whose letters still find a place beside them.
const MOST_LOOSE: usize = 5;
/// Letters of more than these lie in so many rows above all intervals.
const LETTER_ROWS: usize = 3;
const LETTER_ROW: f64 = 19.0;
/// Where a letter may lie beside its point, the best first.
const BESIDE: [(f64, f64); 16] = [
    (13.0, -12.0),
    (-13.0, -12.0),
    (13.0, 12.0),
    (-13.0, 12.0),
    (20.0, 0.0),
    (-20.0, 0.0),
    (24.0, -24.0),
    (-24.0, -24.0),
    (24.0, 24.0),
    (-24.0, 24.0),
    (40.0, -10.0),
    (-40.0, -10.0),
    (42.0, 14.0),
    (-42.0, 14.0),
    (38.0, -36.0),
    (-38.0, 36.0),
];

/// An arm.
pub(in crate::eval) struct ScatterPoint {
    pub(in crate::eval) letter: String,
    /// Its class of colour.
    pub(in crate::eval) colour: usize,
    pub(in crate::eval) x: f64,
    /// In percent.
    pub(in crate::eval) y: f64,
    /// In percent.
    pub(in crate::eval) interval: Option<(f64, f64)>,
    /// All of it in words.
    pub(in crate::eval) title: String,
}

/// A place on a curve, in percent.
#[derive(Clone, Copy)]
pub(in crate::eval) struct CurveDot {
    pub(in crate::eval) x: f64,
    pub(in crate::eval) y: f64,
    pub(in crate::eval) interval: Option<(f64, f64)>,
}

/// The whole figure.
pub(in crate::eval) struct ScatterFigure {
    pub(in crate::eval) title: String,
    pub(in crate::eval) description: String,
    /// What is counted from left to right.
    pub(in crate::eval) across: String,
    pub(in crate::eval) points: Vec<ScatterPoint>,
    /// From few samples to many, each.
    pub(in crate::eval) curves: Vec<Vec<CurveDot>>,
    /// From cheap to dear.
    pub(in crate::eval) front: Vec<(f64, f64)>,
}

impl ScatterFigure {
    /// The drawing; none where there is nothing to draw.
    pub(in crate::eval) fn svg(&self) -> Option<String> {
        let dots = self.points.iter().map(|point| (point.x, point.y, point.interval));
        let dots: Vec<_> = dots.chain(self.curves.iter().flatten().map(|dot| (dot.x, dot.y, dot.interval))).collect();
        if dots.is_empty() {
            return None;
        }
        let heights = || dots.iter().flat_map(|(_, y, interval)| interval.map_or([*y, *y], |(low, high)| [low, high]));
        let (least, most) = (heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max));
        let amounts: Vec<f64> = dots.iter().map(|(x, ..)| *x).collect();
        let x = Axis::amounts(&amounts, (LEFT, WIDTH - RIGHT));
        let across: Vec<f64> = self.points.iter().map(|point| x.place(point.x)).collect();
        let across = side_by_side(&across);
        let dense = across.iter().any(|place| place.row.is_some());
        let top = if dense { TOP + LETTER_ROWS as f64 * LETTER_ROW } else { TOP };
        let y = Axis::percent((least, most), (TOP + HEIGHT, top));
        let mut out = String::new();
        self.grid(&mut out, x, y);
        self.curves.iter().for_each(|dots| curve(&mut out, dots, x, y));
        self.front(&mut out, x, y);
        self.points(&mut out, &across, y);
        Some(framed("scatter", &self.title, &self.description, (WIDTH, TOP + HEIGHT + 40.0), &out))
    }

    fn grid(&self, out: &mut String, x: Axis, y: Axis) {
        for (value, text) in y.marks() {
            let at = y.place(value);
            // Writing to a string cannot fail.
            let _ = write!(
                out,
                "<path class=\"rule\" d=\"M{LEFT} {at:.1}H{:.1}\"/><text class=\"tick end\" x=\"{:.1}\" y=\"{:.1}\">{text} %</text>",
                WIDTH - RIGHT,
                LEFT - 5.0,
                at + 4.0
            );
        }
        let mut last = f64::NEG_INFINITY;
        for (value, text) in x.marks() {
            let at = x.place(value);
            if at - last < 34.0 {
                continue;
            }
            last = at;
            let _ = write!(
                out,
                "<path class=\"rule\" d=\"M{at:.1} {:.1}v4\"/><text class=\"tick mid\" x=\"{at:.1}\" y=\"{:.1}\">{text}</text>",
                TOP + HEIGHT,
                TOP + HEIGHT + 16.0
            );
        }
        let scale = if x.by_powers() { ", logarithmic scale" } else { "" };
        let _ = write!(
            out,
            "<text class=\"tick end\" x=\"{:.1}\" y=\"{:.1}\">{}{scale} →</text>",
            WIDTH - RIGHT,
            TOP + HEIGHT + 34.0,
            escaped(&self.across)
        );
    }

    fn front(&self, out: &mut String, x: Axis, y: Axis) {
        let mut steps = self.front.iter();
        let Some((first_x, first_y)) = steps.next() else { return };
        let mut path = format!("M{:.1} {:.1}", x.place(*first_x), y.place(*first_y));
        for (across, up) in steps {
            let _ = write!(path, "H{:.1}V{:.1}", x.place(*across), y.place(*up));
        }
        let _ = write!(out, "<path class=\"front\" d=\"{path}H{:.1}\"/>", WIDTH - RIGHT);
    }

    fn points(&self, out: &mut String, across: &[AcrossPlace], y: Axis) {
        let places = across.iter().zip(&self.points).map(|(place, point)| (place.x, y.place(point.y)));
        let mut taken: Vec<(f64, f64)> = places.collect();
        for (point, place) in self.points.iter().zip(across) {
            let (cx, cy) = (place.x, y.place(point.y));
            let ends = point.interval.map_or((cy, cy), |(low, high)| (y.place(low), y.place(high)));
            let _ = write!(out, "<g class=\"s{}\"><title>{}</title>", point.colour % 16, escaped(&point.title));
            if point.interval.is_some() {
                let (low, high) = ends;
                let _ = write!(
                    out,
                    "<path class=\"bar-line\" d=\"M{cx:.1} {low:.1}V{high:.1}M{:.1} {low:.1}h8M{:.1} {high:.1}h8\"/>",
                    cx - 4.0,
                    cx - 4.0
                );
            }
            // Where points are dense, letters lie in rows above all intervals, each over its own.
            let above = place.row.map(|row| (cx, RADIUS + 1.0 + row as f64 * LETTER_ROW));
            let (lx, ly) = above.unwrap_or_else(|| beside((cx, cy), &taken));
            let from = if above.is_some() { ends.1 } else { cy };
            taken.push((lx, ly));
            let _ = write!(
                out,
                "<path class=\"lead-line\" d=\"M{cx:.1} {from:.1}L{lx:.1} {ly:.1}\"/><circle class=\"dot\" cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"3.6\"/><circle class=\"held\" cx=\"{lx:.1}\" cy=\"{ly:.1}\" r=\"{RADIUS}\"/><text class=\"in\" x=\"{lx:.1}\" y=\"{:.1}\">{}</text></g>",
                ly + 4.0,
                escaped(&point.letter)
            );
        }
    }
}

fn curve(out: &mut String, dots: &[CurveDot], x: Axis, y: Axis) {
    if dots.len() < 2 {
        return;
    }
    let place = |across: f64, up: f64| format!("{:.1} {:.1}", x.place(across), y.place(up));
    let bounds: Vec<(f64, (f64, f64))> = dots.iter().filter_map(|dot| Some((dot.x, dot.interval?))).collect();
    let over = bounds.iter().map(|(at, (_, high))| place(*at, *high));
    let under = bounds.iter().rev().map(|(at, (low, _))| place(*at, *low));
    let band: Vec<String> = over.chain(under).collect();
    let line: Vec<String> = dots.iter().map(|dot| place(dot.x, dot.y)).collect();
    if bounds.len() > 1 {
        let _ = write!(out, "<path class=\"band\" d=\"M{}Z\"/>", band.join("L"));
    }
    let _ = write!(out, "<path class=\"curve\" d=\"M{}\"/>", line.join("L"));
}

/// Where a point lies across, and in which row above all its letter lies where points are dense.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AcrossPlace {
    x: f64,
    row: Option<usize>,
}

/// Places of which none lies on another: those that are close are moved apart around their middle.
fn side_by_side(places: &[f64]) -> Vec<AcrossPlace> {
    let mut order: Vec<(usize, f64)> = places.iter().copied().enumerate().collect();
    order.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    // Groups of places with their middles; groups that would overlap become one.
    let mut groups: Vec<(Vec<usize>, f64)> = Vec::new();
    let width = |members: usize| apart(members) * members as f64;
    for (at, place) in order {
        let (mut members, mut middle) = (vec![at], place);
        while let Some((before, centre)) = groups.pop() {
            if middle - centre >= (width(before.len()) + width(members.len())) / 2.0 {
                groups.push((before, centre));
                break;
            }
            let all = (before.len() + members.len()) as f64;
            middle = (centre * before.len() as f64 + middle * members.len() as f64) / all;
            members = before.into_iter().chain(members).collect();
        }
        groups.push((members, middle));
    }
    let mut out: Vec<AcrossPlace> = places.iter().map(|x| AcrossPlace { x: *x, row: None }).collect();
    for (members, middle) in groups {
        let (step, dense) = (apart(members.len()), members.len() > MOST_LOOSE);
        let span = step * (members.len() - 1) as f64;
        let start = (middle - span / 2.0).clamp(LEFT, (WIDTH - RIGHT - span).max(LEFT));
        for (n, at) in members.into_iter().enumerate() {
            if let Some(place) = out.get_mut(at) {
                *place = AcrossPlace { x: start + step * n as f64, row: dense.then_some(n % LETTER_ROWS) };
            }
        }
    }
    out
}
/// How far so many close intervals lie from each other.
fn apart(members: usize) -> f64 {
    if members > MOST_LOOSE { 6.5 } else { 11.0 }
}

/// A free place for a letter beside its point.
fn beside((x, y): (f64, f64), taken: &[(f64, f64)]) -> (f64, f64) {
    let inside = |(x, y): (f64, f64)| {
        (LEFT + RADIUS..=WIDTH - RADIUS - 2.0).contains(&x) && (RADIUS..=TOP + HEIGHT - RADIUS).contains(&y)
    };
    let free = |(x, y): (f64, f64)| taken.iter().all(|(tx, ty)| (tx - x).hypot(ty - y) > RADIUS * 1.7);
    let places = || BESIDE.iter().map(|(dx, dy)| (x + dx, y + dy)).filter(|place| inside(*place));
    places().find(|place| free(*place)).or_else(|| places().next()).unwrap_or((x, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(at: usize, x: f64, y: f64) -> ScatterPoint {
        let title = format!("arm {at}");
        ScatterPoint { letter: super::super::letter(at), colour: at, x, y, interval: Some((y - 5.0, y + 5.0)), title }
    }

    #[test]
    fn letters_of_arms_that_lie_close_do_not_cover_each_other() {
        let mut taken = vec![(200.0, 100.0); 6];
        for _ in 0..6 {
            let place = beside((200.0, 100.0), &taken);
            assert!(taken.iter().all(|(x, y)| (x - place.0).hypot(y - place.1) > 12.0), "{place:?}");
            taken.push(place);
        }
    }

    #[test]
    fn intervals_at_the_same_cost_stand_side_by_side_in_their_order() {
        let places = |at: &[f64]| side_by_side(at).into_iter().map(|place| place.x).collect::<Vec<_>>();
        assert_eq!(places(&[100.0, 300.0]), [100.0, 300.0]);
        assert_eq!(places(&[200.0, 200.0, 50.0]), [194.5, 205.5, 50.0]);
        let many = places(&(0..16).map(|at| 400.0 + f64::from(at) / 10.0).collect::<Vec<_>>());
        assert!(many.windows(2).all(|pair| (pair[1] - pair[0] - 6.5).abs() < 1e-9), "{many:?}");
        assert!(many.iter().all(|place| (LEFT..=WIDTH - RIGHT + 1e-9).contains(place)), "{many:?}");
    }

    #[test]
    fn nothing_to_draw_draws_nothing_and_one_arm_is_enough() {
        let mut figure = ScatterFigure {
            title: "<t>".to_owned(),
            description: "d".to_owned(),
            across: "tokens".to_owned(),
            points: Vec::new(),
            curves: Vec::new(),
            front: Vec::new(),
        };
        assert!(figure.svg().is_none());
        figure.points.push(point(0, 0.0, 0.0));
        let svg = figure.svg().unwrap();
        assert!(svg.contains("&lt;t&gt;") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
