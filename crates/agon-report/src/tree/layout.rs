//! Where the speeches of a tree stand: a lane for each speaker, time from top to bottom.
use super::{ArgumentTree, TreeEdge, TreeNode};

/// Sizes in SVG units.
pub(super) const BOX_WIDTH: f64 = 176.0;
pub(super) const BOX_HEIGHT: f64 = 62.0;
const LANE: f64 = 232.0;
const ROW: f64 = 88.0;
pub(super) const MARGIN: f64 = 30.0;

/// A tree with places.
pub(super) struct TreeLayout<'t> {
    /// The speakers, in the order in which they first speak.
    pub(super) lanes: Vec<&'t str>,
    pub(super) placed: Vec<PlacedNode<'t>>,
    pub(super) edges: Vec<DrawnEdge<'t>>,
    pub(super) width: f64,
    /// Without what stands above the first row.
    pub(super) height: f64,
}
pub(super) struct PlacedNode<'t> {
    pub(super) node: &'t TreeNode,
    pub(super) x: f64,
    pub(super) y: f64,
    lane: usize,
    row: usize,
}
pub(super) struct DrawnEdge<'t> {
    pub(super) edge: &'t TreeEdge,
    /// An SVG path.
    pub(super) path: String,
    /// The three corners of the arrow's head.
    pub(super) head: String,
    /// Where a mark stands on it, near where it begins.
    pub(super) mark: (f64, f64),
}

/// A path, its head, and the place of a mark.
type EdgeShape = (String, String, (f64, f64));

pub(super) fn of(tree: &ArgumentTree) -> TreeLayout<'_> {
    let mut lanes: Vec<&str> = Vec::new();
    let mut placed: Vec<PlacedNode<'_>> = Vec::new();
    let (mut round, mut base, mut deepest) = (None, 0, 0);
    for node in &tree.nodes {
        if round != Some(node.round) {
            (round, base) = (Some(node.round), if placed.is_empty() { 0 } else { deepest + 1 });
        }
        let lane = lanes.iter().position(|name| *name == node.speaker).unwrap_or_else(|| {
            lanes.push(&node.speaker);
            lanes.len() - 1
        });
        let targets = tree.edges.iter().filter(|edge| edge.from == node.number).map(|edge| edge.to);
        let below = targets.filter_map(|to| row_of(&placed, to)).map(|row| row + 1).max().unwrap_or(0);
        let own = placed.iter().filter(|before| before.lane == lane).map(|before| before.row + 1).max().unwrap_or(0);
        let row = base.max(below).max(own);
        // Time never goes up: what was said later does not stand higher in its round.
        base = row;
        deepest = deepest.max(row);
        let (x, y) = (MARGIN + lane as f64 * LANE, row as f64 * ROW);
        placed.push(PlacedNode { node, x, y, lane, row });
    }
    let edges = tree.edges.iter().filter_map(|edge| drawn(edge, &placed)).collect();
    let width = MARGIN * 2.0 + lanes.len().max(1) as f64 * LANE - (LANE - BOX_WIDTH);
    let height = if placed.is_empty() { 0.0 } else { deepest as f64 * ROW + BOX_HEIGHT };
    TreeLayout { lanes, placed, edges, width, height }
}

fn row_of(placed: &[PlacedNode<'_>], number: u32) -> Option<usize> {
    placed.iter().find(|placed| placed.node.number == number).map(|placed| placed.row)
}

fn drawn<'t>(edge: &'t TreeEdge, placed: &[PlacedNode<'_>]) -> Option<DrawnEdge<'t>> {
    let from = placed.iter().find(|placed| placed.node.number == edge.from)?;
    let to = placed.iter().find(|placed| placed.node.number == edge.to)?;
    let (path, head, mark) = if from.lane == to.lane && from.row == to.row + 1 {
        upwards(from, to)
    } else if from.lane == to.lane {
        around(from, to)
    } else {
        across(from, to)
    };
    Some(DrawnEdge { edge, path, head, mark })
}

/// To the box right above.
fn upwards(from: &PlacedNode<'_>, to: &PlacedNode<'_>) -> EdgeShape {
    let x = from.x + BOX_WIDTH / 2.0;
    let (start, end) = (from.y, to.y + BOX_HEIGHT);
    let head = format!("{x:.1},{end:.1} {:.1},{:.1} {:.1},{:.1}", x - 4.5, end + 9.0, x + 4.5, end + 9.0);
    (format!("M{x:.1} {start:.1}V{:.1}", end + 8.0), head, (x, start - 7.0))
}

/// To a box further up in the same lane, along its left side.
fn around(from: &PlacedNode<'_>, to: &PlacedNode<'_>) -> EdgeShape {
    let x = from.x;
    let (start, end) = (from.y + BOX_HEIGHT / 2.0, to.y + BOX_HEIGHT * 0.72);
    let out = x - 24.0;
    let head = format!("{x:.1},{end:.1} {:.1},{:.1} {:.1},{:.1}", x - 9.0, end - 4.5, x - 9.0, end + 4.5);
    (
        format!("M{x:.1} {start:.1}C{out:.1} {start:.1} {out:.1} {end:.1} {:.1} {end:.1}", x - 8.0),
        head,
        (x - 8.0, start),
    )
}

/// To a box in another lane, from side to side.
fn across(from: &PlacedNode<'_>, to: &PlacedNode<'_>) -> EdgeShape {
    let leftwards = to.lane < from.lane;
    let (start_x, end_x, way) =
        if leftwards { (from.x, to.x + BOX_WIDTH, -1.0) } else { (from.x + BOX_WIDTH, to.x, 1.0) };
    // What comes from further below ends lower, so that lines from below do not lie on each other.
    let depth = (from.row - to.row.min(from.row)).min(4) as f64;
    let (start, end) = (from.y + BOX_HEIGHT * 0.38, to.y + BOX_HEIGHT * (0.34 + 0.12 * depth));
    let near = end_x - way * 8.0;
    let bend = 26.0 * way;
    let back = end_x - way * 9.0;
    let head = format!("{end_x:.1},{end:.1} {back:.1},{:.1} {back:.1},{:.1}", end - 4.5, end + 4.5);
    let (first, second) = (start_x + bend, near - bend);
    (
        format!("M{start_x:.1} {start:.1}C{first:.1} {start:.1} {second:.1} {end:.1} {near:.1} {end:.1}"),
        head,
        (start_x + 9.0 * way, start),
    )
}
