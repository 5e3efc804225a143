//! Ratings after Elo, over pairs of seats.
use super::contest::Pair;
use super::model::{Rating, Resolution};
use std::collections::BTreeMap;

/// The rating of one who was in no rated debate.
pub const START: f64 = 1_500.0;
/// Points that a debate moves a rating by at most.
pub const K: f64 = 32.0;
/// A rating that is so much higher is expected to score ten times as much.
const SCALE: f64 = 400.0;

/// What one of this rating is expected to score against another, between 0 and 1: `1 / (1 + 10^((other - own) / 400))`
/// (A. Elo, "The Rating of Chessplayers, Past and Present", 1978). The expectations of both sum to 1.
pub fn expected(own: f64, other: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf((other - own) / SCALE))
}

/// What one has gathered in a debate.
#[derive(Default)]
struct Gathered {
    /// Scored minus expected, over all pairs.
    surplus: f64,
    pairs: u32,
}

/// The new rating of everybody who sat in a debate. Who sits twice does not play itself, and changes by the mean over the pairs of
/// all its seats.
pub(super) fn rated<P: Ord + Clone>(
    seats: &[P],
    pairs: &[Pair],
    before: impl Fn(&P) -> Option<Rating>,
) -> BTreeMap<P, Rating> {
    let ratings: BTreeMap<P, Rating> =
        seats.iter().map(|player| (player.clone(), before(player).unwrap_or_default())).collect();
    let elo = |player: &P| ratings.get(player).map_or(START, |rating| rating.elo);
    let mut gathered: BTreeMap<&P, Gathered> = BTreeMap::new();
    let mut resolutions = vec![Resolution::Undecided; seats.len()];
    for pair in pairs {
        let Some((one, other)) = seats.get(pair.one).zip(seats.get(pair.other)).filter(|(one, other)| one != other)
        else {
            continue;
        };
        let score = if pair.drawn { 0.5 } else { 1.0 };
        let surplus = score - expected(elo(one), elo(other));
        for (player, surplus) in [(one, surplus), (other, -surplus)] {
            let gathered = gathered.entry(player).or_default();
            gathered.surplus += surplus;
            gathered.pairs = gathered.pairs.saturating_add(1);
        }
        for (seat, resolution) in pair.resolutions() {
            if let Some(known) = resolutions.get_mut(seat) {
                *known = resolution;
            }
        }
    }
    let change = |player: &P| gathered.get(player).map_or(0.0, |all| K * all.surplus / f64::from(all.pairs.max(1)));
    let mut after = ratings.clone();
    for (player, rating) in &mut after {
        rating.elo += change(player);
        rating.debates = rating.debates.saturating_add(1);
    }
    for (player, resolution) in seats.iter().zip(resolutions) {
        if let Some(rating) = after.get_mut(player) {
            rating.count(resolution);
        }
    }
    after
}
